"""What a council says of runs: their scores, what holds them down, and every answer with what each reviewer gave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from surefoot.core.types import counted, names, plain
from surefoot.report.answers import LONGEST_QUESTION, MOST_ON_PAGE, filters_of
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
    Span,
    Table,
)

if TYPE_CHECKING:
    from surefoot.reviewers.run_scores import ScoredAnswer
    from surefoot.services.council_runs import RunsScored
    from surefoot.services.council_scores import CouncilScores

_NAMED = 10  # questions of unsafe answers
_SHOWN: dict[Form, int] = {"terminal": 0, "markdown": 50, "page": MOST_ON_PAGE}
Found = Mapping[str, Any]  # as JSON has it


def report(found: CouncilScores | RunsScored, links: Mapping[str, str] | None = None) -> Report:
    """On a page that is served, `links` has the address of each run."""
    runs: Sequence[Found] = found["runs"]
    answers: Sequence[ScoredAnswer] = found.answers if hasattr(found, "answers") else found.rows
    return Report(
        f"Surefoot council by the rubric {found.rubric}",
        (Headline("", tuple(_headline(runs))), Items(list(_background(found)), "quiet")),
        tuple(_body(runs, answers, links or {})),
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


def _background(found: CouncilScores | RunsScored) -> Iterator[Line]:
    yield f"reviewers: {', '.join(found.reviewers)}"
    if len(found.reviewers) == 1:
        yield "one reviewer: nobody checks the scores, and no bias can be seen"
    for failure in getattr(found, "failures", ()):
        left = counted(failure["replies"], "answer")
        named = names(failure["answers"], len(failure["answers"]), _NAMED)
        yield f"failed: {failure['reviewer']} left {left} without a score: {failure['reason']} ({named})"
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
    yield _by_reviewer(runs, answers)
    cases = [_case(one) for one in sorted(answers, key=_worst_first)]
    listed = Cases(
        ("run", "id", "score", "question", "why"), cases, total=len(cases), limits=_SHOWN,
        filters=filters_of(("run", "score"), cases),
    )  # fmt: skip
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


def _by_reviewer(runs: Sequence[Found], answers: Sequence[ScoredAnswer]) -> Section:
    """Who is harsh and who is mild."""
    reviewers = list(dict.fromkeys(name for one in answers for name in one.by))
    rows = []
    for reviewer in reviewers:
        given = {run["run"]: [one.by[reviewer][0] for one in answers if one.run == run["run"] and reviewer in one.by]
                 for run in runs}  # fmt: skip
        rows.append((reviewer, *(_average(scores) for scores in given.values())))
    about = Paragraph("The mean of all that each reviewer scored, and how many answers these are.", "quiet")
    return Section("Reviewers", (about, Table(("reviewer", *map(_short, runs)), rows)), "paper")


def _average(scores: Sequence[float | None]) -> str:
    known = [score for score in scores if score is not None]
    return f"{sum(known) / len(known):.2f} ({len(known)})" if known else "-"


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
