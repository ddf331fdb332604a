"""What `calibrate` finds out; `--json` prints it under these names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from surefoot.core.errors import ExitCode
from surefoot.core.records import Interval
from surefoot.core.result import Result
from surefoot.core.types import HARMLESS, Problem

UNGRADED = "ungraded"
# Why nothing can be said of an axis that has labels.
DIVIDED = "whoever labelled is divided on every answer"
PICKED = "no label was drawn by chance, all were picked"
NO_VERDICT = "the grader gave no verdict on any answer"
NOTHING_SAID = (DIVIDED, PICKED, NO_VERDICT)
_HARMLESS = HARMLESS | {"tie"}
MEAN = "mean"  # what stands in the place of a bucket where an axis is a number
Method = Literal["counted", "post-stratified", "labels alone"]
Table = dict[str, dict[str, int]]


class Rate(Struct, frozen=True, kw_only=True):
    """A rate or mean as people would have it, and as the grader has it (`graded`). None where nobody can say."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: Method
    graded: float | None = None
    warning: str = ""


class Bucket(Struct, frozen=True, kw_only=True):
    """How many answers of a bucket the grader finds, and how many others it rightly leaves out."""

    sensitivity: Interval | None = None
    specificity: Interval | None = None
    reason: str = ""


class Differing(Struct, frozen=True, kw_only=True):
    """An answer that the grader put into another bucket than whoever labelled it."""

    question_id: str
    attempt: int
    run: str  # "" for a file of verdicts
    graded: str
    label: str
    confidence: float | None = None


class AxisCalibration(Struct, frozen=True, kw_only=True):
    """One axis: how the grader and the labels agree, and what rates whoever labelled would count.

    `table[verdict][label]` counts answers drawn by chance, `chosen` those that were picked; `answers` all by verdict.
    Answers on which people are `divided` count as not labelled.
    """

    n: int
    divided: int = 0
    kappa: Interval | None = None
    kappa_reason: str = ""
    agreement: float | None = None  # of grader and labels, as a share of the answers
    between_people: float | None = None  # the share of pairs of annotators who gave one answer the same label
    per_bucket: dict[str, Bucket] = {}
    corrected: dict[str, Rate] = {}
    table: Table = {}
    chosen: Table = {}
    answers: dict[str, int] = {}
    annotators: tuple[str, ...] = ()
    labelled_by: str = ""  # people, AI annotators, or both
    explanation: str
    labels_needed: str = ""
    notes: tuple[str, ...] = ()


class Calibration(Result, frozen=True, kw_only=True):
    """First what whoever ships has to know; all the rest is detail."""

    headline: str = ""  # the next two in words, with whose labels they rest on
    accepted_but_bad: Interval | None = None  # of the answers that the grader calls acceptable
    bad_caught: Interval | None = None  # of the bad ones
    skipped: int = 0  # answers that people saw and skipped
    cannot_tell: int = 0  # answers of which somebody says that they cannot tell, whether another labelled them or not
    skipped_note: str = ""
    axes: dict[str, AxisCalibration]
    grader: str
    rubric_sha256: str = ""
    corpus: str = ""  # what corpus_of says of a run; "" where it is not known
    labels: int  # answers that were put into a bucket
    runs: tuple[str, ...] = ()  # on whose answers
    differ: tuple[Differing, ...] = ()  # the surest verdicts first
    annotators: tuple[str, ...]
    labelled_by: str = ""  # people, AI annotators, or both
    problems: tuple[Problem, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        is_whole = all(problem.kind in _HARMLESS for problem in self.problems)
        return ExitCode.OK if is_whole and not self.nothing_said else ExitCode.INCOMPLETE

    @property
    def nothing_said(self) -> str:
        """Why nothing could be calibrated, where that is so."""
        if any(axis.kappa_reason not in NOTHING_SAID for axis in self.axes.values()):
            return ""
        reasons = "; ".join(dict.fromkeys(axis.kappa_reason for axis in self.axes.values()))
        return f"nothing could be calibrated: {reasons or 'no label is on an axis that was graded'}"

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rate of each bucket on each axis, by the grader and corrected."""
        axes = self["axes"].items()
        return [{"axis": name, "bucket": at, **rate} for name, one in axes for at, rate in one["corrected"].items()]
