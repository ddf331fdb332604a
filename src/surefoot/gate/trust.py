"""How far the verdicts of a comparison can be believed: what is missing, what the grader misread, how often it errs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from surefoot.calibration.answers import Answer, is_without_text
from surefoot.calibration.estimates import headline
from surefoot.core.records import BY_CHOICE, Interval, bare_name, is_person, whose_by_name
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import HARMLESS, NOT_ASKED, Problem, Question, Verdict
from surefoot.core.words import counted
from surefoot.gate.sides import BUCKET_AXIS, SIDES, Run, Side, SideName, documents_of

SELF_CHECK = "self_check"
_OF_FILES = frozenset({"unreadable", "malformed"})


class Trust(Struct, frozen=True):
    """Who gave the verdicts, and what people's labels say of them."""

    graders: tuple[str, ...] = ()
    by_people: bool = False  # nobody but people
    labels: int = 0  # answers that people have put into a bucket
    drawn: int = 0  # those of them that chance drew
    annotators: tuple[str, ...] = ()
    disputed: int = 0  # answers that they put into different buckets
    accepted_but_bad: Interval | None = None  # of the answers that the grader calls acceptable
    bad_caught: Interval | None = None  # of the answers that are not acceptable


def trust_in(sides: Mapping[SideName, Side], asked: Mapping[str, Question | None]) -> Trust:
    runs = [run for side in sides.values() for run in side.runs]
    graders = tuple(sorted(graders_of(runs) or {verdict.grader for run in runs for verdict in run.counted()}))
    answers = list(_answers(sides, asked))
    labels = [one for one, _ in answers if one.label is not None and one.verdict is not None]
    accepted, caught = headline([one for one, _ in answers]) if any(not one.chosen for one in labels) else (None, None)
    return Trust(
        graders,
        by_people=bool(graders) and all(map(is_person, graders)),
        labels=len(labels),
        drawn=sum(drawn and one.label is not None and one.verdict is not None for one, drawn in answers),
        annotators=tuple(sorted({name for run in runs for name in run.labelled_by})),
        disputed=sum(run.disputed for run in runs),
        accepted_but_bad=accepted,
        bad_caught=caught,
    )


def _answers(sides: Mapping[SideName, Side], asked: Mapping[str, Question | None]) -> Iterator[tuple[Answer, bool]]:
    """Every different answer of both sides once, as `calibrate` would have them, and whether chance drew it."""
    seen: set[str] = set()
    runs: dict[tuple[str, str], int] = {}
    for side in sides.values():
        documents = {id: document for run in side.runs for id, document in documents_of(run).items()}
        for id in asked:
            for said in side.answers[id]:
                graded = said.graded.get(BUCKET_AXIS)
                if graded is None or said.key in seen or is_person(graded.grader) or is_without_text(graded):
                    continue
                seen.add(said.key)
                settled = said.verdicts[BUCKET_AXIS]
                yield Answer(
                    id, said.attempt, graded.value, settled.value if said.is_labelled(BUCKET_AXIS) else None,
                    chosen=settled.via in BY_CHOICE, run=runs.setdefault((side.key, said.run), len(runs) + 1),
                    document=documents.get(id, ""),
                ), said.is_drawn(BUCKET_AXIS)  # fmt: skip


def in_words(trust: Trust) -> str:
    """How far the grader can be trusted, in one sentence for every report."""
    if trust.by_people:
        return f"people gave the verdicts ({', '.join(map(bare_name, trust.graders))})"
    who = f"the grader {' and '.join(filter(None, trust.graders)) or 'without a name'}"
    if not trust.drawn:
        picked = f"; {trust.labels} were labelled by choice, which tells nothing of the others" if trust.labels else ""
        return f"{who}: nobody has labelled a random sample of its answers, so how often it errs is not known{picked}"
    were = f"{counted(trust.labels, 'answer')} {'was' if trust.labels == 1 else 'were'}"
    told = [f"{who}: {were} labelled by {whose_by_name(trust.annotators)}"]
    told += [f"they put {trust.disputed} answers into different buckets"] if trust.disputed else []
    if found := trust.accepted_but_bad:
        told.append(f"of the answers it calls acceptable, {_percent(found)} are not")
    if found := trust.bad_caught:
        told.append(f"of the bad ones, it finds {_percent(found)}")
    return "; ".join(told)


def _percent(share: Interval) -> str:
    between = "" if share.low == share.high else f" ({share.low:.1%} to {share.high:.1%})"
    return f"{share.value:.1%}{between}"


def failed_checks(runs: Iterable[Run]) -> dict[str, str]:
    """What graders misread of answers of known label, by grader, as far as their verdicts count."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for verdict in _failed(run):
            found.setdefault(verdict.grader, {})[verdict.self_check] = None
    return {grader: "; ".join(words) for grader, words in found.items()}


def _failed(run: Run) -> Iterator[Verdict]:
    """The verdicts that came with a failed self-check, but for those that a person's label stands in for."""
    for verdict in run.counted():
        is_labelled = ((verdict.question_id, verdict.attempt), verdict.axis) in run.labels
        if verdict.self_check and verdict.value is not None and not is_labelled:
            yield verdict


def unasked(problems: Iterable[Problem]) -> list[str]:
    """Which runs have questions that were not asked, and what to do about it."""
    return list(dict.fromkeys(str(problem) for problem in problems if problem.kind == NOT_ASKED))


def self_check_step(runs: Iterable[Run]) -> list[str]:
    names = list(dict.fromkeys(run.name for run in runs if next(_failed(run), None)))
    if not names:
        return []
    again = f"{SELF_CHECK}: grade {' and '.join(names)} again"
    return [f"{again}; if answers are misread again, grade both runs with another model"]


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


def problems_of(sides: Mapping[SideName, Side]) -> tuple[Problem, ...]:
    """The serious ones first."""
    found = [problem for side in sides.values() for run in side.runs for problem in run.problems]
    return tuple(sorted([*found, *_other_graders(sides)], key=lambda problem: problem.kind in HARMLESS))


def graders_of(runs: Iterable[Run]) -> set[str]:
    """Who gave the verdicts; a council gives none, but scores beside them."""
    counted = (verdict for run in runs for verdict in run.counted())
    return {verdict.grader for verdict in counted if not verdict.axis.startswith(AXIS_PREFIX)}


def _other_graders(sides: Mapping[SideName, Side]) -> list[Problem]:
    """Files of labels by different people can be compared, but not without saying so."""
    base, cand = (sorted(graders_of(sides[name].runs) - {""}) for name in SIDES)
    if not base or not cand or base == cand:
        return []
    return [Problem("note", f"the sides were not graded alike: base by {', '.join(base)}, cand by {', '.join(cand)}")]
