"""Which wordings of a model are taken."""

import pytest

from surefoot.build.wording import reworded

TEMPLATE = (
    "Under the Travel Policy of Quarry Data, within how many days of their return must Employees submit receipts?"
)


@pytest.mark.parametrize(
    ("reply", "is_taken"),
    [
        (
            "How many days after their return do Employees have to submit receipts under Quarry Data's Travel Policy?",
            True,
        ),
        ('"In the Quarry Data Travel Policy, how soon must Employees hand in receipts?"', True),
        ("How soon must receipts be submitted?", False),  # whose, and under what
        ("Must Employees submit receipts within 20 days under the Travel Policy of Quarry Data?", False),
        ("Employees must submit receipts under the Travel Policy of Quarry Data within twenty days.", False),
        ("", False),
    ],
)
def test_a_wording_is_taken_if_it_loses_and_adds_nothing(reply: str, is_taken: bool) -> None:
    assert (reworded(TEMPLATE, reply) is not None) == is_taken
