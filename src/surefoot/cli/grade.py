"""surefoot grade, surefoot report, surefoot calibrate"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from surefoot.cli import output as shared
from surefoot.cli.output import PERSON, Output, common, json_line, show
from surefoot.core.errors import WORST_FIRST, ExitCode, UsageError
from surefoot.core.records import BAD
from surefoot.core.rubric import DEFAULT as DEFAULT_RUBRIC
from surefoot.core.table import BUCKETS
from surefoot.core.types import plain
from surefoot.graders.local import grade_texts
from surefoot.io.cluster import Engine
from surefoot.jobs.calibrate import calibrate as compare_with_labels
from surefoot.jobs.calibrate import refit as refit_local
from surefoot.jobs.grade import DEFAULT, grade_items, grade_log
from surefoot.jobs.grade import grade as grade_runs
from surefoot.jobs.overview import overview, trust_in

_FAILED, _UNSAFE = "failed its self-check", "unsafe"
_SHOWN, _LINE, _LONGEST_LINE = 20, 100, 200


@click.command(epilog="Example: surefoot grade v1")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--items", type=click.Path(), metavar="FILE",
              help="Rows of {id, question, passages, answer, ...} or any log shape; - for stdin.")  # fmt: skip
@click.option("--traces", "-t", multiple=True, metavar="PATH",
              help="A log without a question set: file, folder, or - for stdin. Repeatable.")  # fmt: skip
@shared.map_option
@click.option("--corpus", metavar="PATH", help="Texts of passages named by id alone.")
@click.option("--version", metavar="TEXT", help="With --traces: the version that the log is of.  [default: its name]")
@click.option(
    "--pairs", type=click.Path(), metavar="FILE",
    help="Bare texts: {id, context, claim}, is it supported; {id, question, passage}, does it answer; {id, text}, "
    "does it refuse.",
)  # fmt: skip
@click.option("--grader", default=DEFAULT, show_default=True, metavar="GRADER",
              help="local, local@FILE, rules, llm:MODEL@URL or local,llm:MODEL@URL (a cascade)")  # fmt: skip
@shared.citations_option
@shared.engine_option
@shared.paid_options
@common(report=True, json="Print JSON lines.")
def grade(
    output: Output, runs: tuple[str, ...], items: str | None, traces: tuple[str, ...], pairs: str | None,
    mapping: dict[str, str], version: str | None, engine: Engine, grader: str,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Grade answers on the six axes, with reasons and evidence.

    RUN is a run, or a version for all its runs, and keeps the verdicts; --traces makes a run of a log. Exits 4 when
    some answers were not graded, or when the grader failed its self-check on answers of known label.
    """
    if bool(runs) + (items is not None) + bool(traces) + (pairs is not None) != 1:
        raise UsageError("one thing to grade must be given", "pass a run, --traces LOG or --items FILE.jsonl")
    shared.refuse_idle(not traces, "without --traces", "version", *["mapping"] * bool(runs or pairs))
    shared.refuse_idle(not runs and not traces, "without a run or --traces", "reports", "engine", "db")
    if pairs is not None:
        shared.refuse_idle(pairs, "with --pairs", "corpus", "grader", "citations", "settings", "yes")
        kinds = Counter[str]()
        for line in _text_lines(pairs, output.as_json, kinds):
            click.echo(line)
        return ExitCode.INCOMPLETE if kinds["not graded"] else ExitCode.OK
    options |= {"grader": grader, "person": PERSON}
    counts = Counter[str | None]()
    if items is not None:
        del options["db"]
        for line in _lines(grade_items(items, mapping=mapping, **options), output.as_json, counts):
            click.echo(line)
        is_whole = counts and not counts[None] and not counts[_FAILED]
        return ExitCode.OK if is_whole else ExitCode.INCOMPLETE
    if runs:
        found = grade_runs(*runs, engine=engine, **options)
    else:
        found = grade_log(traces, version=version or "", mapping=mapping, engine=engine, **options)
        PERSON.tell(f"run: {found.runs[0]}")
    written = output.write(found)
    if not output.to_stdout:
        rows = found.rows if output.as_json else sorted(found.rows, key=_is_sure)
        show(_lines(rows, output.as_json, counts, found.runs))
    for line in (*(f"warning: {one}" for one in found.problems), *(f"note: {one}" for one in found.notes)):
        PERSON.tell(line)
    if found.overview:
        PERSON.tell(f"trust: {trust_in(found.overview)}")
    return min(found.exit_code, written, key=WORST_FIRST.index)


def _text_lines(path: str, as_json: bool, counts: Counter[str]) -> Iterator[str]:
    for row in grade_texts(path, person=PERSON):
        decision = next((row[name] for name in ("label", "answers", "refusal") if name in row), None)
        kind = "not graded" if decision is None else "graded" if isinstance(decision, float) else decision
        counts[kind] += 1
        shares = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in row.items()
                           if isinstance(value, float) and name != "id")  # fmt: skip
        quote = f'evidence: "{plain(row["evidence"], _LINE)}"' if row.get("evidence") else ""
        words = plain("; ".join(filter(None, (shares, quote, row.get("reason")))), _LONGEST_LINE)
        yield json_line(row) if as_json else f"{plain(str(row['id'] or '-'), 40):16} {kind:12} {words}".rstrip()
    if not as_json:
        yield ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))


def _lines(
    rows: Iterable[Mapping[str, Any]], as_json: bool, counts: Counter[str | None], runs: Sequence[str] = ()
) -> Iterator[str]:
    """Rows as they come, of a run only the first to look into, and then how many there are of which kind."""
    sure, to_see = Counter[str | None](), 0
    for row in rows:
        bucket, is_sure = row["factuality"], _is_sure(row)
        counts.update([bucket, *[_FAILED] * bool(row["self_check"]), *[_UNSAFE] * bool(row["unsafe"])])
        sure[bucket] += is_sure
        to_see += (is_to_see := not is_sure or bucket in BAD or bool(row["unsafe"]))
        if as_json:
            yield json_line(row)
        elif not runs or (to_see <= _SHOWN and is_to_see):
            name = plain(row["id"] or "-") + (f" ({row['attempt']})" if row["attempt"] > 1 else "")
            name += f" of {row['run']}" if len(runs) > 1 else ""
            detail = f"{'unsafe ' * bool(row['unsafe'])}{'unsure ' * row['unsure']}{plain(row['detail'])}"
            yield f"{name:16} {bucket or 'not graded':12} {row['reason']:15} {detail}".rstrip()
    if as_json:
        return
    if runs and to_see > _SHOWN:
        more = f"surefoot report {shlex.quote(runs[-1])} --report page.html"
        yield f"... and {to_see - _SHOWN} more to look into; every answer with its evidence: {more}"
    total = sum(counts[bucket] for bucket in (*BUCKETS, None))
    each, now = (", ".join(f"{found[bucket]} {bucket}" for bucket in BUCKETS) for found in (sure, counts))
    yield f"{sure.total()} of {total} sure: {each}; {total - sure.total()} to check"
    yield f"{now}, {counts[None]} not graded" + f"; {counts[_UNSAFE]} unsafe" * bool(counts[_UNSAFE])


def _is_sure(row: Mapping[str, Any]) -> bool:
    return row["factuality"] is not None and not row["unsure"]


@click.command(epilog="Example: surefoot report v1 --report page.html")
@click.argument("run")
@common(report=True)
def report(output: Output, run: str, db: str | None) -> int:
    """Show one graded run: buckets, axes, what to look into, and every answer with its evidence.

    RUN is a run, a version for its newest one, or a file of verdicts.
    """
    from surefoot.report.run import summary  # noqa: PLC0415 - grading needs no page

    found = overview(run, db=db)
    return output.finish(found, summary(found) if output.reports else None)


@click.command(epilog="Example: surefoot calibrate v1 --report calibration.html")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--verdicts", metavar="FILE", help="Instead of a run: rows of {question_id, axis, value, grader}.")
@click.option("--labels", multiple=True, type=click.Path(), metavar="FILE",
              help="Labels as for `surefoot import`; they were picked unless `drawn` says `sample`.")  # fmt: skip
@click.option("--grader", metavar="NAME", help="Whose verdicts.  [default: the run's own]")
@click.option("--rubric", metavar="NAME", help=f"Of the rows of --verdicts.  [default: {DEFAULT_RUBRIC}]")
@click.option("--refit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Instead, fit the local grader to the labels, for `grade --grader local@FILE`.")  # fmt: skip
@click.option("--details", is_flag=True, help="Print the other axes too.")
@common(report=True)
def calibrate(
    output: Output, runs: tuple[str, ...], verdicts: str | None, labels: tuple[str, ...], grader: str | None,
    rubric: str | None, refit: Path | None, db: str | None, details: bool,
) -> int:  # fmt: skip
    """Compare a grader's verdicts with labels: how many it wrongly calls correct, and how many bad ones it finds.

    Labels on other runs of the same grader, rubric and corpus count too. Exits 4 when nothing could be
    calibrated, or rows could not be read.
    """
    shared.refuse_idle(verdicts, "with --verdicts", "db")
    if refit is not None:
        shared.refuse_idle(refit, "with --refit", "verdicts", "grader", "rubric", "reports", "details")
        shared.check_outputs([refit], ["refit"])
        made = refit_local(*runs, out=refit, labels=labels, db=db)
        return output.finish(made, [made.words])
    from surefoot.report.calibration import report as page_of  # noqa: PLC0415 - as above

    result = compare_with_labels(
        *runs, verdicts=verdicts, labels=labels, grader=grader, rubric=rubric, db=db, person=PERSON
    )
    return output.finish(result, page_of(result, details=details))
