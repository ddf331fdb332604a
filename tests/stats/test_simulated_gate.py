"""The gate on made-up pipelines, as the benchmarks use it."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec.structs import replace

from surefoot.gate.change import draw
from surefoot.gate.next_steps import in_doubt

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from simulated_gate import Setting, decided, programme

SMALL = Setting(questions=60, runs=2, labels=40)


def test_a_programme_is_made_as_it_was_set_and_the_same_again() -> None:
    made = programme(replace(SMALL, rise=0.1), 3)
    assert made.evidence.questions == 60 and made.evidence.attempts == (2, 2)
    assert sum(one.label is not None for one in made.evidence.answers) == 40
    assert made.rise == 0.1 and programme(replace(SMALL, rise=0.1), 3).evidence == made.evidence


def test_labels_on_one_side_only() -> None:
    made = programme(replace(SMALL, label_side=1), 1)
    assert {one.side for one in made.evidence.answers if one.label} <= {1, None}


def test_what_is_asked_for_is_not_labelled_yet_and_differs() -> None:
    made = programme(replace(SMALL, rise=0.1), 1)
    chosen = in_doubt(made.evidence.answers, draw(made.evidence))
    assert chosen and all(made.evidence.answers[n].label is None for n in chosen)
    assert all(made.evidence.answers[n].side is not None for n in chosen)


def test_later_looks_are_stricter() -> None:
    made = programme(replace(SMALL, rise=0.2, labels=400), 1)
    draws = draw(made.evidence)
    assert decided(draws, made.setting) == "BLOCK"
    assert decided(draws, made.setting, look=5_000) != "SHIP"
