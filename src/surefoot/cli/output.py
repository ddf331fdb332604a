"""What commands share: options, where results and reports go, and what a person sees meanwhile."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click
import msgspec

from surefoot.core import files
from surefoot.core.errors import WORST_FIRST, ExitCode, UsageError
from surefoot.core.files import printable, replacing
from surefoot.core.records import VARIABLE
from surefoot.core.result import Failing, Person, Result, Watch
from surefoot.core.rubric import BY_CITATIONS
from surefoot.core.types import counted, plain
from surefoot.io.cluster import ENGINES

if TYPE_CHECKING:
    from surefoot.report.blocks import Report


Command = Callable[..., Any]
Option = Callable[[Command], Command]


def together(*options: Option) -> Option:
    """Several options as one decorator; --help shows them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _only_one(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Of two gates, one would be dropped in silence."""
    if len(given) > 1:
        hint = "put the rules into one file, or add them with --rule"
        raise UsageError(f"--gate is given {len(given)} times, and one gate decides", hint)
    return given[0] if given else None


def _pairs(_context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """--map FIELD=PATH and --set KEY=VALUE."""
    found = {}
    for pair in given:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            example = "--map answer=output.text" if option.name == "mapping" else "--set max_cost=5"
            raise UsageError(f"{option.opts[0]} {pair!r} is not {option.metavar}", f"write it like {example}")
        found[name] = value
    return found


def gate_option(default: str) -> Option:
    return click.option(
        "--gate", "-g", type=click.Path(), metavar="FILE", multiple=True, callback=_only_one,
        help=f"Rules to decide by.  [default: {default}]",
    )  # fmt: skip


map_option = click.option(
    "--map", "mapping", multiple=True, callback=_pairs, metavar="FIELD=PATH",
    help="Where a field is, such as answer=output.text. Repeatable.",
)  # fmt: skip
rule_option = click.option(
    "--rule", "rules", multiple=True, metavar="RULE",
    help="Add this rule to those of --gate; without --gate, decide by it alone. Repeatable.",
)  # fmt: skip
citations_option = click.option(
    "--citations", type=click.Choice(list(BY_CITATIONS)), help="Whether answers must cite.  [default: required]",
)  # fmt: skip
set_option = click.option(
    "--set", "settings", multiple=True, callback=_pairs, metavar="KEY=VALUE",
    help="A setting of surefoot.toml for once, such as max_cost=5 or concurrency=4. Repeatable.",
)  # fmt: skip
paid_options = together(set_option, click.option("--yes", is_flag=True, help="Skip the confirmation."))
pipeline_options = together(
    click.option("--questions", "-q", type=click.Path(), metavar="FILE",
                 help="Question set. [default: the bundled demo set]"),
    click.option("--corpus", type=click.Path(), metavar="PATH",
                 help="What to search: a corpus, documents, or rows of passages."),
    click.option("--request-template", type=click.Path(), metavar="FILE",
                 help="JSON to POST, with {question}, {id}, {retrieval}."),
    click.option("--prompt", metavar="NAME|FILE", default="with_licence", show_default=True, help="For chat:."),
    map_option,
    set_option,
)  # fmt: skip
engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), default="local", show_default=True,
    help="This machine, or the Ray cluster at RAY_ADDRESS.",
)  # fmt: skip


def check_outputs(names: Iterable[str | Path], options: Collection[str]) -> None:
    """`options` are those of the command at hand that give `names`; the others may name inputs."""
    context = click.get_current_context(silent=True)
    given = {key: value for key, value in context.params.items() if key not in options} if context else {}
    several = (value if isinstance(value, tuple) else (value,) for value in given.values())
    inputs = [one for values in several for one in values if isinstance(one, (str, Path)) and one]
    files.check_outputs(names, inputs)


STDOUT = "-"
_PAGES = (".html", ".htm")
_MARKDOWN = (".md", ".markdown", ".txt", "")


class Output(NamedTuple):
    """Where the result of a command goes, by its --json and --report."""

    as_json: bool
    reports: tuple[str, ...] = ()

    @property
    def to_stdout(self) -> bool:
        """Whether a report goes there."""
        return STDOUT in self.reports

    def check(self, junit: bool) -> None:
        """Before the work is done that they are to tell of."""
        if self.as_json and self.to_stdout:
            raise UsageError("--json and --report - cannot both go to stdout", "name a file for the report")
        files, known = [path for path in self.reports if path != STDOUT], (*_PAGES, *_MARKDOWN, *[".xml"] * junit)
        check_outputs(files, ("reports",))
        for path in files:
            if Path(path).suffix.lower() not in known:
                raise UsageError(f"unknown report format: {path}", "use .html, .md" + " or .xml for JUnit" * junit)

    def finish(self, result: Result, shown: Report | Iterable[str] | None = None) -> ExitCode:
        """The end of a command: its reports, then JSON, or the lines or the page `shown`; and the exit code."""
        written = self.write(result)
        if self.as_json:
            self.print(result.to_json())
        elif shown is not None and not self.to_stdout:
            show(shown)
        elif not self.to_stdout:
            from surefoot.report import of  # noqa: PLC0415 - who prints lines needs no page

            show(of(result))
        return min(written, result.exit_code, key=WORST_FIRST.index)

    def print(self, value: object, shown: Report | Iterable[str] = ()) -> None:
        """Print a value as JSON, or lines or a page of it."""
        show([json_line(value)] if self.as_json else shown)

    def write(self, result: Result) -> ExitCode:
        """Write the reports. Each is made anew: its rows may be a stream."""
        return max((_write_report(path, result) for path in self.reports), default=ExitCode.OK)


def json_line(value: object) -> str:
    return msgspec.json.encode(value).decode()


def show(shown: Report | Iterable[str]) -> None:
    """Print lines, or a page for this terminal, of a fixed width where there is none; who reads may stop before."""
    try:
        if isinstance(shown, Iterable):
            for line in shown:
                click.echo(line)
        else:
            from rich.console import Console  # noqa: PLC0415 - half of a start-up, and --json needs none

            from surefoot.report import terminal  # noqa: PLC0415 - as above

            console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
            console.on_broken_pipe = _raise_broken_pipe  # type: ignore[method-assign]
            terminal.show(shown, console)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _raise_broken_pipe() -> None:
    raise BrokenPipeError


def common(
    *, db: bool = True, report: bool = False, junit: bool = False, json: str = "Print one JSON object."
) -> Option:
    """The options that all commands have: --json and --quiet; --db and --report where they mean something.

    The command gets its Output first.
    """
    options = [
        click.option("--json", "as_json", is_flag=True, help=json),
        click.option("--quiet", is_flag=True, help="Print no progress and no notes."),
    ]
    if report:
        options.insert(0, click.option(
            "--report", "reports", multiple=True, type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE",
            help="A page to .html, Markdown to .md, JUnit to .xml (gate and score); - is stdout. Repeatable.",
        ))  # fmt: skip
    if db:
        options.insert(0, click.option(
            "--db", type=click.Path(), metavar="FILE|URL",
            help="The project's database, also postgresql://...  [default: $SUREFOOT_DB, else surefoot.db]",
        ))  # fmt: skip

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(*arguments: Any, as_json: bool, quiet: bool, reports: tuple[str, ...] = (), **options: Any) -> Any:  # noqa: ANN401
            _refuse_options_as_values()
            PERSON.quiet = quiet
            output = Output(as_json, reports)
            output.check(junit)
            try:
                code = command(output, *arguments, **options)
                if options.get("db") and not as_json:
                    PERSON.tell(f"note: other commands for this project need the same --db, or {VARIABLE} set to it")
                return code
            finally:
                PERSON.show_causes()

        return together(*options)(run)

    return decorate


def _refuse_options_as_values() -> None:
    """An option whose value was forgotten would take the next one for it."""
    context = click.get_current_context()
    for option in (one for one in context.command.params if isinstance(one, click.Option)):
        given = context.params.get(option.name or "")
        for value in given.values() if isinstance(given, dict) else given if isinstance(given, tuple) else [given]:
            if isinstance(value, (str, Path)) and re.match("--[a-z]", str(value)):
                message = f"{option.opts[0]} needs a value, and {str(value)[:80]!r} looks like an option"
                raise UsageError(message, f"write the value behind {option.opts[0]}")


def refuse_idle(is_idle: object, where: str, *names: str) -> None:
    """Refuse options that were given and do nothing where `is_idle`; `where` says why, as in "with --history"."""
    context = click.get_current_context()
    for option in context.command.params if is_idle else ():
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(f"{option.opts[0]} does nothing {where}", "leave out one of them")


def _write_report(path: str, result: Result) -> ExitCode:
    from surefoot.report import html, junit, markdown, of  # noqa: PLC0415 - as above

    kind = Path(path).suffix.lower()
    if path == STDOUT:
        show(markdown.lines(of(result)))
        return ExitCode.OK
    if kind in _PAGES:
        written = write_lines(path, [html.page(of(result)).removesuffix("\n")])
    else:
        written = write_lines(path, junit.of(result) if kind == ".xml" else markdown.lines(of(result)))
    if written == ExitCode.OK:
        PERSON.tell(f"report: {path}")
    return written


def write_lines(path: str, lines: Iterable[str], append: bool = False) -> ExitCode:
    place = Path(path)
    try:
        with place.open("ab") if append else _opened(place) as file:
            for line in lines:
                file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    except BrokenPipeError:  # nobody reads it any more
        return ExitCode.OK
    except OSError as error:
        PERSON.tell(f"error: {printable(place)} cannot be written: {error.strerror or error}")
        PERSON.tell("hint: make room, or choose another place")
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


_NOT_ASKED = "not asked: "
_NUMBERED = re.compile(r"\S*\d\S*")
_STATUS = len("HTTP 404")
_MOST_CAUSES = 5
_REPLIES = "replies"


class Progress(Watch):
    """A rewritten line for a person, a plain one every ten seconds for a log; a sign of life while nothing comes."""

    def __init__(self, total: int | None, of: str) -> None:
        self._total, self._of, self._done, self._errors = total, of, 0, 0
        self._share: float | None = None  # of the work, where the total is not known in numbers
        self._start = self._shown = time.monotonic()
        self._watched = sys.stderr.isatty()
        self._closed, self._guard = threading.Event(), threading.Lock()
        if of == _REPLIES:  # of models, which may take minutes; other work forks, and threads do not go with that
            threading.Thread(target=self._live, daemon=True).start()

    def count(self, one: Failing) -> None:
        self._errors += bool(one.error)
        self.reach(self._done + 1)

    def reach(self, done: int, share: float | None = None) -> None:
        """So many are done, and this share of the work."""
        self._done, self._share = done, share
        self._show(0.2 if self._watched else 10)

    def _live(self) -> None:
        while not self._closed.wait(1):
            self._show(1 if self._watched else 60)

    def _show(self, after: float) -> None:
        with self._guard:
            now = time.monotonic()
            if self._closed.is_set() or now - self._shown < after:
                return
            self._shown = now
            line = self._line(now - self._start)
            click.echo(f"\r\033[K{line}" if self._watched else line, nl=not self._watched, err=True)

    def _line(self, seconds: float) -> str:
        of, errors, share = "", "", self._share
        if self._total is not None:
            of, errors, share = f"/{self._total:,}", f", {counted(self._errors, 'error')}", self._done / self._total
        done, rate = f"{self._done:,}{of} {self._of}{errors}", self._done / seconds
        one = "s per reply" if self._of == _REPLIES else "s each"
        pace = f"{rate:,.1f}/s" if rate >= 1 else f"{1 / rate:,.1f} {one}" if rate else f"{seconds:,.0f} s"
        return f"{done}, {pace}" + (f", {seconds * (1 / share - 1):,.0f} s left" if share else "")

    def close(self) -> None:
        with self._guard:
            self._closed.set()
        if self._watched:
            click.echo("\r\033[K", nl=False, err=True)


class AtTerminal(Person):
    def __init__(self) -> None:
        self.quiet = False
        self._causes: dict[str, tuple[str, str]] = {}  # of errors, by kind

    def tell(self, line: str) -> None:
        if not self.quiet or line.startswith(("error", "warning")):
            click.echo(plain(line, 2_000), err=True)

    def tell_causes(self, causes: Sequence[tuple[str, str]]) -> None:
        """They are shown at the end of the command, behind all that followed from them: there they are seen.

        Errors of one kind differ only in times, counts and ids; the HTTP status comes first, and is no such number.
        """
        for cause, hint in causes:
            why = cause.removeprefix(_NOT_ASKED).partition(" (given up after")[0]
            self._causes.setdefault(why[:_STATUS] + _NUMBERED.sub("", why[_STATUS:]), (cause, hint))

    def show_causes(self) -> None:
        """Why something was not answered, each with a hint, and no more than a few."""
        found, hints = list(self._causes.values()), set[str]()
        self._causes.clear()
        for cause, hint in found[:_MOST_CAUSES]:
            click.echo(plain(f"error: {cause.removeprefix(_NOT_ASKED)}", 500), err=True)
            if hint and hint not in hints:
                click.echo(plain(f"hint: {hint}", 500), err=True)
            hints.add(hint)
        if len(found) > _MOST_CAUSES:
            click.echo(f"and {counted(len(found) - _MOST_CAUSES, 'other error')}", err=True)

    def agrees(self) -> bool:
        """Nobody agrees who is not there."""
        return sys.stdin.isatty() and sys.stderr.isatty() and click.confirm("Go on?", default=True, err=True)

    def watch(self, total: int | None, of: str) -> Watch:
        return Watch() if self.quiet else Progress(total, of)


PERSON = AtTerminal()


page_options = together(
    click.option("--host", default="127.0.0.1", show_default=True,
                 help="Where to listen."),
    click.option("--port", type=click.IntRange(0, 65_535), metavar="N",
                 help="0: any free one.  [default: 8321, or a free one]"),
    click.option("--token", help="Token for other machines.  [default: made with --host]"),
    click.option("--no-browser", is_flag=True, help="Do not open a browser."),
)  # fmt: skip


def open_page(
    output: Output, what: str, serve: str, state: str, *given: object, no_browser: bool,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> ExitCode:  # fmt: skip
    """Serve a page until Ctrl-C: print where it is, and open it. `state` says how far people have come with it."""
    for name in ("starlette", "uvicorn"):
        files.library(name, "label", what)
    from surefoot.web import app  # noqa: PLC0415 - of an extra
    from surefoot.web.serve import open_browser  # noqa: PLC0415

    def announce(page: dict[str, Any]) -> None:
        output.print(page, [page["url"]])
        if not output.as_json:
            PERSON.tell(f"note: open this address in a browser; {state.format_map(page)}; Ctrl-C ends it")
        if not no_browser:
            open_browser(page["url"])

    getattr(app, serve)(*given, announce, person=PERSON, **options)
    return ExitCode.OK
