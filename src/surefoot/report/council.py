"""What a council says: of the answers to a question, of runs and each of their answers, and what that is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from surefoot.core.types import counted, names, plain
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Quote, Report, Section, Span, Table

if TYPE_CHECKING:
    from surefoot.core.records import Interval
    from surefoot.council.evaluate import Figure
    from surefoot.council.rows import RunScores, ScoredAnswer
    from surefoot.council.tune import RubricTuned
    from surefoot.jobs.council import Council, CouncilEvaluation, CouncilScores, Failure

_NAMED = 10  # questions of unsafe answers
_SHOWN: dict[blocks.Form, int] = {"terminal": 0, "markdown": 50, "page": blocks.MOST_ON_PAGE}
_BIAS = {
    "shift": "points beside the others",
    "length": "points more than the others for twice the length",
    "position": "points more than the others for each place further down",
    "self_preference": "points more for own answers",
}


def ranking(found: Council) -> Report:
    """The answers, best first, with what reviewers noted, and the chair's closing answer."""
    rows = found.ranking
    dimensions = list(dict.fromkeys(name for row in rows for name in row.dimensions))
    heads = ("", "answer", "model", "overall", *dimensions, "capped by", "votes")
    tied = {label for group in found.ties for label in group}
    entries, reviews = [], list[tuple[str, ...]]()
    for row in rows:
        reviews += [(row.label, vote.reviewer, "own answer" if vote.own else _number(vote.value, 2),
                     vote.notes or "-") for vote in found.votes if vote.label == row.label]  # fmt: skip
        entries.append((
            f"{row.rank or '-'}{'=' if row.label in tied else ''}", row.label, row.model, _number(row.overall, 2),
            *(_number(row.dimensions.get(name), 1) for name in dimensions), ", ".join(row.capped_by) or "-",
            str(row.votes),
        ))  # fmt: skip
    answers: list[Block] = []
    for one in found.answers:
        answers += [Paragraph(f"{one.label} ({one.model or 'no model is named'}):"), Quote(one.text)]
    closing = Section("Closing answer", (Quote(found.synthesis),)) if found.synthesis else None
    by_reviewer = [Table(("answer", "reviewer", "score", "notes"), reviews)] if reviews else []
    ranked = Section("Ranking", (Table(heads, entries), *by_reviewer, Items(list(_about(found)))))
    body = (Section("Answers", tuple(answers)), ranked)
    return Report(f"Surefoot council by the rubric {found.rubric}", (), (*body, *([closing] if closing else [])))


def _about(found: Council) -> Iterator[str]:
    yield from (f"tied: {', '.join(group)}" for group in found.ties)
    for row in found.ranking:
        for finding in row.safety.findings if row.safety else ():
            yield f"unsafe: {row.label}: {finding.pattern}: {finding.text} ({finding.why})"
        yield from (f"form: {row.label}: {fault}" for fault in row.faults)
        if row.reason:
            yield f"not scored: {row.label}: {row.reason}"
        if row.missing:
            yield f"not scored: {row.label}: {', '.join(row.missing)}, so the other dimensions weigh more"
    yield from (f"void: {void.reviewer}: {void.reason}" for void in found.void)
    yield from (f"abstained: {one.reviewer}: {one.reason}" for one in found.abstained)
    yield from (f"note: {note}" for note in found.notes)
    yield from _failed(found.failures)
    if found.runs:
        yield f"kept as {', '.join(found.runs.values())}; bias shows over many questions: surefoot council evaluate"


def scores(found: CouncilScores, links: Mapping[str, str] | None = None) -> Report:
    """On a page that is served, `links` has the address of each run."""
    background = [f"reviewers: {', '.join(found.reviewers)}"]
    if len(found.reviewers) == 1:
        background.append("one reviewer: nobody checks the scores, and no bias can be seen")
    kept = f"kept with the runs under {found.council}; what it is worth: surefoot council evaluate RUN..."
    return Report(
        f"Surefoot council by the rubric {found.rubric}",
        (Headline("", tuple(_headline(found.runs))), Items([*background, *_failed(found.failures), kept], "quiet")),
        tuple(_body(found, links or {})),
    )


def _headline(runs: Sequence[RunScores]) -> Iterator[Line]:
    if not runs[0].overall:
        yield Span("No question has a score in every run, so nothing can be ranked.", "strong")
        return
    first = [run.run for run in runs if run.rank == 1]
    lead = f"{first[0]} scores highest:" if len(first) == 1 else f"{' and '.join(first)} score the same:"
    lead = lead if len(runs) > 1 else f"{first[0]} scores"
    over = counted(runs[0].overall.answers, "answer")
    yield Span(f"{lead} {_mean(runs[0].overall)} of 10 over {over}.", "strong")
    for run in runs[1:]:
        if run.behind:
            chance = ", which may be chance" if run.behind.low <= 0 else ""
            yield f"{first[0]} is {_mean(run.behind)} points above {run.run} on the same questions{chance}."


def _failed(failures: Sequence[Failure]) -> Iterator[str]:
    """A model that failed several times for one reason is named once."""
    causes: dict[tuple[str, str], list[str]] = {}
    for one in failures:
        reason = one.reason.removeprefix("not asked: ").partition(" (given up after")[0]
        causes.setdefault((one.model, reason), []).append(one.stage)
    for (model, reason), on in causes.items():
        yield f"failed: {model}: {reason} ({names(on, _NAMED)})"


def _body(found: CouncilScores, links: Mapping[str, str]) -> Iterator[Block]:
    dimensions = list(dict.fromkeys(name for run in found.runs for name in run.dimensions))
    heads = ("rank", "run", "overall", *dimensions, "not scored", "unsafe")
    rows: list[tuple[Line, ...]] = [
        (
            str(run.rank or "-"), Span(run.run, "strong", link=links.get(run.run, "")), _mean(run.overall),
            *(_mean(run.dimensions.get(name)) for name in dimensions), str(sum(run.not_scored.values())),
            str(len(run.unsafe)),
        )
        for run in found.runs
    ]  # fmt: skip
    about = "Means of 1 to 10 over the questions that every run has a score for, with 95 % intervals over questions."
    notes = [f"{run.run}: {line}" for run in found.runs for line in _about_run(run)]
    yield Section(f"Runs ({len(rows)})", (Paragraph(about, "quiet"), Table(heads, rows), Items(notes)))
    worst = sorted(found.answers, key=lambda one: (11.0 if one.score is None else one.score, one.question_id, one.run))
    listed = blocks.Cases(
        ("run", "id", "score", "question", "why"), [*map(_case, worst)], ("run", "score"), limits=_SHOWN
    )
    yield Section(f"Answers ({len(worst)})", (listed,), "paper")


def _about_run(run: RunScores) -> Iterator[str]:
    if run.capped:
        yield "capped by " + ", ".join(f"{name} ({count})" for name, count in run.capped.items())
    if run.unsafe:
        yield f"unsafe: {names(run.unsafe, _NAMED)}"
    for reason, count in run.not_scored.items():
        yield f"not scored: {counted(count, 'answer')}: {reason}"
    for reviewer in run.own:
        yield f"{reviewer} gave these answers, so its scores of them are not counted"


def _case(one: ScoredAnswer) -> blocks.Case:
    called = one.question_id if one.attempt == 1 else f"{one.question_id} (attempt {one.attempt})"
    run, score, kind = one.run, _number(one.score, 1), "not scored"
    if one.score is not None:
        kind = "up to 4" if one.score <= 4 else "4 to 7" if one.score <= 7 else "above 7"
    question = plain(one.question, blocks.LONGEST_QUESTION)
    rows = [(reviewer, "-" if given is None else f"{given:g}", why) for reviewer, (given, why) in one.by.items()]
    inside = (Quote(one.answer or ""), Table(("reviewer", "score", "why"), rows))
    title = (Span(score, "strong"), question, Span(" \u00b7 ".join(filter(None, (called, run, one.reason))), "quiet"))
    return blocks.Case((run, called, score, question, one.reason), title, inside, (run, kind))


def evaluation(found: CouncilEvaluation) -> Report:
    """What reviewers' scores are worth."""
    made = found.success
    missing, clear = defaultdict[str, dict[str, None]](dict), defaultdict[str, list[str]](list)

    def figure(one: Figure, what: str) -> str:
        if one.reason:
            missing[one.reason][what] = None
        return _mean(one.figure)

    rows = [("overall, before caps" if name == "overall" else name, figure(one, "variance"))
            for name, one in made.variance.items()]  # fmt: skip
    lines = []
    for what, one in (("with other reviewers", made.stability), ("as people see it", made.people)):
        figures = "; ".join(f"{name} {figure(of, f'order {what}')}" for name, of in one.items())
        lines.append(f"order {what} (Kendall's tau): {figures}")
    lines += [f"{reviewer} adds nothing: {why}" for reviewer, why in found.redundant.items()]
    for bias in found.bias:
        shown = figure(bias, f"bias by {bias.kind.replace('_', ' ')}")
        if bias.stands_out:
            clear[f"{bias.reviewer}: {_BIAS[bias.kind]}"].append(f"{bias.dimension} {shown}")
    lines += [f"bias: {what}: {', '.join(figures)}" for what, figures in clear.items()]
    known, out = sum(one.figure is not None for one in found.bias), sum(one.stands_out for one in found.bias)
    lines.append(f"bias: {out} of {counted(known, 'figure')} stand out; all their intervals hold together at 95 %")
    lines += [f"not shown: {', '.join(what)}: {reason}" for reason, what in missing.items()]
    lines.append(f"does the rubric earn its cost here? {made.earns_its_cost}: {made.because}")
    table = Table(("", "reviewers differ by (variance)"), rows)
    return Report("Surefoot council: what its scores are worth", (), (table, Items(lines)))


def tuned(found: RubricTuned) -> Report:
    """The fitted weights, what they gain, and what hides a gain."""
    lines = []
    if found.agrees is not None:
        order = f"{found.agrees:.1%} of {found.pairs:,} on {found.questions:,} questions"
        lines.append(f"pairs in people's order: {order}")
    if found.gain is not None:
        value, low, high = (f"{100 * one:+.1f}" for one in (found.gain.value, found.gain.low, found.gain.high))
        lines.append(f"gain on unseen questions: {value} points ({low} to {high})")
    for name, count in found.held.items():
        gate = "the safety gate" if name == "safety" else f"the ceiling on {name}"
        lines.append(f"hidden by {gate}: {counted(count, 'pair')} against people's order, which no weights can change")
    kept = "not written: a gain is not shown, so keep the weights you have"
    kept = f"nothing was fitted: {found.reason}" if found.reason else kept
    lines.append(f"wrote {found.written}" if found.written else kept)
    new = found.weights or {}
    rows = [(name, f"{now:.2f}", f"{new.get(name, now):.2f}") for name, now in (found.before or {}).items()]
    return Report("Surefoot council: weights by preferences", (), (Table(("", "now", "fitted"), rows), Items(lines)))


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _mean(mean: Interval | None) -> str:
    return "-" if mean is None else f"{mean.value:.2f} ({mean.low:.2f} to {mean.high:.2f})"
