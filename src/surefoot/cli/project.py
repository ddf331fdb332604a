"""surefoot export, surefoot import, surefoot purge"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from surefoot.cli.output import PERSON, Output, common, refuse_idle
from surefoot.core.errors import UsageError
from surefoot.core.types import counted, counted_rows, plain
from surefoot.jobs import project

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(epilog="Example: surefoot export v2.jsonl.gz v2")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--labels", is_flag=True, help="Write labels alone.")
@click.option("--decision", metavar="ID", help="Write all that this decision rests on; `latest` for the last one.")
@click.option("--without-texts", is_flag=True, help="Write ids, hashes and values, and no text.")
@common()
def export(
    output: Output, file: Path, runs: tuple[str, ...], labels: bool, decision: str | None, without_texts: bool,
    db: str | None,
) -> int:  # fmt: skip
    """Write runs, all runs of versions, or the whole project to FILE: .jsonl, .jsonl.gz or .jsonl.zst.

    Every command takes such a file in place of a run. Overwrites only an earlier export.
    """
    if decision and (runs or labels):
        raise UsageError("--decision names the runs itself", "leave out the runs and --labels")
    done = project.export(file, *runs, labels=labels, decision=decision, texts=not without_texts, db=db)
    words = f"{counted(done.lines, 'row')} of {done.project} are in {file}, sha256 {done.sha256}"
    return output.finish(done, [words])


@click.command("import", epilog="Example: surefoot import labels.csv")
@click.argument("file", type=_FILE)
@click.option("--run", metavar="RUN", help="The run that the labels are on.  [default: all runs]")
@click.option("--verify", is_flag=True, help="Check the file, and import nothing.")
@common()
def import_(output: Output, file: Path, run: str | None, verify: bool, db: str | None) -> int:
    """Add what `surefoot export` wrote, or labels made elsewhere, to the project.

    Labels are CSV or JSON lines of {question_id, axis, value}, perhaps with answer, run, attempt, annotator, note, at,
    drawn. If a row cannot be used, nothing is added. Exits 4 when a label is on no answer, or may be on several, or
    --verify finds a fault.
    """
    if verify:
        refuse_idle(verify, "with --verify", "run", "db")
        found = project.verify_export(file)
        words = "\n".join(found.faults) or f"as it was written: {_some(found.rows)}"
        return output.finish(found, [words])
    done = project.import_(file, run=run, db=db, person=PERSON)
    words = f"{_some(done.rows)} read; new in {done.project}: {_some(done.new)}"
    return output.finish(done, [words])


def _some(rows: Mapping[str, int]) -> str:
    found = {name: count for name, count in rows.items() if count}
    return counted_rows(found) if found else "nothing"


@click.command("purge", epilog="Example: surefoot purge --subject user-4711")
@click.option("--older-than", type=click.IntRange(1, 36_500), metavar="DAYS", help="Erase what is older than this.")
@click.option("--subject", metavar="ID", help="Erase all about the person with this id.")
@click.option("--yes", is_flag=True, help="Really erase; without it, show what would go.")
@common()
def purge(output: Output, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Erase labels, answers and model replies by age, or by the person they are about.

    Leaves a record. An answer belongs to whoever `subject_id`, `user_id`, --map subject=PATH or, in spans, `user.id`
    named. Exits 4 when it finds none.
    """
    done = project.purge(**options)

    what = "erased" if done.erased else "would be erased" if any(done.rows.values()) else "nothing found to erase"
    code = output.finish(done, [f"{what}: {counted_rows(done.rows)}"])
    for line in (*(f"run: {run}" for run in done.runs), *done.notes) if not output.as_json else ():
        PERSON.tell(plain(line, 500))
    return code
