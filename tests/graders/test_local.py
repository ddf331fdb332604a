from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.graders.judges import Pair
from surefoot.graders.local import LocalJudge, _verbatim
from surefoot.text.normal import spoken

PASSAGE = (
    "Invoices are payable within forty (40) days of receipt. Quillon Data may charge interest of 12 % a year. "
    "The contract ends on 31 May 2027."
)


def judge(claim: str, passage: str = PASSAGE, question: str = "") -> tuple[str | None, str]:
    found = LocalJudge().judge([Pair(passage, claim, context=question)])[0]
    return found.label, found.reason


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Invoices must be paid within 40 days of receipt.", "supported"),
        ("Quillon Data may charge interest of 12 % a year.", "supported"),
        ("Invoices are payable within 30 days of receipt.", "contradicted"),
        ("The cafeteria serves fish on Fridays.", "not_enough"),
    ],
)
def test_plain_cases(claim: str, label: str) -> None:
    assert judge(claim) == (label, "")


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        ("", PASSAGE, "the claim is empty"),
        ("***", PASSAGE, "the claim is empty"),
        ("Invoices are due.", " \n", "the context is empty"),
        ("Invoices are due.", "\x00\x01\x02\x03" * 50 + "abc", "the context is not text"),
        ("发票应在收到后四十天内支付", PASSAGE, "the claim is not English"),
        ("Invoices are due. " * 500, PASSAGE, "the claim is longer than 6,000 characters"),
        ("😀😀😀😀😀😀 ok", PASSAGE, "the claim is mostly signs or words that the model does not know"),
        ("ＴＨＥ ＦＥＥ ＩＳ ４０", PASSAGE, "the claim is mostly signs or words that the model does not know"),
        ("Invoices are due.", "abc" * 50, "the context is mostly signs or words that the model does not know"),
        ("𝐈𝐧𝐯𝐨𝐢𝐜𝐞𝐬 𝐚𝐫𝐞 𝐝𝐮𝐞", PASSAGE, "the claim is not English"),
        ("y", "x", "the context has no words"),
        ("y", PASSAGE, "the claim has no words that say anything"),
    ],
)
def test_what_cannot_be_graded_says_why(claim: str, passage: str, reason: str) -> None:
    assert judge(claim, passage) == (None, reason)


def test_probabilities_add_up_and_decide_with_a_quote() -> None:
    found = LocalJudge().judge([Pair(PASSAGE, "Invoices are payable within 30 days of receipt.")])[0]
    assert found.probabilities and sum(found.probabilities) == pytest.approx(1, abs=0.001)
    assert found.quote == "Invoices are payable within forty (40) days of receipt."
    assert found.via == LocalJudge().name and found.via.startswith("local@")


def test_a_pair_is_judged_the_same_alone_and_among_others() -> None:
    pairs = [Pair(PASSAGE + " " * number, f"The contract ends on {number} May 2027.") for number in range(1, 6)]
    together = LocalJudge().judge([*pairs, pairs[0]])
    assert [LocalJudge().judge([pair])[0] for pair in [*pairs, pairs[0]]] == together


def test_a_long_document_is_read_in_windows_and_says_what_it_skipped() -> None:
    filler = " ".join(f"Clause {i} deals with the maintenance of machine {i}." for i in range(800))
    document = f"{filler} {PASSAGE} {filler}"
    found = LocalJudge().judge([Pair(document, "Invoices are payable within 40 days of receipt.")])[0]
    assert found.reason.startswith("12 of ") and found.reason.endswith(" windows of the context were read")
    assert found.label is not None


def test_a_short_claim_is_read_with_its_question() -> None:
    assert judge("40 days.", question="When are invoices payable after receipt?")[0] == "supported"


def test_does_a_passage_answer_a_question() -> None:
    found = LocalJudge().answering(
        [Pair(*asked) for asked in [(PASSAGE, "When are invoices payable?"), ("", "When?"), (PASSAGE, "!")]]
    )
    assert found[0] is not None and 0 <= found[0] <= 1 and found[1:] == [None, None]
    assert LocalJudge().answers([Pair("", "When?")])[0].reason == "the passage is empty"


@settings(max_examples=15)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_texts_are_judged_or_say_why_not(passage: str, claim: str) -> None:
    label, reason = judge(claim, passage)
    assert label or reason


def test_importing_the_grader_loads_no_heavy_library() -> None:
    heavy = "{'onnxruntime', 'tokenizers'}"
    code = f"import sys, surefoot.graders.local; sys.exit(bool({heavy} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], timeout=600).returncode == 0


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The total cost is 12.5 million euros per year.", "5 million euros per year"),
        ("x.The total cost of the works.y", "The total cost of the works"),
        ("It is not true that the fee for the licence is due.", "the fee for the licence is due"),
        ("Rechnungen sind nach dem Erhalt sofort zu bezahlen.", "Rechnungen sind nach dem Erhalt sofort zu bezahlen."),
    ],
)
def test_only_a_whole_readable_sentence_counts(passage: str, claim: str) -> None:
    assert _verbatim(Pair(passage, claim)) is None


def test_many_near_hits_cost_no_more_than_reading() -> None:
    passage = "the cat sat on the mat and " * 40_000
    assert _verbatim(Pair(passage, "the cat sat on the mat")) is None


def test_signs_that_turn_a_sentence_round_are_spoken() -> None:
    assert "at most" in spoken("≤ 5 mg") and "at least" in spoken("≥ 5 mg") and spoken("5 mg") == "5 mg"
