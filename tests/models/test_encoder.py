from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import Incomplete
from surefoot.models.encoder import LONGEST_PAIR, Encoder, Tier
from surefoot.models.files import checked, fingerprint, weights_folder

PAIRS = [
    ("The fee is 5 EUR.", "The fee for routing is 5 EUR a month."),
    ("The fee is 6 EUR.", "Invoices are payable within forty days. " * 30),
    ("Who pays?", "The tenant pays the rent."),
]


@pytest.fixture(scope="module", params=["quick", "strong"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    tier: Tier = request.param
    return Encoder(weights_folder(), tier)


def test_a_pair_scores_the_same_whatever_is_read_with_it(encoder: Encoder) -> None:
    together = encoder.score([*PAIRS, PAIRS[0]])
    assert together.support.shape == (4, 3) and together.answers.shape == (4,)
    assert np.array_equal(together.support[0], together.support[3])
    for place, pair in enumerate(PAIRS):
        alone = encoder.score([pair])
        assert np.array_equal(alone.support[0], together.support[place])
        assert alone.answers[0] == together.answers[place]
    backwards = encoder.score(PAIRS[::-1])
    assert np.array_equal(backwards.support[::-1], together.support[:3])


def test_odd_texts_are_scored(encoder: Encoder) -> None:
    odd = [("", ""), ("a", ""), ("", "b"), ("\ud800", "\udfff x"), ("long " * 400, "text"), ("x", "y" * 5_000)]
    assert np.isfinite(encoder.score(odd).support).all()
    assert encoder.score([]).support.shape == (0, 3)


def test_offsets_cover_a_text_of_any_length(encoder: Encoder) -> None:
    text = "The fee is due. " * 500
    spans = encoder.offsets(text)
    assert len(spans) == 2_500 > LONGEST_PAIR
    assert text[slice(*spans[-2])] == "due"


def test_the_hash_names_the_weights(tmp_path: Path) -> None:
    folder = checked(weights_folder())
    assert len(fingerprint(folder)) == 8 and fingerprint(folder) == fingerprint(folder)
    with pytest.raises(Incomplete, match=r"quick\.onnx is missing"):
        checked(tmp_path)
