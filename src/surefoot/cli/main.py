"""The `surefoot` command and the one place where exceptions become messages."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module  # noqa: TID251 - one command is loaded, not all
from typing import NoReturn

import click

from surefoot import __version__
from surefoot.core.errors import INTERRUPTED, ExitCode, SurefootError, UsageError, nearest
from surefoot.core.files import ENDINGS

_OBJECTS = 50_000  # made before it is looked for cycles among them: loading a command makes many, and they stay
_HELP = ["-h", "--help"]
# In the order of work. Said here, so that listing the commands loads none of them.
_COMMANDS = {
    "demo": "Two versions of a pipeline over bundled documents, and the decision.",
    "init": "A small working example to start from.",
    "corpus": "Turn documents into passages, and find their ids.",
    "questions": "Build a question set from documents, review it, and keep it honest: check, lock, diff, clone.",
    "score": "Check citations and refusals in a log, without a model.",
    "doctor": "Ask a pipeline a few questions before a long run.",
    "run": "Ask a pipeline every question, and keep the answers.",
    "grade": "Put answers into buckets, with reasons and evidence.",
    "report": "Show one graded run: buckets, what to look into, every answer.",
    "label": "Open the page where people put answers into buckets.",
    "calibrate": "See how many bad answers the grader accepts, and how many it catches.",
    "gate": "Compare two versions, and decide whether the change may ship.",
    "baseline": "Say which version is the baseline, or move it.",
    "monitor": "Grade a sample of production, and raise an alarm when it gets worse.",
    "serve": "Browse runs, trends, comparisons and labels.",
    "matrix": "Cross pipelines, models and prompts, and see what each changes.",
    "council": "Rank answers by the scores of several reviewers.",
    "export": "Write runs, labels or a decision to a file.",
    "import": "Add labels made elsewhere, or an export, to the project.",
    "purge": "Erase what is too old, or about one person.",
}
_MODULES = {  # of the others, that of their name
    "demo": "start", "init": "start", "doctor": "start", "corpus": "questions", "report": "grade", "calibrate": "grade",
    "baseline": "gate", "export": "project", "import": "project", "purge": "project", "label": "pages",
    "serve": "pages", "matrix": "run",
}  # fmt: skip
_MEANT = {  # what others call it
    "build": "questions build", "check": "questions check", "compare": "gate", "eval": "grade", "evaluate": "grade",
    "review": "questions review", "test": "gate",
}  # fmt: skip


class _Commands(click.Group):
    """Loads the command that is given and no other, so that each may import what it needs and all start at once."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in _COMMANDS:
            near = nearest(_MEANT.get(cmd_name, cmd_name), [*_COMMANDS, *_MEANT.values()])
            raise UsageError(f"there is no command {cmd_name!r}", near or "`surefoot --help` lists them")
        module = import_module(f"surefoot.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name, None) or getattr(module, f"{cmd_name}_")
        command.context_settings.setdefault("help_option_names", _HELP)
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": _HELP, "max_content_width": 110},
    epilog="Exit codes: 0 ship/ok, 1 blocked, 2 usage error, 3 inconclusive, 4 incomplete or not graded, 130 stopped.",
)
@click.version_option(__version__, prog_name="surefoot")
def cli() -> None:
    """The ship gate for grounded document QA: cite it or refuse."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command; a user never sees a traceback."""
    gc.set_threshold(_OBJECTS)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - lives to the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for number in ENDINGS - {signal.SIGINT}:
        signal.signal(number, _interrupt)
    sys.exit(_run(list(sys.argv[1:] if arguments is None else arguments)))


def _interrupt(*_: object) -> None:
    """A polite kill ends like Ctrl-C: workers are waited for, nothing is left behind."""
    raise KeyboardInterrupt


def _run(arguments: list[str]) -> int:
    try:
        with cli.make_context("surefoot", arguments) as context:  # cli.main would end a broken pipe with 1, BLOCKED
            return int(cli.invoke(context) or 0)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except SurefootError as error:
        return _say(error.message, error.hint, error.exit_code)
    except click.NoSuchOption as error:
        path = error.ctx.command_path if error.ctx else "surefoot"
        near = nearest(error.option_name, error.possibilities or ())
        return _say(f"there is no option {error.option_name}", near or f"see `{path} --help`", ExitCode.USAGE)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else " ".join(["surefoot", *arguments[:1]])
        if type(error).__name__ == "NoArgsIsHelpError":  # which older versions of click do not have
            click.echo(error.format_message(), err=True)
            return ExitCode.USAGE
        return _say(error.format_message(), f"see `{path} --help`", ExitCode.USAGE)
    except click.ClickException as error:
        return _say(error.format_message(), "", ExitCode.USAGE)
    except (KeyboardInterrupt, click.Abort):
        return _say("interrupted", "", INTERRUPTED)
    except BrokenPipeError:
        # Nothing is wrong, and nothing more can be said; the work was not finished.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.INCOMPLETE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        hint = "check the path, its permissions and the free space"
        return _say(f"{where}{error.strerror or error}", hint, ExitCode.INCOMPLETE)
    except Exception as error:
        if os.environ.get("SUREFOOT_DEBUG"):
            raise
        hint = "this is a fault in surefoot; SUREFOOT_DEBUG=1 shows where it comes from"
        return _say(f"unexpected {type(error).__name__}: {error}", hint, ExitCode.INCOMPLETE)


def _say(message: str, hint: str, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        click.echo(f"error: {message}", err=True)
        if hint:
            click.echo(f"hint: {hint}", err=True)
    return int(code)
