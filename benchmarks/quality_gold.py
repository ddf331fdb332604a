"""What gold claims are worth: the demo's answers graded with them and without.

make demo && python benchmarks/quality_gold.py [surefoot-demo] [--grader local|rules]
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from surefoot.graders.grader import JUDGES, FindingsGrader
from surefoot.graders.judges import items_of
from surefoot.services.grade import DEFAULT
from surefoot.store import RunStore
from surefoot.table import BUCKETS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("demo", nargs="?", type=Path, default=Path("surefoot-demo"))
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    options = parser.parse_args()
    grader = FindingsGrader(JUDGES[options.grader]())
    print(f"grader {grader.name}\n\n| run | gold claims | " + " | ".join(BUCKETS) + " |")
    print("|---" * (len(BUCKETS) + 2) + "|")
    for name in ("reference", "reference-eager"):
        store = RunStore.open(options.demo / name)
        items = list(items_of(store.questions(), store.traces(), store.manifest.repeats))
        bare = [replace(item, question=replace(item.question, gold_claims=())) for item in items]
        for given, graded in (("yes", grader.read(items)), ("no", grader.read(bare))):
            count = Counter(one.bucket for one in graded)
            print(f"| {name} | {given} | " + " | ".join(str(count[bucket]) for bucket in BUCKETS) + " |")


if __name__ == "__main__":
    main()
