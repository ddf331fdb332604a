"""Ballots as reviewers write them, and sittings as files hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from surefoot.council import settings
from surefoot.council.scoring import Result, score
from surefoot.council.sitting import sitting_of

DIMENSIONS = ("accuracy", "relevance", "completeness", "conciseness", "clarity")
Sitting = dict[str, Any]


def scores(*values: object, **more: object) -> dict[str, object]:
    """One value for all dimensions, or one for each."""
    each = values * len(DIMENSIONS) if len(values) == 1 else values
    return dict(zip(DIMENSIONS, each, strict=True)) | more


def ballot(evaluations: Mapping[str, object], ranking: list[str] | None = None) -> str:
    content = {"ranking": ranking or [], "evaluations": evaluations}
    return f"Let me think.\n\n```json\n{json.dumps(content)}\n```"


def sitting(answers: Mapping[str, str], reviews: Mapping[str, object], **more: object) -> Sitting:
    """Answers by label; the model of answer A is "model-A"."""
    responses = {label: {"model": f"model-{label}", "text": text} for label, text in answers.items()}
    return {"responses": responses, "reviews": [{"reviewer": r, "text": t} for r, t in reviews.items()], **more}


def scored(value: Sitting, environ: Mapping[str, str] | None = None) -> Result:
    read = sitting_of(value)
    options: dict[str, tuple[settings.Value, str]] = {}
    if read.gate is not None:
        options["SAFETY_GATE"] = read.gate, "file"
    if read.cap is not None:
        options["SAFETY_SCORE_CAP"] = read.cap, "file"
    if read.rubric:
        options["RUBRIC"] = read.rubric, "file"
    return score(read, settings.read(environ or {}, options, None if read.weights is None else (read.weights, "file")))
