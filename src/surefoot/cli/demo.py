"""surefoot demo"""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from importlib.resources import as_file, files
from pathlib import Path

import click

from surefoot.cli.reports import write_reports
from surefoot.cli.terminal import PERSON
from surefoot.datasets.demo import questions
from surefoot.errors import UsageError
from surefoot.records import fingerprint
from surefoot.report.verdict import verdict_lines
from surefoot.services.gate import GateResult, gate
from surefoot.services.grade import grade
from surefoot.services.ledger import import_labels
from surefoot.services.run import run
from surefoot.store import MANIFEST, RunStore

BASE, CANDIDATE = "reference", "reference-eager"
LEDGER, LABELS = "surefoot.db", "labels.jsonl"
_WIDTH = 78
_INTRODUCTION = """\
A pipeline answers questions about 43 documents, and refuses where it finds no
evidence. A colleague drops the refusals. Is it still fit to ship?

run      Both versions answer 130 questions, the same on every machine."""
_GRADE = """\
grade    A grader, here a small model that comes with Surefoot, reads each
         answer with its passages and puts it into one of four buckets."""
_LABEL = """\
label    A label is the bucket by someone who read the answer and saw no grade.
         Here two AI annotators stand in for people; with your own documents, have
         people label about 60. Labels replace grades, and show grader errors:"""
_COMPARE = """\
compare  Acceptable is what is correct or refused. With labels in place:

                     before   after
         correct      {base[correct]:5} {cand[correct]:7}   answers, and the passages it cites say so
         wrong        {base[wrong]:5} {cand[wrong]:7}   false about what was asked
         unsupported  {base[unsupported]:5} {cand[unsupported]:7}   no evidence, or true but no answer
         refused      {base[refused]:5} {cand[refused]:7}   says that it cannot tell

         A rise of wrong or unsupported blocks once it is certain; until then a
         doubt of up to 3 points (answers in 100) is let pass. Claims without a
         citation count too (extra_claim_count). The gate decides:"""
_SHIPS = """
A version against itself changes nothing, so it ships. One rule is waived, with
a reason that is kept: it refuses where it could answer (over_refusal)."""
_NEXT = """
Every answer and rule is in {out}/report.html and report.md.
Three things to try:
  {surefoot} label {out}/{base}      # label in the browser
  {surefoot} calibrate {out}/{base}  # the grader's errors
  {surefoot} init my-eval                       # your own pipeline"""


@click.command(epilog="Example: surefoot demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="surefoot-demo",
    show_default=True,
    help="Folder to write to.",
)
def demo(out: Path) -> int:
    """Run, grade, label and compare two pipelines on the bundled questions: offline, in a minute.

    Exits 0 whatever the decision.
    """
    _refuse_other_runs(out)
    click.echo(_INTRODUCTION)
    base, cand = out / BASE, out / CANDIDATE
    for folder in (base, cand):
        if (folder / MANIFEST).exists():
            shutil.rmtree(folder)  # an earlier demo; anything else is refused by the store
        run(folder.name, out=folder, ledger=out / LEDGER, person=PERSON)
    click.echo(_GRADE)
    for folder in (base, cand):
        grade(folder, person=PERSON)
    with as_file(files("surefoot") / "demo" / LABELS) as labels:
        import_labels(labels, ledger=out / LEDGER, person=PERSON)
    compared = gate(base, cand, ledger=out / LEDGER, person=PERSON)
    click.echo(_LABEL)
    _indented(compared["trust"]["in_words"])
    click.echo(_COMPARE.format(**compared["buckets"]))
    _indented(_decision(compared))
    written = write_reports([str(out / "report.md"), str(out / "report.html")], compared.report)
    _show_one_that_ships(base, out / LEDGER)
    click.echo(_NEXT.format(surefoot=command_as_typed(), out=shlex.quote(str(out)), base=BASE))
    return written


def _refuse_other_runs(out: Path) -> None:
    """A demo replaces an earlier one, and nothing that somebody else has put there."""
    asked = fingerprint(question.as_asked for question in questions())
    runs = [folder for name in (BASE, CANDIDATE) if ((folder := out / name) / MANIFEST).exists()]
    if any(RunStore.open(folder).manifest.questions_sha256 != asked for folder in runs):
        raise UsageError(f"{out} holds runs that are not the demo's", "choose a folder of its own with --out")
    if (out / LEDGER).exists() and not runs:
        raise UsageError(f"{out} holds a ledger that is not the demo's", "choose a folder of its own with --out")


def _indented(text: str) -> None:
    click.echo(textwrap.fill(text, _WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9, break_on_hyphens=False))


def _decision(compared: GateResult) -> str:
    return f"{compared.outcome} - {' '.join(verdict_lines(compared.comparison))}"


def _show_one_that_ships(base: Path, ledger: Path) -> None:
    rule, reason = "over_refusal", "known to refuse much"
    compared = gate(base, base, waive={rule: reason}, db=db, person=PERSON)
    click.echo(_SHIPS)
    options = [str(base), str(base), "--waive", rule, "--reason", reason]
    click.echo(f"{command_as_typed()} gate {shlex.join(options)}")
    click.echo(_decision(compared))


def command_as_typed() -> str:
    """`surefoot` where typing that starts this very program, else the path it was started by."""
    beside = Path(sys.executable).with_name("surefoot")
    started = Path(sys.argv[0]) if Path(sys.argv[0]).stem == "surefoot" else beside
    found = shutil.which("surefoot")
    if not started.exists() or (found and started.samefile(found)):
        return "surefoot"
    return shlex.quote(str(started))
