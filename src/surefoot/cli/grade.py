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
from surefoot.core.records import BAD
from surefoot.core.table import BUCKETS
from surefoot.core.types import plain
from surefoot.io.cluster import Engine
from surefoot.jobs.grade import DEFAULT, grade_items, grade_log, grade_texts
from surefoot.jobs.grade import grade as grade_runs
from surefoot.jobs.overview import trust_in
from surefoot.jobs.settings import settings_from

_SHOWN, _LINE, _LONGEST_LINE = 20, 100, 200


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
    if pairs is not None:
        settings_from(options["settings"])  # which it needs none of, but for a slip
        return _grade_texts(pairs, output.as_json)
    options |= {"grader": grader, "person": PERSON}
    if items is not None:
        del options["db"]
        return _show(grade_items(items, mapping=mapping, **options), output)
    if runs:
        found = grade_runs(*runs, engine=engine, **options)
    else:
        found = grade_log(traces, version=version or "", mapping=mapping, engine=engine, **options)
        say(f"run: {found.runs[0]}")
    written = output.write(found)
    with quiet_if_nobody_reads():
        if not output.to_stdout:
            _show(found.rows if output.as_json else sorted(found.rows, key=_is_sure), output, found.runs[-1])
    for problem in found.problems:
        say(f"warning: {problem}")
    for note in found.notes:
        say(f"note: {note}")
    if found.overview:
        say(f"trust: {trust_in(found.overview)}")
    return ExitCode.of_several(found.exit_code, written)


def _grade_texts(path: str, as_json: bool) -> int:
    counts: Counter[str] = Counter()
    for row in grade_texts(path, person=PERSON):
        decision = next((row[name] for name in ("label", "answers", "refusal") if name in row), None)
        kind = "not graded" if decision is None else "graded" if isinstance(decision, float) else decision
        counts[kind] += 1
        if as_json:
            print_json(row)
            continue
        shares = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in row.items()
                           if isinstance(value, float) and name != "id")  # fmt: skip
        quote = f'evidence: "{plain(row["evidence"], _LINE)}"' if row.get("evidence") else ""
        words = "; ".join(filter(None, (shares, quote, row.get("reason"))))
        click.echo(f"{plain(str(row['id'] or '-'), 40):16} {kind:12} {plain(words, _LONGEST_LINE)}".rstrip())
    if not as_json:
        click.echo(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return ExitCode.INCOMPLETE if counts["not graded"] else ExitCode.OK


def _show(rows: Iterable[Mapping[str, Any]], output: Output, run: str = "") -> int:
    """Print rows as they come, of a run only the first to look into, and then how many there are of which kind."""
    counts, sure, failed, to_see = Counter[str | None](), Counter[str | None](), False, 0
    for row in rows:
        counts[row["factuality"]] += 1
        sure[row["factuality"]] += _is_sure(row)
        failed |= bool(row["self_check"])
        if output.as_json:
            print_json(row)
            continue
        if run and _is_sure(row) and row["factuality"] not in BAD:
            continue
        to_see += 1
        if run and to_see > _SHOWN:
            continue
        bucket = row["factuality"] or "not graded"
        name = plain(row["id"] or "-") + (f" ({row['attempt']})" if row["attempt"] > 1 else "")
        detail = f"{'unsure ' if row['unsure'] else ''}{plain(row['detail'])}"
        click.echo(f"{name:16} {bucket:12} {row['reason']:15} {detail}".rstrip())
    if run and to_see > _SHOWN:
        more = f"surefoot report {shlex.quote(run)} --report page.html"
        click.echo(f"... and {to_see - _SHOWN} more to look into; every answer with its evidence: {more}")
    if not output.as_json:
        each, now = (", ".join(f"{found[bucket]} {bucket}" for bucket in BUCKETS) for found in (sure, counts))
        click.echo(f"{sure.total()} of {counts.total()} sure: {each}; {counts.total() - sure.total()} to check")
        click.echo(f"{now}, {counts[None]} not graded")
    return ExitCode.INCOMPLETE if failed or counts[None] or not counts else ExitCode.OK


def _is_sure(row: Mapping[str, Any]) -> bool:
    return row["factuality"] is not None and not row["unsure"]
