"""Numbers on the command line that are none, or that nobody can mean."""

from __future__ import annotations

import os
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


ASKING = "council ask Why? --models llm:a@http://localhost:1/v1"
GRADING = [
    "grade --items - --grader rules",
    "grade --items - --grader llm:m@http://localhost:1/v1",
]


@pytest.mark.parametrize("command", ["run -p reference", "matrix m.toml", ASKING, *GRADING[1:]])
@pytest.mark.parametrize(
    "setting",
    [
        "timeout=nan", "timeout=0", "timeout=604801", "retries=1001", f"concurrency=-{DIGITS}", "concurrency=1001",
        "max_cost=nan", "max_cost=-inf", "max_cost=1e300", "max_cost=-1", "sure_from=nan", "sure_from=2",
        "effort=much", "max_costs=1", "yes=perhaps", "prices=cheap", "max_cost",
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused_before_anything_is_done(command: str, setting: str, folder: Path) -> None:
    assert setting.partition("=")[0] in refused(*command.split(), "--set", setting)


@pytest.mark.parametrize(
    "content",
    ["max_cost = -1", "max_costs = 1", "max_cost =", 'prices = "cheap"', '[map]\nanser = "x"', b"\xff"],
)
def test_so_is_one_in_the_file_which_is_named(content: str | bytes, folder: Path) -> None:
    (folder / "deep" / "down").mkdir(parents=True)
    file = folder / "surefoot.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.chdir(folder / "deep" / "down")
    done = surefoot("grade", "--items", "-", "--grader", "rules")
    assert done.code == 2 and str(file) in done.err and "hint: " in done.err


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


CHECKED_ELSEWHERE = ("--repeats", "--labels", "--sample", "ask --seed")
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
