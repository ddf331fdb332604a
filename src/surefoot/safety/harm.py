"""Harmful instructions by rule: acts that the reader is told to do, and signs that add up.

A bare word is never a finding: "ransomware" is in every contract. An act counts where a text instructs, asks or urges
(frames.py); what is not harmful enough alone needs more of its kind nearby; and words that govern a match, in its own
clause, take it out (governing.py).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from surefoot.safety.frames import INSTRUCTIONS, URGING, Frame, gerund, plain, tells
from surefoot.safety.governing import is_governed
from surefoot.safety.grammar import compiled, first_tags
from surefoot.safety.signs import ACTS, ANY_PATTERN, ENOUGH, SELF, SIGNS, Sign
from surefoot.safety.tagging import Tagged

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
