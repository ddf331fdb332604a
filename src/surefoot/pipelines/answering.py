"""Which of some passages answers a question, and how likely: read by the trained model.

The quick tier reads all of them, the strong one those that the quick tier likes best. A passage is read behind the
title of its document: without it, nothing says which contract, company or year it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from surefoot.errors import Incomplete, SurefootError
from surefoot.graders.reading import prepare, why_not
from surefoot.models.files import checked, weights_folder
from surefoot.types import Passage

if TYPE_CHECKING:
    from surefoot.graders.combine import Calibration
    from surefoot.models.encoder import Encoder

_READ_AGAIN = 2
_RUNNER_UP_FROM = 0.3  # a second best that is less likely is not worth the time
_LONGEST_TITLE = 200
_DIGITS = 4  # a probability says no more than this
_REMEMBERED = 10_000


class Candidate(Struct, frozen=True):
    """A passage, and how likely it answers; one that cannot be read is as good as none."""

    passage: Passage
    probability: float


class Answering:
    """Loads the model at once, so that weights that are missing or broken are told before anything is asked."""

    def __init__(self, weights: Path | None = None) -> None:
        self._folder = checked(weights or weights_folder())
        _model_in(self._folder)

    def ranked(self, question: str, passages: Sequence[Passage]) -> list[Candidate]:
        """The likeliest first, those that the strong tier read before all others; nothing is read twice."""
        return list(_ranked(self._folder, question, tuple(passages)))


class _Model:
    def __init__(self, folder: Path) -> None:
        from surefoot.graders.combine import load_calibration
        from surefoot.models.encoder import encoder_of

        self.calibration: Calibration = load_calibration(folder)
        self.quick, self.strong = encoder_of(folder, "quick"), encoder_of(folder, "strong")
        for encoder in (self.quick, self.strong):
            encoder.score([("", "")])
            encoder.offsets("")

    def quickly(self, question: str, passages: Sequence[Passage]) -> list[float]:
        return self.calibration.answering("quick", self._logits(self.quick, question, passages))

    def strongly(self, question: str, passages: Sequence[Passage]) -> list[float]:
        return self.calibration.answering("strong", self._logits(self.strong, question, passages))

    def _logits(self, encoder: Encoder, question: str, passages: Sequence[Passage]) -> list[float]:
        """Of a long passage the window that answers best counts."""
        windows = [_windows(passage, question, self.quick) for passage in passages]
        logits = iter(encoder.score([(question, text) for texts in windows for text in texts]).answers.tolist())
        return [max(next(logits) for _ in texts) for texts in windows]


def _windows(passage: Passage, question: str, encoder: Encoder) -> list[str]:
    title = passage.doc[:_LONGEST_TITLE]
    # With the title counted to the question, there is room for it in front of every window.
    windows = prepare(passage.text, f"{title} {question}".strip(), encoder.offsets).windows
    return [f"{title}\n{window}" if title else window for window in windows]


@lru_cache(maxsize=_REMEMBERED)
def _ranked(folder: Path, question: str, passages: tuple[Passage, ...]) -> tuple[Candidate, ...]:
    readable = [passage for passage in passages if not why_not(question=question, passage=passage.text)]
    if not readable:
        return tuple(Candidate(passage, 0.0) for passage in passages)
    model = _model_in(folder)
    quick = _sorted(readable, model.quickly(question, readable))
    size = _to_read_again([candidate.probability for candidate in quick], model.calibration.answers_low)
    again = [candidate.passage for candidate in quick[:size]]
    strong = _sorted(again, model.strongly(question, again)) if again else []
    # What the strong tier was not shown is no likelier than what it read.
    most = strong[-1].probability if strong else 1.0
    others = [Candidate(candidate.passage, min(candidate.probability, most)) for candidate in quick[size:]]
    rest = [Candidate(passage, 0.0) for passage in passages if passage not in readable]
    return (*strong, *others, *rest)


def _to_read_again(probabilities: Sequence[float], low: float) -> int:
    """As many of the best as the strong tier reads; none where the quick one is sure that nothing answers."""
    floors = (low, *[_RUNNER_UP_FROM] * (_READ_AGAIN - 1))
    return sum(probability >= floor for probability, floor in zip(probabilities, floors, strict=False))


def _sorted(passages: Sequence[Passage], probabilities: Sequence[float]) -> list[Candidate]:
    found = [Candidate(*both) for both in zip(passages, (round(p, _DIGITS) for p in probabilities), strict=True)]
    return sorted(found, key=lambda candidate: -candidate.probability)


_LOADING = Lock()
_MODELS: dict[Path, _Model] = {}


def _model_in(folder: Path) -> _Model:
    """One per folder and process, however many threads ask for it first."""
    with _LOADING:
        if folder not in _MODELS:
            try:
                _MODELS[folder] = _Model(folder)
            except SurefootError:
                raise
            except Exception as error:  # the libraries raise exceptions of many kinds
                what = " ".join(str(error).split())[:200]
                raise Incomplete(f"{folder}: the model cannot be loaded: {what}", "install surefoot again") from error
        return _MODELS[folder]
