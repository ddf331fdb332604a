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
from surefoot.core.errors import Incomplete, SurefootError, UsageError
from surefoot.core.types import Question
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.question_file import QuestionFile
from surefoot.io.questions import question_of
from surefoot.report.marked import source_key
from surefoot.report.prose import visible
from surefoot.web.forms import BadForm
from surefoot.web.pages import Sent, SentSide
from surefoot.web.questions import Questions, edit_of

from ..in_process import surefoot as command
from .conftest import proposed, rows

Values = dict[str, str | list[str]]


@pytest.fixture
def desk(built: Path, corpus: Path) -> Questions:
    return Questions(QuestionFile(built), load_corpus(corpus))


def page_of(desk: Questions, number: int) -> dict[str, Any]:
    shown = desk.page("Ana", str(number), {})
    assert isinstance(shown, tuple)
    return dict(shown[1])


def fields(question: Question) -> Values:
    """As the page shows them."""
    return {
        "text": visible(question.text), "expects": question.expects,
        "claims": [*map(visible, question.gold_claims), ""], "gold": [*map(source_key, question.gold_ids)],
    }  # fmt: skip


def sent(desk: Questions, number: int, decision: str = "accepted", **changed: str | list[str]) -> Sent:
    entry = desk.entries[number - 1]
    values = {**fields(entry.question), **changed} if changed else {}
    return Sent(sides=(SentSide(entry.version, {"decision": decision, **values}),))


def next_of(reply: dict[str, object]) -> object:
    return reply["next"]


def test_people_at_once_get_different_questions(desk: Questions) -> None:
    assert [desk.page(name, "", {}) for name in ("Ana", "Ben", "Cem", "Ana")] == ["/1", "/2", "/3", "/1"]
    assert next_of(desk.save("Ana", sent(desk, 1))) == "/4"
    assert desk.page("Ben", "", {"after": "6"}) == "/2"
    assert desk.page("Ben", "", {"stratum": "unanswerable"}) == "/6?stratum=unanswerable"
    assert desk.page("Dan", "", {"stratum": "no such stratum"}) == "/done?stratum=no%20such%20stratum"


def test_what_speaks_against_an_edit_is_said_at_once(desk: Questions, built: Path) -> None:
    before = built.read_bytes()
    copper = sent(desk, 1, text="What is the roof made of?", claims=["The roof is made of copper."])
    found = desk.save("Ana", copper)["objections"]
    assert isinstance(found, list) and any("gold claim" in one for one in found)
    assert built.read_bytes() == before, "nothing is saved yet"
    assert "next" in desk.save("Ana", replace(copper, anyway=True))
    assert "next" in desk.save("Ana", sent(desk, 2, claims=["In May door 1 of the mill was painted blue."]))


def test_a_wrong_gold_passage_is_replaced_by_one_that_was_searched_for(desk: Questions, built: Path) -> None:
    shown = desk.page("Ana", "search", {"words": "What is the roof made of?"})
    assert isinstance(shown, tuple)
    found = shown[1]["found"]
    assert isinstance(found, list) and found[0].id == "roof#1"
    text, claims = "What is the roof of the mill made of?", ["The roof of the mill is slate."]
    assert "next" in desk.save("Ana", sent(desk, 1, text=text, claims=claims, gold=[found[0].key]))
    assert rows(built)["b0"]["gold_ids"] == ["roof#1"]


def test_an_undo_takes_back_each_decision_unless_somebody_changed_it_since(desk: Questions, built: Path) -> None:
    before = rows(built)
    desk.save("Ana", sent(desk, 1))
    desk.save("Ana", sent(desk, 1, "rejected"))
    assert next_of(desk.undo("Ana", Sent())) == "/1" and rows(built)["b0"]["review"] == "accepted"
    assert next_of(desk.undo("Ana", Sent())) == "/1" and rows(built) == before
    with pytest.raises(BadForm, match="nothing to undo"):
        desk.undo("Ana", Sent())
    desk.save("Ana", sent(desk, 2))
    desk.save("Ben", sent(desk, 2, "rejected"))
    with pytest.raises(BadForm, match="b1 was changed by somebody else"):
        desk.undo("Ana", Sent())
    assert rows(built)["b1"]["review"] == "rejected"


def test_an_undo_that_could_not_be_written_can_be_tried_again(
    desk: Questions, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(built)
    desk.save("Ana", sent(desk, 1))

    def fails(*_: object) -> int:
        raise Incomplete("the disk is full", "make room")

    with monkeypatch.context() as patched, pytest.raises(Incomplete):
        patched.setattr(desk.file, "change", fails)
        desk.undo("Ana", Sent())
    assert next_of(desk.undo("Ana", Sent())) == "/1" and rows(built) == before


def test_a_decision_on_an_older_version_is_refused(desk: Questions, built: Path) -> None:
    late = sent(desk, 1, "rejected")
    surefoot.review_questions(built, accept=["b0"], by="Ben")
    with pytest.raises(BadForm, match="changed in another window or by somebody else"):
        desk.save("Ana", late)
    assert page_of(desk, 1)["reviewer"] == "Ben"


def test_a_locked_question_is_accepted_or_rejected_and_not_edited(desk: Questions, built: Path) -> None:
    surefoot.lock_questions(built, accept_all=True)
    with pytest.raises(UsageError, match="b0 is locked, so its words may not change"):
        desk.save("Ana", sent(desk, 1, text="Which colour?"))
    desk.save("Ana", sent(desk, 1))
    desk.save("Ana", sent(desk, 2, "rejected", text="Not looked at"))
    assert rows(built)["b1"]["question"] == proposed(1)["question"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"text": " \n"}, "the question has no text"),
        ({"claims": ["", " "]}, "nothing says what the answer is"),
        ({"gold": []}, "an answer must stand in some passage"),
        ({"gold": ["of another corpus"]}, "1 of the passages marked are not in the corpus"),
        ({"text": "x" * 4_001}, "up to 4,000 characters"),
    ],
)
def test_half_a_question_is_not_accepted(desk: Questions, built: Path, changed: Values, words: str) -> None:
    before = built.read_bytes()
    with pytest.raises(BadForm, match=words):
        desk.save("Ana", sent(desk, 1, "accepted", **changed))
    assert built.read_bytes() == before


TEXT = st.text(min_size=1).filter(lambda text: text.strip() and len(text) < 100)


@given(TEXT, st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=3), st.booleans())
def test_what_is_not_touched_stays_as_it_is(text: str, claims: list[str], gold: list[str], answerable: bool) -> None:
    row = {"qid": "q", "q": text, "answerable": answerable, "gold_claims": claims, "gold_ids": gold}
    question = question_of(row)
    keys = {source_key(one): one for one in gold}
    assert edit_of(question, {}, keys) == question
    if len(set(question.gold_claims)) == len(question.gold_claims) and (gold or not answerable):
        assert edit_of(question, fields(question), keys) == question


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
        Questions(QuestionFile(built), load_corpus(built.parent / "nowhere"))


def test_passages_that_the_corpus_lacks_are_named(desk: Questions, built: Path) -> None:
    odd = proposed(9) | {"made": {"evidence": ["gone#1", 7], "why": ["no text"]}}
    with built.open("a", encoding="utf-8") as file:
        file.write(json.dumps(odd) + "\n")
    shown = page_of(desk, 7)
    assert [(one.id, one.known) for one in shown["evidence"]] == [("doors#9", False), ("gone#1", False)]
    assert shown["why"] == "" and shown["others"]


RED = "Door 0 of the mill was painted red in May."


def written(text: str, gold: list[str] | None = None, claims: list[str] | None = None, anyway: bool = False) -> Sent:
    values: Values = {"text": text, "expects": "answer" if gold else "refusal", "claims": claims or []}
    values["gold"] = [source_key(one) for one in gold or ()]
    return Sent(sides=(SentSide("", {"decision": "accepted", **values}),), anyway=anyway)


def test_a_question_whose_passage_supports_its_claim_is_added(desk: Questions, built: Path) -> None:
    question = written("What colour  is the first door of the mill?", ["doors#0"], [RED])
    assert next_of(desk.save("Ana", question)) == "/7"
    added = [*rows(built).values()][-1]
    assert (added["question"], added["answerable"], added["gold_ids"], added["gold_claims"], added["review"]) == (
        "What colour is the first door of the mill?", True, ["doors#0"], [RED], "accepted",
    )  # fmt: skip
    assert added["made"]["by"] == added["made"]["reviewed"]["by"] == "Ana"
    with pytest.raises(UsageError, match="asks the same"):
        desk.save("Ana", question)


def test_a_claim_that_its_passage_does_not_support_is_found_and_kept_with_the_question(
    desk: Questions, built: Path
) -> None:
    question = written("What is the roof made of?", ["doors#0"], ["The roof is made of copper."])
    assert "gold claim" in str(desk.save("Ana", question)["objections"]) and len(rows(built)) == 6
    desk.save("Ana", replace(question, anyway=True))
    assert [*rows(built).values()][-1]["made"]["findings"][0]["confidence"] >= 0.5


def test_an_unanswerable_question_that_a_passage_answers_is_found(desk: Questions, built: Path) -> None:
    question = written("What is the roof of the mill made of?")
    assert "roof#1" in str(desk.save("Ana", question)["objections"])
    desk.save("Ana", replace(question, anyway=True))
    added = [*rows(built).values()][-1]
    assert (added["stratum"], added["probes"], added["retrieval"]) == ("unanswerable", "unanswerable", "normal")


def test_a_rejected_question_may_be_written_again(desk: Questions, built: Path) -> None:
    surefoot.review_questions(built, reject=["b0"])
    desk.save("Ana", written(proposed(0)["question"], ["doors#0"], [RED], anyway=True))
    assert [*rows(built).values()][-1]["question"] == proposed(0)["question"]


def test_half_a_question_is_refused(desk: Questions) -> None:
    for question, words in ((written(" "), "has no text"), (written("Why?", ["doors#9"], ["x"]), "not in the corpus")):
        with pytest.raises(UsageError, match=words):
            desk.save("Ana", question)
