"""The one way from two runs to a decision, for `compare` and `gate`: options, runs, labels, what was decided before."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from surefoot.appending import printable
from surefoot.cli.gate_option import gate_option
from surefoot.cli.kept_decisions import LATEST_SHIPPED, keep_decision, latest_shipped
from surefoot.cli.ledger_option import ledger_option
from surefoot.cli.sides import is_run, load_side
from surefoot.errors import Incomplete, UsageError
from surefoot.gate.rules import CLAIMS, Rule
from surefoot.importers import gatefiles
from surefoot.records import MORE_RULES, WITHOUT, Step
from surefoot.report.words import counted

if TYPE_CHECKING:
    from surefoot.cli.versions import Versions
    from surefoot.gate.decide import Comparison
    from surefoot.gate.judge import Request
    from surefoot.ledger import Ledger

Options = dict[str, Any]
GATE = "ship"  # what decides where nothing else is named
CHANGE = "change"  # `mode` of a step; steps of other modes are of the time before, and kept for the record

_OPTIONS = (
    click.argument("paths", nargs=-1, metavar="BASE CAND"),
    gate_option("ship"),
    click.option(
        "--rule", "rules", multiple=True, metavar="RULE",
        help="Decide by this rule as well as by those of --gate; without --gate, by it alone. Repeatable.",
    ),
    click.option("--margin", type=float, metavar="SHARE", help="The change for the worse that can still be borne."),
    click.option("--alpha", type=float, metavar="SHARE", help="How often to be wrong, at most."),
    click.option(
        "--claim", type=click.Choice(CLAIMS),
        help="Decide about this question set, or about the population it was drawn from.",
    ),
    click.option("--uncalibrated", is_flag=True, help="Take verdicts for the truth; the decision says so."),
    click.option("--waive", multiple=True, metavar="RULE", help="Let this rule go; needs --reason. Repeatable."),
    click.option("--without", multiple=True, metavar="RUN", help="Leave this run out; needs --reason. Repeatable."),
    click.option("--reason", "reasons", multiple=True, metavar="TEXT", help="Why, for each of these in order."),
    click.option("--baseline", metavar="RUN", help="Instead of BASE; `latest-shipped` is the last one that shipped."),
    ledger_option,
)  # fmt: skip


def deciding_options(command: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def decide(options: Options) -> Comparison:
    """Load, compare, and keep the decision in the candidate's folder and in the ledger."""
    from surefoot.gate.decide import compare
    from surefoot.gate.judge import Request

    base, cand = two_of(options["paths"], options["baseline"], by_own_rules=bool(options["rules"]))
    file = gatefiles.read(options["gate"] or GATE)
    given = {key: options[key] for key in ("alpha", "margin", "claim") if options[key] is not None}
    chosen = replace(file.change, **given)
    gatefiles.check(chosen)
    rules = [Rule.parse(text, name) for name, text in gatefiles.chosen(options["gate"], options["rules"], GATE)]
    waivers, without = _reasons(options["waive"], options["without"], options["reasons"])
    request = Request(
        waivers=waivers, uncalibrated=options["uncalibrated"], alpha=chosen.alpha, margin=chosen.margin,
        claim=chosen.claim, by=tuple(options.get("by") or ()), overridden=_overridden(rules, chosen, file),
    )  # fmt: skip
    with _ledger((base, cand), options["ledger"]) as ledger:
        if ledger is not None and is_run(base) and is_run(cand):
            comparison = _by_versions(ledger, (Path(base), Path(cand)), without, rules, request)
        elif without:
            raise UsageError("--without leaves out a run that a ledger knows", "files of verdicts have none")
        else:
            comparison = compare([load_side(base)], [load_side(cand)], rules, request)
    keep_decision(Path(cand), comparison)
    return comparison


def _by_versions(
    ledger: Ledger, paths: tuple[Path, Path], without: Mapping[str, str], rules: Sequence[Rule], request: Request
) -> Comparison:
    """All runs of both versions, with what people said of them and what was decided about them before."""
    from surefoot.cli.versions import earlier_labels, load_all, versions_of
    from surefoot.gate.decide import compare

    versions = versions_of(ledger, *paths, without)
    base, cand = load_all(versions.base, ledger), load_all(versions.cand, ledger)
    steps = [step for step in ledger.steps() if step.mode == CHANGE]
    notes = (*versions.notes, *_left_out_before(steps, versions), *_newer(steps, versions))
    request = replace(
        request,
        look=_look(steps, versions),
        earlier=earlier_labels(ledger, versions, [*base, *cand]),
        notes=notes,
        without=without,
    )
    comparison = compare(base, cand, rules, request)
    if paths[0].resolve() == paths[1].resolve():
        return replace(comparison, against_itself=True)
    _keep_step(ledger, _step(comparison, versions, rules), steps)
    return comparison


def _look(steps: Sequence[Step], versions: Versions) -> int:
    """How often these two versions were decided on, each time with other answers, this time included."""
    seen = {(step.base_answers, step.cand_answers) for step in steps if (step.reference, step.release) == versions.key}
    return len(seen | {versions.answers})


def _left_out_before(steps: Sequence[Step], versions: Versions) -> list[str]:
    """Runs that an earlier decision on these versions left out are named for ever."""
    told: dict[str, None] = {}
    for step in steps:
        if (step.reference, step.release) == versions.key:
            told |= dict.fromkeys(f"left out on {step.at[:10]}: {one}" for one in _runs_without(step))
    return [one for one in told if one.partition(": ")[2] not in versions.left_out]


def _runs_without(step: Step) -> tuple[str, ...]:
    found = step.overridden.get(WITHOUT, ())
    return found if isinstance(found, tuple) else ()


def _newer(steps: Sequence[Step], versions: Versions) -> list[str]:
    """An older baseline, where a newer one has shipped since."""
    shipped = [step for step in steps if step.outcome == "SHIP"]
    reference, release = versions.key
    latest = shipped[-1].release if shipped else reference
    if latest in (reference, release) or not any(
        step.release == reference or step.reference == reference for step in steps
    ):
        return []
    return [f"the baseline is {reference}, and {latest} has shipped since, on {shipped[-1].at[:10]}"]


def _step(comparison: Comparison, versions: Versions, rules: Sequence[Rule]) -> Step:
    from surefoot.ledger.places import run_id
    from surefoot.store import RunStore

    base, cand = (RunStore.open(runs[-1]).manifest for runs in (versions.base, versions.cand))
    request, (base_answers, cand_answers) = comparison.request, versions.answers
    left_out = {WITHOUT: versions.left_out} if versions.left_out else {}
    return Step(
        id=uuid.uuid4().hex,
        at=datetime.now(UTC).isoformat(timespec="microseconds"),
        programme="",
        reference=versions.key[0],
        release=versions.key[1],
        base_run=run_id(base),
        cand_run=run_id(cand),
        base_name=base.name,
        cand_name=cand.name,
        grader=cand.grader or "",
        questions_sha256=cand.questions_sha256,
        mode=CHANGE,
        base_answers=base_answers,
        cand_answers=cand_answers,
        alpha=request.alpha,
        margin=request.margin,
        outcome=comparison.decision.outcome,
        exit_code=int(comparison.decision.exit_code),
        waived=dict(request.waivers),
        uncalibrated=request.uncalibrated,
        overridden={**request.overridden, **left_out},
        deterministic=cand.deterministic,
        rules=tuple(sorted(rule.text for rule in rules)),
    )


def _keep_step(ledger: Ledger, step: Step, before: Sequence[Step]) -> None:
    """One that says the same as the last is not added."""
    if before and replace(before[-1], id="", at="") == replace(step, id="", at=""):
        return
    try:
        ledger.add_step(step)
    except Incomplete as error:
        if step.outcome == "SHIP":  # what is not kept could be tried for again and again
            raise
        click.echo(f"note: {error.message}; the decision is not kept in it", err=True)


def _overridden(
    rules: Sequence[Rule], chosen: gatefiles.Sureness, file: gatefiles.GateFile
) -> dict[str, float | str | tuple[str, ...]]:
    """What the command line puts in place of the gate file's, where it differs."""
    numbers = {key: (getattr(chosen, key), getattr(file.change, key)) for key in ("alpha", "margin", "claim")}
    found: dict[str, float | str | tuple[str, ...]] = {key: now for key, (now, was) in numbers.items() if now != was}
    texts = tuple(rule.text for rule in rules)
    of_the_file = tuple(" ".join(text.split()) for text in file.rules.values())
    if texts[: len(of_the_file)] != of_the_file:
        found["rules"] = texts
    elif added := texts[len(of_the_file) :]:
        found[MORE_RULES] = added
    return found


@contextlib.contextmanager
def _ledger(paths: Sequence[str], given: str | None) -> Iterator[Ledger | None]:
    """The project's ledger; files of verdicts have none unless it is named."""
    from surefoot.ledger.places import find

    runs = [path for path in paths if is_run(path)]
    if not runs and not given:
        yield None
        return
    with _opened(find(Path(runs[-1]) if runs else None, given), make=bool(runs)) as ledger:
        yield ledger


def _opened(where: str, *, make: bool) -> contextlib.AbstractContextManager[Ledger | None]:
    """A ledger that is there has to be read: its runs and labels may decide. A new one is made where that can be."""
    from surefoot.ledger import Ledger

    try:
        opened = Ledger.existing(where)
    except OSError as error:  # a folder that may not even be looked into
        message = f"the ledger {printable(Path(where))} cannot be read: {error.strerror}"
        raise Incomplete(message, "ask for the right to read it: its runs and labels may decide") from error
    if opened is not None:
        return opened
    if not make:
        raise UsageError("there is no ledger at the place that was named", "leave --ledger out: files need none")
    try:
        return Ledger.open(where)
    except Incomplete as error:
        if _is_there(where):
            raise
        click.echo(f"note: {error.message}; the decision is not kept in it", err=True)
        return contextlib.nullcontext()


def _is_there(where: str) -> bool:
    """Whether something lies at the place of a ledger; what cannot be told is taken for yes."""
    try:
        os.lstat(where)
    except (FileNotFoundError, NotADirectoryError):
        return "://" in where
    except OSError:
        return True
    return True


def two_of(paths: Sequence[str], baseline: str | None, *, by_own_rules: bool = False) -> tuple[str, str]:
    """Baseline and candidate; where only the candidate is named, the baseline is what shipped last."""
    given = [*([] if baseline is None else [baseline]), *paths]
    given = [LATEST_SHIPPED, *given] if len(given) == 1 and baseline is None else given
    if len(given) == 2:
        base, cand = given
        return latest_shipped(Path(cand), by_own_rules=by_own_rules) if base == LATEST_SHIPPED else base, cand
    hint = "write surefoot compare BASE CAND, or surefoot compare CAND --baseline RUN"
    raise UsageError(f"two runs are compared, not {len(paths) + (baseline is not None)}", hint)


def _reasons(
    waive: Sequence[str], without: Sequence[str], reasons: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Each rule that is waived and each run that is left out with its reason: first the rules, then the runs."""
    named = [*waive, *without]
    if len(named) != len(reasons):
        let_go = "1 rule or run is let go" if len(named) == 1 else f"{len(named)} rules or runs are let go"
        message = f"{let_go} and {counted(len(reasons), 'reason')} given"
        raise UsageError(message, "give each --waive RULE, then each --without RUN, its --reason TEXT")
    if twice := [name for name, count in Counter(named).items() if count > 1]:
        raise UsageError(f"{twice[0]!r} is let go more than once", "give one reason for it")
    if empty := [name for name, reason in zip(named, reasons, strict=True) if not reason.strip()]:
        raise UsageError(f"no reason is given for letting go {empty[0]!r}", "say why with --reason")
    pairs = list(zip(named, reasons, strict=True))
    return dict(pairs[: len(waive)]), dict(pairs[len(waive) :])
