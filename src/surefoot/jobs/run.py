"""A pipeline is asked every question of a set, and the answers are kept in the project."""

from __future__ import annotations

import contextlib
import platform
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from surefoot import __version__
from surefoot.core.errors import ExitCode, OtherRun, UsageError, check_number, unknown
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.result import READER, Person, Result, Tell
from surefoot.core.types import Passage, Pipeline, ProblemLog, Question, Trace, names, problem_lines
from surefoot.corpus import corpus as corpora
from surefoot.datasets import demo
from surefoot.io.questions import load_sound, since_locked, verify_lock
from surefoot.io.rows import ALIASES
from surefoot.jobs.runs import not_asked, runs_of
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget
from surefoot.models.seam import Settings as ModelSettings
from surefoot.pipelines.asker import ask_all, askable, code_of, refuse_too_many
from surefoot.pipelines.process import function_pipeline
from surefoot.pipelines.specs import PROMPTS, Asking, load
from surefoot.store import Manifest, Project, Run

_MAPPED = {"retrieved": "retrieved", "contexts": "retrieved", "citations": "citations", "subject": "subject"}
Source = str | Callable[..., Any]  # what can be asked: by its name, or a function


@contextlib.contextmanager
def closing(pipeline: Pipeline) -> Iterator[Pipeline]:
    """Ends what a pipeline has started, if it has started anything."""
    try:
        yield pipeline
    finally:
        getattr(pipeline, "close", lambda: None)()


def load_questions(given: str | Path | None, tell: Tell) -> list[Question]:
    if given is None:
        return demo.questions()
    found = load_sound(str(given))
    for problem in (*found.problems, *verify_lock(found)):
        tell(f"warning: {problem}")
    if not found.questions:
        raise UsageError(f"{given} holds no question that can be asked", f"`surefoot questions check {given}` says why")
    return list(found.questions)


def load_corpus(given: str | Path | None, questions: str | Path | None, tell: Tell) -> list[Passage] | None:
    """The user's; with the demo questions the demo's; else none, which some pipelines can do without."""
    if given is not None:
        return corpora.load_corpus(given, tell=tell)
    return demo.corpus() if questions is None else None


def load_pipeline(source: Source, corpus: Sequence[Passage] | None, asking: Asking, tell: Tell) -> Pipeline:
    if not isinstance(source, str):
        return function_pipeline(source, name_of(source), asking.mapping)
    pipeline = load(source, corpus=corpus, asking=asking)
    for line in problem_lines(getattr(pipeline, "problems", ProblemLog())):
        tell(line)
    return pipeline


def name_of(source: Source) -> str:
    if isinstance(source, str):
        return source
    kind = source if hasattr(source, "__qualname__") else type(source)
    return f"{kind.__module__}:{kind.__qualname__}"


class Answers(Result, frozen=True, kw_only=True):
    """A run, and what came of asking."""

    beside = ("causes", "traces")

    run: str  # id
    version: str
    asked: int
    answers: int
    errors: int
    missing: int
    errors_by_kind: dict[str, int]
    seconds: float  # by the clock, for this call; questions are asked side by side, so their own times add up to more
    seconds_per_answer: float | None
    tokens: int | None
    cost_usd: float | None
    interrupted: bool
    causes: list[tuple[str, str]]  # of errors, each with a hint
    traces: list[Trace]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if not self.errors and not self.missing else ExitCode.INCOMPLETE

    def table(self) -> Sequence[Mapping[str, Any]]:
        """An answer a row."""
        kept = ("question_id", "attempt", "answer", "error", "seconds", "tokens", "cost_usd")
        return [{name: getattr(trace, name) for name in kept} for trace in self.traces]


def run(
    pipeline: Source | None = None, *, questions: str | Path | None = None, corpus: str | Path | None = None,
    version: str = "", repeats: int | None = None, again: str | None = None, only: Sequence[str] = (),
    resume: str | None = None, retry_errors: bool = False, request_template: str | Path | None = None,
    prompt: str = PROMPTS[0], mapping: Mapping[str, str] | None = None, settings: Given = None,
    asking: Asking | None = None, db: str | Path | None = None, person: Person = READER,
) -> Answers:  # fmt: skip
    """Ask a pipeline every question of a set and keep the answers in the project, as a new run of a version.

    `pipeline` is what `surefoot run --pipeline` takes, or a function of a question that returns an answer. Without
    questions, the bundled ones are asked about the bundled documents. `again` names a version that was run before: its
    pipeline is asked once more, all questions or `only` some, provided that its code is the same. `resume` names a run,
    or a version for its newest run, and asks what has no answer yet; `retry_errors` also asks what ended in an error.
    `settings` are those of `--set`; `asking` goes before them, for pipelines that share a budget.
    """
    given, tell = settings_from(settings, map=mapping), person.tell
    how = asking or asking_of(given, request_template=request_template, prompt=prompt)
    if given.max_cost is not None and not str(pipeline or "chat:").startswith("chat:"):
        tell("note: max_cost holds for chat: pipelines; what others spend is their own affair")
    check_number("repeats", repeats, 1)
    if retry_errors and not resume:
        raise UsageError("--retry-errors goes with --resume RUN", "name the run whose errors are to be asked again")
    if only and not again:
        raise UsageError("--only asks some questions of a version again", "write surefoot run VERSION --only q1,q2")
    if again and resume:
        raise UsageError("a run is continued, or a version is asked again, not both", "leave out VERSION or --resume")
    wanted = _Wanted(pipeline, questions, corpus, version.strip(), repeats, how, tell)
    with contextlib.ExitStack() as opened:
        if again or resume:
            project = opened.enter_context(Project.existing(db))
        if resume:
            kept = _can_be_asked(runs_of(project, resume)[-1])
            refuse_too_many(f"the run {kept.id}", 1, kept.manifest.repeats, kept.manifest.question_count)
            made = opened.enter_context(closing(wanted.same_pipeline(kept.manifest)))
        else:
            manifest, asked, made = wanted.once_more(project, again, only) if again else wanted.planned()
            opened.enter_context(closing(made))
            if not again:  # what cannot be run makes no project
                project = opened.enter_context(Project.open(db))
                for run in project.runs(manifest.version)[:1]:
                    if (run.manifest.pipeline, run.manifest.code_sha256) != (manifest.pipeline, manifest.code_sha256):
                        tell(f"warning: {run.version} was run with other code before ({run.id}): name this one anew")
            kept = project.create(manifest, asked)
        with project.database.holding(kept.id):
            started = time.monotonic()
            interrupted = _ask(kept, made, how, person, again=retry_errors)
            answers = _answers(kept, made, time.monotonic() - started, interrupted)
            kept.amend(finished=not interrupted)
            for problem in not_asked(kept) if not interrupted else ():
                tell(f"warning: {problem}")
        person.tell_causes(answers.causes)
        answered = [trace for trace in answers.traces if trace.error is None]
        once = {**(settings or {}).get("map", {}), **(mapping or {})}  # not what surefoot.toml maps of all logs
        for name, path in once.items() if answered else ():
            field = _MAPPED.get(ALIASES.get(name, name))
            if field and all(getattr(trace, field) in (None, UNSET) for trace in answered):
                message = f"--map {name}={path} leads to nothing in any answer of the run {kept.id}"
                raise UsageError(message, "correct it, and run it anew")
        if answered and all(trace.retrieved is None for trace in answered):
            way = "return the passages under `retrieved`, or say where they lie with --map retrieved=PATH"
            tell(f"note: no answer came with what was retrieved, which grading reads; {way}")
        return answers


def asking_of(given: Settings, budget: Budget | None = None, **more: Any) -> Asking:  # noqa: ANN401 - fields of it
    """How pipelines are asked."""
    at_once = given.concurrency or 8
    model = ModelSettings(concurrency=at_once, effort=given.effort, max_tokens=given.max_tokens, prices=given.prices)
    return Asking(concurrency=at_once, timeout=given.timeout or 60.0, retries=given.retries, mapping=given.map,
                  settings=model, budget=budget, max_cost=given.max_cost, **more)  # fmt: skip


class _Wanted(Struct, frozen=True):
    """What is to be asked, of whom and how."""

    pipeline: Source | None
    questions: str | Path | None
    corpus: str | Path | None
    version: str
    repeats: int | None
    how: Asking
    tell: Tell

    @property
    def asked(self) -> list[Question]:
        return [question.as_asked for question in load_questions(self.questions, self.tell)]

    def planned(self) -> tuple[Manifest, list[Question], Pipeline]:
        """A first run."""
        if not self.pipeline:
            raise UsageError("no pipeline was named", "pass --pipeline, for example --pipeline reference")
        if self.corpus and not self.questions:
            hint = "the demo questions are about the demo corpus only"
            raise UsageError("--corpus was given without --questions", hint)
        questions, repeats, name = self.asked, self.repeats or 1, name_of(self.pipeline)
        refuse_too_many(f"--repeats {repeats}", 1, repeats, len(questions))
        corpus = load_corpus(self.corpus, self.questions, self.tell)
        pipeline, code = load_pipeline(self.pipeline, corpus, self.how, self.tell), code_of(name)
        versions = {"python": platform.python_version(), "surefoot": __version__, **getattr(pipeline, "versions", {})}
        # Without a name, a pipeline whose code and prompt are the same is the same version.
        hashes = (one.removeprefix("sha256:")[:8] for one in (code, versions.get("prompt", "")) if one)
        manifest = Manifest(
            version=self.version or f"{name} {'+'.join(hashes)}".strip(), pipeline=name, code_sha256=code,
            repeats=repeats, questions_sha256=fingerprint(questions), question_count=len(questions),
            question_notes=_apart_from_lock(self.questions, questions),
            corpus_sha256=fingerprint(corpus) if corpus else None, versions=versions,
            deterministic=bool(getattr(pipeline, "deterministic", False)), created=timestamp(),
        )  # fmt: skip
        return manifest, questions, pipeline

    def once_more(self, project: Project, name: str, only: Sequence[str]) -> tuple[Manifest, list[Question], Pipeline]:
        """A run more of a version, asked all its questions or some."""
        whole = [run for run in runs_of(project, name) if not run.manifest.partial]
        if not whole:
            hint = "run it with --pipeline and --questions first"
            raise UsageError(f"{name} was never asked all its questions", hint)
        before = _can_be_asked(whole[-1])
        asked = before.questions()
        ids = [question.id for question in asked]
        if strange := sorted({*only} - {*ids}):
            message = f"{before.version} was not asked {names(strange)}"
            raise unknown(message, strange[0], ids, f"it was asked {names(ids)}")
        chosen = [question for question in asked if not only or question.id in only]
        pipeline = replace(self, repeats=None).same_pipeline(before.manifest)
        made = replace(
            before.manifest, id="", repeats=self.repeats or 1, partial=bool(only),
            questions_sha256=fingerprint(chosen), question_count=len(chosen), grader=None, council="", reviewers=(),
            created=timestamp(), finished=False, purged=(),
        )  # fmt: skip
        return made, chosen, pipeline

    def same_pipeline(self, made: Manifest) -> Pipeline:
        """The pipeline of a run, provided that what is asked, of whom, and over which corpus are still the same."""
        if code_of(made.pipeline) != made.code_sha256:
            hint = "go back to that code, or run this one under a --version of its own"
            raise OtherRun(f"the code of {made.version} has changed since it was run", hint)
        name = name_of(self.pipeline) if self.pipeline else None
        for option, given in (("pipeline", name), ("repeats", self.repeats), ("version", self.version or None)):
            if given not in (None, there := getattr(made, option)):
                raise _made_with(f"--{option} {there}")
        if self.questions and made.questions_sha256 != fingerprint(self.asked):
            raise _made_with("other questions")
        corpus = (load_corpus(self.corpus, None, self.tell) or []) if made.corpus_sha256 else []
        if made.corpus_sha256 and fingerprint(corpus) != made.corpus_sha256:
            raise _made_with("another --corpus")
        pipeline = load_pipeline(self.pipeline or made.pipeline, corpus, self.how, self.tell)
        if any(made.versions.get(part) != sha256 for part, sha256 in getattr(pipeline, "versions", {}).items()):
            with closing(pipeline):
                raise _made_with("another prompt")
        return pipeline


def _made_with(what: str) -> OtherRun:
    return OtherRun(f"the run was made with {what}", "pass the same, or start a new run")


def _can_be_asked(run: Run) -> Run:
    if run.manifest.log_sha256:
        hint = "grade the log again, or one with more answers: surefoot grade --traces LOG"
        raise UsageError(f"{run.id} was made of a log, and cannot be asked again", hint)
    return run


def _apart_from_lock(given: str | Path | None, questions: Sequence[Question]) -> tuple[str, ...]:
    """What was left out of a locked question set, or added to it: a decision has to say so."""
    found = since_locked(given, questions) if given else None
    told = {"are missing": found.removed, "are new": found.added} if found else {}
    return tuple(f"against the lock, {len(ids)} questions {what}: {names(ids)}" for what, ids in told.items() if ids)


def _ask(kept: Run, pipeline: Pipeline, how: Asking, person: Person, *, again: bool) -> bool:
    """Ask what is not done; True when it was stopped by a signal."""
    questions, repeats = askable(pipeline, kept.questions()), kept.manifest.repeats
    done = {(str(t.question_id), t.attempt) for t in kept.traces() if not (again and t.error is not None)}
    watch = person.watch(len(questions) * repeats - len(done), "asked")

    def keep(trace: Trace) -> None:
        kept.keep([trace])
        watch.count(trace)

    # What a pipeline prints must not mix with our own output.
    with _stop_on_signal() as stop, contextlib.redirect_stdout(sys.stderr):
        ask_all(
            pipeline, questions, repeats=repeats, concurrency=how.concurrency, timeout=how.timeout,
            retries=how.retries, done=done, on_trace=keep, stop=stop,
        )  # fmt: skip
        watch.close()
        return stop.is_set()


@contextlib.contextmanager
def _stop_on_signal() -> Iterator[threading.Event]:
    """Ctrl-C and a polite kill end the asking between two rows, never within one."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _answers(kept: Run, made: Pipeline, seconds: float, interrupted: bool) -> Answers:
    traces = kept.traces()
    errors = Counter(trace.error[:100] for trace in traces if trace.error is not None)
    wanted = kept.manifest.question_count * kept.manifest.repeats
    tokens = [trace.tokens for trace in traces if trace.tokens is not None]
    waits = [trace.seconds for trace in traces if trace.seconds is not None and trace.error is None]
    costs = [trace.cost_usd for trace in traces if trace.cost_usd is not None]
    causes: Mapping[str, str] = getattr(made, "causes", {})
    return Answers(
        run=kept.id, version=kept.version, asked=wanted, answers=len(traces) - errors.total(), errors=errors.total(),
        missing=wanted - len(traces), errors_by_kind=dict(errors.most_common()), seconds=round(seconds, 3),
        seconds_per_answer=round(sum(waits) / len(waits), 3) if waits else None,
        tokens=sum(tokens) if tokens else None, cost_usd=round(sum(costs), 6) if costs else None,
        interrupted=interrupted, causes=[one for one in causes.items() if one[0].startswith(tuple(errors))],
        traces=traces,
    )  # fmt: skip
