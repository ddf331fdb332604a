"""surefoot gate"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import replace

from surefoot.appending import printable
from surefoot.cli.deciding import GATE, decide, deciding_options
from surefoot.cli.numbers import Share
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.sides import is_run
from surefoot.errors import ExitCode, UsageError
from surefoot.importers import gatefiles
from surefoot.records import MORE_RULES
from surefoot.report.words import counted, overridden, plain
from surefoot.store import RunStore

if TYPE_CHECKING:
    from surefoot.records import Step
    from surefoot.sequential.planning import Change, Plan

_USUAL_QUESTIONS = "130"
_USUAL_RATE = 0.03
_MOST_DIGITS = 15


@click.command(epilog="Example: surefoot gate --plan --questions 130 --repeats 3")
@deciding_options
@click.option("--plan", "planning", is_flag=True, help="Say beforehand what can be told, and what can ship at all.")
@click.option(
    "--questions", metavar="N|FILE|RUN", default=_USUAL_QUESTIONS, show_default=True,
    help="plan: how many, or a question set, or a run.",
)  # fmt: skip
@click.option(
    "--repeats", type=click.IntRange(min=1), metavar="K", help="plan: answers to each question.  [default: 1]"
)
@click.option("--labels", type=click.IntRange(min=1), default=50, show_default=True, help="plan: answers people label.")
@click.option(
    "--rate", type=Share(), help="plan: share wrong today.  [default: as graded in the run of --questions, else 0.03]"
)
@click.option("--history", is_flag=True, help="List the steps of the programme, newest last.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def gate(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Decide whether a candidate may ship, exactly as `compare` does, and print the decision alone.

    --plan says beforehand what so many questions, repeats and labels can tell; --history what was decided so far.
    """
    if options["planning"] and options["history"]:
        raise UsageError("--plan and --history were both given", "ask for one at a time")
    if options["planning"]:
        return _plan(options)
    if options["history"]:
        return _history(options)
    comparison = decide(options)
    from surefoot.report import comparison as words
    from surefoot.report.comparison_json import as_json

    with quiet_if_nobody_reads():
        if options["as_json"]:
            kept = {key: value for key, value in as_json(comparison).items() if key != "moved"}
            click.echo(msgspec.json.encode(kept))
        else:
            words.show_open(comparison, console())
            words.show_decision(comparison, console())
    return int(comparison.decision.exit_code)


def _plan(options: dict[str, Any]) -> int:
    from surefoot.sequential.planning import MOST_PAIRS, plan

    if options["paths"]:
        raise UsageError("--plan compares nothing", "name a question set or a run with --questions")
    settings = gatefiles.read(options["gate"] or GATE).sequential
    settings = replace(settings, **{key: options[key] for key in ("alpha", "margin") if options[key] is not None})
    gatefiles.check(settings)
    questions, repeats = _asked(options["questions"])
    repeats = options["repeats"] or repeats
    if questions * repeats > MOST_PAIRS:
        message = f"a plan is for at most {MOST_PAIRS:,} answers a run, and these are more"
        raise UsageError(message, "lower --questions or --repeats")
    rate, rate_from = _rate(options["rate"], options["questions"])
    made = plan(
        questions, repeats=repeats, alpha=settings.alpha, margin=settings.margin, rate=rate, labels=options["labels"],
        rate_from=rate_from,
    )  # fmt: skip
    with quiet_if_nobody_reads():
        click.echo(msgspec.json.encode(made) if options["as_json"] else "\n".join(_plan_lines(made)))
    return ExitCode.OK


def _asked(given: str) -> tuple[int, int]:
    """How many questions, and how often each is asked."""
    digits = given.lstrip("0") if given.isascii() and given.isdecimal() else ""
    if digits:
        return int(digits[:_MOST_DIGITS]), 1  # so long a number is too large whatever follows
    if is_run(given):
        manifest = RunStore.open(given).manifest
        return manifest.question_count, max(1, manifest.repeats)
    from surefoot.importers import questions

    if not Path(given).is_file():
        message = f"{printable(Path(given))} is no number of questions, question set or run"
        raise UsageError(message, "write --questions 130, or name a file or the folder of a run")
    found = questions.load(given)
    if not found.questions:
        raise UsageError(f"{given} holds no question that can be asked", f"`surefoot questions check {given}` says why")
    return len(found.questions), 1


def _rate(given: float | None, questions: str) -> tuple[float, str]:
    """The share wrong today, and where it is from if nobody said."""
    if given is not None:
        return given, ""
    if not is_run(questions):
        return _USUAL_RATE, "assumed, --rate says otherwise"
    store = RunStore.open(questions)
    grader = store.manifest.grader
    graded = [
        v.value for v in store.verdicts() if v.axis == "factuality" and v.grader == grader and v.value is not None
    ]
    if not graded:
        return _USUAL_RATE, "assumed, since the run is not graded; --rate says otherwise"
    wrong = graded.count("wrong")
    return wrong / len(graded), f"{wrong} of {counted(len(graded), 'answer')}, as {grader} graded {store.manifest.name}"


def _plan_lines(made: Plan) -> Iterator[str]:
    repeats = f" asked {made.repeats} times" if made.repeats > 1 else ""
    yield "For the sequential mode. In the strict mode any increase blocks, and there is nothing to plan."
    yield f"{counted(made.questions, 'question')}{repeats}: {made.pairs:,} pairs of answers in one pair of runs"
    rate_from = f" ({plain(made.rate_from)})" if made.rate_from else ""
    yield f"alpha {made.alpha:g}, margin {made.margin:g}, {made.rate:.1%} wrong today{rate_from}"
    yield ""
    yield _what_ships(made)
    if made.questions_to_ship:
        least = f"It takes at least {counted(made.questions_to_ship, 'question')} to ship"
        yield f"{least}: repeats and more runs do not replace questions."
    if made.questions_to_ship_unchanged:
        enough = f"about {counted(int(float(f'{made.questions_to_ship_unchanged:.2g}')), 'question')}"
        yield f"With {enough} one pair of runs would ship an unchanged pipeline four times in five."
    yield f"A plain comparison of shares would find a difference of {made.detectable:.1%} four times in five."
    yield ""
    for change in made.changes:
        yield from _change_lines(change, made)
    yield ""
    if not made.labels:
        yield "There are fewer questions than labels (--labels), so what these would tell is not said."
    for known in made.labels:
        yield f"{counted(known.labels, 'label')}: the true rate of wrong is known to about +- {known.half_width:.1%}"
    yield "(simulated: answers independent of each other; chances as if the grader made no errors, labels for one that"
    yield "finds 80% of what is wrong and flags 5% of the rest)"


def _what_ships(made: Plan) -> str:
    most = made.new_wrong_that_ship
    if most is None:
        wider = "ask more questions" if made.questions_to_ship else "choose a wider margin"
        return f"Nothing can ship, not even without any change: {wider}."
    if most == 0:
        return "One pair of runs ships only with no new wrong answer."
    ships = f"One pair of runs ships with at most {counted(most, 'new wrong answer')}"
    if made.repeats == 1:
        return f"{ships}."
    turned = counted(made.new_wrong_questions_that_ship or 0, "question")
    return f"{ships}, and at most {turned} newly wrong in more than half of the repeats."


def _change_lines(change: Change, made: Plan) -> Iterator[str]:
    what = f"{change.before:.1%} -> {change.after:.1%} wrong"
    note = " (at the margin)" if abs(change.after - change.before - made.margin) < 1e-9 else ""
    note = " (unchanged)" if change.after == change.before else note
    yield f"{what}{note}, within 1 to {len(change.blocked)} pairs of runs:"
    yield f"  blocked  {'  '.join(f'{one.chance:6.1%}' for one in change.blocked)}"
    yield f"  shipped  {'  '.join(f'{one.chance:6.1%}' for one in change.shipped)}"


def _history(options: dict[str, Any]) -> int:
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import find

    if options["paths"]:
        raise UsageError("--history compares nothing", "name the ledger with --ledger")
    where = find(None, options["ledger"])
    programme = gatefiles.read(options["gate"] or GATE).sequential.programme
    ledger = Ledger.existing(where)
    if ledger is None:
        raise UsageError("there is no ledger here", "name it with --ledger, or compare two runs first")
    with ledger:
        steps = ledger.steps(programme)
    with quiet_if_nobody_reads():
        if options["as_json"]:
            rows = list(_history_rows(steps))
            click.echo(msgspec.json.encode({"programme": programme, "steps": rows}))
        else:
            for row in _history_rows(steps):
                click.echo(_history_line(row))
            if not steps:
                click.echo(f"no steps yet in the programme {plain(programme)}")
    return ExitCode.OK


def _history_rows(steps: list[Step]) -> Iterator[dict[str, Any]]:
    """Every row, with the e-value of `wrong` over the steps of its release that count so far.

    Of two runs that were compared again the last row counts; an earlier one has the e-value of its time.
    """
    from surefoot.sequential.history import newest, so_far
    from surefoot.stats.sequential import log_e_value

    counting = {step.id: step for step in newest(steps)}
    before: dict[str, object] = {}  # what the gate file said at the last decision by it
    for place, kept in enumerate(steps):
        step = counting.get(kept.id, kept)
        replaced = kept.id not in counting
        number, worse, better = so_far(steps[: place + 1] if replaced else steps, step)
        row = msgspec.to_builtins(step)
        log10 = log_e_value(worse, better) / 2.302585092994046 if number else None
        yield {
            **{key: row[key] for key in ("at", "mode", "reference", "release", "base_name", "cand_name", "outcome")},
            "counts": row["counts"],
            "k": number,
            "worse": worse if number else None,
            "better": better if number else None,
            "log10_e_value": log10,
            "e_value": None if log10 is None else 10 ** min(12.0, log10),
            "uncalibrated": step.uncalibrated,
            "waived": step.waived,
            "overridden": row["overridden"],
            "blocked_by": row["blocked_by"],
            "rules": row["rules"],
            "alpha": step.alpha,
            "margin": step.margin,
            "file_changed": [key for key, value in _of_the_file(step).items() if before.get(key, value) != value],
            "replaced": replaced,
        }
        before |= _of_the_file(step)


def _of_the_file(step: Step) -> dict[str, object]:
    """What a decision took from the gate file, as far as that is known."""
    taken = {"rules": step.rules, "alpha": step.alpha, "margin": step.margin}
    told = {"rules" if key == MORE_RULES else key for key in step.overridden}
    return {key: value for key, value in taken.items() if value not in ((), None) and key not in told}


def _history_line(row: dict[str, Any]) -> str:
    evidence = ""
    if row["e_value"] is not None:
        evidence = f"  e = {row['e_value']:.3g} ({row['worse']} worse, {row['better']} better so far)"
    flags = "  uncalibrated" if row["uncalibrated"] else ""
    flags += f"  waived: {plain(', '.join(row['waived']))}" if row["waived"] else ""
    flags += f"  not as the gate file: {plain(overridden(row['overridden']))}" if row["overridden"] else ""
    flags += f"  the gate file has changed: {', '.join(row['file_changed'])}" if row["file_changed"] else ""
    flags += "  replaced by a later comparison of the same runs" if row["replaced"] else ""
    sides = f"{row['reference']} ({row['base_name']}) -> {row['release']} ({row['cand_name']})"
    return f"{row['at'][:16]}  {row['outcome']:12}  {row['mode']:10}  {plain(sides)}{evidence}{flags}"
