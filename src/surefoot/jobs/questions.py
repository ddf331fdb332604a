"""Documents to passages, which pipelines search, answers cite and gold ids name; and question sets made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from surefoot.build.builder import TEMPLATES, Builder
from surefoot.build.duplicates import duplicates_of
from surefoot.build.from_log import proposals
from surefoot.build.reading import Reader as CorpusReader
from surefoot.build.wording import reword
from surefoot.core.errors import ExitCode, UsageError, check_number, nearest
from surefoot.core.files import make_folder
from surefoot.core.result import READER, Person, Result, Seen, tell_problems
from surefoot.core.rubric import Citations
from surefoot.core.types import Item, Problem, Question, counted
from surefoot.corpus.corpus import FILE, PassageTexts, documents_in, load_corpus, load_rows, write_corpus
from surefoot.corpus.files import READERS
from surefoot.corpus.passages import Row, is_rows
from surefoot.corpus.read import find_documents, read_documents
from surefoot.datasets.hygiene import ERRORS, SURE, Finding, findings_of, problem_of
from surefoot.datasets.protocol import KINDS, PROTOCOL, counts_of, kind_of, mix_of
from surefoot.datasets.question_file import QuestionFile
from surefoot.datasets.review import accept_unread, wordings_of
from surefoot.graders.grader import Reader, read_watched
from surefoot.graders.model_grader import agree
from surefoot.io.questions import PROPOSED, REJECTED, load, made_of, question_of, review_of, row_of
from surefoot.jobs.grade import DEFAULT, read_log
from surefoot.jobs.graders import open_grader, settings_of
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Model
from surefoot.pipelines.retriever import Retriever
from surefoot.text.normal import normalise, unreadable


class Added(Result, frozen=True, kw_only=True):
    """What became of each document."""

    corpus: str
    passages: int
    added: int
    changed: int
    unchanged: int
    unread: int
    documents: list[dict[str, Any]]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.unread else ExitCode.OK

    def table(self) -> Sequence[Mapping[str, Any]]:
        return self.documents


class Removed(Result, frozen=True):
    """How many passages are left, and which documents are gone."""

    corpus: str
    passages: int
    documents: list[str]


class Passages(Result, frozen=True):
    """Passages of a corpus, with their scores where they were searched for."""

    rows: list[dict[str, Any]]


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


def add_documents(paths: Sequence[str | Path] | str | Path, *, out: str | Path, person: Person = READER) -> Added:
    """Read documents - files, folders, archives - into the corpus `out`, which is made if there is none.

    A document that is there already and has not changed is not read again; one that cannot be read is named, and
    the others go on.
    """
    given = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    if Path(out).resolve() in {one.resolve() for one in given}:
        raise UsageError(f"{out} is also what is to be read", "name a file of its own, such as --out corpus.jsonl")
    path = _file(out)
    make_folder(path)
    there = documents_in(path)
    hashes = {name: {row.sha256 for row in rows} for name, rows in there.items()}
    # A document with rows of two states is read again.
    known = {name: found.pop() if len(found) == 1 else "" for name, found in hashes.items()}
    brought = {row.id: name for name, rows in there.items() if is_rows(name) for row in rows}
    found = find_documents(given, apart_from=path)
    if not found.documents:
        kinds = f"{', '.join(READERS)}, rows of JSON and Parquet, and archives, but not archives in archives"
        raise UsageError(f"there is no document at {given[0]}", f"these are read: {kinds}")
    for line in found.lines:
        person.tell(f"note: {line}")
    documents, counts = list[dict[str, Any]](), Counter[str]()
    with closing(person.watch(len(found.documents), "documents")) as watch:
        for read in read_documents(found.documents, known, brought):
            watch.count(Seen(read.problem or None))
            kept = "; its earlier passages stay" if read.problem and read.name in known else ""
            for line in read.lines:
                person.tell(f"warning: {line}{kept}")
            if read.rows:
                there[read.name] = [replace(row, file=read.name, sha256=read.sha256) for row in read.rows]
            seen = "unchanged" if read.is_unchanged else "changed" if read.name in known else "added"
            status, passages = "unread" if read.problem else seen, len(there.get(read.name, ()))
            counts[status] += 1
            documents.append(
                {"name": read.name, "status": status, "passages": passages, "problem": read.problem or None}
            )
    write_corpus(path, there)
    return Added(
        corpus=str(path), passages=sum(map(len, there.values())), documents=documents,
        **{kind: counts[kind] for kind in ("added", "changed", "unchanged", "unread")},
    )  # fmt: skip


def remove_documents(corpus: str | Path, names: Sequence[str] | str) -> Removed:
    """Take documents out of a corpus: those with these names, and those in folders or archives with these names."""
    path, removed = _file(corpus), set[str]()
    there = documents_in(path)
    for name in [names] if isinstance(names, str) else names:
        found = {one for one in there if one == name or one.startswith(f"{name.rstrip('/')}/")}
        if not found:
            hint = nearest(name, there) or f"it has {', '.join(list(there)[:5])}"
            raise UsageError(f"{corpus} has no document {name!r}", hint)
        removed |= found
    left = {name: rows for name, rows in there.items() if name not in removed}
    write_corpus(path, left)
    return Removed(str(path), sum(map(len, left.values())), sorted(removed))


def passages(corpus: str | Path, *, ids: Sequence[str] = (), doc: str = "", person: Person = READER) -> Passages:
    """The passages of a corpus: all, those with these ids, or those of one document."""
    every = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    shows = f"`surefoot corpus list {corpus}` shows what it has"
    if missing := [one for one in ids if one not in every]:
        raise UsageError(f"{corpus} has no passage {missing[0]!r}", nearest(missing[0], every) or shows)
    found = [every[one] for one in ids] or [
        row for row in every.values() if doc.lower() in row.doc.lower() or row.document == doc
    ]
    if not found:
        raise UsageError(f"{corpus} has no document {doc!r}", shows)
    return Passages([_shown(row) for row in found])


def search_corpus(corpus: str | Path, words: str, *, limit: int = 10, person: Person = READER) -> Passages:
    """The passages that words fit best, the best first."""
    rows = {row.id: row for row in load_rows(corpus, tell=person.tell)}
    found = Retriever(row.passage for row in rows.values()).search(words, min(limit, len(rows)))
    return Passages([{**_shown(rows[passage.id]), "score": score} for passage, score in found])


def _file(path: str | Path) -> Path:
    return Path(path) / FILE if Path(path).is_dir() else Path(path)


def _shown(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("id", "doc", "page", "heading", "labels", "text")}


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
    found = load(file)
    warned: list[str] = []
    passages = None if corpus is None else load_corpus(corpus, with_texts=False, tell=warned.append)
    words = "" if prompt is None else Path(prompt).read_text("utf-8", "replace")
    findings = [*findings_of(found, passages, words), *mix_of(found.questions), *duplicates_of(found.questions)]
    if passages and not any(passage.text.strip() for passage in passages):
        findings.append(Finding(None, "not_read", "was not read against the corpus, which has ids and no texts"))
    elif passages:
        reader = CorpusReader(passages)
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
    wanted, file = counts_of(size, mix), QuestionFile(out)
    make_folder(file.path)
    there = file.questions()
    made = Counter(kind_of(question) for question in there if review_of(question) != REJECTED)
    taken = {normalise(text) for question in there for text in wordings_of(question)}
    before, rows = made.total(), [] if from_traces is not None else load_rows(str(corpus), tell=person.tell)
    missing, new = max(size - before, 0), cast(Iterable[Question], ())
    if from_traces is None:
        new = Builder(rows, seed).fill(wanted, made, size, taken)
    elif missing:
        found = proposals_from_log(from_traces, corpus, missing, taken, settings=how, mapping=how.map, person=person)
        new = map(question_of, found)
    with closing(person.watch(missing, "questions")) as watch:
        for question in new:
            file.add(question)
            made[kind_of(question)] += 1
            watch.count(Seen())
    waiting = [one for one in file.questions() if review_of(one) == PROPOSED and made_of(one).get("by") == TEMPLATES]
    if model is not None and waiting:
        opened = open_model(model, settings_of(how), Budget(how.max_cost)) if isinstance(model, str) else model
        person.tell(f"replies wanted: {len(waiting):,}; `--set max_cost=USD` limits what they may cost")
        agree(person, how.yes)
        reword(file, waiting, opened, person)
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
    found = proposals(graded, texts.passages if texts else None, most, known, person)
    return [row_of(one) for one in found]
