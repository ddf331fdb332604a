"""surefoot demo"""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

import click
import msgspec

from surefoot.cli.compare import show_comparison
from surefoot.cli.run import show
from surefoot.cli.terminal import PERSON
from surefoot.datasets.demo import questions
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.records import Label
from surefoot.report.comparison import verdict_line
from surefoot.services.calibrate import calibrate
from surefoot.services.compare import compare
from surefoot.services.grade import grade
from surefoot.services.run import run
from surefoot.services.runs import read_run
from surefoot.store import MANIFEST, RunStore, fingerprint

BASE, CANDIDATE = "reference", "reference-eager"
LEDGER, LABELS = "surefoot.db", "labels.jsonl"
_INTRODUCTION = """\
A question-answering pipeline over 43 documents refuses when it finds no evidence. A colleague proposes a change:
drop the refusals, answer everything. Does that make it lie more? 130 questions, two runs, one decision.
(How its model ranks passages was recorded, so that it answers the same on every machine. The grading is live.)
"""
_LABELS = """
Can the grader be trusted? Every answer here was labelled by two annotators who saw no verdict: AI models, for want of
people. (Answers that both pipelines give count once.) With your own documents, label about 60 answers yourself.
`surefoot import` keeps labels in a ledger. Where a label is, it counts instead of the grader; and labels say how far
the grader errs on the other answers:
  {trust}
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
  # how the grader errs, and what the rates are without its errors
  {surefoot} calibrate {out}/{base} {out}/{cand}
  # label some answers yourself, in the browser
  {surefoot} label {out}/{base}
  # refusing nearly everything must not pass either
  {surefoot} run --pipeline reference-timid --out {out}/timid && {surefoot} grade {out}/timid
  {surefoot} compare {out}/{base} {out}/timid
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
    """Run two pipelines over the bundled questions, grade, calibrate and compare them, and show the decision.

    Offline, in a minute. Exits 0 when it completed, whatever the decision it shows.
    """
    _refuse_other_runs(out)
    click.echo(_INTRODUCTION)
    for name in (BASE, CANDIDATE):
        folder = out / name
        if (folder / MANIFEST).exists():
            shutil.rmtree(folder)  # an earlier demo; anything else is refused by the store
        show(run(name, out=folder, person=PERSON))
        grade(folder)
    if trust := _calibrated(out):
        click.echo(_LABELS.format(trust=trust))
    report = out / "report"
    compared = compare(out / BASE, out / CANDIDATE, ledger=out / LEDGER, person=PERSON)
    show_comparison(compared, [f"{report}.md", f"{report}.html"])
    surefoot = command_as_typed()
    click.echo(_SHIPS.format(**_one_that_ships(out, surefoot)), nl=False)
    place = shlex.quote(str(out))
    click.echo(_NEXT.format(surefoot=surefoot, report=report, out=place, base=BASE, cand=CANDIDATE), nl=False)
    return ExitCode.OK


def _refuse_other_runs(out: Path) -> None:
    """A demo replaces an earlier one, and nothing that somebody else has put there."""
    asked = fingerprint(questions())
    runs = [folder for name in (BASE, CANDIDATE) if ((folder := out / name) / MANIFEST).exists()]
    if any(RunStore.open(folder).manifest.questions_sha256 != asked for folder in runs):
        raise UsageError(f"{out} holds runs that are not the demo's", "choose a folder of its own with --out")
    if (out / LEDGER).exists() and not runs:
        raise UsageError(f"{out} holds a ledger that is not the demo's", "choose a folder of its own with --out")


def _ledger(out: Path) -> list[str]:
    """The demo's own, whatever ledger the user's projects have."""
    return ["--ledger", str(out / LEDGER)]


def _calibrated(out: Path) -> str:
    """Import the bundled labels, and hold the grader against them; "" without labels."""
    from surefoot.cli.ledger import import_

    bundled = files("surefoot") / "demo" / LABELS
    if not bundled.is_file():
        click.echo("note: this installation has no labels for the demo, so nothing will ship", err=True)
        return ""
    with as_file(bundled) as labels, contextlib.redirect_stdout(io.StringIO()):
        _note_strangers(labels, out)
        import_.main([str(labels), *_ledger(out)], "surefoot import", standalone_mode=False)
    try:
        return calibrate(out / BASE, out / CANDIDATE, ledger=out / LEDGER, person=PERSON).calibration.headline
    except Incomplete as error:
        click.echo(f"note: {error.message}", err=True)
        return ""


def _note_strangers(labels: Path, out: Path) -> None:
    """Labels follow the very words of an answer: a pipeline that has changed leaves some of them behind."""
    given = {msgspec.json.decode(line, type=Label).version for line in labels.read_bytes().splitlines()}
    known = {version for name in (BASE, CANDIDATE) for version in read_run(out / name).versions.values()}
    if strange := len(given - known):
        message = (
            f"{strange} of the {len(given)} labelled answers are not given by these runs, so their labels say nothing"
        )
        click.echo(f"note: {message}", err=True)


def _one_that_ships(out: Path, surefoot: str) -> dict[str, str]:
    """A comparison that asks and grades nothing new, with its decision."""
    base, rule, reason = str(out / BASE), "over_refusal", "the bundled pipeline is known to refuse much"
    compared = compare(base, base, waive={rule: reason}, ledger=out / LEDGER, person=PERSON)
    command = f"{surefoot} compare {shlex.join([base, base, '--waive', rule, '--reason', reason])}"
    return {"command": command, "decision": f"{compared.outcome} - {verdict_line(compared.comparison)}"}


def command_as_typed() -> str:
    """`surefoot` where typing that starts this very program, else the path it was started by."""
    beside = Path(sys.executable).with_name("surefoot")
    started = Path(sys.argv[0]) if Path(sys.argv[0]).stem == "surefoot" else beside
    found = shutil.which("surefoot")
    if not started.exists() or (found and started.samefile(found)):
        return "surefoot"
    return shlex.quote(str(started))
