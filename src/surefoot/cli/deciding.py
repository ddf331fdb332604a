"""The one way from two runs to a decision, for `compare` and `gate`: options, certificates, labels, history."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import replace

from surefoot.appending import UNREADABLE, printable
from surefoot.calibration.certificates import fault_in
from surefoot.cli.gate_option import gate_option
from surefoot.cli.kept_decisions import LATEST_SHIPPED, keep_decision, latest_shipped
from surefoot.cli.ledger_option import ledger_option
from surefoot.cli.sides import is_run, load_side
from surefoot.compare import Comparison, Request, compare, mode_of
from surefoot.errors import Incomplete, UsageError
from surefoot.gate import Rule
from surefoot.importers import gatefiles
from surefoot.pairing import Side, stand_in
from surefoot.records import MORE_RULES, Certificate
from surefoot.report.words import counted, plain
from surefoot.sequential.history import SEQUENTIAL, Place, strict_blocks
from surefoot.store import RunStore

if TYPE_CHECKING:
    from surefoot.ledger import Ledger

Options = dict[str, Any]
GATE = "ship"  # what decides where nothing else is named
_MOST_TRIES = 50

_OPTIONS = (
    click.argument("paths", nargs=-1, metavar="BASE CAND"),
    gate_option("ship"),
    click.option(
        "--rule", "rules", multiple=True, metavar="RULE",
        help="Decide by this rule as well as by those of --gate; without --gate, by it alone. Repeatable.",
    ),
    click.option(
        "--mode", type=click.Choice(gatefiles.MODES),
        help="strict: any increase blocks. sequential: allows for chance, and adds up over runs.  "
        "[default: as the gate file says; else sequential where repeats differ, strict where not]",
    ),
    click.option("--alpha", type=float, metavar="SHARE", help="sequential: how often to block what is unchanged."),
    click.option("--margin", type=float, metavar="SHARE", help="sequential: the rise that can still be borne."),
    click.option("--certificate", metavar="FILE", help="What `calibrate --json` printed, instead of the ledger's."),
    click.option("--uncalibrated", is_flag=True, help="Do without a certificate of the grader; the decision says so."),
    click.option("--waive", multiple=True, metavar="RULE", help="Let this rule go; needs --reason. Repeatable."),
    click.option("--reason", "reasons", multiple=True, metavar="TEXT", help="Why, for each --waive in order."),
    click.option(
        "--baseline", metavar="RUN",
        help="Instead of BASE: a run, or `latest-shipped` for the last one beside CAND that shipped.",
    ),
    ledger_option,
)  # fmt: skip


def deciding_options(command: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def decide(options: Options) -> Comparison:
    """Load, compare, and keep the decision in the candidate's folder and in the ledger."""
    base, cand = two_of(options["paths"], options["baseline"], by_own_rules=bool(options["rules"]))
    file = gatefiles.read(options["gate"] or GATE)
    given = {key: options[key] for key in ("alpha", "margin", "mode") if options[key] is not None}
    chosen = replace(file.sequential, **given)
    gatefiles.check(chosen)
    rules = [Rule.parse(text, name) for name, text in gatefiles.chosen(options["gate"], options["rules"], GATE)]
    certificates = [read_certificate(options["certificate"])] if options["certificate"] else []
    sides = load_side(base), load_side(cand)
    request = Request(
        waivers=_waivers(options["waive"], options["reasons"]), certificates=certificates,
        uncalibrated=options["uncalibrated"], mode=chosen.mode, alpha=chosen.alpha, margin=chosen.margin,
        overridden=_overridden(rules, chosen, file), deterministic=all(map(_is_deterministic, (base, cand))),
    )  # fmt: skip
    mode = mode_of(sides, chosen.mode)[0]
    with _ledger((base, cand), options["ledger"], needed=mode == SEQUENTIAL) as ledger:
        if ledger is None:
            comparison = compare(*sides, rules, request)
        else:
            request = _with_what_is_known(ledger, sides, request)
            if is_run(base) and is_run(cand):
                comparison = _as_a_step(ledger, (base, cand), sides, rules, request, chosen.programme, options["mode"])
            else:
                comparison = compare(*sides, rules, request)
    keep_decision(Path(cand), comparison)
    return comparison


def _is_deterministic(path: str) -> bool:
    """True for a run whose pipeline says that it always answers alike."""
    return is_run(path) and RunStore.open(Path(path)).manifest.deterministic


def _overridden(
    rules: Sequence[Rule], chosen: gatefiles.Sequential, file: gatefiles.GateFile
) -> dict[str, float | tuple[str, ...]]:
    """What the command line puts in place of the gate file's, where it differs."""
    numbers = {"alpha": (chosen.alpha, file.sequential.alpha), "margin": (chosen.margin, file.sequential.margin)}
    found: dict[str, float | tuple[str, ...]] = {key: now for key, (now, was) in numbers.items() if now != was}
    texts = tuple(rule.text for rule in rules)
    of_the_file = tuple(" ".join(text.split()) for text in file.rules.values())
    if texts[: len(of_the_file)] != of_the_file:
        found["rules"] = texts
    elif added := texts[len(of_the_file) :]:
        found[MORE_RULES] = added
    return found


def _with_what_is_known(ledger: Ledger, sides: tuple[Side, Side], request: Request) -> Request:
    """People's labels stand in on both sides, and the ledger's certificates are at hand where none was passed."""
    from surefoot.cli.borne_out import certificates_in

    versions = {version for side in sides for version in side.versions.values()}
    labels = ledger.labels(versions=versions) if versions else []
    for side in sides:
        stand_in(side, labels)
    return replace(request, certificates=request.certificates or certificates_in(ledger))


def _as_a_step(
    ledger: Ledger,
    paths: tuple[str, str],
    sides: tuple[Side, Side],
    rules: Sequence[Rule],
    request: Request,
    programme: str,
    asked: str | None,
) -> Comparison:
    """Two runs make a step in the history of a release, and what its other steps have shown counts.

    Where another comparison was quicker, its step counts too, and this one is judged again.
    """
    from surefoot.cli.labelled_runs import labelled_beside
    from surefoot.cli.steps import Runs

    sides[1].labelled_beside = tuple(labelled_beside(ledger, paths[1]))
    runs = Runs.of(*paths)
    for _ in range(_MOST_TRIES):
        steps = ledger.steps(programme)
        asked_now = _in_its_mode(runs.place(steps, programme), sides, request, asked)
        comparison = replace(compare(*sides, rules, asked_now), against_itself=runs.are_one)
        step = runs.step(comparison, asked_now, programme, rules)
        comparison = replace(comparison, blocked_before=strict_blocks(steps, step))
        if runs.are_one and comparison.mode == SEQUENTIAL:
            return comparison  # no evidence, so no step of any release
        try:
            if runs.keep(ledger, step, steps):
                return comparison
        except Incomplete as error:
            # Evidence that is not kept could be tried for again and again; a block is one in any case.
            if comparison.mode == SEQUENTIAL and comparison.decision.outcome != "BLOCK":
                raise
            click.echo(f"note: {error.message}; the decision is not kept in it", err=True)
            return comparison
    raise Incomplete("other comparisons were kept in the ledger all the time", "compare again when they are through")


def _in_its_mode(place: Place, sides: tuple[Side, Side], request: Request, asked: str | None) -> Request:
    """A release that has begun in the sequential mode goes on in it."""
    if place.has_begun and mode_of(sides, request.mode)[0] != SEQUENTIAL:
        why = f"the ledger has sequential steps of the release {plain(place.release)}"
        if asked is not None:
            message = f"{why}, and a decision in the {asked} mode would leave out what they have shown"
            raise UsageError(message, "leave --mode out, or name a new release with run --version")
        request = replace(request, mode=SEQUENTIAL, why_this_mode=why)
    return replace(request, place=place) if mode_of(sides, request.mode)[0] == SEQUENTIAL else request


@contextlib.contextmanager
def _ledger(paths: Sequence[str], given: str | None, *, needed: bool) -> Iterator[Ledger | None]:
    """The project's ledger; files of verdicts have none unless it is named. A strict decision can do without."""
    from surefoot.ledger.places import find

    runs = [path for path in paths if is_run(path)]
    if not runs and not given:
        yield None
        return
    with _opened(
        find(Path(runs[-1]) if runs else None, given), make=bool(runs), needed=needed or bool(given)
    ) as ledger:
        yield ledger


def _opened(where: str, *, make: bool, needed: bool) -> contextlib.AbstractContextManager[Ledger | None]:
    """A ledger that is there has to be read: its labels and steps may decide. A new one is made where that can be."""
    from surefoot.ledger import Ledger

    try:
        opened = Ledger.existing(where)
    except OSError as error:  # a folder that may not even be looked into
        message = f"the ledger {printable(Path(where))} cannot be read: {error.strerror}"
        raise Incomplete(message, "ask for the right to read it: its labels and steps may decide") from error
    if opened is not None:
        return opened
    if not make:
        raise UsageError("there is no ledger at the place that was named", "leave --ledger out: files need none")
    try:
        return Ledger.open(where)
    except Incomplete as error:
        if needed or _is_there(where):
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


def read_certificate(path: str) -> Certificate:
    """A certificate as `calibrate --json` prints it: alone, or as a part of all it says."""
    hint = "pass what surefoot calibrate --json printed"
    try:
        content = msgspec.json.decode(Path(path).read_bytes())
        inner = content.get("certificate", content) if isinstance(content, dict) else content
        if inner is None:
            reason = content.get("certificate_reason") or "nothing could be certified"
            raise UsageError(f"{printable(Path(path))} holds no certificate: {reason}", hint)
        certificate = msgspec.convert(inner, Certificate)
    except OSError as error:
        raise UsageError(f"the certificate {printable(Path(path))} cannot be read: {error.strerror}", hint) from error
    except UNREADABLE as error:
        raise UsageError(f"{printable(Path(path))} holds no certificate: {error}", hint) from error
    if fault := fault_in(certificate):
        raise UsageError(f"the certificate in {printable(Path(path))} was changed after it was made: {fault}", hint)
    return certificate


def two_of(paths: Sequence[str], baseline: str | None, *, by_own_rules: bool = False) -> tuple[str, str]:
    given = [*([] if baseline is None else [baseline]), *paths]
    if len(given) == 2:
        base, cand = given
        return latest_shipped(Path(cand), by_own_rules=by_own_rules) if base == LATEST_SHIPPED else base, cand
    hint = "write surefoot compare BASE CAND, or surefoot compare CAND --baseline RUN"
    raise UsageError(f"two runs are compared, not {len(paths) + (baseline is not None)}", hint)


def _waivers(rules: Sequence[str], reasons: Sequence[str]) -> dict[str, str]:
    if len(rules) != len(reasons):
        waived = f"{counted(len(rules), 'rule')} {'is' if len(rules) == 1 else 'are'} waived"
        message = f"{waived} and {counted(len(reasons), 'reason')} given"
        raise UsageError(message, "give each --waive RULE its --reason TEXT")
    if twice := [rule for rule, count in Counter(rules).items() if count > 1]:
        raise UsageError(f"the rule {twice[0]!r} is waived more than once", "give one reason for it")
    return dict(zip(rules, reasons, strict=True))
