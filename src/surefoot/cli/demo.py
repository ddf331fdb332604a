"""surefoot demo"""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from importlib.resources import as_file, files
from pathlib import Path

import click

from surefoot.cli.output import PERSON, Output
from surefoot.core.errors import UsageError
from surefoot.core.records import NAME
from surefoot.report.comparison import sentences
from surefoot.services.gate import gate
from surefoot.services.project import import_

BASE, CANDIDATE = "with-licence", "without-licence"
_INTRODUCTION = """\
A small language model answered 130 questions about 43 documents, five times
over. Its prompt allows it to refuse. A colleague drops that paragraph, and it
answers all of them again. May the new prompt ship?

Answers per run, labelled by AIs   {base:>14} {cand:>17}"""
_BUCKETS = {
    "correct": "right, and the passage it cites says so",
    "wrong": "false about what was asked",
    "unsupported": "no evidence, or none of it cited",
    "refused": "says that it cannot tell",
}
_NEXT = """
Every answer and rule is in {out}/report.html. Next:
  {surefoot} serve --db {out}/surefoot.db   # browse the answers
  {surefoot} init my-eval   # your own pipeline"""


@click.command(epilog="Example: surefoot demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="surefoot-demo",
    show_default=True,
    help="Folder to write to.",
)
def demo(out: Path) -> int:
    """Decide on two prompts of a real small model over bundled documents: offline, in half a minute.

    Answers, verdicts and labels come with Surefoot; the labels are by AI annotators. Exits 0 whatever the decision.
    """
    db = out / NAME
    if db.exists():
        if not (out / "report.html").exists():
            raise UsageError(f"{out} holds a project that is not the demo's", "choose a folder of its own with --out")
        for path in out.glob(f"{NAME}*"):
            path.unlink()
    with as_file(files("surefoot") / "demo") as bundled:
        for version in (BASE, CANDIDATE):
            import_(bundled / f"{version}.jsonl.gz", db=db, person=PERSON)
    decided = gate(BASE, CANDIDATE, db=db, person=PERSON)
    click.echo(_INTRODUCTION.format(base=BASE, cand=CANDIDATE))
    counts = decided["buckets"]
    for bucket, words in _BUCKETS.items():
        before, after = (counts[side].get(bucket, 0) / 5 for side in ("base", "cand"))
        click.echo(f"  {bucket:12} {before:33.1f} {after:17.1f}   {words}"[:120])
    click.echo("")
    click.echo(textwrap.fill(f"{decided.outcome}: {' '.join(sentences(decided))}", 78))
    written = Output(False, (str(out / "report.md"), str(out / "report.html"))).write(decided)
    click.echo(_NEXT.format(surefoot=command_as_typed(), out=shlex.quote(str(out))))
    return written


def command_as_typed() -> str:
    """`surefoot` where typing that starts this very program, else the path it was started by."""
    beside = Path(sys.executable).with_name("surefoot")
    started = Path(sys.argv[0]) if Path(sys.argv[0]).stem == "surefoot" else beside
    found = shutil.which("surefoot")
    if not started.exists() or (found and started.samefile(found)):
        return "surefoot"
    return shlex.quote(str(started))
