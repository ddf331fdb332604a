"""surefoot grade"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from surefoot import rubric
from surefoot.errors import ExitCode, UsageError
from surefoot.graders.findings import FindingsGrader, Graded
from surefoot.graders.rules import Rules
from surefoot.graders.runs import items_of
from surefoot.importers.items import load_items
from surefoot.report.words import plain
from surefoot.store import RunStore
from surefoot.table import BUCKETS
from surefoot.types import Item, Problem

_BATCH = 200
_AXES = ("factuality", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")

GRADERS: dict[str, Callable[[], FindingsGrader]] = {"rules": lambda: FindingsGrader(Rules())}


@click.command(epilog="Example: surefoot grade runs/reference-1; surefoot grade --items items.jsonl --json")
@click.argument("run", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--items", metavar="FILE", help="Rows of {id, question, passages, answer, ...} instead; - for stdin.")
@click.option("--grader", type=click.Choice(list(GRADERS)), default="rules", show_default=True, help="Who grades.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line instead of a table.")
def grade(run: Path | None, items: str | None, grader: str, as_json: bool) -> int:
    """Grade answers on the five axes, with reasons and evidence.

    RUN is a folder that `surefoot run` made; its verdicts are kept there. Exits 0 when all were graded, 4 when some
    were not.
    """
    if (run is None) == (items is None):
        raise UsageError("one thing to grade must be given", "pass a run folder, or --items FILE.jsonl")
    chosen = GRADERS[grader]()
    if run is not None:
        return _grade_run(run, chosen, as_json)
    if items != "-" and not Path(str(items)).is_file():
        raise UsageError(f"{items} is not a file", "pass a file of items, one JSON object a line")
    counts: Counter[str | None] = Counter()
    for row in graded_rows(load_items(str(items)), chosen):
        counts[row["factuality"]] += 1
        _print(row, as_json)
    return _summed_up(counts, as_json)


def _grade_run(folder: Path, grader: FindingsGrader, as_json: bool) -> int:
    with RunStore.open(folder, writing=True) as store:
        graded = grade_run(store, grader)
    for one in graded:
        _print(row_of(one), as_json)
    return _summed_up(Counter(one.bucket for one in graded), as_json)


def grade_run(store: RunStore, grader: FindingsGrader) -> list[Graded]:
    """Grade every answer of a run and keep the verdicts with it; grading again replaces them."""
    chosen = rubric.load()
    items = list(items_of(store.questions(), store.traces(), store.manifest.repeats))
    graded = grader.read(items)
    for one in graded:
        store.append_verdicts(one.verdicts)
    store.amend(rubric=chosen.name, rubric_sha256=chosen.sha256, grader=grader.name)
    return graded


def graded_rows(items: Iterable[Item | Problem], grader: FindingsGrader) -> Iterator[dict[str, Any]]:
    """One row per item, in order; what could not be read is a row too, with its reason."""
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        graded = iter(grader.read([item for item in batch if isinstance(item, Item)]))
        for item in batch:
            yield _problem_row(item) if isinstance(item, Problem) else row_of(next(graded))


def row_of(graded: Graded) -> dict[str, Any]:
    """A graded answer in the words that are promised to users."""
    found = {verdict.axis: verdict for verdict in graded.verdicts}
    findings = graded.findings
    return {
        "id": graded.item.question.id,
        "refusal": None if graded.refusal is None else findings.refusal,
        **{axis: found[axis].value if axis in found else None for axis in _AXES},
        "reason": graded.reason,
        "detail": graded.item.trace.error or "",
        "confidence": found["factuality"].confidence,
        "gold": findings.gold,
        "refusal_quality_reason": found["refusal_quality"].reason if "refusal_quality" in found else None,
        "claims": [
            {
                "text": claim.text,
                "citations": list(claim.citations),
                "support": claim.by_retrieved,
                "by_cited": list(claim.by_cited),
                "evidence": {"passage": claim.evidence.passage, "quote": claim.evidence.quote},
            }
            for claim in findings.claims
        ],
    }


def _problem_row(problem: Problem) -> dict[str, Any]:
    identifier = None if problem.kind in ("malformed", "unreadable", "note", "no_traces") else problem.kind or None
    empty = dict.fromkeys(("refusal", *_AXES, "confidence", "gold", "refusal_quality_reason"))
    return {"id": identifier, **empty, "reason": "error", "detail": str(problem), "claims": []}


def _print(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(row) + b"\n")
        sys.stdout.buffer.flush()
        return
    bucket = row["factuality"] or "not graded"
    click.echo(f"{plain(str(row['id'])):16} {bucket:12} {row['reason']:15} {plain(row['detail'], 60)}".rstrip())


def _summed_up(counts: Counter[str | None], as_json: bool) -> int:
    if not as_json:
        click.echo(", ".join(f"{counts[bucket]} {bucket}" for bucket in BUCKETS) + f", {counts[None]} not graded")
    return ExitCode.INCOMPLETE if counts[None] or not counts.total() else ExitCode.OK
