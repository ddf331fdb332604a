"""Ballots as reviewers write them, and sittings as files hold them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

import numpy as np

from surefoot.council.ranking import Given, Ranked, Table
from surefoot.jobs.council import score_reviews

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


def scored(value: Sitting, environ: Mapping[str, str] | None = None) -> Ranked:
    with patch.dict(os.environ, environ or {}):
        return score_reviews(value)


def given_to(table: Table) -> Given:
    labels = sorted({label for row in table.values() for label in row})
    return np.ma.masked_invalid([[row.get(label, np.nan) for label in labels] for row in table.values()])
