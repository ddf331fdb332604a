"""The runs of a project over time, as its ledger and the folders beside it have them. Nothing is written."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import ExitCode, SurefootError, UsageError
from surefoot.gate.history import BASELINE, CHANGE, History, LastDecision, Measured, PastRun, trends
from surefoot.gate.overview import overview_of
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import asking_of, find, run_id
from surefoot.records import Label, Step
from surefoot.report.blocks import Report
from surefoot.report.comparison_json import estimate_json
from surefoot.report.history import report
from surefoot.services.decisions import KeptDecision, as_typed, decision_in
from surefoot.services.label_queue import label_queue, labelled
from surefoot.services.result import Reported
from surefoot.services.runs import is_run, read_run
from surefoot.services.versions import known_runs, read_all, version_in
from surefoot.store import DECISION, MANIFEST, QUESTIONS, TRACES, VERDICTS, Manifest, RunStore

_FILES = (MANIFEST, QUESTIONS, TRACES, VERDICTS, DECISION)
_IN_ADDRESSES = re.compile(r"\w[\w.-]*", re.ASCII)
Stamp = tuple[object, ...]  # as long as it is the same, so is what it was taken of


class ProjectHistory(Reported):
    """Every run, the buckets from version to version, and what was decided."""

    def __init__(self, found: History) -> None:
        self.found = found

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if any(one.problem for one in self.found.runs) else ExitCode.OK

    def to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "ledger": found.ledger or None,
            "runs": [{**msgspec.to_builtins(one), "measured": _json(one.measured)} for one in found.runs],
            "trends": [
                {"questions": trend.questions, "grader": trend.grader,
                 "versions": [{"version": one.version, "runs": list(one.runs), **(_json(one.measured) or {})}
                              for one in trend.versions]}
                for trend in found.trends
            ],
            "decisions": msgspec.to_builtins(found.decisions),
            "certificates": msgspec.to_builtins(found.certificates),
        }  # fmt: skip

    def table(self) -> list[dict[str, Any]]:
        """The runs, each with its buckets."""
        kept = ("name", "version", "made", "folder", "labelled", "is_baseline", "problem")
        return [
            {**{key: getattr(one, key) for key in kept}, **(one.measured.buckets if one.measured else {})}
            for one in self.found.runs
        ]

    def report(self) -> Report:
        return report(self.found)

    def __repr__(self) -> str:
        return f"<ProjectHistory of {len(self.found.runs)} runs>"


def history(ledger: str | Path | None = None) -> ProjectHistory:
    """The runs that the ledger knows, and those whose folders lie beside it or in runs/ beside it."""
    return Archive(ledger).read()


def last_decided(found: History) -> KeptDecision | None:
    """What the project decided last about a change, with the rules it went by."""
    folders = [Path(one.folder) for one in found.runs if one.folder and one.decision]
    kept = [one for one in map(decision_in, folders) if one is not None and not one.against_itself]
    return max(kept, key=lambda one: one.at, default=None)


def _json(measured: Measured | None) -> dict[str, Any] | None:
    if measured is None:
        return None
    return {"buckets": measured.buckets, "shares": {key: estimate_json(one) for key, one in measured.shares.items()}}


class _Seen(Struct, frozen=True):
    """A run before it is measured."""

    name: str
    ids: frozenset[str]
    manifest: Manifest | None
    folder: Path | None
    problem: str = ""

    @property
    def made(self) -> str:
        return self.manifest.created if self.manifest else ""


class Archive:
    """Reads a history again and again; a run is measured once, until one of its files or a label changes."""

    def __init__(self, ledger: str | Path | None = None) -> None:
        self.place = find(None, ledger)
        self._measured: dict[tuple[Path, ...], tuple[Stamp, Measured]] = {}

    def read(self) -> ProjectHistory:
        with self._ledger() as opened:
            seen = sorted(self._seen(opened), key=lambda one: (one.made, one.name), reverse=True)
            if opened is None and not seen:
                message = f"there is no ledger {self.place_in_words} and no run beside it"
                raise UsageError(message, "go to where the runs are, or name their ledger: --ledger runs/surefoot.db")
            rows, steps = (opened.labels(), opened.steps()) if opened else ([], [])
            measure = partial(self._measure, ledger=opened, labels=rows)
            runs = tuple(_with_fate(_past(one, seen, measure), one.ids, steps, self.place) for one in seen)
            found = History(
                opened.name if opened else "", runs,
                trends(runs, lambda group: measure(tuple(Path(one.folder) for one in group))),
                tuple(reversed(steps)), tuple(opened.certificates()) if opened else (),
            )  # fmt: skip
        return ProjectHistory(found)

    def stamp(self) -> Stamp:
        """Of everything that a page may show."""
        with self._ledger() as opened:
            folders = [one.folder for one in self._seen(opened) if one.folder]
            return (opened.counts() if opened else {}, *(stamp_of(folder) for folder in folders))

    @property
    def place_in_words(self) -> str:
        return "there" if "://" in self.place else printable(Path(self.place))

    @contextlib.contextmanager
    def _ledger(self) -> Iterator[Ledger | None]:
        with Ledger.existing(self.place) or contextlib.nullcontext() as opened:
            yield opened

    def _seen(self, ledger: Ledger | None) -> Iterator[_Seen]:
        found: dict[tuple[str, ...], tuple[Path, Manifest]] = {}
        for folder in self._beside():
            try:
                if is_run(folder):
                    manifest = RunStore.open(folder).manifest
                    found.setdefault(asking_of(manifest), (folder, manifest))
            except (SurefootError, OSError) as error:
                yield _Seen(folder.name, frozenset(), None, folder, str(error))
        for one in known_runs(ledger) if ledger else ():
            moved = found.pop(one.asking, None)
            if one.folder:
                yield _Seen(one.manifest.name, one.ids, one.manifest, one.folder)
            elif moved:  # under the name that it has now: its own may be another run's
                yield _Seen(moved[0].name, one.ids, moved[1], moved[0])
            else:
                gone = f"the run is no longer at {one.entry.path}"
                yield _Seen(one.manifest.name, one.ids, one.manifest, None, gone)
        for folder, manifest in found.values():
            yield _Seen(manifest.name, frozenset({run_id(manifest)}), manifest, folder)

    def _beside(self) -> list[Path]:
        home = Path() if "://" in self.place else Path(self.place).resolve().parent
        places = [folder for folder in (home, home / "runs") if folder.is_dir()]
        return sorted(folder for place in places for folder in place.iterdir())

    def _measure(self, folders: tuple[Path, ...], ledger: Ledger | None, labels: Sequence[Label]) -> Measured:
        """All of them together. `labels` are all there are: each may be on an answer of these runs."""
        stamp = (len(labels), *map(stamp_of, folders))
        kept = self._measured.get(folders)
        if kept is None or kept[0] != stamp:
            runs = read_all(folders, ledger) if ledger else [read_run(folder) for folder in folders]
            found = overview_of(runs)
            done = labelled(labels) & {version for run in runs for version in run.versions.values()}
            kept = self._measured[folders] = stamp, Measured(found.buckets, found.shares[""], len(done), found.faults)
        return kept[1]


def _past(one: _Seen, every: Sequence[_Seen], measure: Callable[[tuple[Path, ...]], Measured]) -> PastRun:
    made, measured, problem = one.manifest, None, one.problem
    if one.folder and not problem:
        try:
            measured = measure((one.folder,))
        except (SurefootError, OSError) as error:
            problem = str(error)
    return PastRun(
        key=_key(one, every),
        name=one.name,
        folder=as_typed(one.folder) if one.folder else "",
        version=version_in(made) if made else "",
        made=one.made,
        grader=(made.grader or "") if made else "",
        council=made.council if made else "",
        questions=made.questions_sha256 if made else "",
        question_count=made.question_count if made else 0,
        measured=measured,
        problem=problem,
        ids=tuple(sorted(one.ids)),
    )


def _key(one: _Seen, every: Sequence[_Seen]) -> str:
    """The name, unless another run has it too or an address cannot hold it."""
    if _IN_ADDRESSES.fullmatch(one.name) and sum(other.name == one.name for other in every) == 1:
        return one.name
    told = asking_of(one.manifest) if one.manifest else (str(one.folder),)
    return f"~{hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:12]}"


def _with_fate(run: PastRun, ids: Collection[str], steps: Sequence[Step], ledger: str) -> PastRun:
    """What was decided about it and said of it."""
    kept = decision_in(Path(run.folder)) if run.folder else None
    decided = [step for step in steps if step.mode == CHANGE and step.cand_run in ids]
    last = None
    if decided:
        last = LastDecision(decided[-1].outcome, decided[-1].at, decided[-1].base_name)
    elif kept is not None:
        last = LastDecision(kept.outcome, kept.at, "itself" if kept.against_itself else kept.names.get("base", ""))
    moves = [step for step in steps if step.mode == BASELINE]
    return replace(
        run,
        decision=last,
        labelled=run.measured.labelled if run.measured else 0,
        waiting=_waiting(run, ledger) if kept and kept.label_next else 0,
        is_baseline=bool(moves) and moves[-1].cand_run in ids,
    )


def _waiting(run: PastRun, ledger: str) -> int:
    """As many as the label page has left of them."""
    rows = label_queue(run.folder, ledger=ledger).table() if run.measured else ()
    return sum(row["for_gate"] for row in rows)


def stamp_of(folder: Path) -> Stamp:
    return (str(folder), *(_file_stamp(folder / name) for name in _FILES))


def _file_stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
