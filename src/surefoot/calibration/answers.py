"""Verdicts and labels on the same answers, side by side.

A label belongs to the answer whose version it has; where versions are not known, to its question and attempt.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.intervals import Member
from surefoot.core.records import (
    BY_CHOICE,
    CANNOT_TELL,
    Label,
    PassedOver,
    Value,
    as_label,
    current,
    is_annotator,
    is_settler,
    passed_over,
    settled,
    whose,
    why_passed_over,
)
from surefoot.core.types import Problem, Verdict

FACTUALITY = "factuality"
_FLAGGED = ("wrong", "unsupported", None)  # what is put before people first
_NO_ANSWER = frozenset({"missing", "error", "empty"})  # reasons of the decision table for which there is no bucket
_NAMED = 50

Place = tuple[str, int]  # question and attempt
Answers = Mapping[str, Sequence["Answer"]]  # by axis


class Answer(NamedTuple):
    """One axis of one answer: what the grader says, and what people say."""

    question_id: str
    attempt: int
    verdict: Value  # None: ungraded
    label: Value = None  # None: nobody has labelled it, or no value has most votes
    votes: Mapping[str, Value] = {}
    chosen: bool = False  # picked for what it would decide, not drawn by chance
    flagged: bool | None = None  # None: the verdicts have no factuality
    confidence: float | None = None
    passed_over: PassedOver | None = None  # that people saw it and skipped it, or cannot tell, and nobody labelled it
    unsure: int = 0  # annotators who say that they cannot tell
    run: int = 1  # which of several
    document: str = ""  # that the question is about; "" where nobody knows, and it stands for itself

    @property
    def member(self) -> Member:
        return self.document or f"?{self.question_id}", self.question_id

    @property
    def independent(self) -> Mapping[str, Value]:
        """The votes of annotators who did not see what others say."""
        return {who: value for who, value in self.votes.items() if not is_settler(who)}

    @property
    def is_disputed(self) -> bool:
        return bool(self.votes) and self.label is None


class Graded(Struct):
    """The verdicts of one grader in one run or file, and the labels on its answers."""

    verdicts: Sequence[Verdict]
    labels: Sequence[Label] = ()
    versions: Mapping[Place, str] = {}
    documents: Mapping[str, str] = {}  # by question
    id: str = ""  # of the run, as its labels have it
    name: str = ""
    problems: list[Problem] = []


class Joined(Struct):
    """The answers of each axis, of one run or of several."""

    grader: str
    axes: dict[str, list[Answer]] = {}
    people: set[str] = set()
    problems: list[Problem] = []
    seen: set[str] = set()  # versions: the same answer again is no news
    runs: tuple[str, ...] = ()  # what they are called

    @property
    def labelled(self) -> int:
        """Answers that people put into a bucket."""
        return sum(answer.label is not None for answer in self.axes.get(FACTUALITY, ()))

    def tell(self, message: str, kind: str = "note") -> None:
        self.problems.append(Problem(kind, message))


def by_people(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], list[Label]]:
    """Verdicts of graders, and those of annotators as the labels they are."""
    rows = list(verdicts)
    labels = [as_label(verdict) for verdict in rows if is_annotator(verdict.grader)]
    return [verdict for verdict in rows if not is_annotator(verdict.grader)], labels


def is_without_text(verdict: Verdict) -> bool:
    """Whether there is no answer to put into a bucket."""
    return verdict.value is None and verdict.reason in _NO_ANSWER


def join(runs: Sequence[Graded], labelled: Mapping[str, set[str]] | None = None) -> Joined:
    """The verdicts of one grader, each with the labels on its answer. `labelled` are the versions of all labelled
    answers by run, for runs that are not among these.

    Labels of another run are a sample of these answers only if every answer labelled there came again here. An answer
    that was drawn elsewhere and happens to be given here too is known, but it is no sample.
    """
    graders = sorted({verdict.grader for run in runs for verdict in run.verdicts})
    if len(graders) > 1:
        raise ValueError(f"verdicts of one grader are calibrated at a time, not of {', '.join(graders)}")
    joined = Joined(grader=graders[0] if graders else "")
    here = {version for run in runs for version in run.versions.values()}
    elsewhere = {run for run, versions in (labelled or {}).items() if versions <= here}
    drawn_from = {"", *(run.id for run in runs), *elsewhere}
    for number, run in enumerate(runs, 1):
        labels = [label if label.run in drawn_from else replace(label, drawn="chosen") for label in run.labels]
        joined.problems += run.problems
        _add(joined, number, run, labels)
    # Labels drawn elsewhere that all came again here were drawn from every run that gives their answers.
    own = [any(_is_drawn(label) and label.run in {run.id, *elsewhere} for label in run.labels) for run in runs]
    for run, has_own in zip(runs, own, strict=True):
        if any(own) and not has_own:
            rests = "no label was drawn from its answers, so what is said of them rests on those of the other runs"
            joined.tell(f"{run.name}: {rests}")
    return joined


def _is_drawn(label: Label) -> bool:
    return label.value is not None and label.drawn not in BY_CHOICE


def _add(joined: Joined, number: int, run: Graded, labels: Sequence[Label]) -> None:
    kept = _worth_labelling(run, joined)
    places = {(verdict.question_id, verdict.attempt) for verdict in kept}
    votes = _by_answer([*current(labels), *passed_over(labels)], places, run, joined)
    flagged = {(v.question_id, v.attempt): v.value in _FLAGGED for v in kept if v.axis == FACTUALITY}
    for verdict in kept:
        place = (verdict.question_id, verdict.attempt)
        bare = Answer(
            *place, verdict.value, flagged=flagged.get(place), confidence=verdict.confidence,
            run=number, document=run.documents.get(place[0], ""),
        )  # fmt: skip
        answer = _answer(bare, verdict.axis, votes.pop((place, verdict.axis), []), joined)
        joined.axes.setdefault(verdict.axis, []).append(answer)
    for axis, count in Counter(axis for _, axis in votes).items():
        joined.tell(f"{axis}: labels on answers without a verdict on it ({count}) are not used")


def _worth_labelling(run: Graded, joined: Joined) -> list[Verdict]:
    """Without answers that have no text, and with each of those that are word for word the same once."""
    silent = {(v.question_id, v.attempt) for v in run.verdicts if is_without_text(v)}
    if silent:
        joined.tell(f"answers that are missing, empty or errors ({len(silent)}) are in no bucket and in no rate")
    first: dict[str, Place] = {}
    copies: set[Place] = set()
    for place in dict.fromkeys((verdict.question_id, verdict.attempt) for verdict in run.verdicts):
        version = run.versions.get(place, "")
        if version and place not in silent and (version in joined.seen or first.setdefault(version, place) != place):
            copies.add(place)
    joined.seen |= first.keys()
    if copies:
        joined.tell(f"answers word for word like another one to the same question ({len(copies)}) count once with it")
    return [v for v in run.verdicts if (v.question_id, v.attempt) not in silent | copies]


def _by_answer(
    labels: Iterable[Label], places: set[Place], run: Graded, joined: Joined
) -> dict[tuple[Place, str], list[Label]]:
    """Labels by answer and axis. Those on answers without any verdict are named."""
    by_version = {run.versions[place]: place for place in places if place in run.versions}
    aside = {(verdict.question_id, verdict.attempt) for verdict in run.verdicts} - places
    found: defaultdict[tuple[Place, str], list[Label]] = defaultdict(list)
    strangers, textless = set[Place](), set[Place]()
    for label in labels:
        own = (label.question_id, label.attempt)
        place = by_version.get(label.version) if run.versions and label.version else own
        if place in places:
            found[place, label.axis].append(label)
        elif not label.version or label.version not in joined.seen:
            (textless if own in aside else strangers).add(own)
    if textless:
        joined.tell(f"labels on answers that are missing, empty or errors ({len(textless)}) are not used")
    for question_id, attempt in sorted(strangers)[:_NAMED]:
        which = f"question {question_id!r} (attempt {attempt})"
        joined.tell(f"{which} has a label, and no verdict on the answer labelled", "unknown_question")
    if len(strangers) > _NAMED:
        joined.tell(f"{len(strangers)} answers in all have labels and no verdict", "unknown_question")
    return dict(found)


def _answer(answer: Answer, axis: str, rows: Sequence[Label], joined: Joined) -> Answer:
    """The answer with what people say of it."""
    given = [label for label in rows if label.value is not None]
    passed = [why for label in rows if (why := why_passed_over(label))]
    answer = answer._replace(unsure=passed.count(CANNOT_TELL))
    if not given:
        return answer._replace(passed_over=min(passed, default=None))  # who cannot tell says more than who skipped it
    where = f"question {answer.question_id!r} (attempt {answer.attempt}), {axis}"
    votes: dict[str, Value] = {}
    against = set()
    for label in given:
        said = votes.setdefault(label.annotator, label.value)
        if said != label.value:
            against.add(label.annotator)
            both = f"{said!r} and {label.value!r}; neither is used"
            joined.tell(f"{where}: {label.annotator} says {both}", "contradicting_label")
    votes = {who: value for who, value in votes.items() if who not in against}
    value = settled(votes.items())
    if votes and value is None:
        each = ", ".join(f"{who} {one!r}" for who, one in sorted(votes.items()))
        joined.tell(f"{where}: {whose(votes)} are divided ({each}); it counts as not labelled", "tie")
    joined.people |= votes.keys()
    # Drawn by chance for one person, it belongs to the sample, whatever brought it before another.
    return answer._replace(label=value, votes=votes, chosen=all(label.drawn in BY_CHOICE for label in given))
