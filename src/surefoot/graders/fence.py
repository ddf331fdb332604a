"""Foreign text inside a prompt: what a pipeline or a document wrote must be read, and must not be obeyed.

Two things keep it apart from the instructions. It is neutralised: what a reader cannot see is taken out, and what chat
servers or our own fences read as structure is broken up. And it is fenced: between two marks that nobody who wrote it
could know, with a gutter before every line, so that no line of it can start a heading, a key, a role or a fence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from msgspec import Struct

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
