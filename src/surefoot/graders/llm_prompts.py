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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from surefoot.core.rubric import Rubric
from surefoot.core.types import Item
from surefoot.models.replies import fitted
from surefoot.models.seam import Prompt, Schema
from surefoot.text.jsonblocks import last_valid
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


MOST_EVIDENCE = 6  # for one claim
Value = dict[str, Any]
_UNSAID = "cannot_tell"
_MEANT = {
    "refusal": {"false": "answered", "no": "answered", "true": "refused", "yes": "refused"},
    "answers": {"true": "yes", "partly": "yes", "partially": "yes", "false": "no"},
    "reading": {"supports": "supported", "support": "supported", "contradicts": "contradicted",
                "contradict": "contradicted"},
    "says": {"supported": "supports", "support": "supports", "contradicted": "contradicts",
             "contradict": "contradicts", "partial": "supports_in_part", "part": "supports_in_part",
             "in_part": "supports_in_part", "partially_supports": "supports_in_part"},
}  # fmt: skip
_QUOTES = ("quote", "text", "quotation", "excerpt", "sentence")  # under which the words of a passage may stand


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
    answers: Literal["yes", "no", "cannot_tell"] = "cannot_tell"


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
        answers=_one_of("yes", "no", "cannot_tell"),
    )
    return {"title": "findings", **findings}


class ReplyReader(Struct, frozen=True):
    """Reads the replies on some claims. Called with a text, it says what is wrong with that, or nothing."""

    wanted: tuple[int, ...]

    def __call__(self, text: str) -> str:
        found = self.read(text)
        return found if isinstance(found, str) else ""

    def read(self, text: str) -> Found | str:
        """The findings in the last object that has any, or why there are none."""
        value = last_valid(text, lambda one: not isinstance(self.found_in(one), str))
        if value is None:
            value = last_valid(text, lambda _: True)
        return "the reply held no whole JSON object" if value is None else self.found_in(value)

    def found_in(self, value: object) -> Found | str:
        """Claims that were not asked about are nobody's."""
        try:
            made = fitted(_put_right(value, self.wanted) if isinstance(value, dict) else value, schema(self.wanted, ()))
            found = msgspec.convert(made, Found)
        except msgspec.ValidationError as error:
            return f"the reply is not made of findings: {error}"
        numbers = [read.claim for read in found.claims]
        if lacking := [number for number in self.wanted if number not in numbers]:
            return f"the reply says nothing on claim {lacking[0]}"
        if len(numbers) > len(self.wanted):
            return "the reply reads a claim twice"
        return found


def _put_right(value: Value, wanted: Sequence[int]) -> Value:
    """Models wrap findings, number claims in words, and leave out what goes without saying."""
    if "claims" not in value and len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        value = inner  # {"findings": {...}}
    if "claims" not in value and "reading" in value:
        value = {"claims": [value]}
    if not value.keys() & {"claims", "refusal"}:
        return value
    claims = _listed(value.get("claims"), "claim", ("reading",))
    numbers = wanted if len(claims) == len(wanted) else [None] * len(claims)
    read = [_claim({"claim": number} | claim) for claim, number in zip(claims, numbers, strict=True)]
    # One that merely says again what another says is left out.
    once = [claim for place, claim in enumerate(read) if claim["claim"] in wanted and claim not in read[:place]]
    said = {name: _meant(value.get(name), name) or _UNSAID for name in ("refusal", "gold", "answers")}
    said["answers"] = said["answers"] if said["answers"] in ("yes", "no") else _UNSAID
    return {**value, **said, "claims": once}


def _listed(value: object, key: str, inside: Sequence[str]) -> list[Value]:
    """A list of objects, however it was written: one alone, or each under its number."""
    if isinstance(value, dict):
        numbered = [{key: name, **one} for name, one in value.items() if isinstance(one, dict)]
        value = [value] if value.keys() & set(inside) else numbered
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _claim(claim: Value) -> Value:
    found = _listed(claim.get("evidence"), "passage", _QUOTES)[:MOST_EVIDENCE]
    kinds = {_meant(one.get("says"), "says") for one in found} - {"supports_in_part"}
    alone = _meant(kinds.pop(), "reading") if len(kinds) == 1 else None
    reading = _meant(claim.get("reading"), "reading") or alone
    read = {"evidence": [_evidence(one, reading) for one in found], "claim": _numbered(claim["claim"], int)}
    return {**claim, **read, **({} if reading is None else {"reading": reading})}


def _evidence(one: Value, reading: object) -> Value:
    quote = next((one[key] for key in _QUOTES if one.get(key)), "")
    says = _meant(one.get("says"), "says") or {"supported": "supports", "contradicted": "contradicts"}.get(str(reading))
    return {
        "passage": _numbered(one.get("passage"), "P{}".format),
        "quote": " ... ".join(map(str, quote)) if isinstance(quote, list) else quote,
        "says": says or "supports_in_part",
    }


def _meant(value: object, name: str) -> object:
    """The value of a field that is meant by a word or a boolean; None where nothing is said."""
    if not isinstance(value, str | bool):
        return value
    folded = re.sub(r"[\W_]+", "_", str(value).strip()).casefold().strip("_")
    return _MEANT.get(name, {}).get(folded, folded) or None


def _numbered(value: object, form: Callable[[Any], object]) -> object:
    """A claim or passage by its number: 2, "2", "P2", "claim 2", "P2 (of 1999)"."""
    numbers = re.findall(r"\d+", str(value)) if isinstance(value, str | int | float) and value is not True else []
    if isinstance(value, float) and value.is_integer():
        return form(int(value))
    leads = isinstance(value, str) and re.match(r"\W*(?:P|passage |claim )?\d+\b", value, re.IGNORECASE)
    return form(int(numbers[0])) if len(numbers) == 1 or leads else value


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
            claims=fence.around("claims", _claim_lines(claims)) if claims else "There are none.",
            count=f"the refusal, {_counted(len(claims))}, the reference and whether the question is answered",
        )
        numbers = tuple(number for number, _ in claims)
        return Prompt(
            text, self.system, schema(numbers, list(named)), _FOR_REPLY + _FOR_CLAIM * len(claims),
            accepts=ReplyReader(numbers),
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


def _claim_lines(claims: Sequence[tuple[int, str]]) -> str:
    """A claim is one line, so that none can look like two."""
    return "\n".join(f"{number}. {one_line(text)}" for number, text in claims)


def _counted(count: int) -> str:
    return "no claims" if not count else "the one claim" if count == 1 else f"each of the {count} claims"
