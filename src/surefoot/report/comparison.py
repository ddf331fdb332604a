"""A comparison in words: Markdown for a pull request, a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot import trust
from surefoot.compare import STRICT, Comparison, Counts
from surefoot.gate import TRUST
from surefoot.judging import Judged
from surefoot.measures import MEASURES, SIDES, UNGRADED, Pair, Said, SideName
from surefoot.report.words import (
    STATUS_WORDS,
    cell,
    counted,
    headline,
    names,
    overridden,
    percent,
    plain,
    rule_words,
    seen,
)
from surefoot.sequential.history import SEQUENTIAL
from surefoot.table import BUCKETS
from surefoot.types import Estimate, Passage

COLUMNS = (*BUCKETS, UNGRADED)
WAIVED = "waived"
_MOVED_SHOWN = 200
_MOVED_ON_TERMINAL = 12
_PROBLEMS_SHOWN = 20
_LONGEST_PROBLEM = 500
_LONGEST_QUESTION = 100
_LONGEST_SENTENCE = 1000
_MODES = {STRICT: "any increase counts", SEQUENTIAL: "chance is allowed for"}
_STYLES = {
    "pass": "green",
    "fail": "bold red",
    "incomplete": "bold yellow",
    "undecidable": "yellow",
    "not_applicable": "dim",
    WAIVED: "magenta",
    "SHIP": "bold green",
    "BLOCK": "bold red",
    "INCONCLUSIVE": "bold yellow",
}


def number(metric: str, estimate: Estimate | None) -> str:
    """A measure as people read it: a count as it is, a share in percent, a mean with two decimals."""
    if estimate is None or estimate.value is None:
        return "-"
    if metric == "kappa":
        return f"{float(estimate.value):.2f} ({estimate.low:.2f} to {estimate.high:.2f})"
    shape = _shape(metric)
    if shape == "count":
        return str(estimate.numerator)
    if shape == "mean":
        return f"{float(estimate.value):.2f} ({estimate.numerator}/{estimate.denominator})"
    return seen(estimate)


def _shape(metric: str) -> str:
    if metric in TRUST:
        return "count" if metric == "labels" else "mean"
    return MEASURES[metric].shape if metric in MEASURES else "share"


def limit(metric: str, value: Fraction | None) -> str:
    if value is None:
        return "-"
    shape = _shape(metric)
    if shape == "share":
        return f"-{percent(-value)}" if value < 0 else percent(value)
    return str(value) if value.denominator == 1 else f"{float(value):.2f}"


def status(judged: Judged) -> str:
    return WAIVED if judged.waiver is not None else STATUS_WORDS[judged.check.status]


def why(judged: Judged) -> str:
    """What the status alone does not say."""
    if judged.waiver is None:
        return judged.check.reason
    return f"{judged.waiver} (without the waiver: {STATUS_WORDS[judged.check.status]})"


def verdict_line(comparison: Comparison) -> str:
    """The decision in one sentence, with what was waived or lifted for it."""
    used = [judged.check.rule.name for judged in comparison.judged if judged.waiver is not None]
    needless = [name for name in comparison.waived if name not in used]
    said = [headline(comparison.decision)]
    said += [f"Waived: {', '.join(used)}."] if used else []
    said += [f"Waived without need: {', '.join(needless)}."] if needless else []
    said += ["--uncalibrated: the grader's error was left out of account."] if comparison.uncalibrated else []
    said += [f"Not as the gate file has it: {overridden(comparison.overridden)}."] if comparison.overridden else []
    place = comparison.sequential and comparison.sequential.place
    said += [_left_out(place.left_out)] if place and place.left_out else []
    return " ".join(said)


def _left_out(references: Sequence[str]) -> str:
    steps = f"{counted(len(references), 'earlier step')} of this release {'is' if len(references) == 1 else 'are'}"
    return f"{steps} LEFT OUT: against another reference, {', '.join(dict.fromkeys(references))}."


def background(comparison: Comparison) -> list[str]:
    """What the decision rests on: how far the grader can be trusted, whose labels count, and in which mode."""
    said = [f"trust: {trust.in_words(comparison.trust)}"]
    labelled = {name: count for name, count in comparison.labelled.items() if count}
    if labelled:
        first, *rest = labelled.items()
        counts = " and ".join((f"{counted(first[1], 'answer')} of {first[0]}", *(f"{n} of {name}" for name, n in rest)))
        said.append(f"labels: people's labels count instead of the grader's verdicts on {counts}")
    said.append(f"mode: {comparison.mode}: {comparison.why_this_mode or _MODES[comparison.mode]}")
    return [*said, *_sequential_lines(comparison)]


def _sequential_lines(comparison: Comparison) -> Iterator[str]:
    used = comparison.sequential
    if used is None:
        return
    place = used.place
    if place is None:
        yield f"sequential: alpha {used.alpha:g}, margin {used.margin:g}; files have no history, so nothing adds up"
        return
    yield (
        f"sequential: release {place.release}, number {place.number} of programme {place.programme}, look {place.look};"
        f" blocks at e = {1 / used.alpha_block:.4g}, ships when a rise above {used.margin:g} has a chance of at most"
        f" {used.alpha_ship:.4f}"
    )
    if place.note:
        yield f"sequential: {place.note}"


def mcnemar_line(comparison: Comparison) -> str:
    test = comparison.mcnemar
    return (
        f"{test.newly_wrong} newly wrong, {test.newly_fixed} no longer wrong;"
        f" exact McNemar p = {test.p:.3g} (for information, the rules decide)"
    )


def cited_by(said: Said) -> list[Passage]:
    """The passages an answer cites, as far as its log has them."""
    trace = said.trace
    if trace is None or not trace.citations:
        return []
    return [passage for passage in trace.retrieved or () if passage.id in trace.citations]


def reason_of(said: Said) -> str:
    """Why an answer is in its bucket, unless the bucket says it all."""
    verdict = said.verdicts.get("factuality")
    if verdict is not None and verdict.reason:
        return "" if verdict.reason == verdict.value else verdict.reason
    return (said.trace.error or "") if said.trace else ""


def markdown(comparison: Comparison) -> Iterator[str]:
    """The lines of the report."""
    yield from (
        "# Surefoot comparison",
        "",
        f"**{comparison.decision.outcome}** - {cell(verdict_line(comparison), _LONGEST_SENTENCE)}",
        "",
    )
    for name in SIDES:
        graders = ", ".join(filter(None, comparison.graders[name])) or "not named"
        yield f"- {name}: {cell(comparison.names[name])} (graded by {cell(graders)})"
    yield from (f"- {cell(line, _LONGEST_SENTENCE)}" for line in background(comparison))
    yield from (f"- next: {cell(line, _LONGEST_SENTENCE)}" for line in comparison.next_steps)
    yield from ("", "## Gate", "", "| rule | result | candidate | baseline | limit | why | questions behind it |")
    yield "|---|---|---|---|---|---|---|"
    for judged in comparison.judged:
        yield _markdown_rule(judged)
    yield ""
    for reason in comparison.decision.incomplete:
        yield f"- incomplete: {cell(reason)}"
    yield from ("", "## Buckets", "", *_markdown_buckets(comparison), "", mcnemar_line(comparison) + ".", "")
    yield from ("## Measures", "", "| measure | baseline | candidate | over |", "|---|---|---|---|")
    for metric, estimate in comparison.measures["base"].items():
        after = comparison.measures["cand"][metric]
        yield f"| {metric} | {number(metric, estimate)} | {number(metric, after)} | {MEASURES[metric].unit} |"
    yield from ("", *_markdown_moved(comparison))
    if comparison.problems:
        yield from ("", f"## Problems and notes ({len(comparison.problems)})", "")
        yield from (f"- {cell(str(problem))}" for problem in comparison.problems[:_PROBLEMS_SHOWN])
    if len(comparison.problems) > _PROBLEMS_SHOWN:
        yield f"- and {len(comparison.problems) - _PROBLEMS_SHOWN} more, all of them in --json"


def _markdown_rule(judged: Judged) -> str:
    rule, check = judged.check.rule, judged.check
    code = "`" + plain(rule.text).replace("`", "'").replace("|", "\\|") + "`"
    text = code if rule.name == rule.text else f"{cell(rule.name)}: {code}"
    numbers = (number(rule.metric, check.seen), number(rule.metric, judged.base), limit(rule.metric, check.limit))
    behind = names(check.questions, check.question_count) or "-"
    return f"| {text} | {status(judged)} | {' | '.join(numbers)} | {cell(why(judged))} | {behind} |"


def _markdown_buckets(comparison: Comparison) -> Iterator[str]:
    yield f"| stratum | side | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 2) + "|"
    for stratum, sides in groups(comparison):
        for name in SIDES:
            counts = " | ".join(str(sides[name][bucket]) for bucket in COLUMNS)
            yield f"| {cell(stratum)} | {name} | {counts} |"


def groups(comparison: Comparison) -> list[tuple[str, dict[SideName, Counts]]]:
    """All answers, then each stratum."""
    strata = [(stratum or "(no stratum)", sides) for stratum, sides in comparison.by_stratum.items()]
    return [("all", comparison.buckets), *strata]


def _markdown_moved(comparison: Comparison) -> Iterator[str]:
    yield from (f"## Moved ({len(comparison.moved)})", "")
    if not comparison.moved:
        yield "No answer changed its bucket."
        return
    yield from ("| id | question | stratum | from | to |", "|---|---|---|---|---|")
    for pair in comparison.moved[:_MOVED_SHOWN]:
        asked = cell(asked_in(pair), _LONGEST_QUESTION)
        places = f"{cell(place_of(pair.base))} | **{cell(place_of(pair.cand))}**"
        yield f"| {cell(_called(pair))} | {asked} | {cell(pair.stratum)} | {places} |"
    yield ""
    if len(comparison.moved) > _MOVED_SHOWN:
        yield f"And {len(comparison.moved) - _MOVED_SHOWN} more, all of them in --json."


def place_of(said: Said) -> str:
    """The bucket of an answer and why it is there: `wrong (contradicted)`."""
    reason = reason_of(said)
    return f"{said.bucket or UNGRADED} ({reason})" if reason else said.bucket or UNGRADED


def asked_in(pair: Pair) -> str:
    """The question's text; files of labels do not have it."""
    return pair.question.text if pair.question else ""


def _called(pair: Pair) -> str:
    return pair.question_id if pair.attempt == 1 else f"{pair.question_id} (attempt {pair.attempt})"


def show(comparison: Comparison, console: Console) -> None:
    """The compact tables on a terminal."""
    console.print(_bucket_table(comparison))
    console.print(_rule_table(comparison))
    for pair in comparison.moved[:_MOVED_ON_TERMINAL]:
        line = f"moved: {plain(_called(pair))} {plain(place_of(pair.base))} -> {plain(place_of(pair.cand))}"
        asked = plain(asked_in(pair), _LONGEST_QUESTION)
        console.print(Text(f"{line}: {asked}" if asked else line), style="dim", soft_wrap=True)
    if len(comparison.moved) > _MOVED_ON_TERMINAL:
        console.print(Text(f"and {len(comparison.moved) - _MOVED_ON_TERMINAL} more moved"), style="dim")
    for problem in comparison.problems[:_PROBLEMS_SHOWN]:
        console.print(Text(plain(str(problem), _LONGEST_PROBLEM)), style="yellow", soft_wrap=True)
    if len(comparison.problems) > _PROBLEMS_SHOWN:
        more = f"and {len(comparison.problems) - _PROBLEMS_SHOWN} more problems, all of them in --json"
        console.print(Text(more), style="yellow")
    console.print(Text(f"wrong: {mcnemar_line(comparison)}"), soft_wrap=True)
    show_decision(comparison, console)


def show_open(comparison: Comparison, console: Console) -> None:
    """The rules that do not hold, a line each."""
    for judged in comparison.judged:
        if judged.check.status not in ("pass", "not_applicable"):
            check = judged.check
            told = "; ".join(filter(None, (names(check.questions, check.question_count, 4, plain), plain(why(judged)))))
            line = f"{plain(rule_words(check.rule))}: {status(judged)}{f': {told}' if told else ''}"
            console.print(
                Text(line), style=_STYLES[WAIVED if judged.waiver is not None else check.status], soft_wrap=True
            )


def show_decision(comparison: Comparison, console: Console) -> None:
    """What it rests on, what would help, and the decision itself."""
    for line in background(comparison):
        console.print(Text(plain(line, _LONGEST_SENTENCE)), style="dim", soft_wrap=True)
    for line in comparison.next_steps:
        console.print(Text(f"next: {plain(line, _LONGEST_SENTENCE)}"), soft_wrap=True)
    outcome = comparison.decision.outcome
    sentence = f" - {plain(verdict_line(comparison), _LONGEST_SENTENCE)}"
    console.print(Text.assemble((outcome, _STYLES[outcome]), sentence), soft_wrap=True)


def _bucket_table(comparison: Comparison) -> Table:
    table = Table("stratum", "side", *COLUMNS, box=None, pad_edge=False)
    for stratum, sides in groups(comparison):
        for name in SIDES:
            table.add_row(Text(plain(stratum)), name, *(str(sides[name][bucket]) for bucket in COLUMNS))
    return table


def _rule_table(comparison: Comparison) -> Table:
    table = Table("rule", "result", "candidate", "baseline", "why", box=None, pad_edge=False)
    for judged in comparison.judged:
        check, metric = judged.check, judged.check.rule.metric
        style = _STYLES[WAIVED if judged.waiver is not None else check.status]
        behind = names(check.questions, check.question_count, 4, plain)
        table.add_row(
            Text(plain(rule_words(check.rule))),
            Text(status(judged), style=style),
            number(metric, check.seen),
            number(metric, judged.base),
            Text("; ".join(filter(None, (behind, plain(why(judged)))))),
        )
    return table
