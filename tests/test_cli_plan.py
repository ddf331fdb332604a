"""`gate --plan` with numbers that nobody prepared."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from surefoot.cli.gate import gate
from surefoot.errors import SurefootError

from .sequential.helpers import run_folder


def planned(*arguments: str) -> Result:
    return CliRunner().invoke(gate, ["--plan", *arguments], standalone_mode=False)


@pytest.mark.parametrize(
    "arguments",
    [
        *(("--rate", number) for number in ("nan", "inf", "-1", "1.5", "x")),
        *(("--alpha", number) for number in ("nan", "inf", "-1", "0", "1", "1e-300", "1e-310")),
        *(("--margin", number) for number in ("nan", "inf", "-1", "0", "1")),
        *(("--questions", number) for number in ("0", "-5", "1000001", "99999999999", "9" * 5_000)),
        ("--repeats", "0"),
        ("--repeats", "100000"),
        ("--labels", "0"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(arguments: tuple[str, str]) -> None:
    done = planned(*arguments)
    assert isinstance(done.exception, SurefootError | click.UsageError), done.exception
    assert done.exception.exit_code == 2 and done.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rate", "0"), ("--rate", "1"), ("--alpha", "1e-9"), ("--alpha", "0.5"), ("--margin", "1e-300"),
        ("--margin", "0.999"), ("--questions", "0130"), ("--questions", "1", "--labels", "1"), ("--labels", "9" * 30),
    ],
)  # fmt: skip
def test_odd_numbers_make_a_plan(arguments: tuple[str, ...]) -> None:
    assert planned(*arguments).return_value == 0
    assert json.loads(planned(*arguments, "--json").stdout)["pairs"] > 0


def test_a_plan_for_a_run_takes_its_rate_of_wrong(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "today", "c" * 95 + "w" * 5)
    said = planned("--questions", str(folder)).stdout
    assert "5.0% wrong today (5 of 100 answers, as g/1 graded today)" in said
    assert "1.0% wrong today\n" in planned("--questions", str(folder), "--rate", ".01").stdout
    assert "3.0% wrong today (assumed, --rate says otherwise)" in planned().stdout
    assert json.loads(planned("--questions", str(folder), "--json").stdout)["rate"] == 0.05


def test_a_plan_says_how_many_questions_ship_what_is_unchanged() -> None:
    assert "With about 1,100 questions one pair of runs would ship an unchanged pipeline" in planned().stdout
    enough = json.loads(planned("--json").stdout)["questions_to_ship_unchanged"]
    again = json.loads(planned("--questions", str(enough), "--json").stdout)["changes"][0]["shipped"][0]["chance"]
    assert abs(again - 0.8) < 0.03


def test_a_plan_says_that_repeats_do_not_replace_questions() -> None:
    few = planned("--questions", "40", "--repeats", "10").stdout
    assert "Nothing can ship, not even without any change: ask more questions." in few
    assert "at least 99 questions to ship: repeats and more runs do not replace questions" in few
    repeated = planned("--repeats", "3").stdout
    assert "at most 0 questions newly wrong in more than half of the repeats" in repeated
    assert "choose a wider margin" in planned("--margin", "1e-12").stdout
