"""A comparison of two runs as a step in the ledger's history."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.compare import Comparison, Request
from surefoot.gate import Rule
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, run_id
from surefoot.ledger.schema import STEPS, add, in_order
from surefoot.records import Step
from surefoot.sequential.history import Candidacy, Place, newest, place
from surefoot.store import RunStore


class Runs(Struct, frozen=True):
    """The two runs of a step."""

    base: RunStore
    cand: RunStore

    @classmethod
    def of(cls, base: str, cand: str) -> Runs:
        return cls(RunStore.open(Path(base)), RunStore.open(Path(cand)))

    @property
    def are_one(self) -> bool:
        return run_id(self.base.manifest) == run_id(self.cand.manifest)

    def place(self, steps: Sequence[Step], programme: str) -> Place:
        return place(steps, self._candidacy(programme))

    def _candidacy(self, programme: str) -> Candidacy:
        base, cand = self.base.manifest, self.cand.manifest
        return Candidacy(
            programme=programme,
            reference=base.version or base.pipeline,
            pipeline=cand.pipeline,
            version=cand.version,
            base_run=run_id(base),
            cand_run=run_id(cand),
            base_answers=_answers(self.base),
            cand_answers=_answers(self.cand),
            deterministic=cand.deterministic,
        )

    def step(self, comparison: Comparison, request: Request, programme: str, rules: Sequence[Rule]) -> Step:
        base, cand = self.base.manifest, self.cand.manifest
        certificate = comparison.trust.certificate
        return Step(
            id=uuid.uuid4().hex,
            at=datetime.now(UTC).isoformat(timespec="microseconds"),
            programme=programme,
            reference=base.version or base.pipeline,
            release=request.place.release if request.place else cand.version or cand.pipeline,
            base_run=run_id(base),
            cand_run=run_id(cand),
            base_name=base.name,
            cand_name=cand.name,
            grader=cand.grader or "",
            questions_sha256=cand.questions_sha256,
            mode=comparison.mode,
            counts=comparison.counts,
            moves=comparison.moves,
            base_answers=_answers(self.base),
            cand_answers=_answers(self.cand),
            alpha=request.alpha,
            margin=request.margin,
            outcome=comparison.decision.outcome,
            exit_code=int(comparison.decision.exit_code),
            waived=dict(comparison.waived),
            uncalibrated=comparison.uncalibrated,
            certificate=certificate.id if certificate else "",
            blocked_by=comparison.blocked_by,
            overridden=dict(comparison.overridden),
            closes=comparison.closes,
            deterministic=cand.deterministic,
            rules=tuple(sorted(rule.text for rule in rules)),
        )

    def keep(self, ledger: Ledger, step: Step, seen: Sequence[Step]) -> bool:
        """Add the step to those that were `seen`; False when others have come since, which may change what it says.

        The newest row of a step counts, so one that says the same as the last is not added.
        """
        for store in (self.base, self.cand):
            ledger.add_run(entry_of(store))
        is_new = _undated(newest([*seen, step])) != _undated(newest(seen))
        with ledger.database.writing() as connection:
            found = connection.execute(in_order(STEPS).where(STEPS.c.programme == step.programme))
            if [row["id"] for row in found.mappings()] != [one.id for one in seen]:
                return False
            if is_new:
                add(connection, [step])
        return True


def _answers(store: RunStore) -> str:
    return store.manifest.graded_sha256 or store.answers_sha256()


def _undated(steps: Sequence[Step]) -> list[Step]:
    return [replace(step, id="", at="") for step in steps]
