"""surefoot grade"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from surefoot.cli.model_options import asking_options
from surefoot.cli.output import quiet_if_nobody_reads, say
from surefoot.cli.pairs import grade_texts
from surefoot.cli.score import read_mapping
from surefoot.cli.terminal import PERSON
from surefoot.errors import ExitCode, UsageError
from surefoot.graders.grader import Graded
from surefoot.graders.llm_reading import SelfCheck
from surefoot.io.items import load_items
from surefoot.report.words import names, plain
from surefoot.services.grade import DEFAULT, graded_rows, trust_in_run
from surefoot.services.grade import grade as grade_folder
from surefoot.services.graders import Reader, Terms, check_terms, open_grader
from surefoot.store import RunStore
from surefoot.table import BUCKETS, Bucket
from surefoot.types import Problem

_BAD: tuple[Bucket, ...] = ("wrong", "unsupported")
_BAD_SHOWN, _LINE = 5, 100


@click.command(epilog="Example: surefoot grade runs/reference-1; surefoot grade --items items.jsonl --json")
@click.argument("run", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--items", metavar="FILE", help="Rows of {id, question, passages, answer, ...} or traces of any shape; - for stdin."
)
@click.option(
    "--map", "mapping", multiple=True, metavar="FIELD=PATH", help="Where a field lies in the rows of --items."
)
@click.option("--pairs", metavar="FILE", help="Rows of {id, context, claim}: is the claim supported?")
@click.option("--questions-passages", metavar="FILE", help="Rows of {id, question, passage}: does the passage answer?")
@click.option("--refusals", metavar="FILE", help="Rows of {id, text}: is the text a refusal?")
@click.option(
    "--grader",
    default=DEFAULT,
    show_default=True,
    metavar="GRADER",
    help="Who grades: local, rules, llm:MODEL@URL, cascade:local,llm:MODEL@URL or council:GRADER,GRADER,...",
)
@click.option(
    "--sure-from", type=float, default=Terms().sure_from, show_default=True, metavar="P",
    help="In a cascade, from which probability on the first grader decides.",
)  # fmt: skip
@asking_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line instead of a table.")
def grade(
    run: Path | None,
    items: str | None,
    mapping: tuple[str, ...],
    grader: str,
    as_json: bool,
    **more: Any,  # noqa: ANN401 - as click hands them over
) -> int:
    """Grade answers on the five axes, with reasons and evidence.

    RUN is a folder that `surefoot run` made; its verdicts are kept there. Exits 0 when all were graded, 4 when some
    were not, or when the grader failed its self-check: it misread an answer of known label, or left it unanswered.
    """
    terms = Terms(**{name: more.pop(name) for name in Terms.__struct_fields__})
    bare = [(name.replace("_", "-"), path) for name, path in more.items() if path is not None]
    if (run is not None) + (items is not None) + len(bare) != 1:
        raise UsageError("one thing to grade must be given", "pass a run folder, or --items FILE.jsonl")
    check_terms(terms)
    if bare:
        return grade_texts(*bare[0], as_json)
    chosen = open_grader(grader, terms, person=PERSON)
    if run is not None:
        return _grade_run(run, chosen, as_json)
    if items != "-" and (not Path(str(items)).exists() or Path(str(items)).is_dir()):
        raise UsageError(f"{items} is not a file", "pass a file of items, one JSON object a line")
    counts: Counter[str | None] = Counter()
    for row in graded_rows(load_items(str(items), _note, read_mapping(mapping)), chosen):
        counts[row["factuality"]] += 1
        _print(row, as_json)
    checks: Mapping[str, SelfCheck] = getattr(chosen, "self_checks", {})
    _sum_up(counts, as_json, checks)
    failed = any(check.failed for check in checks.values())
    return ExitCode.INCOMPLETE if failed or counts[None] or not counts.total() else ExitCode.OK


def _note(problem: Problem) -> None:
    click.echo(f"note: {plain(str(problem), 500)}", err=True)


def _grade_run(folder: Path, grader: Reader, as_json: bool) -> int:
    found = grade_folder(folder, grader=grader, person=PERSON)
    with quiet_if_nobody_reads():
        for row in found.table():
            _print(row, as_json)
    for problem in found.problems:
        say(f"warning: {plain(str(problem), 500)}")
    if standing := found.found.standing:
        ids = [question_id for question_id, _ in standing]
        say(f"warning: not graded this time, so the verdicts of before stand: {names(ids, len(ids), 50)}")
    if found.found.in_vain:
        say(f"note: nothing was graded, and the run stays as it was: {_graded_by(folder)}")
    _sum_up(found.counts, as_json, found.found.self_checks, found.stands)
    if not as_json:
        _show_bad(found.found.graded)
    if found.found.graded and (found.counts.total() > found.counts[None] or found.stands):
        say(f"trust: {plain(trust_in_run(folder), 500)}")
    return int(found.exit_code)


def _graded_by(folder: Path) -> str:
    grader = RunStore.open(folder).manifest.grader
    return f"graded by {plain(grader)}" if grader else "not graded"


def _print(row: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(row) + b"\n")
        sys.stdout.buffer.flush()
        return
    bucket = row["factuality"] or "not graded"
    name = plain(row["id"] or "-") + (f" ({row['attempt']})" if row["attempt"] > 1 else "")
    click.echo(f"{name:16} {bucket:12} {row['reason']:15} {plain(row['detail'])}".rstrip())


def _show_bad(graded: Iterable[Graded]) -> None:
    """The first answers to look into, the wrong ones before the unsupported."""
    bad = [one for bucket in _BAD for one in graded if one.bucket == bucket]
    if bad:
        click.echo(f"\nbad answers ({min(_BAD_SHOWN, len(bad))} of {len(bad)}; --json has the evidence of all):")
    for one in bad[:_BAD_SHOWN]:
        click.echo(f"{plain(one.item.question.id)}: {one.bucket} ({one.reason})")
        click.echo(f"  question: {plain(one.item.question.text, _LINE)}")
        click.echo(f"  answer:   {plain(one.item.trace.answer or '', _LINE)}")


def _in_buckets(counts: Counter[str | None]) -> str:
    return ", ".join(f"{counts[bucket]} {bucket}" for bucket in BUCKETS)


def _sum_up(
    counts: Counter[str | None],
    as_json: bool,
    checks: Mapping[str, SelfCheck],
    stands: Counter[str | None] | None = None,
) -> None:
    if not as_json:
        now = f"{_in_buckets(counts)}, {counts[None]} not graded"
        click.echo(f"{now} this time; the verdicts of before stand: {_in_buckets(stands)}" if stands else now)
    for name, check in checks.items():
        if check.failed and not check.in_vain:  # where the server did not answer, it is named
            words = f"the grader {name} failed its self-check ({check.words}): what rests on it does not ship"
            say(f"warning: {plain(words, 500)}\nhint: grade again, or with another model")
