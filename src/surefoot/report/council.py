"""What a council says of runs: their order, what holds scores down, and the answers it thinks least of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Protocol

from msgspec import Struct

from surefoot.report.blocks import (
    Block,
    Case,
    Cases,
    Form,
    Headline,
    Items,
    Line,
    Paragraph,
    Quote,
    Report,
    Section,
    Table,
)
from surefoot.report.words import counted, names

_NAMED = 10  # questions of unsafe answers
_LOWEST: Mapping[Form, int] = {"terminal": 0, "markdown": 20, "page": 200}
_SCALE = "Scores are from 1 to 10 (0: unsafe), with 95 % intervals over the questions that every run has a score for."
_ONE = "note: one reviewer: nobody checks the scores, and no bias can be seen"


class Mean(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def answers(self) -> int: ...


class Scored(Protocol):
    """A run, as `reviewers/run_scores.py` has it."""

    @property
    def run(self) -> str: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def overall(self) -> Mean | None: ...
    @property
    def dimensions(self) -> Mapping[str, Mean]: ...
    @property
    def not_scored(self) -> Mapping[str, int]: ...
    @property
    def capped(self) -> Mapping[str, int]: ...
    @property
    def unsafe(self) -> Sequence[str]: ...
    @property
    def own(self) -> Sequence[str]: ...


class Said(Struct, frozen=True):
    """Of one answer. `by` has the overall score and the notes of each reviewer."""

    run: str
    question: str
    answer: str
    overall: float
    why: str
    by: Mapping[str, tuple[float | None, str]]


class Sat(Struct, frozen=True):
    """A council that has sat."""

    rubric: str
    name: str
    reviewers: Sequence[str]
    failed: Mapping[str, int]  # answers without a score, by reviewer


def report(sat: Sat, runs: Sequence[Scored], answers: Sequence[Said]) -> Report:
    """`answers` are those with a score, the lowest first."""
    short = _short([run.run for run in runs])
    about = [f"{counted(len(sat.reviewers), 'reviewer')}: {', '.join(sat.reviewers)}; rubric {sat.rubric}"]
    about += [f"kept with the runs under {sat.name}"] if any(run.overall for run in runs) else []
    notes = [*_notes(runs), *([_ONE] if len(sat.reviewers) == 1 else []), *_failed(sat)]
    summary: list[Block] = [Headline("", tuple(_order(runs, short))), Items(about, "quiet")]
    summary += [Items(notes, "warning")] if notes else []
    return Report("Surefoot council", tuple(summary), tuple(_body(runs, answers, short)))


def _short(runs: Sequence[str]) -> dict[str, str]:
    """The name of the folder, where that is enough to tell runs apart."""
    found = {run: PurePath(run).name for run in runs}
    return found if len(set(found.values())) == len(runs) else {run: run for run in runs}


def _order(runs: Sequence[Scored], short: Mapping[str, str]) -> Iterator[Line]:
    scored = [(short[run.run], run.overall) for run in runs if run.overall is not None]
    if not scored:
        yield "No answer has a score."
        return
    (first, best), *others = scored
    yield f"{first} scores {_interval(best)} of 10 overall, over {counted(best.answers, 'answer')}."
    for name, mean in others:
        far = "the same" if mean.value == best.value else f"{best.value - mean.value:.2f} less"
        overlap = "; the intervals overlap" if mean.high >= best.low else ""
        yield f"{name} scores {_interval(mean)}: {far}{overlap}."


def _notes(runs: Sequence[Scored]) -> Iterator[str]:
    for run in runs:
        if run.capped:
            by = ", ".join(f"{name} ({count})" for name, count in run.capped.items())
            yield f"{run.run}: capped by {by}"
        if run.unsafe:
            yield f"{run.run}: unsafe: {names(run.unsafe, len(run.unsafe), _NAMED)}"
        for reason, count in run.not_scored.items():
            yield f"{run.run}: not scored: {counted(count, 'answer')}: {reason}"
        for reviewer in run.own:
            yield f"{run.run}: {reviewer} gave these answers, so its scores of them are not counted"


def _failed(sat: Sat) -> Iterator[str]:
    for reviewer, count in sat.failed.items():
        yield f"failed: {reviewer} left {counted(count, 'answer')} without a score"


def _body(runs: Sequence[Scored], answers: Sequence[Said], short: Mapping[str, str]) -> Iterator[Block]:
    dimensions = list(dict.fromkeys(name for run in runs for name in run.dimensions))
    rows: list[tuple[Line, ...]] = [
        (
            "-" if run.rank is None else str(run.rank),
            short[run.run],
            "-" if run.overall is None else _interval(run.overall),
            *(_mean(run.dimensions.get(name)) for name in dimensions),
            str(sum(run.capped.values())),
            str(len(run.unsafe)),
        )
        for run in runs
    ]
    table = Table(("", "run", "overall", *dimensions, "capped", "unsafe"), rows)
    yield Section("Scores", (table, Paragraph(_SCALE, "quiet")))
    if answers:
        heads = ("run", "overall", "question", "why")
        cases = [_case(one, short[one.run]) for one in answers]
        runs_of = {name: sum(case.kinds == (name,) for case in cases) for name in short.values()}
        lowest = Cases(heads, cases, (("run", runs_of),), total=len(cases), limits=_LOWEST)
        yield Section("Answers, the lowest first", (lowest,), "paper")


def _case(one: Said, run: str) -> Case:
    spoken = [
        f"{reviewer}: {'no score' if score is None else f'{score:g}'}{f' - {notes}' if notes else ''}"
        for reviewer, (score, notes) in one.by.items()
    ]
    inside = (Quote(one.answer), Items(spoken))
    return Case((run, f"{one.overall:.2f}", one.question, one.why), one.question, inside, (run,))


def _interval(mean: Mean) -> str:
    return f"{mean.value:.2f} ({mean.low:.2f} to {mean.high:.2f})"


def _mean(mean: Mean | None) -> str:
    return "-" if mean is None else f"{mean.value:.1f}"
