"""A shape of replies for tests; the fault server's good replies fit it."""

from __future__ import annotations

from surefoot.models.seam import Prompt, Schema

VERDICT: Schema = {
    "title": "verdict",
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["yes", "no"]},
        "score": {"type": "integer", "minimum": 0, "maximum": 10},
    },
    "required": ["verdict", "score"],
    "additionalProperties": False,
}


def asking(text: str, longest: int = 1_024, attempt: int = 1) -> Prompt:
    return Prompt(text, schema=VERDICT, longest=longest, attempt=attempt)
