"""From documents to a question set, as a user would."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.build import absent
from surefoot.build.builder import Builder
from surefoot.build.facts import facts_of
from surefoot.cli.main import cli
from surefoot.core.errors import UsageError
from surefoot.core.types import Question
from surefoot.corpus.passages import Row
from surefoot.datasets.protocol import KINDS, PROTOCOL, counts_of
from surefoot.io.questions import made_of
from tests.build.documents import write_documents

SIZE = 16


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("build")
    corpus, out = folder / "corpus.jsonl", folder / "questions.jsonl"
    surefoot.add_documents(write_documents(folder / "documents"), out=corpus)
    made = surefoot.build_questions(corpus, out=out, size=SIZE)
    return corpus, out, made.to_json()


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def evidence_of(question: Question) -> list[str]:
    return cast(list[str], made_of(question)["evidence"])


def test_questions_name_their_documents_and_their_gold(built: tuple[Path, Path, dict[str, Any]]) -> None:
    corpus, out, made = built
    ids = {row["id"] for row in rows(corpus)}
    texts = {row["id"]: row["text"] for row in rows(corpus)}
    found = rows(out)
    assert made["questions"] == len(found) > SIZE / 2
    for row in found:
        assert row["review"] == "proposed" and row["made"]["why"]
        assert set(row["made"]["evidence"]) <= ids
        if row["answerable"]:
            assert row["gold_ids"] and set(row["gold_ids"]) <= ids
            said = " ".join(texts[one] for one in row["gold_ids"])
            assert all(claim.split(":")[0] in said for claim in row["gold_claims"])
        elif row["retrieval"] == "normal":
            assert not row["gold_ids"]
    assert {row["stratum"] for row in found} >= {"grounded", "unanswerable"}
    assert len({row["question"] for row in found}) == len(found)


def test_the_set_can_be_read_locked_and_built_on(built: tuple[Path, Path, dict[str, Any]], tmp_path: Path) -> None:
    corpus, out, made = built
    copy = tmp_path / "questions.jsonl"
    copy.write_bytes(out.read_bytes())
    again = surefoot.build_questions(corpus, out=copy, size=1, accept_all=True)
    assert again["added"] == 0 and again["proposed"] == 0
    assert all("unread" in row["made"]["accepted"] for row in rows(copy))
    assert surefoot.lock_questions(copy)["questions"] == made["questions"]


def test_what_is_too_little_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "note.md").write_text("# Note\n\nNothing here says much about anything.\n", encoding="utf-8")
    result = CliRunner().invoke(
        cli,
        ["questions", "build", str(folder), "--out", str(tmp_path / "q.jsonl"), "--size", "5", "--mix", "plain=1"],
        standalone_mode=False,
    )
    assert result.return_value == 4
    assert "0 of 5 questions" in result.output


@pytest.mark.parametrize("mix", ["plain", "plain=x", "tricky=3", "plain=0"])
def test_a_mix_that_makes_no_sense_is_refused(mix: str, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nText.\n", encoding="utf-8")
    result = CliRunner().invoke(
        cli,
        ["questions", "build", str(tmp_path / "note.md"), "--out", str(tmp_path / "q.jsonl"), "--mix", mix],
        standalone_mode=False,
    )
    assert isinstance(result.exception, UsageError)


@given(st.integers(1, 2_000))
def test_a_mix_adds_up(size: int) -> None:
    found = counts_of(size)
    assert sum(found.values()) == size
    assert counts_of(130) == {kind.name: kind.share for kind in PROTOCOL}


def test_an_agreement_that_was_never_made_is_asked_about() -> None:
    texts = {
        "a.md": "This Lease is between Alder Ltd and Oak Ltd. This Lease is governed by the laws of the State of Ohio.",
        "b.md": "This Lease is between Birch Inc and Elm Ltd. This Lease is governed by the laws of the State of Utah.",
    }
    builder = Builder([Row(f"{name}#1", text, name, file=name) for name, text in texts.items()])
    asked = {one.asks for one in absent.strangers(builder.facts, builder.texts, builder.described)}
    assert asked <= {
        "Which state's or country's law governs the lease between Alder and Birch?",
        "Which state's or country's law governs the lease between Birch and Alder?",
    }
    assert asked


def test_a_mould_is_filled_only_where_no_word_settles_it() -> None:
    texts = {
        "a.md": "Disputes go to arbitration in Oslo by a single arbitrator.",
        "b.md": "Disputes go to arbitration in Oslo under the rules of the chamber.",
    }
    moulds = absent.moulded("bait_unsupported", [], texts, dict.fromkeys(texts, ""), list(texts))
    asked = [(one.document, one.asks) for found in moulds for one in found]
    assert asked == [("b.md", "How many arbitrators are to decide a dispute under {doc}?")]


def test_an_amendment_makes_the_older_value_the_bait() -> None:
    lease, deed = "Lease of Unit 7, Oak Park", "Deed of Variation to the Lease of Unit 7, Oak Park"
    said = "The Tenant shall pay the Landlord an annual rent of GBP {} in four equal instalments."
    rows = [
        Row(
            "a.md#1",
            f"Dated 12 May 2021. {said.format('38,000')} The Tenant may park two vehicles behind Unit 7.",
            lease,
        ),
        Row("b.md#1", f"Dated 9 June 2024.\nFrom 1 October 2024 the Tenant{said.format('41,200')[10:]}", deed),
        Row("b.md#2", "The Tenant may park two vehicles and a trailer behind Unit 7.", deed),
        Row("c.md#1", "The Buyer shall pay the Seller a price of EUR 412 per cubic metre.", "Timber order"),
    ]
    builder = Builder([Row(row.id, row.text, row.doc, file=row.id[:4]) for row in rows])
    values = {fact.value for fact in builder.facts}
    assert "GBP 41,200" in values and not {"GBP 38,000", "two"} & values
    found = {
        one.probes: one for one in builder.questions(KINDS["bait_wrong"], 4, set()) if "b.md#1" in evidence_of(one)
    }
    assert found["bait_wrong"].gold_ids == ("b.md#1",)
    assert "before 1 October 2024" in found["point_in_time"].text and found["point_in_time"].gold_ids == ("a.md#1",)
    assert "GBP 38,000" in found["false_premise"].text and found["false_premise"].gold_ids == ("b.md#1",)


def test_what_two_documents_settle_otherwise_is_ambiguous_without_their_names() -> None:
    rows = [
        Row(
            f"{name}.md#1",
            f"The Buyer shall pay each invoice within {days} days of delivery.",
            f"Supply Agreement with {name}",
        )
        for name, days in (("North", 30), ("South", 45))
    ]
    builder = Builder([Row(row.id, row.text, row.doc, file=row.id.partition("#")[0]) for row in rows])
    found = {one.probes: one for one in builder.questions(KINDS["adversarial"], 5, set())}
    assert found["ambiguous"].expects == "refusal" and "Supply" not in found["ambiguous"].text
    assert set(evidence_of(found["ambiguous"])) == {"North.md#1", "South.md#1"}


def test_only_a_term_that_is_named_is_judged() -> None:
    text = "The initial term of this Agreement shall be four years. "
    text += "The Agent shall notify Acme within six days of any delay."
    facts = facts_of(Row("a.md#1", text, "A"))
    moulds = absent.moulded("refuse", facts * 10, {"a.md": text}, {"a.md": "the lease"}, ["a.md"])
    asked = {one.asks for found in moulds for one in found if one.fact}
    spans = {one for one in asked if one.startswith(("Is four", "Why was"))}
    assert spans and all(one.endswith("the initial term of {doc}?") for one in spans)


def test_a_question_names_its_document_only_where_another_says_the_like() -> None:
    texts = {
        "pump.md": "The impeller must be greased with silicone oil every two months. The warranty is 24 months.",
        "lamp.md": "The lamp must be hung from two steel wires. The warranty is 36 months.",
    }
    titles = {"pump.md": "Ardo P40 pump: user manual", "lamp.md": "Ardo L60 lamp: data sheet"}
    builder = Builder([Row(f"{name}#1", text, titles[name], file=name) for name, text in texts.items()])
    found = {fact.asks: builder.name_of(fact) for fact in builder.facts if fact.row.document == "pump.md"}
    assert found == {
        "How often must the impeller be greased with silicone oil?": "",
        "How long is the warranty?": "the Ardo P40 pump",
    }


def test_a_model_or_an_edition_that_no_document_knows_is_asked_about() -> None:
    text = "The warranty is 24 months."
    facts = facts_of(Row("a.md#1", text, "Ardo P40", file="a.md"))
    found = [*absent.misnamed(facts, {"a.md": text}, {"a.md": "the Ardo P40 pump"})]
    assert [(one.kind, one.asks) for one in found] == [
        ("adjacent_entity", "For the Ardo P41 pump, how long is the warranty?")
    ]


def test_what_one_data_sheet_lists_is_asked_of_another_that_does_not() -> None:
    sheet = "| Property | Value |\n| --- | --- |\n| Weight | 3 kg |\n| Hose length | 2 m |"
    texts = {"a.md": f"{sheet}\n| Noise level | 60 dB |", "b.md": sheet}
    facts = [fact for name, text in texts.items() for fact in facts_of(Row(f"{name}#1", text, name, file=name))]
    assert [(one.document, one.asks) for one in absent.unlisted(facts, texts)] == [
        ("b.md", "What is the noise level of {doc}?")
    ]
