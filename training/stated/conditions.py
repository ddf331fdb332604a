"""What holds under which condition: rules with one or two conditions or a deadline, and claims that turn them round.

`conditions.toml` has the things that may be said, each in several wordings; a claim takes other ones than its passage.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

from msgspec import Struct

from training.english.rewriting import raised
from training.stated.claims import Claim

Wordings = tuple[str, ...]
_CLAIMS = 6  # of a rule at most


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class Field(Struct, frozen=True):
    """What may follow from what: each thing that `does` names with its denial, in as many wordings."""

    does: tuple[tuple[Wordings, Wordings], ...]
    when: tuple[Wordings, ...]


def _wordings(lines: list[str]) -> tuple[Wordings, ...]:
    return tuple(tuple(line.split(" | ")) for line in lines)


_FIELDS = tuple(
    Field(tuple((holds, fails) for holds, fails in map(_wordings, field["does"])), _wordings(field["when"]))
    for field in _TABLES["field"]
)
_DUTIES, _EVENTS = (_wordings(_TABLES["deadlines"][name]) for name in ("duties", "events"))
_SPANS = ("days", "days", "working days", "weeks", "months")

_BOTH = ("{c} if {a} and {b}", "if {a} and {b}, {c}", "{c}, provided that {a} and {b}", "{c} where {a} and {b}",
         "{c} only if both {a} and {b}", "{c} as long as {a} and {b}", "when {a} and {b}, {c}")  # fmt: skip
_EITHER = ("{c} if {a} or {b}", "if {a} or {b}, {c}", "{c} where either {a} or {b}", "{c} whenever {a} or {b}",
           "{c} if either {a} or {b}", "when {a} or {b}, {c}")  # fmt: skip
_ONE = ("{c} if {a}", "if {a}, {c}", "{c} where {a}", "{c} when {a}", "when {a}, {c}", "{c} in cases where {a}")
_ENOUGH = ("for this it is enough that {a}: {c}", "{c} as soon as {a}", "{c} whenever {a}", *_ONE)
_UNLESS = ("{c} unless {a}", "unless {a}, {c}", "{c}, except where {a}", "except where {a}, {c}",
           "{c}, but not if {a}", "{c} save where {a}")  # fmt: skip
_ONLY = ("{c} only if {a}", "{c} only where {a}", "only if {a} does it hold that {c}", "{c}, but only if {a}",
         "{c} on condition that {a}")  # fmt: skip
_ANYWAY = ("{c} even if {a}", "{c} whether or not {a}", "{c} regardless of whether {a}", "even where {a}, {c}")
_BARE = ("{c}", "in every case, {c}", "{c} without any condition", "{c} under all circumstances")
_SOME = ("{c} under certain conditions", "in some cases {c}", "it depends on the circumstances whether {c}")


def passage_on_conditions(rng: random.Random) -> tuple[list[str], list[Claim]]:
    """Sentences, and claims on them."""
    sentences, claims = rng.choice((_both, _both, _either, _unless, _only, _but_not, _two_rules, _deadlines))(rng)
    return [_sentence(text) for text in sentences], [
        Claim(_sentence(text), label, "condition") for text, label in _balanced(claims, rng)
    ]


def _balanced(claims: list[tuple[str, str]], rng: random.Random) -> list[tuple[str, str]]:
    """As many that hold as that do not."""
    kept = [claim for claim in claims if claim[1] == "supported"]
    others = [claim for claim in claims if claim[1] != "supported"]
    size = min(len(kept), len(others), _CLAIMS // 2)
    return rng.sample(kept, size) + rng.sample(others, size)


def _sentence(text: str) -> str:
    return raised(text) + "."


class _Drawn:
    """One consequence and some conditions of a field, each said otherwise at every call."""

    def __init__(self, rng: random.Random, conditions: int, consequences: int = 1) -> None:
        field = rng.choice(_FIELDS)
        self.rng = rng
        self.does = rng.sample(field.does, consequences)
        self.when = rng.sample(field.when, conditions)
        self.filled = [
            {"n": rng.randint(2, 30), "p": rng.randrange(5, 60, 5), "a": rng.randrange(15, 75, 5)}
            for _ in range(conditions + consequences)
        ]
        self.last: dict[tuple[int, int], str] = {}

    def holds(self, place: int = 0, *, fails: bool = False) -> str:
        return self._other(self.does[place][fails], (2 * place + fails, 0), self.filled[-1 - place])

    def condition(self, place: int) -> str:
        return self._other(self.when[place], (place, 1), self.filled[place])

    def _other(self, wordings: Wordings, key: tuple[int, int], filled: dict[str, int]) -> str:
        """A wording that was not used just before."""
        found = self.rng.choice([wording for wording in wordings if wording != self.last.get(key)])
        self.last[key] = found
        return found.format(**filled)

    def said(self, forms: Wordings, *places: int, fails: bool = False, does: int = 0) -> str:
        """A form filled in, its conditions in either order."""
        parts = [self.condition(place) for place in self.rng.sample(places, len(places))]
        return self.rng.choice(forms).format(c=self.holds(does, fails=fails), **dict(zip("ab", parts, strict=False)))

    def not_enough(self, one: int, other: int) -> str:
        first, second = self.condition(one), self.condition(other)
        return f"it is not enough that {first}; only if, besides, {second}, does it hold that {self.holds()}"


Made = tuple[list[str], list[tuple[str, str]]]


def _both(rng: random.Random) -> Made:
    drawn = _Drawn(rng, 3, consequences=2)
    one, other = rng.sample((0, 1), 2)
    return [drawn.said(_BOTH, 0, 1)], [
        (drawn.said(_BOTH, 0, 1), "supported"),
        (drawn.said(_BOTH, 0, 1), "supported"),
        (drawn.not_enough(one, other), "supported"),
        (drawn.said(_SOME), "supported"),
        (drawn.said(_EITHER, 0, 1), "unsupported"),
        (drawn.said(_ENOUGH, one), "unsupported"),
        (f"{drawn.said(_ONE, one)}, whether or not {drawn.condition(other)}", "unsupported"),
        (drawn.said(_BOTH, one, 2), "unsupported"),
        (drawn.said(_BARE), "unsupported"),
        (drawn.said(_BOTH, 0, 1, fails=True), "contradicted"),
        (drawn.said(_SOME, does=1), "unsupported"),
    ]  # fmt: skip


def _either(rng: random.Random) -> Made:
    drawn = _Drawn(rng, 3)
    one = rng.choice((0, 1))
    return [drawn.said(_EITHER, 0, 1)], [
        (drawn.said(_EITHER, 0, 1), "supported"),
        (drawn.said(_ENOUGH, one), "supported"),
        (drawn.said(_ENOUGH, 1 - one), "supported"),
        (f"{drawn.said(_ONE, one)}, whether or not {drawn.condition(1 - one)}", "supported"),
        (f"{drawn.holds()} only if both {drawn.condition(one)} and {drawn.condition(1 - one)}", "contradicted"),
        (drawn.not_enough(one, 1 - one), "contradicted"),
        (drawn.said(_ENOUGH, 2), "unsupported"),
        (drawn.said(_ONE, one, fails=True), "contradicted"),
        (drawn.said(_BARE), "unsupported"),
    ]  # fmt: skip


def _unless(rng: random.Random) -> Made:
    drawn = _Drawn(rng, 2, consequences=2)
    return [drawn.said(_UNLESS, 0)], [
        (drawn.said(_UNLESS, 0), "supported"),
        (drawn.said(_ONE, 0, fails=True), "supported"),
        (drawn.said(_SOME), "supported"),
        (drawn.said(_ENOUGH, 0), "contradicted"),
        (drawn.said(_ANYWAY, 0), "contradicted"),
        (drawn.said(_ONLY, 0), "contradicted"),
        (drawn.said(_UNLESS, 1), "unsupported"),
        (drawn.said(_SOME, does=1), "unsupported"),
    ]


def _only(rng: random.Random) -> Made:
    drawn = _Drawn(rng, 2, consequences=2)
    return [drawn.said(_ONLY, 0)], [
        (drawn.said(_ONLY, 0), "supported"),
        (drawn.said(_UNLESS, 0, fails=True), "supported"),
        (drawn.said(_SOME), "supported"),
        (drawn.said(_ANYWAY, 0), "contradicted"),
        (drawn.said(_UNLESS, 0), "contradicted"),
        (drawn.said(_BARE), "unsupported"),
        (drawn.said(_ONLY, 1), "unsupported"),
        (drawn.said(_SOME, does=1), "unsupported"),
    ]


def _but_not(rng: random.Random) -> Made:
    """With an exception."""
    drawn = _Drawn(rng, 2)
    forms = ("{c} if {a}, unless {b}", "if {a}, {c}, except where {b}", "where {a}, {c}, but not if {b}")

    def said(one: int, other: int) -> str:
        return rng.choice(forms).format(c=drawn.holds(), a=drawn.condition(one), b=drawn.condition(other))

    return [said(0, 1)], [
        (said(0, 1), "supported"),
        (said(0, 1), "supported"),
        (drawn.said(_ONE, 1, fails=True), "supported"),
        (said(1, 0), "contradicted"),
        (f"{drawn.said(_ONE, 0)}, whether or not {drawn.condition(1)}", "contradicted"),
        (drawn.said(_ENOUGH, 1), "contradicted"),
        (drawn.said(_BOTH, 0, 1), "contradicted"),
    ]


def _two_rules(rng: random.Random) -> Made:
    drawn = _Drawn(rng, 2, consequences=2)
    return [drawn.said(_ONE, 0), drawn.said(_ONE, 1, does=1)], [
        (drawn.said(_ONE, 0), "supported"),
        (drawn.said(_ENOUGH, 1, does=1), "supported"),
        (drawn.said(_ONE, 0), "supported"),
        (drawn.said(_ONE, 1), "unsupported"),
        (drawn.said(_ENOUGH, 0, does=1), "unsupported"),
        (drawn.said(_BARE, does=rng.choice((0, 1))), "unsupported"),
    ]


def _deadlines(rng: random.Random) -> Made:
    duties, events = rng.sample(_DUTIES, 2), rng.sample(_EVENTS, 3)
    span = rng.choice(_SPANS)
    times = [f"{count} {span}" for count in rng.sample(range(2, 61), 2)]
    forms = ("within {t} of {e}, {d}", "{d} within {t} of {e}", "{d} no later than {t} after {e}",
             "{d} not later than {t} following {e}", "{d} in the {t} after {e}")  # fmt: skip

    def said(duty: int, time: int, event: int, given: tuple[str, ...] = forms) -> str:
        return rng.choice(given).format(t=times[time], e=rng.choice(events[event]), d=rng.choice(duties[duty]))

    return [said(0, 0, 0), said(1, 1, 1)], [
        (said(0, 0, 0), "supported"),
        (said(1, 1, 1), "supported"),
        (said(0, 0, 0), "supported"),
        (said(0, 0, 1), "unsupported"),
        (said(0, 0, 2), "unsupported"),
        (said(0, 1, 0), "contradicted"),
        (said(1, 1, 0), "unsupported"),
        (said(0, 0, 0, ("{d} at least {t} before {e}", "{d} no sooner than {t} after {e}")), "contradicted"),
    ]
