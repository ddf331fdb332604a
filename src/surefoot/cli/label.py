"""surefoot label"""

from __future__ import annotations

import contextlib
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from surefoot import rubric
from surefoot.cli.options import ledger_option
from surefoot.cli.output import quiet_if_nobody_reads
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.io.labels import names_a_grader
from surefoot.io.writer import printable
from surefoot.report.words import counted, plain
from surefoot.store import RunStore

if TYPE_CHECKING:
    from surefoot.web.desk import Desk

LONGEST_NAME = 60
_UNENCRYPTED = "whoever has this address can label, and what is sent is not encrypted: use it in a network you trust"


@click.command(
    epilog="Example: surefoot label runs/reference-1; surefoot label runs/reference-1 --host 0.0.0.0 --target 200",
)
@click.argument("run", type=click.Path(file_okay=False, path_type=Path))
@click.option("--annotator", metavar="NAME", help="Who labels. Without it the page asks everyone for their name.")
@click.option(
    "--target",
    type=click.IntRange(1, 1_000_000),
    default=50,
    show_default=True,
    metavar="N",
    help="How many answers to label.",
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Share of the answers that go to everyone, to see how far people agree.",
)
@click.option("--axes", metavar="AXIS,...", help="Ask only for these; the first must be answered.")
@click.option(
    "--rubric",
    "rubric_name",
    metavar="NAME|FILE",
    help="The rubric to label by.  [default: the one the run was graded by]",
)
@click.option("--only-gate", is_flag=True, help="Only the answers whose labels would decide the last comparison.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; other machines need a token.")
@click.option("--port", type=click.IntRange(0, 65_535), help="0 for any that is free.  [default: 8321, or a free one]")
@click.option("--token", help="What others must know to come in.  [default: made when --host is given]")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@ledger_option
@click.option("--json", "as_json", is_flag=True, help="Print the address and the queue as one JSON object.")
def label(
    run: Path, annotator: str | None, target: int, overlap: float, axes: str | None, rubric_name: str | None,
    only_gate: bool, host: str, port: int | None, token: str | None, no_browser: bool, ledger: str | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Open the label page: people put answers into buckets, without knowing what the grader said.

    RUN is a folder that `surefoot run` made. Labels go to the ledger at once. Runs until Ctrl-C.
    """
    try:
        from surefoot.web import app, desk, forms, guarding, serving, sheets
    except ImportError as error:
        raise Incomplete(
            "the label page needs more packages",
            "install surefoot with its extra `label`: pip install '/path/to/surefoot[label]'",
        ) from error
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import entry_of, find
    from surefoot.services.versions import labelled_beside

    if not 0 <= overlap <= 1:  # NaN gets through the range
        raise UsageError(f"--overlap {overlap} is no share", "write a number from 0 to 1")
    store = RunStore.open(run)
    name = _checked_name(annotator, store)
    chosen = _rubric(store, rubric_name)
    fields = forms.fields_of(chosen, [axis.strip() for axis in axes.split(",")] if axes else [])
    secret = serving.checked_token(host, token)
    pile = sheets.pile_of(run, target=target, overlap=overlap, only_gate=only_gate)
    with Ledger.open(find(run, ledger)) as book, serving.bound(host, port) as listening:
        book.add_run(entry_of(store))
        made = desk.Desk(pile, chosen, fields, book, target)
        url = serving.address(host, listening.getsockname()[1], secret)
        for note in (*pile.notes, *([_UNENCRYPTED] if not guarding.is_local(host) else [])):
            _note(note)
        if others := labelled_beside(book, run):
            together = shlex.join([*others, printable(run)])
            _note(f"answers of other runs are labelled too; on all labels: surefoot calibrate {together}")

        def announce() -> None:
            _say(url, made, as_json)
            if not no_browser:
                serving.open_browser(url)

        with contextlib.suppress(KeyboardInterrupt):  # how this command is meant to end
            serving.serve(app.app_for(made, host=host, token=secret, annotator=name), listening, announce)
        made.keeper.check()
        done = made.progress(name)
        wanted = f"{done.target} wanted; the labels are in {book.name}"
        _note(f"{counted(done.together, 'answer')} labelled, {wanted}")
    return ExitCode.OK


def _checked_name(name: str | None, store: RunStore) -> str:
    from surefoot.services.runs import graders_of

    if name is None:
        return ""
    words = plain(name, 1_000)
    if not words or words != name or len(words) > LONGEST_NAME:
        raise UsageError(f"{words[:80]!r} is no name", f"write 1 to {LONGEST_NAME} ordinary characters")
    if names_a_grader(words, graders_of(store)):
        raise UsageError(f"{words!r} is the name of a grader, and labels are by people", "write the name of a person")
    return words


def _rubric(store: RunStore, given: str | None) -> rubric.Rubric:
    """The rubric asked for, or the run's own; labels by another one could not be held against its verdicts."""
    if given and Path(given).is_file():
        chosen = rubric.parse(Path(given).read_text("utf-8", "replace"), given)
    else:
        chosen = rubric.load(given or store.manifest.rubric or rubric.DEFAULT)
    if store.manifest.rubric_sha256 not in ("", chosen.sha256):
        _note(f"the run was graded by another rubric than this {chosen.name}: the labels will not fit its verdicts")
    return chosen


def _say(url: str, desk: Desk, as_json: bool) -> None:
    progress = desk.progress("")
    with quiet_if_nobody_reads():
        if as_json:
            told = {
                "url": url, "run": desk.pile.name, "ledger": desk.ledger.name, "target": desk.target,
                "labelled": progress.together, "queue": Counter(place.drawn for place in desk.pile.places),
            }  # fmt: skip
            click.echo(msgspec.json.encode(told))
            return
        click.echo(url)
    left = f"{progress.together} labelled so far, {progress.target} wanted; labels go to {desk.ledger.name}"
    _note(f"open this address in a browser; {left}; Ctrl-C ends it")


def _note(words: str) -> None:
    click.echo(f"note: {plain(words, 500)}", err=True)
