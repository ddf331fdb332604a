from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.errors import Incomplete
from surefoot.graders.features import FEATURE_NAMES
from surefoot.graders.tiers import input_names, inputs_of, load_calibration
from training.sums import record

NO_FEATURES = [0.0] * len(FEATURE_NAMES)


STUMP = {"feature": [0, -1, -1], "threshold": [0.5, 0, 0], "left": [1, 0, 0], "right": [2, 0, 0], "value": [0, -1, 1]}


def trees(tier: str, *further: dict[str, Any]) -> dict[str, Any]:
    """Supported where the tier says so."""
    inputs = [f"{tier}_supported", "terms_missing"]
    combiner = {"inputs": inputs, "base": 0.0, "trees": [STUMP, *further]}
    return {"combiner": combiner, "answers_temperature": 1.0, "answers_bias": 0.0}


def calibration(folder: Path, **changed: Any) -> Path:  # noqa: ANN401
    whole = {"quick": trees("quick"), "strong": trees("strong"), "quick_low": 0.2, "quick_high": 0.8,
             "supported_from": 0.6, "contradicted_from": 0.5, "answers_low": 0.05,
             "strong_windows": 3, **changed}  # fmt: skip
    (folder / "calibration.json").write_text(json.dumps(whole), encoding="utf-8")
    record(folder)
    return folder


def sigmoid(margin: float) -> float:
    return 1 / (1 + math.exp(-margin))


def test_what_is_not_supported_is_split_as_the_model_says(tmp_path: Path) -> None:
    fitted = load_calibration(calibration(tmp_path))
    p = sigmoid(1)
    assert fitted.combined("quick", [inputs_of(NO_FEATURES, (0.7, 0.2, 0.1))])[0] == pytest.approx(
        (p, (1 - p) * 2 / 3, (1 - p) / 3)
    )
    assert fitted.combined("strong", [inputs_of(NO_FEATURES, (0.7, 0, 0.3), (0, 1, 0))])[0] == pytest.approx(
        (1 - p, p, 0)
    )
    assert fitted.combined("quick", []) == []


def test_trees_are_walked_and_added(tmp_path: Path) -> None:
    """The second one counts missing words, and only where the model is all for it."""
    chained = {"feature": [0, -1, 1, -1, -1], "threshold": [0.8, 0, 0.5, 0, 0],
               "left": [1, 0, 3, 0, 0], "right": [2, 0, 4, 0, 0], "value": [0, 0, 0, 0.5, -3]}  # fmt: skip
    fitted = load_calibration(calibration(tmp_path, quick=trees("quick", chained)))
    missing = [1.0 if name == "terms_missing" else 0.0 for name in FEATURE_NAMES]
    rows = [inputs_of(NO_FEATURES, (0.9, 0.1, 0)), inputs_of(missing, (0.9, 0.1, 0)), inputs_of(missing, (0, 0, 1))]
    found = [row[0] for row in fitted.combined("quick", rows)]
    assert found == pytest.approx([sigmoid(1.5), sigmoid(-2), sigmoid(-1)])


def test_labels_by_thresholds(tmp_path: Path) -> None:
    fitted = load_calibration(calibration(tmp_path))
    assert fitted.label((0.6, 0.3, 0.1)) == ("supported", 0.6)
    assert fitted.label((0.1, 0.7, 0.2)) == ("contradicted", 0.7)
    assert fitted.label((0.1, 0.2, 0.7)) == ("not_enough", 0.7)
    assert fitted.label((0.5, 0.1, 0.4)) == ("not_enough", 0.4)


def test_the_answers_head_has_a_temperature_and_a_bias(tmp_path: Path) -> None:
    quick = {**trees("quick"), "answers_temperature": 2.0, "answers_bias": 1.0}
    fitted = load_calibration(calibration(tmp_path, quick=quick))
    assert fitted.answering("quick", [-2.0, 1e9]) == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"quick": 3}'])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibration.json").write_text(text)
    record(tmp_path)
    with pytest.raises(Incomplete, match="calibration"):
        load_calibration(tmp_path)


def test_an_input_that_does_not_exist_is_named(tmp_path: Path) -> None:
    odd = trees("quick")
    odd["combiner"]["inputs"][0] = "strong_supported"
    with pytest.raises(Incomplete, match="strong_supported"):
        load_calibration(calibration(tmp_path, quick=odd))
    assert "strong_supported" in input_names("strong")


def test_an_input_that_no_tree_splits_on_need_not_be_counted(tmp_path: Path) -> None:
    older = trees("quick")
    older["combiner"]["inputs"][1] = "counted_once"
    fitted = load_calibration(calibration(tmp_path, quick=older))
    assert fitted.combined("quick", [inputs_of(NO_FEATURES, (0.7, 0.2, 0.1))])[0][0] == pytest.approx(sigmoid(1))
