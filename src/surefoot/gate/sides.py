"""The two versions that are compared, each with all answers of all its runs.

What people said of the very same answer stands in for the grader's verdict on it. What a version lacks is ungraded
there and still counts, so nothing is gained by leaving something out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from surefoot.core import records
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import CANNOT_TELL, MOST_LOOKS, Agreed, Drawn, Label, is_annotator, is_person, whose
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.table import BUCKETS, SAFETY
from surefoot.core.types import HARMLESS, Passage, Problem, Question, Trace, Verdict, document_in, names
from surefoot.text import citations
from surefoot.text.normal import is_empty

SideName = Literal["base", "cand"]
SIDES: tuple[SideName, SideName] = ("base", "cand")
BUCKET_AXIS = "factuality"
PICKED: Final = "chosen"  # `via` of a label whose answer somebody picked
Key = tuple[str, int]  # question id, attempt
Place = tuple[Key, str]  # one axis of an answer
_WAYS: tuple[Drawn, ...] = ("sample", "flagged", "look", "again", PICKED)  # to be drawn, the fairest first


class Run(Struct):
    """One run, or one file of verdicts, as it was read."""

    name: str
    verdicts: list[Verdict]
    questions: dict[str, Question] = {}
    traces: dict[Key, Trace] = {}
    versions: dict[Key, str] = {}  # the key of what was said in each answer
    graders: tuple[str, ...] = ()  # whose verdicts decide; everyone's when empty
    council: str = ""  # whose scores count, on the axes of the council
    attempts: int = 1  # at each question
    uneven: bool = False  # at each question of a log there may be fewer
    problems: list[Problem] = []  # what of it could not be used
    rubric: str = ""  # sha256
    corpus: str = ""  # as records.corpus_of tells it
    deterministic: bool = False  # asked again it would answer alike
    partial: bool = False  # some questions were asked again
    words: dict[Key, Agreed] = {}  # what annotators say of the bucket of an answer
    skipped: frozenset[Key] = frozenset()  # answers that annotators saw, and gave no bucket
    labels: dict[Place, Verdict] = {}  # what annotators settled on, not the grader
    labelled_by: frozenset[str] = frozenset()

    @property
    def disputed(self) -> int:
        """Answers that annotators put into different buckets."""
        return sum(word.disputed for word in self.words.values())

    def counted(self) -> Iterable[Verdict]:
        return (verdict for verdict in self.verdicts if self._counts(verdict))

    def _counts(self, verdict: Verdict) -> bool:
        if verdict.axis.startswith(AXIS_PREFIX):
            return verdict.grader == self.council or not self.traces
        return not self.graders or verdict.grader in self.graders

    @property
    def is_by_people(self) -> bool:
        """True for a file in which nobody but people have said anything: it is exact."""
        return bool(self.verdicts) and not self.traces and all(is_person(one.grader) for one in self.verdicts)


class Said(Struct, frozen=True):
    """One answer, and what is said of it."""

    question_id: str
    attempt: int
    run: str  # id; "" for a file of verdicts
    verdicts: dict[str, Verdict]  # by axis: what people said, else what the grader did
    graded: dict[str, Verdict] = {}  # by axis: what the grader said
    trace: Trace | None = None
    key: str = ""  # the same for the same answer, in whichever run or version
    needs_bucket: bool = True  # False where nobody gave buckets, but this answer has other verdicts
    word: Agreed | None = None  # what annotators say of its bucket, be it that they cannot tell

    @property
    def asking(self) -> str:
        """Which of the version's answers to the question it is."""
        return f"{self.run}#{self.attempt}"

    @property
    def bucket(self) -> str | None:
        verdict = self.verdicts.get(BUCKET_AXIS)
        return verdict.value if verdict and isinstance(verdict.value, str) and verdict.value in BUCKETS else None

    @property
    def refused(self) -> bool:
        return self.bucket == "refused"

    @property
    def lacks_verdicts(self) -> bool:
        return self.bucket is None and self.needs_bucket

    @property
    def is_silent(self) -> bool:
        """True where nothing was answered; a file of verdicts does not tell."""
        trace = self.trace
        return bool(self.run) and (trace is None or trace.error is not None or is_empty(trace.answer or ""))

    def is_labelled(self, axis: str) -> bool:
        verdict = self.verdicts.get(axis)
        if verdict is None or verdict.value is None:
            return False
        return verdict is not self.graded.get(axis) or is_person(verdict.grader)


class Side(Struct, frozen=True):
    """A version: all its runs together."""

    name: str  # of the run it was called by
    runs: tuple[Run, ...]
    answers: dict[str, tuple[Said, ...]]  # by question
    key: str = ""  # tells answers apart whose words are not known

    @property
    def deterministic(self) -> bool:
        """True where all runs are declared so, and none of them answers otherwise."""
        return all(run.deterministic or run.is_by_people for run in self.runs) and not self.unsteady

    @property
    def unsteady(self) -> list[str]:
        """Questions to which a pipeline that was declared deterministic gave different answers."""
        asked = {run.name for run in self.runs if run.deterministic}
        keys = ((id, {one.key for one in some if one.run in asked}) for id, some in self.answers.items())
        return [id for id, given in keys if len(given) > 1]

    @property
    def attempts(self) -> int:
        """How often every question was asked; some may have been asked more often."""
        return min((len(said) for said in self.answers.values()), default=1)

    def all_answers(self) -> Iterator[Said]:
        return (said for answers in self.answers.values() for said in answers)


def apply_labels(run: Run, labels: Iterable[Label]) -> None:
    """Put the labels on the very answers of this run in place of its grader's verdicts.

    A file of verdicts does not tell the words of its answers: there a label is on its question and attempt.
    """
    places: defaultdict[Key | str, list[Key]] = defaultdict(list)
    for key in run.versions or {(one.question_id, one.attempt): "" for one in run.verdicts}:
        places[run.versions.get(key, key)].append(key)
    by_this_rubric = ("", run.rubric) if run.rubric else ()
    on = [((label.version if run.versions else (label.question_id, label.attempt)), label) for label in labels]
    fitting = [
        (place, label)
        for place, label in on
        if place in places and (not by_this_rubric or label.rubric_sha256 in by_this_rubric)
    ]
    people = [(place, label) for place, label in fitting if not records.is_called_like_a_grader(label.annotator)]
    if signed := len(fitting) - len(people):
        run.problems.append(Problem("note", f"labels under the name of a grader ({signed}) do not count", run.name))
    given: defaultdict[Place, list[Label]] = defaultdict(list)
    for place, label in people:
        for key in places[place]:
            given[key, label.axis].append(label)
    _settle_labels(run, given)


def labels_apart(run: Run) -> Run:
    """In a file of verdicts what people say is a label, as in a project, unless nobody else has said anything.

    So is what an AI says beside a grader; where there is no other, it is the grader.
    """
    if run.traces or run.graders or run.is_by_people:
        return run
    given: defaultdict[Place, list[Label]] = defaultdict(list)
    gives_labels = is_person if all(is_annotator(one.grader) for one in run.verdicts) else is_annotator
    for verdict in run.verdicts:
        if gives_labels(verdict.grader) and verdict.value is not None:
            given[(verdict.question_id, verdict.attempt), verdict.axis].append(records.as_label(verdict))
    rest = [verdict for verdict in run.verdicts if not gives_labels(verdict.grader)]
    apart = replace(run, verdicts=rest, labels={}, problems=[*run.problems])
    _settle_labels(apart, given)
    return apart


def _settle_labels(run: Run, given: Mapping[Place, Sequence[Label]]) -> None:
    """What they agree on counts; where they differ, the grader's verdict stays and the run notes it."""
    divided: defaultdict[str, list[str]] = defaultdict(list)
    for (key, axis), labels in sorted(given.items()):
        word = records.agreed(labels)
        if word is None:
            if axis == BUCKET_AXIS and any(records.why_passed_over(label) == records.SKIPPED for label in labels):
                run.skipped |= {key}
            continue
        run.labelled_by |= {label.annotator for label in labels}
        if axis == BUCKET_AXIS:
            run.words[key] = word
        if word.disputed and axis != BUCKET_AXIS:  # which every report says itself
            divided[axis].append(key[0])
        if word.value is None:
            continue
        # Drawn by chance for one person, it belongs to the sample, whatever brought it before another.
        like = next(label for label in labels if label.value == word.value)
        drawn = min((one.drawn for one in records.current(labels)), key=_WAYS.index, default=PICKED)
        run.labels[key, axis] = records.as_verdict(replace(like, question_id=key[0], attempt=key[1], drawn=drawn))
    for axis, ids in divided.items():
        who = whose(label.annotator for (_, of), labels in given.items() if of == axis for label in labels)
        message = f"{who} differ on {axis} of {names(list(dict.fromkeys(ids)))}: settle it on the look page"
        run.problems.append(Problem("note", message, run.name))


def side_of(runs: Sequence[Run], asked: Iterable[str], key: str = "") -> Side:
    """A version of its runs, with an answer to all that was asked, be it an empty one."""
    said = [said_in(run, key) for run in runs]
    answers = {
        id: tuple(found[id].get(attempt) or Said(id, attempt, _id(run), {}, key=_alone(run, key, (id, attempt)))
                  for run, found in zip(runs, said, strict=True) if not run.partial or id in run.questions
                  for attempt in records.attempts_in(found[id], run.attempts, run.uneven))
        for id in asked
    }  # fmt: skip
    return Side(runs[-1].name, tuple(runs), answers, key)


class Reading(Struct, frozen=True):
    """Answers to one question that say the same on the same evidence."""

    question: str
    key: str
    base: tuple[str, ...]  # the askings of the baseline that gave it, by run and attempt
    cand: tuple[str, ...]
    graded: str | None = None  # the grader's bucket
    sureness: float = 0.0  # of that
    label: str | None = None  # what people call it, or CANNOT_TELL; None: nobody has looked
    pending: str = ""  # what it was called once, where that counts only after a second look
    looks: int = MOST_LOOKS  # that called it what it is called

    @property
    def word(self) -> str | None:
        """What people call it so far."""
        return self.pending or self.label


def readings_of(base: Side, cand: Side, *, by_grader: bool = False) -> dict[str, list[Reading]]:
    """By question, what both versions said; what says the same on the same evidence is one reading.

    `by_grader` takes the grader's word for what people would say. What nobody can look at, nobody can tell.
    """
    found: dict[str, list[Reading]] = {}
    for id, answers in base.answers.items():
        by_key: defaultdict[str, tuple[list[Said], list[Said]]] = defaultdict(lambda: ([], []))
        for place, given in enumerate((answers, cand.answers[id])):
            for said in given:
                by_key["" if said.is_silent else said.key][place].append(said)
        found[id] = [_reading(id, key, *sides, by_grader=by_grader) for key, sides in by_key.items()]
    return found


def _reading(id: str, key: str, base: Sequence[Said], cand: Sequence[Said], *, by_grader: bool) -> Reading:
    said = next((one for one in (*base, *cand) if one.graded.get(BUCKET_AXIS)), (*base, *cand)[0])
    graded, word = said.graded.get(BUCKET_AXIS), next((one.word for one in (*base, *cand) if one.word), None)
    label, pending, looks = None, "", MOST_LOOKS
    if by_grader or (graded is not None and is_person(graded.grader)):
        label = said.bucket or CANNOT_TELL
    elif word is not None:
        label, pending, looks = str(word.value or CANNOT_TELL), str(word.pending or ""), word.looks
    elif said.is_silent:
        label = CANNOT_TELL
    return Reading(
        id, key, tuple(one.asking for one in base), tuple(one.asking for one in cand),
        None if graded is None or graded.value is None else str(graded.value),
        0.0 if graded is None or graded.unsure else graded.confidence or 0.0, label, pending, looks,
    )  # fmt: skip


def asked_of(base: Sequence[Run], cand: Sequence[Run]) -> tuple[dict[str, Question | None], list[str], list[str]]:
    """What both versions were asked, notes on the rest, and what only the first was asked, or in other words.

    A file of verdicts does not know its questions.
    """
    before, after = (_questions_of(runs) for runs in (base, cand))
    if not before or not after:
        graded = {one.question_id for run in (*base, *cand) for one in (*run.counted(), *run.labels.values())}
        known = before or after
        return {id: known.get(id) for id in sorted(graded | known.keys())}, [], []
    shared = {id: after[id] for id, one in sorted(before.items()) if id in after and _is_same(one, after[id])}
    if not shared:
        both, fields = before.keys() & after.keys(), _fields_apart(before, after)
        why = f"questions with the same id ({len(both)}) differ in {fields}" if both else "they share no question"
        message = f"{base[-1].name} and {cand[-1].name} cannot be compared: {why}"
        raise UsageError(message, "run both with the same questions")
    changed = sorted((before.keys() & after.keys()) - shared.keys())
    gone = sorted(before.keys() - after.keys())
    apart = {
        f"changed (in {_fields_apart(before, after)})": changed,
        "new": sorted(after.keys() - before.keys()),
        "gone": gone,
    }
    notes = [f"{len(ids)} {what}: {names(ids)}" for what, ids in apart.items() if ids]
    told = f"another question set: {len(shared)} questions are the same and are compared; " + "; ".join(notes)
    return dict(shared), [told] if notes else [], sorted((*gone, *changed))


def _is_same(one: Question, other: Question) -> bool:
    """What a user has noted on it beside changes no question."""
    return replace(one, metadata={}, stratum="") == replace(other, metadata={}, stratum="")


def _fields_apart(before: Mapping[str, Question], after: Mapping[str, Question]) -> str:
    """In which fields questions with the same id differ; those of a user's own by their names."""
    found: set[str] = set()
    for id in before.keys() & after.keys():
        one, other = ({**asdict(question), **question.metadata} for question in (before[id], after[id]))
        found |= {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    return ", ".join(sorted(found - {"metadata"}))


def _questions_of(runs: Sequence[Run]) -> dict[str, Question]:
    """What every run of a version was asked: a set may have grown between two of them."""
    known = [run.questions for run in runs if run.questions and not run.partial]
    first = known[-1] if known else {}
    return {id: question for id, question in first.items() if all(one.get(id) == question for one in known)}


def _id(run: Run) -> str:
    return run.name if run.traces else ""


def _alone(run: Run, side: str, key: Key) -> str:
    """A file of verdicts does not tell the words: each of its answers stands alone."""
    return f"{side}:{key[0]}:{_id(run)}:{key[1]}"


def said_in(run: Run, side: str) -> defaultdict[str, dict[int, Said]]:
    """By question and attempt."""
    graded: defaultdict[Key, defaultdict[str, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for verdict in run.counted():
        graded[verdict.question_id, verdict.attempt][verdict.axis].append(verdict)
    labels: defaultdict[Key, dict[str, Verdict]] = defaultdict(dict)
    for (key, axis), label in run.labels.items():
        labels[key][axis] = label
    axes = {axis for one in graded.values() for axis in one} | {axis for _, axis in run.labels}
    found: defaultdict[str, dict[int, Said]] = defaultdict(dict)
    for key in {*graded, *labels, *run.traces}:
        own = {axis: _settle(verdicts) for axis, verdicts in graded[key].items()}
        if of_council := own.get(f"{AXIS_PREFIX}{SAFETY}"):  # counts where no grader looked
            own.setdefault(SAFETY, of_council)
        verdicts = own | labels.get(key, {})
        elsewhere = BUCKET_AXIS not in axes and any(verdict.value is not None for verdict in verdicts.values())
        found[key[0]][key[1]] = Said(
            *key, _id(run), verdicts, own, run.traces.get(key), run.versions.get(key) or _alone(run, side, key),
            not elsewhere, run.words.get(key),
        )  # fmt: skip
    return found


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


def check_alike(base: Run, cand: Run) -> None:
    """Verdicts by different graders or rubrics say nothing about each other."""
    both = {"rubric": (base.rubric, cand.rubric), "grader": (base.graders, cand.graders)}
    differ = [name for name, (one, other) in both.items() if one and other and one != other]
    if base.council and cand.council and base.council != cand.council:
        message = f"{base.name} and {cand.name} cannot be compared: other reviewers or another rubric scored them"
        raise UsageError(message, f"score both at once: surefoot council runs {base.name} {cand.name} --reviewer MODEL")
    if differ and base.graders and cand.graders:  # a file does not say by what it was graded
        message = f"{base.name} and {cand.name} cannot be compared: they differ in {' and '.join(differ)}"
        raise UsageError(message, "grade both with the same rubric and grader")
    for run in (base, cand):
        if run.uneven:
            message = f"{run.name} cannot be compared: its log has more answers to some questions than to others"
            raise UsageError(message, "run both versions on one question set: surefoot run --questions FILE")
        if run.verdicts and not any(True for _ in run.counted()):
            raise Incomplete(f"{run.name} has no verdicts by its grader {', '.join(run.graders)}", "grade it again")


def document_of(question: Question, documents: Mapping[str, str]) -> str | None:
    """The document that a question is about, as far as it is known: by itself, or by its first gold passage."""
    said = question.group("doc") or question.group("document")
    if said or not question.gold_ids:
        return said or None
    gold = question.gold_ids[0]
    return documents.get(gold) or document_in(gold) or None


def documents_of(run: Run) -> dict[str, str]:
    """The document of each question of a run, as far as it is known."""
    passages = (passage for trace in run.traces.values() for passage in trace.retrieved or ())
    by_passage = {passage.id: passage.doc for passage in passages if passage.doc}
    found = ((id, document_of(question, by_passage)) for id, question in run.questions.items())
    return {id: document for id, document in found if document}


def cited_in(trace: Trace, question: Question | None) -> tuple[str, ...]:
    """The ids that an answer cites, in a field of its own and in its text."""
    known = trace.names, question.gold_ids if question else (), trace.retrieved or ()
    listed = citations.resolve(trace.citations or (), *known)
    return tuple(dict.fromkeys((*listed, *(citations.parse(trace.answer or "", *known) or ()))))


def cited_by(said: Said, question: Question | None) -> list[Passage]:
    """The passages an answer cites, as far as its log has them."""
    cited = cited_in(said.trace, question) if said.trace else ()
    return [passage for passage in said.trace.sources if passage.id in cited] if said.trace else []


SELF_CHECK = "self_check"
_OF_FILES = frozenset({"unreadable", "malformed"})


def failed_checks(runs: Iterable[Run]) -> dict[str, str]:
    """What graders misread of answers of known label, by grader, as far as their verdicts count."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for verdict in failed(run):
            found.setdefault(verdict.grader, {})[verdict.self_check] = None
    return {grader: "; ".join(words) for grader, words in found.items()}


def failed(run: Run) -> Iterator[Verdict]:
    """The verdicts that came with a failed self-check, but for those that a person's label stands in for."""
    for verdict in run.counted():
        is_labelled = ((verdict.question_id, verdict.attempt), verdict.axis) in run.labels
        if verdict.self_check and verdict.value is not None and not is_labelled:
            yield verdict


def unusable(runs: Iterable[Run]) -> list[str]:
    """Why the runs themselves are not complete, whatever the rules say."""
    reasons = []
    for run in runs:
        serious = [problem for problem in run.problems if problem.kind not in HARMLESS]
        whole_files = [problem for problem in serious if problem.kind in _OF_FILES and problem.line is None]
        if count := len(serious) - len(whole_files):
            reasons.append(f"{count} row{'s' * (count > 1)} of {run.name} could not be used")
        reasons += map(str, whole_files)
        strange = {verdict.question_id for verdict in run.counted()} - run.questions.keys()
        if run.questions and strange:
            reasons.append(f"{len(strange)} graded question{'s' * (len(strange) > 1)} not in the question set")
    return reasons


def graders_of(runs: Iterable[Run]) -> set[str]:
    """Who gave the verdicts; a council gives none, but scores beside them."""
    return {one.grader for run in runs for one in run.counted() if not one.axis.startswith(AXIS_PREFIX)}
