"""Reports that a command writes beside what it prints: Markdown or a page, as the name of the file says.

`-` is stdout: the report as Markdown, in place of what would be printed there otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from surefoot.cli.output import check_outputs, console, finish, quiet_if_nobody_reads
from surefoot.errors import UsageError
from surefoot.report import markdown
from surefoot.report.blocks import Report
from surefoot.report.words import plain
from surefoot.services.result import Reported

STDOUT = "-"
_PAGES = (".html", ".htm")
_MARKDOWN = (".md", ".markdown", ".txt", "")

report_option = click.option(
    "--report", "reports", multiple=True, type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE",
    help="A page to .html or .htm, or Markdown to .md, .markdown, .txt or a name without an ending; - is stdout."
    " Repeatable.",
)  # fmt: skip


def check_reports(reports: Sequence[str], as_json: bool, option: str = "report") -> None:
    """Before the work is done that they are to tell of."""
    if as_json and STDOUT in reports:
        raise UsageError(f"--json and --{option} - cannot both go to stdout", "name a file for the report")
    check_outputs(files_of(reports), ("reports", "out"))
    for path in files_of(reports):
        if Path(path).suffix.lower() not in _PAGES + _MARKDOWN:
            raise UsageError(f"the report {path} is of no known kind", "let its name end in .md or .html")


def files_of(reports: Sequence[str]) -> list[str]:
    return [path for path in reports if path != STDOUT]


def finish_with_reports(
    result: Reported, as_json: bool, reports: Sequence[str], shown: Callable[[], Report] | None = None,
    more: Sequence[str] = (),
) -> int:  # fmt: skip
    """`shown` is what the terminal shows, where that is not the report of the files; `more` follows there."""
    with quiet_if_nobody_reads():
        write_reports(reports, result.report)

    def show() -> None:
        if STDOUT not in reports:
            from surefoot.report import terminal  # noqa: PLC0415 - as below

            terminal.show((shown or result.report)(), console())
            for line in more:
                click.echo(plain(line, 500))

    return finish(result, as_json, show)


def write_reports(reports: Sequence[str], made: Callable[[], Report]) -> None:
    """Each is made anew: its rows may be a stream."""
    for path in reports:
        if path == STDOUT:
            for line in markdown.lines(made()):
                click.echo(line)
        elif Path(path).suffix.lower() in _PAGES:
            from surefoot.report import html  # noqa: PLC0415 - a tenth of a start-up, and few write pages

            write_lines(path, [html.page(made()).removesuffix("\n")])
        else:
            write_lines(path, markdown.lines(made()))


def write_lines(path: str, lines: Iterable[str]) -> None:
    with Path(path).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        for line in lines:
            file.write(line + "\n")
