"""What differs between two versions, what people saw of it, and how far a count may have changed.

An answer that both versions give alike changes no count. The others are paired, people look at pairs, doubted ones
first, and only about the pairs that nobody looked at is anything estimated. No error rate of the grader enters.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.core.records import CANNOT_TELL, MOST_LOOKS, Drawn
from surefoot.core.table import ACCEPTABLE
from surefoot.gate.sides import Reading

Numbers = NDArray[np.float64]
Bad = Callable[[str], float]  # what a bucket adds to a count that should not rise
LOW, HIGH = 0.01, 0.975  # the ends of every interval: above 0 blocks, within the margin ships
DRAWS = 4_000
FEWEST_LOOKS = 10  # in each stratum that is not finished, before anything is estimated
FIRST_LOOKS, MORE_LOOKS = 20, 10
_LEAST_SURE = 0.1  # of the readings in pairs that differ
_SEED = 20
_EVERYBODYS = 5  # of so many answers of one version, one goes to everybody: that is how far people agree
_ROUND = 9  # digits: thirds and sevenths do not add up to the last bit


class Look(Struct, frozen=True):
    """What one person sees at once: two answers to a question, or one."""

    keys: tuple[str, ...]
    drawn: Drawn = "look"
    shared: bool = False  # it goes to everybody, whoever has labelled it


class Pair(NamedTuple):
    """An answer of the baseline beside one of the candidate that says something else."""

    base: Reading
    cand: Reading
    weight: float  # of one question
    doubted: bool

    @property
    def question(self) -> str:
        return self.base.question

    @property
    def looked_at(self) -> bool:
        return self.base.label is not None and self.cand.label is not None

    def worse(self, bad: Bad, cannot_tell: float) -> float:
        """By how much the candidate is worse here. What people cannot tell counts as given, on both sides alike.

        Where they can tell neither, or a version gave no answer, nothing is known of the change: it counts as given
        itself.
        """
        base, cand = (None if one.label in (None, CANNOT_TELL) else bad(one.label) for one in (self.base, self.cand))
        if (base is None and cand is None) or not (self.base.key and self.cand.key):
            return cannot_tell
        return (cannot_tell if cand is None else cand) - (cannot_tell if base is None else base)


class Diff(Struct, frozen=True):
    """All readings of both versions, and the pairs that differ in the order in which to look at them."""

    readings: dict[str, tuple[Reading, ...]]  # by question
    pairs: tuple[Pair, ...]
    alike: int = 0  # pairs that say the same

    @property
    def unseen(self) -> list[Pair]:
        return [pair for pair in self.pairs if not pair.looked_at]

    def among(self, questions: Collection[str]) -> Diff:
        """The part of it that is about some questions."""
        kept = {id: some for id, some in self.readings.items() if id in questions}
        return Diff(kept, tuple(pair for pair in self.pairs if pair.question in kept))

    def stratum(self, doubted: bool) -> tuple[list[Pair], list[Pair], list[Pair]]:
        """Looked-at pairs that chance put first, and that teach; other looked-at pairs; and the rest."""
        own = [pair for pair in self.pairs if pair.doubted == doubted]
        first = next((place for place, pair in enumerate(own) if not pair.looked_at), len(own))
        later = own[first:]
        return own[:first], [one for one in later if one.looked_at], [one for one in later if not one.looked_at]

    @property
    def enough(self) -> bool:
        """Whether people looked at so much that anything can be estimated."""
        parts = (self.stratum(doubted) for doubted in (True, False))
        return all(len(taught) >= FEWEST_LOOKS or not left for taught, _, left in parts)

    @property
    def looks_wanted(self) -> int:
        """How many unseen pairs to look at before deciding again."""
        seen = len(self.pairs) - len(self.unseen)
        step = FIRST_LOOKS - seen if seen < FIRST_LOOKS else MORE_LOOKS - seen % MORE_LOOKS
        return min(step, len(self.unseen))


def diff_of(readings: Mapping[str, Sequence[Reading]]) -> Diff:
    """Pair all answers of both versions to each question: equal readings with each other, the rest at random.

    Chance is a hash of what was said: whoever decides again, or calls a version otherwise, draws the same.
    """
    alike, found = 0, list[tuple[Reading, Reading, float, int]]()
    for some in readings.values():
        of_base, of_cand = (sum(map(len, runs)) for runs in zip(*((one.base, one.cand) for one in some), strict=True))
        if not of_base or not of_cand:
            continue
        each = math.lcm(of_base, of_cand)
        left, right = list[tuple[Reading, int]](), list[tuple[Reading, int]]()
        for one in some:
            base, cand = len(one.base) * each // of_base, len(one.cand) * each // of_cand
            left += [(one, number) for number in range(base - min(base, cand))]
            right += [(one, number) for number in range(cand - min(base, cand))]
            alike += min(base, cand)
        left.sort(key=lambda one: _chance("base", one[0].question, one[0].key, one[1]))
        right.sort(key=lambda one: _chance("cand", one[0].question, one[0].key, one[1]))
        found += [(b, c, 1 / each, at) for at, ((b, _), (c, _)) in enumerate(zip(left, right, strict=True))]
    in_pairs = {(one.question, one.key): one for base, cand, *_ in found for one in (base, cand)}
    by_sureness = sorted(in_pairs, key=lambda key: (in_pairs[key].sureness, _chance(*key)))
    unsure = set(by_sureness[: math.ceil(_LEAST_SURE * len(by_sureness))])

    def is_doubted(one: Reading) -> bool:
        return one.graded not in ACCEPTABLE or (one.question, one.key) in unsure

    pairs = [(Pair(base, cand, weight, is_doubted(base) or is_doubted(cand)), at) for base, cand, weight, at in found]
    pairs.sort(key=lambda one: (not one[0].doubted, _chance(one[0].base.key, one[0].cand.key, one[1])))
    return Diff({id: tuple(some) for id, some in readings.items()}, tuple(pair for pair, _ in pairs), alike)


def single_order(
    buckets: Mapping[str, str], seed: str, *, target: int, unsure: Collection[str] = ()
) -> Iterator[Look]:  # fmt: skip
    """Every answer of one version once, by the bucket that a grader chose, which is "" where it chose none.

    It depends on nothing but its arguments, so a server that is started again goes on where it was.
    """
    by_lot = sorted(buckets, key=lambda key: _chance(seed, key))
    doubted = [key for key in by_lot if key in unsure][: math.ceil(target / 2)]
    is_graded, taken, flagged = any(buckets.values()), {*doubted}, list[str]()
    others: defaultdict[str, list[str]] = defaultdict(list)  # by bucket
    for key in by_lot:
        if key not in taken:
            bad = is_graded and buckets[key] not in ACCEPTABLE
            (flagged if bad else others[buckets[key]]).append(key)
    # Answers of each verdict come as often as the root of their number: rare ones sooner than by chance alone.
    turns = [((number + 0.5) / math.sqrt(len(keys)), bucket, key)
             for bucket, keys in others.items() for number, key in enumerate(keys)]  # fmt: skip
    most = math.ceil((target - len(doubted)) / 2)  # flagged ones beyond come last
    order: list[tuple[str, Drawn]] = [(key, "flagged") for key in (*doubted, *flagged[:most])]
    order += [(key, "sample") for *_, key in sorted(turns)]
    order += [(key, "flagged") for key in flagged[most:]]
    for number, (key, drawn_as) in enumerate(order, 1):
        yield Look((key,), drawn_as, number % _EVERYBODYS == 0)


def _chance(*of: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, of)).encode(errors="surrogatepass")).digest()


class Change(Struct, frozen=True):
    """How far a count per question changed, and between which ends (1 % and 97.5 %) that lies."""

    value: float
    low: float
    high: float


def change_of(diff: Diff, bad: Bad, noise: float) -> Change:
    """`noise` is the variance that asking again would add."""
    if not diff.pairs:
        return Change(0.0, 0.0, 0.0)
    rng, ends = np.random.default_rng(_SEED), list[Numbers]()
    for cannot_tell in (1.0, 0.0):  # bad on both sides for SHIP, good on both for BLOCK
        total = np.zeros(DRAWS)
        for doubted in (True, False):
            taught, others, left = diff.stratum(doubted)
            seen = [*taught, *others]
            values = _worse(seen, bad, cannot_tell)
            total += sum(value * pair.weight for value, pair in zip(values, seen, strict=True))
            if left:
                total += _unseen(values[: len(taught)], taught, left, rng)
        ends.append(total / len(diff.readings))
    shock = math.sqrt(noise) * rng.standard_normal(DRAWS)
    high, low = np.quantile(ends[0] + shock, HIGH), np.quantile(ends[1] + shock, LOW)
    value = float(ends[0].mean() + ends[1].mean()) / 2
    return Change(*(round(float(one), _ROUND) + 0.0 for one in (value, min(low, value), max(high, value))))


def _worse(pairs: Sequence[Pair], bad: Bad, cannot_tell: float) -> list[float]:
    """By how much each is worse. What people cannot tell of the baseline is no gain.

    It makes up for as many answers of the candidate of which they cannot tell, and for no others.
    """
    values = [pair.worse(bad, cannot_tell) for pair in pairs]
    open_ = [(pair.base.label == CANNOT_TELL, pair.cand.label == CANNOT_TELL) for pair in pairs]
    for place in [n for n, sides in enumerate(open_) if sides == (True, False)][open_.count((False, True)) :]:
        values[place] += cannot_tell
    return values


def _unseen(found: Sequence[float], taught: Sequence[Pair], left: Sequence[Pair], rng: np.random.Generator) -> Numbers:
    """Draw what the pairs that nobody looked at add. Pairs of one question go together, so questions count."""
    questions = len({pair.question for pair in taught})
    each = questions / max(1, len(found))
    up, down = each * sum(one > 0 for one in found), each * sum(one < 0 for one in found)
    share = rng.dirichlet([up + 0.5, down + 0.5, max(questions - up - down, 0) + 0.5], DRAWS)
    got = rng.standard_gamma(np.maximum(len({pair.question for pair in left}) * share, 1e-9))
    got /= got.sum(axis=1, keepdims=True)
    return np.asarray(sum(pair.weight for pair in left) * (got[:, 0] - got[:, 1]))


Asked = Mapping[str, Sequence[float | None]]  # by question, what it adds in each asking; None where that is not known


def mean_change(base: Asked, cand: Asked, documents: Mapping[str, str], deterministic: tuple[bool, bool]) -> Change:
    """Return the change of a mean over questions that both versions have, where nobody has to look."""
    both = [id for id in base if _known(base[id]) and _known(cand.get(id, ()))]
    if not both:
        return Change(0.0, 0.0, 0.0)
    value = float(np.mean([np.mean(_known(cand[id])) - np.mean(_known(base[id])) for id in both]))
    noise = noise_of({id: base[id] for id in both}, {id: cand[id] for id in both}, documents, deterministic)
    low, high = (value + math.sqrt(noise) * NormalDist().inv_cdf(end) for end in (LOW, HIGH))
    return Change(*(round(one, _ROUND) + 0.0 for one in (value, low, high)))


def _known(values: Sequence[float | None]) -> list[float]:
    return [one for one in values if one is not None]


def noise_of(base: Asked, cand: Asked, documents: Mapping[str, str], deterministic: tuple[bool, bool]) -> float:
    """Return the variance that asking both versions again would add to the change per question.

    Answers vary by question, by document or by run: the largest of the three counts. A question that was asked more
    often than the others counts with as many askings as they have.
    """
    times = [min(map(len, side.values()), default=1) for side in (base, cand)]
    varying = [count for count, fixed in zip(times, deterministic, strict=True) if not fixed]
    if not varying:
        return 0.0
    tables = [_table(side, count) for side, count in zip((base, cand), times, strict=True)]
    if min(varying) < 2:
        return float(((tables[1].mean(axis=1) - tables[0].mean(axis=1)) ** 2).sum() + 3) / len(base) ** 2
    units = np.unique([documents.get(id, f"?{id}") for id in base], return_inverse=True)[1]
    again = [_variation(table, units) for table, fixed in zip(tables, deterministic, strict=True) if not fixed]
    total = 1 / min(varying) + sum(again)
    return total / len(base) ** 2


def _table(side: Asked, count: int) -> Numbers:
    """A row a question, a column an asking; what is not known is as the others to that question."""
    rows = ([one if one is not None else float(np.mean(_known(values) or [0.5])) for one in values[:count]]
            for values in side.values())  # fmt: skip
    return np.array(list(rows), dtype=float)


def _variation(values: Numbers, units: NDArray[np.intp]) -> float:
    by_document = np.zeros((units.max() + 1, values.shape[1]))
    np.add.at(by_document, units, values)
    sums = (values, by_document, values.sum(axis=0, keepdims=True))
    return max(float(one.var(axis=1, ddof=1).sum()) for one in sums) / int(values.shape[1])


def askings(diff: Diff, bad: Bad, side: int) -> dict[str, list[float | None]]:
    """What each asking of a version adds to a count: by people, else by the grader; None where nobody can tell."""
    found: dict[str, list[float | None]] = {}
    for id, readings in diff.readings.items():
        values: dict[str, float | None] = {}
        for one in readings:
            word = one.graded if one.label is None else one.label
            values |= dict.fromkeys((one.base, one.cand)[side], None if word in (None, CANNOT_TELL) else bad(word))
        found[id] = [values[asking] for asking in sorted(values)]
    return found


class Lasting(Struct, frozen=True):
    """Questions that were never bad and always are now, and the other way round; and what it takes to be sure."""

    newly: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    to_look: tuple[Reading, ...] = ()  # other readings of questions that changed, and second and third looks
    to_ask: tuple[str, ...] = ()  # questions that need more askings of both versions
    times: int = 1  # that they need


def lasting_of(diff: Diff, bucket: str, *, deterministic: bool, fixed: Collection[int] = ()) -> Lasting:
    """Count, do not estimate: a question is newly bad if each asking of the candidate is in this bucket, and none of
    the baseline. Before it counts, its new answers were called so three times in all, and its old ones good twice.

    `fixed` are the sides (0 and 1) that can no longer be asked: their askings count as they are.
    """
    better, worse = set[str](), set[str]()
    for pair in diff.pairs:
        base, cand = (None if one.word in (None, CANNOT_TELL) else one.word == bucket for one in (pair.base, pair.cand))
        if base is not None and cand is not None and base != cand:
            (worse if cand > base else better).add(pair.question)
    settled = {id: [_by(diff, id, bucket, side) for side in (0, 1)] for id in sorted(worse | better)
               if all(one.label is not None and not one.pending for one in diff.readings[id])}  # fmt: skip
    newly = [id for id, (base, cand) in settled.items() if id in worse and all(cand) and not any(base)]
    mended = [id for id, (base, cand) in settled.items()
              if id in better and not any(cand) and sum(base) >= max(1, len(base) - 1)]  # fmt: skip
    waiting = sorted(worse | (better if newly else set()))
    to_look = [one for id in waiting for one in diff.readings[id] if one.label is None or one.pending]
    for id in newly if len(newly) > len(mended) else ():
        for of, wanted in (("base", 2), ("cand", MOST_LOOKS)):
            seen = [one for one in diff.readings[id] if getattr(one, of)]
            to_look += seen if sum(one.looks for one in seen) < wanted else []
    times = 1 if deterministic else runs_needed(diff, bucket)
    to_ask = [id for id in newly if any(len(_by(diff, id, bucket, side)) < times for side in {0, 1} - {*fixed})]
    return Lasting(
        tuple(newly), tuple(mended), tuple(to_look), tuple(to_ask if len(newly) > len(mended) else ()), times
    )


def _by(diff: Diff, id: str, bucket: str, side: int) -> list[bool]:
    """Whether each asking of a version was in the bucket; what people cannot tell was not."""
    return [one.label == bucket for one in diff.readings[id] for _ in (one.base, one.cand)[side]]


def runs_needed(diff: Diff, bucket: str) -> int:
    """How often to ask a question so that hardly one of those that vary looks as if it had changed for good."""
    varying = 0
    for readings in diff.readings.values():
        words = (one.graded if one.label is None else one.label for one in readings)
        varying += len({None if word in (None, CANNOT_TELL) else word == bucket for word in words}) > 1
    return math.ceil(math.log(100 * max(1, varying), 4))
