"""A set that outlives its documents: what changed is named, a successor proposed, and nothing added unasked."""

import json
from pathlib import Path
from typing import Any

import pytest

import surefoot
from surefoot.build.reading import Reader
from surefoot.core.types import Passage, Question
from surefoot.corpus.corpus import load_corpus

RENT = "The Tenant shall pay the Landlord an annual rent of GBP {} in four equal instalments."
TITLE = "Lease of Unit 7, Oak Park"


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, Path]:
    """A locked set over one document, which has changed since."""
    folder, file = tmp_path / "documents", tmp_path / "questions.jsonl"
    folder.mkdir()
    (folder / "lease.md").write_text(f"# {TITLE}\n\n{RENT.format('38,000')}\n", encoding="utf-8")
    surefoot.add_documents(folder, out=tmp_path / "corpus.jsonl")
    gold = load_corpus(tmp_path / "corpus.jsonl")[0].id
    row = {"qid": "q1", "question": "What is the rent?", "answerable": True, "gold_ids": [gold],
           "gold_claims": [RENT.format("38,000")], "review": "accepted"}  # fmt: skip
    file.write_text(f"{json.dumps(row)}\n", encoding="utf-8")
    surefoot.lock_questions(file)
    (folder / "lease.md").write_text(f"# {TITLE}\n\n{RENT.format('41,200')}\n", encoding="utf-8")
    surefoot.add_documents(folder, out=tmp_path / "corpus.jsonl")
    return file, tmp_path / "corpus.jsonl"


def test_a_question_whose_gold_passage_changed_is_named_and_gets_a_successor(kept: tuple[Path, Path]) -> None:
    file, corpus = kept
    found = surefoot.check_questions(file, corpus=corpus)
    assert [one.qid for one in found.findings if one.kind == "missing_gold"] == ["q1"]
    cloned = surefoot.clone_questions(file, file.with_name("v2.jsonl"), corpus=corpus)
    row: dict[str, Any] = json.loads(file.with_name("v2.jsonl").read_text(encoding="utf-8"))
    assert cloned.proposed == ("q1@v2",) and row["qid"] == "q1@v2" and row["review"] == "proposed"
    assert row["gold_claims"] == [RENT.format("41,200")] and row["gold_ids"] == [load_corpus(corpus)[0].id]


def test_nothing_is_added_to_a_locked_set_unasked(kept: tuple[Path, Path]) -> None:
    file, corpus = kept
    assert surefoot.build_questions(corpus, out=file)["added"] == 0


def test_gold_that_an_amendment_changed_is_found() -> None:
    deed = f"From 1 October 2024 the Tenant{RENT.format('41,200')[10:]}"
    passages = [
        Passage("a.md#1", f"Dated 12 May 2021. {RENT.format('38,000')}", TITLE),
        Passage("b.md#1", f"Dated 9 June 2024. {deed}", f"Deed of Variation to the {TITLE}"),
    ]
    text = "What annual rent must the Tenant pay the Landlord?"
    kinds = [
        {
            one.kind
            for one in Reader(passages).findings(Question("q1", text, "answer", gold_ids=(gold,), gold_claims=(claim,)))
        }
        for gold, claim in (("a.md#1", RENT.format("38,000")), ("b.md#1", RENT.format("41,200")))
    ]
    assert "superseded_gold" in kinds[0] and "superseded_gold" not in kinds[1]


def test_a_later_sentence_with_another_figure_is_told_without_a_model_that_sees_it() -> None:
    passages = [
        Passage("a.md#1", "Dated 12 May 2021. The Tenant shall pay a yearly rent of GBP 38,000.", TITLE),
        Passage("b.md#1", "Dated 9 June 2024. The yearly rent payable by the Tenant is increased to GBP 41,200.",
                f"Deed of Variation to the {TITLE}"),
    ]  # fmt: skip
    claim = "The Tenant shall pay a yearly rent of GBP 38,000."
    asked = Question(
        "q1", "What yearly rent does the Tenant pay?", "answer", gold_ids=("a.md#1",), gold_claims=(claim,)
    )
    assert "superseded_gold" in {one.kind for one in Reader(passages).findings(asked)}
