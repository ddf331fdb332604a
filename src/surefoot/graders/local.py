"""The grader in the box: a trained model in two tiers, offline, that reads claims against passages.

The quick tier reads every pair; the strong one what the quick leaves open. Both are combined with counted features into
calibrated probabilities. Text that the model cannot read is not graded, with the reason.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.result import READER, Person
from surefoot.core.types import Problem, Support, plain
from surefoot.graders.features import Answered, deciding_sentence, says_nothing, why_not
from surefoot.graders.judges import Judgement, Pair, read_in_full
from surefoot.io.rows import is_folder, is_there, kind_of, read_rows, shown
from surefoot.text.normal import is_empty, normalise, sample, sentences, terms, without_yes_no
from surefoot.text.refusals import detect

if TYPE_CHECKING:
    from surefoot.graders.tiers import Again, Finding, Tiers

VERSION = 12
VERBATIM = "verbatim@1"
_ENDS, _FEWEST_TERMS = ".!?;", 3
_AS_STATED = (0.98, 0.01, 0.01)  # probabilities of what is said word for word
_DIGITS = 4  # a probability says no more than this
_MOST_UNKNOWN = 0.5
# Without signs beyond ASCII or very long words, a vocabulary knows every piece of a text.
_LONG_WORD, _FEW_SIGNS = re.compile(r"[^\W_]{100}"), 0.05

WEIGHT_FILES = ("quick.onnx", "strong.onnx", "quick-tokenizer.json", "strong-tokenizer.json", "calibration.json")
SUMS = "SHA256SUMS"
AGAIN = "install surefoot again"
_ROW = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)  # as `sha256sum` writes it


def weights_folder() -> Path:
    return Path(str(files("surefoot") / "weights"))


def checked(folder: Path) -> Path:
    """The folder, if it holds everything that a grader needs."""
    missing = [name for name in (*WEIGHT_FILES, SUMS) if not (folder / name).is_file()]
    if missing:
        hint = f"{AGAIN}; a checkout needs its large files too"
        raise Incomplete(f"{folder}: {missing[0]} is missing, so the local grader cannot read", hint)
    return folder


def fingerprint(folder: Path) -> str:
    """Eight digits that change when any of the files on record does."""
    return hashlib.sha256(b"".join(recorded(folder / name) for name in WEIGHT_FILES)).hexdigest()[:8]


def recorded(path: Path) -> bytes:
    """The hash that a file is on record with."""
    record = path.parent / SUMS
    digests = {name: digest for digest, name in _ROW.findall(record.read_text(encoding="utf-8", errors="replace"))}
    if path.name not in digests:
        raise Incomplete(f"{record}: the file is damaged, it does not name {path.name}", AGAIN)
    return bytes.fromhex(digests[path.name])


def verified(path: Path) -> Path:
    """The file, if it is the one on record. To be called before it is loaded, and no earlier: hashing the largest takes
    0.1 s, and what is known from an earlier reading needs no model."""
    if sha256_of(path) != recorded(path):
        raise Incomplete(f"{path}: the file is damaged or not the one that came with surefoot", AGAIN)
    return path


def sha256_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class LocalJudge:
    """Judges with the same weights share the loaded model and what it has read."""

    def __init__(self, weights: Path | None = None) -> None:
        self._folder = checked(weights or weights_folder())

    def __reduce__(self) -> tuple[type[LocalJudge], tuple[Path | None]]:
        """On another machine the weights in the box may lie elsewhere."""
        return LocalJudge, (None if self._folder == weights_folder() else self._folder,)

    @cached_property
    def name(self) -> str:
        return f"local@{VERSION}+{fingerprint(self._folder)}"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """What a passage says word for word needs no model."""
        return read_in_full(pairs, self._read)

    def _read(self, pairs: Sequence[Pair]) -> list[Judgement]:
        found = [_verbatim(pair) for pair in pairs]
        read = iter(self._judged([pair for pair, known in zip(pairs, found, strict=True) if known is None]))
        return [known or next(read) for known in found]

    def answers(self, asked: Sequence[Pair], again: Again = list) -> list[Answered]:
        """Does each passage answer its question? `again` is as for `Tiers.answers`."""
        reasons = [self._why_not(passage=one.passage, question=one.claim) for one in asked]
        readable = [one for one, reason in zip(asked, reasons, strict=True) if not reason]
        said = self._tiers.answers(readable, again) if readable else ()
        found = (replace(one, probability=round(one.probability or 0.0, _DIGITS)) for one in said)
        return [Answered(None, reason) if reason else next(found) for reason in reasons]

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return [found.probability for found in self.answers(asked)]

    def unsafe(self, said: Sequence[Pair]) -> list[bool]:
        """Of answers, with their questions: does one urge or enable harm? What cannot be read does not count."""
        readable = [one for one in said if not self._why_not(answer=one.passage)]
        found = {one for one, is_unsafe in zip(readable, self._tiers.unsafe(readable), strict=True) if is_unsafe}
        return [one in found for one in said]

    def load(self) -> None:
        """At once, so that missing or broken weights are reported before anything is asked."""
        self._tiers.load()

    @property
    def _tiers(self) -> Tiers:
        from surefoot.graders.tiers import tiers_of  # noqa: PLC0415 - numpy is not for who only names a judge

        return tiers_of(self._folder)

    def _why_not(self, **texts: str) -> str:
        if reason := why_not(**texts):
            return reason
        unknown = [name for name, text in texts.items() if self._is_unknown(sample(text))]
        return f"the {unknown[0]} is mostly signs or words that the model does not know" if unknown else ""

    def _is_unknown(self, text: str) -> bool:
        signs = len(text) - len(text.encode("ascii", "ignore"))
        if signs <= _FEW_SIGNS * len(text) and not _LONG_WORD.search(text):
            return False
        return self._tiers.unknown_share(text) > _MOST_UNKNOWN

    def _judged(self, pairs: list[Pair]) -> list[Judgement]:
        reasons = [
            self._why_not(claim=pair.claim, context=pair.passage)
            or says_nothing(pair.claim, pair.passage, pair.context)
            for pair in pairs
        ]
        # A passage is read under the title of its document, which often says whose it is and when.
        readable = [replace(pair, passage=f"{pair.title}\n{pair.passage}", title="") if pair.title else pair
                    for pair, reason in zip(pairs, reasons, strict=True) if not reason]  # fmt: skip
        found = iter(self._tiers.read(readable) if readable else ())
        return [
            Judgement(None, via=self.name, reason=reason) if reason else self._judgement(pair, next(found))
            for pair, reason in zip(pairs, reasons, strict=True)
        ]

    def _judgement(self, pair: Pair, finding: Finding) -> Judgement:
        supported, contradicted = (round(value, _DIGITS) for value in finding.probabilities[:2])
        probabilities = (supported, contradicted, round(max(0.0, 1 - supported - contradicted), _DIGITS))
        label, sure = self._tiers.calibration.label(probabilities)
        quote = _quote(pair, finding, label)
        return Judgement(label, sure, quote, self.name, probabilities, finding.part_read)


def _verbatim(pair: Pair) -> Judgement | None:
    """The one rule that is surer than a model: a passage that has the claim as a sentence of its own supports it."""
    sentence = _bare(without_yes_no(pair.claim))
    if len(terms(sentence)) < _FEWEST_TERMS or sentence not in _sentences(pair.passage):
        return None
    if why_not(claim=pair.claim, context=pair.passage):
        return None
    return Judgement("supported", _AS_STATED[0], pair.claim.strip(), VERBATIM, _AS_STATED)


@lru_cache(maxsize=1_000)
def _sentences(passage: str) -> frozenset[str]:
    """Words inside a longer sentence may be a condition or denied: "unless", "it is not true that"."""
    return frozenset(_bare(piece) for line in passage.splitlines() for piece in sentences(line))


def _bare(text: str) -> str:
    return normalise(text).rstrip(_ENDS + " ")


def _quote(pair: Pair, finding: Finding, label: Support) -> str:
    if label == "not_enough":
        return ""
    window = finding.supporting if label == "supported" else finding.opposing
    return deciding_sentence(window.removeprefix(f"{pair.title}\n"), pair.claim)


def check_file(path: str, hint: str) -> None:
    """Rows come from a file, or from stdin."""
    if path != "-" and (not is_there(path) or is_folder(path)):
        raise UsageError(f"{shown(path)} is not a file", hint)


_CHUNK = 64
_PROBABILITIES = ("supported", "contradicted", "not_enough")
_TEXTS = "pass rows of {id, context, claim}, {id, question, passage} or {id, text}, one JSON object a line"


def grade_texts(pairs: str, *, person: Person = READER) -> Iterator[dict[str, Any]]:
    """Grade a file of bare texts (`-` is stdin): one row each, in order; the fields of its first object say which kind.

    What could not be read is a row too, with its reason.
    """
    check_file(pairs, _TEXTS)
    read = (row for row in read_rows([pairs]) if not (isinstance(row.value, Problem) and row.value.kind == "note"))
    head = list(islice(read, _CHUNK))
    fields = next((row.value for row in head if isinstance(row.value, dict)), None)
    if fields is None:
        raise Incomplete(f"{shown(pairs)} holds nothing to grade", _TEXTS)
    required = next((kind for kind in _KINDS if kind[-1] in fields), ("context", "claim"))
    columns, grade = _KINDS[required]
    rows = chain(head, read)
    while chunk := list(islice(rows, _CHUNK)):
        problems = [_problem_with(row.value, required) for row in chunk]
        sound: list[Any] = [row.value for row, problem in zip(chunk, problems, strict=True) if not problem]
        graded = iter(grade(sound))
        for row, problem in zip(chunk, problems, strict=True):
            if problem:
                person.tell(f"error: {plain(str(Problem('malformed', problem, row.source, row.line)), 500)}")
            found = {"reason": problem} if problem else next(graded)
            id = row.value.get("id") if isinstance(row.value, dict) else None
            yield {"id": id, **dict.fromkeys(columns), **{name: one for name, one in found.items() if one != ""}}


def _problem_with(row: Any, required: Sequence[str]) -> str:  # noqa: ANN401 - as it was read
    """Why a row cannot be graded, or ""."""
    if isinstance(row, Problem):
        return row.message
    if not isinstance(row, dict):
        return f"a row must be an object, not {kind_of(row)}"
    if row.get("id") in (None, "", math.inf, -math.inf) or not isinstance(row["id"], (str, int, float)):
        return f"the row has no id: a text or a finite number is expected, not {kind_of(row.get('id'))}"
    wrong = next((name for name in required if not isinstance(row.get(name), str)), None)
    return f"{wrong} is {kind_of(row.get(wrong))}, not a text" if wrong else ""


def _claims(rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    pairs = [Pair(row["context"], row["claim"], context=str(row.get("question") or "")) for row in rows]
    return [
        {
            **dict(zip(_PROBABILITIES, one.probabilities or (None,) * 3, strict=True)),
            "label": one.label,
            "evidence": one.quote or None,
            "reason": one.reason,
        }
        for one in LocalJudge().judge(pairs)
    ]


def _passages(rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    found = LocalJudge().answers([Pair(row["passage"], row["question"]) for row in rows])
    return [{"answers": one.probability, "reason": one.reason} for one in found]


def _refusals(rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for text in (row["text"] for row in rows):
        value, start, end = detect(text)
        words = {} if value == "answered" else {"span": [start, end], "evidence": text[start:end]}
        made.append({"reason": "the text is empty"} if is_empty(text) else {"refusal": value, **words})
    return made


# By the texts that a row must have: what its grade has, and who grades it.
_KINDS: dict[tuple[str, ...], tuple[tuple[str, ...], Callable[[Sequence[Mapping[str, str]]], list[dict[str, Any]]]]] = {
    ("context", "claim"): ((*_PROBABILITIES, "label", "evidence"), _claims),
    ("question", "passage"): (("answers",), _passages),
    ("text",): (("refusal", "span", "evidence"), _refusals),
}
