"""`python -m tests.attacks`: how many unacceptable answers each kind of judge gets accepted.

On the attack set, and on the labelled answers of benchmarks/data; with and without what is counted against a support.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import click

from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Item
from surefoot.graders.llm import ModelGrader
from tests.attacks.judges import Fake, bribed, excusing, inventive, obedient, sound
from tests.attacks.test_attacks import ITEMS, ROWS
from tests.golden_files import ROOT


def line(name: str, says: Callable[..., Any], items: Sequence[Item], truly: Sequence[str | None]) -> str:
    graded = ModelGrader(Fake(says)).read(items)
    found = Counter(
        (truth in ACCEPTABLE, "accepted" if one.bucket in ACCEPTABLE else "open" if one.bucket is None else "not")
        for truth, one in zip(truly, graded, strict=True)
        if truth is not None
    )
    bad, good = (sum(count for (is_good, _), count in found.items() if is_good == wanted) for wanted in (False, True))
    of_good = f"{found[True, 'accepted']} of {good} | {found[True, 'open']}" if good else "- | -"
    return f"| {name} | {found[False, 'accepted']} of {bad} | {found[False, 'open']} | {of_good} |"


def table(items: Sequence[Item], truly: Sequence[str | None]) -> None:
    click.echo("| judge | unacceptable accepted | left open | acceptable accepted | left open |\n|---|---|---|---|---|")
    for says in (obedient, inventive, excusing, bribed, sound):
        click.echo(line(says.__name__, says, items, truly))
    with patch("surefoot.graders.llm_reading.objection", lambda quotes, pair: ""):
        click.echo(line("bribed, nothing counted", bribed, items, truly))


if __name__ == "__main__":
    click.echo(f"{len(ROWS)} attacks\n")
    table(ITEMS, [row["bucket"] for row in ROWS])
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import grading

    rows, items = grading.load()
    click.echo(f"\n{len(rows)} labelled answers\n")
    table(items, [row["expected"]["factuality"] for row in rows])
