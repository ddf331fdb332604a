"""surefoot matrix"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from surefoot.cli.output import PERSON, Output, check_outputs, common, say, set_option, write_lines, yes_option
from surefoot.core.errors import INTERRUPTED, ExitCode
from surefoot.jobs.matrix import matrix as run_cells
from surefoot.jobs.matrix import slug

REPORTS = ("report.md", "report.html", "matrix.json")


@click.command(epilog="Example: surefoot matrix licence.toml")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Report folder.  [default: matrix-NAME]")
@set_option
@yes_option
@common()
def matrix(output: Output, file: Path, out: Path | None, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Run pipelines x models x prompts over one question set, and say what each of them changes.

    FILE is TOML with [[pipeline]], [[model]] and [[prompt]] tables. Every cell is a version of its own. Repeat the
    command to continue.
    """
    if out is not None and out.is_dir():
        check_outputs([out / name for name in REPORTS], ("out",))
    found = run_cells(file, person=PERSON, **options)
    if found.interrupted:
        say("interrupted; the same `surefoot matrix` command goes on from here")
        return INTERRUPTED
    code = output.finish(found)
    if found.misused or not any(cell.graded for cell in found.cells):
        say("note: no report is written" + (", as no cell has verdicts" if not found.misused else ""))
        return code
    out = out or Path(f"matrix-{slug(found.name)}")
    out.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(found.to_json()).decode(), indent=1)
    written = Output(False, tuple(str(out / name) for name in REPORTS[:2])).write(found)
    say(f"reports: {out / REPORTS[0]} and {out / REPORTS[1]}")
    return ExitCode.of_several(code, written, write_lines(str(out / REPORTS[-1]), [content]))
