"""Reports that a command writes beside what it prints: Markdown or a page, as the name of the file says.

`-` is stdout: the report as Markdown, in place of what would be printed there otherwise. A file that cannot be written
is named, and takes nothing from the rest.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

import click

from surefoot.cli.output import check_outputs, console, finish, quiet_if_nobody_reads, say
from surefoot.errors import ExitCode, UsageError
from surefoot.io.writer import printable, replacing
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
) -> ExitCode:  # fmt: skip
    """`shown` is what the terminal shows, where that is not the report of the files; `more` follows there."""
    written = write_reports(reports, result.report)

    def show() -> None:
        if STDOUT not in reports:
            from surefoot.report import terminal  # noqa: PLC0415 - as below

            terminal.show((shown or result.report)(), console())
            for line in more:
                click.echo(plain(line, 500))

    return ExitCode.of_several(written, finish(result, as_json, show))


def write_reports(reports: Sequence[str], made: Callable[[], Report]) -> ExitCode:
    """Each is made anew: its rows may be a stream."""
    return ExitCode.of_several(*[_write_report(path, made()) for path in reports])


def _write_report(path: str, report: Report) -> ExitCode:
    if path == STDOUT:
        with quiet_if_nobody_reads():
            for line in markdown.lines(report):
                click.echo(line)
        return ExitCode.OK
    if Path(path).suffix.lower() in _PAGES:
        from surefoot.report import html  # noqa: PLC0415 - a tenth of a start-up, and few write pages

        return write_lines(path, [html.page(report).removesuffix("\n")])
    return write_lines(path, markdown.lines(report))


def write_lines(path: str, lines: Iterable[str], append: bool = False) -> ExitCode:
    place = Path(path)
    try:
        with place.open("ab") if append else _opened(place) as file:
            for line in lines:
                file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    except BrokenPipeError:  # nobody reads it any more
        return ExitCode.OK
    except OSError as error:
        say(f"error: {printable(place)} cannot be written: {error.strerror or error}")
        say("hint: make room, or choose another place")
        return ExitCode.INCOMPLETE
    return ExitCode.OK


def _opened(path: Path) -> contextlib.AbstractContextManager[BinaryIO]:
    """A file is there once it is whole, at the end of any links; devices and pipes, which stdout may be, stay, and so
    does a file in a folder that is closed to us."""
    place = Path(os.path.realpath(path))
    is_kept = path.exists() and not (path.is_file() and os.access(place.parent, os.W_OK))
    if str(path).startswith("/dev/") or is_kept:
        return path.open("wb")
    return replacing(place, place.stat().st_mode & 0o777 if place.exists() else 0o666)
