"""Invented statements: a claim and its twin differ in who or which, and no wording gives the label away."""

from __future__ import annotations

import random
from collections import Counter
from itertools import islice
from pathlib import Path

from training import rows
from training.stated.conditions import passage_on_conditions
from training.stated.parties import three
from training.stated.passages import stated_rows
from training.stated.relations import RELATIONS
from training.stated.roles import passage_on_roles
from training.stated.values import all_or_some, each_or_all, moved, replaced


def test_every_wording_names_both_parties_and_can_be_told_from_its_reverse() -> None:
    for relation in RELATIONS:
        for wording in relation.wordings:
            said = [wording.format(a=one, b=other, t="it") for one, other in (("Ann", "Bo"), ("Bo", "Ann"))]
            assert "Ann" in said[0] and "Bo" in said[0] and said[0] != said[1]


def test_parties_share_no_name() -> None:
    rng = random.Random(2)
    assert all(len(set(three(between, rng))) == 3 for between in ("firms", "people") for _ in range(200))


def test_true_and_false_claims_use_the_same_words() -> None:
    rng = random.Random(3)
    claims = [claim for _ in range(300) for claim in passage_on_roles(rng)[1]]
    shares = Counter(claim.label for claim in claims)
    assert 0.4 < shares["supported"] / len(claims) < 0.55
    by_label = {label: Counter(word for claim in claims if claim.label == label for word in claim.text.split())
                for label in ("supported", "contradicted")}  # fmt: skip
    for word in ("from", "to", "by", "was", "bought", "sold"):
        assert 0.6 < by_label["supported"][word] / by_label["contradicted"][word] < 1.6, word


def test_values_are_claimed_as_the_passage_has_them_or_not() -> None:
    rng = random.Random(4)
    for make in (replaced, moved, each_or_all, all_or_some):
        for _ in range(50):
            sentences, claims = make(rng)
            assert sentences and len(claims) == 4 and len({claim.text for claim in claims}) >= 3
            assert {claim.label for claim in claims} <= {"supported", "contradicted"}
            assert all(
                (text[0].isupper() or text[0].isdigit()) and text.endswith(".")
                for text in (sentences[0], claims[0].text)
            )


def test_an_old_value_holds_only_for_the_past() -> None:
    rng = random.Random(5)
    for _ in range(100):
        sentences, claims = replaced(rng)
        for claim in claims:
            now = any(word in claim.text for word in ("currently", "Today", "now in force", "At present"))
            if sentences[0].startswith("Until") and now:
                new = sentences[1].removeprefix("It has stood at ").removesuffix(" ever since.")
                assert (f" {new} " in f" {claim.text.rstrip('.')} ") == (claim.label == "supported")


def test_a_rule_under_conditions_has_as_many_true_claims_as_false_ones() -> None:
    rng = random.Random(6)
    for _ in range(300):
        sentences, claims = passage_on_conditions(rng)
        labels = Counter(claim.label == "supported" for claim in claims)
        assert labels[True] == labels[False] >= 1 and "{" not in "".join([*sentences, *(one.text for one in claims)])
        assert all(text[0].isupper() or text[0].isdigit() for text in sentences)


def test_statements_are_rows_like_others() -> None:
    passages = list(islice(stated_rows(random.Random(1)), 50))
    assert all(passage and claims for passage, claims in passages)
    found = list(rows.stated(Path(), random.Random(1), 60))
    assert {row["part"] for row in found} == {"train", "fit"} and {row["source"] for row in found} == {"stated"}
    assert max(len(row["b"].split()) for row in found) <= rows.WORDS
