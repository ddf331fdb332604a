"""A public dataset, as its authors publish it: a corpus and a question set, and how pipelines do on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.corpus.files import READERS
from surefoot.corpus.passages import Row, passages
from surefoot.datasets import contract_nli, finance_bench, sections, squad
from surefoot.datasets.choice import Candidate, Chosen, choose
from surefoot.datasets.documents import Case, Document, Origin
from surefoot.errors import ExitCode, UsageError, check_number
from surefoot.factors.plan import slug
from surefoot.io.pool import map_blocks
from surefoot.io.questions import row_of
from surefoot.io.writer import replace_file
from surefoot.pipelines.specs import Asking
from surefoot.report.words import counted
from surefoot.services.grade import DEFAULT, Grades, grade
from surefoot.services.graders import Reader
from surefoot.services.inputs import Source, name_of
from surefoot.services.result import READER, Fields, Person
from surefoot.services.run import Answers, run
from surefoot.store import MANIFEST
from surefoot.table import BUCKETS

_READERS: tuple[tuple[Origin, Callable[[Path], Iterator[Document]]], ...] = (
    (contract_nli.ORIGIN, contract_nli.read),
    (squad.CUAD, squad.read_cuad),
    (sections.GOV_REPORT, sections.read_gov_report),
    (sections.EDGAR, sections.read_edgar),
    (squad.SQUAD, squad.read_squad),
    (finance_bench.ORIGIN, finance_bench.read),
)
DATASETS = {reader[0].name: reader for reader in _READERS}
CORPUS, QUESTIONS = "corpus.jsonl", "questions.jsonl"
SIZE, DOCUMENTS = 130, 200
_LONGEST_NAME = 60  # of a folder
_PIECE = 60  # letters by which a stretch of a document is known again
_SHORT, _MOST_SHORT = 25, 3  # evidence of few letters stands in many passages: the first ones count


class BenchRun(Struct, frozen=True):
    """How a pipeline did."""

    pipeline: str
    run: str
    buckets: dict[str, int]
    not_graded: int
    refused_answerable: int
    answered_unanswerable: int
    seconds: float  # of asking
    trust: str
    complete: bool


@dataclass(frozen=True)
class Benched(Fields):
    dataset: str
    corpus: str
    questions: str
    documents: int
    passages: int
    asked: dict[str, int]  # questions by what they probe
    notes: tuple[str, ...]
    runs: tuple[BenchRun, ...]
    calibration: str  # what is known of the bundled grader on such data

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if all(one.complete for one in self.runs) else ExitCode.INCOMPLETE

    def table(self) -> Sequence[Mapping[str, Any]]:
        """A pipeline a row, with its buckets."""
        rows: list[dict[str, Any]] = [msgspec.to_builtins(one) for one in self.runs]
        return [{**row, **row.pop("buckets")} for row in rows]


def public_datasets() -> list[Origin]:
    """The public datasets that `bench` reads, with where to get them."""
    return [origin for origin, _ in DATASETS.values()]


def public_dataset(name: str) -> Origin:
    if name not in DATASETS:
        raise UsageError(f"there is no public dataset {name!r}", f"choose one of {', '.join(DATASETS)}")
    return DATASETS[name][0]


def bench(
    name: str,
    *,
    data: str | Path,
    out: str | Path | None = None,
    pipelines: Sequence[Source] = (),
    size: int = SIZE,
    documents: int = DOCUMENTS,
    seed: int = 0,
    grader: str | Reader = DEFAULT,
    asking: Asking | None = None,
    person: Person = READER,
) -> Benched:
    """Make a corpus and a question set of a public dataset that you have downloaded, and ask pipelines.

    `data` is the file as its authors publish it. The first `documents` of it are read. The set has `size` questions in
    the strata of the bundled one, drawn with `seed`. Each pipeline is asked all of them, and its answers are graded.
    """
    check_number("size", size, 1)
    check_number("documents", documents, 1)
    origin, folder = public_dataset(name), Path(out or name)
    read = list(map_blocks(_cut, islice(DATASETS[name][1](Path(data)), documents)))
    rows = [row for one in read for row in one.rows]
    chosen = choose([found for one in read for found in one.found], size, seed)
    if not rows:
        raise UsageError(f"{data} holds no text", f"get {origin.title} from {origin.url}")
    _write(folder, rows, chosen)
    notes = _notes(chosen, size, sum(one.lost for one in read))
    for note in notes:
        person.tell(f"note: {note}")
    runs = [_asked(source, folder, grader, asking, person) for source in pipelines] if chosen.questions else []
    asked = Counter(question.probes for question in chosen.questions)
    texts = sum(bool(one.rows) for one in read)
    return Benched(
        name, str(folder / CORPUS), str(folder / QUESTIONS), texts, len(rows), dict(asked), notes, tuple(runs),
        f"{origin.trained}; its known errors are in the model card",
    )  # fmt: skip


class _Read(Struct, frozen=True):
    """A document as passages, with the questions on it."""

    rows: list[Row]
    found: list[Candidate]
    lost: int  # questions whose evidence is in no passage


def _cut(document: Document) -> _Read:
    blocks = READERS[document.suffix](document.text.encode("utf-8", "replace"))
    rows = [_titled(row, document) for row in passages(blocks, document.name)]
    keys = {row.id: _letters(row.text) for row in rows}
    found = [Candidate(case, document.name, _gold_ids(case, keys)) for case in document.cases]
    usable = [one for one in found if one.gold_ids or not one.case.evidence]
    return _Read(rows, usable, len(found) - len(usable))


def _titled(row: Row, document: Document) -> Row:
    return replace(row, doc=document.title, page=document.page or row.page)


def _gold_ids(case: Case, keys: Mapping[str, str]) -> tuple[str, ...]:
    """The passages that hold the evidence, whatever became of its line breaks."""
    held = (_holding(_letters(text), keys) for text in case.evidence)
    return tuple(dict.fromkeys(one for ids in held for one in ids))


def _holding(evidence: str, keys: Mapping[str, str]) -> list[str]:
    """All of it, or else some piece: long evidence runs through several passages."""
    if not evidence:
        return []
    if hits := [one for one, key in keys.items() if evidence in key]:
        return hits[:_MOST_SHORT] if len(evidence) < _SHORT else hits
    pieces = [evidence[at : at + _PIECE] for at in range(0, len(evidence) - _PIECE + 1, _PIECE)]
    return [one for one, key in keys.items() if any(piece in key for piece in pieces)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _write(folder: Path, rows: Iterable[Row], chosen: Chosen) -> None:
    made = {
        folder / CORPUS: msgspec.json.Encoder().encode_lines(rows),
        folder / QUESTIONS: msgspec.json.Encoder().encode_lines(map(row_of, chosen.questions)),
    }
    new = {path: data for path, data in made.items() if not _is_there(path, data)}
    folder.mkdir(parents=True, exist_ok=True)
    for path, data in new.items():
        replace_file(path, data)


def _is_there(path: Path, data: bytes) -> bool:
    """From the same command before; a file of anything else is not ours to replace."""
    if not path.exists():
        return False
    if path.is_dir() or path.read_bytes() != data:
        raise UsageError(f"{path} is there already, and holds something else", "choose another --out")
    return True


def _notes(chosen: Chosen, size: int, lost: int) -> tuple[str, ...]:
    found = []
    if lost:
        found.append(f"{counted(lost, 'question')} left out: the evidence is in no passage")
    if not chosen.questions:
        found.append("there is a corpus, and nothing to ask about it in the data; `surefoot build` makes questions")
    elif chosen.short:
        few = f"the data hold too few questions of some kinds ({', '.join(chosen.short)})"
        found.append(f"{few}; plainer ones stand in where there are any: {len(chosen.questions)} of {size} in all")
    return tuple(found)


def _asked(source: Source, folder: Path, grader: str | Reader, asking: Asking | None, person: Person) -> BenchRun:
    """A run like any other; one that was broken off goes on."""
    name = source if isinstance(source, str) else name_of(source)
    target = folder / slug(name)[:_LONGEST_NAME]
    answers = run(
        source, questions=folder / QUESTIONS, corpus=folder / CORPUS, out=target, asking=asking, person=person,
        resume=(target / MANIFEST).exists(),
    )  # fmt: skip
    return _result(name, answers, grade(target, grader=grader, person=person))


def _result(name: str, answers: Answers, grades: Grades) -> BenchRun:
    graded = [(one.item.question, one.bucket) for one in grades.found.graded]
    return BenchRun(
        name, str(answers.folder), {bucket: grades.counts[bucket] for bucket in BUCKETS}, grades.counts[None],
        sum(question.answerable and bucket == "refused" for question, bucket in graded),
        sum(not question.answerable and bucket not in (None, "refused") for question, bucket in graded),
        answers["seconds"], grades.trust, not answers.exit_code and not grades.exit_code,
    )  # fmt: skip
