"""What a model is asked about one answer.

Claims and passages are numbered by us and the numbers stand outside of foreign text, so an answer can neither hide a
claim nor add one, and what it calls a passage is none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files

import msgspec

from surefoot.graders.fencing import Fence, one_line
from surefoot.graders.llm_replies import Reader, schema
from surefoot.models.seam import Prompt
from surefoot.rubric import Rubric
from surefoot.types import Item

VERSION = 2  # of how replies are read and checked
MOST_CLAIMS = 12  # in one call: a model that reads more at once leaves some out
LONGEST_ANSWER = 12_000  # characters shown; every claim of a longer one is asked about all the same
LONGEST_PROMPT = 400_000
_FOR_REPLY, _FOR_CLAIM = 256, 256  # tokens
_EXAMPLE = "0123abcd"


class Prompting:
    """Prompts out of the templates and a rubric. `version` changes with either, with the shape of the reply, and with
    how that is read."""

    def __init__(self, rubric: Rubric) -> None:
        self._system, self._task = _template("grade_system"), _template("grade")
        self._rubric = rubric

    @cached_property
    def version(self) -> str:
        parts = (
            str(VERSION),
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
            count=f"the refusal, {_counted(len(claims))}, the reference and whether the question is answered",
        )
        numbers = tuple(number for number, _ in claims)
        return Prompt(
            text, self.system, schema(numbers, list(named)), _FOR_REPLY + _FOR_CLAIM * len(claims),
            accepts=Reader(numbers),
        )  # fmt: skip


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
