"""Which answers of production are graded.

The choice depends on the answer's name and a seed alone: the same answer, late or twice, is chosen again or not again,
whatever came before it. Answers that refuse, or that somebody flagged, are chosen more often than others; each answer
carries the probability with which it was chosen, so that rates can be reckoned for all traffic.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

from msgspec import Struct

from surefoot.core.errors import UsageError
from surefoot.core.types import Trace
from surefoot.text.normal import is_empty
from surefoot.text.refusals import detect

Stratum = Literal["ordinary", "refused", "flagged"]
STRATA: tuple[Stratum, ...] = ("ordinary", "refused", "flagged")
RATE = 0.01
_OFTENER: dict[Stratum, int] = {"ordinary": 1, "refused": 2, "flagged": 10}  # than an ordinary answer
_LONGEST_READ = 4_000  # characters of an answer in which a refusal is looked for
_NUMBERS = 2**64


class Chosen(Struct, frozen=True):
    """An answer that is to be graded, and the probability with which it was chosen.

    `even` are those that would be chosen if all were chosen at the rate of ordinary ones: an even sample of everything.
    """

    name: str
    stratum: Stratum
    probability: float
    even: bool


class Design(Struct, frozen=True):
    """How answers are chosen. `rate` is that of ordinary ones."""

    rate: float = RATE
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise UsageError(f"the sampling rate is {self.rate:g}", "choose a share above 0, at most 1, such as 0.01")

    def probability(self, stratum: Stratum) -> float:
        return min(1.0, self.rate * _OFTENER[stratum])

    def choose(self, name: str, stratum: Stratum) -> Chosen | None:
        probability, number = self.probability(stratum), number_of(name, self.seed)
        if number >= probability * _NUMBERS:
            return None
        return Chosen(name, stratum, probability, number < self.rate * _NUMBERS)


def number_of(name: str, seed: int = 0) -> int:
    """A number below 2^64 that stands for a name: evenly spread, and the same wherever it is computed."""
    key = seed.to_bytes(16, "big", signed=True)
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8, key=key).digest(), "big")


def stratum_of(trace: Trace, flagged: bool = False) -> Stratum:
    """Failures count as flagged: whoever asked got no answer."""
    answer = trace.answer or ""
    if flagged or trace.error or is_empty(answer):
        return "flagged"
    return "refused" if detect(answer[:_LONGEST_READ]).value == "refused" else "ordinary"
