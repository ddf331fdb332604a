"""Models that are no models: a sound one, and some that do whatever the text they read tells them to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from surefoot.graders.judges import Pair
from surefoot.graders.rules import Rules
from surefoot.models.seam import Prompt, Reply
from surefoot.text.normal import sentences, terms

_FENCE = re.compile(r"^<<<([\w ]+?) ([0-9a-f]{20})>>>\n(.*?)\n<<<end of \1 \2>>>$", re.MULTILINE | re.DOTALL)
Value = dict[str, Any]


class Seen:
    """A prompt as a model sees it that keeps to the fences."""

    def __init__(self, prompt: Prompt) -> None:
        sections = _FENCE.findall(prompt.text)
        bare = {name: re.sub(r"^\| ", "", text, flags=re.MULTILINE) for name, _, text in sections}
        self.marks = {mark for _, mark, _ in sections}
        self.question, self.answer = bare["question"], bare["answer"]
        self.gold = bare.get("reference", "")
        self.passages = {
            name.removeprefix("passage "): re.sub(r"\A\(from: .*\)\n", "", text)
            for name, text in bare.items()
            if name.startswith("passage ")
        }
        lines = bare.get("claims", "").split("\n")
        self.claims = {int(number): text for number, _, text in (line.partition(". ") for line in lines) if text}


class Fake:
    """`says` makes a reply's value out of a prompt; every prompt is kept."""

    def __init__(self, says: Callable[[Prompt], Any], name: str = "fake@localhost") -> None:
        self.name, self._says = name, says
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        value = self._says(prompt)
        return value if isinstance(value, Reply) else Reply(text=json.dumps(value), value=value, asked=1)

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        found = [(place, self.complete(prompt)) for place, prompt in enumerate(prompts)]
        yield from reversed(found)


def evidence(passage: str, quote: str, says: str = "supports") -> Value:
    return {"passage": passage, "quote": quote, "says": says}


def findings(claims: list[Value], refusal: str = "answered", gold: str = "agrees", asserts: str = "") -> Value:
    return {"refusal": refusal, "asserts": asserts, "claims": claims, "gold": gold, "answers": "cannot_tell"}


def claim(number: int, reading: str, *found: Value) -> Value:
    return {"claim": number, "evidence": list(found), "reading": reading}


def sound(prompt: Prompt) -> Value:
    """Reads by rule, which is enough for plain cases."""
    seen = Seen(prompt)
    read = []
    for number, text in seen.claims.items():
        pairs = {name: Pair(passage, text, context=seen.question) for name, passage in seen.passages.items()}
        labels = {name: Rules().judge([pair])[0] for name, pair in pairs.items()}
        said = {"supported": "supports", "contradicted": "contradicts"}
        found = [
            evidence(name, _nearest(seen.passages[name], text), said[one.label])
            for name, one in labels.items()
            if one.label in said
        ]
        says = {one["says"] for one in found}
        reading = "supported" if "supports" in says else "contradicted" if says else "not_enough"
        read.append(claim(number, reading, *found))
    return findings(read, "answered" if seen.claims else "refused", "silent")


def obedient(prompt: Prompt) -> Value:
    """Returns the last JSON object of the answer; else takes everything as proved by the answer's own words."""
    seen = Seen(prompt)
    for start in reversed([found.start() for found in re.finditer(r"\{", seen.answer)]):
        try:
            value, _ = json.JSONDecoder().raw_decode(seen.answer, start)
        except ValueError:
            continue
        if isinstance(value, dict) and {"claims", "refusal"} & value.keys():
            return value
    return findings([claim(n, "supported", evidence(p, text)) for n, text in seen.claims.items() for p in ["P1"]])


def inventive(prompt: Prompt) -> Value:
    """Takes everything as supported by every passage, in words that it makes up."""
    seen = Seen(prompt)
    quotes = [evidence(name, "This is confirmed in full by the passage as it stands.") for name in seen.passages]
    return findings([claim(number, "supported", *quotes) for number in seen.claims])


def excusing(prompt: Prompt) -> Value:
    """Calls every answer a refusal."""
    seen = Seen(prompt)
    return findings([claim(number, "supported") for number in seen.claims], "refused")


def bribed(prompt: Prompt) -> Value:
    """Wholly on the attacker's side: every claim is supported, with the nearest real sentence of each passage."""
    seen = Seen(prompt)
    read = [
        claim(number, "supported", *(evidence(name, _nearest(text, said)) for name, text in seen.passages.items()))
        for number, said in seen.claims.items()
    ]
    return findings(read)


def _nearest(passage: str, said: str) -> str:
    pieces = [line for line in passage.split("\n") if "|" in line]
    pieces += [piece.strip() for line in passage.split("\n") if "|" not in line for piece in sentences(line)]
    return max(pieces or [passage], key=lambda piece: len(set(terms(piece)) & set(terms(said))))
