"""What a model is asked about one answer, and what it may reply: findings, never a grade.

Claims and passages are numbered by us and the numbers stand outside of foreign text, which must be read and must not be
obeyed. Two things keep that apart from the instructions. It is neutralised: what a reader cannot see is taken out, and
what chat servers or our own fences read as structure is broken up. And it is fenced: between two marks that nobody who
wrote it could know, with a gutter before every line, so that no line of it can start a heading, a key, a role or a
fence.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import Struct

from surefoot.core.rubric import Rubric
from surefoot.core.types import Item
from surefoot.models.seam import Prompt, Reply, Schema
from surefoot.text.normal import normalise

GUTTER = "| "
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Variation selectors, which can carry a message, and strokes through letters.
_TRIMMINGS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u0334-\u0338\u20d0-\u20ff]")
_PILED_MARKS = re.compile(
    r"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{3})[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)
# What chat templates and our fences are made of. A space inside keeps it readable and takes its power.
_STRUCTURE = re.compile(
    r"<(?=[|\uff5c<])|(?<=[|\uff5c>])>|\[(?=/?(?:inst|sys|system|available_tools|tool_calls)\])"
    r"|<(?=/?(?:s|bos|eos|pad|unk|think|thinking|system|user|assistant|human|tool|tool_call|function_calls|invoke"
    r"|start_of_turn|end_of_turn|start_header_id|end_header_id|begin_of_text|end_of_text|endoftext)\b[^<>\n]{0,80}>)",
    re.IGNORECASE,
)
_QUOTE_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "`": "'",
                              "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "…": "...", "|": " "})  # fmt: skip


def neutral(text: str) -> str:
    """The text as a reader sees it, with no character that hides, turns round or opens anything."""
    text = _BREAKS.sub("\n", text)
    if not text.isprintable():
        text = "".join(map(_visible, text))
    if not text.isascii():
        text = _PILED_MARKS.sub(r"\1", _TRIMMINGS.sub("", text))
    return _STRUCTURE.sub(lambda found: f"{found.group()} " if found.group() != ">" else " >", text)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        return character if character in "\n\t" else " "
    if category == "Cs":
        return "\ufffd"
    return "" if category == "Cf" else character


def one_line(text: str) -> str:
    return " ".join(neutral(text).split())


@lru_cache(maxsize=4_000)
def comparable(text: str) -> str:
    """The form in which a quote is looked for: what a model changes when it copies (quotation marks, dashes, the
    gutter, the bars of a table) does not count; words, numbers and their order do."""
    return normalise(neutral(text).translate(_QUOTE_MARKS))


class Fence(Struct, frozen=True):
    """A mark for one call. It is a hash of all that is fenced, so an answer would have to hold its own hash to close
    its fence; and the same call has the same mark again, so that a cache can hold its reply."""

    mark: str

    @classmethod
    def over(cls, texts: Iterable[str], salt: str = "") -> Fence:
        digest = blake2b(salt.encode("utf-8", "surrogatepass"), digest_size=10)
        for text in texts:
            raw = text.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "big") + raw)
        return cls(digest.hexdigest())

    def around(self, name: str, text: str) -> str:
        """`name` is ours; `text` is anybody's."""
        lines = "\n".join(GUTTER + line for line in neutral(text).split("\n"))
        return f"<<<{name} {self.mark}>>>\n{lines}\n<<<end of {name} {self.mark}>>>"


class Evidenced(Struct, frozen=True, forbid_unknown_fields=True):
    passage: str
    quote: str
    says: Literal["supports", "supports_in_part", "contradicts"]


_MOST_EVIDENCE = 6  # for one claim: some models would go on until their reply is cut off, and all of it is paid


class ClaimRead(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model found on one claim. Evidence comes before the reading it leads to."""

    claim: int
    evidence: tuple[Evidenced, ...]
    reading: Literal["supported", "contradicted", "not_enough", "cannot_tell"]


class Found(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model found in one answer."""

    refusal: Literal["refused", "partial", "answered", "cannot_tell"]
    asserts: str
    claims: tuple[ClaimRead, ...]
    gold: Literal["agrees", "conflicts", "silent", "no_gold", "cannot_tell"]
    answers: Literal["yes", "no", "cannot_tell"]


def schema(claims: int, passages: int) -> Schema:
    """Return the schema of a reply on so many claims and passages. No references: not every server follows those."""
    _, parts = msgspec.json.schema_components([Found])
    for part in parts.values():
        part.pop("description", None)
        for one in part["properties"].values():
            one |= {"type": "string"} if "enum" in one else {}
    evidence, read, found = (parts[name]["properties"] for name in ("Evidenced", "ClaimRead", "Found"))
    names, numbers = [f"P{place}" for place in range(1, passages + 1)], list(range(1, claims + 1))
    evidence["passage"] |= {"enum": names} if names else {}
    read["claim"] |= {"enum": numbers} if numbers else {}
    read["evidence"] = {"type": "array", "items": parts["Evidenced"], "maxItems": _MOST_EVIDENCE}
    found["claims"] = {"type": "array", "items": parts["ClaimRead"], "minItems": claims, "maxItems": claims}
    return {**parts["Found"], "title": "findings"}


def findings_in(reply: Reply, claims: int) -> Found | str:
    """Return what a model found in an answer with so many claims, or why that is not known."""
    try:
        found = None if reply.error else msgspec.convert(reply.value, Found)
    except msgspec.ValidationError as error:
        return f"the reply is not made of findings: {error}"
    if found is None:
        return f"the model gave no findings: {reply.error}"
    read = sorted(one.claim for one in found.claims)
    return found if read == list(range(1, claims + 1)) else "the reply does not read each claim once"


VERSION = 3  # of how replies are read and checked
_FOR_REPLY, _FOR_CLAIM = 256, 256  # tokens

_EXAMPLE, _TEMPLATES = "0123abcd", ("grade_system", "grade")


class Prompting:
    """Prompts out of the templates and a rubric. `version` changes with either, with the shape of the reply, and with
    how that is read."""

    def __init__(self, rubric: Rubric) -> None:
        system, self._task = ((files("surefoot") / "prompts" / f"{name}.md").read_text("utf-8") for name in _TEMPLATES)
        shape = msgspec.json.encode(schema(1, 1), order="sorted").decode()
        parts = (str(VERSION), system, self._task, rubric.sha256, shape)
        self.version = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
        axes = [f"- {axis.name}: {axis.asks}\n" + "".join(f"  - {value}: {meaning}\n" for value, meaning in
                axis.anchors.items()) for axis in rubric.axes]  # fmt: skip
        self.system = _filled(system, example=_EXAMPLE, rubric="".join(axes).rstrip())

    def prompt(self, item: Item, claims: Sequence[str], salt: str = "") -> Prompt:
        """Return what is asked about the claims of an answer. `salt` tells calls apart that must not be one."""
        question, answer, passages = item.question, item.trace.answer or "", item.trace.retrieved or ()
        gold = "\n".join(question.gold_claims)
        texts = [f"(from: {one_line(one.doc)})\n{one.text}" if one.doc else one.text for one in passages]
        fence = Fence.over([question.text, gold, answer, *claims, *texts], salt)
        fenced = [fence.around(f"passage P{place}", text) for place, text in enumerate(texts, 1)]
        # A claim is one line, so that none can look like two.
        numbered = "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(claims, 1))
        text = _filled(
            self._task,
            question=fence.around("question", question.text),
            gold=fence.around("reference", gold) if gold else "There is none.",
            passages="\n\n".join(fenced) or "There are none.",
            answer=fence.around("answer", answer),
            claims=fence.around("claims", numbered) if claims else "There are none.",
        )
        return Prompt(text, self.system, schema(len(claims), len(passages)), _FOR_REPLY + _FOR_CLAIM * len(claims))


def _filled(template: str, **parts: str) -> str:
    """In one pass: braces in what is filled in stay what they are."""
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), template)
