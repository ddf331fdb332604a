"""Decisions are kept: the last one in the folder of its candidate, all of them in the ledger."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.gate.decide import Comparison
from surefoot.gate.history import BASELINE, CHANGE
from surefoot.gate.next_steps import Waiting
from surefoot.gate.rules import Rule
from surefoot.io.writer import UNREADABLE, printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import find, folder_of, run_id
from surefoot.records import MORE_RULES, WITHOUT, Step
from surefoot.report.comparison_json import as_json
from surefoot.report.words import plain
from surefoot.services.result import Tell
from surefoot.services.runs import is_run
from surefoot.services.versions import Versions, known_runs, version_in
from surefoot.store import DECISION, RunStore, timestamp


class Check(Struct, frozen=True):
    name: str
    rule: str
    status: str = ""
    reason: str = ""


class KeptDecision(Struct, frozen=True, kw_only=True):
    """What decision.json says, as far as it is read again."""

    outcome: str
    at: str = ""  # later labels and steps had no part in it
    alpha: float | None = None
    margin: float | None = None
    claim: str | None = None
    uncalibrated: bool = False
    against_itself: bool = False
    overridden: Mapping[str, float | str | tuple[str, ...]] = {}
    names: Mapping[str, str] = {}
    runs: Mapping[str, tuple[str, ...]] = {}  # by side: all that were counted
    checks: tuple[Check, ...] = ()
    waived: Mapping[str, str] = {}
    without: Mapping[str, str] = {}
    trust: Mapping[str, object] = {}
    label_next: tuple[Waiting, ...] | None = None


def decision_in(folder: Path) -> KeptDecision | None:
    """None where there is none, or none that can be read."""
    try:
        return last_decision(folder)
    except Incomplete:
        return None


def last_decision(folder: Path) -> KeptDecision | None:
    path = folder / DECISION
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeptDecision)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, *UNREADABLE) as error:
        raise Incomplete(f"{printable(path)} cannot be read: {error}", "decide on the run again") from error


class PastDecisions:
    """What the ledger has decided so far, for a decision on two versions."""

    def __init__(self, steps: Sequence[Step], versions: Versions) -> None:
        self._all = [step for step in steps if step.mode == CHANGE]
        self._mine = [step for step in self._all if (step.reference, step.release) == versions.key]
        self._versions = versions

    @property
    def look(self) -> int:
        """How often these versions were decided on, with other answers or by another grader, this time included."""
        now = (*self._versions.answers, self._versions.grader)
        return len({(step.base_answers, step.cand_answers, step.grader) for step in self._mine} | {now})

    def notes(self) -> Iterator[str]:
        yield from self._left_out()
        yield from self._newer()

    def _left_out(self) -> Iterator[str]:
        """Runs that an earlier decision on these versions left out are named for ever."""
        told: dict[str, str] = {}
        for step in self._mine:
            for run in step.overridden.get(WITHOUT, ()):  # type: ignore[union-attr]
                told.setdefault(run, f"left out on {step.at[:10]}: {run}")
        return (words for run, words in told.items() if run not in self._versions.left_out)

    def _newer(self) -> Iterator[str]:
        """An older baseline, where a newer one has shipped since, as the gate file has it."""
        shipped = [step for step in self._all if step.outcome == "SHIP" and step.overridden.keys() <= {WITHOUT}]
        reference, release = self._versions.key
        is_known = any(reference in (step.release, step.reference) for step in self._all)
        if shipped and is_known and shipped[-1].release not in (reference, release):
            latest = shipped[-1]
            yield f"the baseline is {reference}, and {latest.release} has shipped since, on {latest.at[:10]}"

    def keep(self, ledger: Ledger, comparison: Comparison, rules: Sequence[Rule], tell: Tell) -> None:
        """One that says the same as the last is not added."""
        step = _step(comparison, self._versions, rules)
        if self._all and replace(self._all[-1], id="", at="") == replace(step, id="", at=""):
            return
        try:
            ledger.add([step])
        except Incomplete as error:
            if step.outcome == "SHIP":  # what is not kept could be tried for again and again
                raise
            tell(f"note: {error.message}; the decision is not kept in it")


def _step(comparison: Comparison, versions: Versions, rules: Sequence[Rule]) -> Step:
    base, cand = (RunStore.open(runs[-1]).manifest for runs in (versions.base, versions.cand))
    request, (base_answers, cand_answers) = comparison.request, versions.answers
    left_out = {WITHOUT: versions.left_out} if versions.left_out else {}
    return Step(
        id=uuid.uuid4().hex,
        at=timestamp(),
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


def keep_in_folder(cand: Path, comparison: Comparison, tell: Tell) -> None:
    """A run folder keeps what was decided about it last; a run against itself says nothing about it."""
    if not is_run(cand):
        return
    before = decision_in(cand)
    if comparison.against_itself and before and not before.against_itself:
        tell("note: a run against itself; the decision that it has against another is kept")
        return
    kept = {"at": timestamp(), **{key: value for key, value in as_json(comparison).items() if key != "moved"}}
    if comparison.request.uncalibrated and before:  # it asks for no label, and must not end what another asked for
        kept["label_next"] = before.label_next
    try:
        (cand / DECISION).write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    except OSError as error:
        # The decision stands, whoever may write into the run.
        tell(f"note: the decision is not kept in {plain(printable(cand))}: {error.strerror}")


def keep_baseline(ledger: Ledger, comparison: Comparison, base: Path, cand: Path) -> None:
    """From now on the candidate is the baseline."""
    step = _step(comparison, Versions((base,), (cand,)), [check.rule for check in comparison.decision.checks])
    ledger.add([replace(step, mode=BASELINE)])


def current_baseline(ledger: str | Path | None = None, *, beside: str | Path | None = None) -> str | None:
    """The run that `surefoot baseline update` last moved the baseline to; None where it was never moved.

    The ledger is the one beside a run, or else that of the project here.
    """
    near = None if beside is None else Path(beside)
    opened = Ledger.existing(find(near, ledger))
    if opened is None:
        return None
    with opened:
        moves = [step for step in opened.steps() if step.mode == BASELINE]
        if not moves:
            return None
        folder = folder_by_id(opened, moves[-1].cand_run, near)
    if folder is None:
        message = f"the baseline is the run {moves[-1].cand_name}, and it is no longer where it was"
        raise Incomplete(
            message, "put it back, or a copy beside the other runs, or name a baseline: surefoot gate BASE CAND"
        )
    return as_typed(folder)


def newest_run(ledger: str | Path | None = None) -> str:
    """Return the newest run of the project whose version is not that of the baseline."""
    opened = Ledger.existing(find(None, ledger))
    if opened is None:
        raise UsageError("there is no ledger here", "write surefoot gate BASE CAND, or name a ledger with --ledger")
    baseline = current_baseline(ledger)
    now = version_in(RunStore.open(Path(baseline)).manifest) if baseline else None
    with opened:
        runs = [one for one in known_runs(opened) if one.folder and version_in(one.manifest) != now]
    if not runs:
        raise UsageError("no version was run that is not the baseline's", "write surefoot gate BASE CAND")
    return as_typed(runs[-1].folder or "")


def as_typed(folder: str | Path) -> str:
    """A path as one would type it here."""
    path = Path(folder).resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def folder_by_id(ledger: Ledger, identity: str, beside: Path | None) -> Path | None:
    """Where a run that the ledger knows lies now."""
    rows = [entry for entry in ledger.runs() if entry.id == identity]
    near = [] if beside is None else [beside]
    return next(filter(None, (folder_of(entry, ledger, near) for entry in reversed(rows))), None)


def latest_shipped(cand: Path, *, by_own_rules: bool) -> str:
    """The newest run beside the candidate that shipped, where the baseline was never moved by hand."""
    if found := shipped_beside(cand, by_own_rules=by_own_rules):
        return found
    hint = "name the baseline: surefoot gate BASE CAND; or begin with one: surefoot baseline update BASE"
    raise UsageError(f"no run beside {cand} has shipped yet", hint)


def shipped_beside(cand: Path, *, by_own_rules: bool) -> str | None:
    """The newest run beside the candidate that shipped against another.

    Where none has, the first that was compared with itself: somewhere one has to begin. One that shipped by other rules
    than the gate file's is good enough only for who goes by rules of their own again.
    """
    shipped: list[tuple[str, str]] = []
    begun: list[tuple[str, str]] = []
    if not cand.exists():
        raise UsageError(f"there is no run {printable(cand)}", "pass the folder of a run")
    for folder in cand.resolve().parent.iterdir():
        decision = decision_in(folder)
        if folder == cand.resolve() or decision is None or decision.outcome != "SHIP":
            continue
        if decision.against_itself:
            begun.append((decision.at, str(folder)))
        elif by_own_rules or not decision.overridden:
            shipped.append((decision.at, str(folder)))
    if not shipped and not begun:
        return None
    return (max(shipped) if shipped else min(begun))[1]


class Decided(Struct, frozen=True):
    """A decision, and what of the gate file was not as at the one before."""

    step: Step
    changed: tuple[str, ...] = ()


def decisions(ledger: str | Path | None = None) -> list[Decided]:
    """Everything that was decided so far, oldest first."""
    opened = Ledger.existing(find(None, ledger))
    if opened is None:
        raise UsageError("there is no ledger here", "write surefoot gate BASE CAND, or name a ledger with --ledger")
    with opened:
        return list(_with_changes(opened.steps()))


def _with_changes(steps: Sequence[Step]) -> Iterator[Decided]:
    before: dict[str, object] = {}
    for step in steps:
        taken = {"rules": step.rules, "alpha": step.alpha, "margin": step.margin}
        told = {"rules" if key == MORE_RULES else key for key in step.overridden}
        now = {key: value for key, value in taken.items() if value not in ((), None) and key not in told}
        yield Decided(step, tuple(key for key, value in now.items() if before.get(key, value) != value))
        before |= now
