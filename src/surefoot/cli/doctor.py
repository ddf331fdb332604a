"""surefoot doctor"""

from __future__ import annotations

from typing import Any

import click

from surefoot.cli.options import json_option, pipeline_options
from surefoot.cli.output import PERSON, finish
from surefoot.core.words import counted, names, plain
from surefoot.services.doctor import Diagnosis
from surefoot.services.doctor import doctor as examine


@click.command(epilog="Example: surefoot doctor --pipeline reference")
@click.option("--pipeline", "-p", required=True, metavar="P", help="As for `surefoot run`.")
@pipeline_options
@json_option()
def doctor(pipeline: str, questions: str | None, corpus: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401
    """Ask a pipeline its sentinels, to see whether it is ready.

    Sentinels are questions with `"sentinel": true`; without any, three answerable and three unanswerable ones. All must
    pass; a failed one is asked once more. Exits 1 when one does not, 4 when the pipeline fails.
    """
    found = examine(pipeline, questions=questions, corpus=corpus, person=PERSON, **options)
    return finish(found, as_json, lambda: _show(found, on_demo_set=questions is None))


def _show(found: Diagnosis, on_demo_set: bool) -> None:
    click.echo(f"question set: {plain(found.questions)}")
    for finding in found.findings:
        mark = "ok " if finding.ok else "NOT"
        nothing = ", told to retrieve nothing" if finding.retrieval == "null" else ""
        click.echo(f"{mark} {plain(finding.question_id)} (expects {finding.expects}{nothing})")
        click.echo(f"    {plain(finding.question)}")
        click.echo(f"    {plain(finding.reason, 500)}")
        if not finding.ok and finding.answer:
            click.echo(f"    it said: {plain(finding.answer, 300)}")
    click.echo(_conclusion(found))
    if on_demo_set and not found.ready:
        click.echo("these questions are about the bundled documents; for yours, pass --questions")


def _conclusion(found: Diagnosis) -> str:
    limits, total = [plain(limit, 500) for limit in found.limits], counted(len(found.findings), "sentinel")
    if found.ready:
        return "".join([f"ready ({total} passed)", *(f", but {limit}" for limit in limits)])
    failed = [finding.question_id for finding in found.findings if not finding.ok]
    which = f": {len(failed)} of {total} failed: {names(failed, len(failed))}" if failed else ""
    return "".join([f"not ready{which}", *(f"; also, {limit}" for limit in limits)])
