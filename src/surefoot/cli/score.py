"""surefoot score"""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import click

from surefoot.cli import output as shared
from surefoot.cli.output import PERSON, Output, common
from surefoot.core.errors import WORST_FIRST, UsageError
from surefoot.report import of as page_of
from surefoot.scoring import score as score_traces


@click.command(epilog="Example: surefoot score --questions qaset.json --traces trace.jsonl")
@click.option(
    "--questions", "-q", type=click.Path(), metavar="FILE",
    help="Question set; without one, only what needs no gold is scored.",
)  # fmt: skip
@click.option(
    "--traces", "-t", "traces", type=click.Path(), multiple=True, metavar="PATH",
    help="A log: file, folder, address such as s3://..., or - for stdin. Repeatable.",
)  # fmt: skip
@click.argument("more_traces", nargs=-1, type=click.Path(), metavar="[TRACES]...")
@click.option("--corpus", type=click.Path(), metavar="PATH", help="Report retrieved passages that it lacks.")
@shared.gate_option("default")
@shared.rule_option
@click.option("--baseline", type=click.Path(), metavar="FILE", help="What --json printed for an earlier run.")
@click.option(
    "--rerun", type=click.Choice(["error", "first", "last", "all"]), default="error", show_default=True,
    help="Several traces for one question: refuse, take one, or count all (default without -q).",
)  # fmt: skip
@click.option(
    "--refusal", type=click.Choice(["detect", "exact"]), default="detect", show_default=True,
    help="Refusals in natural language, or only the token `not in context`.",
)  # fmt: skip
@click.option("--by", multiple=True, metavar="FIELD", help="Break down by any field. Repeatable.")
@shared.map_option
@click.option("--no-rows", is_flag=True, help="Leave the rows out of --json.")
@shared.engine_option
@common(db=False, report=True, junit=True)
def score(
    output: Output, questions: str | None, traces: tuple[str, ...], more_traces: tuple[str, ...], no_rows: bool,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Score traces against a question set, and decide by the gate.

    No model, no key, no network: citations, refusals and gold ids decide. The exit code is the decision.
    """
    if not (traces or more_traces):
        raise UsageError("there is nothing to score", "pass a log: surefoot score LOG --questions FILE")
    shared.refuse_idle(not output.as_json, "without --json", "no_rows")
    progress = PERSON.watch(None, "rows")
    result = score_traces(
        questions, [*traces, *more_traces], **options, progress=progress.reach,
        keep_rows=bool(output.reports or (output.as_json and not no_rows)),
    )  # fmt: skip
    progress.close()
    written = output.write(result)
    if output.as_json:
        with contextlib.suppress(BrokenPipeError):  # nobody need read it to the end
            result.write_json(sys.stdout.buffer, with_rows=not no_rows)
            sys.stdout.buffer.flush()
    elif not output.to_stdout:
        output.print(None, page_of(result, with_rows=False))
    return min(result.exit_code, written, key=WORST_FIRST.index)
