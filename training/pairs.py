"""Pairs of texts as token ids, as the product's encoder cuts them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

LENGTH = 256
CLAIM = 128  # the most tokens a claim may take; the passage gets the rest
_AT_ONCE = 10_000
_STEP = 8  # a GPU multiplies fastest where sizes are multiples of it

Ints = NDArray[np.int64]


def whole_texts(base: Path) -> Tokenizer:
    """A tokenizer that cuts nothing off."""
    found = Tokenizer.from_file(str(base / "tokenizer.json"))
    found.no_padding()
    found.no_truncation()
    return found


def tokenizer_of(base: Path) -> Tokenizer:
    found = whole_texts(base)
    found.enable_truncation(LENGTH, strategy="only_second")
    return found


def takes_types(base: Path) -> bool:
    return bool(json.loads((base / "config.json").read_text())["model_type"] == "bert")


class Encoded:
    """All pairs of a file, read once."""

    def __init__(self, pairs: Sequence[tuple[str, str]], base: Path, said: Sequence[str] = ()) -> None:
        tokenizer, whole = tokenizer_of(base), whole_texts(base)
        self.types = takes_types(base)
        self.pad = tokenizer.token_to_id("<pad>") or 0
        self.items: list[tuple[NDArray[np.int32], NDArray[np.int8]]] = []
        self.spans: list[tuple[int, int]] = []  # the first and last token of what is said; (0, 0) where nothing is
        cut = [(_cut(whole, first), passage) for first, passage in pairs]
        for start in range(0, len(cut), _AT_ONCE):
            for found in tokenizer.encode_batch(cut[start : start + _AT_ONCE]):
                self.items.append((np.array(found.ids, np.int32), np.array(found.type_ids, np.int8)))
                place = len(self.spans)
                self.spans.append(_span(found, *cut[place], said[place]) if said else (0, 0))
        self.lengths: Ints = np.array([len(ids) for ids, _ in self.items], np.int64)

    def batch(self, places: Ints) -> dict[str, Ints]:
        """The inputs of a network for some of the pairs, padded to the longest of them or a little more."""
        longest = -(-int(self.lengths[places].max()) // _STEP) * _STEP
        ids = np.full((len(places), longest), self.pad, np.int64)
        types = np.zeros_like(ids)
        for row, place in enumerate(places):
            found, kinds = self.items[place]
            ids[row, : len(found)], types[row, : len(kinds)] = found, kinds
        mask = (np.arange(longest)[None, :] < self.lengths[places][:, None]).astype(np.int64)
        return {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if self.types else {})


def _span(found: Encoding, question: str, passage: str, said: str) -> tuple[int, int]:
    """Of several places that say it, the one among most words of the question."""
    starts = [match.start() for match in re.finditer(re.escape(said), passage)] if said else []
    asked = set(question.lower().split())
    for start in sorted(starts, key=lambda at: -len(asked & set(passage[max(0, at - 90) : at + 90].lower().split()))):
        first, last = (found.char_to_token(at, 1) for at in (start, start + len(said) - 1))
        if first is not None and last is not None:
            return first, last
    return 0, 0


def _cut(tokenizer: Tokenizer, claim: str) -> str:
    """A claim may not push the passage out."""
    if len(claim) <= CLAIM:
        return claim
    found = tokenizer.encode(claim, add_special_tokens=False)
    return claim if len(found.ids) <= CLAIM else claim[: found.offsets[CLAIM - 1][1]]


def batches(lengths: Ints, passages: Ints, size: int, rng: np.random.Generator) -> list[Ints]:
    """Pairs of like length together, so that little is padding, and claims on one passage beside each other; the order
    of batches is random."""
    _, passage, counts = np.unique(passages, return_inverse=True, return_counts=True)
    means = np.bincount(passage, lengths) / counts + rng.uniform(0, 12, len(counts))
    order = np.lexsort((passage, means[passage]))
    found = [order[start : start + size] for start in range(0, len(order), size)]
    rng.shuffle(found)
    return found
