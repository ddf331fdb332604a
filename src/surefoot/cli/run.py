"""surefoot run"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from surefoot.cli.model_options import chat_asking, chat_options, tell_causes_of
from surefoot.cli.options import AT_ONCE, RETRIES, SECONDS, SEED, ledger_option
from surefoot.cli.output import say
from surefoot.cli.score import read_mapping
from surefoot.cli.terminal import PERSON
from surefoot.report.words import counted, plain
from surefoot.services.inputs import Asking
from surefoot.services.run import run as run_pipeline

_INTERRUPTED = 130
_PASSED_ON = ("questions", "corpus", "out", "version", "repeats", "resume", "retry_errors", "ledger")


@click.command(epilog="Example: surefoot run --pipeline reference --out runs/first")
@click.option(
    "--pipeline", "-p", "spec", metavar="P",
    help="package.module:function, cmd:COMMAND, ./script, http://..., traces:FILE, chat:MODEL@ENDPOINT, "
    "chat:anthropic:MODEL, reference, reference-eager or reference-timid.",
)  # fmt: skip
@click.option("--questions", "-q", metavar="FILE", help="Question set. [default: the bundled demo set]")
@click.option("--corpus", metavar="PATH", help="Passages to search: JSON, Parquet, or a folder of texts.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Run folder. [default: runs/NAME-N]")
@click.option(
    "--version",
    metavar="TEXT",
    default="",
    help="What you call this version of the pipeline; the gate tells releases by it.",
)
@click.option("--repeats", type=click.IntRange(min=1), metavar="K", help="Ask each question K times. [default: 1]")
@click.option("--concurrency", type=AT_ONCE, default=8, show_default=True, help="Questions at once.")
@click.option("--timeout", type=SECONDS, default=60.0, show_default=True, help="Seconds per question.")
@click.option("--retries", type=RETRIES, default=2, show_default=True, help="After errors that may pass.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out: ask only what has no answer yet.")
@click.option("--retry-errors", is_flag=True, help="As --resume, and ask again what ended in an error.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="For the pauses between retries.")
@click.option("--request-template", metavar="FILE", help="JSON to POST, with {question}, {id}, {retrieval} in it.")
@click.option("--prompt", metavar="NAME|FILE", default="answer_with_licence", show_default=True, help="For chat:.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=PATH", help="Where a field lies in the replies.")
@chat_options
@ledger_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
def run(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Ask a pipeline every question of a set and keep the answers in a run folder.

    Exits 0 when every question has an answer, 4 when some ended in an error, 130 when interrupted: whatever was
    answered is kept, and --resume goes on from there.
    """
    settings, budget = chat_asking(options["spec"] or "", options)
    asking = Asking(
        **{name: options[name] for name in ("concurrency", "timeout", "retries", "seed", "request_template", "prompt")},
        mapping=read_mapping(options["mapping"]), settings=settings, budget=budget,
    )  # fmt: skip
    given = {name: options[name] for name in _PASSED_ON}
    answers = run_pipeline(options["spec"], **given, asking=asking, person=PERSON)
    if options["as_json"]:
        click.echo(msgspec.json.encode(answers.to_json()).decode())
    else:
        show(answers, options["concurrency"])
    tell_causes_of(answers)
    if answers.interrupted:
        say(f"interrupted; to go on, give the same command with --resume --out {answers.folder}")
        return _INTERRUPTED
    return int(answers.exit_code)


def show(summary: Mapping[str, Any], concurrency: int = 8) -> None:
    answers, errors = counted(summary["answers"], "answer"), counted(summary["errors"], "error")
    click.echo(f"{answers}, {errors}, {summary['missing']:,} not asked")
    for kind, count in summary["errors_by_kind"].items():
        click.echo(f"  {count:,} x {plain(kind)}")
    spent = [f"took {summary['seconds']:,.1f} s"]
    if summary["seconds_per_answer"] is not None:
        at_once = f", {concurrency} at a time" if concurrency > 1 else ""
        spent.append(f"{summary['seconds_per_answer']:,.2f} s per answer on average{at_once}")
    spent += [counted(summary["tokens"], "token")] if summary["tokens"] is not None else []
    spent += [f"{summary['cost_usd']:.4f} USD"] if summary["cost_usd"] is not None else []
    click.echo(", ".join(spent))
    click.echo(f"run: {summary['run']}")
