"""The encoders that read pairs of texts: their weights, their word pieces, and what they read before.

Word pieces are those the encoders were trained on (BERT's, in lower case), each with its place in the text. Special
tokens are never read from a text: "[SEP]" in an answer is three pieces like any other word.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from platform import machine
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import Incomplete
from surefoot.core.files import cache_folder
from surefoot.graders.local import AGAIN, recorded, verified

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


LONGEST_WORD = 100  # characters; longer ones are unknown
_WORD = re.compile(r"[^\s!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
_PLAIN = re.compile(r"[\t\n\r -~]*")
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Piece(NamedTuple):
    id: int
    start: int
    end: int


class Pair(NamedTuple):
    ids: list[int]
    types: list[int]  # 0 for the first text, 1 for the second, where the model tells them apart


class WordPieces:
    """A vocabulary, as the file of a trained tokenizer has it."""

    def __init__(self, path: Path) -> None:
        file = msgspec.json.decode(path.read_bytes())
        self._ids: dict[str, int] = file["model"]["vocab"]
        self.unknown = self._ids[file["model"]["unk_token"]]
        ends = file["post_processor"]
        if ends["type"] == "RobertaProcessing":
            first, last = ends["cls"][1], ends["sep"][1]
            self._start, self._between, self._end, self._second = [first], [last, last], [last], 0
        else:
            first, last = (ends["special_tokens"][name]["ids"][0] for name in ("[CLS]", "[SEP]"))
            self._start, self._between, self._end, self._second = [first], [last], [last], 1
        self._word = lru_cache(maxsize=50_000)(self._cut)

    def pieces(self, text: str) -> list[Piece]:
        normal, places = _normalised(text)
        found = []
        for word in _WORD.finditer(normal):
            for id_, start, end in self._word(word.group()):
                first, last = word.start() + start, word.start() + end - 1
                found.append(Piece(id_, places[first], places[last] + 1))
        return found

    def pair(self, first: str, second: str, longest: int) -> Pair:
        """Both texts with the marks around them; the second is cut to fit."""
        ids = [*self._start, *(piece.id for piece in self.pieces(first)), *self._between]
        room = max(0, longest - len(ids) - len(self._end))
        rest = [*(piece.id for piece in self.pieces(second)[:room]), *self._end]
        return Pair(ids + rest, [0] * len(ids) + [self._second] * len(rest))

    def _cut(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """The longest piece first, then the longest of the rest; unknown as a whole if a rest has none."""
        found, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(len(word), start, -1) if len(word) <= LONGEST_WORD else ()
            end = next((end for end in ends if prefix + word[start:end] in self._ids), None)
            if end is None:
                return ((self.unknown, 0, len(word)),)
            found.append((self._ids[prefix + word[start:end]], start, end))
            start = end
        return tuple(found)


def _normalised(text: str) -> tuple[str, list[int] | range]:
    """Lower case without accents; and where each character comes from."""
    if _PLAIN.fullmatch(text):
        return text.lower(), range(len(text))
    found, places = [], []
    for place, character in enumerate(text):
        normal = _normal(character)
        found.append(normal)
        places.extend([place] * len(normal))
    return "".join(found), places


@lru_cache(maxsize=20_000)
def _normal(character: str) -> str:
    category, number = unicodedata.category(character), ord(character)
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    parts = unicodedata.normalize("NFD", character)
    plain = "".join(part for part in parts if unicodedata.category(part) != "Mn").lower()
    is_alone = category.startswith("P") or any(low <= number <= high for low, high in _IDEOGRAPHS)
    return f" {plain} " if is_alone else plain


Digest = bytes
Logits = tuple[float, ...]
Found = TypeVar("Found")
MOST = 1_000_000  # readings that are kept, about 70 MB
_AT_ONCE = 500  # digests in one query
_SECONDS_TO_WAIT = 10.0
_TABLE = "CREATE TABLE IF NOT EXISTS readings (digest BLOB NOT NULL UNIQUE, logits BLOB NOT NULL)"
_OLD = "DELETE FROM readings WHERE rowid <= (SELECT max(rowid) FROM readings) - ?"


class Readings:
    """Opened anew for every batch: a connection must not outlive a fork."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or cache_folder() / "readings.sqlite"
        self._complained = False

    def known(self, digests: Sequence[Digest]) -> dict[Digest, Logits]:
        return self._tried(lambda database: dict(_known(database, digests))) or {}

    def keep(self, found: Mapping[Digest, Logits]) -> None:
        rows = [(digest, np.array(logits, dtype="<f4").tobytes()) for digest, logits in found.items()]

        def put(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR IGNORE INTO readings VALUES (?, ?)", rows)
                database.execute(_OLD, (MOST,))

        if rows:
            self._tried(put)

    def forget(self) -> None:
        """All of it: whose a reading is, nobody knows."""
        self._path.unlink(missing_ok=True)

    def _tried(self, work: Callable[[sqlite3.Connection], Found]) -> Found | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_SECONDS_TO_WAIT)) as database:
                database.execute(_TABLE)
                return work(database)
        except (sqlite3.Error, OSError, ValueError) as error:
            if not self._complained:
                self._complained = True
                sys.stderr.write(f"{self._path}: what was read before is not known: {error}; all is read again\n")
            return None


def _known(database: sqlite3.Connection, digests: Sequence[Digest]) -> Iterator[tuple[Digest, Logits]]:
    for start in range(0, len(digests), _AT_ONCE):
        wanted = digests[start : start + _AT_ONCE]
        places = ", ".join("?" * len(wanted))
        query = f"SELECT digest, logits FROM readings WHERE digest IN ({places})"
        for digest, logits in database.execute(query, wanted):
            yield digest, tuple(np.frombuffer(logits, dtype="<f4").tolist())


Tier = Literal["quick", "strong"]
LONGEST_PAIR = 256
LONGEST_CLAIM = 128

Floats = NDArray[np.float64]
Loaded = TypeVar("Loaded")


class Scores(NamedTuple):
    support: Floats  # N x 3 logits: supported, contradicted, not enough
    answers: Floats  # N logits
    unsafe: Floats  # N logits, less the one from which an answer counts as unsafe


class Encoder:
    """The model is loaded when a pair has to be read; safe to share between threads."""

    def __init__(self, folder: Path, tier: Tier, readings: Readings | None = None) -> None:
        self._model = folder / f"{tier}.onnx"
        self._vocabulary = folder / f"{tier}-tokenizer.json"
        self._readings = readings or Readings()

    def score(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Logits of (claim or question, passage) pairs, in their order; equal pairs are read once, now or before."""
        encoded = {pair: self._encode(*pair) for pair in pairs}
        digests = {pair: self._digest(tokens) for pair, tokens in encoded.items()}
        known = self._readings.known(list(digests.values()))
        fresh = {digest: encoded[pair] for pair, digest in digests.items() if digest not in known}
        # The longest first, so that no core waits for a long one at the end.
        order = sorted(fresh, key=lambda digest: -len(fresh[digest].ids))
        with ThreadPoolExecutor(cores()) as pool:
            read = dict(zip(order, pool.map(lambda digest: self._run(fresh[digest]), order), strict=True))
        self._readings.keep(read)
        found = known | read
        rows = np.array([found[digests[pair]] for pair in pairs], dtype=np.float64).reshape(len(pairs), 5)
        return Scores(rows[:, :3], rows[:, 3], rows[:, 4])

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Where the tokens of a text begin and end, however long it is."""
        return [(piece.start, piece.end) for piece in self._pieces.pieces(text)]

    def unknown_share(self, text: str) -> float:
        """How much of a text, spaces left out, is words that the vocabulary has no pieces for."""
        pieces = self._pieces.pieces(text)
        unknown = sum(piece.end - piece.start for piece in pieces if piece.id == self._pieces.unknown)
        return unknown / (sum(piece.end - piece.start for piece in pieces) or 1)

    def load(self) -> None:
        """At once, to find out whether the files can be read."""
        self._run(self._encode("", ""))

    def _digest(self, pair: Pair) -> bytes:
        """Of all that logits depend on: the model, what runs it and where, and what it sees of the pair."""
        seen = np.array([pair.ids, pair.types], dtype="<i4").tobytes()
        return blake2b(self._identity + seen, digest_size=16).digest()

    @cached_property
    def _identity(self) -> bytes:
        return f"{version('onnxruntime')} {machine()} ".encode() + recorded(self._model)

    def _run(self, pair: Pair) -> Logits:
        inputs = {"input_ids": pair.ids, "attention_mask": [1] * len(pair.ids)}
        if self._takes_types:
            inputs["token_type_ids"] = pair.types
        feed = {name: np.array([values], dtype=np.int64) for name, values in inputs.items()}
        support, answers, unsafe = self._session.run(["support", "answers", "unsafe"], feed)
        return *support[0].tolist(), float(answers[0, 0]), float(unsafe[0])

    def _encode(self, first: str, passage: str) -> Pair:
        """The passage is cut to fit. Callers split long claims; should one come through, it is cut at its limit."""
        if len(first) > LONGEST_CLAIM and len(spans := self.offsets(first)) > LONGEST_CLAIM:
            first = first[: spans[LONGEST_CLAIM - 1][1]]
        return self._pieces.pair(first, passage, LONGEST_PAIR)

    @cached_property
    def _session(self) -> InferenceSession:
        return _loaded(self._model, _session)

    @cached_property
    def _takes_types(self) -> bool:
        return any(put.name == "token_type_ids" for put in self._session.get_inputs())

    @cached_property
    def _pieces(self) -> WordPieces:
        return _loaded(self._vocabulary, WordPieces)


def _session(model: Path) -> InferenceSession:
    # Newer runtimes report to their maker unless told not to before the import.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # noqa: PLC0415 - only who has something to read should pay for this

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.use_deterministic_compute = True
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _loaded(path: Path, load: Callable[[Path], Loaded]) -> Loaded:
    verified(path)
    try:
        return load(path)
    except Exception as error:  # the libraries raise exceptions of many kinds
        what = " ".join(str(error).split())[:200]
        raise Incomplete(f"{path}: the model cannot be loaded: {what}", AGAIN) from error


@lru_cache(maxsize=4)
def encoder_of(folder: Path, tier: Tier) -> Encoder:
    """One for all who read with the same weights, so that a model is in memory once."""
    return Encoder(folder, tier)


def cores() -> int:
    """Those this process may use: whoever starts several side by side says how many each has."""
    if (told := os.environ.get("OMP_NUM_THREADS", "")).isdecimal() and int(told):
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
