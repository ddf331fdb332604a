"""Tell refusals from answers by rule: fast, explainable, the same on every run.

A text is cut into segments: sentences, and clauses after "but", "however" and the like. A segment that holds
a cue of `refusal_cues` is a decline; each other one is filler (apology, next steps, what the documents do
cover) or content. Declines without content are `refused`, with content `partial`; none at all is `answered`.

Answers decline at their start or their end. So of a long text only the first HEAD and last TAIL characters
are read, of these the first FIRST and last LAST segments, and whatever lies between counts as content. That
bounds the work on any text.
"""

import re
from typing import Literal, NamedTuple

from surefoot.text import refusal_cues as cues

HEAD, TAIL = 2400, 1200
FIRST, LAST = 10, 4
_LONGEST_TOKEN = 120
_NEAR = 200  # how far back a condition or a quotation mark is looked for


class Refusal(NamedTuple):
    value: Literal["refused", "partial", "answered"]
    start: int
    end: int


ANSWERED = Refusal("answered", 0, 0)


def exact(answer: str) -> Refusal:
    """Take only the bare token that a prompt may ask for as a refusal."""
    if answer.strip().lower() != "not in context":
        return ANSWERED
    start = len(answer) - len(answer.lstrip())
    return Refusal("refused", start, start + len("not in context"))


def detect(answer: str) -> Refusal:
    """Say whether an answer declines in whole, in part or not at all, and where it says so."""
    start = len(answer) - len(answer.lstrip())
    end = len(answer.rstrip())
    if end - start <= _LONGEST_TOKEN:
        token = _token(_fold(answer[start:end]), start)
        if token:
            return token
    start = _unwrapped(answer, start, end)
    if end - start <= HEAD + TAIL:
        return _judge(answer, [(start, end)])
    return _judge(answer, [(start, start + HEAD), (end - TAIL, end)])


def _unwrapped(answer: str, start: int, end: int) -> int:
    if answer[start : start + 1] not in tuple("{[\"'“‘"):
        return start
    wrapper = cues.WRAPPER.match(_fold(answer[start : start + 60]))
    if wrapper:
        return start + wrapper.end()
    return start + 1 if answer[end - 2 : end].strip(".") in tuple("\"'”’") or answer[end - 1] in "\"'”’" else start


def _fold(text: str) -> str:
    """Lower case with plain quotes, at the same length, so that positions hold in the original."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = text.replace("İ", "I").lower()
    if not folded.isascii():
        for odd, plain in cues.PLAIN:
            folded = folded.replace(odd, plain)
    return folded


def _token(folded: str, offset: int) -> Refusal | None:
    words = list(cues.WORD.finditer(folded))
    while len(words) > 1 and words[0][0] in cues.KEYS:
        words.pop(0)
    while len(words) > 1 and words[-1][0] in cues.EMPTY:
        words.pop()
    if " ".join(word[0] for word in words) in cues.WHOLE:
        return Refusal("refused", offset + words[0].start(), offset + words[-1].end())
    return None


class _Segment(NamedTuple):
    text: str  # folded
    offset: int  # in the answer


class _Decline(NamedTuple):
    group: str
    start: int
    end: int


def _judge(answer: str, windows: list[tuple[int, int]]) -> Refusal:
    folded = [_fold(answer[start:end]) for start, end in windows]
    if not any(map(_hinted, folded)):
        return ANSWERED
    segments, skipped = _segments(folded, [start for start, _ in windows])
    declines = [_decline(segment, answer) for segment in segments]
    if not any(declines):
        return ANSWERED
    first: _Decline | None = None
    content: list[_Segment] = []
    for segment, decline in zip(segments, declines, strict=True):
        if decline and (first or not content or decline.group not in cues.LEADING):
            first = first or decline
            content += _beside(segment, decline)
        elif not _is_filler(segment.text):
            content.append(segment)
    if first is None:
        return ANSWERED
    if first.group in cues.REASONED and len(windows) == 1:
        skipped = False
        content = [segment for segment in content if segment.offset < first.start or cues.PIVOT.match(segment.text)]
    return Refusal("partial" if content or skipped else "refused", first.start, first.end)


def _hinted(text: str) -> bool:
    flat = " " + " ".join(text.replace("*", " ").split()) + " "
    return any(hint in flat for hint in cues.HINTS)


def _beside(segment: _Segment, decline: _Decline) -> list[_Segment]:
    """Content in the sentence of a decline: cited before it, or on the other side of "while ..., ..."."""
    text = segment.text.lstrip()
    before = segment.text[: decline.start - segment.offset]
    after = ""
    if text.startswith(cues.CONCEDE):
        after = segment.text[decline.end - segment.offset :].partition(", ")[2]
    elif "[" not in before:
        return []
    return [_Segment(side, segment.offset) for side in (before, after) if not _is_filler(side)]


def _segments(folded: list[str], offsets: list[int]) -> tuple[list[_Segment], bool]:
    """The first and last segments, and whether any were left out between them."""
    found: list[_Segment] = []
    for text, offset in zip(folded, offsets, strict=True):
        here = 0
        for match in cues.BREAK.finditer(text):
            if match.end() - here > 1:
                found.append(_Segment(text[here : match.end()], offset + here))
            here = match.end()
        found.append(_Segment(text[here:], offset + here))
    if len(found) <= FIRST + LAST:
        return found, len(folded) > 1
    return found[:FIRST] + found[-LAST:], True


def _decline(segment: _Segment, answer: str) -> _Decline | None:
    text, offset = segment
    for token in cues.TOKEN.finditer(text):
        source = cues.OPENERS.get(token[0])
        match = cues.compiled(source).match(text, token.start()) if source else None
        if match and not _is_reported(match, answer[offset : offset + len(text)]):
            return _Decline(match.lastgroup or "", offset + match.start(), offset + match.end())
    return None


def _is_reported(match: re.Match[str], original: str) -> bool:
    """Whether a cue is only a condition, a quotation, a title, a defined term or a cited rule."""
    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    words = original[match.start() : match.end()].split()
    return (
        cues.SUBORDINATE.search(before) is not None
        or _in_quotes(before)
        or (len(words) > 2 and all(word[0].isupper() and not word.isupper() for word in words[1:]))
        or (match.lastgroup == "absent" and words[0].istitle() and words[0] in original.split()[1:])
        or (match.lastgroup == "objects" and "[" in match.string)
    )


def _in_quotes(before: str) -> bool:
    opened = max(before.rfind(" '"), before.rfind("('"))
    return before.count('"') % 2 == 1 or (opened >= 0 and "' " not in before[opened + 2 :])


def _is_filler(text: str) -> bool:
    bare = cues.MARK.sub("", text)
    return len(cues.WORD.findall(bare, 0, 200)) < 3 or bool(cues.OPENING_FILLER.match(bare) or cues.FILLER.search(bare))
