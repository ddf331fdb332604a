"""A question set from documents, or from a log of what people asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from surefoot.build.builder import TEMPLATES, Builder
from surefoot.build.wording import prompt, reworded
from surefoot.core.errors import ExitCode, Incomplete, UsageError, check_number
from surefoot.core.result import READER, Person, Result, Seen, Watch
from surefoot.core.rubric import Citations
from surefoot.core.types import Question
from surefoot.core.words import counted
from surefoot.corpus.corpus import load_rows
from surefoot.corpus.passages import Row
from surefoot.datasets.protocol import KINDS, PROTOCOL, counts_of, kind_of
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.io.questions import PROPOSED, REJECTED, made_of, question_of, review_of
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.services.graders import settings_of
from surefoot.services.log_questions import proposals_from_log
from surefoot.services.questions import accept_unread
from surefoot.services.settings import Given, Settings, settings_from
from surefoot.text.normal import normalise, unreadable

_MOST = 10_000
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
    check_number("size", size, 1, _MOST)
    how = settings_from(settings, citations=citations, yes=yes, map=mapping)
    if corpus is None and from_traces is None:
        raise UsageError("there is nothing to build questions of", "name a corpus, or a log with --from-traces")
    if from_traces is not None and mix is not None:
        raise UsageError("a log has the mix it has", "leave out --mix, or --from-traces")
    if from_traces is None and mapping:
        raise UsageError("--map was given without --from-traces", "it says where the fields of a log lie")
    if corpus is not None and Path(corpus).resolve() == Path(out).resolve():
        raise UsageError(f"{out} is the corpus", "name another file for the questions")
    wanted, file = counts_of(size, _checked(mix)), QuestionFile(out)
    file.path.parent.mkdir(parents=True, exist_ok=True)
    there = file.questions()
    made = Counter(kind_of(question) for question in there if review_of(question) != REJECTED)
    taken = {normalise(text) for question in there for text in _texts(question)}
    before, rows = made.total(), list[Row]()
    missing = max(size - before, 0)
    if from_traces is not None:
        found = proposals_from_log(from_traces, corpus, missing, taken, settings=how, mapping=how.map, person=person)
        new: Iterator[Question] = map(question_of, found)
    else:
        rows = load_rows(str(corpus), tell=person.tell)
        new = _built(Builder(rows, seed), wanted, made, size, taken)
    _write(file, new, made, person.watch(missing, "questions"))
    if model is not None:
        _reword(file, model, how, person)
    if accept_all and made:
        accept_unread(file.path)
    short = {name: wanted[name] - made[name] for name in wanted if wanted[name] > made[name]}
    if from_traces is not None:  # a log has as many questions worth keeping as it has
        short, size = {}, min(size, made.total())
    _tell_short(short, made, size, rows, person)
    proposed = sum(review_of(question) == PROPOSED for question in file.questions())
    counts = {kind.name: made[kind.name] for kind in PROTOCOL}
    return Built(str(file.path), made.total(), made.total() - before, proposed, counts, short, size)


def _write(file: QuestionFile, new: Iterator[Question], made: Counter[str], watch: Watch) -> None:
    with closing(watch):
        for question in new:
            file.add(question)
            made[kind_of(question)] += 1
            watch.count(Seen())


def _texts(question: Question) -> Iterator[str]:
    """As it is worded now, and as it was made."""
    made = made_of(question)
    proposed = made.get("proposed")
    before = proposed.get("question") if isinstance(proposed, dict) else None
    yield from (str(text) for text in (question.text, made.get("template"), before) if text)


def _checked(mix: Mapping[str, int] | None) -> Mapping[str, int] | None:
    names = list(KINDS)
    for name, share in (mix or {}).items():
        if name not in names:
            raise UsageError(f"the mix has no kind {name!r}", f"the kinds are {', '.join(names)}")
        check_number(f"the share of {name}", share, 0)
    if mix is not None and not sum(mix.values()):
        raise UsageError("the mix asks for no question", "give at least one kind a share above 0")
    return mix


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
    watch, kept, failed = person.watch(len(waiting), "wordings"), 0, list[tuple[str, str]]()
    with closing(watch):
        for place, reply in opened.complete_all([prompt(question.text) for question in waiting]):
            watch.count(Seen(reply.error or None))
            text = reworded(waiting[place].text, reply.text)
            kept += text is None
            failed += [(reply.error, reply.hint)] if reply.error else []
            if text is not None:
                file.change(partial(_worded, waiting[place].id, text, opened.name))
    person.tell_causes(failed)
    if failed and len(failed) == len(waiting):
        raise Incomplete("no question was worded anew: the model did not answer", "the file has them as they were made")
    if kept:
        person.tell(f"note: {counted(kept, 'question')} kept the words of the template: no better ones came back")


def _worded(qid: str, text: str, model: str, entry: Entry) -> Question | None:
    question = entry.question
    if question.id != qid:
        return None
    made = {**made_of(question), "by": model, "template": question.text}
    return replace(question, text=text, metadata={**question.metadata, "made": made})


def _tell_short(
    short: Mapping[str, int], made: Mapping[str, int], size: int, rows: Sequence[Row], person: Person
) -> None:
    if short and (foreign := sum(unreadable(row.text) == "not English" for row in rows)):
        person.tell(f"note: {foreign:,} of {counted(len(rows), 'passage')} are not English and were not used")
    for name, lacking in short.items():
        what = f"{made[name]} of {made[name] + lacking} questions that {KINDS[name].what}"
        person.tell(f"note: {name} has {what}: the documents do not give more")
    if (total := sum(made.values())) < size:
        hint = "add documents, or write the others on the page of `questions review`"
        person.tell(f"warning: {total:,} of {size:,} questions: {hint}")
