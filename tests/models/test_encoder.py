from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.errors import Incomplete
from surefoot.graders.encoder import LONGEST_PAIR, Encoder, Logits, Readings, Tier
from surefoot.graders.local import SUMS, WEIGHT_FILES, checked, fingerprint, verified, weights_folder
from training.sums import record

PAIRS = [
    ("The fee is 5 EUR.", "The fee for routing is 5 EUR a month."),
    ("The fee is 6 EUR.", "Invoices are payable within forty days. " * 30),
    ("Who pays?", "The tenant pays the rent."),
]


class Forgetful(Readings):
    """So that every pair is read."""

    def known(self, digests: Sequence[bytes]) -> dict[bytes, Logits]:
        return {}


@pytest.fixture(scope="module", params=["quick", "strong"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    tier: Tier = request.param
    return Encoder(weights_folder(), tier, Forgetful())


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


@pytest.mark.parametrize("name", WEIGHT_FILES)
def test_weights_other_than_those_on_record_are_refused(tmp_path: Path, name: str) -> None:
    for file in WEIGHT_FILES:
        (tmp_path / file).write_text(file)
    record(tmp_path)
    assert verified(tmp_path / name) == tmp_path / name
    (tmp_path / name).write_text(name[:-1])
    with pytest.raises(Incomplete, match=f"{name}: the file is damaged or not the one") as caught:
        verified(tmp_path / name)
    assert caught.value.hint == "install surefoot again"
    before = fingerprint(checked(tmp_path))
    record(tmp_path)
    assert len(before) == 8 and fingerprint(tmp_path) != before
    (tmp_path / SUMS).write_text("abc")
    with pytest.raises(Incomplete, match=r"SHA256SUMS: the file is damaged, it does not name quick\.onnx"):
        fingerprint(tmp_path)


def test_the_record_is_that_of_the_weights_that_come_with_the_package() -> None:
    lines = (weights_folder() / SUMS).read_text(encoding="utf-8").splitlines()
    assert sorted(line.split()[1] for line in lines) == sorted(WEIGHT_FILES)


def test_a_file_that_the_libraries_cannot_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "quick.onnx").write_text("not a model")
    (tmp_path / "quick-tokenizer.json").write_text("{")
    record(tmp_path)
    with pytest.raises(Incomplete, match=r"quick-tokenizer\.json: the model cannot be loaded"):
        Encoder(tmp_path, "quick").load()
    shutil.copy(weights_folder() / "quick-tokenizer.json", tmp_path)
    record(tmp_path)
    with pytest.raises(Incomplete, match=r"quick\.onnx: the model cannot be loaded"):
        Encoder(tmp_path, "quick").load()


def test_how_much_of_a_text_the_vocabulary_lacks(encoder: Encoder) -> None:
    assert encoder.unknown_share("The fee is “5 EUR” at Zürich’s café.") == 0
    assert encoder.unknown_share("") == 0
    assert encoder.unknown_share("😀😀😀 a") == 0.75
    assert encoder.unknown_share("x" * 120) == 1


def test_the_runtime_reports_to_nobody(tmp_path: Path) -> None:
    """Newer versions keep an id of the machine under the home folder and send what they see, unless told not to."""
    program = "from surefoot.graders.local import LocalJudge; LocalJudge().load()"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    subprocess.run([sys.executable, "-c", program], env={**environment, "HOME": str(tmp_path)}, check=True, timeout=600)
    assert list(tmp_path.rglob("*")) == []
