"""JUnit XML for CI systems: red exactly when the gate is red.

Every rule is a test case. A question that is not acceptable fails only if a failed rule is about it; otherwise it
is shown as skipped, with its label, so that a passing gate gives a green build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from markupsafe import escape

from surefoot.core.result import Result
from surefoot.core.types import GOOD, counted, plain
from surefoot.jobs.gate import GateResult
from surefoot.report.blocks import seen
from surefoot.report.comparison import in_words

if TYPE_CHECKING:
    from surefoot.scoring.outcomes import ScoredRow
    from surefoot.scoring.run import ScoreResult

_KINDS = {"pass": "", "fail": "failure", "not_applicable": "skipped"}
_UNFINISHED = ("MISSING", "ERROR", "DUPLICATE")
# Which labels pull which metric the wrong way: enough to tell why a question is red.
_LABELS_BEHIND = {
    "precision": ("ANS_NO_HIT", "HALLUCINATION", "PARTIAL_REFUSAL"), "over_refusal": ("OVER_REFUSAL",),
    "under_refusal": ("HALLUCINATION", "PARTIAL_REFUSAL"), "citation_hit_rate": ("ANS_NO_HIT", "OVER_REFUSAL"),
}  # fmt: skip


def of(result: Result) -> Iterator[str]:
    """Return the lines of a decision, or of a scored log."""
    return _decision(result) if isinstance(result, GateResult) else _log(result, result.rows())  # type: ignore[attr-defined, arg-type]


def _decision(found: GateResult) -> Iterator[str]:
    """The rules alone, which name the questions behind them."""
    cases = []
    for rule in found.rules:
        kind = "skipped" if rule.waiver is not None else _KINDS.get(rule.status, "error")
        words = in_words(rule, found) + _behind(rule.questions, len(rule.questions))
        cases.append((f"{rule.name}: {rule.rule}", kind, words))
    yield from _rules(cases, found.incomplete)
    yield "</testsuites>"


def _log(found: ScoreResult, rows: Iterable[ScoredRow]) -> Iterator[str]:
    cases, checks = [], found.decision.checks
    for check in checks:
        words = f"seen {seen(check.seen)}{_behind(check.questions, check.question_count)}"
        words += f"; {check.reason}" if check.reason else ""
        cases.append((f"{check.rule.name}: {check.rule.text}", _KINDS.get(check.status, "error"), words))
    yield from _rules(cases, found.decision.incomplete)
    red = {label for check in checks if check.status == "fail" for label in _LABELS_BEHIND.get(check.rule.metric, ())}
    unfinished = {*_UNFINISHED} if any(c.status == "incomplete" for c in checks) else set[str]()
    failed, broken = (sum(found.labels.get(label, 0) for label in some) for some in (red, unfinished))
    yield _suite("questions", sum(found.labels.values()), failed, broken)
    for row in rows:
        other = "failure" if row.label in red else "error" if row.label in unfinished else "skipped"
        where = f' file={_quoted(row.source)} line="{row.line}"' if row.source else ""
        words = f"{row.label}: {row.reason}" if row.reason else row.label
        yield _case("questions", row.qid, "" if row.label in GOOD else other, words, where)
    yield "</testsuite>"
    yield "</testsuites>"


def _rules(cases: Sequence[tuple[str, str, str]], incomplete: Sequence[str]) -> Iterator[str]:
    """The rules: each with its name, what it is to a reader of JUnit ("" where it holds), and what to say of it."""
    every = [*cases, *([("complete", "error", "; ".join(incomplete))] if incomplete else [])]
    kinds = [kind for _, kind, _ in every]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="surefoot">'
    yield _suite("gate", len(kinds), kinds.count("failure"), kinds.count("error"))
    yield from (_case("gate", *case) for case in every)
    yield "</testsuite>"


def _suite(name: str, tests: int, failures: int, errors: int) -> str:
    return f'<testsuite name="surefoot.{name}" tests="{tests}" failures="{failures}" errors="{errors}">'


def _case(suite: str, name: str, kind: str, words: str, where: str = "") -> str:
    head = f'<testcase classname="surefoot.{suite}" name={_quoted(name)}{where}'
    return f"{head}><{kind} message={_quoted(words, 400)}/></testcase>" if kind else f"{head}/>"


def _behind(questions: Sequence[str], count: int) -> str:
    return f"; {counted(count, 'question')} behind it: {', '.join(questions[:12])}" if questions else ""


def _quoted(text: str, longest: int = 200) -> str:
    return f'"{escape(plain(text, longest))}"'
