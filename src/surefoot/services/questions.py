"""Question sets: made of documents or a log, reviewed, checked, locked, compared, cloned."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.build.builder import TEMPLATES, Builder
from surefoot.build.duplicates import duplicates_of
from surefoot.build.from_log import proposals, wanted_of
from surefoot.build.proof import Proof
from surefoot.build.reading import Reader
from surefoot.build.wording import prompt as wording_prompt
from surefoot.build.wording import reworded
from surefoot.core.errors import ExitCode, Incomplete, UsageError, check_number
from surefoot.core.files import make_folder, replace_file
from surefoot.core.result import READER, Person, Result, Seen, tell_problems
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, Problem, Question
from surefoot.core.words import counted
from surefoot.corpus.corpus import PassageTexts, load_corpus, load_rows
from surefoot.datasets.hygiene import ERRORS, SURE, Finding, changed_questions, findings_of, problem_of
from surefoot.datasets.locks import Difference, difference, hashes_in, lock_path, since_locked, write_lock
from surefoot.datasets.protocol import KINDS, PROTOCOL, counts_of, kind_of, mix_of
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.datasets.review import Decision, accepted_unread, decided
from surefoot.io import questions as sets
from surefoot.io.questions import ACCEPTED, PROPOSED, REJECTED, made_of, question_of, review_of, row_of
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.services.grade import DEFAULT, read_log
from surefoot.services.graders import Reader as Grader
from surefoot.services.graders import open_grader, read_watched, settings_of
from surefoot.services.settings import Given, Settings, settings_from
from surefoot.text.normal import normalise, unreadable

_INSTEAD = {  # what stands in for a kind of which the documents do not give enough
    "bait_wrong": "plain", "bait_unsupported": "unanswerable", "refuse": "unanswerable", "adversarial": "unanswerable",
    "unanswerable": "refuse", "retrieval_null": "plain", "plain": "bait_wrong",
}  # fmt: skip


class Built(Result, frozen=True):
    """`made` are the questions of each kind in the file; `short` is what could not be made."""

    file: str
    questions: int
    added: int
    proposed: int
    made: dict[str, int]
    short: dict[str, int]
    size: int

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if self.questions >= self.size else ExitCode.INCOMPLETE


class Checked(Result, frozen=True):
    """`findings` are all errors and warnings with the question's id, and those that are less than 50 % sure too."""

    ok: bool
    questions: int
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if self.ok else ExitCode.BLOCKED


class Locked(Result, frozen=True):
    """Nothing was locked where questions have `changed` under their ids."""

    lock: str
    questions: int
    changed: tuple[Problem, ...] = ()
    accepted_unread: int = 0

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.BLOCKED if self.changed else ExitCode.OK


class Cloned(Result, frozen=True):
    file: str
    questions: int
    renamed: dict[str, str]
    to_edit: tuple[str, ...]  # not locked until they are edited and `lock_questions` is called
    rejected: int = 0  # left behind in the old file


class Reviewed(Result, frozen=True):
    """How many questions of the file are in each state of the review."""

    file: str
    proposed: int
    accepted: int
    rejected: int


def build_questions(
    corpus: str | Path | None = None,
    *,
    out: str | Path,
    size: int = 130,
    mix: Mapping[str, int] | None = None,
    from_traces: str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    accept_all: bool = False,
    seed: int = 0,
    model: str | Model | None = None,
    citations: Citations | None = None,
    yes: bool = False,
    settings: Given = None,
    person: Person = READER,
) -> Built:
    """Write questions to `out`, as proposals for a person to review; a `model` words them anew.

    They are made of the corpus, or taken out of a log of what people asked. Questions that are in the file already stay
    and count, so an interrupted build goes on where it stopped, and one that was reviewed can be filled up again.
    """
    check_number("size", size, 1, 10_000)
    how = settings_from(settings, citations=citations, yes=yes, map=mapping)
    if corpus is None and from_traces is None:
        raise UsageError("there is nothing to build questions of", "name a corpus, or a log with --from-traces")
    if from_traces is not None and mix is not None:
        raise UsageError("a log has the mix it has", "leave out --mix, or --from-traces")
    if from_traces is None and mapping:
        raise UsageError("--map was given without --from-traces", "it says where the fields of a log lie")
    if Path(out).resolve() in {Path(one).resolve() for one in (corpus, from_traces) if one is not None}:
        raise UsageError(f"{out} is what the questions are to be made of", "name another file for the questions")
    if unknown := sorted({*(mix or ())} - {*KINDS}):
        raise UsageError(f"the mix has no kind {unknown[0]!r}", f"the kinds are {', '.join(KINDS)}")
    for name, share in (mix or {}).items():
        check_number(f"the share of {name}", share, 0)
    if mix is not None and not sum(mix.values()):
        raise UsageError("the mix asks for no question", "give at least one kind a share above 0")
    wanted, file = counts_of(size, mix), QuestionFile(out)
    make_folder(file.path)
    there = file.questions()
    made = Counter(kind_of(question) for question in there if review_of(question) != REJECTED)
    taken = {normalise(text) for question in there for text in _texts(question)}
    before = made.total()
    missing = max(size - before, 0)
    rows = [] if from_traces is not None else load_rows(str(corpus), tell=person.tell)
    if from_traces is not None:
        found = proposals_from_log(from_traces, corpus, missing, taken, settings=how, mapping=how.map, person=person)
        new: Iterator[Question] = map(question_of, found)
    else:
        new = _built(Builder(rows, seed), wanted, made, size, taken)
    with closing(person.watch(missing, "questions")) as watch:
        for question in new:
            file.add(question)
            made[kind_of(question)] += 1
            watch.count(Seen())
    if model is not None:
        _reword(file, model, how, person)
    if accept_all and made:
        _accept_unread(file)
    short = {name: wanted[name] - made[name] for name in wanted if wanted[name] > made[name]}
    if from_traces is not None:  # a log has as many questions worth keeping as it has
        short, size = {}, min(size, made.total())
    if short and (foreign := sum(unreadable(row.text) == "not English" for row in rows)):
        person.tell(f"note: {foreign:,} of {counted(len(rows), 'passage')} are not English and were not used")
    for name, lacking in short.items():
        what = f"{made[name]} of {made[name] + lacking} questions that {KINDS[name].what}"
        person.tell(f"note: {name} has {what}: the documents do not give more")
    if made.total() < size:
        hint = "add documents, or write the others on the page of `questions review`"
        person.tell(f"warning: {made.total():,} of {size:,} questions: {hint}")
    proposed = sum(review_of(question) == PROPOSED for question in file.questions())
    counts = {kind.name: made[kind.name] for kind in PROTOCOL}
    return Built(str(file.path), made.total(), made.total() - before, proposed, counts, short, size)


def _texts(question: Question) -> Iterator[str]:
    """As it is worded now, and as it was made."""
    made = made_of(question)
    proposed = made.get("proposed")
    before = proposed.get("question") if isinstance(proposed, dict) else None
    yield from (str(text) for text in (question.text, made.get("template"), before) if text)


def _built(
    builder: Builder, wanted: Mapping[str, int], made: Counter[str], size: int, taken: set[str]
) -> Iterator[Question]:
    """Each kind in turn, the scarce one first; then, for what is missing, the kind that comes closest."""
    first = sorted(PROTOCOL, key=lambda kind: kind.name != "bait_wrong")
    turns = [*((kind, kind) for kind in first), *((kind, KINDS[_INSTEAD[kind.name]]) for kind in PROTOCOL)]
    for kind, instead in turns:
        missing = min(wanted[kind.name] - made[kind.name], size - made.total())
        if missing > 0:
            yield from builder.questions(instead, missing, taken)


def _reword(file: QuestionFile, model: str | Model, settings: Settings, person: Person) -> None:
    """Let a model word the proposals; a wording that loses a name or a number is not taken."""
    waiting = [one for one in file.questions() if review_of(one) == PROPOSED and made_of(one).get("by") == TEMPLATES]
    if not waiting:
        return
    opened = open_model(model, settings_of(settings), Budget(settings.max_cost)) if isinstance(model, str) else model
    person.tell(f"replies wanted: {len(waiting):,}; `--set max_cost=USD` limits what they may cost")
    if not settings.yes and not person.agrees():
        raise Incomplete("no question was worded anew", "--yes skips the confirmation")
    kept, failed = 0, list[tuple[str, str]]()
    with closing(person.watch(len(waiting), "wordings")) as watch:
        for place, reply in opened.complete_all([wording_prompt(question.text) for question in waiting]):
            watch.count(Seen(reply.error or None))
            text = reworded(waiting[place].text, reply.text)
            kept += text is None
            failed += [(reply.error, reply.hint)] if reply.error else []
            if text is not None:
                file.change(partial(_worded, waiting[place].id, text, opened.name))
    person.tell_causes(failed)
    if len(failed) == len(waiting):
        raise Incomplete("no question was worded anew: the model did not answer", "the file has them as they were made")
    if kept:
        person.tell(f"note: {counted(kept, 'question')} kept the words of the template: no better ones came back")


def _worded(qid: str, text: str, model: str, entry: Entry) -> Question | None:
    question = entry.question
    made = {**made_of(question), "by": model, "template": question.text}
    return replace(question, text=text, metadata={**question.metadata, "made": made}) if question.id == qid else None


def proposals_from_log(
    traces: str | Path | Sequence[str | Path],
    corpus: str | Path | None = None,
    most: int = 100,
    known: Collection[str] = (),
    *,
    grader: str | Grader = DEFAULT,
    settings: Settings | None = None,
    mapping: Mapping[str, str] | None = None,
    person: Person = READER,
) -> list[dict[str, Any]]:
    """Rows of a question set, to be reviewed: questions of a log that were answered badly or refused, or that nobody
    else asked, each once, the worst first.

    Whether a question can be answered is looked up in the corpus; without one, in what was retrieved for it, and where
    the log has no text of that, the question is left out. So are those whose normalised text is `known`.
    """
    check_number("most", most, 1)
    chosen = open_grader(grader, settings, person=person)
    texts = PassageTexts.of(corpus, person.tell)
    log = read_log([traces] if isinstance(traces, (str, Path)) else traces, mapping, texts)
    for problems in (log.notes, log.problems, texts.problems() if texts else []):
        tell_problems(problems, person.tell)
    by_id = {question.id: question for question in log.questions}
    graded = read_watched(chosen, [Item(by_id[str(trace.question_id)], trace) for trace in log.traces], person)
    if left := sum(one.bucket is None for one in graded):
        person.tell(f"note: {counted(left, 'answer')} could not be graded, and nothing is proposed for them")
    new = [one for one in wanted_of(graded) if normalise(one.question.text) not in known]
    wanted = new if texts else [one for one in new if one.retrieved]  # where there is no text, nothing is known
    if left := len(new) - len(wanted):
        why = "the log has no text of a passage to look for an answer in; give the corpus as well"
        person.tell(f"note: {counted(left, 'question')} left out: {why}")
    if len(wanted) > most:
        person.tell(f"note: the {most} questions with the worst answers are proposed, of {len(wanted)}")
    with closing(person.watch(min(most, len(wanted)), "proposed")) as watch:
        proof = Proof(texts.passages) if texts else None
        found = list(proposals(wanted[:most], proof, lambda one: watch.count(one.trace)))
    if left := sum(one.answerable and not one.gold_ids for one in found):
        why = "the log has no id of the passage that answers; give the corpus as well"
        person.tell(f"note: {counted(left, 'question')} without gold ids: {why}")
    return [row_of(one) for one in found]


def check_questions(
    file: str | Path,
    *,
    corpus: str | Path | None = None,
    prompt: str | Path | None = None,
    strict: bool = False,
    person: Person = READER,
) -> Checked:
    """Find what is wrong with a question set: duplicates, leaks, one-sidedness, changes under an id.

    With `corpus` the set is read against it: gold passages that lack or contradict the gold claim, unanswerable
    questions that a passage answers. `strict` accepts no finding that is at least 50 % sure; else only errors count.
    """
    found = sets.load(file)
    warned: list[str] = []
    passages = None if corpus is None else load_corpus(corpus, with_texts=False, tell=warned.append)
    words = "" if prompt is None else Path(prompt).read_text("utf-8", "replace")
    findings = [*findings_of(found, passages, words), *mix_of(found.questions), *duplicates_of(found.questions)]
    if passages and not any(passage.text.strip() for passage in passages):
        findings.append(Finding(None, "not_read", "was not read against the corpus, which has ids and no texts"))
    elif passages:
        reader = Reader(passages)
        with closing(person.watch(len(found.questions), "questions read")) as watch:
            for question in found.questions:
                findings += reader.findings(question)
                watch.count(Seen())
    problems = [*found.problems, *(problem_of(one, found) for one in findings if one.confidence >= SURE)]
    problems += [Problem("corpus", warning.removeprefix("warning: ")) for warning in warned]
    errors = tuple(problem for problem in problems if problem.kind in ERRORS)
    warnings = tuple(problem for problem in problems if problem.kind not in ERRORS)
    findings = [*(Finding(None, one.kind, str(one)) for one in found.problems), *findings]
    ok = not errors and not (strict and any(one.confidence >= SURE and one.kind != "note" for one in findings))
    return Checked(ok, len(found.questions), errors, warnings, tuple(findings))


def lock_questions(file: str | Path, *, accept_changes: bool = False, accept_all: bool = False) -> Locked:
    """Write FILE.lock with a content hash per question id.

    Without `accept_changes` no question may have changed, and without `accept_all` none may be merely proposed: it
    accepts those unread, and both the rows and the lock say so.
    """
    found, path = sets.load_sound(file), lock_path(file)
    changed = () if accept_changes else tuple(problem_of(one, found) for one in changed_questions(found))
    if changed:
        return Locked(str(path), len(found.questions), changed)
    if found.proposed and not accept_all:
        message = f"{file}: nobody has reviewed {counted(found.proposed, 'proposed question')}"
        hint = f"`surefoot questions review {file} --corpus CORPUS` shows them; --accept-all accepts them unread"
        raise UsageError(message, hint)
    if found.proposed:
        _accept_unread(QuestionFile(file))
        found = sets.load_sound(file)
    return Locked(str(path), len(found.questions), accepted_unread=write_lock(path, found.questions))


def _accept_unread(file: QuestionFile) -> None:
    """Accept all that is proposed, and write down that nobody read it."""
    file.change(lambda entry: accepted_unread(entry.question) if review_of(entry.question) == PROPOSED else None)


def diff_questions(old: str | Path, new: str | Path | None = None) -> Difference:
    """Compare two sets, or a set with its lock file."""
    before, after = (lock_path(old), Path(old)) if new is None else (Path(old), Path(new))
    if not before.exists():
        raise UsageError(f"{old} has no lock file to compare with", f"make one with `surefoot questions lock {old}`")
    return difference(hashes_in(before), hashes_in(after))


def clone_questions(file: str | Path, new: str | Path, *, change: Collection[str] = ()) -> Cloned:
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those in `change`, which are then to be edited, and those that differ from FILE.lock already. NEW.lock
    is written too; it leaves the former open, and those that nobody has reviewed.
    """
    target = Path(new)
    if target.exists():
        raise UsageError(f"{new} exists already", "choose another name: a version is never overwritten")
    found = sets.load_sound(file)
    ids, locked = [question.id for question in found.questions], since_locked(file, found.questions)
    if unknown := sorted({*change} - {*ids}):
        raise UsageError(f"there is no question {unknown[0]!r} to change", "name the ids as they stand in the set")
    renamed: dict[str, str] = {}
    for qid in sorted({*change, *(locked.changed if locked else ())}, key=ids.index):
        match = re.fullmatch(r"(.+)@v(\d{1,9})", qid)  # q7 -> q7@v2 -> q7@v3
        stem, number = (match[1], int(match[2])) if match else (qid, 1)
        versions = (f"{stem}@v{one}" for one in itertools.count(number + 1))
        renamed[qid] = next(one for one in versions if one not in {*ids, *renamed.values()})
    kept: dict[str, object] = {}  # the rows as they stand in the file, each question once
    for value in (row.value for row in sets.rows_of(str(file)) if isinstance(row.value, dict)):
        question = question_of(value)
        if question.id in renamed:
            key = next(name for name in sets.NAMES["id"] if value.get(name) is not None)
            value = {**value, key: renamed[question.id], "replaces": question.id}
        if review_of(question) != REJECTED:
            kept.setdefault(question.id, value)
    make_folder(target)
    replace_file(target, _encoded(target.suffix, [*kept.values()]))
    cloned = sets.load_sound(new).questions
    to_edit = tuple(sorted(renamed[qid] for qid in set(change)))
    is_open = {*to_edit, *(question.id for question in cloned if review_of(question) == PROPOSED)}
    write_lock(lock_path(new), [question for question in cloned if question.id not in is_open])
    return Cloned(str(new), len(cloned), renamed, to_edit, found.rejected)


def _encoded(suffix: str, rows: Sequence[object]) -> bytes:
    if suffix in (".yaml", ".yml"):
        return msgspec.yaml.encode(rows, enc_hook=str)
    if suffix in (".jsonl", ".ndjson"):
        return msgspec.json.Encoder(enc_hook=str).encode_lines(rows)
    return b"[\n" + b",\n".join(b"  " + msgspec.json.encode(row, enc_hook=str) for row in rows) + b"\n]\n"


def review_questions(
    file: str | Path, *, accept: Collection[str] = (), reject: Collection[str] = (), by: str = "python"
) -> Reviewed:
    """Accept and reject questions by their ids, and say how many are in each state; `surefoot questions review` is
    the page for it."""
    questions = QuestionFile(file)
    if strange := sorted({*accept, *reject} - {question.id for question in questions.questions()}):
        raise UsageError(f"there is no question {strange[0]!r} to review", "name the ids as they stand in the set")
    if both := sorted({*accept} & {*reject}):
        raise UsageError(f"the question {both[0]!r} cannot be both accepted and rejected", "name it once")
    decisions: dict[str, Decision] = {**dict.fromkeys(accept, "accepted"), **dict.fromkeys(reject, "rejected")}

    def make(entry: Entry) -> Question | None:
        decision = decisions.get(entry.question.id)
        return decided(entry.question, decision, by) if decision else None

    if decisions:
        questions.change(make)
    found = Counter(map(review_of, questions.questions()))
    return Reviewed(str(file), found[PROPOSED], found[ACCEPTED], found[REJECTED])
