"""What a model said, read: the JSON that was asked for, or why it cannot be used and what to say about that."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec.structs import replace

from surefoot.models.dialects import Answer
from surefoot.models.fitting import fitted
from surefoot.models.schema import problem
from surefoot.models.seam import Prompt, Schema
from surefoot.text.jsonblocks import last_valid


class Reading(NamedTuple):
    value: Any = None
    problem: str = ""  # empty: the reply can be used


def read(answer: Answer, prompt: Prompt) -> Reading:
    is_its_answer = prompt.schema is None and answer.text == answer.refusal  # who may say anything may decline
    if answer.refusal and not is_its_answer:
        return Reading(problem=f"the model refused to reply: {' '.join(answer.refusal.split())[:120]}")
    if not answer.text.strip():
        return Reading(problem="the reply was cut off before it began" if answer.cut else "the reply was empty")
    if answer.cut:  # what is there may be a draft, and a text that ends in the middle can say the opposite
        return Reading(problem="the reply was cut off at its longest length")
    if prompt.accepts is not None:
        return Reading(problem=prompt.accepts(answer.text))
    return Reading() if prompt.schema is None else _by_schema(answer, prompt.schema)


def _by_schema(answer: Answer, schema: Schema) -> Reading:
    found = last_valid(answer.text, lambda value: not problem(fitted(value, schema), schema))
    if found is not None:
        return Reading(fitted(found, schema))
    nearest = last_valid(answer.text, lambda _: True)
    wrong = "the reply held no whole JSON object" if nearest is None else problem(fitted(nearest, schema), schema)
    return Reading(problem=wrong)


def reminded(prompt: Prompt, wrong: str) -> Prompt:
    """The same with a short reminder.

    What the model said is not shown to it again: it may quote what an answer or a document had to say to graders.
    """
    if prompt.schema is None:
        return prompt
    reminder = f"Your last reply could not be used: {wrong}. Reply with only the JSON object, briefly."
    return replace(prompt, text=f"{prompt.text}\n\n{reminder}")
