"""Small records to keep."""

from __future__ import annotations

from typing import Any

from surefoot.records import AxisRecord, Certificate, Discordant, Interval, Label, Purge, RunEntry, Score, Step


def label(number: int = 1, **changes: Any) -> Label:  # noqa: ANN401
    given = {
        "id": f"label-{number}", "at": f"2026-03-01T09:{number // 60 % 60:02d}:{number % 60:02d}.000000+00:00",
        "annotator": "ann", "question_id": f"q{number}", "axis": "factuality", "value": "wrong",
        "version": f"version-{number}",
    }  # fmt: skip
    return Label(**{**given, **changes})


CERTIFICATE = Certificate(
    id="certificate-1", at="2026-03-02T00:00:00+00:00", grader="rules@2", rubric_sha256="r", corpus="c", labels=60,
    annotators=("ann", "bo"),
    axes={
        "factuality": AxisRecord(
            n=60, kappa=Interval(0.6, 0.45, 0.75), table={"wrong": {"correct": 3}}, answers={"wrong": 9}
        )
    },
)  # fmt: skip
STEP = Step(
    id="step-1", at="2026-03-03T00:00:00+00:00", programme="main", reference="v1", release="v2",
    base_run="b", cand_run="c", mode="sequential", counts={"wrong": Discordant(1, 2, 130)}, alpha=0.05, margin=None,
    outcome="SHIP", exit_code=0, waived={"kappa": "known \u2603"}, uncalibrated=True, certificate="certificate-1",
)  # fmt: skip
SCORE = Score(
    id="score-1", at="2026-03-01T00:00:00+00:00", run="r", grader="council/m+01234567", question_id="q1", version="v",
    scores={"accuracy": 8, "overall": 6.5, "safety": "safe", "clarity": None}, reason="read \u2603",
)  # fmt: skip
PURGE = Purge(id="purge-1", at="2026-03-04T00:00:00+00:00", by="ann", subject_sha256="s", rows={"labels": 3})
RUN = RunEntry(
    id="run-1", at="2026-03-01T00:00:00+00:00", name="first", path="/runs/first",
    manifest={"name": "first", "odd": ["\0", 0.1, None, {"z": 1, "a": 2}]},
)  # fmt: skip
