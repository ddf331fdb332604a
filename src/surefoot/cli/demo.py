"""surefoot demo"""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
import sys
from pathlib import Path

import click

from surefoot.cli.compare import compare
from surefoot.cli.grade import DEFAULT, GRADERS, grade_run
from surefoot.cli.run import run
from surefoot.errors import ExitCode
from surefoot.store import RunStore

BASE, CANDIDATE = "reference", "reference-eager"
_INTRODUCTION = """\
A question-answering pipeline over 43 documents refuses when it finds no evidence. A colleague proposes a change:
drop the refusals, answer everything. Does that make it lie more? 130 questions, two runs, one decision.
"""
_SHIPS = """
And what ships? The first pipeline against itself does, as any change that changes no answer. It refuses more than the
gate allows, so that rule is waived, on the record:
  {command}
{decision}
"""
_NEXT = """
Reports: {report}.md and {report}.html (open it in a browser).
Try next:
  # is it enough to be better than the eager one?
  {surefoot} compare {out}/{cand} {out}/{base} --uncalibrated
  # refusing nearly everything must not pass either
  {surefoot} run --pipeline reference-timid --out {out}/timid && {surefoot} grade {out}/timid
  {surefoot} compare {out}/{base} {out}/timid --uncalibrated
  # your own questions and pipeline
  {surefoot} init my-eval
"""


@click.command(epilog="Example: surefoot demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="surefoot-demo",
    show_default=True,
    help="Folder to write to.",
)
def demo(out: Path) -> int:
    """Run two pipelines over the bundled questions, grade and compare them, and show the decision.

    Offline, in a minute. Exits 0 when it completed, whatever the decision it shows.
    """
    click.echo(_INTRODUCTION)
    for name in (BASE, CANDIDATE):
        folder = out / name
        if (folder / "manifest.json").exists():
            shutil.rmtree(folder)  # an earlier demo; anything else is refused by the store
        # The very commands a user would type.
        run.main(["--pipeline", name, "--out", str(folder)], "surefoot run", standalone_mode=False)
        with RunStore.open(folder, writing=True) as store:
            grade_run(store, GRADERS[DEFAULT]())
    report = out / "report"
    reports = ["--report", f"{report}.md", "--report", f"{report}.html"]
    sides = [str(out / BASE), str(out / CANDIDATE), "--uncalibrated"]
    compare.main([*sides, *reports], "surefoot compare", standalone_mode=False)
    surefoot = command_as_typed()
    click.echo(_SHIPS.format(**_one_that_ships(out, surefoot)), nl=False)
    place = shlex.quote(str(out))
    click.echo(_NEXT.format(surefoot=surefoot, report=report, out=place, base=BASE, cand=CANDIDATE), nl=False)
    return ExitCode.OK


def _one_that_ships(out: Path, surefoot: str) -> dict[str, str]:
    """A comparison that asks and grades nothing new, with the last line of what it prints."""
    base = str(out / BASE)
    waiver = ["--waive", "over_refusal_limit", "--reason", "the bundled pipeline is known to refuse much"]
    arguments = [base, base, "--uncalibrated", *waiver]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        compare.main(arguments, "surefoot compare", standalone_mode=False)
    command = f"{surefoot} compare {shlex.join(arguments)}"
    return {"command": command, "decision": printed.getvalue().strip().rpartition("\n")[2]}


def command_as_typed() -> str:
    """`surefoot` where typing that starts this very program, else the path it was started by."""
    beside = Path(sys.executable).with_name("surefoot")
    started = Path(sys.argv[0]) if Path(sys.argv[0]).stem == "surefoot" else beside
    found = shutil.which("surefoot")
    if not started.exists() or (found and started.samefile(found)):
        return "surefoot"
    return shlex.quote(str(started))
