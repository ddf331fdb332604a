"""A comparison as plain values for --json and decision.json, under the names that are promised to users."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from surefoot.annotators import whose
from surefoot.gate import trust
from surefoot.gate.counts import Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.judge import GroupChange
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.rules import Change, Check
from surefoot.gate.sides import Said
from surefoot.report.answers import cited_by, reason_of
from surefoot.report.words import WAIVED
from surefoot.types import Estimate, Question

_OF_THE_REQUEST = ("notes", "not_counted", "alpha", "margin", "claim", "look", "uncalibrated", "overridden", "without")
_AS_IT_IS = (
    "against_itself", "names", "runs", "graders", "buckets", "by_stratum", "labelled", "label_next", "next_steps",
    "mcnemar", "problems",
)  # fmt: skip


def as_json(comparison: Comparison) -> dict[str, object]:
    """Plain values under the names that are promised to users."""
    decision, request, annotators = comparison.decision, comparison.request, comparison.trust.annotators
    known = msgspec.to_builtins(comparison.trust)
    return {
        "outcome": decision.outcome,
        "exit_code": int(decision.exit_code),
        "incomplete": list(decision.incomplete),
        **{name: msgspec.to_builtins(getattr(request, name)) for name in _OF_THE_REQUEST},
        "alpha_left": comparison.alpha,
        "waived": dict(request.waivers),
        "trust": {**known, "failed_checks": comparison.failed_checks, "in_words": trust.in_words(comparison.trust)},
        **{name: msgspec.to_builtins(getattr(comparison, name)) for name in _AS_IT_IS},
        "labelled_by": {"who": whose(annotators), "annotators": list(annotators)} if annotators else None,
        "checks": [_json_check(check) for check in decision.checks],
        "measures": {
            side: {name: estimate_json(estimate) for name, estimate in measures.items()}
            for side, measures in comparison.measures.items()
        },
        "changes": _json_changes(comparison.changes),
        "by_group": {
            field: {
                value: {name: _json_group(one) for name, one in changes.items()} for value, changes in values.items()
            }
            for field, values in comparison.by_group.items()
        },
        "moved": [_json_moved(pair) for pair in comparison.moved],
    }


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
        "seen": estimate_json(check.seen),
        "before": estimate_json(check.before),
        "reason": check.reason,
        "questions": list(check.questions),
        "question_count": check.question_count,
    }


def _json_changes(changes: Mapping[str, Change]) -> dict[str, object]:
    return {name: _json_change(change) for name, change in changes.items()}


def _json_change(change: Change) -> dict[str, object]:
    return {name: round(getattr(change, name), 6) for name in change.__struct_fields__}


def _json_group(one: GroupChange) -> dict[str, object]:
    numbers = _json_change(one.change) if one.change else dict.fromkeys(Change.__struct_fields__)
    return {**numbers, "seen": estimate_json(one.seen), "before": estimate_json(one.before), "reason": one.reason}


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None or estimate.value is None else float(estimate.value)


def estimate_json(estimate: Estimate | None) -> dict[str, object] | None:
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
        "base": _json_said(pair.base, pair.question),
        "cand": _json_said(pair.cand, pair.question),
    }


def _json_said(said: Said, question: Question | None) -> dict[str, object]:
    verdict, quality = said.verdicts.get("factuality"), said.verdicts.get("refusal_quality")
    return {
        "answer": said.trace.answer if said.trace else None,
        "reason": reason_of(said),
        "by": verdict.grader if verdict else None,
        "evidence": msgspec.to_builtins(verdict.evidence) if verdict else [],
        "refusal_quality_reason": quality.reason if quality else None,
        "refusal_quality_evidence": msgspec.to_builtins(quality.evidence) if quality else None,
        "cited": msgspec.to_builtins(cited_by(said, question)),
        "verdicts": {axis: verdict.value for axis, verdict in said.verdicts.items()},
    }
