"""A comparison as plain values for --json and decision.json, under the names that are promised to users."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from surefoot.gate import trust
from surefoot.gate.counts import Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.rules import Change, Check
from surefoot.gate.sides import Said
from surefoot.records import whose
from surefoot.report.comparison_words import WAIVED, cited_by, reason_of
from surefoot.types import Estimate


def as_json(comparison: Comparison) -> dict[str, object]:
    """Plain values under the names that are promised to users."""
    decision, request = comparison.decision, comparison.request
    return {
        "outcome": decision.outcome,
        "exit_code": int(decision.exit_code),
        "incomplete": list(decision.incomplete),
        "notes": list(request.notes),
        "alpha": request.alpha,
        "margin": request.margin,
        "claim": request.claim,
        "look": request.look,
        "alpha_left": comparison.alpha,
        "uncalibrated": request.uncalibrated,
        "overridden": msgspec.to_builtins(request.overridden),
        "trust": _json_trust(comparison),
        "against_itself": comparison.against_itself,
        "names": comparison.names,
        "runs": comparison.runs,
        "graders": comparison.graders,
        "checks": [_json_check(check) for check in decision.checks],
        "waived": dict(request.waivers),
        "without": dict(request.without),
        "buckets": comparison.buckets,
        "by_stratum": comparison.by_stratum,
        "measures": {
            side: {name: _json_estimate(estimate) for name, estimate in measures.items()}
            for side, measures in comparison.measures.items()
        },
        "changes": {name: _json_change(change) for name, change in comparison.changes.items()},
        "by_group": {
            field: {value: {name: _json_change(one) for name, one in changes.items()} for value, changes in of.items()}
            for field, of in comparison.by_group.items()
        },
        "labelled": comparison.labelled,
        "labelled_by": _json_annotators(comparison.trust.annotators),
        "label_next": msgspec.to_builtins(comparison.label_next),
        "next_steps": list(comparison.next_steps),
        "mcnemar": msgspec.to_builtins(comparison.mcnemar),
        "moved": [_json_moved(pair) for pair in comparison.moved],
        "problems": msgspec.to_builtins(comparison.problems),
    }


def _json_trust(comparison: Comparison) -> dict[str, object]:
    known = comparison.trust
    return {
        **msgspec.to_builtins(known),
        "failed_checks": comparison.failed_checks,
        "in_words": trust.in_words(known),
    }


def _json_annotators(names: Sequence[str]) -> dict[str, object] | None:
    """Who labelled: `people`, `AI annotators`, or both, and their names."""
    return {"who": whose(names), "annotators": list(names)} if names else None


def _json_check(check: Check) -> dict[str, object]:
    numbers = _json_change(check.change) if check.change else {
        "baseline": _value(check.before), "candidate": _value(check.seen), "change": None, "low": None, "high": None,
        "limit": None if check.limit is None else float(check.limit), "margin": None,
    }  # fmt: skip
    return {
        "name": check.rule.name,
        "rule": check.rule.text,
        "status": WAIVED if check.waiver is not None else check.status,
        **({} if check.waiver is None else {"waiver": check.waiver, "without_waiver": check.status}),
        **numbers,
        "seen": _json_estimate(check.seen),
        "before": _json_estimate(check.before),
        "reason": check.reason,
        "questions": list(check.questions),
        "question_count": check.question_count,
    }


def _json_change(change: Change) -> dict[str, object]:
    return {name: round(getattr(change, name), 6) for name in change.__struct_fields__}


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None or estimate.value is None else float(estimate.value)


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
    verdict, quality = said.verdicts.get("factuality"), said.verdicts.get("refusal_quality")
    return {
        "answer": said.trace.answer if said.trace else None,
        "reason": reason_of(said),
        "by": verdict.grader if verdict else None,
        "evidence": msgspec.to_builtins(verdict.evidence) if verdict else [],
        "refusal_quality_reason": quality.reason if quality else None,
        "refusal_quality_evidence": msgspec.to_builtins(quality.evidence) if quality else None,
        "cited": msgspec.to_builtins(cited_by(said)),
        "verdicts": {axis: verdict.value for axis, verdict in said.verdicts.items()},
    }
