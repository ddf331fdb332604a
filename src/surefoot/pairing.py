"""The two sides of a comparison, and each answer of one beside the same answer of the other.

What people said of the very same answer stands in for the grader's verdict on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.measures import BUCKET_AXIS, Pair, Said
from surefoot.records import (
    PEOPLE,
    Label,
    as_verdict,
    by_answer,
    is_annotator,
    is_called_like_a_grader,
    settled,
    version_of,
    whose,
)
from surefoot.types import Problem, Question, Trace, Verdict

Key = tuple[str, int]  # question id, attempt
_MUST_BE_ALIKE = {"questions_sha256": "questions", "rubric_sha256": "rubric", "grader": "grader"}


class Side(Struct, dict=True):
    """One of the two runs: its verdicts, and what else is known of it."""

    name: str
    verdicts: list[Verdict]
    questions: dict[str, Question] = {}
    traces: dict[Key, Trace] = {}
    identity: dict[str, str] = {}  # hashes of questions and rubric, and the grader
    graders: tuple[str, ...] = ()  # whose verdicts decide; everyone's when empty
    attempts: int = 1  # at each question
    problems: list[Problem] = []  # what of it could not be used
    rubric: str = ""  # sha256
    corpus: str = ""  # as records.corpus_of tells it
    labels: dict[tuple[Key, str], Verdict] = {}  # by answer and axis: what annotators settled on, not the grader
    labelled_by: frozenset[str] = frozenset()  # whose labels these are
    labelled_beside: tuple[str, ...] = ()  # runs whose labels go into the same certificate
    picked: set[tuple[Key, str]] = set()  # those of them on answers that somebody went to, which chance did not draw

    def counted(self) -> Iterable[Verdict]:
        return (verdict for verdict in self.verdicts if not self.graders or verdict.grader in self.graders)

    @cached_property
    def versions(self) -> Mapping[Key, str]:
        """Of each answer whose question is known."""
        asked = self.questions
        return {key: version_of(asked[key[0]], trace) for key, trace in self.traces.items() if key[0] in asked}

    @property
    def varies(self) -> bool:
        """True when the same question got different answers: the pipeline is not deterministic."""
        first: dict[str, str | None] = {}
        answered = (trace for trace in self.traces.values() if trace.error is None)
        return any(first.setdefault(str(trace.question_id), trace.answer) != trace.answer for trace in answered)


def stand_in(side: Side, labels: Iterable[Label]) -> None:
    """Put the labels on the very answers of this side in place of its grader's verdicts.

    What most of them say counts; where they are divided, the verdict stays and the side notes it.
    """
    mine = set(side.versions.values())
    by_this_rubric = ("", side.rubric) if side.rubric else ()
    fitting = [
        label
        for label in labels
        if label.version in mine and (not by_this_rubric or label.rubric_sha256 in by_this_rubric)
    ]
    people = [label for label in fitting if not is_called_like_a_grader(label.annotator)]
    if signed := len(fitting) - len(people):
        side.problems.append(Problem("note", f"labels under the name of a grader ({signed}) do not count", side.name))
    found = by_answer(people)
    axes = sorted({axis for _, axis in found})
    divided: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for key, version in sorted(side.versions.items()):
        for axis in axes:
            given = found.get((version, axis), [])
            value = settled(label.value for label in given)
            if value is not None:
                label = next(label for label in given if label.value == value)
                said = replace(label, question_id=key[0], attempt=key[1])
                side.labels[key, axis] = as_verdict(said)
                side.labelled_by |= {label.annotator for label in given}
                side.picked |= {(key, axis)} if all(one.drawn == "chosen" for one in given) else set()
            elif given:
                divided[axis][key[0]] = None
    for axis, questions in divided.items():
        who = whose(label.annotator for label in people if label.axis == axis)
        message = f"{who} are divided on {axis} of {', '.join(questions)}: the grader's verdict stays"
        side.problems.append(Problem("note", message, side.name))


def with_labels_apart(base: Side, cand: Side) -> tuple[Side, Side]:
    """In files of verdicts what people say is a label, as in the ledger, unless nobody else has said anything."""
    if all(is_annotator(verdict.grader) for side in (base, cand) for verdict in side.verdicts):
        return base, cand
    return _labels_apart(base), _labels_apart(cand)


def _labels_apart(side: Side) -> Side:
    if side.traces or side.graders:  # a run: its grader decides, and its labels are in the ledger
        return side
    said: defaultdict[tuple[Key, str], list[Verdict]] = defaultdict(list)
    for verdict in side.verdicts:
        if is_annotator(verdict.grader):
            said[(verdict.question_id, verdict.attempt), verdict.axis].append(verdict)
    labels = dict(side.labels)
    for place, given in said.items():
        if (value := settled(verdict.value for verdict in given)) is not None:
            labels[place] = next(verdict for verdict in given if verdict.value == value)
    who = frozenset(v.grader.removeprefix(PEOPLE) for place in labels for v in said.get(place, ()))
    # What annotators are divided on stays among the verdicts, as one more that disagrees.
    rest = [
        v for v in side.verdicts if not is_annotator(v.grader) or ((v.question_id, v.attempt), v.axis) not in labels
    ]
    return replace(side, verdicts=rest, labels=labels, labelled_by=side.labelled_by | who)


def check_alike(base: Side, cand: Side) -> None:
    known = [key for key in _MUST_BE_ALIKE if base.identity.get(key) and cand.identity.get(key)]
    differ = [_MUST_BE_ALIKE[key] for key in known if base.identity[key] != cand.identity[key]]
    shared = base.questions.keys() & cand.questions.keys()
    if "questions" not in differ and any(base.questions[id] != cand.questions[id] for id in shared):
        differ.insert(0, "questions")
    if differ:
        raise UsageError(
            f"{base.name} and {cand.name} cannot be compared: they differ in {' and '.join(differ)}",
            "run and grade both with the same questions, rubric and grader",
        )
    for side in (base, cand):
        if side.verdicts and not any(True for _ in side.counted()):
            raise Incomplete(f"{side.name} has no verdicts by its grader {', '.join(side.graders)}", "grade it again")


def pairs_of(base: Side, cand: Side) -> list[Pair]:
    """Every answer that either side has or should have, in an order of its own."""
    questions = {**cand.questions, **base.questions}
    before, after = _settled(base), _settled(cand)
    attempts = range(1, max(base.attempts, cand.attempts) + 1)
    keys = {*before, *after, *base.traces, *cand.traces, *((id, attempt) for id in questions for attempt in attempts)}
    bucketed = any(BUCKET_AXIS in axes for answers in (before, after) for axes in answers.values())

    def said(side: Side, verdicts: dict[str, Verdict], key: Key) -> Said:
        elsewhere = not bucketed and any(verdict.value is not None for verdict in verdicts.values())
        return Said(verdicts, side.traces.get(key), elsewhere, side.versions.get(key, ""))

    return [
        Pair(*key, questions.get(key[0]), said(base, before.get(key, {}), key), said(cand, after.get(key, {}), key))
        for key in sorted(keys)
    ]


def _settled(side: Side) -> dict[Key, dict[str, Verdict]]:
    found: defaultdict[Key, defaultdict[str, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for verdict in side.counted():
        found[verdict.question_id, verdict.attempt][verdict.axis].append(verdict)
    one = {key: {axis: _settle(verdicts) for axis, verdicts in axes.items()} for key, axes in found.items()}
    for (key, axis), label in side.labels.items():
        one.setdefault(key, {})[axis] = label
    return one


def _settle(verdicts: list[Verdict]) -> Verdict:
    """One verdict out of several: theirs where the graders agree, none where they do not."""
    if len(verdicts) == 1:
        return verdicts[0]
    given = sorted((verdict for verdict in verdicts if verdict.value is not None), key=repr)
    if not given:
        return min(verdicts, key=repr)
    if len({verdict.value for verdict in given}) == 1:
        return given[0]
    said = " and ".join(dict.fromkeys(f"{verdict.grader or 'a row'} says {verdict.value}" for verdict in given))
    return replace(given[0], value=None, reason=f"the verdicts disagree: {said}", evidence=(), confidence=None)
