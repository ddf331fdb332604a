"""A comparison as plain values for --json and decision.json, under the names that are promised to users."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from surefoot import trust
from surefoot.compare import Comparison, Sequential
from surefoot.judging import Judged
from surefoot.measures import UNGRADED, Pair, Said
from surefoot.records import Step, whose
from surefoot.report.comparison_words import WAIVED, cited_by, reason_of
from surefoot.types import Estimate


def as_json(comparison: Comparison) -> dict[str, object]:
    """Plain values under the names that are promised to users."""
    decision = comparison.decision
    return {
        "outcome": decision.outcome,
        "exit_code": int(decision.exit_code),
        "incomplete": list(decision.incomplete),
        "mode": comparison.mode,
        "why_this_mode": comparison.why_this_mode,
        "uncalibrated": comparison.uncalibrated,
        "overridden": msgspec.to_builtins(comparison.overridden),
        "trust": _json_trust(comparison),
        "against_itself": comparison.against_itself,
        "blocked_before": msgspec.to_builtins(comparison.blocked_before),
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
        "labelled": comparison.labelled,
        "labelled_by": _json_annotators(comparison.labelled_by),
        "label_next": msgspec.to_builtins(comparison.label_next),
        "next_steps": list(comparison.next_steps),
        "sequential": _json_sequential(comparison.sequential),
        "mcnemar": msgspec.to_builtins(comparison.mcnemar),
        "moved": [_json_moved(pair) for pair in comparison.moved],
        "problems": msgspec.to_builtins(comparison.problems),
    }


def _json_trust(comparison: Comparison) -> dict[str, object]:
    known = comparison.trust
    return {
        "graders": list(known.graders),
        "certificate": msgspec.to_builtins(known.certificate),
        "labelled_by": _json_annotators(known.certificate.annotators if known.certificate else ()),
        "failed_checks": comparison.failed_checks,
        "reason": known.reason,
        "in_words": trust.in_words(known),
    }


def _json_annotators(names: Sequence[str]) -> dict[str, object] | None:
    """Who labelled: `people`, `AI annotators`, or both, and their names."""
    return {"who": whose(names), "annotators": list(names)} if names else None


def _json_sequential(used: Sequential | None) -> dict[str, object] | None:
    if used is None:
        return None
    place = used.place
    return {
        "alpha": used.alpha,
        "margin": used.margin,
        "programme": place and place.programme,
        "reference": place and place.reference,
        "release": place and place.release,
        "k": place and place.number,
        "look": place and place.look,
        "adds": place is None or place.adds,
        "note": place.note if place else "",
        "left_out": list(place.left_out) if place else [],
        "alpha_block": used.alpha_block,
        "alpha_ship": used.alpha_ship,
        "rules": msgspec.to_builtins(used.rules),
        "steps": [_json_step(step, step in place.earlier) for step in place.steps] if place else [],
    }


def _json_step(step: Step, adds: bool) -> dict[str, object]:
    return {
        "at": step.at,
        "base": step.base_name,
        "cand": step.cand_name,
        "outcome": step.outcome,
        "adds": adds,
        "counts": msgspec.to_builtins(step.counts),
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
