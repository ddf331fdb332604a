"""surefoot compare"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from surefoot.cli.deciding import decide, deciding_options
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.compare import Comparison
from surefoot.errors import UsageError

_REPORTS = (".md", ".html")


@click.command(epilog="Example: surefoot compare runs/base runs/cand --report report.html")
@deciding_options
@click.option(
    "--report", "reports", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="Write a report, .md or .html. Repeatable.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the tables.")
def compare(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Compare two runs bucket by bucket, and decide whether the candidate may ship.

    BASE and CAND are files of verdicts (JSON lines) or folders of runs. The exit code is the decision.
    """
    _check_reports(options["reports"])
    comparison = decide(options)
    with quiet_if_nobody_reads():
        _write(comparison, options["reports"], options["as_json"])
    return int(comparison.decision.exit_code)


def _check_reports(reports: Sequence[str]) -> None:
    for path in reports:
        if Path(path).suffix.lower() not in _REPORTS:
            raise UsageError(f"the report {path} is of no known kind", f"let its name end in {' or '.join(_REPORTS)}")
        if not Path(path).resolve().parent.is_dir():
            raise UsageError(f"there is no folder to write {path} into", "make the folder first")


def _write(comparison: Comparison, reports: Sequence[str], as_json: bool) -> None:
    from surefoot.report import comparison as words
    from surefoot.report import comparison_json

    for path in reports:
        if Path(path).suffix.lower() == ".html":
            from surefoot.report import page

            content = page.render(comparison)
        else:
            content = "".join(f"{line}\n" for line in words.markdown(comparison))
        Path(path).write_text(content, encoding="utf-8", errors="backslashreplace", newline="\n")
    if as_json:
        click.echo(msgspec.json.encode(comparison_json.as_json(comparison)))
        return
    words.show(comparison, console())
