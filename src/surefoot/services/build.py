"""A question set from documents, or from a log of what people asked."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from surefoot.build.builder import Builder, Draft
from surefoot.build.wording import prompt, reworded
from surefoot.corpus.load import load_rows
from surefoot.corpus.passages import Row as CorpusRow
from surefoot.datasets.protocol import KINDS, PROTOCOL, counts_of, kind_of
from surefoot.datasets.question_file import Entry, QuestionFile, Row
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.io.questions import PROPOSED, REJECTED, question_of, review_of, text_key
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.report.words import counted
from surefoot.services.graders import Terms, settings_of
from surefoot.services.inputs import check_number
from surefoot.services.log_questions import proposals_from_log
from surefoot.services.result import READER, Fields, Person, Seen
from surefoot.services.review import accept_unread
from surefoot.text.language import unreadable
from surefoot.text.normal import normalise
from surefoot.types import Question

TEMPLATES = "templates"
_MOST = 10_000
_INSTEAD = {  # what stands in for a kind of which the documents do not give enough
    "bait_wrong": "plain", "bait_unsupported": "unanswerable", "refuse": "unanswerable", "adversarial": "unanswerable",
    "unanswerable": "refuse", "retrieval_null": "plain", "plain": "bait_wrong",
}  # fmt: skip


@dataclass(frozen=True)
class Built(Fields):
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
    terms: Terms | None = None,
    person: Person = READER,
) -> Built:
    """Write questions to `out`, as proposals for a person to review; a `model` words them anew.

    They are made of the corpus, or taken out of a log of what people asked. Questions that are in the file already stay
    and count, so an interrupted build goes on where it stopped, and one that was reviewed can be filled up again.
    """
    check_number("size", size, 1, _MOST)
    if from_traces is not None and mix is not None:
        raise UsageError("a log has the mix it has", "leave out --mix, or --from-traces")
    if from_traces is None and mapping:
        raise UsageError("--map was given without --from-traces", "it says where the fields of a log lie")
    wanted = counts_of(size, _checked(mix))
    if corpus is not None and Path(corpus).resolve() == Path(out).resolve():
        raise UsageError(f"{out} is the corpus", "name another file for the questions")
    file = QuestionFile(out)
    file.path.parent.mkdir(parents=True, exist_ok=True)
    there = [entry.question for entry in file.entries()] if file.path.exists() else []
    made = Counter(kind_of(question) for question in there if review_of(question) != REJECTED)
    taken = {normalise(text) for question in there for text in _texts(question)}
    before = made.total()
    if from_traces is not None:
        most = max(size - before, 0)
        new = iter(proposals_from_log(from_traces, corpus, most, taken, terms=terms, mapping=mapping, person=person))
    elif corpus is not None:
        rows = load_rows(corpus, tell=person.tell)
        new = map(row_of, _drafts(Builder(rows, seed), wanted, made, size, taken))
    else:
        raise UsageError("there is nothing to build questions of", "name a corpus, or a log with --from-traces")
    watch = person.watch(max(size - before, 0), "questions")
    try:
        for row in new:
            file.add(partial(_appended, row=row))
            made[kind_of(question_of(row))] += 1
            watch.count(Seen())
    finally:
        watch.close()
    if model is not None and file.path.exists():
        _reword(file, model, terms or Terms(), person)
    if accept_all and file.path.exists():
        accept_unread(file.path)
    short = {name: wanted[name] - made[name] for name in wanted if wanted[name] > made[name]}
    if from_traces is not None:  # a log has as many questions worth keeping as it has
        short, size = {}, min(size, made.total())
    else:
        _tell_short(wanted, made, size, rows, person)
    every = [entry.question for entry in file.entries()] if file.path.exists() else []
    proposed = sum(review_of(question) == PROPOSED for question in every)
    counts = {kind.name: made[kind.name] for kind in PROTOCOL}
    return Built(str(file.path), made.total(), made.total() - before, proposed, counts, short, size)


def _texts(question: Question) -> Iterator[str]:
    """As it is worded now, and as it was made."""
    yield question.text
    made = question.metadata.get("made")
    if isinstance(made, dict):
        proposed = made.get("proposed")
        before = proposed.get("question") if isinstance(proposed, dict) else None
        yield from (str(text) for text in (made.get("template"), before) if text)


def _checked(mix: Mapping[str, int] | None) -> Mapping[str, int] | None:
    names = list(KINDS)
    for name, share in (mix or {}).items():
        if name not in names:
            raise UsageError(f"the mix has no kind {name!r}", f"the kinds are {', '.join(names)}")
        check_number(f"the share of {name}", share, 0)
    if mix is not None and not sum(mix.values()):
        raise UsageError("the mix asks for no question", "give at least one kind a share above 0")
    return mix


def _drafts(
    builder: Builder, wanted: Mapping[str, int], made: Counter[str], size: int, taken: set[str]
) -> Iterator[Draft]:
    """Each kind in turn, the scarce one first; then, for what is missing, the kind that comes closest."""
    for kind in sorted(PROTOCOL, key=lambda kind: kind.name != "bait_wrong"):
        missing = min(wanted[kind.name] - made[kind.name], size - made.total())
        yield from builder.drafts(kind, missing, taken)
    for kind in PROTOCOL:
        missing = min(wanted[kind.name] - made[kind.name], size - made.total())
        if missing > 0:
            yield from builder.drafts(KINDS[_INSTEAD[kind.name]], missing, taken)


def _reword(file: QuestionFile, model: str | Model, terms: Terms, person: Person) -> None:
    """Let a model word the proposals; a wording that loses a name or a number is not taken."""
    waiting = [entry for entry in file.entries() if review_of(entry.question) == PROPOSED and _is_from_template(entry)]
    opened = open_model(model, settings_of(terms), Budget(terms.max_cost)) if isinstance(model, str) else model
    person.tell(f"replies wanted: {len(waiting):,}; --max-cost limits what they may cost")
    if not terms.yes and not person.agrees():
        raise Incomplete("no question was worded anew", "--yes skips the confirmation")
    watch, kept, failed = person.watch(len(waiting), "wordings"), 0, list[tuple[str, str]]()
    try:
        for place, reply in opened.complete_all([prompt(entry.question.text) for entry in waiting]):
            watch.count(Seen(reply.error or None))
            text = reworded(waiting[place].question.text, reply.text)
            kept += text is None
            failed += [(reply.error, reply.hint)] if reply.error else []
            if text is not None:
                file.change(partial(_worded, waiting[place].question.id, text, opened.name))
    finally:
        watch.close()
    person.tell_causes(failed)
    if failed and len(failed) == len(waiting):
        raise Incomplete("no question was worded anew: the model did not answer", "the file has them as they were made")
    if kept:
        person.tell(f"note: {counted(kept, 'question')} kept the words of the template: no better ones came back")


def _is_from_template(entry: Entry) -> bool:
    return entry.made.get("by") == TEMPLATES


def _worded(qid: str, text: str, model: str, entry: Entry) -> Row | None:
    if entry.question.id != qid:
        return None
    return {
        **entry.row,
        text_key(entry.row): text,
        "made": {**entry.made, "by": model, "template": entry.question.text},
    }


def _appended(there: Sequence[Entry], row: Row) -> Row:
    """Under an id of its own: a log's may be in the file already."""
    ids, name = {entry.question.id for entry in there}, question_of(row).id
    others = (f"{name}-{number}" for number in itertools.count(2))
    free = next(new for new in itertools.chain([name], others) if new not in ids)
    return row if free == name else {**row, "qid": free}


def row_of(draft: Draft) -> Row:
    return {
        "qid": draft.id, "question": draft.text, "answerable": draft.kind.expects == "answer",
        "stratum": draft.kind.stratum,
        "probes": draft.probes, "gold_ids": list(draft.gold_ids), "gold_claims": list(draft.gold_claims),
        "retrieval": draft.kind.retrieval, "review": PROPOSED,
        "made": {"kind": draft.made_of, "by": TEMPLATES, "why": draft.why, "evidence": list(draft.evidence)},
    }  # fmt: skip


def _tell_short(
    wanted: Mapping[str, int], made: Mapping[str, int], size: int, rows: Sequence[CorpusRow], person: Person
) -> None:
    is_short = any(made[name] < count for name, count in wanted.items())
    if is_short and (foreign := sum(unreadable(row.text) == "not English" for row in rows)):
        person.tell(f"note: {foreign:,} of {counted(len(rows), 'passage')} are not English and were not used")
    for name, count in wanted.items():
        if made[name] < count:
            what = f"questions that {KINDS[name].what}"
            person.tell(f"note: {name} has {made[name]} of {count} {what}: the documents do not give more")
    if (total := sum(made.values())) < size:
        hint = "add documents, or write the others with `questions add`"
        person.tell(f"warning: {total:,} of {size:,} questions: {hint}")
