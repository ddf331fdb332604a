"""What a model is asked about one answer, and what it may reply: findings, never a grade.

Claims and passages are numbered by us and the numbers stand outside of foreign text, so an answer can neither hide a
claim nor add one, and what it calls a passage is none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from surefoot.graders.fencing import Fence, one_line
from surefoot.models.seam import Prompt, Schema
from surefoot.rubric import Rubric
from surefoot.types import Item

MOST_CLAIMS = 12  # in one call: a model that reads more at once leaves some out
MOST_EVIDENCE = 6  # for one claim
LONGEST_ANSWER = 12_000  # characters shown; every claim of a longer one is asked about all the same
LONGEST_PROMPT = 400_000
_FOR_REPLY, _FOR_CLAIM = 256, 256  # tokens
_EXAMPLE = "0123abcd"


class Evidenced(Struct, frozen=True):
    passage: str
    quote: str
    says: Literal["supports", "supports_in_part", "contradicts"]


class ClaimRead(Struct, frozen=True):
    claim: int
    evidence: tuple[Evidenced, ...]
    reading: Literal["supported", "contradicted", "not_enough", "cannot_tell"]


class Found(Struct, frozen=True):
    """What a model found in one answer."""

    refusal: Literal["refused", "partial", "answered", "cannot_tell"]
    asserts: str
    claims: tuple[ClaimRead, ...]
    gold: Literal["agrees", "conflicts", "silent", "no_gold", "cannot_tell"]


def _object(**properties: Schema) -> Schema:
    names = list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


_TEXT: Schema = {"type": "string"}


def schema(claims: Sequence[int], passages: Sequence[str]) -> Schema:
    """Of a reply on some claims. Written out, and without references: not every server follows those. Evidence comes
    before the reading it leads to."""
    evidence = _object(
        passage=_one_of(*passages) if passages else _TEXT,
        quote=_TEXT,
        says=_one_of("supports", "supports_in_part", "contradicts"),
    )
    claim = _object(
        claim={"type": "integer", "enum": list(claims)} if claims else {"type": "integer"},
        evidence={"type": "array", "items": evidence, "maxItems": MOST_EVIDENCE},
        reading=_one_of("supported", "contradicted", "not_enough", "cannot_tell"),
    )
    findings = _object(
        refusal=_one_of("refused", "partial", "answered", "cannot_tell"),
        asserts=_TEXT,
        claims={"type": "array", "items": claim, "minItems": len(claims), "maxItems": len(claims)},
        gold=_one_of("agrees", "conflicts", "silent", "no_gold", "cannot_tell"),
    )
    return {"title": "findings", **findings}


class Prompting:
    """Prompts out of the templates and a rubric. `version` changes with either, and with the shape of the reply."""

    def __init__(self, rubric: Rubric) -> None:
        self._system, self._task = _template("grade_system"), _template("grade")
        self._rubric = rubric

    @cached_property
    def version(self) -> str:
        parts = (
            self._system,
            self._task,
            self._rubric.sha256,
            msgspec.json.encode(schema([1], ["P1"]), order="sorted").decode(),
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]

    @cached_property
    def system(self) -> str:
        return _filled(self._system, example=_EXAMPLE, rubric="\n".join(_explained(self._rubric)))

    def prompt(self, item: Item, claims: Sequence[tuple[int, str]], salt: str) -> Prompt:
        """What is asked about some numbered claims of an answer. `salt` tells calls apart that must not be one."""
        question, trace = item.question, item.trace
        passages = trace.retrieved or ()
        gold, answer = "\n".join(question.gold_claims), trace.answer or ""
        fence = Fence.over(
            [question.text, gold, answer, *(text for _, text in claims), *(p.text for p in passages)], salt
        )
        named = {f"P{place}": passage for place, passage in enumerate(passages, 1)}
        text = _filled(
            self._task,
            question=fence.around("question", question.text),
            gold=fence.around("reference", gold) if gold else "There is none.",
            passages="\n\n".join(fence.around(f"passage {name}", _titled(p.doc, p.text)) for name, p in named.items())
            or "There are none.",
            answer=fence.around("answer", shortened(answer)),
            claims=fence.around("claims", _listed(claims)) if claims else "There are none.",
            count=f"the refusal, {_counted(len(claims))} and the reference",
        )
        shape = schema([number for number, _ in claims], list(named))
        return Prompt(text, self.system, shape, _FOR_REPLY + _FOR_CLAIM * len(claims))


def read_reply(value: Any, wanted: Sequence[int]) -> Found | str:  # noqa: ANN401
    """The findings in a reply, or why there are none. Claims that were not asked about are nobody's."""
    try:
        found = msgspec.convert(value, Found, strict=False)  # "1" and 1.0 are numbers of claims too
    except msgspec.ValidationError as error:
        return f"the reply is not made of findings: {error}"
    numbers = [read.claim for read in found.claims if read.claim in wanted]
    if lacking := [number for number in wanted if number not in numbers]:
        return f"the reply says nothing on claim {lacking[0]}"
    if len(numbers) > len(wanted):
        return "the reply reads a claim twice"
    return found


def groups(claims: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Numbered claims, a call's worth at a time; one empty group where there are none."""
    numbered = list(enumerate(claims, 1))
    for start in range(0, max(1, len(numbered)), MOST_CLAIMS):
        yield numbered[start : start + MOST_CLAIMS]


def shortened(answer: str) -> str:
    if len(answer) <= LONGEST_ANSWER:
        return answer
    half = LONGEST_ANSWER // 2
    return f"{answer[:half]}\n(... {len(answer) - 2 * half} characters are left out here ...)\n{answer[-half:]}"


def _template(name: str) -> str:
    return (files("surefoot") / "prompts" / f"{name}.md").read_text("utf-8")


def _filled(template: str, **parts: str) -> str:
    """In one pass: braces in what is filled in stay what they are."""
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), template)


def _explained(rubric: Rubric) -> Iterator[str]:
    for axis in rubric.axes:
        yield f"- {axis.name}: {axis.asks}"
        yield from (f"  - {value}: {meaning}" for value, meaning in axis.anchors.items())


def _titled(title: str, text: str) -> str:
    return f"(from: {one_line(title)})\n{text}" if title else text


def _listed(claims: Sequence[tuple[int, str]]) -> str:
    """A claim is one line, so that none can look like two."""
    return "\n".join(f"{number}. {one_line(text)}" for number, text in claims)


def _counted(count: int) -> str:
    return "no claims" if not count else "the one claim" if count == 1 else f"each of the {count} claims"
