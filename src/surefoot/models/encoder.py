"""A cross-encoder in int8 ONNX: pairs of texts in, logits of its two heads out, kept for the next time.

Every pair is a run of its own. The graph scales its activations by the largest value in the whole tensor, so pairs
that share a batch change each other's logits (by up to .04 quick and .12 strong in a trial with random heads), and on a
CPU a batch saves no time: int8 at batch 8 took as much CPU per pair as at batch 1. So a pair's logits depend on nothing
but the pair. Pairs run in as many threads as there are cores, each with one thread inside, which took 5 to 15 % less
CPU than two threads inside each run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from platform import machine
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import Incomplete
from surefoot.models.readings import Logits, Readings
from surefoot.models.weights import AGAIN, recorded, verified
from surefoot.models.wordpiece import Pair, WordPieces

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Tier = Literal["quick", "strong"]
LONGEST_PAIR = 256
LONGEST_CLAIM = 128

Floats = NDArray[np.float64]
Loaded = TypeVar("Loaded")


class Scores(NamedTuple):
    support: Floats  # N x 3 logits: supported, contradicted, not enough
    answers: Floats  # N logits


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
        rows = np.array([found[digests[pair]] for pair in pairs], dtype=np.float64).reshape(len(pairs), 4)
        return Scores(rows[:, :3], rows[:, 3])

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
        support, answers = self._session.run(["support", "answers"], feed)
        return *support[0].tolist(), float(answers[0, 0])

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
