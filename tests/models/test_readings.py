"""What models said is kept, and used again; a file that cannot be used costs time and nothing else."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.errors import Incomplete
from surefoot.graders import encoder as readings
from surefoot.graders.encoder import Encoder, Readings
from surefoot.graders.local import SUMS, weights_folder
from training.sums import record

LOGITS = tuple(float(np.float32(value)) for value in (1.1, -2.2, 0.3, 1e-30))


def digest(number: int) -> bytes:
    return number.to_bytes(16, "big")


def test_what_was_kept_is_known_to_the_last_digit_and_elsewhere(tmp_path: Path) -> None:
    path, many = tmp_path / "cache" / "readings.sqlite", [digest(number) for number in range(1_200)]
    Readings(path).keep(dict.fromkeys(many, LOGITS))
    assert Readings(path).known([*many, digest(5_000)]) == dict.fromkeys(many, LOGITS)
    assert Readings(path).known([]) == {}


def test_the_oldest_leave_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "MOST", 3)
    kept = Readings(tmp_path / "readings.sqlite")
    for number in range(5):
        kept.keep({digest(number): LOGITS})
    assert list(kept.known([digest(number) for number in range(5)])) == [digest(2), digest(3), digest(4)]


def test_many_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "readings.sqlite"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: Readings(path).keep({digest(number): LOGITS}), range(20)))
    assert len(Readings(path).known([digest(number) for number in range(20)])) == 20


@pytest.mark.parametrize("is_broken", [True, False])
def test_a_file_that_cannot_be_used_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_broken: bool
) -> None:
    path = tmp_path / "file" / ("" if is_broken else "readings.sqlite")
    (tmp_path / "file").write_text("This is no database, and no folder either. " * 50)
    kept = Readings(path)
    kept.keep({digest(1): LOGITS})
    assert kept.known([digest(1)]) == {}
    told = capsys.readouterr().err
    assert told.startswith(f"{path}: what was read before is not known: ") and told.count("\n") == 1


def test_a_pair_is_read_once_and_its_text_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, pair = tmp_path / "readings.sqlite", ("The fee is 5 EUR.", "Each member pays a fee of 5 EUR.")
    first = Encoder(weights_folder(), "quick", Readings(path)).score([pair, pair])
    monkeypatch.setattr(Encoder, "_run", None)
    again = Encoder(weights_folder(), "quick", Readings(path)).score([pair])
    assert np.array_equal(again.support[0], first.support[1]) and again.answers[0] == first.answers[0]
    assert b"fee" not in path.read_bytes()
    with pytest.raises(TypeError):
        Encoder(weights_folder(), "quick", Readings(path)).score([pair[::-1]])


def test_what_is_known_needs_no_model_and_another_model_knows_nothing(tmp_path: Path) -> None:
    path, pair = tmp_path / "readings.sqlite", ("The fee is 5 EUR.", "Each member pays a fee of 5 EUR.")
    first = Encoder(weights_folder(), "quick", Readings(path)).score([pair])
    for name in ("quick-tokenizer.json", SUMS):
        shutil.copy(weights_folder() / name, tmp_path)
    (tmp_path / "quick.onnx").write_text("another")
    again = Encoder(tmp_path, "quick", Readings(path))
    assert np.array_equal(again.score([pair]).support, first.support)
    with pytest.raises(Incomplete, match=r"quick\.onnx: the file is damaged or not the one"):
        again.score([pair[::-1]])
    record(tmp_path)
    with pytest.raises(Incomplete, match=r"quick\.onnx: the model cannot be loaded"):
        Encoder(tmp_path, "quick", Readings(path)).score([pair])
