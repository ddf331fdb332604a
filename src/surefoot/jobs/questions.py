"""A question set from documents, or from a log of what people asked; and which passages of documents fit words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from surefoot.build.builder import TEMPLATES, Builder
from surefoot.build.from_log import proposals
from surefoot.build.wording import filling, reword
from surefoot.core.errors import ExitCode, UsageError, check_number
from surefoot.core.files import make_folder
from surefoot.core.result import READER, Person, Result, Seen, tell_problems
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, Question, counted
from surefoot.corpus.corpus import Passages, PassageTexts, load_rows, shown
from surefoot.datasets.protocol import PROTOCOL, counts_of, kind_of
from surefoot.datasets.question_file import QuestionFile
from surefoot.datasets.review import accept_unread, usual_size, wordings_of
from surefoot.graders.grader import Reader, read_watched
from surefoot.graders.llm import agree
from surefoot.io.questions import PROPOSED, REJECTED, made_of, question_of, review_of, row_of
from surefoot.jobs.grade import DEFAULT, open_grader, read_log, settings_of
from surefoot.jobs.settings import Given, settings_from
from surefoot.models.budget import IF_NONE_AGAIN, Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import normalise, unreadable


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


def search_corpus(corpus: str | Path, words: str, *, limit: int = 10, person: Person = READER) -> Passages:
    """The passages that words fit best, the best first."""
    rows = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    found = Retriever(row.passage for row in rows.values()).search(words, min(limit, len(rows)))
    return Passages([{**shown(rows[passage.id]), "score": score} for passage, score in found])


def build_questions(
    corpus: str | Path | None = None, *, out: str | Path, size: int | None = None, mix: Mapping[str, int] | None = None,
    from_traces: str | Path | None = None, mapping: Mapping[str, str] | None = None, accept_all: bool = False,
    seed: int = 0, model: str | Model | None = None, citations: Citations | None = None, yes: bool = False,
    settings: Given = None, person: Person = READER,
) -> Built:  # fmt: skip
    """Write questions to `out`, as proposals for a person to review; a `model` words them anew.

    They are made of the corpus, or taken out of a log of what people asked: 130, or none more once the set is locked.
    Questions that are in the file already stay and count, so an interrupted build goes on where it stopped, and one
    that was reviewed can be filled up again.
    """
    how, given = settings_from(settings, map=mapping, citations=citations, yes=yes), dict(settings or {})
    given |= {"map": how.map, "citations": how.citations}
    if corpus is None and from_traces is None:
        raise UsageError("there is nothing to build questions of", "name a corpus, or a log with --from-traces")
    if from_traces is not None and mix is not None:
        raise UsageError("a log has the mix it has", "leave out --mix, or --from-traces")
    if Path(out).resolve() in {Path(one).resolve() for one in (corpus, from_traces) if one is not None}:
        raise UsageError(f"{out} is what the questions are to be made of", "name another file for the questions")
    file = QuestionFile(out)
    size = usual_size(file, person.tell) if size is None else size
    check_number("size", size, 1, 10_000)
    wanted, there = counts_of(size, mix), file.questions()
    make_folder(file.path)
    made = Counter(kind_of(question) for question in there if review_of(question) != REJECTED)
    taken = {normalise(text) for question in there for text in wordings_of(question)}
    before, rows = made.total(), [] if from_traces is not None else load_rows(str(corpus), tell=person.tell)
    missing, new = max(size - before, 0), cast(Iterable[Question], ())
    if from_traces is None:
        new = Builder(rows, seed).fill(wanted, made, size, taken)
    elif missing:
        new = map(question_of, proposals_from_log(from_traces, corpus, missing, taken, settings=given, person=person))
    with filling(file, person), closing(person.watch(missing, "questions")) as watch:
        for question in new:
            file.add(question)
            made[kind_of(question)] += 1
            watch.count(Seen())
    waiting = [one for one in file.questions() if review_of(one) == PROPOSED and made_of(one).get("by") == TEMPLATES]
    if model is not None and waiting:
        opened = open_model(model, settings_of(how), Budget(how.max_cost)) if isinstance(model, str) else model
        person.tell(f"replies wanted: {len(waiting):,} {IF_NONE_AGAIN}; `--set max_cost=USD` limits what they may cost")
        agree(person, how.yes, [opened.name])
        reword(file, waiting, opened, person, rows)
    if accept_all and made:
        accept_unread(file)
    short = {name: wanted[name] - made[name] for name in wanted if wanted[name] > made[name]}
    if from_traces is not None:  # a log has as many questions worth keeping as it has
        short, size = {}, min(size, made.total())
    if made.total() < size:
        if foreign := sum(unreadable(row.text) == "not English" for row in rows):
            person.tell(f"note: {foreign:,} of {counted(len(rows), 'passage')} are not English and were not used")
        lacking = ", ".join(f"{count} {name}" for name, count in short.items())
        hint = "add documents, or write the others on the page of `questions review`"
        person.tell(f"warning: {made.total():,} of {size:,} questions, short of {lacking}: {hint}")
    states = Counter(map(review_of, file.questions()))
    return Built(str(file.path), made.total(), made.total() - before, states[PROPOSED],
                 {kind.name: made[kind.name] for kind in PROTOCOL}, short, size)  # fmt: skip


def proposals_from_log(
    traces: str | Path | Sequence[str | Path], corpus: str | Path | None = None, most: int = 100,
    known: Collection[str] = (), *, grader: str | Reader = DEFAULT,
    citations: Citations | None = None, mapping: Mapping[str, str] | None = None, settings: Given = None,
    person: Person = READER,
) -> list[dict[str, Any]]:  # fmt: skip
    """Rows of a question set, to be reviewed: questions of a log that were answered badly or refused, or that nobody
    else asked, each once, the worst first.

    Whether a question can be answered is looked up in the corpus; without one, in what was retrieved for it, and where
    the log has no text of that, the question is left out. So are those whose normalised text is `known`.
    """
    check_number("most", most, 1)
    how = settings_from(settings, map=mapping, citations=citations)
    chosen = open_grader(grader, how, person=person)
    texts = PassageTexts.of(corpus, person.tell) if corpus is not None else None
    log = read_log([traces] if isinstance(traces, (str, Path)) else traces, how.map, texts)
    for problems in (log.notes, log.problems, texts.problems() if texts else []):
        tell_problems(problems, person.tell)
    by_id = {question.id: question for question in log.questions}
    graded = read_watched(chosen, [Item(by_id[str(trace.question_id)], trace) for trace in log.traces], person)
    return [row_of(one) for one in proposals(graded, texts.passages if texts else None, most, known, person)]
