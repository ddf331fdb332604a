"""What a decision says: the numbers behind it, the questions that changed, the next step, and why in one sentence."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from msgspec import field, to_builtins
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.records import BAD, CANNOT_TELL, whose
from surefoot.core.result import Result
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import HARMLESS, NOT_ASKED, Problem, Question, check_group_fields, counted, names
from surefoot.gate import sides as versions
from surefoot.gate.decide import GRADER, Asked, Judge, Request, RuleResult
from surefoot.gate.looks import Diff, Lasting, Pair, Reading
from surefoot.gate.metrics import GRADED, LASTING, Counted, Rule, Verdict, buckets, metric_named, strata
from surefoot.gate.sides import BUCKET_AXIS, SELF_CHECK, SIDES, Run, Said, Side, SideName, cited_by, failed, graders_of

SECONDS_A_KEY = 8  # of somebody whose own pace is not known
_RUNS, _MOST_RUNS = 5, 30  # to be asked for: fewer do not tell how much answers vary; beyond, questions are too few
_REASONS = 3  # for a block, in one sentence


class GateResult(Result, frozen=True, kw_only=True):
    """Two versions, what differs between them, and the decision."""

    outcome: Verdict
    exit_code: ExitCode
    headline: str  # the verdict's reason in one sentence
    lean: str  # what the grader alone would decide, where people have not looked at enough
    rules: tuple[RuleResult, ...]
    newly_wrong: tuple[str, ...]  # question ids, for good
    newly_unsupported: tuple[str, ...]
    mended_wrong: tuple[str, ...]
    mended_unsupported: tuple[str, ...]
    pairs: int
    differing: int
    looked_at: int
    unseen: int
    minutes: int  # to look at all that nobody has looked at
    cannot_tell: tuple[str, ...]  # questions with an answer of which people cannot tell
    next: tuple[str, ...]  # commands and steps
    names: dict[SideName, str]
    runs: dict[SideName, list[str]]
    graders: dict[SideName, list[str]]
    questions: int
    times: dict[SideName, int]  # how often every question was asked
    buckets: dict[SideName, Counted]
    by_stratum: dict[str, dict[SideName, Counted]]
    by: dict[str, dict[str, tuple[RuleResult, ...]]]  # field -> value -> the rules on buckets, there
    changed: tuple[dict[str, Any], ...]  # questions whose answers moved, the worst first
    annotators: tuple[str, ...]
    uncalibrated: bool
    waived: dict[str, str]
    notes: tuple[str, ...]
    incomplete: tuple[str, ...]
    problems: tuple[Problem, ...]
    failed_checks: dict[str, str]  # by grader: what it misread of answers of known label
    baseline: str = ""  # what the baseline is, and which command would move it
    not_counted: tuple[str, ...] = ()  # runs that have no part in it, and why
    # What of the gate file the command line has changed.
    overridden: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)

    def table(self) -> Sequence[Mapping[str, Any]]:
        """The rules, each with its change and interval."""
        kept = ("name", "rule", "status", "before", "after", "change", "low", "high", "margin", "by", "reason")
        return [{key: getattr(rule, key) for key in kept} for rule in self.rules]


def compare(base: Sequence[Run], cand: Sequence[Run], rules: Sequence[Rule], request: Request) -> GateResult:
    """Hold the candidate's runs against the baseline's and decide by the rules."""
    for name, reason in request.waivers.items():
        if name not in (known := [rule.name for rule in rules]):
            raise UsageError(f"no rule is named {name!r}, so it cannot be waived", f"the rules are {', '.join(known)}")
        if not reason.strip():
            raise UsageError(f"the waiver of {name!r} gives no reason", "say why with --reason")
    base, cand = [versions.labels_apart(run) for run in base], [versions.labels_apart(run) for run in cand]
    _check_runs(base, cand, rules)
    asked, notes, gone = versions.asked_of(base, cand)
    check_group_fields(request.by, filter(None, asked.values()))
    keys = ("both", "both") if base == cand else ("base", "cand")
    sides = versions.side_of(base, asked, keys[0]), versions.side_of(cand, asked, keys[1])
    judge = Judge(sides, asked, request, rules, gone)
    by_grader = replace(request, uncalibrated=True)
    lean = None if request.uncalibrated or judge.diff.enough else Judge(sides, asked, by_grader, rules, gone)
    both = dict(zip(SIDES, sides, strict=True))
    unseen = list(judge.diff.pairs) if request.uncalibrated else judge.diff.unseen
    lasting = (lean or judge).lasting
    said = {(one.question_id, "" if one.is_silent else one.key): one for side in sides
            for one in side.all_answers()}  # fmt: skip
    found = GateResult(
        outcome=judge.outcome,
        exit_code=judge.code,
        headline="",
        lean=_leaning(lean) if lean and judge.outcome == "INCONCLUSIVE" else "",
        rules=judge.rules,
        newly_wrong=lasting["wrong"].newly,
        newly_unsupported=lasting["unsupported"].newly,
        mended_wrong=lasting["wrong"].mended,
        mended_unsupported=lasting["unsupported"].mended,
        pairs=len(judge.diff.pairs) + judge.diff.alike,
        differing=len(judge.diff.pairs),
        looked_at=len(judge.diff.pairs) - len(unseen),
        unseen=len(unseen),
        minutes=minutes_for(unseen),
        cannot_tell=_cannot_tell(judge),
        next=tuple(_next(judge)),
        names=dict(zip(SIDES, request.called, strict=True)),
        runs={name: [run.name for run in side.runs] for name, side in both.items()},
        graders={name: sorted(graders_of(side.runs)) for name, side in both.items()},
        questions=len(asked),
        times={name: side.attempts for name, side in both.items()},
        buckets={name: buckets(side, asked) for name, side in both.items()},
        by_stratum={name: {side: buckets(of, ids) for side, of in both.items()}
                    for name, ids in strata(asked).items()},
        by={field: dict(_by_group(judge, field)) for field in request.by},
        changed=tuple(changed_questions(judge.diff, lasting, said, asked)),
        annotators=judge.annotators,
        uncalibrated=request.uncalibrated,
        waived=dict(request.waivers),
        notes=(*notes, *_about_runs(judge)),
        incomplete=judge.incomplete,
        problems=problems_of(sides),
        failed_checks=judge.failed,
    )  # fmt: skip
    return replace(found, headline=in_one_sentence(found))


def _check_runs(base: Sequence[Run], cand: Sequence[Run], rules: Sequence[Rule]) -> None:
    """All are of one kind, and graded: a council's scores put no answer into a bucket, and serve its own rules only."""
    for run in (*base[:-1], *cand):
        versions.check_alike(base[-1], run)
    axes = [str((metric_named(rule.metric) or GRADED["wrong"]).axis) for rule in rules]
    of_buckets = [rule for rule, axis in zip(rules, axes, strict=True) if not axis.startswith(AXIS_PREFIX)]
    for run in (*base, *cand) if of_buckets else ():
        if run.verdicts and all(verdict.axis.startswith(AXIS_PREFIX) for verdict in run.verdicts):
            message = f"the run {run.name} has only a council's scores, and the rule {of_buckets[0].text!r} asks for"
            raise Incomplete(f"{message} verdicts", f"grade it first: surefoot grade {run.name}")


def _cannot_tell(judge: Judge) -> tuple[str, ...]:
    open_ = (one for some in judge.diff.readings.values() for one in some if one.label == CANNOT_TELL and one.key)
    return tuple(sorted({one.question for one in open_ if not one.pending}))


def _leaning(grader: Judge) -> Verdict:
    """What the grader alone would decide."""
    more_bad = any(len(found.newly) > len(found.mended) for found in grader.lasting.values())
    return "BLOCK" if more_bad or grader.outcome == "BLOCK" else "SHIP"


def _about_runs(judge: Judge) -> Iterator[str]:
    """Say which version is not as it was declared, or was asked too seldom and cannot be asked again."""
    for side, called in zip(judge.sides, judge.request.called, strict=True):
        if side.unsteady:
            ids = versions.some(side.unsteady)
            yield f"{called} was declared deterministic, and gave different answers to {ids}"
    once = [called for side, called in zip(judge.sides, judge.request.called, strict=True)
            if judge.diff.pairs and side.attempts < 2 and not side.deterministic]  # fmt: skip
    if once:
        yield f"one run of {' and '.join(once)} is hardly enough to decide by, as its answers may vary: five are"
    for place in judge.request.cannot_ask:
        answers = judge.sides[place].answers
        if any(len(answers[id]) < found.times for found in judge.lasting.values() for id in found.newly):
            runs = counted(judge.sides[place].attempts, "run")
            yield f"{judge.request.called[place]} cannot be asked again: its {runs} count as they are"


def _by_group(judge: Judge, name: str) -> Iterator[tuple[str, tuple[RuleResult, ...]]]:
    values = sorted({question.group(name) for question in judge.asked.values() if question} - {""})
    for value in values:
        texts = [f"{bucket}[{name}={value}] <= baseline" for bucket in BAD]
        yield value, tuple(judge.result(Rule.parse(text)) for text in texts)


def _next(judge: Judge) -> Iterator[str]:
    """What to do about what is not decided."""
    yield from unasked(problems_of(judge.sides))
    if misread := dict.fromkeys(run.name for side in judge.sides for run in side.runs if next(failed(run), None)):
        again = "if answers are misread again, grade both runs with another model"
        yield f"{SELF_CHECK}: grade {' and '.join(misread)} again; {again}"
    to_ask = sorted({id for found in judge.lasting.values() for id in found.to_ask})
    undecided = [one for one in judge.rules if one.stands == "undecidable" and one.metric != SELF_CHECK]
    if judge.outcome == "BLOCK" or not undecided:
        return
    to_look = [one for found in judge.lasting.values() for one in found.to_look]
    (base, cand), label = judge.request.called, f"surefoot label {' '.join(map(shlex.quote, judge.request.called))}"
    by_looks = [one for one in undecided if one.margin is not None and judge.metrics[one.metric].axis == BUCKET_AXIS]
    if by_looks and judge.diff.unseen:
        first = judge.diff.unseen[: judge.diff.looks_wanted]
        yield f"look at {counted(len(first), 'pair')}, {_about(minutes_for(first))}: {label}"
    elif to_look or any(one.pending for some in judge.diff.readings.values() for one in some):
        count = len({one.key for one in to_look}) or 1
        yield f"look at {counted(count, 'answer')}, {_about(ceil(count * SECONDS_A_KEY / 60))}: {label}"
    elif to_ask:
        times = max(found.times for found in judge.lasting.values() if found.to_ask)
        for side in sorted({0, 1} - {*judge.request.cannot_ask}):
            more = times - min(len(judge.sides[side].answers[id]) for id in to_ask)
            if more > 0:
                version = shlex.quote(judge.request.called[side])
                yield f"surefoot run {version} --only {','.join(to_ask)} --repeats {more} && surefoot grade {version}"
    elif by_looks and (open_ := _cannot_tell(judge)):
        ids = names(open_, len(open_), 4)
        yield f"settle {ids}, of which people differ or cannot tell: {label}"
    elif wide := [one for one in undecided if one.change is not None and one.margin is not None]:
        times = min(side.attempts for side in judge.sides)
        needed, rule = max(((_runs_for(one, times), one) for one in wide), key=lambda one: one[0])
        if needed > _MOST_RUNS:
            there = f"{counted(len(judge.asked), 'question')} in all"
            yield f"too few questions for the margin of {rule.name}, {there}: add questions, or allow more"
        else:
            varying = [name for name, is_fixed in zip((base, cand), judge.fixed, strict=True) if not is_fixed]
            each = (f"surefoot run {shlex.quote(version)} --repeats {needed - times}" for version in varying)
            yield f"{counted(needed - times, 'more run')} of {' and '.join(varying)}: {'; '.join(each)}"


def _runs_for(rule: RuleResult, times: int) -> int:
    """How many runs would do if the change stays: the interval's width falls with the root of their number."""
    width, room = _worst(rule) - (rule.change or 0), (rule.margin or 0) - (rule.change or 0)
    enough = ceil(times * (width / room) ** 2) if width * room > 0 else _MOST_RUNS + 1
    return enough if times >= _RUNS else _RUNS


def _worst(rule: RuleResult) -> float:
    """The worse end of its interval."""
    metric = metric_named(rule.metric)
    return (rule.high if metric is None or metric.better == "lower" else rule.low) or 0.0


def minutes_for(pairs: Sequence[Pair]) -> int:
    """How long it takes to look at pairs, at one key for each answer that has no label."""
    keys = {(one.question, one.key) for pair in pairs for one in (pair.base, pair.cand) if one.label is None}
    return ceil(len(keys) * SECONDS_A_KEY / 60)


def _about(minutes: int) -> str:
    return f"about {counted(max(1, minutes), 'minute')}"


def unasked(problems: Iterable[Problem]) -> list[str]:
    """Which runs have questions that were not asked, and what to do about it."""
    return list(dict.fromkeys(str(problem) for problem in problems if problem.kind == NOT_ASKED))


def problems_of(sides: Sequence[Side]) -> tuple[Problem, ...]:
    """The serious ones first. Files of labels by different people can be compared, but not without saying so."""
    found = [problem for side in sides for run in side.runs for problem in run.problems]
    base, cand = (", ".join(sorted(graders_of(side.runs) - {""})) for side in sides)
    if base and cand and base != cand:
        found.append(Problem("note", f"the sides were not graded alike: base by {base}, cand by {cand}"))
    return tuple(sorted(found, key=lambda problem: problem.kind in HARMLESS))


_TURNS = ("newly wrong", "newly unsupported", "became wrong", "became unsupported", "not graded", "still bad",
          "now refused", "mended", "other change")  # fmt: skip


def changed_questions(
    diff: Diff, lasting: Mapping[str, Lasting], said: Mapping[tuple[str, str], Said], asked: Asked
) -> list[dict[str, Any]]:
    """The questions whose answers moved to another bucket, each with the pair that tells most, the worst first."""
    newly = {id: f"newly {bucket}" for bucket in reversed(BAD) for id in lasting[bucket].newly}
    ranked = []
    for pair in diff.pairs:
        before, after = _bucket(pair.base), _bucket(pair.cand)
        if before != after:
            turn = _turn(before, after)
            turn = newly.get(pair.question, turn) if turn == f"became {after}" else turn
            ranked.append((_TURNS.index(turn), pair.question, pair))
    found: dict[str, dict[str, Any]] = {}
    for rank, id, pair in sorted(ranked, key=lambda one: one[:2]):
        if id in found:
            continue
        question = asked[id]
        found[id] = {
            "question_id": id, "turn": _TURNS[rank], "stratum": question.stratum if question else "",
            "question": question.text if question else "",
            "expected": " ".join(question.gold_claims) if question else "",
            "base": _shown(pair.base, said, question), "cand": _shown(pair.cand, said, question),
        }  # fmt: skip
    return list(found.values())


def _bucket(reading: Reading) -> str | None:
    return reading.graded if reading.label in (None, CANNOT_TELL) else reading.label


def _turn(before: str | None, after: str | None) -> str:
    if after is None:
        return "not graded"
    if after in BAD:
        return "still bad" if before in BAD and after == "unsupported" else f"became {after}"
    return "mended" if before in BAD else "now refused" if after == "refused" else "other change"


def _shown(reading: Reading, said: Mapping[tuple[str, str], Said], question: Question | None) -> dict[str, Any]:
    one = said[reading.question, reading.key]
    verdict = one.graded.get(BUCKET_AXIS)
    return {
        "bucket": _bucket(reading), "graded": reading.graded,
        "by": whose([one.verdicts[BUCKET_AXIS].grader]) if one.is_labelled(BUCKET_AXIS) else GRADER,
        "answer": one.trace.answer if one.trace else None, "error": one.trace.error if one.trace else None,
        "runs": len(reading.base) + len(reading.cand), "reason": verdict.reason if verdict else "",
        "evidence": [to_builtins(part) for part in verdict.evidence] if verdict else [],
        "cited": [to_builtins(passage) for passage in cited_by(one, question)],
    }  # fmt: skip


def in_one_sentence(found: GateResult) -> str:
    """Why it was decided so."""
    open_ = [rule for rule in found.rules if rule.waiver is None]
    if found.outcome == "SHIP":
        if not found.differing:
            return f"every answer of {found.names['cand']} is one that {found.names['base']} gave too: nothing changed."
        margins = [f"{rule.metric} by more than {words_for(rule, rule.margin)}" for rule in open_
                   if rule.metric in BAD and rule.margin is not None and rule.change is not None]  # fmt: skip
        kept = " or ".join(margins)
        told = [f"a rise of {kept} is excluded, and no more questions are newly bad than mended" if kept
                else "all rules hold"]  # fmt: skip
        if found.unseen:
            told.append(f"nobody looked at {found.unseen} of {counted(found.differing, 'differing pair')}")
        if found.cannot_tell:
            told.append(f"people cannot tell of {names(found.cannot_tell, len(found.cannot_tell), 4)}")
        return f"{'; '.join(told)}."
    if found.outcome == "BLOCK":
        told = [_moved_words(rule, found) for rule in open_ if rule.status == "fail"]
        more = len(told) - _REASONS
        told[_REASONS:] = [f"{counted(more, 'more rule')} {'fails' if more == 1 else 'fail'}"] if more > 0 else []
        told += [f"the run is incomplete too: {one}" for one in found.incomplete]
        return f"{'; '.join(told)}."
    told = list(found.incomplete) + [f"{rule.name} is not met" for rule in open_ if rule.status == "incomplete"]
    if told:
        return f"{'; '.join(told)}."
    if found.lean:
        counts = {"newly wrong": found.newly_wrong, "newly unsupported": found.newly_unsupported,
                  "mended": {*found.mended_wrong, *found.mended_unsupported}}  # fmt: skip
        by_grader = ", ".join(f"{len(ids)} {what}" for what, ids in counts.items() if ids)
        by_grader = by_grader or "no question is newly bad or mended"
        step = found.next[0].partition(": ")[0] if found.next else "nothing can be looked at"
        return f"leaning {found.lean}: by the grader, {by_grader}; {step}."
    for rule in open_:
        if rule.status == "undecidable" and rule.change is not None and rule.margin is not None:
            way = "risen" if _worst(rule) == rule.high else "fallen"
            by, allowed = words_for(rule, abs(_worst(rule))), words_for(rule, abs(rule.margin))
            by = by if by != allowed else f"a little more than {by}"
            told.append(f"{_called(rule)} may have {way} by up to {by}; you allow {allowed}")
        elif rule.status == "undecidable" and not (told and rule.metric in LASTING):
            told.append(f"{rule.name}: {rule.reason}")
    step = found.next[0].partition(": ")[0] if found.next else ""
    told[_REASONS:] = [f"{len(told) - _REASONS} more open"] if len(told) > _REASONS else []
    told += ["ask the questions in doubt again"] if step.startswith("surefoot run") else [step] * bool(step)
    return f"{'; '.join(told) or 'no rule applies'}."


def _moved_words(rule: RuleResult, found: GateResult) -> str:
    if rule.metric in LASTING:
        bucket = rule.metric.removeprefix("newly_")
        mended = found.mended_wrong if bucket == "wrong" else found.mended_unsupported
        better = f"{len(mended)} mended ({names(mended, len(mended), 4)})" if mended else "none mended"
        ids = names(rule.questions, len(rule.questions), 4)
        return f"{counted(len(rule.questions), 'question')} newly {bucket} for good ({ids}), {better}"
    if rule.change is None:
        limit = "" if rule.limit is None or rule.after is None else f" ({rule.after:g}, the limit is {rule.limit:g})"
        return f"{rule.name} does not hold{limit}"
    by, *both = (words_for(rule, abs(one or 0)) for one in (rule.change, rule.low, rule.high))
    least, most = both if rule.change > 0 else both[::-1]
    ends = f" ({least.removesuffix(' points')} to {most})" if rule.low != rule.high else ""
    if rule.metric in BAD:
        return f"{by} more of {found.questions} answers {'is' if by == '1' else 'are'} {rule.metric}{ends}"
    return f"{_called(rule)} {'rose' if rule.change > 0 else 'fell'} by {by}{ends}"


def _called(rule: RuleResult) -> str:
    return (rule.metric if " " in rule.name else rule.name).replace("_", " ")


def words_for(rule: RuleResult, value: float | None) -> str:
    """A number of a rule as people read it: of a share in points."""
    metric = metric_named(rule.metric)
    if value is None:
        return "-"
    if metric is not None and metric.shape == "share":
        return f"{round(value * 100, 1) + 0.0:g} points"
    return f"{round(value, 2 if metric is not None and metric.shape == 'mean' else 1) + 0.0:g}"
