"""How common each bucket is in all traffic, from a sample in which some kinds of answers are overrepresented."""

from __future__ import annotations

from math import fsum

import numpy as np
from msgspec import Struct

from surefoot.core.intervals import covering, drawn_shares, wilson
from surefoot.core.table import BUCKETS
from surefoot.monitor.sampling import STRATA, Stratum

UNGRADED = "ungraded"
COUNTED: tuple[str, ...] = (*BUCKETS, UNGRADED)


class Rate(Struct, frozen=True):
    """The share of a bucket in all traffic with its 95 % interval, or None and why there is none. `n` is how many
    answers, drawn evenly from all traffic, would tell as much as those that were graded."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: float = 0.0
    reason: str | None = None


class Tally(Struct):
    """Answers by stratum: how many there were, and the buckets of those that were graded."""

    seen: dict[str, int] = {}
    graded: dict[Stratum, dict[str, int]] = {}

    def see(self, stratum: Stratum) -> None:
        self.seen[stratum] = self.seen.get(stratum, 0) + 1

    def grade(self, stratum: Stratum, bucket: str | None) -> None:
        counted = self.graded.setdefault(stratum, {})
        counted[bucket or UNGRADED] = counted.get(bucket or UNGRADED, 0) + 1

    @property
    def sampled(self) -> int:
        return sum(sum(counted.values()) for counted in self.graded.values())

    @property
    def buckets(self) -> dict[str, int]:
        """Of the sample as it is, not of all traffic."""
        return {bucket: sum(counted.get(bucket, 0) for counted in self.graded.values()) for bucket in COUNTED}

    def rates(self) -> dict[str, Rate]:
        return {bucket: self._rate(bucket) for bucket in COUNTED}

    def _rate(self, bucket: str) -> Rate:
        """Each stratum counts by its share of the traffic, whatever share of it was graded.

        Where a stratum was seen and none of it graded, the others speak for it, and the interval allows for anything
        there.
        """
        known = {one: sum(self.graded[one].values()) for one in STRATA if one in self.graded}
        seen, everything = {one: self.seen[one] for one in known}, sum(self.seen.values())
        total = sum(seen.values())
        if not total:
            return Rate(None, reason="no answer was sampled" if everything else "no new answer was seen")
        events = {one: self.graded[one].get(bucket, 0) for one in known}
        value = min(1.0, fsum(seen[one] / total * events[one] / known[one] for one in known))
        n_even = total**2 / sum(seen[one] ** 2 / known[one] for one in known)
        if events == known or not any(events.values()):
            share = float(events == known)
            return Rate(share, *wilson(share * n_even, n_even), n_even)
        groups = [one for one in STRATA if one in self.seen]
        n, m, k = (np.array([float(of.get(one, 0)) for one in groups]) for of in (self.seen, known, events))
        weights, ways = drawn_shares(n, m, k, 0.5 * n / everything)
        low, high = covering([(weights * shares).sum(axis=1) for shares in ways])
        return Rate(value, max(0.0, min(low, value)), min(1.0, max(high, value)), n_even)
