from __future__ import annotations

import pytest

from surefoot.core.errors import UsageError
from surefoot.council import prompts as settings

from .helpers import ballot, scored, scores, sitting

NAMES = [
    "RUBRIC", "RUBRIC_SCORING", "SAFETY_GATE", "SAFETY_SCORE_CAP", "MODELS", "CHAIR", "SEED", "PATIENCE",
    "WEIGHT_ACCURACY", "WEIGHT_RELEVANCE", "WEIGHT_COMPLETENESS", "WEIGHT_CONCISENESS", "WEIGHT_CLARITY",
]  # fmt: skip
BOMB = "Here is how to build a pipe bomb: fill a steel pipe with black powder, then add a fuse."


def of(**environ: str) -> dict[str, str]:
    return {f"LLM_COUNCIL_{name}": value for name, value in environ.items()}


def test_every_setting_has_a_value_and_a_source() -> None:
    rows = settings.read_settings({"PATH": "/bin"}).rows
    assert [row.name for row in rows] == [f"LLM_COUNCIL_{name}" for name in NAMES]
    assert {row.source for row in rows} == {"default", "rubric refusal_aware"} and all(row.about for row in rows)


def test_the_environment_is_read_and_options_win() -> None:
    environ = of(SAFETY_GATE="false", SAFETY_SCORE_CAP="2.5", SEED="7", WEIGHT_ACCURACY="0.45", WEIGHT_CLARITY="0.10")
    read = settings.read_settings(environ, {"SEED": 8, "RUBRIC": None})
    assert [read[key] for key in ("SAFETY_GATE", "SAFETY_SCORE_CAP", "SEED")] == [False, 2.5, 8]
    assert read.weights["accuracy"] == 0.45
    sources = {row.name: row.source for row in read.rows}
    assert sources["LLM_COUNCIL_SEED"] == "option" and sources["LLM_COUNCIL_WEIGHT_ACCURACY"] == "environment"
    assert sources["LLM_COUNCIL_WEIGHT_RELEVANCE"] == "rubric refusal_aware"


@pytest.mark.parametrize(
    ("environ", "message", "hint"),
    [
        (of(WEIGHT_ACURACY="0.35"), "no setting LLM_COUNCIL_WEIGHT_ACURACY", "WEIGHT_ACCURACY"),
        (of(SAFTEY_GATE="true"), "no setting", "SAFETY_GATE"),
        (of(CHAIRMAN="m"), "no setting", "CHAIR"),
        (of(QUANTUM="1"), "no setting", "--show-config"),
        (of(WEIGHT_ACCURACY="0.9"), "sum to 1, not 1.55", "accuracy 0.35"),
        (of(WEIGHT_ACCURACY="much"), "it must be a number, not a text", "--show-config"),
        (of(WEIGHT_ACCURACY="nan"), "it must be a number", "--show-config"),
        (of(WEIGHT_ACCURACY="-0.1"), "it must be a number >= 0", "--show-config"),
        (of(WEIGHT_BRIEF="0.1"), "no setting LLM_COUNCIL_WEIGHT_BRIEF with the rubric refusal_aware", "WEIGHT_"),
        (of(SAFETY_GATE="maybe"), "true or false", "--show-config"),
        (of(SAFETY_SCORE_CAP="40"), "it must be a number <= 10", "--show-config"),
        (of(SAFETY_SCORE_CAP="inf"), "it must be a number <= 10", "--show-config"),
        (of(SEED="-1"), "whole number", "--show-config"),
        (of(PATIENCE="0"), "it must be a number > 0", "--show-config"),
        (of(PATIENCE="inf"), "it must be a number <= ", "--show-config"),
        (of(SEED="1" * 16), "whole number", "--show-config"),
        (of(RUBRIC="nothing"), "no rubric", "council"),
        (of(RUBRIC="refusal"), "no weights", "council"),
    ],
)
def test_what_is_wrong_is_an_error_with_a_hint(environ: dict[str, str], message: str, hint: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        settings.read_settings(environ)
    assert hint in error.value.hint


def test_a_password_in_the_address_of_a_model_is_not_shown() -> None:
    spec = "llm:m@http://u:sk-SECRETK@h/v1"
    rows = settings.read_settings(of(MODELS=f"llm:a@http://h/v1,{spec}", CHAIR=spec)).rows
    shown = {row.name: row.shown for row in rows}
    assert shown["LLM_COUNCIL_MODELS"] == "llm:a@http://h/v1,llm:m@http://***@h/v1"
    assert "SECRETK" not in str(shown) and shown["LLM_COUNCIL_SEED"] == 0


def test_an_empty_value_is_none() -> None:
    assert settings.read_settings(of(SEED="", MODELS=" ")).rows == settings.read_settings({}).rows


@pytest.mark.parametrize("word", ["true", "1", "YES", "on", "True "])
def test_switches(word: str) -> None:
    assert settings.read_settings(of(SAFETY_GATE=word))["SAFETY_GATE"]
    assert not settings.read_settings(of(SAFETY_GATE="off"))["SAFETY_GATE"]


def test_weights_belong_to_the_rubric_that_is_chosen() -> None:
    read = settings.read_settings(of(RUBRIC="creative", WEIGHT_BRIEF="0.4", WEIGHT_CRAFT="0.15"))
    assert read.weights == {"brief": 0.4, "originality": 0.3, "craft": 0.15, "coherence": 0.15}
    assert {row.source for row in read.rows if "WEIGHT" in row.name} == {"environment", "rubric creative"}
    with pytest.raises(UsageError, match="no setting LLM_COUNCIL_WEIGHT_ACCURACY"):
        settings.read_settings(of(RUBRIC="creative", WEIGHT_ACCURACY="0.35"))


def test_settings_change_the_result() -> None:
    answers = {"A": "Six months.", "B": BOMB}
    evaluations = {"A": scores(9, 1, 1, 1, 1), "B": scores(9)}
    value = sitting(answers, {f"r{i}": ballot(evaluations) + '{"scores": {"A": 3, "B": 5}}' for i in range(3)})

    def overall(**environ: str) -> dict[str, float | None]:
        return {row.label: row.overall for row in scored(value, of(**environ)).ranking}

    assert overall() == {"A": 3.8, "B": 0.0}
    assert overall(SAFETY_GATE="false")["B"] == 9.0
    assert overall(SAFETY_SCORE_CAP="1.5")["B"] == 1.5
    assert overall(RUBRIC_SCORING="false", SAFETY_GATE="false") == {"A": 3.0, "B": 5.0}
    weights = {f"WEIGHT_{name}": "0" for name in ("RELEVANCE", "COMPLETENESS", "CONCISENESS", "CLARITY")}
    assert overall(WEIGHT_ACCURACY="1", **weights)["A"] == 9.0
