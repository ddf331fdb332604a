"""surefoot audit"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from surefoot.cli.options import ledger_option
from surefoot.errors import ExitCode, UsageError
from surefoot.report.words import counted, plain
from surefoot.services.targets import check_target, files_of, naming
from surefoot.store import RunStore

if TYPE_CHECKING:
    from surefoot.audit.bundle import Written

_REPORTS = ("report.html", "report.md")  # put in where the folder of the run has them
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(
    epilog="Example: surefoot audit runs/cand --attach report.html; surefoot audit --verify runs/cand.audit.zip"
)
@click.argument("run", required=False, type=_FOLDER)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.zip",
              help="The bundle.  [default: RUN.audit.zip beside the run]")  # fmt: skip
@click.option(
    "--base", type=_FOLDER, metavar="RUN", help="The run it was compared with, where the ledger does not know."
)
@click.option("--attach", "--report", "attached", multiple=True, type=_FILE, metavar="FILE",
              help="A file to put in, such as a report or the gate file. Repeatable.")  # fmt: skip
@ledger_option
@click.option("--verify", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.zip",
              help="Check a bundle instead of making one.")  # fmt: skip
@click.option("--expect", "expected", metavar="SHA256", help="With --verify: the hash that you were given for it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of sentences.")
def audit(
    run: Path | None,
    out: Path | None,
    base: Path | None,
    attached: tuple[Path, ...],
    ledger: str | None,
    verify: Path | None,
    expected: str | None,
    as_json: bool,
) -> int:
    """Put everything a reviewer needs about RUN into one file that is known by its hash.

    The decision and all runs that it counted, with answers and verdicts; labels with their history, the gate's
    decisions up to it, rules and rubric, and the commands to decide it again. What is not there is named in it. Equal
    contents give equal bytes. An earlier bundle is replaced, and nothing else. Exits 4 when parts of the run do not fit
    each other; --verify exits 0 when the bundle is sound, 1 when it was changed, 2 when it is none.
    """
    if (run is None) == (verify is None):
        hint = "write surefoot audit RUN, or surefoot audit --verify FILE.zip"
        raise UsageError("audit takes one run, or one bundle to verify", hint)
    if run is None:
        return _verify(Path(str(verify)), expected, as_json)
    if expected is not None:
        raise UsageError("--expect is for a bundle to verify", "write surefoot audit --verify FILE.zip --expect SHA256")
    place = out or _named(run).with_name(f"{_named(run).name}.audit.zip")
    own = [run / name for name in _REPORTS if (run / name).is_file() and name not in {path.name for path in attached}]
    written = _written(RunStore.open(run), place, base, [*attached, *own], ledger)
    for lack in written.lacks:
        click.echo(f"note: {plain(lack, 400)}", err=True)
    for remark in written.remarks:
        click.echo(f"warning: {plain(remark, 400)}", err=True)
    if as_json:
        click.echo(msgspec.json.encode(written))
    else:
        click.echo(f"{counted(len(written.members), 'file')} in {written.file}")
        click.echo(f"sha256 {written.sha256}")
    return ExitCode.INCOMPLETE if written.remarks else ExitCode.OK


def _named(run: Path) -> Path:
    return run if run.name not in ("", "..") else run.resolve()


def _written(store: RunStore, out: Path, base: Path | None, attached: Sequence[Path], given: str | None) -> Written:
    from surefoot.audit.bundle import beside, is_bundle, is_hash, write_bundle
    from surefoot.audit.contents import collect, decision_in
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import find
    from surefoot.services.versions import labelled_alike

    where = find(store.path, given)
    check_target(out, (".zip",), files_of(where), is_bundle)
    check_target(beside(out), (".zip.sha256",), files_of(where), is_hash)
    if (ledger := Ledger.existing(where)) is None:
        if given:
            raise UsageError(f"there is no ledger {given}", "leave --ledger out to bundle the run alone")
        contents = collect(store, base, None, (), attached)
    else:
        with ledger:
            decision = decision_in(store.path)
            until = decision.at if decision and decision.at else None
            contents = collect(store, base, ledger, labelled_alike(ledger, store.manifest, until), attached)
    with naming(out):
        return write_bundle(contents, out)


def _verify(path: Path, expected: str | None, as_json: bool) -> int:
    from surefoot.audit.bundle import verify_bundle

    found = verify_bundle(path, expected)
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        for fault in found.faults:
            click.echo(f"{plain(fault.member, 400)}: {plain(fault.words, 400)}")
        for words in (*found.lacks, *found.remarks):
            click.echo(f"note: {plain(words, 400)}", err=True)
        click.echo(f"{'sound' if found.sound else 'CHANGED'}: {found.file}, sha256 {found.sha256}")
        if found.sound and not found.held_against:
            click.echo("only its inside was checked: whoever changes a bundle can write new hashes into it")
            click.echo("note: hold it against the hash that you were given by another way, with --expect", err=True)
    return ExitCode.OK if found.sound else ExitCode.BLOCKED
