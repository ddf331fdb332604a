"""The record of what a folder of weights holds; without a true one, `surefoot` refuses to read with them.

`python -m training.sums src/surefoot/weights`
"""

from __future__ import annotations

import sys
from pathlib import Path

from surefoot.graders.local import SUMS, sha256_of


def record(folder: Path) -> None:
    """Write SHA256SUMS beside the weights; to be called whenever one of them has changed."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and path.name != SUMS)
    lines = (f"{sha256_of(path).hex()}  {path.name}\n" for path in paths)
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
