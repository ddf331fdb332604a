"""surefoot demo"""

from __future__ import annotations

import shutil
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
_NEXT = """
Reports: {report}.md and {report}.html (open it in a browser).
Try next:
  surefoot compare {out}/{cand} {out}/{base}         # and the other way round?
  surefoot run --pipeline reference-timid --out {out}/timid && surefoot grade {out}/timid
  surefoot compare {out}/{base} {out}/timid          # refusing everything must not pass either
  surefoot init my-eval                              # your own questions and pipeline
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
    click.echo(_NEXT.format(report=report, out=out, base=BASE, cand=CANDIDATE))
    return ExitCode.OK
