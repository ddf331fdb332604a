"""surefoot grade"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import click

from surefoot.cli.output import (
    PERSON,
    Output,
    citations_option,
    common,
    engine_option,
    map_option,
    print_json,
    quiet_if_nobody_reads,
    say,
    set_option,
    yes_option,
)
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.table import BUCKETS, Bucket
from surefoot.core.types import in_plain_words, names, plain
from surefoot.graders.grader import Graded, SelfCheck
from surefoot.jobs.engine import Engine
from surefoot.jobs.grade import DEFAULT, Grades, grade_items, grade_log, grade_texts
from surefoot.jobs.grade import grade as grade_runs
from surefoot.jobs.graders import Reader, open_grader
from surefoot.jobs.overview import trust_in
from surefoot.jobs.settings import settings_from

_BAD: tuple[Bucket, ...] = ("wrong", "unsupported")
_SHOWN, _LINE, _LONGEST_LINE = 5, 100, 200


@click.command(epilog="Example: surefoot grade v1")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option(
    "--items",
    type=click.Path(),
    metavar="FILE",
    help="Rows of {id, question, passages, answer, ...} or any log shape; - for stdin.",
)
@click.option(
    "--traces", "-t", multiple=True, metavar="PATH",
    help="A log without a question set: file, folder, or - for stdin. Repeatable.",
)  # fmt: skip
@map_option
@click.option("--corpus", metavar="PATH", help="Texts of passages named by id alone.")
@click.option("--version", metavar="TEXT", help="With --traces: the version that the log is of.  [default: its name]")
@click.option(
    "--pairs", type=click.Path(), metavar="FILE",
    help="Bare texts: {id, context, claim}, is it supported; {id, question, passage}, does it answer; {id, text}, "
    "does it refuse.",
)  # fmt: skip
@click.option(
    "--grader", default=DEFAULT, show_default=True, metavar="GRADER",
    help="local, local@FILE, rules, llm:MODEL@URL or local,llm:MODEL@URL (a cascade)",
)  # fmt: skip
@citations_option
@engine_option
@set_option
@yes_option
@common(report=True, json="Print JSON lines.")
def grade(
    output: Output, runs: tuple[str, ...], items: str | None, traces: tuple[str, ...], pairs: str | None,
    mapping: dict[str, str], version: str | None, engine: Engine, grader: str,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Grade answers on the five axes, with reasons and evidence.

    RUN is a run, or a version for all its runs, and keeps the verdicts; --traces makes a run of a log. Exits 4 when
    some answers were not graded, or when the grader failed its self-check on answers of known label.
    """
    if bool(runs) + (items is not None) + bool(traces) + (pairs is not None) != 1:
        raise UsageError("one thing to grade must be given", "pass a run, --traces LOG or --items FILE.jsonl")
    if version is not None and not traces:
        raise UsageError("--version was given without --traces", "a run has its version already")
    if not runs and not traces:
        for name, given in (("report", output.reports), ("engine ray", engine != "local")):
            if given:
                raise UsageError(f"--{name} was given without a run", "pass a run or --traces LOG")
    how = settings_from(options["settings"], citations=options["citations"], yes=options["yes"], map=mapping)
    if pairs is not None:
        return _grade_texts(pairs, output.as_json)
    if items is not None:
        chosen = open_grader(grader, how, person=PERSON)
        rows = grade_items(items, grader=chosen, corpus=options["corpus"], mapping=mapping, person=PERSON)
        return _grade_items(rows, chosen, output.as_json)
    options["grader"] = grader
    if runs:
        return _show_run(grade_runs(*runs, engine=engine, person=PERSON, **options), output)
    found = grade_log(traces, version=version or "", mapping=mapping, engine=engine, person=PERSON, **options)
    say(f"run: {found.runs[0]}")
    return _show_run(found, output)


def _grade_texts(path: str, as_json: bool) -> int:
    counts: Counter[str] = Counter()
    for one in grade_texts(path, person=PERSON):
        if one.problem:
            say(f"error: {plain(str(one.problem), 500)}")
        decision = "not graded" if one.decision is None else str(one.decision)
        if one.row is not None and as_json:
            print_json(one.row)
        elif one.row is not None:
            name = plain(str(one.row["id"]), 40)
            click.echo(f"{name:16} {decision:12} {plain(one.words, _LONGEST_LINE)}".rstrip())
        counts["graded" if isinstance(one.decision, float) else decision] += 1
    if not as_json:
        click.echo(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing to grade")
    return ExitCode.INCOMPLETE if counts["not graded"] or not counts else ExitCode.OK


def _grade_items(rows: Iterable[Mapping[str, Any]], grader: Reader, as_json: bool) -> int:
    counts, sure = Counter[str | None](), Counter[str | None]()
    for row in rows:
        counts[row["factuality"]] += 1
        sure[row["factuality"]] += _is_sure(row)
        _print(row, as_json)
    checks: Mapping[str, SelfCheck] = getattr(grader, "self_checks", {})
    _sum_up(counts, sure, as_json, checks)
    failed = any(check.failed for check in checks.values())
    return ExitCode.INCOMPLETE if failed or counts[None] or not counts.total() else ExitCode.OK


def _show_run(found: Grades, output: Output) -> int:
    as_json, printed = output.as_json, output.to_stdout
    written = output.write(found)
    with quiet_if_nobody_reads():
        rows = found.rows if as_json else sorted(found.rows, key=_is_sure)
        for row in rows if not printed else ():
            _print(row, as_json)
    for problem in found.problems:
        say(f"warning: {plain(str(problem), 500)}")
    if standing := found.found.standing:
        ids = [question_id for question_id, _ in standing]
        say(f"warning: not graded this time, so the verdicts of before stand: {names(ids, len(ids), 50)}")
    if found.found.in_vain:
        graded = f"graded by {plain(found.grader)}" if found.grader else "not graded"
        say(f"note: nothing was graded, and the run stays as it was: {graded}")
    for note in found.notes:
        say(f"note: {plain(note, 500)}")
    counts = Counter[str | None](found.buckets)
    counts[None] = found.not_graded
    _sum_up(counts, Counter(found.sure), as_json or printed, found.found.self_checks, Counter(found.stands))
    if not as_json and not printed:
        _show_first(found.found.graded, found.runs[-1])
    if found.overview:
        say(f"trust: {plain(trust_in(found.overview), 500)}")
    return ExitCode.of_several(found.exit_code, written)


def _is_sure(row: Mapping[str, Any]) -> bool:
    return row["factuality"] is not None and not row["unsure"]


def _print(row: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(row)
        return
    bucket = row["factuality"] or "not graded"
    name = plain(row["id"] or "-") + (f" ({row['attempt']})" if row["attempt"] > 1 else "")
    detail = f"{'unsure ' if row['unsure'] else ''}{plain(row['detail'])}"
    click.echo(f"{name:16} {bucket:12} {row['reason']:15} {detail}".rstrip())


def _show_first(graded: Iterable[Graded], run: str) -> None:
    """The first answers to look into: those without a sure verdict, then the wrong ones, then the unsupported."""
    to_check = [one for one in graded if one.bucket is None or one.verdicts[0].unsure]
    bad = [one for bucket in _BAD for one in graded if one.bucket == bucket and not one.verdicts[0].unsure]
    for title, found in (("to check", to_check), ("bad, and sure", bad)):
        if found:
            click.echo(f"\n{title} ({min(_SHOWN, len(found))} of {len(found)}):")
        for one in found[:_SHOWN]:
            bucket = "unsure, " * one.verdicts[0].unsure + (one.bucket or "not graded")
            click.echo(
                f"{plain(one.item.question.id)}: {bucket}: {plain(in_plain_words(one.verdicts[0].reason), _LINE)}"
            )
            click.echo(f"  question: {plain(one.item.question.text, _LINE)}")
            click.echo(f"  answer:   {plain(one.item.trace.answer or '', _LINE)}")
    if to_check or bad:
        say(f"every answer with its evidence: surefoot report {shlex.quote(run)} --report page.html")


def _in_buckets(counts: Counter[str | None]) -> str:
    return ", ".join(f"{counts[bucket]} {bucket}" for bucket in BUCKETS)


def _sum_up(
    counts: Counter[str | None],
    sure: Counter[str | None],
    as_json: bool,
    checks: Mapping[str, SelfCheck],
    stands: Counter[str | None] | None = None,
) -> None:
    if not as_json:
        every, left = counts.total(), counts.total() - sure.total()
        click.echo(f"{sure.total()} of {every} sure: {_in_buckets(sure)}; {left} to check")
        now = f"{_in_buckets(counts)}, {counts[None]} not graded"
        click.echo(f"{now} this time; the verdicts of before stand: {_in_buckets(stands)}" if stands else now)
    for name, check in checks.items():
        if check.failed and not check.in_vain:  # where the server did not answer, it is named
            words = f"the grader {name} failed its self-check ({check.words}): what rests on it does not ship"
            say(f"warning: {plain(words, 500)}\nhint: grade again, or with another model")
