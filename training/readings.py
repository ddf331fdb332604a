"""What an exported tier says of the fit cases: the calibration is of the files that ship, in int8, not of the network.

`python -m training.readings FOLDER quick|strong CASES.jsonl.gz OUT.npy`
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from surefoot.graders.encoder import Encoder, Tier
from surefoot.text.normal import spoken
from training.cases import pairs_of, read_cases
from training.sums import record


def main(folder: Path, tier: Tier, cases: Path, out: Path) -> None:
    """Four columns: supported, contradicted, not enough, answers."""
    record(folder)
    found = Encoder(folder, tier).score(
        [(spoken(text), spoken(window)) for text, window in pairs_of(read_cases(cases))]
    )
    with out.open("wb") as file:  # np.save would add an ending to the name
        np.save(file, np.column_stack([found.support, found.answers]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "quick" if sys.argv[2] == "quick" else "strong", Path(sys.argv[3]), Path(sys.argv[4]))
