"""A comparison in words: Markdown for a pull request, a table for a terminal, plain values for --json."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.compare import Comparison, Counts, Judged
from surefoot.measures import MEASURES, SIDES, UNGRADED, Pair, Said, SideName
from surefoot.report.words import STATUS_WORDS, cell, headline, names, percent, plain, rule_words, seen
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
    shape = MEASURES[metric].shape if metric in MEASURES else "share"
    if shape == "count":
        return str(estimate.numerator)
    if shape == "mean":
        return f"{float(estimate.value):.2f} ({estimate.numerator}/{estimate.denominator})"
    return seen(estimate)


def limit(metric: str, value: Fraction | None) -> str:
    if value is None:
        return "-"
    shape = MEASURES[metric].shape if metric in MEASURES else "share"
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
    """The decision in one sentence, with what was waived for it."""
    used = [judged.check.rule.name for judged in comparison.judged if judged.waiver is not None]
    needless = [name for name in comparison.waived if name not in used]
    said = [headline(comparison.decision)]
    said += [f"Waived: {', '.join(used)}."] if used else []
    said += [f"Waived without need: {', '.join(needless)}."] if needless else []
    return " ".join(said)


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


def as_json(comparison: Comparison) -> dict[str, object]:
    """Plain values under the names that are promised to users."""
    decision = comparison.decision
    return {
        "outcome": decision.outcome,
        "exit_code": int(decision.exit_code),
        "incomplete": list(decision.incomplete),
        "mode": comparison.mode,
        "names": comparison.names,
        "graders": comparison.graders,
        "checks": [_json_check(judged) for judged in comparison.judged],
        "waived": comparison.waived,
        "buckets": comparison.buckets,
        "by_stratum": comparison.by_stratum,
        "measures": {
            side: {name: _json_estimate(estimate) for name, estimate in measures.items()}
            for side, measures in comparison.measures.items()
        },
        "mcnemar": msgspec.to_builtins(comparison.mcnemar),
        "moved": [_json_moved(pair) for pair in comparison.moved],
        "problems": msgspec.to_builtins(comparison.problems),
    }


def _json_check(judged: Judged) -> dict[str, object]:
    check = judged.check
    return {
        "name": check.rule.name,
        "rule": check.rule.text,
        "status": WAIVED if judged.waiver is not None else check.status,
        **({} if judged.waiver is None else {"waiver": judged.waiver, "without_waiver": check.status}),
        "seen": _json_estimate(check.seen),
        "baseline": _json_estimate(judged.base),
        "limit": None if check.limit is None else float(check.limit),
        "reason": check.reason,
        "questions": list(check.questions),
        "question_count": check.question_count,
    }


def _json_estimate(estimate: Estimate | None) -> dict[str, object] | None:
    if estimate is None:
        return None
    value = estimate.value
    return {"value": None if value is None else float(value), **msgspec.to_builtins(estimate)}


def _json_moved(pair: Pair) -> dict[str, object]:
    return {
        "question_id": pair.question_id,
        "attempt": pair.attempt,
        "stratum": pair.stratum,
        "question": pair.question.text if pair.question else None,
        "from": pair.base.bucket or UNGRADED,
        "to": pair.cand.bucket or UNGRADED,
        "base": _json_said(pair.base),
        "cand": _json_said(pair.cand),
    }


def _json_said(said: Said) -> dict[str, object]:
    verdict = said.verdicts.get("factuality")
    return {
        "answer": said.trace.answer if said.trace else None,
        "reason": reason_of(said),
        "evidence": msgspec.to_builtins(verdict.evidence) if verdict else [],
        "cited": msgspec.to_builtins(cited_by(said)),
        "verdicts": {axis: verdict.value for axis, verdict in said.verdicts.items()},
    }
