from __future__ import annotations

import pytest

from surefoot.core import rubric
from surefoot.core.errors import UsageError
from surefoot.web.forms import BadForm, applying, fields_of, read

REFUSAL = rubric.load()


def test_the_form_is_the_rubric() -> None:
    fields = fields_of(REFUSAL)
    assert [field.name for field in fields] == [axis.name for axis in REFUSAL.axes]
    assert [(choice.value, choice.key) for choice in fields[0].choices] == [
        ("correct", "c"), ("wrong", "w"), ("unsupported", "u"), ("refused", "r"), ("cannot tell", "?"),
    ]  # fmt: skip
    assert [field.is_needed for field in fields] == [True, False, False, False, False]
    assert [choice.key for choice in fields[3].choices] == ["0", "1", "2", "3"]
    assert fields[4].choices == () and fields[4].kind == "count"
    assert "gold" not in " ".join([field.asks for field in fields] + [*fields[0].meanings.values()])


def test_scores_of_a_council_are_keys_too_and_ten_is_0() -> None:
    accuracy = fields_of(rubric.load(rubric.COUNCIL))[0]
    assert [choice.key for choice in accuracy.choices] == [*"1234567890", "?"]
    assert read([accuracy], {"accuracy": "10"}) == {"accuracy": 10}


def test_a_count_that_is_asked_first_is_given_by_one_digit() -> None:
    (count,) = fields_of(REFUSAL, ["extra_claim_count"])
    assert [choice.key for choice in count.choices] == [*"0123456789", "?"]
    assert read([count], {"extra_claim_count": "7"}) == {"extra_claim_count": 7}


def test_a_rubric_of_ones_own_is_a_form_as_well() -> None:
    made = rubric.parse('[[axis]]\nname = "tone"\nasks = "?"\nvalues = ["kind", "rude"]', "mine.toml")
    assert read(fields_of(made), {"tone": "rude"}) == {"tone": "rude"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "factuality has no value"),
        ({"factuality": "Correct"}, "factuality cannot be 'Correct'"),
        ({"factuality": "correct", "extra_claim_count": "-1"}, "extra_claim_count cannot be '-1'"),
        ({"factuality": "correct", "extra_claim_count": "1234567"}, "cannot be"),
        ({"factuality": "correct", "extra_claim_count": "²"}, "cannot be"),
        ({"factuality": "refused", "refusal_quality": "4"}, "refusal_quality cannot be '4'"),
        ({"factuality": "correct", "mood": "good"}, "is not asked about 'mood'"),
    ],
)
def test_what_is_no_answer_is_refused_in_words(given: dict[str, str], why: str) -> None:
    with pytest.raises(BadForm, match=why):
        read(fields_of(REFUSAL), given)


def test_who_cannot_tell_gives_no_value() -> None:
    assert read(fields_of(REFUSAL), {"factuality": "cannot tell", "citation_exists": "yes"}) == {}
    with pytest.raises(BadForm, match="citation_exists cannot be 'cannot tell'"):
        read(fields_of(REFUSAL), {"factuality": "correct", "citation_exists": "cannot tell"})


def test_what_is_asked_of_refusals_counts_for_them_alone() -> None:
    fields = fields_of(REFUSAL)
    assert read(fields, {"factuality": "correct", "refusal_quality": "2"}) == {"factuality": "correct"}
    assert read(fields, {"factuality": "refused", "refusal_quality": "2", "extra_claim_count": "0"}) == {
        "factuality": "refused", "refusal_quality": 2, "extra_claim_count": 0,
    }  # fmt: skip


def test_only_what_applies_to_an_answer_is_asked() -> None:
    fields = fields_of(REFUSAL)
    assert "citation_exists" not in [field.name for field in applying(fields, cites=False, refused=False)]
    alone = fields_of(REFUSAL, ["extra_claim_count", "refusal_quality"])  # nobody is asked whether it is a refusal
    assert [field.name for field in applying(alone, cites=True, refused=False)] == ["extra_claim_count"]
    assert len(applying(alone, cites=True, refused=True)) == 2


def test_axes_can_be_chosen_and_the_first_applies_always() -> None:
    with pytest.raises(UsageError, match="has no axis 'tone'"):
        fields_of(REFUSAL, ["tone"])
    with pytest.raises(UsageError, match="citation_exists does not apply to every answer"):
        fields_of(REFUSAL, ["citation_exists", "factuality"])
