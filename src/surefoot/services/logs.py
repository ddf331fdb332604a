"""Answers from a log, without a question set: each question that was asked, and every answer to it.

What is kept is a run like any other, so that it can be labelled, calibrated, reported and graded again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from surefoot.core.errors import UsageError
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.types import Problem, Question, Trace
from surefoot.io.items import Asked, Ungradable, items_in
from surefoot.io.sources import LOG_FORMATS, check_logs, shown
from surefoot.services.passage_texts import PassageTexts
from surefoot.store import Manifest, Project, Run
from surefoot.text.normal import id_of_text

WITHOUT_GOLD = (
    "no question has gold: correct means that the passages support every claim and answer the question; whether they "
    "were the right passages, and whether a refusal was due, is not known"
)


class Log(Struct, frozen=True):
    """What was asked, and the answers, each with its question's id and its number among the answers to it."""

    name: str
    questions: list[Question]
    traces: list[Trace]
    problems: list[Problem]  # rows that hold no answer to a question
    notes: list[Problem]

    @property
    def times(self) -> set[int]:
        """How often questions were asked."""
        return set(Counter(trace.question_id for trace in self.traces).values())

    @property
    def has_gold(self) -> bool:
        return any(one.gold_claims or one.gold_ids or one.expects == "refusal" for one in self.questions)


def read_log(
    paths: Sequence[str | Path], mapping: Mapping[str, str] | None = None, texts: PassageTexts | None = None
) -> Log:
    """Everything in files, folders or stdin ("-") of rows of any known shape."""
    check_logs(paths)
    asked, traces, problems, notes = Asked(), list[Trace](), list[Problem](), list[Problem]()
    for found in (found for path in paths for found in items_in(path, notes.append, mapping, _name)):
        if isinstance(found, Ungradable):
            problems.append(found.problem)
        else:
            trace = asked.answered(found)
            traces.append(texts.filled(trace) if texts else trace)
    if not traces:
        why = f": {problems[0]}" if problems else ""
        has_rows = not problems or problems[0].kind not in ("unreadable", "no_traces", "malformed")
        hint = "say where the fields lie with --map" if has_rows else f"a log is {LOG_FORMATS}"
        raise UsageError(f"{shown(paths[0])} holds no answer that can be read{why}", hint)
    name = "stdin" if str(paths[0]) == "-" else Path(shown(paths[0])).name.partition(".")[0] or "log"
    return Log(name, list(asked.questions.values()), traces, problems, notes)


def run_of(project: Project, log: Log, version: str = "", corpus_sha256: str | None = None) -> Run:
    """A run of these answers: the one that was begun with them, or else a new one."""
    log_sha256 = fingerprint([*log.questions, *log.traces])
    known = (one for one in project.runs() if one.manifest.log_sha256 == log_sha256)
    kept = next((one for one in known if version in ("", one.version)), None) or project.create(
        Manifest(
            version=version or log.name, pipeline=f"log:{log.name}", repeats=max(log.times),
            uneven=len(log.times) > 1, questions_sha256=fingerprint(log.questions), question_count=len(log.questions),
            corpus_sha256=corpus_sha256, log_sha256=log_sha256, created=timestamp(), finished=True,
        ),
        log.questions,
    )  # fmt: skip
    there = kept.answer_keys()
    kept.keep(trace for trace in log.traces if (trace.question_id, trace.attempt) not in there)
    return kept


def _name(_number: int, trace: Trace) -> str:
    return id_of_text(trace.question or "")
