from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import Incomplete
from surefoot.graders.combine import input_names, inputs_of, load_calibration
from surefoot.graders.features import FEATURE_NAMES

NO_FEATURES = [0.0] * len(FEATURE_NAMES)


def logistic(tier: str) -> dict[str, Any]:
    inputs = [f"{tier}_log_supported", f"{tier}_log_contradicted", f"{tier}_log_not_enough"]
    identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    combiner = {"kind": "logistic", "inputs": inputs, "mean": [0] * 3, "scale": [1] * 3, "weights": identity}
    return {"combiner": {**combiner, "bias": [0] * 3}}


def trees() -> dict[str, Any]:
    """Supported where few numbers are missing, and where the quick tier says so."""
    stump = {"feature": [0, -1, -1], "threshold": [0.5, 0, 0], "left": [1, 0, 0], "right": [2, 0, 0]}
    combiner = {"kind": "trees", "inputs": ["numbers_missing", "quick_supported"], "base": [0, 0, 0]}
    chained = {"of_class": 0, "feature": [0, 1, -1, -1, -1], "threshold": [0.5, 0.8, 0, 0, 0],
               "left": [1, 2, 0, 0, 0], "right": [4, 3, 0, 0, 0], "value": [0, 0, 0, 2, 0]}  # fmt: skip
    return {"combiner": {**combiner, "trees": [{"of_class": 1, **stump, "value": [0, 0, 3]}, chained]}}


def calibration(folder: Path, **changed: Any) -> Path:  # noqa: ANN401
    whole = {"quick": logistic("quick"), "strong": logistic("strong"), "quick_low": 0.2, "quick_high": 0.8,
             "supported_from": 0.6, "contradicted_from": 0.5, **changed}  # fmt: skip
    (folder / "calibration.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


def test_a_neutral_logistic_gives_back_the_model(tmp_path: Path) -> None:
    fitted = load_calibration(calibration(tmp_path))
    given = (0.7, 0.2, 0.1)
    assert fitted.combined("quick", [inputs_of(NO_FEATURES, given)])[0] == pytest.approx(given)
    assert fitted.combined("strong", [inputs_of(NO_FEATURES, (0, 0, 1), given)])[0] == pytest.approx(given)
    assert fitted.combined("quick", []) == []


def test_trees_are_walked_and_added(tmp_path: Path) -> None:
    fitted = load_calibration(calibration(tmp_path, quick=trees()))
    missing = [1.0 if name == "numbers_missing" else 0.0 for name in FEATURE_NAMES]
    rows = [inputs_of(NO_FEATURES, (0.9, 0.1, 0)), inputs_of(missing, (0.9, 0.1, 0)), inputs_of(NO_FEATURES, (0, 0, 1))]
    sure, against, neither = fitted.combined("quick", rows)
    assert sure[0] == pytest.approx(math.exp(2) / (math.exp(2) + 2))
    assert against[1] == pytest.approx(math.exp(3) / (math.exp(3) + 2))
    assert neither == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_labels_by_thresholds_and_an_abstain_zone(tmp_path: Path) -> None:
    fitted = load_calibration(calibration(tmp_path, sure_from=0.5))
    assert fitted.label((0.6, 0.3, 0.1)) == ("supported", 0.6)
    assert fitted.label((0.1, 0.7, 0.2)) == ("contradicted", 0.7)
    assert fitted.label((0.1, 0.2, 0.7)) == ("not_enough", 0.7)
    assert fitted.label((0.5, 0.1, 0.4)) == (None, 0.4)


def test_the_answers_head_has_a_temperature_and_a_bias(tmp_path: Path) -> None:
    quick = {**logistic("quick"), "answers_temperature": 2.0, "answers_bias": 1.0}
    fitted = load_calibration(calibration(tmp_path, quick=quick))
    assert fitted.answering("quick", [-2.0, 1e9]) == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"quick": 3}'])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibration.json").write_text(text)
    with pytest.raises(Incomplete, match="calibration"):
        load_calibration(tmp_path)


def test_an_input_that_does_not_exist_is_named(tmp_path: Path) -> None:
    odd = logistic("quick")
    odd["combiner"]["inputs"][0] = "strong_supported"
    with pytest.raises(Incomplete, match="strong_supported"):
        load_calibration(calibration(tmp_path, quick=odd))
    assert "strong_supported" in input_names("strong")
