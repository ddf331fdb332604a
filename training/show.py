"""Random rows of each kind, to look at what the model is taught.

`python -m training.show ROWS.jsonl.gz [HOW MANY OF EACH] [SEED]`
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from pathlib import Path

from training.files import Row, read_all


def main(rows: Path, shown: int = 3, seed: int = 0) -> None:
    rng = random.Random(seed)
    kinds: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in read_all(rows):
        kinds[row["source"], row["kind"], str(row["label"])].append(row)
    for kind, found in sorted(kinds.items()):
        print(f"\n### {' '.join(filter(None, kind))} ({len(found)})")
        for row in rng.sample(found, min(shown, len(found))):
            print(f"  passage: {row['b']}\n  claim or question: {row['a']}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
