"""surefoot audit"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import json_option, ledger_option
from surefoot.cli.output import finish, say
from surefoot.errors import UsageError
from surefoot.report.words import counted, plain
from surefoot.services.audit import Bundle, Verified, verify_audit
from surefoot.services.audit import audit as make_bundle

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(
    epilog="Example: surefoot audit runs/cand --attach report.html",
)
@click.argument("run", required=False, type=_FOLDER)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.zip",
              help="The bundle.  [default: RUN.audit.zip beside the run]")  # fmt: skip
@click.option("--base", type=_FOLDER, metavar="RUN", help="The run it was compared with, if the ledger does not know.")
@click.option("--attach", "--report", "attach", multiple=True, type=_FILE, metavar="FILE",
              help="A file to add, such as a report. Repeatable.")  # fmt: skip
@ledger_option
@click.option("--verify", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.zip",
              help="Check a bundle instead of making one.")  # fmt: skip
@click.option("--expect", metavar="SHA256", help="With --verify: the published hash.")
@json_option()
def audit(run: Path | None, verify: Path | None, expect: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401
    """Put everything a reviewer needs about RUN into one file, known by its hash.

    It holds the decision, its runs, labels and rules, and the commands to decide again. Exits 4 when parts of the run
    do not fit together; --verify exits 1 when the bundle was changed, 2 when it is not a bundle.
    """
    if verify is not None and run is None:
        found: Bundle | Verified = verify_audit(verify, expect=expect)
    elif run is None or verify is not None:
        hint = "write surefoot audit RUN, or surefoot audit --verify FILE.zip"
        raise UsageError("audit takes one run, or one bundle to verify", hint)
    elif expect is not None:
        raise UsageError("--expect is for a bundle to verify", "write surefoot audit --verify FILE.zip --expect SHA256")
    else:
        found = make_bundle(run, **options)
    for lack in found.lacks:
        say(f"note: {plain(lack, 400)}")
    for remark in found.remarks:
        say(f"warning: {plain(remark, 400)}")
    return finish(found, as_json, lambda: _show(found))


def _show(found: Bundle | Verified) -> None:
    if isinstance(found, Bundle):
        click.echo(f"{counted(len(found.members), 'file')} in {found.file}\nsha256 {found.sha256}")
        return
    for fault in found.faults:
        click.echo(f"{plain(fault.member, 400)}: {plain(fault.words, 400)}")
    click.echo(f"{'sound' if found.sound else 'CHANGED'}: {found.file}, sha256 {found.sha256}")
    if found.sound and not found.held_against:
        click.echo("only its inside was checked: whoever changes a bundle can write new hashes into it")
        say("note: hold it against the hash that you were given by another way, with --expect")
