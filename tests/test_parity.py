"""What the command line can do, Python can, under the same names and with the same defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest

import surefoot
from surefoot.cli.main import cli
from surefoot.jobs.calibrate import refit
from surefoot.jobs.council import council
from surefoot.jobs.doctor import doctor
from surefoot.jobs.gate import gate
from surefoot.web.app import serve_looks, serve_questions, serve_runs

from .in_process import surefoot as surefoot_command

SHOWN = {"as_json", "quiet", "reports", "help"}  # how a result is shown is the command line's own affair
FOR_PYTHON = {"person", "progress", "keep", "keep_rows", "asking", "announce"}  # objects, which no option can name
FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "baseline": (surefoot.baseline,),
    "calibrate": (surefoot.calibrate, refit),
    "corpus add": (surefoot.add_documents,),
    "corpus list": (surefoot.passages,),
    "corpus remove": (surefoot.remove_documents,),
    "corpus search": (surefoot.search_corpus,),
    "corpus show": (surefoot.passages,),
    "council ask": (council,),
    "council evaluate": (surefoot.evaluate_council,),
    "council runs": (surefoot.council_runs,),
    "council score": (surefoot.score_reviews,),
    "council tune": (surefoot.tune_rubric,),
    "doctor": (doctor,),
    "gate": (gate,),
    "grade": (surefoot.grade, surefoot.grade_log, surefoot.grade_items, surefoot.grade_texts),
    "import": (surefoot.import_,),
    "label": (serve_looks,),
    "matrix": (surefoot.matrix,),
    "monitor": (surefoot.monitor_log,),
    "purge": (surefoot.purge,),
    "questions build": (surefoot.build_questions,),
    "questions check": (surefoot.check_questions,),
    "questions clone": (surefoot.clone_questions,),
    "questions diff": (surefoot.diff_questions,),
    "questions lock": (surefoot.lock_questions,),
    "questions review": (serve_questions,),
    "report": (surefoot.overview,),
    "run": (surefoot.run,),
    "score": (surefoot.score,),
    "serve": (serve_runs,),
}
CALLED = {"names": "runs", "more_traces": "traces", "reasons": "waive", "refit": "out"}  # by an option, in Python
OWN = {
    "calibrate": {"details"},
    "gate": {"form", "brief", "history"},
    "import": {"verify"},
    "label": {"no_browser"},
    "questions review": {"no_browser"},
    "score": {"no_rows"},
    "serve": {"no_browser"},
}
PYTHONS = {
    "corpus list": {"ids"}, "corpus show": {"doc"}, "doctor": {"grader"}, "matrix": {"grader"},
    "score": {"settings"},
}  # fmt: skip


def command_named(name: str) -> click.Command:
    found: click.Command = cli
    for word in name.split():
        assert isinstance(found, click.Group)
        one = found.get_command(click.Context(found), word)
        assert one is not None
        found = one
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_command_and_its_function_take_the_same(name: str) -> None:
    given = [inspect.signature(function).parameters for function in FUNCTIONS[name]]
    taken = {parameter: one for signature in given for parameter, one in signature.items()}
    params = {str(one.name): one for one in command_named(name).params}
    options = {option if option in taken else CALLED.get(option, option): one for option, one in params.items()}
    assert options.keys() - SHOWN - OWN.get(name, set()) == taken.keys() - FOR_PYTHON - PYTHONS.get(name, set())
    for parameter, one in taken.items():
        if parameter in options and one.default is not inspect.Parameter.empty:
            assert _default(options[parameter].default) == _default(one.default), parameter


def _default(value: object) -> object:
    """An option without one has none, no flag or no values."""
    return value if isinstance(value, (str, int, float)) and value else None


def every_command(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            if one := command.get_command(click.Context(command), name):
                yield from every_command(one, f"{path} {name}".strip())
    else:
        yield path, command


def test_commands_have_few_options_and_help_that_fits_a_screen() -> None:
    common = {"--json", "--help", "--db", "--quiet", "--report"}
    count = 0
    for name, command in every_command(cli):
        own = {option for one in command.params if isinstance(one, click.Option) for option in [max(one.opts, key=len)]}
        count += len(own - common)
        said = surefoot_command(*name.split(), "--help").out
        assert len(own - common) <= 12 and {"--json", "--quiet"} <= own, name
        assert len(said.splitlines()) <= 45 and "Example: surefoot" in said, name
    assert count <= 150
