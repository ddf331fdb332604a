"""How often does the gate decide, how often wrongly, and what does it cost? Made-up pipelines with known truth.

    python benchmarks/gate.py [--programmes N] [--jobs N] [--seed N] [--cell WORDS]

Each programme is two versions, a grader and people who look as the look page asks them to: 20 pairs, then ten by ten,
what is called bad once more and blind, and the other answers of what changed for good. After each step the whole
default gate decides. Unless said otherwise: 130 questions, 5 runs a side, one question in ten sometimes wrong and one
in ten sometimes unsupported (3 % each), one in ten refused, a grader that sees 90 % of what is bad and doubts 3 % of
the rest; `words` is the share of answers that are worded anew. Covered: how often the ends of the interval of `wrong`
lie on the right sides of the true change, at the last step.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import median
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.records import CANNOT_TELL, Agreed, Drawn, Label, agreed
from surefoot.core.types import Question, Trace, Verdict
from surefoot.gate.decide import Request
from surefoot.gate.looks import Diff, askings, change_of, diff_of, lasting_of, noise_of
from surefoot.gate.metrics import METRICS, Rule
from surefoot.gate.sides import Reading, Run, apply_labels, asked_of, readings_of, side_of
from surefoot.jobs.gate import SECONDS_A_KEY, GateResult, compare
from surefoot.jobs.settings import load_gate as load

MOST_STEPS = 150
_BAD = ("wrong", "unsupported")
_MARGINS = {"wrong": 0.03, "unsupported": 0.05, "acceptable": 0.06}  # of the default gate
_GRADER = "grader@1"
_RULES = [Rule.parse(text, name) for name, text in load("ship").items()]


class World(Struct, frozen=True, kw_only=True):
    """Two versions of a pipeline, its grader, and the people who look."""

    questions: int = 130
    runs: int = 5
    rise: float = 0.0  # of the share of wrong answers
    level: float = 0.9  # how often a question that got worse is wrong
    mended: int = 0  # questions that were wrong and are no more
    varying: float = 0.1
    unsupported: float = 0.1  # the share of questions that are sometimes unsupported
    words: float = 0.25
    sees: float = 0.9
    doubts: float = 0.03
    unseen: bool = False  # the grader does not see what is new
    slips: float = 0.0
    cannot_tell: float = 0.0
    deterministic: bool = False
    known_base: bool = False  # people have labelled the baseline before
    bad_document: bool = False  # ten questions share a document, and all are wrong in one run of the candidate
    only_wrong: bool = False  # decided by the two rules on wrong alone


class Programme(NamedTuple):
    outcome: str
    pairs: int
    keys: int
    low_holds: bool | None  # None where there is no interval yet
    high_holds: bool | None


class Simulation:
    """One programme: what both versions say, what the grader makes of it, and what people have said so far."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.rng = world, np.random.default_rng(seed)
        n, few = world.questions, round(world.varying * world.questions)
        wrong = np.where(np.arange(n) < few, self.rng.uniform(0.05, 0.55, n), 0.0)
        stable = self.rng.permutation(np.arange(few, n))
        mended, pick = stable[: world.mended], stable[world.mended :]
        wrong[mended] = world.level
        after = wrong.copy()
        after[mended] = 0.0
        count = max(1, round(world.rise * n / world.level)) if world.rise else 0
        if count:
            after[pick[:count]] = min(1.0, world.rise * n / count)
        loose = pick[count : count + round(world.unsupported * n)]
        self.wrong, self.unsupported = (wrong, after), np.zeros(n)
        self.unsupported[loose] = self.rng.uniform(0.05, 0.55, len(loose))
        self.refused = set(pick[count + len(loose) :][: round(0.1 * n)].tolist())
        self.failing = set(pick[-10:].tolist()) if world.bad_document else set()
        self.fails_in = int(self.rng.integers(world.runs))
        self.change = float((after - wrong).mean())
        self.truth: dict[str, str] = {}
        self.graded: dict[str, tuple[str, float]] = {}
        self.rows: dict[str, list[Label]] = {}
        self.words: dict[str, Agreed] = {}
        self.fresh: set[str] = set()  # keys whose labels the runs do not have yet
        self.keys = 0
        self.bare: Diff | None = None
        self.runs: tuple[list[Run], list[Run]] = ([], [])
        for side in (0, 1):
            self.ask(side, range(n), world.runs)

    def ask(self, side: int, questions: Iterable[int], times: int) -> None:
        """A run more of one version; of some questions it is a partial one."""
        chosen, number = list(questions), len(self.runs[side])
        verdicts, traces, versions = list[Verdict](), dict[tuple[str, int], Trace](), dict[tuple[str, int], str]()
        for i in chosen:
            for attempt in range(1, times + 1):
                key = self.said(side, i, attempt - 1, f"{side}.{number}.{attempt}")
                place, (word, sure) = (f"q{i}", attempt), self.graded[key]
                said: dict[str, str | int] = {"factuality": word, "extra_claim_count": int(i % 20 == 0)}
                said = {"factuality": word, "refusal_quality": 1 + i % 2} if word == "refused" else said
                verdicts += [
                    Verdict(
                        question_id=place[0], attempt=attempt, axis=axis, value=value, grader=_GRADER, confidence=sure
                    )
                    for axis, value in said.items()
                ]
                traces[place], versions[place] = Trace(question_id=place[0], answer=key, attempt=attempt), key
        asked = {f"q{i}": Question(f"q{i}", f"question {i}?", "answer", metadata={"doc": self.document(i)})
                 for i in chosen}  # fmt: skip
        run = Run(
            f"v{side}-{number}", verdicts, asked, traces, versions, (_GRADER,), attempts=times,
            deterministic=self.world.deterministic, partial=number > 0,
        )  # fmt: skip
        apply_labels(run, [row for key in set(versions.values()) for row in self.rows.get(key, ())])
        self.runs[side].append(run)
        self.bare = None

    def document(self, i: int) -> str:
        return "bad" if i in self.failing else f"d{i}"

    def said(self, side: int, i: int, run: int, asking: str) -> str:
        """The key of what a version says, whose truth and verdict are known then."""
        rng, lot, chance = self.rng, self.rng.random(), self.wrong[side][i]
        bucket = "wrong" if lot < chance else "unsupported" if lot < chance + self.unsupported[i] else "correct"
        if bucket == "correct" and i in self.refused:
            bucket = "refused"
        if side and i in self.failing and run == self.fails_in:
            bucket = "wrong"
        variant = int(rng.integers(3)) if bucket in _BAD else int(rng.random() > 0.93)
        key = f"{i}:{bucket}:{variant}" + (f":{asking}" if rng.random() < self.world.words else "")
        if key not in self.truth:
            self.truth[key] = bucket
            is_new = chance > self.wrong[0][i] and bucket == "wrong"
            sees = 0.0 if self.world.unseen and is_new else self.world.sees
            flagged = rng.random() < (sees if bucket in _BAD else self.world.doubts)
            good = "refused" if bucket == "refused" else "correct"
            word = (bucket if bucket in _BAD else "wrong") if flagged else good
            self.graded[key] = word, float(rng.uniform(0.5, 1.0))
        return key

    def label(self, key: str, *, free: bool = False) -> None:
        """One person looks at an answer, or looks again; what they call bad comes again, until it counts."""
        rows = self.rows.setdefault(key, [])
        drawn: Drawn = "again" if rows else "look"
        for number in range(len(rows), len(rows) + 3):
            unsure = not number and self.rng.random() < self.world.cannot_tell
            says, slips = self.truth[key], self.rng.random() < self.world.slips
            says = ("correct" if says in _BAD else "wrong") if slips else says
            rows.append(Label(
                id=f"{key}-{number}", at=f"2026-01-01T00:00:00.{number:06d}+00:00", annotator="ann", question_id="",
                axis="factuality", value=None if unsure else says, note=CANNOT_TELL if unsure else "", version=key,
                drawn=drawn,
            ))  # fmt: skip
            self.keys += not free
            drawn, word = "again", agreed(rows)
            if word is None or word.pending is None:
                break
        if word is not None:
            self.words[key] = word
        self.fresh.add(key)

    def look(self, readings: Iterable[Reading]) -> None:
        for key in dict.fromkeys(one.key for one in readings):
            self.label(key)

    def diff(self) -> Diff:
        """What differs, with what people have said so far; the order of the pairs never depends on that."""
        if self.bare is None:
            asked, _, _ = asked_of(*self.runs)
            base, cand = (side_of(runs, asked, name) for runs, name in zip(self.runs, ("base", "cand"), strict=True))
            self.bare = diff_of(readings_of(base, cand))
        now = {(one.question, one.key): self.labelled(one) for some in self.bare.readings.values() for one in some}
        return Diff(
            {id: tuple(now[id, one.key] for one in some) for id, some in self.bare.readings.items()},
            tuple(one._replace(base=now[one.question, one.base.key], cand=now[one.question, one.cand.key])
                  for one in self.bare.pairs),
            self.bare.alike,
        )  # fmt: skip

    def labelled(self, one: Reading) -> Reading:
        if one.key not in self.words:
            return one
        word = self.words[one.key]
        label, pending = str(word.value or CANNOT_TELL), str(word.pending or "")
        return replace(one, label=label, pending=pending, looks=word.looks)

    def is_open(self, diff: Diff) -> bool:
        """True where the whole gate would say for certain that people have to look at more pairs."""
        if not diff.unseen or not diff.enough:
            return bool(diff.unseen)
        documents = {f"q{i}": self.document(i) for i in range(self.world.questions)}
        statuses = list[str]()
        for name, margin in _MARGINS.items():
            bad = METRICS[name].bad
            noise = noise_of(askings(diff, bad, 0), askings(diff, bad, 1), documents, (self.world.deterministic,) * 2)
            change = change_of(diff, bad, noise)
            statuses.append("fail" if change.low > 0 else "pass" if change.high <= margin else "open")
            if self.world.only_wrong:
                break
        return "fail" not in statuses and "open" in statuses

    def looked_at(self) -> Diff:
        """Look at pairs as long as the gate would ask for more of them."""
        while self.is_open(diff := self.diff()):
            pairs = diff.unseen[: diff.looks_wanted]
            self.look(one for pair in pairs for one in (pair.base, pair.cand) if one.label is None)
        return diff

    def decide(self, rules: Sequence[Rule], cannot_ask: Sequence[int] = ()) -> GateResult:
        rows = [row for key in sorted(self.fresh) for row in self.rows[key]]
        for run in (*self.runs[0], *self.runs[1]):
            apply_labels(run, rows)
        self.fresh.clear()
        return compare(*self.runs, rules, Request(called=("v1", "v2"), cannot_ask=cannot_ask))

    def step(self, diff: Diff) -> bool:
        """Do what the gate asks for beside looks at pairs; False where there is nothing."""
        lasting = [lasting_of(diff, bucket, deterministic=self.world.deterministic) for bucket in _BAD]
        if waiting := [one for some in lasting for one in some.to_look]:
            self.look(waiting)
            return True
        to_ask = sorted({int(id[1:]) for some in lasting for id in some.to_ask})
        for side in (0, 1) if to_ask else ():
            there = min(sum(len(one.base if not side else one.cand) for one in diff.readings[f"q{i}"]) for i in to_ask)
            if (more := max(some.times for some in lasting) - there) > 0:
                self.ask(side, to_ask, more)
        return bool(to_ask)


def programme(world: World, seed: int) -> Programme:
    """One journey: decide, do what is asked for, decide again."""
    made = Simulation(world, seed)
    if world.known_base:
        for key in sorted({key for run in made.runs[0] for key in run.versions.values()}):
            made.label(key, free=True)
    rules = [rule for rule in _RULES if not world.only_wrong or rule.metric in ("wrong", "newly_wrong")]
    for _ in range(MOST_STEPS):
        diff = made.looked_at()
        found = made.decide(rules)
        if found.outcome != "INCONCLUSIVE" or not made.step(diff):
            break
    rule = next(one for one in found.rules if one.name == "wrong")
    if rule.low is None or rule.high is None:
        return Programme(found.outcome, found.looked_at, made.keys, None, None)
    true = made.change * world.questions
    return Programme(found.outcome, found.looked_at, made.keys, rule.low <= true + 1e-9, rule.high >= true - 1e-9)


_DETERMINISTIC = World(runs=1, varying=0.0, unsupported=0.0, words=0.3, deterministic=True)
_FALSE = 1_000  # programmes where a wrong decision is what counts


def cells() -> Iterable[tuple[str, World, str, bool]]:
    """Name, world, what is wanted, and whether wrong decisions are what counts."""
    for words in (0.25, 1.0):
        base, of = World(words=words), f", words {words:g}"
        yield f"unchanged{of}", base, "SHIP >= .85", True
        yield f"unchanged, the rules on wrong alone{of}", replace(base, only_wrong=True), "SHIP >= .95", True
        yield f"unchanged, baseline labelled before{of}", replace(base, known_base=True), "SHIP >= .85", False
        for runs in (1, 3, 8):
            yield f"unchanged, {runs} runs{of}", replace(base, runs=runs), "", False
        for n in (60, 400):
            yield f"unchanged, {n} questions{of}", replace(base, questions=n), "", False
        yield f"unchanged, 10 % wrong{of}", replace(base, varying=0.33), "", False
        yield f"unchanged, blind grader{of}", replace(base, sees=0.0), "", False
        yield f"+3{of}", replace(base, rise=0.03), "SHIP <= .05", False
        yield f"+3, thin, blind grader{of}", replace(base, rise=0.03, level=0.1, sees=0.0), "SHIP <= .13", False
        yield f"+6{of}", replace(base, rise=0.06), "SHIP <= .02", False
        yield f"+6, thin{of}", replace(base, rise=0.06, level=0.2), "SHIP <= .02", False
        yield f"+6 nobody sees{of}", replace(base, rise=0.06, unseen=True), "SHIP <= .02", True
        yield f"+6 nobody sees, 400{of}", replace(base, rise=0.06, unseen=True, questions=400), "SHIP <= .02", False
        yield f"grader doubts 40 %{of}", replace(base, doubts=0.4), "", False
        yield f"mends 8, breaks 8{of}", replace(base, mended=8, rise=8 * 0.9 / 130), "BLOCK <= .05", False
        one = replace(base, rise=1 / base.questions, level=1.0)
        yield f"one lasting error more, seen{of}", one, "", False
        yield f"one lasting error more, unseen{of}", replace(one, unseen=True), "", False
        for slips in (0.01, 0.05):
            yield f"people slip {slips:.0%}{of}", replace(base, slips=slips), "BLOCK <= .03", True
        yield f"cannot tell 5 %{of}", replace(base, cannot_tell=0.05), "", False
        yield f"a document fails in one run{of}", replace(base, bad_document=True), "BLOCK <= .05", False
    det = _DETERMINISTIC
    yield "deterministic, unchanged", det, "SHIP >= .95", False
    one = replace(det, rise=1 / det.questions, level=1.0)
    yield "deterministic, one error more, seen", one, "", False
    yield "deterministic, one error more, unseen", replace(one, unseen=True), "", False
    for slips in (0.01, 0.05):
        yield f"deterministic, people slip {slips:.0%}", replace(det, slips=slips), "BLOCK <= .03", True
    both = replace(det, questions=400, mended=60, rise=72 / 400, level=1.0, sees=0.0)
    yield "deterministic, 400 questions, mends 60 breaks 72, blind grader", both, "", False


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--programmes", type=int, default=400)
    given.add_argument("--jobs", type=int, default=os.cpu_count())
    given.add_argument("--seed", type=int, default=77)
    given.add_argument("--cell", default="", help="only cells whose name holds these words")
    options = given.parse_args()
    heads = ("cell", "SHIP", "BLOCK", "pairs", "keys", "minutes", "low covers", "high covers", "wanted")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with ProcessPoolExecutor(options.jobs) as pool:
        for number, (name, world, wanted, is_false) in enumerate(cells()):
            if options.cell not in name:
                continue
            count = options.programmes * _FALSE // 400 if is_false else options.programmes
            seeds = range(options.seed * 10**7 + number * 10**4, options.seed * 10**7 + number * 10**4 + count)
            done = list(pool.map(partial(programme, world), seeds, chunksize=4))
            print(line(name, done, wanted), flush=True)


def line(name: str, done: Sequence[Programme], wanted: str) -> str:
    ship, block = (sum(one.outcome == outcome for one in done) / len(done) for outcome in ("SHIP", "BLOCK"))
    pairs, keys = median(one.pairs for one in done), median(one.keys for one in done)
    covers = []
    for ends in ([one.low_holds for one in done], [one.high_holds for one in done]):
        known = [end for end in ends if end is not None]
        covers.append(f"{sum(known) / len(known):.2f}" if known else "-")
    told = [f"{ship:.3f}", f"{block:.3f}", f"{pairs:g}", f"{keys:g}", f"{keys * SECONDS_A_KEY / 60:.0f}", *covers]
    return f"| {name} | {' | '.join(told)} | {wanted} |"


if __name__ == "__main__":
    main()
