"""Cosine of sentence embeddings, a baseline: needs onnxruntime, tokenizers and a folder with model.onnx."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from grader_stats import Floats

WINDOW, BATCH = 150, 16


class Encoder:
    def __init__(self, folder: Path) -> None:
        model = next(iter(sorted(folder.rglob("*.onnx"))))
        runtime: Any = import_module("onnxruntime")
        self._session = runtime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        tokenizer: Any = import_module("tokenizers").Tokenizer
        self._tokens = tokenizer.from_file(str(next(iter(folder.rglob("tokenizer.json")))))
        self._tokens.enable_truncation(256)
        self._tokens.enable_padding()
        self._known: dict[str, Floats] = {}

    def similarity(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The highest cosine of the first text with a window of words of the second."""
        windows = {long: list(_windows(long)) for _, long in pairs}
        self._learn([short for short, _ in pairs] + [window for many in windows.values() for window in many])
        return np.array([max(self._known[s] @ self._known[window] for window in windows[long]) for s, long in pairs])

    def _learn(self, texts: list[str]) -> None:
        new = sorted({text for text in texts if text not in self._known}, key=len)
        for at in range(0, len(new), BATCH):
            part = new[at : at + BATCH]
            self._known.update(zip(part, self._embed(part), strict=True))

    def _embed(self, texts: list[str]) -> Floats:
        encoded = self._tokens.encode_batch(texts)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {"input_ids": np.array([one.ids for one in encoded], dtype=np.int64), "attention_mask": mask}
        given["token_type_ids"] = np.zeros_like(mask)
        wanted = {one.name for one in self._session.get_inputs()}
        states = self._session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        vectors: Floats = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return vectors


def _windows(text: str) -> Iterator[str]:
    found = text.split()
    for at in range(0, max(1, len(found)), WINDOW):
        yield " ".join(found[at : at + WINDOW])
