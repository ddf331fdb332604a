"""surefoot bench"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import SEED, chat_options, concurrency_option, json_option, timeout_option
from surefoot.cli.output import finish, print_json, say
from surefoot.cli.terminal import PERSON
from surefoot.errors import ExitCode, UsageError
from surefoot.models.budget import Budget
from surefoot.models.seam import Settings
from surefoot.pipelines.specs import Asking
from surefoot.report.words import counted, plain
from surefoot.services.bench import DOCUMENTS, SIZE, Benched, BenchRun, public_dataset, public_datasets
from surefoot.services.bench import bench as bench_dataset
from surefoot.table import BUCKETS


@click.command(epilog="Example: surefoot bench contract-nli --data contract-nli.zip --pipeline reference")
@click.argument("name", required=False)
@click.option("--data", type=click.Path(path_type=Path), help="The download: file, folder or zip.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder to write to. [default: NAME]")
@click.option("--pipeline", "-p", "pipelines", multiple=True, metavar="P", help="As for `run`. Repeatable.")
@click.option(
    "--size", type=click.IntRange(1, 100_000), default=SIZE, show_default=True, metavar="N", help="Questions."
)
@click.option(
    "--documents",
    type=click.IntRange(1, 100_000),
    default=DOCUMENTS,
    show_default=True,
    metavar="N",
    help="Read at most N.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="Draws other questions.")
@concurrency_option
@timeout_option
@chat_options
@json_option()
def bench(name: str | None, data: Path | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Make a corpus and questions from a public dataset, and try pipelines on them.

    Without NAME, lists where to download datasets. Repeat the command to continue.
    """
    if name is None:
        return _list(as_json)
    origin = public_dataset(name)
    if data is None:
        raise UsageError("--data is missing: surefoot downloads nothing", f"get the dataset from {origin.url}")
    found = bench_dataset(name, data=data, asking=_asking(options), person=PERSON, **options)
    return finish(found, as_json, lambda: _show(found))


def _asking(options: dict[str, Any]) -> Asking:
    """Takes out of the options how pipelines are asked."""
    concurrency, timeout, budget = options.pop("concurrency"), options.pop("timeout"), Budget(options.pop("max_cost"))
    limits = {name: options.pop(name) for name in ("effort", "max_tokens", "prices")}
    settings = Settings(concurrency=concurrency, **limits)
    return Asking(concurrency=concurrency, timeout=timeout, settings=settings, budget=budget)


def _list(as_json: bool) -> int:
    if as_json:
        print_json(public_datasets())
        return ExitCode.OK
    for one in public_datasets():
        click.echo(f"{one.name:14} {one.title}: {one.size}; {one.licence}\n{'':14} {one.url}")
    click.echo("\nDownload one, then: surefoot bench NAME --data FILE --pipeline reference")
    return ExitCode.OK


def _show(found: Benched) -> None:
    texts = f"{counted(found.documents, 'document')}, {counted(found.passages, 'passage')}"
    click.echo(f"{plain(found.corpus)}: {texts}")
    by_probe = ", ".join(f"{count} {probe}" for probe, count in found.asked.items())
    click.echo(f"{plain(found.questions)}: {counted(sum(found.asked.values()), 'question')} ({by_probe})")
    if found.runs:
        click.echo()
        _show_runs(found.runs)
    elif found.asked:
        files = shlex.join(["--questions", found.questions, "--corpus", found.corpus])
        click.echo(f"next: surefoot run --pipeline reference {files}, then surefoot grade")
    if found.runs:
        say(f"calibration: {found.calibration}")
        say(f"trust: {plain(found.runs[0].trust, 500)}")


def _show_runs(runs: Sequence[BenchRun]) -> None:
    width = max(len("pipeline"), *(len(plain(one.pipeline, 40)) for one in runs))
    heads = (*BUCKETS, "not graded", "refused though answerable", "answered though not")
    click.echo("  ".join([f"{'pipeline':{width}}", *heads]))
    for one in runs:
        counts = (*(one.buckets[bucket] for bucket in BUCKETS), one.not_graded)
        cells = zip(heads, (*counts, one.refused_answerable, one.answered_unanswerable), strict=True)
        row = "  ".join(f"{count:{len(head)}}" for head, count in cells)
        click.echo(f"{plain(one.pipeline, 40):{width}}  {row}")
