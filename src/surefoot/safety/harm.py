"""Harmful instructions by rule: acts that the reader is told to do, and signs that add up.

A bare word is never a finding: "ransomware" is in every contract. An act counts where a text instructs, asks or urges:
in a frame before the verb ("how to", "you can", "the trick is to"), or in the imperative, at the start of a sentence or
in a row of steps. What is not harmful enough alone needs more of its kind nearby. Words that govern a match, in its own
clause, take it out, for a refusal, a ban, a defence or a report does no harm: before it ("I cannot explain how to
..."), after it ("... is prohibited"), or in the line that opens its list ("Users must not:").
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from surefoot.safety.grammar import (
    ACTS,
    ANY_PATTERN,
    ENOUGH,
    SELF,
    SIGNS,
    Sign,
    Tagged,
    charset,
    compiled,
    first_tags,
)  # fmt: skip

_NEAR = 60  # tags within which signs add up: a few sentences
_BEFORE, _AFTER = 30, 20  # tags around a sign within which the reader must be told something
_VERB = re.compile(r"^(?:[A-Z]+|<[^>]+>)")


class Hit(NamedTuple):
    pattern: str
    kind: str
    start: int
    end: int
    why: str


class _Match(NamedTuple):
    """A sign that was found, in tags."""

    sign: Sign
    kind: str
    start: int
    end: int
    is_act: bool = False


class _Rule(NamedTuple):
    text: str
    sign: Sign
    frames: tuple[Frame, ...] = ()


@functools.cache  # only who checks a text should pay for this
def _rules() -> tuple[re.Pattern[str], dict[str, list[_Rule]]]:
    """Which words can begin a match, and for each the rules that begin with it, compiled when they are first met."""
    rules = [_Rule(sign.rule, sign) for sign in SIGNS]
    for act in ACTS:
        rules += [_Rule(act.rule, act, plain()), _Rule(_VERB.sub(r"\g<0>ING", act.rule), act, gerund())]
    by_first: dict[str, list[_Rule]] = {}
    for rule in sorted(rules, key=lambda rule: -rule.sign.weight):
        for tag in first_tags(rule.text):
            by_first.setdefault(tag, []).append(rule)
    return re.compile(f"[{''.join(by_first)}]"), by_first


def find(text: str) -> list[Hit]:
    """Harmful instructions in a folded text, in order, none inside another."""
    tagged = Tagged(text)
    found = list(_added_up(_matches(tagged.tags)))
    if not found:
        return []
    spans = tagged.spans()
    return [Hit(m.sign.pattern, m.kind, spans[m.start][0], spans[m.end - 1][1], m.sign.why) for m in found]


def _matches(tags: str) -> Iterator[_Match]:
    """Acts that the reader is told to do and signs, in order, none of them governed by its surroundings."""
    begins, by_first = _rules()
    for place in begins.finditer(tags):
        for rule in by_first[place[0]]:
            match = compiled(rule.text).match(tags, place.start())
            found = match and (_told if rule.frames else _seen)(tags, rule, *match.span())
            if found and not is_governed(tags, found.start, found.end):
                yield found


def _told(tags: str, rule: _Rule, start: int, end: int) -> _Match | None:
    for frame in rule.frames:
        first = frame.start(tags, start, end)
        if first is not None:
            kind = INSTRUCTIONS if frame.kind == URGING and rule.sign.pattern != SELF else frame.kind
            return _Match(rule.sign, kind, first, end, is_act=True)
    return None


def _seen(tags: str, rule: _Rule, start: int, end: int) -> _Match | None:
    if rule.sign.weight < ENOUGH and not tells(tags, start - _BEFORE, end + _AFTER):
        return None
    return _Match(rule.sign, URGING if rule.sign.pattern == SELF else INSTRUCTIONS, start, end)


def _added_up(matches: Iterable[_Match]) -> Iterator[_Match]:
    """Those that weigh enough, alone or with what stands near them."""
    end = 0
    recent: dict[Sign, _Match] = {}  # the last of each, so that a text full of them takes no longer
    for match in matches:
        if match.start < end:
            continue
        recent = {sign: one for sign, one in recent.items() if one.start >= match.end - _NEAR} | {match.sign: match}
        found = match if match.sign.weight >= ENOUGH else _sum(sorted(recent.values(), key=lambda one: one.start))
        if found:
            yield found
            end, recent = found.end, {}


def _sum(matches: list[_Match]) -> _Match | None:
    """What several signs amount to; a place and a reason count once. Things alone need more than acts do."""
    for pattern in dict.fromkeys(match.sign.pattern for match in matches if match.sign.pattern != ANY_PATTERN):
        weights: dict[str, int] = {}
        end, acts = 0, 0
        for match in matches:
            if match.sign.pattern in (pattern, ANY_PATTERN) and match.start >= end:
                weights[match.sign.why] = max(match.sign.weight, weights.get(match.sign.why, 0))
                end, acts = match.end, acts + (match.is_act and match.sign.weight > 1)
        if len(weights) > 1 and sum(weights.values()) >= ENOUGH + (not acts):
            sign = Sign(pattern, ENOUGH, "", " and ".join(weights))
            return _Match(sign, INSTRUCTIONS, matches[0].start, matches[-1].end)
    return None


INSTRUCTIONS, REQUEST, URGING = "instructions", "request", "encouragement"
_LOOK_BACK, _SENTENCE_LENGTH = 14, 60  # tags
_SENTENCE = compiled("(?:STOP|SEMI|COLON|LINE)")
_TOLD = compiled(
    "START VERB|START TO VERB|(?:START|COMMA ADV{0,2}) IMPERATIVE|(?:POINT BE|HOW|WAYS) TO|"
    "YOU (?:ADV? VERB|ADV? IMPERATIVE|MODAL|WANT|URGE|HAVE)"
)
_AND_SO_ON = "ANY{0,8}? (?:COMMA (?:ADV|YOU|VERB|IMPERATIVE)|YOU (?:URGE|MODAL|WANT))"


class Frame(NamedTuple):
    """What stands before a verb, and behind its object where that decides."""

    kind: str
    before: re.Pattern[str]
    after: re.Pattern[str] | None = None
    in_told: bool = False  # only in a sentence that tells the reader to do something

    def start(self, tags: str, start: int, end: int) -> int | None:
        """Where the frame around an act begins, if it is there."""
        before = self.before.search(tags, max(0, start - _LOOK_BACK), start)
        if not before or (self.after and not self.after.match(tags, end)):
            return None
        return None if self.in_told and not _is_told(tags, start) else before.start()


def _frame(kind: str, before: str, after: str = "", in_told: bool = False) -> Frame:
    return Frame(kind, compiled(f"(?:{before})$"), compiled(after) if after else None, in_told)


@functools.cache
def plain() -> tuple[Frame, ...]:
    """Frames for verbs in their base form."""
    return (
        _frame(
            INSTRUCTIONS,
            "HOW ADV? TO ADV{0,2}|HOW (?:MODAL PERSONAL|PERSONAL MODAL) (?:MODAL|ADV){0,2}|"
            "(?:HERES|HERE BE) HOW PERSONAL (?:MODAL|ADV){0,2}|PRONOUN BE HOW YOU (?:MODAL|ADV){0,2}|"
            "WAYS (?:TO|PERSONAL MODAL) ADV{0,2}|START STEP FEW TO ADV?|START|(?:ADV|COMMA|COLON) YOU ADV{0,2}|"
            "(?<![{MODAL}])(?:YOU|ONE) (?:MAY|WANT|HAVE|MODAL WANT) (?:TO|ADV){0,3}|YOU MAY STEP FEW TO ADV?|"
            "POINT BE (?:TO)? ADV{0,2}",
        ),
        _frame(URGING, "YOU ANY{0,2} URGE (?:TO)? ADV{0,3}|(?<=[{COMMA}])GO ADV?"),
        _frame(REQUEST, "HELP ME (?:TO)? ADV?|I ANY? WANT TO ADV?"),
        _frame(INSTRUCTIONS, "START TO ADV{0,2}", _AND_SO_ON),
        _frame(INSTRUCTIONS, "(?:COMMA|AND|COMMA AND|BE TO) ADV{0,2}", in_told=True),
    )


@functools.cache
def gerund() -> tuple[Frame, ...]:
    """Frames for verbs in -ing."""
    return (
        _frame(INSTRUCTIONS, "WAYS LINK ADV?|HOW MODAL PERSONAL GO ABOUT|POINT BE ADV?|(?<![{NEG}{TO}])KEEPON ADV?"),
        _frame(INSTRUCTIONS, "START|(?<=[{BUT}])ADV?", "ANY{0,8} (?:BE ADV? FEW EASY|(?:BE NEG|NEG) TOUGH|TAKES)"),
        _frame(INSTRUCTIONS, "BY ADV?", in_told=True),
    )


def _is_told(tags: str, place: int) -> bool:
    """Whether the sentence up to here tells the reader to do something."""
    before = _SENTENCE.split(tags[max(0, place - _SENTENCE_LENGTH) : place])[-1]
    return _TOLD.search(before) is not None


def tells(tags: str, start: int, end: int) -> bool:
    """Whether the reader is told to do something between two places."""
    return _TOLD.search(tags, max(0, start), end) is not None


_WORDS_BEFORE, _WORDS_AFTER, _LIST = 40, 25, 200  # tags that are looked at around a match
# Where the clause around a match begins: behind a stop, a turn, or "here is"
_CUT = compiled("(?:STOP|SEMI|COLON|LINE|BUT|HERES|HERE BE|COMMA (?=PRONOUN))")
_CONCEDED = compiled("CONCEDE [^{STOP}{COMMA}]{0,20}COMMA")
_SENTENCE_END = compiled("(?:STOP|SEMI|COLON|BUT|LINE)")
_GOVERNS_BEFORE = compiled(
    "(?<![{WHY}])NEG (?!HARD) (?:[^{STOP}{COND}]{0,6} TELL|ANY{0,3}$)|INSTEAD OF ANY{0,6}$|"
    "(?:PREVENT|(?:^|TO|MODAL|ADV)REPORT) [^{STOP}{AND}{COMMA}]{0,12}$|"
    "(?:LAW|ILLEGAL PREP) [^{STOP}{AND}]{0,14}$|"
    "(?<![{YOU}{ONE}])MAY ANY{0,2}$|(?<![{YOU}])ASKED [^{STOP}]{0,8}$|PAST ANY{0,4}$|PREP ANY{0,4} GAME [^{STOP}]{0,8}$"
)
_GOVERNS_AFTER = compiled(
    "BE FEW (?:LAW|ILLEGAL|PREVENT)|I ANY? NEG ANY{0,4} TELL|(?:NEG BE|BE NEG) ANY? TELL|"
    "(?:BE NEG|NOTBE) ANY{0,3} (?:I|FINE)|VIOLATE"
)
_PRETENDED = compiled("PREP ANY{0,4} (?:GAME|CALL OF DUTY)")
_TAKEN_BACK = compiled("COMMA? BUT ADV? (?:HERE|HERES) (?:PRONOUN|YOU)")
_LEAD_IN = compiled("(?:(?<![{WHY}])NEG (?!HARD)|LAW|PREVENT)")
_SAYS_NO = compiled("NO$")  # "No: ..." answers something, and bans nothing
_COLON, _STOP, _COMMA = charset("COLON"), charset("STOP"), compiled("COMMA")
_WARNED = compiled("YOU MAY ADV{0,2} (?:ACCIDENT SELF|HURTS)")  # "you could hurt yourself" warns
_SUPPOSED = compiled("IF [^{COMMA}]{0,14}$")
_WANTED = compiled("IF YOU ADV? (?:WANT|URGE|MODAL)")
_HELPED = compiled("[^{STOP}]{0,14} COMMA ADV{0,2} SEEK")
_BY_OTHERS = compiled("VILLAIN [^{STOP}]{0,14}$")


def is_governed(tags: str, start: int, end: int) -> bool:
    """Whether the words around a match make it a refusal, a ban, a defence or a report."""
    after = tags[end : end + _WORDS_AFTER]
    closing = _SENTENCE_END.search(after)
    if _TAKEN_BACK.match(after[closing.start() - 1 if closing and closing.start() else 0 :]):
        return False
    before = tags[max(0, start - _WORDS_BEFORE) : start]
    clause = _CONCEDED.split(before)[-1]
    clause = _CUT.split(clause)[-1]
    if _WARNED.match(tags, start) or _BY_OTHERS.search(before) or _is_supposed(clause, tags, start, end):
        return True
    if _GOVERNS_BEFORE.search(clause) or _PRETENDED.search(tags, start, end + 6):
        return True
    if _GOVERNS_AFTER.search(after[: closing.start()] if closing else after):
        return True
    return not clause and _in_banned_list(tags[max(0, start - _LIST) : start])


def _is_supposed(clause: str, tags: str, start: int, end: int) -> bool:
    """Whether a match is only assumed: "if you think of ..., call ..."; not "if you want to ..., take ..."."""
    supposed = _SUPPOSED.search(clause)
    if not supposed or _COMMA.match(tags, start):
        return False
    place = start - len(clause) + supposed.start()
    return not _WANTED.match(tags, place) or _HELPED.match(tags, end) is not None


def _in_banned_list(before: str) -> bool:
    """Whether the line that opens a list forbids what is in it."""
    colon = re.search(f"{_COLON}(?![^{_COLON[1:-1]}]*{_COLON})", before)
    if not colon or re.search(_STOP, before[colon.end() :]):
        return False
    lead_in = _CUT.split(before[: colon.start()])[-1]
    return _LEAD_IN.search(lead_in) is not None and not _SAYS_NO.search(lead_in)
