"""The desk without a browser: who gets which question, what an edit may change, and what becomes of wrong input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import surefoot
from surefoot.core.errors import Incomplete, SurefootError
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.question_file import QuestionFile
from surefoot.io.questions import question_of
from surefoot.report.prose import visible
from surefoot.review.desk import Desk, Page, Sent
from surefoot.review.form import Fields, edit_of
from surefoot.web.pages import BadForm

from ..in_process import surefoot as command
from .conftest import proposed, rows


@pytest.fixture
def desk(built: Path, corpus: Path) -> Desk:
    return Desk(QuestionFile(built), load_corpus(corpus))


def page_of(desk: Desk, number: int) -> Page:
    page = desk.page(number, "Ana")
    assert page is not None
    return page


def sent(desk: Desk, number: int, decision: Any = "accepted", **fields: Any) -> Sent:  # noqa: ANN401
    entry = page_of(desk, number).entry
    question = entry.question
    given = Fields(question.text, question.expects, list(question.gold_claims), list(question.gold_ids))
    changed = Fields(**{name: fields.get(name, getattr(given, name)) for name in given.__struct_fields__})
    return Sent(number, entry.version, decision, changed)


def test_people_at_once_get_different_questions(desk: Desk) -> None:
    assert [desk.onwards(name) for name in ("Ana", "Ben", "Cem", "Ana")] == [
        "/questions/1", "/questions/2", "/questions/3", "/questions/1",
    ]  # fmt: skip
    assert desk.decide("Ana", sent(desk, 1)) == "/questions/4"
    assert desk.onwards("Ben", after=6) == "/questions/2"
    assert desk.onwards("Ben", "unanswerable") == "/questions/6?stratum=unanswerable"
    assert desk.onwards("Dan", "no such stratum") == "/done?stratum=no%20such%20stratum"


def test_what_speaks_against_an_edit_is_said_at_once(desk: Desk) -> None:
    assert desk.objections(sent(desk, 1)) == ()
    copper = sent(desk, 1, text="What is the roof made of?", claims=["The roof is made of copper."])
    found = desk.objections(copper)
    assert any("gold claim" in one.message for one in found)
    assert desk.objections(replace(copper, anyway=True)) == desk.objections(replace(copper, decision="rejected")) == ()
    assert desk.objections(replace(copper, version="another")) == ()
    red = sent(desk, 1, claims=["In May door 0 of the mill was painted red."])
    assert desk.objections(red) == ()


def test_an_undo_takes_back_each_decision_unless_somebody_changed_it_since(desk: Desk, built: Path) -> None:
    before = rows(built)
    desk.decide("Ana", sent(desk, 1))
    desk.decide("Ana", sent(desk, 1, "rejected"))
    assert desk.undo("Ana") == "/questions/1" and rows(built)["b0"]["review"] == "accepted"
    assert desk.undo("Ana") == "/questions/1" and rows(built) == before
    with pytest.raises(BadForm, match="nothing to undo"):
        desk.undo("Ana")
    desk.decide("Ana", sent(desk, 2))
    desk.decide("Ben", sent(desk, 2, "rejected"))
    with pytest.raises(BadForm, match="b1 was changed by somebody else"):
        desk.undo("Ana")
    assert rows(built)["b1"]["review"] == "rejected"


def test_an_undo_that_could_not_be_written_can_be_tried_again(
    desk: Desk, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(built)
    desk.decide("Ana", sent(desk, 1))

    def fails(*_: object) -> int:
        raise Incomplete("the disk is full", "make room")

    with monkeypatch.context() as patched, pytest.raises(Incomplete):
        patched.setattr(desk.file, "change", fails)
        desk.undo("Ana")
    assert desk.undo("Ana") == "/questions/1" and rows(built) == before


def test_a_decision_on_an_older_version_is_refused(desk: Desk, built: Path) -> None:
    late = sent(desk, 1, "rejected")
    surefoot.review_questions(built, accept=["b0"], by="Ben")
    with pytest.raises(BadForm, match="changed in another window or by somebody else"):
        desk.decide("Ana", late)
    assert page_of(desk, 1).reviewer == "Ben"


def test_a_locked_question_is_accepted_or_rejected_and_not_edited(desk: Desk, built: Path) -> None:
    surefoot.lock_questions(built, accept_all=True)
    with pytest.raises(BadForm, match="b0 is locked, so its words may not change"):
        desk.decide("Ana", sent(desk, 1, text="Which colour?"))
    desk.decide("Ana", sent(desk, 1))
    desk.decide("Ana", sent(desk, 2, "rejected", text="Not looked at"))
    assert rows(built)["b1"]["question"] == proposed(1)["question"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": " \n"}, "the question has no text"),
        ({"claims": ["", " "]}, "nothing says what the answer is"),
        ({"gold": []}, "an answer must stand in some passage"),
        ({"gold": ["of another corpus"]}, "an answer must stand in some passage"),
        ({"text": "x" * 4_001}, "up to 4,000 characters"),
    ],
)
def test_half_a_question_is_not_accepted(desk: Desk, built: Path, fields: dict[str, Any], words: str) -> None:
    before = built.read_bytes()
    with pytest.raises(BadForm, match=words):
        desk.decide("Ana", sent(desk, 1, **fields))
    assert built.read_bytes() == before


TEXT = st.text(min_size=1).filter(lambda text: text.strip() and len(text) < 100)


@given(TEXT, st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=3), st.booleans())
def test_what_is_not_touched_stays_as_it_is(text: str, claims: list[str], gold: list[str], answerable: bool) -> None:
    row = {"qid": "q", "q": text, "answerable": answerable, "gold_claims": claims, "gold_ids": gold}
    question = question_of(row)
    shown = Fields(
        visible(text), question.expects, [visible(one) for one in question.gold_claims], [*map(visible, gold)]
    )
    assert edit_of(question, shown, {visible(one): one for one in gold}) == question


def test_a_set_in_which_nothing_was_proposed_needs_no_review(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"qid": "q", "q": "Why?", "answerable": False}) + "\n", "utf-8")
    done = command("questions", "review", path, "--corpus", corpus, "--no-browser")
    assert done.code == 2 and "holds no question to review" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--name", "a\nb"], "is not a name"),
        (["--token", "short"], "at least 12 characters"),
        (["--host", "no.such.host.invalid"], "there is no host"),
    ],
)
def test_wrong_use_is_a_sentence(built: Path, corpus: Path, options: list[str], words: str) -> None:
    done = command("questions", "review", built, "--corpus", corpus, "--no-browser", *options)
    assert done.code == 2 and words in done.err and "hint: " in done.err
    with pytest.raises(SurefootError, match="does not exist"):
        Desk(QuestionFile(built), load_corpus(built.parent / "nowhere"))


def test_passages_that_the_corpus_lacks_are_named(desk: Desk, built: Path) -> None:
    odd = proposed(9) | {"made": {"evidence": ["gone#1", 7], "why": ["no text"]}}
    with built.open("a", encoding="utf-8") as file:
        file.write(json.dumps(odd) + "\n")
    view = page_of(desk, 7).view
    assert [(one.id, one.source.known) for one in view.evidence] == [("doors#9", False), ("gone#1", False)]
    assert view.why == "" and view.others
