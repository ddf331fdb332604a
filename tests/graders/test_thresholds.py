"""Every cut-off of the local grader, at its edge: with made-up scores in place of the models."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.graders import tiers
from surefoot.graders.encoder import Scores
from surefoot.graders.features import FEATURE_NAMES, Answered, Reading, prepare, readable_claim, sum_up
from surefoot.graders.findings import _reconciled
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.local import LocalJudge, _verbatim
from surefoot.graders.tiers import Calibration, Finding, TierFit, Tiers, Trees, inputs_of

EVEN = TierFit(Trees([], 0.0, []), 1.0, 0.0)  # everything is as likely as not


def calibration(**changed: Any) -> Calibration:  # noqa: ANN401
    usual = {"quick_low": 0.2, "quick_high": 0.8, "supported_from": 0.6, "contradicted_from": 0.5, "answers_low": 0.05}
    return Calibration(**{"quick": EVEN, "strong": EVEN, **usual, "strong_windows": 3, **changed})


def words(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]


class Model:
    """Says the same of every pair, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []

    offsets = staticmethod(words)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        self.shown += pairs
        return Scores(np.zeros((len(pairs), 3)), np.zeros(len(pairs)), np.zeros(len(pairs)))


def models(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> tuple[Tiers, Model]:  # noqa: ANN401
    """The tiers with this calibration, and the model of the strong one."""
    known = {"quick": Model(), "strong": Model()}
    monkeypatch.setattr(tiers, "load_calibration", lambda folder: calibration(**changed))
    monkeypatch.setattr(tiers, "encoder_of", lambda folder, tier: known[tier])
    return Tiers(Path()), known["strong"]


@pytest.mark.parametrize(
    ("low", "high", "is_strong"), [(0.5, 0.5, True), (0.51, 0.9, False), (0.1, 0.49, False), (0.49, 0.51, True)]
)
def test_the_strong_tier_reads_what_the_quick_one_leaves_open(
    monkeypatch: pytest.MonkeyPatch, low: float, high: float, is_strong: bool
) -> None:
    both, strong = models(monkeypatch, quick_low=low, quick_high=high)
    both.read([Pair("The fee is 5 EUR a month.", "The fee is due each year.")])
    assert bool(strong.shown) == is_strong


@pytest.mark.parametrize(("low", "is_strong"), [(0.5, True), (0.51, False)])
def test_and_questions_that_it_does_not_rule_out(monkeypatch: pytest.MonkeyPatch, low: float, is_strong: bool) -> None:
    both, strong = models(monkeypatch, answers_low=low)
    assert both.answers([Pair("The fee is 5 EUR.", "What is the fee?")]) == [Answered(0.5, "", is_strong)]
    assert bool(strong.shown) == is_strong


def test_it_reads_the_windows_that_say_most(monkeypatch: pytest.MonkeyPatch) -> None:
    both, strong = models(monkeypatch)
    passage = " ".join(f"Sentence {i} is about nothing at all." for i in range(400))
    (found,) = both.read([Pair(passage, "The fee is 6 EUR.")])
    assert len({window for _, window in strong.shown}) == 3, "the digest among them"
    assert re.fullmatch(r"12 of \d+ windows of the context were read", found.part_read)
    (answered,) = both.answers([Pair(passage, "What is the fee?")])
    assert answered.reason.endswith("windows of the passage were read")


def test_it_reads_no_further_once_a_window_supports_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    both, strong = models(monkeypatch, supported_from=0.5)
    passage = " ".join(f"Sentence {i} is about nothing at all." for i in range(400))
    both.read([Pair(passage, "The fee is 6 EUR.")])
    assert len(strong.shown) == 1, "the digest, which says as much as any"


@pytest.mark.parametrize(
    ("probabilities", "label"),
    [
        ((0.6, 0.2, 0.2), "supported"),
        ((0.59, 0.4, 0.01), "contradicted"),
        ((0.2, 0.4, 0.4), "contradicted"),
        ((0.2, 0.39, 0.41), "not_enough"),
    ],
)
def test_from_where_on_a_label_is_given(probabilities: tuple[float, float, float], label: str) -> None:
    assert calibration().label(probabilities)[0] == label


def test_no_probability_is_too_small() -> None:
    assert inputs_of([], (0.0, 1e-6, 1.0))[3:] == pytest.approx([math.log(1e-6), math.log(1e-6), 0.0])
    row = inputs_of([0.0] * len(FEATURE_NAMES), (1.0, 1e-7, 0.0))
    assert calibration().combined("quick", [row])[0] == pytest.approx((0.5, 0.05, 0.45))
    assert calibration().answering("quick", [-1e9])[0] == pytest.approx(math.exp(-500), rel=1e-6, abs=0)


def test_the_highest_of_eight_windows_is_discounted() -> None:
    reading = Reading(("claim",), tuple(map(str, range(8))), 8)
    odds = 1.5 * 8**-0.6
    against = 0.8 * odds / (1 + odds)
    found = sum_up(reading, [(0.2, 0.48, 0.32)] * 8).probabilities
    assert found == pytest.approx((0.2, against, 0.8 - against))


def test_how_much_is_read_at_once() -> None:
    claim = "The fee is 6 EUR."
    assert len(prepare("word " * 218, claim, words).windows) == 1
    assert len(prepare("word " * 219, claim, words).windows) > 1
    assert len(prepare("word " * 186, claim * 6, words).windows) == 1, "claims take their room in steps of 32 tokens"
    assert len(prepare("word " * 187, claim * 6, words).windows) > 1
    assert len(prepare("fee\n" * 400, claim, words).windows[0].split()) == 163, "words of the digest"
    assert len(prepare("word", "word " * 128, words).parts) == 1
    assert len(prepare("word", "word " * 129, words).parts) > 1


def test_a_claim_of_two_words_is_read_behind_its_question() -> None:
    assert readable_claim("Eight hours.", "How long is it?") == "How long is it? Eight hours."
    assert readable_claim("Eight hours rest.", "How long is it?") == "Eight hours rest."
    assert len(readable_claim("Eight.", "x" * 500)) == 400 + len(" Eight.")


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> LocalJudge:
    class Read:
        calibration = calibration()
        share = 1.0
        found = Finding((0.61234567, 0.2, 0.18765433), "The fee is 5 EUR.", "", "12 of 42 windows were read")

        def read(self, pairs: Sequence[Pair]) -> list[Finding]:
            return [self.found for _ in pairs]

        def answers(self, asked: Sequence[Pair], again: tiers.Again) -> list[Answered]:
            return [Answered(0.123456, "12 of 42 windows were read", True) for _ in asked]

        def unknown_share(self, text: str) -> float:
            return self.share

    monkeypatch.setattr(LocalJudge, "_tiers", Read())
    return LocalJudge()


def test_probabilities_have_four_digits(judge: LocalJudge) -> None:
    found = judge.judge([Pair("The fee is 5 EUR a month.", "The monthly fee is high.")])[0]
    assert found.probabilities == (0.6123, 0.2, 0.1877)
    assert (found.label, found.confidence, found.reason) == ("supported", 0.6123, "12 of 42 windows were read")
    answered = judge.answers([Pair("The fee is 5 EUR a month.", "What is the fee?")])
    assert answered == [Answered(0.1235, "12 of 42 windows were read", True)]


@pytest.mark.parametrize(
    ("text", "share", "is_unknown"),
    [
        ("a" * 99, 1.0, False),
        ("a" * 100, 0.51, True),
        ("a" * 100, 0.5, False),
        ("ab " * 31 + "ab" + "é" * 5, 1.0, False),
        ("ab " * 31 + "a" + "é" * 6, 1.0, True),
    ],
)
def test_when_a_text_is_unknown(judge: LocalJudge, text: str, share: float, is_unknown: bool) -> None:
    judge._tiers.share = share  # type: ignore[attr-defined]
    assert judge._is_unknown(text) == is_unknown


def test_three_words_are_enough_to_be_found_word_for_word() -> None:
    found = _verbatim(Pair("Monthly invoices bear interest. More.", "Monthly invoices bear interest"))
    assert found and (found.label, found.confidence, found.probabilities) == ("supported", 0.98, (0.98, 0.01, 0.01))
    assert _verbatim(Pair("Rent increases yearly. More.", "Rent increases yearly"))
    assert _verbatim(Pair("Rent increases. More.", "Rent increases")) is None


@pytest.mark.parametrize(
    ("supported", "confidence", "label"),
    [(0.3, 0.7, "supported"), (0.29, 0.7, "not_enough"), (0.3, 0.74, "supported"), (0.3, 0.75, "not_enough")],
)
def test_agreement_with_the_gold_overrules_a_judge_that_is_not_sure(
    supported: float, confidence: float, label: str
) -> None:
    judgement = Judgement("not_enough", confidence, probabilities=(supported, 0.0, 1 - supported))
    pair = Pair("Nothing of the kind.", "The fee is 5 EUR.")
    assert _reconciled(pair, judgement, "agrees").label == label
    assert _reconciled(pair, judgement, "silent").label == "not_enough"
