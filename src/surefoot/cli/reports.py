"""Reports that a command writes beside what it prints: Markdown or a page, as the name of the file says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from surefoot.cli.targets import check_outputs
from surefoot.errors import UsageError

_KINDS = (".md", ".html")

report_option = click.option(
    "--report", "reports", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="Write a report, .md or .html. Repeatable.",
)  # fmt: skip


def check_reports(reports: Sequence[str]) -> None:
    """Before the work is done that they are to tell of."""
    for path in reports:
        if Path(path).suffix.lower() not in _KINDS:
            raise UsageError(f"the report {path} is of no known kind", f"let its name end in {' or '.join(_KINDS)}")
    check_outputs(map(Path, reports), ("reports",))


def write_reports(reports: Sequence[str], page: Callable[[], str], markdown: Callable[[], Iterable[str]]) -> None:
    for path in reports:
        is_page = Path(path).suffix.lower() == ".html"
        content = page() if is_page else "".join(f"{line}\n" for line in markdown())
        Path(path).write_text(content, encoding="utf-8", errors="backslashreplace", newline="\n")
