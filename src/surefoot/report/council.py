"""What a council says of runs, down to what each reviewer gave to every answer; and what a matrix says of its cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from surefoot.core.table import BUCKETS
from surefoot.core.types import counted, names, plain
from surefoot.gate.effects import MEASURED, RATES, Effect
from surefoot.gate.metrics import UNGRADED
from surefoot.report.blocks import (
    LONGEST_QUESTION,
    MOST_ON_PAGE,
    Bars,
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
    Span,
    Table,
    number,
)

if TYPE_CHECKING:
    from surefoot.jobs.council import CouncilScores
    from surefoot.jobs.matrix import MatrixResult
    from surefoot.reviewers.run_scores import ScoredAnswer

_NAMED = 10  # questions of unsafe answers
_NOTES_ON_TERMINAL = 20
_SHOWN: dict[Form, int] = {"terminal": 0, "markdown": 50, "page": MOST_ON_PAGE}
Found = Mapping[str, Any]  # as JSON has it


def scores(found: CouncilScores, links: Mapping[str, str] | None = None) -> Report:
    """On a page that is served, `links` has the address of each run."""
    runs: Sequence[Found] = found["runs"]
    return Report(
        f"Surefoot council by the rubric {found.rubric}",
        (Headline("", tuple(_headline(runs))), Items(list(_background(found)), "quiet")),
        tuple(_body(runs, found.answers, links or {})),
    )


def _headline(runs: Sequence[Found]) -> Iterator[Line]:
    scored = [run for run in runs if run["overall"]]
    if not scored:
        yield Span("No question has a score in every run, so nothing can be ranked.", "strong")
        return
    over = counted(max(run["overall"]["answers"] for run in scored), "answer")
    if len(runs) == 1:
        yield Span(f"{_short(runs[0])} scores {_mean(scored[0]['overall'])} of 10 over {over}.", "strong")
        return
    first = [_short(run) for run in scored if run["rank"] == 1]
    lead = f"{first[0]} scores highest" if len(first) == 1 else f"{' and '.join(first)} score the same"
    yield Span(f"{lead}: {_mean(scored[0]['overall'])} of 10 over {over}.", "strong")
    for run in scored[1:]:
        chance = ", which may be chance" if run["behind"]["low"] <= 0 else ""
        yield f"{_short(scored[0])} is {_mean(run['behind'])} points above {_short(run)} on the same questions{chance}."


def _background(found: CouncilScores) -> Iterator[Line]:
    yield f"reviewers: {', '.join(found.reviewers)}"
    if len(found.reviewers) == 1:
        yield "one reviewer: nobody checks the scores, and no bias can be seen"
    causes: dict[tuple[str, str], list[str]] = {}
    for one in found.failures:
        causes.setdefault((one.model, one.reason), []).append(one.stage)
    for (model, reason), on in sorted(causes.items()):
        left = f"{counted(len(on), 'answer')} without a score: {reason}"
        yield f"failed: {model} left {left} ({names(on, len(on), _NAMED)})"
    yield f"kept with the runs under {found.council}; what it is worth: surefoot council evaluate RUN..."


def _body(runs: Sequence[Found], answers: Sequence[ScoredAnswer], links: Mapping[str, str]) -> Iterator[Block]:
    dimensions = list(dict.fromkeys(name for run in runs for name in run["dimensions"]))
    heads = ("rank", "run", "overall", *dimensions, "not scored", "unsafe")
    rows: list[tuple[Line, ...]] = [
        (
            str(run["rank"] or "-"), Span(_short(run), "strong", link=links.get(run["run"], "")),
            _mean(run["overall"]), *(_mean(run["dimensions"].get(name)) for name in dimensions),
            str(sum(run["not_scored"].values())), str(len(run["unsafe"])),
        )
        for run in runs
    ]  # fmt: skip
    about = "Means of 1 to 10 over the questions that every run has a score for, with 95 % intervals over questions."
    notes = [f"{_short(run)}: {line}" for run in runs for line in _about(run)]
    yield Section(f"Runs ({len(rows)})", (Paragraph(about, "quiet"), Table(heads, rows), Items(notes)))
    given = [(one.run, reviewer, score) for one in answers for reviewer, (score, _) in one.by.items()
             if score is not None]  # fmt: skip
    means = [(who, *(_average([score for at, by, score in given if (at, by) == (run["run"], who)]) for run in runs))
             for who in dict.fromkeys(name for one in answers for name in one.by)]  # fmt: skip
    about = "The mean of all that each reviewer scored, and how many answers these are."
    table = Table(("reviewer", *map(_short, runs)), means)
    yield Section("Reviewers", (Paragraph(about, "quiet"), table), "paper")
    cases = [_case(one) for one in sorted(answers, key=_worst_first)]
    listed = Cases(("run", "id", "score", "question", "why"), cases, ("run", "score"), limits=_SHOWN)
    yield Section(f"Answers ({len(cases)})", (listed,), "paper")


def _about(run: Found) -> Iterator[str]:
    if run["capped"]:
        yield "capped by " + ", ".join(f"{name} ({count})" for name, count in run["capped"].items())
    if run["unsafe"]:
        yield f"unsafe: {names(run['unsafe'], len(run['unsafe']), _NAMED)}"
    if run["disputed"]:
        named = names(run["disputed"], len(run["disputed"]), _NAMED)
        yield f"disputed whether it is a refusal: {named}; `surefoot grade` decides, then score again"
    for reason, count in run["not_scored"].items():
        yield f"not scored: {counted(count, 'answer')}: {reason}"
    for reviewer in run["own"]:
        yield f"{reviewer} gave these answers, so its scores of them are not counted"


def _average(scores: Sequence[float]) -> str:
    return f"{sum(scores) / len(scores):.2f} ({len(scores)})" if scores else "-"


def _worst_first(one: ScoredAnswer) -> tuple[float, str, str, int]:
    return (11.0 if one.score is None else one.score, one.question_id, one.run, one.attempt)


def _case(one: ScoredAnswer) -> Case:
    called = one.question_id if one.attempt == 1 else f"{one.question_id} (attempt {one.attempt})"
    run, score = PurePath(one.run).name, "-" if one.score is None else f"{one.score:.1f}"
    question = plain(one.question, LONGEST_QUESTION)
    rows = [(reviewer, "-" if given is None else f"{given:g}", why) for reviewer, (given, why) in one.by.items()]
    inside = (Quote(one.answer or ""), Table(("reviewer", "score", "why"), rows))
    title = (Span(score, "strong"), question, Span(" \u00b7 ".join(filter(None, (called, run, one.reason))), "quiet"))
    return Case((run, called, score, question, one.reason), title, inside, (run, _kind(one.score)))


def _kind(score: float | None) -> str:
    if score is None:
        return "not scored"
    return next(words for most, words in ((4, "up to 4"), (7, "4 to 7"), (10, "above 7")) if score <= most)


def _mean(mean: Found | None) -> str:
    return "-" if mean is None else f"{mean['value']:.2f} ({mean['low']:.2f} to {mean['high']:.2f})"


def _short(run: Found) -> str:
    return PurePath(run["run"]).name


def matrix(found: MatrixResult) -> Report:
    again = f", each {found.repeats} times" if found.repeats > 1 else ""
    asked = f"{counted(len(found.cells), 'cell')}, {counted(found.questions, 'question')}{again}"
    trust = [f"trust: {found.trust}"] if found.trust else []
    about = Items([f"{asked}, graded by {found.grader}", *trust], "quiet")
    return Report(f"Surefoot matrix: {found.name}", (Headline("", found.conclusions), about), tuple(_cells(found)))


def _cells(matrix: MatrixResult) -> Iterator[Block]:
    bars = Bars(("cell",), [("", [(result.name, result.buckets) for result in matrix.cells])])
    # A question set may have no questions, and a cell no answers, of the kind.
    measured = {name for result in matrix.cells for name, rate in result.rates.items() if rate.value is not None}
    known = [name for name in RATES if name in measured]
    rates = [(name, *(number(name, result.rates.get(name)) for result in matrix.cells)) for name in known]
    rates.append(("run", *(result.run for result in matrix.cells)))
    yield Section("Buckets", (bars, Table(("metric", *(result.name for result in matrix.cells)), rates)))
    effects = matrix.effects
    yield Section("Effects", (Items([_effect(effect) for effect in effects]), Paragraph(matrix.unit, "quiet")))
    if effects:
        about = Paragraph("A difference whose interval leaves 0 out is set in bold.", "quiet")
        rows = [_difference_row(name, effects) for name in MEASURED if name not in RATES or name in known]
        table = Table(("metric", *map(_title, effects)), rows)
        yield Section("Effects in numbers", (about, table), "paper")
    if notes := list(_notes(matrix)):
        limits: dict[Form, int] = {"terminal": _NOTES_ON_TERMINAL}
        yield Section("Notes", (Items([f"note: {note}" for note in notes], "warning", limits=limits),))


def _effect(effect: Effect) -> Line:
    about = f"{_title(effect)} ({_basis(effect)}):"
    return Span(about, "strong"), f"{effect.reading}.", Span("; ".join(_unsettled(effect)), "quiet")


def _difference_row(name: str, effects: Sequence[Effect]) -> tuple[Line, ...]:
    found = [effect.differences[name] for effect in effects]
    return (name, *(Span(str(one), "strong" if one.settled else "") for one in found))


def _title(effect: Effect) -> str:
    return f"{effect.axis}: {effect.value} against {effect.reference}"


def _basis(effect: Effect) -> str:
    """What an effect rests on, and what is missing from it."""
    found = effect.differences[BUCKETS[0]]
    said = [f"{counted(effect.pairs, 'pair')} of cells", counted(found.questions, "question")]
    said += [f"{found.left_out} left out, ungraded in one of the cells"] if found.left_out else []
    said += [f"{counted(effect.pairs_lost, 'pair')} lost to cells without verdicts"] if effect.pairs_lost else []
    return ", ".join(said)


def _unsettled(effect: Effect) -> Iterator[str]:
    """What is not told apart from nothing: what may be chance, and what did not change at all."""
    left = {name: one for name, one in effect.differences.items() if one.value is not None and not one.settled}
    same = [name for name, one in left.items() if (one.low, one.value, one.high) == (0, 0, 0)]
    moved = [f"{name} {one}" for name, one in left.items() if name not in same]
    groups = (("may be chance", moved), ("unchanged", same))
    yield from (f"{group}: {', '.join(named)}" for group, named in groups if named)


def _notes(matrix: MatrixResult) -> Iterator[str]:
    for result in matrix.cells:
        if result.failed:
            yield f"{result.name}: {result.failed}"
        yield from (f"{result.name}: {note}" for note in result.notes)
    if ungraded := sum(result.buckets.get(UNGRADED, 0) for result in matrix.cells):
        yield f"{counted(ungraded, 'answer')} without a bucket: ungraded"
