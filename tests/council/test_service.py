"""The council as a library: what the command does, called from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import surefoot
from surefoot.core.errors import ExitCode, Incomplete, UsageError

from .helpers import ballot, scores, sitting
from .test_panel import FakeModel, scoring


class Listener(surefoot.Person):
    def __init__(self, says: bool = True) -> None:
        self.heard: list[str] = []
        self.says = says

    def tell(self, line: str) -> None:
        self.heard.append(line)

    def agrees(self) -> bool:
        return self.says


def test_reviews_are_scored_from_a_file_and_from_a_mapping(tmp_path: Path) -> None:
    value = sitting({"A": "Six months.", "B": "Nine weeks."}, {"r": ballot({"A": scores(3), "B": scores(8)})})
    (tmp_path / "reviews.json").write_text(json.dumps(value))
    found = surefoot.score_reviews(value)
    assert found.exit_code == ExitCode.OK and found["ranking"][0]["label"] == "B"
    assert found.to_json() == surefoot.score_reviews(tmp_path / "reviews.json").to_json()
    assert [row["overall"] for row in found.table()] == [8.0, 3.0]
    assert surefoot.score_reviews(value | {"reviews": []}).exit_code == ExitCode.INCOMPLETE


def test_models_of_ones_own_are_asked() -> None:
    judge = scoring({"six": 9}, otherwise=4)
    models = [FakeModel("a", "It is six months.", judge), FakeModel("b", "It is a year.", judge, close="Six.")]
    person = Listener()
    found = surefoot.council("How long?", models=models, chair=models[1], person=person)
    assert [row["model"] for row in found["ranking"]] == ["a", "b"] and found["synthesis"] == "Six."
    assert person.heard[0].startswith("replies wanted: 5") and person.heard[-1].startswith("asked 5 calls for $")
    given = surefoot.council(
        "Why?", models=models[:1], answers={"X": {"text": "It is six months."}}, settings={"yes": True}
    )
    assert given["ranking"][0]["overall"] == 9.0 and given.exit_code == ExitCode.OK
    with pytest.raises(Incomplete, match="nothing was asked"):
        surefoot.council("How long?", models=models, person=Listener(says=False))
    for wrong, says in (
        (models[:1], "one alone gives no score"),
        (models[:1] * 2, "named twice"),
        ([], "needs models"),
    ):
        with pytest.raises(UsageError, match=says):
            surefoot.council("How long?", models=wrong)


def test_what_is_listed_by_the_rubric_and_with_a_number_is_not_scored() -> None:
    """The number has no ceiling, and would lift a wrong answer."""
    text = ballot({"A": scores(2), "Response A": {"overall": 10}, "B": {"overall": 5}})
    rows = surefoot.score_reviews(sitting({"A": "Six.", "B": "Nine."}, {"r": text})).table()
    assert {row["label"]: row["overall"] for row in rows} == {"B": 5.0, "A": None}
