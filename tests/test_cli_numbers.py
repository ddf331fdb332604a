"""Numbers on the command line that are none, or that nobody can mean."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from surefoot.cli.main import cli
from surefoot.core.types import Question

from .in_process import surefoot
from .kept import keep_run

DIGITS = "9" * 21
MATRIX = '[[pipeline]]\nname = "a"\nspec = "reference"\n'
NO_FLOATS = ("nan", "-inf", "1e300")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text(MATRIX)
    return tmp_path


def refused(*arguments: str) -> str:
    done = surefoot(*arguments)
    assert done.code == 2 and done.out == "" and "hint: " in done.err, arguments
    assert [path.name for path in Path().iterdir()] == ["m.toml"]
    return done.err


@pytest.mark.parametrize("command", ["run -p reference", "doctor -p reference", "matrix m.toml"])
@pytest.mark.parametrize("value", ["nan", "0", "604801"])
def test_a_timeout_is_at_most_a_week(command: str, value: str, folder: Path) -> None:
    words = refused(*command.split(), f"--timeout={value}")
    assert "604800" in words or "is not a number" in words


@pytest.mark.parametrize("command", ["run -p reference", "matrix m.toml"])
@pytest.mark.parametrize("option", ["retries", "concurrency"])
@pytest.mark.parametrize("value", [f"-{DIGITS}", "1001"])
def test_whole_numbers_have_an_end(command: str, option: str, value: str, folder: Path) -> None:
    assert "is not in the range" in refused(*command.split(), f"--{option}={value}")


@pytest.mark.parametrize("value", [DIGITS, f"-{DIGITS}", "nan"])
def test_a_seed_can_be_written_down(value: str, folder: Path) -> None:
    assert "--seed" in refused("run", "-p", "reference", f"--seed={value}")


@pytest.mark.parametrize("grader", ["rules", "llm:m@http://localhost:1/v1"])
@pytest.mark.parametrize(
    "option",
    ["--max-cost=nan", "--max-cost=1e300", "--max-cost=-1", "--sure-from=nan", "--sure-from=2"],
)
def test_grading_checks_its_terms_whoever_grades(grader: str, option: str, folder: Path) -> None:
    assert option.partition("=")[0] in refused("grade", "--items", "-", "--grader", grader, option)


@pytest.mark.parametrize("option", ["--max-cost=nan", "--sure-from=2"])
def test_grading_bare_texts_checks_them_too(option: str, folder: Path) -> None:
    assert option.partition("=")[0] in refused("grade", "--refusals", "m.toml", option)


@pytest.mark.parametrize("value", NO_FLOATS)
@pytest.mark.parametrize("command", ["matrix m.toml", "council ask Why? --models llm:a@http://localhost:1/v1"])
def test_what_may_be_spent_is_money(command: str, value: str, folder: Path) -> None:
    assert "amount of money" in refused(*command.split(), f"--max-cost={value}")


@pytest.fixture
def little_memory() -> Iterator[None]:
    """A gigabyte more than is in use: what asks for all of it ends in an error and not with the machine."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("repeats", ["99999999999999", "1000000", DIGITS])
def test_more_answers_than_anybody_means_are_refused(repeats: str, folder: Path) -> None:
    assert "more than 1,000,000 answers" in refused("run", "-p", "reference", "--repeats", repeats)


@pytest.mark.usefixtures("little_memory")
def test_a_run_that_claims_too_many_repeats_is_not_resumed(folder: Path) -> None:
    keep_run("r", [Question("q", "?", "answer")], [], repeats=10**14)
    done = surefoot("run", "--resume", "r")
    assert done.code == 2 and "more than 1,000,000 answers" in done.err


def options_of(command: click.Command, path: str = "surefoot") -> list[tuple[str, click.Option]]:
    found = [(f"{path} {p.opts[0]}", p) for p in command.params if isinstance(p, click.Option)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if one := command.get_command(context, name):
                found += options_of(one, f"{path} {name}")
    return found


CHECKED_ELSEWHERE = (
    "--margin",
    "--max-cost",
    "--sure-from",
    "--repeats",
    "--labels",
    "ask --seed",
)
KINDS = (click.types.FloatParamType, click.types.IntParamType)
NUMBERS = {
    name: option
    for name, option in options_of(cli)
    if isinstance(option.type, KINDS) and not name.endswith(CHECKED_ELSEWHERE)
}


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_two_ends(name: str) -> None:
    kind = NUMBERS[name].type
    assert isinstance(kind, (click.IntRange, click.FloatRange)) and None not in (kind.min, kind.max)
    for value in ("nan", "inf", "-inf", "1e300", DIGITS, f"-{DIGITS}"):
        with pytest.raises(click.BadParameter):
            kind(value)


@pytest.mark.parametrize("command", ["gate x y", "gate m.toml m.toml"])
@pytest.mark.parametrize("value", NO_FLOATS)
def test_shares_of_the_gate_are_shares(command: str, value: str, folder: Path) -> None:
    assert "margin" in refused(*command.split(), f"--margin={value}")
