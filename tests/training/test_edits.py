"""Edits change what a sentence says, paraphrases do not, and both are the same for the same seed."""

from __future__ import annotations

import random

import pytest

from surefoot.text.numbers import quantities
from training.edits import edits
from training.made.corpora import Passage, group_of
from training.made.maker import made_rows
from training.made.tables import parse_table, table_claims
from training.paraphrases import paraphrase, paraphrases

EXAMPLES = {
    "number": "The fee is $5,000 for each of the twelve sites.",
    "date": "The lease began on March 5, 2019.",
    "ordinal": "The team finished in the third place overall.",
    "duration": "The Buyer shall pay the invoice within thirty (30) days.",
    "day_kind": "The Seller shall answer within 10 business days.",
    "unit": "The road is 12 kilometres long and was built later.",
    "scale": "Revenue was $1.2 million in the last year.",
    "percentage_points": "The rate increased by 12% over the year.",
    "currency": "The price is €40 for every unit sold.",
    "frequency": "The Supplier shall report its sales quarterly.",
    "negation": "The Tenant shall repair the roof of the house.",
    "negation_removed": "The Tenant shall not repair the roof of the house.",
    "without": "The Tenant shall not sublet the house without the prior written consent of the Landlord.",
    "modality": "The Licensee may copy the software for its own use.",
    "antonym": "Sales increased in the second half of the year.",
    "comparison": "Costs were higher in the second half of the year.",
    "role_swap": "The Licensee shall pay the Licensor a yearly fee.",
    "name_swap": "The museum was sold by Harold to Agnes in the same year.",
    "place": "This Agreement is governed by the laws of the State of Delaware.",
    "cause": "Margins fell because of high freight costs in Asia.",
    "cause_reversed": "The drought led to a famine.",
    "bound": "The deposit is at least 500 dollars in all cases.",
    "quantifier": "All notices shall be sent to the main office.",
    "condition": "The offer stands unless the Buyer withdraws it first.",
    "condition_dropped": "If the Buyer is late, the Seller may charge interest on the sum.",
    "time_order": "The goods are inspected before the payment is made.",
    "status": "The plan has been approved by the council.",
    "hedge": "The new rule could adversely affect our business.",
    "over_general": "Some of our stores are leased from third parties.",
    "added_detail": "The council approved the new plan.",
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_each_kind_of_edit_is_made_and_changes_the_sentence(kind: str) -> None:
    sentence = EXAMPLES[kind]
    made = [edit for seed in range(12) for edit in edits(sentence, sentence, random.Random(seed))]
    assert kind in {edit.kind for edit in made}
    assert all(edit.text != sentence and edit.label in ("contradicted", "not_enough") for edit in made)


def test_a_role_may_be_taken_over_by_the_other_party() -> None:
    passage = "The Buyer shall insure the goods. The Seller delivers them."
    made = edits("The Buyer shall insure the goods.", passage, random.Random(1))
    assert "The Seller shall insure the goods." in [edit.text for edit in made if edit.kind == "role_replaced"]


def test_a_name_of_the_passage_may_replace_another() -> None:
    passage = "The treaty was signed in Utrecht. The talks were held in Rastatt before that."
    texts = [
        e.text
        for e in edits("The treaty was signed in Utrecht.", passage, random.Random(1))
        if e.kind == "name_replaced"
    ]
    assert texts == ["The treaty was signed in Rastatt."]


def test_an_edit_that_the_passage_states_is_not_made() -> None:
    passage = "The fee is $5. The fee is $6. The fee is $4. The fee is $7. The fee is $3."
    for seed in range(20):
        assert all(edit.text not in passage for edit in edits("The fee is $5.", passage, random.Random(seed)))


def test_bounds_move_only_where_the_claim_becomes_false() -> None:
    sentence = "The site has more than 400 workers in two halls."
    for seed in range(30):
        for edit in edits(sentence, sentence, random.Random(seed)):
            if edit.kind == "number" and "400" not in edit.text and "more than" in edit.text:
                assert quantities(edit.text)[0].value > 400


FAITHFUL = [
    "Within sixty (60) days, the Buyer shall pay $5 million.",
    "Sales were 1,200,000 units, or 12% of the market, on March 5, 2019.",
    "The period is 45 days and the rate is 3.5 percent.",
]


@pytest.mark.parametrize("sentence", FAITHFUL)
def test_exact_paraphrases_keep_the_values(sentence: str) -> None:
    values = sorted(quantity.value for quantity in quantities(sentence))
    for seed in range(40):
        new = paraphrase(sentence, sentence, random.Random(seed), exact=True)
        assert new is None or sorted(quantity.value for quantity in quantities(new)) == values


def test_paraphrases_differ_from_the_sentence_and_from_each_other() -> None:
    sentence = "The Licensee shall not disclose the code prior to the Effective Date."
    found = paraphrases(sentence, sentence, random.Random(3))
    assert found and sentence not in found and len(set(found)) == len(found)


TABLE = "\n".join(
    (
        " | 2019 | 2018",
        "Fixed price | $1,452.4 | $1,146.2",
        "Time and material | 44.1 | 56.7",
        "Total sales | $96.5 | $2.9",
    )
)


def test_a_table_is_read_and_claims_follow_its_cells() -> None:
    table = parse_table(TABLE)
    assert table is not None and table.rows["Fixed price"] == ("$1,452.4", "$1,146.2")
    for claim in table_claims(TABLE, ["Cash"], random.Random(2)):
        if claim.kind == "table_cell":
            assert any(name.lower() in claim.text.lower() for name in table.rows)
        if claim.kind == "table_unknown_row":
            assert claim.label == "not_enough" and "ash" in claim.text


def test_the_same_seed_makes_the_same_rows() -> None:
    text = " ".join([*EXAMPLES.values(), *FAITHFUL])
    passages = [Passage("g1", "one", text), Passage("g2", "one", TABLE), Passage("g3", "one", text[::1])]
    once, again = (list(made_rows(passages, random.Random(7), 40)) for _ in range(2))
    assert once == again and {row["label"] for row in once} == {"supported", "contradicted", "not_enough"}
    assert {row["group"] for row in once} == {"g1", "g2", "g3"}


def test_groups_match_those_of_the_labelled_files() -> None:
    assert group_of("contractnli/34") == "cnli-34" and group_of("cuad/abc_1") == "cuad-abc_1"
