"""surefoot grade"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import Struct

from surefoot import rubric
from surefoot.cli.graders import Reader, check_terms, open_grader
from surefoot.cli.model_options import Terms, asking_options
from surefoot.cli.output import quiet_if_nobody_reads
from surefoot.cli.pairs import grade_texts
from surefoot.cli.score import read_mapping
from surefoot.errors import ExitCode, UsageError
from surefoot.graders.judges import items_of
from surefoot.importers.items import Ungradable, load_items
from surefoot.importers.verdicts import quoted
from surefoot.records import MEMBER
from surefoot.regrade import Key
from surefoot.report.words import names, plain
from surefoot.rows import printable
from surefoot.store import TRACES, RunStore
from surefoot.table import BUCKETS, Bucket
from surefoot.types import Item, Problem

if TYPE_CHECKING:
    from surefoot.graders.grader import Graded
    from surefoot.graders.llm_reading import SelfCheck

_BATCH = 200
_BAD: tuple[Bucket, ...] = ("wrong", "unsupported")
_BAD_SHOWN, _LINE = 5, 100
_AXES = ("factuality", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")

DEFAULT = "local"


@click.command(epilog="Example: surefoot grade runs/reference-1; surefoot grade --items items.jsonl --json")
@click.argument("run", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--items", metavar="FILE", help="Rows of {id, question, passages, answer, ...} or traces of any shape; - for stdin."
)
@click.option(
    "--map", "mapping", multiple=True, metavar="FIELD=PATH", help="Where a field lies in the rows of --items."
)
@click.option("--pairs", metavar="FILE", help="Rows of {id, context, claim}: is the claim supported?")
@click.option("--questions-passages", metavar="FILE", help="Rows of {id, question, passage}: does the passage answer?")
@click.option("--refusals", metavar="FILE", help="Rows of {id, text}: is the text a refusal?")
@click.option(
    "--grader",
    default=DEFAULT,
    show_default=True,
    metavar="GRADER",
    help="Who grades: local, rules, llm:MODEL@URL, cascade:local,llm:MODEL@URL or council:GRADER,GRADER,...",
)
@click.option(
    "--sure-from", type=float, default=Terms().sure_from, show_default=True, metavar="P",
    help="In a cascade, from which probability on the first grader decides.",
)  # fmt: skip
@asking_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line instead of a table.")
def grade(
    run: Path | None,
    items: str | None,
    mapping: tuple[str, ...],
    grader: str,
    as_json: bool,
    **more: Any,  # noqa: ANN401 - as click hands them over
) -> int:
    """Grade answers on the five axes, with reasons and evidence.

    RUN is a folder that `surefoot run` made; its verdicts are kept there. Exits 0 when all were graded, 4 when some
    were not, or when the grader failed its self-check: it misread an answer of known label, or left it unanswered.
    """
    terms = Terms(**{name: more.pop(name) for name in Terms.__struct_fields__})
    bare = [(name.replace("_", "-"), path) for name, path in more.items() if path is not None]
    if (run is not None) + (items is not None) + len(bare) != 1:
        raise UsageError("one thing to grade must be given", "pass a run folder, or --items FILE.jsonl")
    check_terms(terms)
    if bare:
        return grade_texts(*bare[0], as_json)
    chosen = open_grader(grader, terms)
    if run is not None:
        return _grade_run(run, chosen, as_json)
    if items != "-" and (not Path(str(items)).exists() or Path(str(items)).is_dir()):
        raise UsageError(f"{items} is not a file", "pass a file of items, one JSON object a line")
    counts: Counter[str | None] = Counter()
    for row in graded_rows(load_items(str(items), _note, read_mapping(mapping)), chosen):
        counts[row["factuality"]] += 1
        _print(row, as_json)
    return _summed_up(counts, as_json, getattr(chosen, "self_checks", {}))


def _note(problem: Problem) -> None:
    click.echo(f"note: {plain(str(problem), 500)}", err=True)


def _grade_run(folder: Path, grader: Reader, as_json: bool) -> int:
    with RunStore.open(folder, writing=True) as store:
        if store.is_graded_otherwise():
            click.echo("note: the answers have changed since the last grading; all are graded anew", err=True)
        found = grade_run(store, grader)
        problems, stands = [*store.problems, *_left_out(store)], _what_stands(store, found)
    with quiet_if_nobody_reads():
        for one in found.graded:
            _print(row_of(one), as_json)
    for problem in problems:
        click.echo(f"warning: {plain(str(problem), 500)}", err=True)
    if found.standing:
        ids = [question_id for question_id, _ in found.standing]
        told = names(ids, len(ids), shown=50, show=plain)
        click.echo(f"warning: not graded this time, so the verdicts of before stand: {told}", err=True)
    if found.in_vain:
        click.echo(f"note: nothing was graded, and the run stays as it was: {_graded_by(folder)}", err=True)
    counts: Counter[str | None] = Counter(one.bucket for one in found.graded)
    code = _summed_up(counts, as_json, found.self_checks, stands)
    if not as_json:
        _show_bad(found.graded)
    if found.graded and (counts.total() > counts[None] or stands):
        click.echo(f"trust: {plain(trust_in_run(folder), 500)}", err=True)
    return ExitCode.INCOMPLETE if problems or found.standing else code


def trust_in_run(folder: Path) -> str:
    """How far the verdicts of a run can be trusted, by the labels on its answers."""
    from surefoot.gate.sides import asked_of, side_of
    from surefoot.gate.trust import in_words, trust_in
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import find
    from surefoot.services.runs import read_run
    from surefoot.services.versions import read_all

    ledger = Ledger.existing(find(folder, None))
    with ledger or contextlib.nullcontext():
        runs = read_all([folder], ledger) if ledger else [read_run(folder)]
    asked, _ = asked_of(runs, runs)
    side = side_of(runs, asked)
    trust = trust_in({"base": side, "cand": side}, asked, {})
    return in_words(trust) + ("" if trust.drawn else f"; to find out: surefoot label {printable(folder)}")


class Regraded(Struct, frozen=True):
    """What grading a run came to."""

    graded: list[Graded]
    standing: list[Key]  # answers that could not be graded this time, where the verdicts of before stand
    self_checks: dict[str, SelfCheck]  # by grader
    in_vain: bool = False  # no model answered at all, and another grader's verdicts, or none, stay the run's


def grade_run(store: RunStore, grader: Reader) -> Regraded:
    """Grade every answer of a run and keep the verdicts with it, in place of those this grader gave before.

    Replies that were paid for are kept with it too. Where there is no verdict this time, the one of before stands; a
    council's does where that of a member does, lest those who are left decide alone. A grader that was asked in vain
    does not become the run's.
    """
    chosen = rubric.load()
    if hasattr(grader, "keeping"):
        grader = grader.keeping(store.replies)
    items = list(items_of(store.questions(), store.traces(), store.manifest.repeats))
    graded = grader.read(items)
    checks: dict[str, SelfCheck] = getattr(grader, "self_checks", {})
    nothing = any(check.in_vain for check in checks.values()) and all(one.bucket is None for one in graded)
    if nothing and store.manifest.grader != grader.name:
        return Regraded(graded, [], checks, in_vain=True)
    standing: dict[Key, None] = {}
    for name, ballots in getattr(grader, "ballots", {}).items():
        standing |= dict.fromkeys(store.replace_verdicts(name, ballots))
    rows = [verdict for one in graded for verdict in one.verdicts]
    standing |= dict.fromkeys(store.replace_verdicts(grader.name, rows, failed=standing))
    others = {part: version for part, version in store.manifest.versions.items() if not part.startswith(MEMBER)}
    store.amend(
        rubric=chosen.name, rubric_sha256=chosen.sha256, grader=grader.name, graded_sha256=store.answers_sha256(),
        verdicts_sha256=store.verdicts_sha256(grader.name), versions=others | getattr(grader, "versions", {}),
    )  # fmt: skip
    return Regraded(graded, list(standing), checks)


def _what_stands(store: RunStore, found: Regraded) -> Counter[str | None]:
    """The verdicts of before that count for the run, where there are none of this time."""
    counted = (v for v in store.verdicts() if v.grader == store.manifest.grader and v.axis == "factuality")
    return Counter(
        str(v.value)
        for v in counted
        if v.value is not None and (found.in_vain or (v.question_id, v.attempt) in found.standing)
    )


def _graded_by(folder: Path) -> str:
    grader = RunStore.open(folder).manifest.grader
    return f"graded by {plain(grader)}" if grader else "not graded"


def _left_out(store: RunStore) -> Iterator[Problem]:
    """The answers of a run beyond its questions and attempts."""
    asked = {question.id for question in store.questions()}
    for trace in store.traces():
        if trace.question_id not in asked or not 1 <= trace.attempt <= store.manifest.repeats:
            message = (
                f"attempt {trace.attempt} at question {quoted(trace.question_id)} was not asked for and not graded"
            )
            yield Problem("unknown_question", message, printable(store.path / TRACES))


def graded_rows(items: Iterable[Item | Ungradable], grader: Reader) -> Iterator[dict[str, Any]]:
    """One row per item, in order; what could not be read is a row too, with its reason."""
    from surefoot.graders.grader import FindingsGrader

    rest = iter(items)
    size = _BATCH if isinstance(grader, FindingsGrader) else None  # what will be spent is said once, for all
    while batch := list(islice(rest, size)):
        graded = iter(grader.read([item for item in batch if isinstance(item, Item)]))
        for item in batch:
            yield row_of(next(graded)) if isinstance(item, Item) else _ungraded_row(item)


def row_of(graded: Graded) -> dict[str, Any]:
    """A graded answer in the words that are promised to users."""
    found = {verdict.axis: verdict for verdict in graded.verdicts}
    findings, quality = graded.findings, found.get("refusal_quality")
    return {
        "id": graded.item.question.id,
        "attempt": graded.item.trace.attempt,
        "refusal": None if graded.refusal is None else findings.refusal,
        **{axis: found[axis].value if axis in found else None for axis in _AXES},
        "reason": graded.reason,
        "detail": graded.item.trace.error or findings.detail,
        "confidence": found["factuality"].confidence,
        "via": found["factuality"].via,
        "self_check": found["factuality"].self_check,
        "gold": findings.gold,
        "refusal_quality_reason": quality.reason if quality else None,
        "refusal_quality_evidence": msgspec.to_builtins(quality.evidence) if quality else None,
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


def _ungraded_row(found: Ungradable) -> dict[str, Any]:
    of_refusals = ("refusal_quality_reason", "refusal_quality_evidence")
    empty = dict.fromkeys(("refusal", *_AXES, "confidence", "via", "self_check", "gold", *of_refusals))
    return {"id": found.id, "attempt": 1, **empty, "reason": "error", "detail": str(found.problem), "claims": []}


def _print(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(row) + b"\n")
        sys.stdout.buffer.flush()
        return
    bucket = row["factuality"] or "not graded"
    name = plain(row["id"] or "-") + (f" ({row['attempt']})" if row["attempt"] > 1 else "")
    click.echo(f"{name:16} {bucket:12} {row['reason']:15} {plain(row['detail'])}".rstrip())


def _show_bad(graded: Iterable[Graded]) -> None:
    """The first answers to look into, the wrong ones before the unsupported."""
    bad = [one for bucket in _BAD for one in graded if one.bucket == bucket]
    if bad:
        click.echo(f"\nbad answers ({min(_BAD_SHOWN, len(bad))} of {len(bad)}; --json has the evidence of all):")
    for one in bad[:_BAD_SHOWN]:
        click.echo(f"{plain(one.item.question.id)}: {one.bucket} ({one.reason})")
        click.echo(f"  question: {plain(one.item.question.text, _LINE)}")
        click.echo(f"  answer:   {plain(one.item.trace.answer or '', _LINE)}")


def _in_buckets(counts: Counter[str | None]) -> str:
    return ", ".join(f"{counts[bucket]} {bucket}" for bucket in BUCKETS)


def _summed_up(
    counts: Counter[str | None], as_json: bool, checks: dict[str, SelfCheck], stands: Counter[str | None] | None = None
) -> int:
    if not as_json:
        now = f"{_in_buckets(counts)}, {counts[None]} not graded"
        click.echo(f"{now} this time; the verdicts of before stand: {_in_buckets(stands)}" if stands else now)
    failed = {name: check for name, check in checks.items() if check.failed}
    for name, check in failed.items():
        if check.in_vain:  # the server did not answer, and is named
            continue
        message = f"warning: the grader {name} failed its self-check ({check.words}): what rests on it does not ship"
        click.echo(f"{plain(message, 500)}\nhint: grade again, or with another model", err=True)
    return ExitCode.INCOMPLETE if failed or counts[None] or not counts.total() else ExitCode.OK
