"""surefoot run, surefoot matrix"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import click

import surefoot
from surefoot.cli.output import PERSON, Output, common, paid_options, pipeline_options
from surefoot.core.errors import INTERRUPTED
from surefoot.core.types import counted, plain
from surefoot.jobs.run import Answers
from surefoot.jobs.run import run as run_pipeline
from surefoot.pipelines.specs import PROMPTS


@click.command(epilog="Example: surefoot run --pipeline reference --version v1")
@click.argument("again", required=False, metavar="[VERSION]")
@click.option(
    "--pipeline", "-p", metavar="P",
    help="package.module:function, cmd:COMMAND, ./script, http://..., traces:FILE, chat:MODEL@ENDPOINT, "
    "chat:anthropic:MODEL or reference.",
)  # fmt: skip
@pipeline_options
@click.option("--version", metavar="TEXT", default="",
              help="Your name for this version.  [default: the pipeline and a hash of its code]")  # fmt: skip
@click.option("--repeats", type=click.IntRange(min=1), metavar="K", help="Ask each question K times. [default: 1]")
@click.option("--only", default="", metavar="ID,...", help="Ask only these questions of VERSION again.")
@click.option("--resume", metavar="RUN", help="Continue this run, or the newest one of a version.")
@click.option("--retry-errors", is_flag=True, help="With --resume: also retry what failed.")
@common()
def run(output: Output, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Ask a pipeline every question of a set and keep the answers as a run of a version.

    VERSION asks the pipeline of a version again, if its code is the same.
    Exits 4 when some questions ended in an error, 130 when interrupted; --resume continues.
    """
    if not (options["questions"] or options["again"] or options["resume"]):
        PERSON.tell("note: no --questions are given, so the bundled ones about the bundled documents are asked")
    options["only"] = [id.strip() for id in options["only"].split(",") if id.strip()]
    answers = run_pipeline(**options, person=PERSON)
    code = output.finish(answers, _lines(answers))
    if answers.errors and not output.as_json:
        again = f"{_resumed(answers.run, options)} --retry-errors"
        PERSON.tell(f"hint: once that is mended: {again}; with changed code, run it anew")
    if answers.interrupted:
        PERSON.tell(f"interrupted; to go on: {_resumed(answers.run, options)}")
        return INTERRUPTED
    return code


def _resumed(run: str, options: Mapping[str, Any]) -> str:
    """The command that continues a run, with what it does not know of itself."""
    kept = [("--corpus", "corpus"), ("--request-template", "request_template"), ("--db", "db"), ("--prompt", "prompt")]
    given = [(option, options[name]) for option, name in kept if options[name] not in (None, PROMPTS[0])]
    pairs = [("--map", options["mapping"]), ("--set", options["settings"])]
    given += [(option, "=".join(pair)) for option, found in pairs for pair in found.items()]
    words = ["surefoot", "run", "--resume", run, *(word for pair in given for word in pair)]
    return shlex.join(words)


def _lines(found: Answers) -> Iterator[str]:
    answers, errors = counted(found.answers, "answer"), counted(found.errors, "error")
    missing = f", {found.missing:,} not asked: coverage {found.answers:,} of {found.asked:,}"
    yield f"{answers}, {errors}" + (missing if found.missing else "")
    yield from (f"  {count:,} x {plain(kind)}" for kind, count in found.errors_by_kind.items())
    spent = [f"took {found.seconds:,.1f} s"]
    if found.seconds_per_answer is not None:
        spent.append(f"{found.seconds_per_answer:,.2f} s per answer on average")
    spent += [counted(found.tokens, "token")] if found.tokens is not None else []
    spent += [f"{found.cost_usd:.4f} USD"] if found.cost_usd is not None else []
    yield ", ".join(spent)
    yield f"run: {found.run}"


@click.command(epilog="Example: surefoot matrix licence.toml --report report.html")
@click.argument("file", type=click.Path(dir_okay=False))
@paid_options
@common(report=True)
def matrix(output: Output, file: str, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Run pipelines x models x prompts over one question set, and say what each of them changes.

    FILE is TOML with [[pipeline]], [[model]] and [[prompt]] tables. Every cell is a version of its own. Repeat the
    command to continue.
    """
    found = surefoot.matrix(file, person=PERSON, **options)
    if found.interrupted:
        PERSON.tell("interrupted; the same `surefoot matrix` command goes on from here")
        return INTERRUPTED
    return output.finish(found)
