"""What each check of the grader earns: decisions that it turns right, and wrong, against none of it.

    python benchmarks/ablation.py --data FOLDER [--grader rules|local|yes] [--share 1] [--sets S,..] [--checks C,..]

Every check is switched off alone. Of each it is noted on which decisions it speaks at all, so that only these are made
again without it. FOLDER has the public data, which is not part of this repository.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from ablation_checks import CHECKS, Off
from ablation_sets import Case, sets_of
from surefoot.graders import local, quotes
from surefoot.graders.features import deciding_sentence
from surefoot.graders.grader import JUDGES
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.rules import Rules


class Yes:
    """A reader that calls every claim supported, by the sentence nearest to it: what quotes.py objects to is left."""

    name = "yes"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        found = [(pair, deciding_sentence(pair.passage, pair.claim)) for pair in pairs]
        return [
            Judgement("not_enough" if quotes.objection([one], pair) else "supported", 1, one) for pair, one in found
        ]

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return [1.0 for _ in asked]


class Sieve(Rules):
    """Calls what the local grader calls, but for the model: to find what its checks speak of."""

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        for pair in pairs:
            local._verbatim(pair)
        return super().judge(pairs)


def caches() -> list[Any]:
    return [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper) and _is_ours(one)]


def _is_ours(one: Any) -> bool:  # noqa: ANN401
    module = str(getattr(one, "__module__", ""))
    of_checks = module.startswith("surefoot.graders") and one.__name__ not in ("tiers_of", "encoder_of", "windows_of")
    return of_checks or (module == "surefoot.text.numbers" and one.__name__ in ("numbered", "placeholders"))


def places(path: str) -> list[tuple[Any, str]]:
    """Wherever a function is bound: in its module or class, and in the modules that import it."""
    module, _, name = path.partition(":")
    owner: Any = importlib.import_module(f"surefoot.{module}")
    *parts, name = name.split(".")
    for part in parts:
        owner = getattr(owner, part)
    if parts:
        return [(owner, name)]
    known = getattr(owner, name)
    modules = [one for key, one in list(sys.modules.items()) if key.startswith("surefoot") and one]
    return [(one, key) for one in modules for key, value in list(vars(one).items()) if value is known]


@contextmanager
def patched(made: list[tuple[str, Callable[[Any], Any]]]) -> Iterator[None]:
    kept = []
    for path, make in made:
        for owner, name in places(path):
            kept.append((owner, name, vars(owner)[name]))
            before = vars(owner)[name]
            is_property = isinstance(before, property)
            inner = make(before.fget if is_property else before)
            kept_as = property(inner) if is_property else inner
            setattr(owner, name, kept_as)
    try:
        yield
    finally:
        for owner, name, value in reversed(kept):
            setattr(owner, name, value)


def off(instead: Off) -> Callable[[Any], Any]:
    return lambda before: lambda *given, **named: instead(before, *given, **named)


def spying(instead: Off, heard: set[str], check: str) -> Callable[[Any], Any]:
    """The check as it is; it is noted where it says something else than without it."""

    def make(before: Any) -> Any:  # noqa: ANN401
        def spy(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            found = before(*given, **named)
            is_iterator = hasattr(found, "__next__")
            found = list(found) if is_iterator else found
            without = instead(before, *given, **named)
            if hasattr(without, "__next__"):
                without = list(without)
            if found != without:
                heard.add(check)
            return iter(found) if is_iterator else found

        return spy

    return make


def decided(case: Case, judge: Any, known: list[Any]) -> str:  # noqa: ANN401
    for one in known:
        one.cache_clear()
    return case[1](judge)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--grader", choices=[*JUDGES, "yes"], default="rules")
    parser.add_argument("--share", type=float, default=1.0, help="of the decisions of each set")
    parser.add_argument("--sets", default="", help="some of them; all if not given")
    parser.add_argument("--checks", default="", help="some of them; all if not given")
    parser.add_argument("--sieve", action="store_true", help="leave out cases where none of the checks speaks")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    judge = (JUDGES | {"yes": Yes})[given.grader]()
    sets = {
        name: cases
        for name, cases in sets_of(given.data, given.share).items()
        if not given.sets or name in given.sets.split(",")
    }
    checks = {name: made for name, made in CHECKS.items() if not given.checks or name in given.checks.split(",")}
    known, heard = caches(), set[str]()
    spies = [(path, spying(instead, heard, name)) for name, made in checks.items() for path, instead in made]
    rows, start = [], time.perf_counter()
    for set_name, cases in sets.items():
        before: list[str] = []
        spoken: dict[str, list[int]] = {name: [] for name in checks}
        with patched(spies):
            for place, case in enumerate(cases):
                heard.clear()
                if given.sieve:
                    decided(case, Sieve(), known)
                if given.sieve and not heard:
                    before.append("left out")
                    continue
                before.append(decided(case, judge, known))
                for name in heard:
                    spoken[name].append(place)
        right = [case[2](found) for case, found in zip(cases, before, strict=True)]
        print(
            f"{set_name}: {sum(right)} of {len(cases) - before.count('left out')} right, {len(cases)} in all",
            flush=True,
        )
        for name, made in checks.items():
            rightly, wrongly, which = 0, 0, []
            with patched([(path, off(instead)) for path, instead in made]):
                for place in spoken[name]:
                    is_right = cases[place][2](decided(cases[place], judge, known))
                    rightly += right[place] and not is_right
                    wrongly += is_right and not right[place]
                    if is_right != right[place]:
                        which.append(f"{'-' if right[place] else '+'}{cases[place][0]}")
            counts = {"n": len(cases), "spoke": len(spoken[name]), "right": rightly, "wrong": wrongly}
            rows.append({"check": name, "set": set_name, "grader": given.grader, "which": which} | counts)
            if rightly or wrongly:
                net = 100 * (rightly - wrongly) / len(cases)
                print(f"  {name}: speaks {len(spoken[name])}, +{rightly} -{wrongly} = {net:+.2f} %", flush=True)
        if given.json:
            given.json.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
