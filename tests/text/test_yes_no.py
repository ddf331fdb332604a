from __future__ import annotations

import pytest

from surefoot.text.normal import asks_yes_no, is_denial, spelled_out


@pytest.mark.parametrize(
    ("question", "claim", "statement"),
    [
        ("Are cats allowed in the flat?", "No.", "Yes, cats allowed in the flat."),
        (
            "According to the lease, may the tenant keep a dog?",
            "Yes",
            "Yes, According to the lease the tenant keep a dog.",
        ),
        ("Are cats allowed?", "No, they are not.", ""),
        ("Who may keep a dog?", "Yes.", ""),
        ("Is it due, and when?", "Yes.", ""),
        ("At the end, is the deposit returned, or is it kept?", "No.", ""),
        ("Is rent due monthly or quarterly?", "Yes.", ""),
        ("Are dogs or cats allowed?", "No.", "Yes, dogs or cats allowed."),
        ("Is admission free?", "Yes.", "Yes, admission is free."),
    ],
)
def test_a_bare_yes_or_no_says_what_its_question_asks(question: str, claim: str, statement: str) -> None:
    assert spelled_out(question, claim) == statement


def test_questions_and_denials() -> None:
    assert asks_yes_no("Is it free?") and not asks_yes_no("What is free?")
    assert is_denial("No.") and not is_denial("Yes.") and not is_denial("No, it is free.")
