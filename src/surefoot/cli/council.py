"""surefoot council: several models answer, review each other without knowing whose answer is whose, and are ranked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from surefoot.cli.model_options import asking_options, bare_cause
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.report.words import plain
from surefoot.services.graders import KEPT, Terms, settings_of, spent_words

if TYPE_CHECKING:
    from surefoot.council.scoring import Result
    from surefoot.council.settings import Settings, Value
    from surefoot.council.sitting import Answer
    from surefoot.deliberation import Deliberation
    from surefoot.deliberation.stages import Failure
    from surefoot.rubric import Rubric

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_RUBRIC = click.option("--rubric", metavar="NAME", help="A bundled rubric, or a TOML file.  [default: council]")
_GATE = click.option(
    "--safety/--no-safety", "gate", default=None, help="Put answers last that fail the safety check.  [default: on]"
)
_READABLE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
_FROM_FILE = "reviews file"


class _AskedWithoutAWord(click.Group):
    """`surefoot council "QUESTION"` is `surefoot council ask "QUESTION"`. One word alone is a command misspelt."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and len(args[0].split()) > 1:
            args = ["ask", *args]
        elif args[0] not in self.commands:
            hint = f'to ask a question: surefoot council ask "{plain(args[0], 80)}" --models LIST'
            raise UsageError(f"there is no command {plain(args[0], 80)!r}", hint)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_AskedWithoutAWord,
    invoke_without_command=True,
    epilog="Example: surefoot council score --reviews reviews.json",
)
@click.option("--show-config", is_flag=True, help="List every setting with its value and where it came from.")
@_RUBRIC
@_JSON
@click.pass_context
def council(ctx: click.Context, show_config: bool, rubric: str | None, as_json: bool) -> int | None:
    """Rank answers by the scores of several reviewers."""
    if ctx.invoked_subcommand is not None:
        if show_config or rubric is not None or as_json:
            hint = f"as in surefoot council {ctx.invoked_subcommand} ... --json"
            raise UsageError("options of a command stand behind it, and --show-config has none", hint)
        return None
    if not show_config:
        click.echo(ctx.get_help())
        return ExitCode.OK
    settings = _settings(_chosen(RUBRIC=rubric))
    with quiet_if_nobody_reads():
        if as_json:
            _print({row.name: {"value": row.shown, "source": row.source} for row in settings.rows})
        else:
            for row in settings.rows:
                click.echo(f"{row.name}={_written(row.shown)}  ({row.source}; {row.about})")
    return ExitCode.OK


@council.command(epilog="Example: surefoot council score --reviews reviews.json --rubric factual --json")
@click.option(
    "--reviews", "file", required=True, metavar="FILE", type=_READABLE,
    help="Answers and the reviewers' raw texts, as one JSON object; - reads it from stdin.",
)  # fmt: skip
@_RUBRIC
@_GATE
@_JSON
def score(file: Path, rubric: str | None, gate: bool | None, as_json: bool) -> int:
    """Score reviewers' raw texts: no model is asked.

    Exits 4 when no review can be read as a ballot.
    """
    from surefoot.council.scoring import score as scored
    from surefoot.council.sitting import sitting_of

    sitting = sitting_of(_json_in(file))
    options = _chosen(RUBRIC=sitting.rubric or None, SAFETY_GATE=sitting.gate, SAFETY_SCORE_CAP=sitting.cap)
    options = {key: (value, _FROM_FILE) for key, (value, _) in options.items()}
    weights = None if sitting.weights is None else (sitting.weights, _FROM_FILE)
    settings = _settings(options | _chosen(RUBRIC=rubric, SAFETY_GATE=gate), weights)
    return _report(scored(sitting, settings), as_json)


@council.command(epilog='Example: surefoot council ask "Is ice a mineral?" --models anthropic:NAME,llm:NAME')
@click.argument("question")
@click.option("--models", metavar="LIST", help="Who answers and reviews: llm:NAME@URL, ..., separated by commas.")
@click.option("--chair", metavar="MODEL", help="Who writes the closing answer.")
@click.option(
    "--answers", "file", metavar="FILE", type=_READABLE,
    help="Review these instead of asking for answers: the `responses` of a file of reviews.",
)  # fmt: skip
@click.option("--seed", type=int, help="Fixes the order in which reviewers see answers.  [default: 0]")
@asking_options
@_RUBRIC
@_GATE
@_JSON
def ask(
    question: str,
    models: str | None,
    chair: str | None,
    file: Path | None,
    seed: int | None,
    rubric: str | None,
    gate: bool | None,
    as_json: bool,
    **asking: Any,  # noqa: ANN401 - as click hands them over
) -> int:
    """Let models answer a question and review each other's answers without knowing whose they are.

    Exits 4 when no answer could be scored, or when the chair gave no closing answer.
    """
    from surefoot.deliberation import deliberate

    terms = Terms(**asking)
    settings = _settings(_chosen(MODELS=models, CHAIR=chair, SEED=seed, RUBRIC=rubric, SAFETY_GATE=gate))
    answers = _answers_in(file) if file is not None else ()
    members, head = _opened(settings, terms)
    if len(members) == 1 and not answers:
        hint = "name two models or more, or give --answers FILE"
        raise UsageError("a model does not review its own answer, so one alone gives no score", hint)
    _agree_on(len(members) * (1 if answers else 2) + (head is not None), terms.yes)
    try:
        held = deliberate(question, members, settings, answers=answers, chair=head)
    except KeyboardInterrupt:
        click.echo(KEPT, err=True)
        raise
    _tell_failures(held.failures)
    spent = held.spent
    tokens = spent.tokens_in + spent.tokens_out
    click.echo(spent_words(spent.calls, tokens, spent.cost_usd, spent.known, spent.replies), err=True)
    if as_json:
        record = msgspec.structs.asdict(held)
        _print(msgspec.structs.asdict(record.pop("result")) | record)
    else:
        _told(held)
    return ExitCode.INCOMPLETE if head is not None and held.synthesis is None else _exit_code(held.result)


def _tell_failures(failures: Sequence[Failure]) -> None:
    """Each model's once, though it may have been left out of several stages for the same reason; each hint once."""
    stages: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        stages.setdefault((failure.model, bare_cause(failure.reason)), []).append(failure.stage)
    for (model, reason), names in stages.items():
        click.echo(plain(f"failed: {model}: {', '.join(names)}: {reason}", 400), err=True)
    for hint in dict.fromkeys(failure.hint for failure in failures if failure.hint):
        click.echo(plain(f"hint: {hint}", 400), err=True)


def _told(held: Deliberation) -> None:
    """The answers, how they were scored, and the chair's closing answer."""
    from surefoot.cli.council_words import shortened

    with quiet_if_nobody_reads():
        for answer in held.answers:
            click.echo(f"{plain(answer.label, 24)} ({plain(answer.model, 80) or 'no model is named'}):")
            click.echo("".join(f"  {line}\n" for line in shortened(answer.text)))
    _report(held.result, as_json=False)
    if held.synthesis:
        lines = (plain(line, 10_000) for line in held.synthesis.splitlines())
        click.echo("\nclosing answer:\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines), nl=False)


def _opened(settings: Settings, terms: Terms) -> tuple[list[Model], Model | None]:
    """The members and the chair: they share one budget."""
    specs = [name.strip() for name in str(settings["MODELS"]).split(",") if name.strip()]
    if not specs:
        raise UsageError("a council needs models", "as in --models anthropic:NAME,llm:NAME@http://localhost:8080/v1")
    budget, how = Budget(terms.max_cost), settings_of(terms)
    chair = str(settings["CHAIR"])
    return [open_model(spec, how, budget) for spec in specs], open_model(chair, how, budget) if chair else None


def _agree_on(wanted: int, yes: bool) -> None:
    """What reviews cost depends on how long the answers are, so the number is said and --max-cost is the limit."""
    known = "what is known from before is not asked for again"
    click.echo(f"replies wanted: {wanted:,}; {known}; --max-cost limits what they may cost", err=True)
    watched = sys.stdin.isatty() and sys.stderr.isatty()
    if watched and not yes and not click.confirm("Go on?", default=True, err=True):
        raise Incomplete("nothing was asked", "--yes goes on without a question")


def _answers_in(file: Path) -> tuple[Answer, ...]:
    from surefoot.council.sitting import sitting_of

    found = _json_in(file)
    responses = found.get("responses", found) if isinstance(found, dict) else found
    return sitting_of({"responses": responses, "reviews": []}).answers


def _json_in(file: Path) -> object:
    from surefoot.text import jsonblocks

    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        value: object = jsonblocks.forgiving(raw.decode("utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"{file} is not JSON text in UTF-8: {error}", "docs/council.md shows such a file") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", "pass a file of JSON") from error
    return value


def _chosen(**values: Value | None) -> dict[str, tuple[Value, str]]:
    """What was said on the command line; what was not leaves the environment its say."""
    return {key: (value, "option") for key, value in values.items() if value is not None}


def _settings(options: dict[str, tuple[Value, str]], weights: tuple[object, str] | None = None) -> Settings:
    from surefoot.council import settings

    return settings.read(os.environ, options, weights, load_rubric)


def load_rubric(name: str) -> Rubric:
    """A bundled rubric by its name, or one's own by its path."""
    from surefoot import rubric

    path = Path(name)
    if name in rubric.bundled() or not (path.suffix == ".toml" or path.is_file()):
        return rubric.load(name)
    try:
        return rubric.parse(path.read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"the rubric {name} cannot be read: {why}", "pass a TOML file") from error


def _report(result: Result, as_json: bool) -> int:
    from surefoot.cli.council_words import show

    with quiet_if_nobody_reads():
        if as_json:
            _print(result)
        else:
            show(result, console())
    return _exit_code(result)


def _exit_code(result: Result) -> int:
    return ExitCode.OK if result.is_scored else ExitCode.INCOMPLETE


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _print(value: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()
