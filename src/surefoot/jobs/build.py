"""A question set from documents, or from a log of what people asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from surefoot.build.builder import TEMPLATES, Builder
from surefoot.build.from_log import proposals, wanted_of
from surefoot.build.proof import Proof
from surefoot.build.wording import prompt, reworded
from surefoot.core.errors import ExitCode, Incomplete, UsageError, check_number
from surefoot.core.files import make_folder
from surefoot.core.result import READER, Person, Result, Seen, tell_problems
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, Question, counted
from surefoot.corpus.corpus import PassageTexts, load_rows
from surefoot.datasets.protocol import KINDS, PROTOCOL, counts_of, kind_of
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.graders.grader import Reader, read_watched
from surefoot.io.questions import PROPOSED, REJECTED, made_of, question_of, review_of, row_of
from surefoot.jobs.grade import DEFAULT, read_log
from surefoot.jobs.graders import open_grader, settings_of
from surefoot.jobs.questions import accept_unread
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
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
    if mix is not None and (min(mix.values(), default=0) < 0 or not sum(mix.values())):
        raise UsageError("the mix asks for no question", "give kinds whole shares, and at least one a share above 0")
    wanted, file = counts_of(size, mix), QuestionFile(out)
    make_folder(file.path)
    there = file.questions()
    made = Counter(kind_of(question) for question in there if review_of(question) != REJECTED)
    taken = {normalise(text) for question in there for text in _texts(question)}
    before, rows = made.total(), [] if from_traces is not None else load_rows(str(corpus), tell=person.tell)
    missing, new = max(size - before, 0), cast(Iterator[Question], iter(()))
    if from_traces is None:
        new = _built(Builder(rows, seed), wanted, made, size, taken)
    elif missing:
        found = proposals_from_log(from_traces, corpus, missing, taken, settings=how, mapping=how.map, person=person)
        new = map(question_of, found)
    with closing(person.watch(missing, "questions")) as watch:
        for question in new:
            file.add(question)
            made[kind_of(question)] += 1
            watch.count(Seen())
    if model is not None:
        _reword(file, model, how, person)
    if accept_all and made:
        accept_unread(file)
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
        for place, reply in opened.complete_all([prompt(question.text) for question in waiting]):
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
    grader: str | Reader = DEFAULT,
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
