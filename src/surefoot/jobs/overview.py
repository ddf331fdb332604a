"""One version by itself - answers by bucket, what the axes say, what to look into - and all runs of a project."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, SurefootError
from surefoot.core.records import BASELINE, CHANGE, Step
from surefoot.core.result import Result
from surefoot.core.table import AXES, BUCKETS, SAFETY
from surefoot.core.types import Estimate, Problem, Question, Trace, counted, in_plain_words
from surefoot.gate import calibrate
from surefoot.gate import sides as trust
from surefoot.gate.metrics import METRICS, RANKED, UNGRADED, Counted, buckets, measured, strata
from surefoot.gate.sides import BUCKET_AXIS, Run, Said, asked_of, cited_in, labels_apart, side_of
from surefoot.jobs.runs import Name, read_all, read_one
from surefoot.store import Manifest, Project

Judged = tuple[Said, Question | None]  # a file of verdicts does not know the question


class Cause(NamedTuple):
    layer: str
    finding: str
    action: str


class Fault(Struct, frozen=True):
    """A cause with the questions whose answers point to it, each once."""

    layer: str
    finding: str
    action: str
    answers: int
    questions: tuple[str, ...]


def cause_of(said: Said, question: Question | None) -> Cause | None:
    """None for an answer that is as it should be, or that nobody has judged."""
    if is_unsafe(said):
        return Cause(_UNSAFE, "does harm, or tells private data", "Read it; label a false alarm on the axis safety.")
    expects = question.expects if question else ""
    if said.bucket not in ("wrong", "unsupported") and (said.bucket, expects) != ("refused", "answer"):
        return None
    graded = said.graded.get(BUCKET_AXIS) or said.verdicts[BUCKET_AXIS]
    reason = graded.reason.partition(", ")[0] if graded.value == said.bucket else ""  # a label may say otherwise
    values = {axis: verdict.value for axis, verdict in said.verdicts.items()}
    gold, supports = _place_of_gold(said.trace, question), values.get("citation_supports")
    # The first that fits is the one to look into.
    causes = (
        (gold == "not retrieved" and expects == "answer", "retrieval",
         "no passage that has the expected answer was retrieved",
         "Retrieve more candidates before reranking, and look at how these passages are cut."),
        (reason == "conflicts_gold" and supports == "yes" and gold == "not named", "question set",
         "the cited passages support the answer, and no passage is named for the expected one",
         "Find the passage that has the expected answer, and name it in gold_ids."),
        (values.get("citation_exists") == "no", "prompt", "cites a source that was not retrieved",
         "Show each id beside its passage, and reject answers that cite any other."),
        (expects == "refusal", "prompt", "answers where the documents are silent",
         "If they really are: say in the prompt when to refuse, and let a weak best match count as no evidence."),
        (said.bucket == "refused", "prompt", "refuses although an answer is expected",
         "Loosen the wording that allows refusals, and check that passages reach the prompt whole."),
        (reason == "uncited", "prompt", "makes claims without a citation",
         "Ask for a citation after every claim, and reject answers without one."),
        (gold == "not cited", "reranking",
         "the passage that has the expected answer was retrieved, and another one is cited",
         "Is the cited one another version, or about something else? Rank the passage that applies first."),
        (reason in ("contradicted", "conflicts_gold") or supports in ("no", "partly"), "generation",
         "says something else than the passages it was given",
         "The evidence was there: try a stronger model, fewer passages, or quoting before answering."),
        (True, "generation", "does not answer what was asked, or adds to what the passages say",
         "Ask for the answer alone, in the words of the passages."),
    )  # fmt: skip
    return next(Cause(*words) for fits, *words in causes if fits)


def faults(answers: Iterable[Judged]) -> tuple[Fault, ...]:
    """What to look into: what is unsafe, then the layer with most answers."""
    found: defaultdict[Cause, list[str]] = defaultdict(list)
    for said, question in answers:
        if cause := cause_of(said, question):
            found[cause].append(said.question_id)
    by_layer = Counter(cause.layer for cause, ids in found.items() for _ in ids)
    made = (Fault(*cause[:3], len(ids), tuple(dict.fromkeys(ids))) for cause, ids in found.items())
    return tuple(sorted(made, key=lambda one: (one.layer != _UNSAFE, -by_layer[one.layer], one.layer, -one.answers)))


def _place_of_gold(trace: Trace | None, question: Question | None) -> str:
    if question is not None and not question.gold_ids:
        return "not named"
    if question is None or trace is None or trace.retrieved is None or trace.retrieved.ids is None:
        return ""
    gold, cited = set(question.gold_ids), cited_in(trace, question)
    if gold.isdisjoint(trace.retrieved.ids):
        return "not retrieved"
    return "not cited" if cited and gold.isdisjoint(cited) else ""


_UNSAFE = "unsafe answers"
_RANK = {"wrong": 0, "unsupported": 1, None: 2, "refused": 3, "correct": 4}  # the worst first


class RunOverview(Result, frozen=True, kw_only=True):
    """What a run says, or all runs of a version together."""

    beside, framed = ("answers",), "next"

    run: str
    runs: tuple[str, ...]
    graders: tuple[str, ...]
    headline: str
    buckets: Counted
    by_stratum: dict[str, Counted]
    shares: dict[str, dict[str, Estimate]]  # by stratum ("" is all), then by bucket
    retrieval: dict[str, dict[str, Estimate]]  # by stratum, then by metric
    unsure: tuple[dict[str, str | int], ...]  # answers that the grader is unsure of
    axes: dict[str, dict[str, int]]  # how many answers have which value
    next: tuple[Fault, ...]  # what to look into
    trust: calibrate.Trust
    failed_checks: dict[str, str]  # by grader: what it misread of answers of known label
    problems: tuple[Problem, ...]
    incomplete: tuple[str, ...]  # why the run could not be read whole
    answers: tuple[Judged, ...]  # the worst first

    @property
    def total(self) -> int:
        return sum(self.buckets.values())

    @property
    def exit_code(self) -> ExitCode:
        lacking = self.buckets[UNGRADED] or self.incomplete or self.failed_checks
        return ExitCode.OK if self.total and not lacking else ExitCode.INCOMPLETE


def overview(run: Name, *, db: str | Path | None = None) -> RunOverview:
    """`run` is a graded run, a version for its newest one, or a file of verdicts, which knows no questions."""
    return overview_of([read_one(run, db)])


def overview_of(runs: Sequence[Run]) -> RunOverview:
    """All runs of one version together."""
    apart = [labels_apart(run) for run in runs]
    asked, _, _ = asked_of(apart, apart)
    side = side_of(apart, asked)
    answers = [(said, asked[id]) for id in asked for said in side.answers[id]]
    answers.sort(key=lambda one: (not is_unsafe(one[0]), _RANK[one[0].bucket], one[0].question_id, one[0].attempt))
    counts, by_stratum = buckets(side, asked), {name: buckets(side, ids) for name, ids in strata(asked).items()}
    found = [(axis, one.verdicts[axis].value) for axis in AXES for one, _ in answers if axis in one.verdicts]
    parts = {name: [one for one in answers if not name or (one[1] and one[1].stratum == name)]
             for name in ("", *by_stratum)}  # fmt: skip
    return RunOverview(
        run=side.name,
        runs=tuple(run.name for run in runs),
        graders=tuple(sorted(trust.graders_of(side.runs))),
        headline=_headline(answers, counts),
        buckets=counts,
        by_stratum=by_stratum,
        shares={name: _shares(some) for name, some in parts.items()},
        retrieval={name: {one: measured(METRICS[one], some)[0] for one in RANKED} for name, some in parts.items()},
        unsure=tuple({"question_id": one.question_id, "attempt": one.attempt} for one, _ in answers if is_unsure(one)),
        axes={axis: dict(Counter(str(one) for at, one in found if at == axis and one is not None)) for axis in AXES},
        next=faults(answers),
        trust=calibrate.trust_in(side),
        failed_checks=trust.failed_checks(side.runs),
        problems=tuple(problem for run in side.runs for problem in run.problems),
        incomplete=tuple(trust.unusable(side.runs)),
        answers=tuple(answers),
    )  # fmt: skip


def is_unsafe(said: Said) -> bool:
    return SAFETY in said.verdicts and said.verdicts[SAFETY].value == "unsafe"


def is_unsure(said: Said) -> bool:
    """Return whether the grader is unsure of this answer; a label never is."""
    return BUCKET_AXIS in said.verdicts and said.verdicts[BUCKET_AXIS].unsure


def why_of(said: Said, question: Question | None = None) -> str:
    """The reason in plain words; where a label gives none, that of a grader who agrees with it."""
    verdict, graded = said.verdicts.get(BUCKET_AXIS), said.graded.get(BUCKET_AXIS)
    if verdict is None or (verdict.value is None and said.trace and said.trace.error):
        return (said.trace.error or "") if said.trace else ""
    reason = verdict.reason or (graded.reason if graded and graded.value == verdict.value else "")
    if not reason and graded is not None:
        return f"labelled so; the grader says {graded.value or 'nothing'}: {in_plain_words(graded.reason)}"
    expected = " ".join(question.gold_claims) if question and disagrees(reason) else ""
    return "unsure: " * is_unsure(said) + in_plain_words(reason) + (f": {expected}" if expected else "")


def disagrees(reason: str) -> bool:
    """With the expected answer: then it does not matter what supports it."""
    return reason.startswith("conflicts_gold")


def _headline(answers: Sequence[Judged], counts: Counted) -> str:
    """`97 of 130 answers are bad: 61 wrong, 36 unsupported; 2 unsafe; 14 unsure.`"""
    wrong, unsupported, lacking = (counts[bucket] for bucket in ("wrong", "unsupported", UNGRADED))
    if answers and lacking == len(answers):  # with the most frequent reason
        [(why, count)] = Counter(why_of(said) for said, _ in answers).most_common(1)
        some = f": {why}" + (f" ({count} of them)" if count < lacking else "") if why else ""
        return f"none of {counted(lacking, 'answer')} {'could be' if why else 'is'} graded{some}."
    bad = wrong + unsupported
    parts = f": {wrong} wrong, {unsupported} unsupported" if bad else ""
    unsafe, unsure = sum(is_unsafe(said) for said, _ in answers), sum(is_unsure(said) for said, _ in answers)
    others = {"not graded": lacking, "unsafe": unsafe, "unsure": unsure}
    left = "".join(f"; {count} {what}" for what, count in others.items() if count)
    return f"{bad or 'none'} of {counted(len(answers), 'answer')} {'is' if bad == 1 else 'are'} bad{parts}{left}."


def _shares(answers: Sequence[Judged]) -> dict[str, Estimate]:
    """The share of each bucket with its interval; where nothing was graded there is none."""
    metrics = {bucket: METRICS[bucket]._replace(shape="share") for bucket in (*BUCKETS, UNGRADED)}
    if all(said.bucket is None for said, _ in answers):
        return dict.fromkeys(metrics, Estimate(0, 0, reason="no answer was graded"))
    return {bucket: measured(metric, answers)[0] for bucket, metric in metrics.items()}


def trust_in(found: RunOverview) -> str:
    """How far the verdicts of a run can be trusted, by the labels on its answers."""
    told = found.trust
    return calibrate.in_words(told) + ("" if told.drawn else f"; to find out: surefoot label {found.run}")


class PastRun(Struct, frozen=True):
    """A run and what it says; where it cannot be read, the `problem` says why."""

    name: str  # id
    manifest: Manifest
    overview: RunOverview | None  # without its answers
    problem: str = ""

    @property
    def version(self) -> str:
        return self.manifest.version

    @property
    def labelled(self) -> int:
        """Answers that people put into a bucket, in whichever run."""
        return self.overview.trust.labels if self.overview else 0

    @property
    def council_review(self) -> str:
        """The council that scored it, and its questions: runs with the same are ranked together."""
        return f"{self.manifest.council} {self.manifest.questions_sha256}" if self.manifest.council else ""


class Trend(Struct, frozen=True):
    """The versions that answered one question set, graded by one grader, in the order in which they were made."""

    questions: str  # hash of the question set: only runs with the same one can be compared over time
    question_count: int
    grader: str
    versions: dict[str, RunOverview]  # of all runs of a version together


class History(Result, frozen=True):
    """Every run of a project, the buckets from version to version, and what was decided."""

    project: str
    runs: tuple[PastRun, ...]  # newest first
    trends: tuple[Trend, ...]  # that of the newest run first
    decisions: tuple[Step, ...]  # newest first

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if any(one.problem for one in self.runs) else ExitCode.OK

    def table(self) -> list[dict[str, Any]]:
        """The runs, each with its buckets."""
        return [
            {"name": one.name, "version": one.version, "made": one.manifest.created, "labelled": one.labelled,
             "is_baseline": one is self.baseline, "problem": one.problem,
             **(one.overview.buckets if one.overview else {})} for one in self.runs
        ]  # fmt: skip

    def run(self, name: str) -> PastRun | None:
        return next((one for one in self.runs if name == one.name), None)

    def decision_on(self, run: PastRun) -> Step | None:
        """What was decided last with this run as the candidate."""
        return next((step for step in self.decisions if step.mode == CHANGE and run.name in step.cand_runs), None)

    @property
    def last_change(self) -> tuple[Step, PastRun, PastRun] | None:
        """What was decided last about two runs that are still there."""
        for step in self.decisions:
            base, cand = self.run(step.base_run), self.run(step.cand_run)
            if step.mode == CHANGE and base and cand and base.overview and cand.overview:
                return step, base, cand
        return None

    @property
    def usual_pair(self) -> tuple[str, str]:
        """By name: the last that was decided on; else the baseline, or the oldest, and the newest beside it."""
        if last := self.last_change:
            return last[1].name, last[2].name
        names = [one.name for one in self.runs if one.overview]
        base = self.baseline.name if self.baseline else next(reversed(names), "")
        return base, next((name for name in names if name != base), "")

    @property
    def baseline(self) -> PastRun | None:
        return next((self.run(step.cand_run) for step in self.decisions if step.mode == BASELINE), None)


Stamp = tuple[object, ...]  # as long as it is the same, so is what it was taken of


def history(db: str | Path | None = None) -> History:
    """The runs of a project."""
    sets: defaultdict[tuple[str, str], defaultdict[str, list[PastRun]]] = defaultdict(lambda: defaultdict(list))
    with Project.existing(db) as project:
        runs, past = {run.id: run for run in project.runs()[::-1]}, list[PastRun]()

        @cache
        def measure(*ids: str) -> RunOverview:
            """All of them together."""
            return replace(overview_of(read_all(project, [runs[id] for id in ids])), answers=())

        for run in runs.values():
            try:
                past.append(PastRun(run.id, run.manifest, found := measure(run.id)))
                if found.buckets[UNGRADED] < found.total:  # a council alone puts no answer into a bucket
                    sets[run.manifest.questions_sha256, run.manifest.grader or ""][run.version].append(past[-1])
            except SurefootError as error:
                past.append(PastRun(run.id, run.manifest, None, str(error)))
        trends = tuple(
            Trend(
                questions, max(one.manifest.question_count for group in versions.values() for one in group), grader,
                {name: measure(*(one.name for one in reversed(group))) for name, group in reversed(versions.items())},
            )
            for (questions, grader), versions in sets.items()
        )  # fmt: skip
        return History(project.name, tuple(past), trends, tuple(reversed(project.decisions())))


def stamp(db: str | Path | None) -> Stamp:
    """Of everything that a page may show."""
    with Project.existing(db) as project:
        return (*project.counts().items(), *(msgspec.json.encode(run.manifest) for run in project.runs()))
