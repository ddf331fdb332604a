"""What gold claims are worth: two bundled pipelines' answers graded with them and without.

python benchmarks/quality_gold.py [--grader local|rules]
"""

from __future__ import annotations

import argparse
from collections import Counter

from msgspec.structs import replace

from surefoot.core.table import BUCKETS
from surefoot.core.types import Ask, Item
from surefoot.datasets import demo
from surefoot.graders.grader import JUDGES, FindingsGrader
from surefoot.jobs.grade import DEFAULT
from surefoot.pipelines.retriever import ReferencePipeline


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    options = parser.parse_args()
    grader = FindingsGrader(JUDGES[options.grader]())
    print(f"grader {grader.name}\n\n| run | gold claims | " + " | ".join(BUCKETS) + " |")
    print("|---" * (len(BUCKETS) + 2) + "|")
    pipeline = ReferencePipeline(demo.corpus())
    items = [Item(one, pipeline.answer(Ask(one.id, one.text, one.retrieval))) for one in demo.questions()]
    bare = [replace(item, question=replace(item.question, gold_claims=())) for item in items]
    for given, graded in (("yes", grader.read(items)), ("no", grader.read(bare))):
        count = Counter(one.bucket for one in graded)
        print(f"| {pipeline.name} | {given} | " + " | ".join(str(count[bucket]) for bucket in BUCKETS) + " |")


if __name__ == "__main__":
    main()
