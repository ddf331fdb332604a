"""surefoot matrix"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from surefoot.cli.model_options import chat_options
from surefoot.cli.options import AT_ONCE, RETRIES, SECONDS, cache_option
from surefoot.cli.output import console, quiet_if_nobody_reads, say
from surefoot.cli.targets import check_outputs
from surefoot.cli.terminal import PERSON
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.matrix.plan import AXES, Plan, parse, refuse_too_many, slug
from surefoot.models.budget import Budget
from surefoot.report import html, markdown, terminal
from surefoot.report import matrix as words
from surefoot.report.words import counted, plain
from surefoot.services.grade import trust_in_run
from surefoot.services.graders import Reader, Terms, open_grader
from surefoot.services.inputs import load_corpus, load_questions
from surefoot.table import BUCKETS

if TYPE_CHECKING:
    from surefoot.matrix.effects import Matrix

REPORT, RESULT = "report", "matrix.json"
_WRITTEN = (f"{REPORT}.md", f"{REPORT}.html", RESULT)
_PLACES = ("{passages}", "{question}")


@click.command(epilog="Example: surefoot matrix licence.toml --out runs/licence")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder to write to. [default: runs/matrix-NAME]"
)
@click.option("--concurrency", type=AT_ONCE, default=8, show_default=True, help="Questions at once.")
@click.option("--timeout", type=SECONDS, default=60.0, show_default=True, help="Seconds per question.")
@click.option("--retries", type=RETRIES, default=2, show_default=True, help="After errors that may pass.")
@chat_options
@cache_option
@click.option("--yes", is_flag=True, help="Ask and spend without a question.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
def matrix(file: Path, out: Path | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Run pipelines x models x prompts over one question set, and say what each of them changes.

    FILE is TOML with [[pipeline]], [[model]] and [[prompt]] tables; a pipeline with spec = "chat" is crossed with all
    models and prompts. Every cell is a run folder in --out. The same command again goes on where it stopped. Exits 0
    when every answer of every cell is graded, 4 when some are not.
    """
    from surefoot.cli.matrix_cells import make_cells

    plan = _plan(file)
    question_count = len(load_questions(plan.questions, say))
    refuse_too_many(str(file), len(plan.cells), plan.repeats, question_count)
    out = out or Path("runs", f"matrix-{slug(plan.name)}")
    if out.is_dir():
        check_outputs([out / name for name in _WRITTEN], ("out",))
    terms = Terms(**{name: options[name] for name in ("max_cost", "effort", "max_tokens", "cache", "prices", "yes")})
    budget = Budget(terms.max_cost)  # for pipelines and grader together
    grader = open_grader(plan.grader, terms, budget, PERSON)
    _agree_on(plan, out, question_count, options)
    made = make_cells(plan, out, grader, budget, options)
    if made.interrupted:
        click.echo(f"interrupted; the same `surefoot matrix` command with --out {out} goes on from here", err=True)
        return 130
    found = _whole(plan, made.results, question_count, grader)
    with quiet_if_nobody_reads():
        _print(found, out, as_json)
    if made.misused:
        return ExitCode.USAGE
    return ExitCode.OK if all(result.complete for result in found.cells) else ExitCode.INCOMPLETE


def _plan(file: Path) -> Plan:
    try:
        content = file.read_text("utf-8")
    except OSError as error:
        hint = "pass a TOML file, as in docs/council.md"
        raise UsageError(f"the matrix {file} cannot be read: {error.strerror}", hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the matrix {file} is not UTF-8 text", "save it as UTF-8") from error
    plan = parse(content, str(file), file.stem, lambda name: str(file.parent / name))
    for key, path in (("questions", plan.questions), ("corpus", plan.corpus)):
        if path is not None and not Path(path).exists():
            raise UsageError(f"{file}: {key}: there is no file {path}", "paths begin at the folder of the matrix file")
    _check_corpus(file, plan)
    for cell in plan.cells:
        if cell.prompt is not None:
            _check_prompt(file, cell.prompt)
    return plan


def _check_corpus(file: Path, plan: Plan) -> None:
    """The demo's corpus goes with the demo's questions alone."""
    from surefoot.pipelines import needs_corpus

    needing = [cell.values["pipeline"] for cell in plan.cells if needs_corpus(cell.spec)]
    if needing and plan.questions is not None and plan.corpus is None:
        message = f"{file}: the pipeline {needing[0]!r} needs a corpus to search, and there is no `corpus`"
        raise UsageError(message, 'name the passages that your questions are about: corpus = "FILE"')


def _check_prompt(file: Path, prompt: str) -> None:
    from surefoot.pipelines import PROMPTS

    if prompt in PROMPTS:
        return
    if not Path(prompt).is_file():
        raise UsageError(f"{file}: prompt: there is no file {prompt}", "paths begin at the folder of the matrix file")
    content = Path(prompt).read_text("utf-8", errors="replace")
    for place in _PLACES:
        if place not in content:
            message = f"{file}: the prompt {prompt} does not contain {place}"
            raise UsageError(message, f"it must hold {' and '.join(_PLACES)}")


def _agree_on(plan: Plan, out: Path, question_count: int, options: dict[str, Any]) -> None:
    """Say what will be asked before anything is; on a terminal, wait for a yes."""
    from surefoot.cli.matrix_cells import answered, price_of_cell

    each = question_count * plan.repeats
    open_by_cell = {cell.name: max(0, each - answered(out / cell.folder)) for cell in plan.cells}
    calls: Counter[str] = Counter()
    for cell in plan.cells:
        if cell.spec.startswith("chat:") and open_by_cell[cell.name]:
            calls[cell.spec.removeprefix("chat:")] += open_by_cell[cell.name]
            if options["max_cost"] is not None and price_of_cell(cell, options["prices"]) is None:
                hint = 'say it in a file given with --prices: [models] and "NAME" = { in = 0, out = 0 }'
                raise UsageError(f"the price of {cell.spec} is not known, so no limit on its cost can be kept", hint)
    total, left = each * len(plan.cells), sum(open_by_cell.values())
    times = f" x {counted(plan.repeats, 'time')}" if plan.repeats > 1 else ""
    said = f"{counted(len(plan.cells), 'cell')} x {counted(question_count, 'question')}{times} = {total:,} answers"
    there = f", {total - left:,} of them there already" if left < total else ""
    click.echo(f"{said}{there}: {left:,} to ask", err=True)
    for model, count in calls.items():
        click.echo(f"  {counted(count, 'call')} to {plain(model)}", err=True)
    watched = sys.stdin.isatty() and sys.stderr.isatty()
    if left and watched and not options["yes"] and not click.confirm("Go on?", default=True, err=True):
        raise Incomplete("nothing was asked", "--yes goes on without a question")


def _whole(plan: Plan, results: list[Any], question_count: int, grader: Reader) -> Matrix:
    from surefoot.matrix.effects import Matrix, effects_of

    corpus = load_corpus(plan.corpus, plan.questions) or []
    documents = {passage.id: passage.doc for passage in corpus if passage.doc}
    axes = {axis: tuple(value.name for value in plan.axes[axis]) for axis in AXES if plan.axes[axis]}
    effects = effects_of(results, axes, documents)
    graded = [Path(result.run) for result in results if result.graded]
    trust = trust_in_run(graded[0]) if graded else ""  # grader, rubric and corpus are the same in all cells
    return Matrix(plan.name, axes, tuple(results), effects, question_count, plan.repeats, grader.name, trust)


def _keep(found: Matrix, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    contents = {
        f"{REPORT}.md": "".join(f"{line}\n" for line in markdown.lines(words.report(found))),
        f"{REPORT}.html": html.page(words.report(found)),
        RESULT: msgspec.json.format(msgspec.json.encode(words.as_json(found)).decode(), indent=1) + "\n",
    }
    for name, content in contents.items():
        (out / name).write_text(content, encoding="utf-8", errors="backslashreplace", newline="\n")


def _why_not_kept(found: Matrix, out: Path) -> str:
    """A report that shows nothing is not written, nor one over a better one because cells have failed."""
    graded = sum(bool(cell.graded) for cell in found.cells)
    if not graded:
        return "no cell has verdicts"
    if any(cell.failed for cell in found.cells) and graded < _graded_before(out / RESULT):
        return f"cells have failed, and the report in {out} has verdicts of more; it stays as it was"
    return ""


def _graded_before(path: Path) -> int:
    """How many cells of an earlier result have verdicts."""
    try:
        cells = msgspec.json.decode(path.read_bytes())["cells"]
        return sum(any((cell["buckets"] or {}).get(bucket) for bucket in BUCKETS) for cell in cells)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        return 0


def _print(found: Matrix, out: Path, as_json: bool) -> None:
    if why := _why_not_kept(found, out):
        click.echo(f"note: no report is written: {why}", err=True)
    else:
        _keep(found, out)
    if as_json:
        click.echo(msgspec.json.encode(words.as_json(found)).decode())
        return
    terminal.show(words.report(found), console())
    if not why:
        click.echo(f"reports: {out / REPORT}.md and {out / REPORT}.html")
