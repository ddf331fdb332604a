"""How far a grader can be trusted: its verdicts against people's labels. Pure: no files, no clock, fixed seeds.

Labels are drawn by verdict and by whether the grader is sure, so the labels on each such group of answers stand for all
answers in it. Answers are counted, not distinct answers: one given in three runs counts three times, and one label
covers all three. Answers to one question go together, so labels tell no more than so many questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from surefoot.core.draws import Numbers, covering, drawn_shares, jeffreys
from surefoot.core.errors import ExitCode
from surefoot.core.records import BAD, BY_CHOICE, Interval, Value, bare_name, is_person, whose, whose_by_name
from surefoot.core.result import Result
from surefoot.core.rubric import AXIS_PREFIX, Axis, Rubric
from surefoot.core.types import HARMLESS, Passage, Problem, Question, counted, names
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import BUCKET_AXIS, Run, Said, Side, cited_by, graders_of, said_in

ENOUGH, _FEW = 50, 10  # labels in all, and of a kind
_NO_SPREAD = 1e-9
Hit = Callable[[str, str], bool]  # of a verdict and a label
_NO_TEXT = frozenset({"missing", "error", "empty"})  # reasons for which there is no answer to label
# Why nothing can be said of an axis that people have looked at.
UNSETTLED = "no answer has a label that annotators agree on"
PICKED = "no label was drawn by chance, as `surefoot label RUN` draws them"
NO_VERDICT = "the grader gave no verdict on any answer"


class Answer(NamedTuple):
    """One axis of one answer: what the grader says, and what people say."""

    said: Said
    verdict: str
    label: str | None = None
    is_drawn: bool = False  # by chance; a label that was picked, or given in a look, speaks for its answer alone
    unsure: bool = False  # of the grader
    flagged: bool = False  # labels on every axis are drawn by whether the bucket is bad


def answers_of(said: Iterable[Said], axis: str = BUCKET_AXIS) -> list[Answer]:
    """Return the answers that a grader, not a person, has judged on an axis."""
    found = []
    for one in said:
        graded, bucket = one.graded.get(axis), one.graded.get(BUCKET_AXIS)
        if graded is None or is_person(graded.grader) or is_without_text(one):
            continue
        label = one.verdicts[axis] if one.is_labelled(axis) else None
        found.append(Answer(
            one, named(graded.value), None if label is None else named(label.value),
            label is not None and label.via not in BY_CHOICE, graded.unsure,
            bucket is not None and bucket.value not in ("correct", "refused"),
        ))  # fmt: skip
    return found


def is_without_text(said: Said) -> bool:
    bucket = said.graded.get(BUCKET_AXIS)
    return bucket is not None and bucket.value is None and bucket.reason in _NO_TEXT


def named(value: Value) -> str:
    return UNGRADED if value is None else f"{value:g}" if isinstance(value, float) else str(value)


class Group(NamedTuple):
    """Answers with one verdict that had the same chance to be labelled."""

    verdict: str
    unsure: bool
    flagged: bool
    known: bool  # all of them were picked: nothing is inferred from them
    answers: int
    labels: Mapping[str, int]
    questions: int  # of the labelled answers


class Sample(Struct, frozen=True):
    """All answers in groups, and the number of different questions."""

    groups: tuple[Group, ...]
    questions: int

    def share(
        self, hit: Hit, inside: Callable[[Group], bool] = lambda _: True, *, of_hits: bool = False, mean: bool = False
    ) -> Interval | None:
        """Return the share of answers in some groups whose verdict and label are a hit, with its 95 % interval.

        `of_hits`: the share of all hits that lies in these groups. None where no label tells. The value is what the
        labels say, each group weighed by its size, or the `mean` of what may be true. Where every answer is labelled
        it is counted, and the interval is Jeffreys' for further answers like these.
        """
        n, m, k = self._counted(hit)
        rows = np.array([inside(group) for group in self.groups], dtype=bool)
        above, below = _parts(n * (m > 0), k / np.maximum(m, 1), rows, of_hits)
        if not below:
            return None
        value, ways = float(above / below), list[Numbers]()
        for weights, shares in self._drawn(hit, n, m, k) if (n > m).any() else ():
            parts, wholes = _parts(weights, shares, rows, of_hits)
            ways.append(np.divide(parts, wholes, out=np.full_like(parts, 0.5), where=wholes > 0))
        if ways and np.ptp(ways) > _NO_SPREAD:
            value = float(ways[0].mean()) if mean else value
            low, high = covering(ways)
        else:  # all is counted, or no draw can change it, as where the grader never uses a bucket
            above, below = (part * self.questions / n.sum() for part in _parts(m, k / np.maximum(m, 1), rows, of_hits))
            low, high = jeffreys(float(above), float(below))
        return Interval(value, max(0.0, min(low, value)), min(1.0, max(high, value)))

    def _counted(self, hit: Hit) -> tuple[Numbers, Numbers, Numbers]:
        """Return by group the number of answers, of labelled ones, and of hits."""
        n, m = ([one.answers for one in self.groups], [sum(one.labels.values()) for one in self.groups])
        k = [sum(n for label, n in one.labels.items() if hit(one.verdict, label)) for one in self.groups]
        return np.array(n, dtype=float), np.array(m, dtype=float), np.array(k, dtype=float)

    def _drawn(self, hit: Hit, n: Numbers, m: Numbers, k: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Draw the size of each group and its share of hits, by as many labels as there are questions.

        Groups whose verdicts say the same share one guess of 1/2 by their size, or a rare bucket would look common
        because there are many other verdicts.
        """
        own = np.array([hit(group.verdict, group.verdict) for group in self.groups], dtype=bool)
        guess = 0.5 * n / np.where(own, n[own].sum(), n[~own].sum())
        each = np.array([group.questions for group in self.groups]) / np.maximum(m, 1)
        weights, ways = drawn_shares(n * self.questions / n.sum(), m * each, k * each, guess)
        known = np.array([group.known for group in self.groups], dtype=bool)
        for shares in ways:
            yield weights, np.where(known, k / np.maximum(m, 1), shares)

    def kappa(self) -> float | None:
        """Return Cohen's kappa, each group weighed by its size; None where only one value was ever used."""
        verdicts, labels, agree = Counter[str](), Counter[str](), 0.0
        for one in self.groups:
            for label, count in one.labels.items():
                weight = one.answers * count / sum(one.labels.values())
                verdicts[one.verdict] += weight  # type: ignore[assignment]
                labels[label] += weight  # type: ignore[assignment]
                agree += weight * (one.verdict == label)
        if len(verdicts | labels) < 2:
            return None
        total = sum(labels.values())
        by_chance = sum(verdicts[value] * labels[value] for value in labels) / total**2
        return (agree / total - by_chance) / (1 - by_chance)


def sample_of(answers: Sequence[Answer]) -> Sample:
    """Return the answers in groups. Where every one is labelled, none was picked before another."""
    some_left = any(one.label is None for one in answers)
    parts: defaultdict[tuple[str, bool, bool, bool], list[Answer]] = defaultdict(list)
    for one in answers:
        parts[group_of(one, some_left)].append(one)
    groups = []
    for key, part in sorted(parts.items()):
        labelled = [one for one in part if one.label is not None]
        labels = Counter(str(one.label) for one in labelled)
        groups.append(Group(*key, len(part), labels, len({one.said.question_id for one in labelled})))
    return Sample(tuple(groups), len({one.said.question_id for one in answers}))


def group_of(one: Answer, some_left: bool = True) -> tuple[str, bool, bool, bool]:
    return one.verdict, one.unsure, one.flagged, some_left and one.label is not None and not one.is_drawn


def _parts(weights: Numbers, shares: Numbers, rows: NDArray[np.bool_], of_hits: bool) -> tuple[Numbers, Numbers]:
    """Return what lies above and below the fraction line."""
    hits = weights * shares
    below = hits if of_hits else weights[..., rows]
    return np.asarray(hits[..., rows].sum(axis=-1)), np.asarray(below.sum(axis=-1))


def false_correct(sample: Sample) -> Interval | None:
    """Return how many of the answers that the grader calls correct are not."""
    return sample.share(lambda _, label: label != "correct", lambda group: group.verdict == "correct")


def bad_found(sample: Sample) -> Interval | None:
    """Return how many of the bad answers the grader calls bad."""
    return sample.share(lambda _, label: label in BAD, lambda group: group.verdict in BAD, of_hits=True)


class Trust(Struct, frozen=True):
    """Who gave the verdicts, and what people's labels say of them."""

    graders: tuple[str, ...] = ()
    by_people: bool = False  # nobody but people
    labels: int = 0  # different answers that people have put into a bucket
    drawn: int = 0  # those of them that chance drew
    annotators: tuple[str, ...] = ()
    disputed: int = 0  # answers that they put into different buckets
    false_correct: Interval | None = None  # of the answers that the grader calls correct
    bad_found: Interval | None = None  # of the bad ones
    two_numbers: tuple[str, ...] = ()  # these, in words


def trust_in(side: Side) -> Trust:
    """Return how far the verdicts on a version can be trusted."""
    runs = side.runs
    graders = graders_of(runs) or {verdict.grader for run in runs for verdict in run.counted()}
    answers = answers_of(side.all_answers())
    labelled = [one for one in answers if one.label is not None]
    sample = sample_of(answers) if any(one.is_drawn for one in labelled) or len(labelled) == len(answers) else None
    return Trust(
        tuple(sorted(graders)), by_people=bool(graders) and all(map(is_person, graders)),
        labels=len({one.said.key for one in labelled}),
        drawn=len({one.said.key for one in labelled if one.is_drawn}),
        annotators=tuple(sorted({name for run in runs for name in run.labelled_by})),
        disputed=sum(run.disputed for run in runs), false_correct=(false := false_correct(sample) if sample else None),
        bad_found=(bad := bad_found(sample) if sample else None), two_numbers=tuple(two_numbers(answers, false, bad)),
    )  # fmt: skip


def in_words(trust: Trust) -> str:
    """Return how far the grader can be trusted, in one sentence for every report."""
    if trust.by_people:
        return f"people gave the verdicts ({', '.join(map(bare_name, trust.graders))})"
    who = f"the grader {' and '.join(filter(None, trust.graders)) or 'without a name'}"
    if not trust.drawn:
        chosen = f"; {counted(trust.labels, 'answer')} labelled by choice, which tells nothing of the others"
        picked = chosen if trust.labels else ""
        return f"{who}: nobody has labelled a random sample of its answers, so how often it errs is not known{picked}"
    were = f"{counted(trust.labels, 'answer')} {'was' if trust.labels == 1 else 'were'}"
    told = [f"{who}: {were} labelled by {whose_by_name(trust.annotators)}"]
    told += [f"they put {counted(trust.disputed, 'answer')} into different buckets"] if trust.disputed else []
    return "; ".join([*told, *trust.two_numbers])


def two_numbers(answers: Sequence[Answer], false: Interval | None, found: Interval | None) -> Iterator[str]:
    """Yield what whoever relies on a grader needs to know, or that too few labels tell it."""
    called = len({one.said.key for one in answers if one.label is not None and one.verdict == "correct"})
    bad = len({one.said.key for one in answers if one.label in BAD})
    few = f"{counted(called, 'label')} on answers it calls correct: too few to say how many are not"
    yield few if false is None or called < _FEW else f"of the answers it calls correct, {in_percent(false)} are not"
    few = f"{counted(bad, 'label')} on bad answers: too few to say how many it finds"
    yield few if found is None or bad < _FEW else f"of the bad ones, it finds {in_percent(found)}"


def in_percent(share: Interval) -> str:
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})"


class Bucket(Struct, frozen=True):
    """The share of a bucket, how many answers in it the grader finds, and how many others it rightly leaves out."""

    graded: float  # its share by the grader
    rate: Interval | None  # and by people
    sensitivity: Interval | None
    specificity: Interval | None


class AxisCalibration(Struct, frozen=True, kw_only=True):
    """How grader and labels agree on one axis. `table[verdict][label]` counts answers."""

    n: int  # labelled answers
    labelled_by: str = ""  # people, AI annotators, or both
    reason: str = ""  # why nothing can be said
    agreement: Interval | None = None
    kappa: float | None = None
    table: dict[str, dict[str, int]] = {}
    answers: dict[str, int] = {}  # all, by verdict
    buckets: dict[str, Bucket] = {}
    mean_label: float | None = None  # of an axis with numbers, over the labelled answers, ...
    mean_verdict: float | None = None  # ... and what the grader says of the same ones


class Alone(Struct, frozen=True):
    """What the grader decides alone: verdicts at or above its sure-from confidence."""

    share: float  # of all answers
    right: Interval | None


class Differing(Struct, frozen=True, kw_only=True):
    """An answer that the grader put into another bucket than whoever labelled it."""

    question: str
    answer: str
    cited: tuple[Passage, ...]
    graded: str
    reason: str
    label: str
    note: str
    confidence: float | None
    question_id: str
    attempt: int
    run: str  # "" for a file of verdicts


class Calibration(Result, frozen=True, kw_only=True):
    """First what whoever ships has to know; all the rest is detail."""

    headline: str = ""
    false_correct: Interval | None = None  # of the answers that the grader calls correct
    bad_found: Interval | None = None  # of the bad ones
    alone: Alone | None = None
    labels: int  # different answers that were put into a bucket
    notes: tuple[str, ...] = ()
    axes: dict[str, AxisCalibration]
    differ: tuple[Differing, ...] = ()  # the surest verdicts first
    skipped: int = 0  # answers that people saw and skipped
    cannot_tell: int = 0
    disputed: int = 0  # answers that annotators put into different buckets
    grader: str
    rubric_sha256: str = ""
    corpus: str = ""  # as records.corpus_of tells it; "" where it is not known
    runs: tuple[str, ...] = ()
    annotators: tuple[str, ...]
    labelled_by: str = ""  # people, AI annotators, or both
    problems: tuple[Problem, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        is_whole = all(problem.kind in HARMLESS for problem in self.problems)
        return ExitCode.OK if is_whole and not self.nothing_said else ExitCode.INCOMPLETE

    @property
    def nothing_said(self) -> str:
        """Why nothing could be calibrated, where that is so."""
        reasons = [axis.reason for axis in self.axes.values()]
        if not all(reasons):
            return ""
        return f"Nothing could be calibrated: {'; '.join(dict.fromkeys(reasons)) or 'no label is on a graded axis'}."

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rows of each confusion table."""
        return [{"axis": name, "graded": verdict, **row} for name, axis in self["axes"].items()
                for verdict, row in axis["table"].items()]  # fmt: skip


def calibrate(runs: Sequence[Run], rubric: Rubric, grader: str) -> Calibration:
    """Compare the verdicts of one grader with the labels that are in place in these runs."""
    said = [one for run in runs for id, some in sorted(said_in(run, run.name).items())
            if id in run.questions or not run.questions for _, one in sorted(some.items())]  # fmt: skip
    scored = {axis for one in said for axis, row in one.graded.items()
              if axis.startswith(AXIS_PREFIX) and not isinstance(row.value, str)}  # fmt: skip
    axes = (*rubric.axes, *(Axis(name, "", weight=0.0) for name in sorted(scored)))
    found = {axis.name: _axis(axis, answers_of(said, axis.name)) for axis in axes}
    answers, words = answers_of(said), [word for run in runs for word in run.words.values()]
    labelled = [one for one in answers if one.label is not None]
    annotators = sorted({name for run in runs for name in run.labelled_by})
    labels, skipped = len({one.said.key for one in labelled}), sum(len(run.skipped) for run in runs)
    disputed = [key[0] for run in runs for key, word in run.words.items() if word.disputed]
    cannot_tell = sum((word.value, word.pending, word.disputed) == (None, None, False) for word in words)
    torn = f"that annotators call differently ({names(sorted({*disputed}))})"
    passed_over = {torn: len(disputed), "skipped": skipped, "nobody could tell": cannot_tell}
    first: dict[str, Any] = {}
    if labelled and not found[BUCKET_AXIS].reason:
        sample = sample_of(answers)
        false, bad = false_correct(sample), bad_found(sample)
        first = {"false_correct": false, "bad_found": bad, "alone": _alone(answers, sample)}
        told = "; ".join(two_numbers(answers, false, bad))
        by = f"{counted(labels, 'label')} by {whose_by_name(annotators)}"
        first["headline"] = f"{told[0].upper()}{told[1:]} ({by})."
    questions = {run.name: run.questions for run in runs}
    made = Calibration(
        **first, labels=labels, axes={name: axis for name, axis in found.items() if axis.n or (
            name == BUCKET_AXIS and words)},
        notes=tuple(_notes(answers, labels, passed_over)), skipped=skipped, cannot_tell=cannot_tell,
        disputed=len(disputed), grader=grader, rubric_sha256=rubric.sha256, corpus=runs[0].corpus,
        runs=tuple(run.name for run in runs if run.traces), annotators=tuple(annotators), labelled_by=whose(annotators),
        problems=(*(one for run in runs for one in run.problems), *_left_out(runs, said)),
        differ=tuple(_differing(labelled, questions)),
    )  # fmt: skip
    return made if first else replace(made, headline=made.nothing_said)


def _axis(axis: Axis, answers: Sequence[Answer]) -> AxisCalibration:
    """Compare verdicts and labels on one axis. Counts and scores have no table; only the first axis has buckets."""
    weights, graded = weighed(answers), Counter(one.verdict for one in answers)
    pairs = Counter((one.verdict, str(one.label)) for one, _ in weights)
    columns = [*map(str, axis.values), *sorted({label for _, label in pairs} - {*map(str, axis.values)})]
    rows = sorted(graded, key=lambda name: (columns.index(name) if name in columns else len(columns), name))
    found = AxisCalibration(
        n=len(weights), labelled_by=whose(one.said.verdicts[axis.name].grader for one, _ in weights) if weights else "",
        answers={row: graded[row] for row in rows},
        reason=NO_VERDICT if graded.keys() <= {UNGRADED} else UNSETTLED if not weights else
        PICKED if len(weights) < len(answers) and not any(one.is_drawn for one, _ in weights) else "",
        table={row: {label: pairs[row, label] for label in columns} for row in rows
               if axis.values and any(pairs[row, label] for label in columns)},
    )  # fmt: skip
    if found.reason:
        return found
    sample = sample_of(answers)
    means: tuple[float | None, float | None] = None, None
    if axis.is_dimension or all(isinstance(value, int) for value in axis.values):
        both = [(one, weight) for one, weight in weights if one.verdict != UNGRADED]
        whole = sum(weight for _, weight in both) or 1.0
        means = (sum(float(one.label or 0) * weight for one, weight in both) / whole,
                 sum(float(one.verdict) * weight for one, weight in both) / whole)  # fmt: skip
    return replace(
        found, agreement=sample.share(str.__eq__), kappa=sample.kappa() if axis.values else None, mean_label=means[0],
        mean_verdict=means[1], buckets={
            str(value): _bucket(str(value), sample, graded[str(value)] / len(answers))
            for value in axis.values if axis.name == BUCKET_AXIS
        },
    )  # fmt: skip


def weighed(answers: Sequence[Answer]) -> list[tuple[Answer, float]]:
    """Return the labelled answers, each with how many answers it stands for."""
    some_left = any(one.label is None for one in answers)
    sizes, labelled = Counter(group_of(one, some_left) for one in answers), [one for one in answers if one.label]
    drawn = Counter(group_of(one, some_left) for one in labelled)
    return [(one, sizes[group_of(one, some_left)] / drawn[group_of(one, some_left)]) for one in labelled]


def _bucket(bucket: str, sample: Sample, graded: float) -> Bucket:
    return Bucket(
        graded, sample.share(lambda _, label: label == bucket, mean=True),
        sample.share(lambda _, label: label == bucket, lambda group: group.verdict == bucket, of_hits=True),
        sample.share(lambda _, label: label != bucket, lambda group: group.verdict != bucket, of_hits=True),
    )  # fmt: skip


def _alone(answers: Sequence[Answer], sample: Sample) -> Alone | None:
    """Return what the grader decides alone; None where it never says how sure it is."""
    if all(one.said.graded[BUCKET_AXIS].confidence is None for one in answers):
        return None
    sure = sum(not one.unsure and one.verdict != UNGRADED for one in answers)
    right = sample.share(str.__eq__, lambda group: not group.unsure and group.verdict != UNGRADED)
    return Alone(sure / len(answers), right)


def _notes(answers: Sequence[Answer], labels: int, passed_over: Mapping[str, int]) -> Iterator[str]:
    labelled, questions = [one for one in answers if one.label], {one.said.question_id for one in answers}
    on = counted(len({one.said.question_id for one in labelled}), "question")
    yield f"{counted(labels, 'label')} on {on}: at least {ENOUGH} are needed, several hundred are better."
    if len(answers) > len(questions):
        told = f"{len(answers)} answers to {counted(len(questions), 'question')}"
        yield f"{told}: answers to one question go together, and count as one in the intervals."
    if len(labelled) == len(answers):
        yield "Every answer is labelled, so all is counted; the intervals are for further answers like these."
        return
    picked = len({one.said.key for one in labelled if not one.is_drawn})
    if 0 < picked < labels:
        yield f"{counted(picked, 'label')} picked or given in looks: these count for their own answers only."
    drawn = {one.verdict for one in labelled if one.is_drawn}
    for verdict, count in sorted(Counter(one.verdict for one in answers if not one.label).items()):
        if verdict not in drawn:
            whole = f"{count} of {len(answers)} answers are graded {verdict} and have no label"
            yield f"{whole}, and none was drawn from these by chance: label some of them."
    if any(passed_over.values()):
        told = ", ".join(f"{count} {why}" for why, count in passed_over.items() if count)
        yield f"Answers that count as not labelled: {told}. The numbers are too good if these are the hard ones."


def _left_out(runs: Sequence[Run], said: Sequence[Said]) -> Iterator[Problem]:
    """Yield notes on what counts in no number."""
    if silent := sum(map(is_without_text, said)):
        yield Problem("note", f"answers that are missing, empty or errors ({silent}) are in no bucket and in no rate")
    ungraded = Counter(axis for one in said for axis in one.verdicts.keys() - one.graded.keys())
    for axis, count in sorted(ungraded.items()):
        yield Problem("note", f"{axis}: labels on answers without a verdict on it ({count}) are not used")
    drawn = [any(label.via not in BY_CHOICE for label in run.labels.values()) for run in runs]
    for run, has_own in zip(runs, drawn, strict=True):
        if any(drawn) and not has_own:
            rests = "no label was drawn from its answers, so what is said of them rests on those of the other runs"
            yield Problem("note", f"{run.name}: {rests}")


def _differing(labelled: Sequence[Answer], asked: Mapping[str, Mapping[str, Question]]) -> list[Differing]:
    """Return what grader and people call differently, each answer once, the surest verdicts first."""
    found = {}
    for one in labelled:
        if one.label != one.verdict:
            said, question = one.said, asked.get(one.said.run, {}).get(one.said.question_id)
            graded, label = said.graded[BUCKET_AXIS], said.verdicts[BUCKET_AXIS]
            found[said.key] = Differing(
                question=question.text if question else "", answer=(said.trace and said.trace.answer) or "",
                cited=tuple(cited_by(said, question)), graded=one.verdict, reason=graded.reason, label=str(one.label),
                note=label.reason, confidence=graded.confidence, question_id=said.question_id, attempt=said.attempt,
                run=said.run,
            )  # fmt: skip
    return sorted(found.values(), key=lambda one: (-(one.confidence or 0), one.question_id, one.attempt))
