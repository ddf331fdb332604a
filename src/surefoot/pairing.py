"""The two sides of a comparison, and each answer of one beside the same answer of the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.measures import BUCKET_AXIS, Pair, Said
from surefoot.types import Problem, Question, Trace, Verdict

Key = tuple[str, int]  # question id, attempt
_MUST_BE_ALIKE = {"questions_sha256": "questions", "rubric_sha256": "rubric", "grader": "grader"}


class Side(Struct):
    """One of the two runs: its verdicts, and what else is known of it."""

    name: str
    verdicts: list[Verdict]
    questions: dict[str, Question] = {}
    traces: dict[Key, Trace] = {}
    identity: dict[str, str] = {}  # hashes of questions and rubric, and the grader
    graders: tuple[str, ...] = ()  # whose verdicts decide; everyone's when empty
    attempts: int = 1  # at each question
    problems: list[Problem] = []  # what of it could not be used

    def counted(self) -> Iterable[Verdict]:
        return (verdict for verdict in self.verdicts if not self.graders or verdict.grader in self.graders)


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
        return Said(verdicts, side.traces.get(key), elsewhere)

    return [
        Pair(*key, questions.get(key[0]), said(base, before.get(key, {}), key), said(cand, after.get(key, {}), key))
        for key in sorted(keys)
    ]


def _settled(side: Side) -> dict[Key, dict[str, Verdict]]:
    found: defaultdict[Key, defaultdict[str, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for verdict in side.counted():
        found[verdict.question_id, verdict.attempt][verdict.axis].append(verdict)
    return {key: {axis: _settle(verdicts) for axis, verdicts in axes.items()} for key, axes in found.items()}


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
