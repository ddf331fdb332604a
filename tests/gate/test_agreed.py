"""What the labels on one answer come to: blind second looks, several people, an AI, who settles it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.core.records import CANNOT_TELL, Agreed, Label, agreed

SHORT = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused"}


def said(words: str) -> list[Label]:
    """`ann w look`, one after the other: who, what and how drawn. `?` cannot tell, `-` takes it back."""
    found = []
    for at, row in enumerate(filter(None, words.split(", "))):
        who, value, *drawn = row.split()
        note = CANNOT_TELL if value == "?" else ""
        found.append(Label(id=f"{at:03}", at=f"2026-01-{at + 1:02}", annotator=who, question_id="q", axis="factuality",
                           value=SHORT.get(value), note=note, drawn=(drawn or ["sample"])[0]))  # type: ignore[arg-type] # fmt: skip
    return found


WRONG, NOBODY, ONCE = Agreed("wrong"), Agreed(), Agreed(pending="wrong")


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ("", None),
        ("ann c look", Agreed("correct")),
        # What a look calls bad counts after another blind one.
        ("ann w look", ONCE),
        ("ann w look, ann w again", WRONG),
        ("ann w look, ann c again", ONCE),
        ("ann w look, ann c again, ann w again", WRONG),
        ("ann w look, ann c again, ann c again", Agreed("correct")),
        ("ann w look, ann c again, ann u again", NOBODY),
        ("ann w look, ann w again, ann c again", WRONG),
        ("ann w look, ann w again, ann c again, ann c again", NOBODY),
        ("ann c look, ann w again", Agreed(pending="correct")),
        ("ann c look, ann w again, ann w again", WRONG),
        ("ann w look, ann ? again", ONCE),
        ("ann w look, ann ? again, ann ? again", NOBODY),
        ("ann w", WRONG),
        # A word taken back, and the second look alone.
        ("ann w look, ann w again, ann - again", ONCE),
        ("ann w look, ann - again", ONCE),
        ("ann w look, ann - look", None),
        ("ann w look, ann c again, ann u again, ann - again", ONCE),
        # A new label begins anew.
        ("ann w look, ann w again, ann c look", Agreed("correct")),
        ("ann c look, ann w look", ONCE),
        ("ann w again", ONCE),
        # Two people.
        ("ann w look, bob w look", WRONG),
        ("ann w look, bob c look", Agreed(disputed=True)),
        ("ann w look, bob ? look", ONCE),
        ("ann c look, bob ? look", Agreed("correct")),
        ("ann ? look, bob ? look", NOBODY),
        ("ann w, bob w, eve c", Agreed(disputed=True)),
        # An AI has no word where a person has spoken.
        ("ai/x w look, ai/x w again", WRONG),
        ("ai/x w look, ann c look", Agreed("correct")),
        ("ai/x w, ann ? look", NOBODY),
        ("ai/x w, ann c, ann -", WRONG),
        # Who settles it has the last word.
        ("ann w, bob c, settled/eve w", WRONG),
        ("settled/eve w, ann c, bob c", WRONG),
        ("ann w, bob c, settled/eve ?", Agreed(disputed=True)),
        ("settled/eve w, ann c, settled/eve -", Agreed("correct")),
    ],
)
def test_what_labels_come_to(labels: str, found: Agreed | None) -> None:
    word = agreed(said(labels))
    assert (replace(word, looks=0) if word else None) == found


@pytest.mark.parametrize(
    ("labels", "looks"),
    [
        ("ann c look", 1),
        ("ann w look, ann c again, ann w again", 2),
        ("ann w look, ann w again, ann w again", 3),
        ("ann w look, ann w again, bob w look", 3),
        ("ann ? look, ann ? again", 2),
        # Whoever picks an answer by hand, or settles it, need not look again.
        ("ann w", 3),
        ("ann w look, bob c look, settled/eve w", 3),
    ],
)
def test_how_often_an_answer_was_called_so(labels: str, looks: int) -> None:
    word = agreed(said(labels))
    assert word is not None and word.looks == looks


@given(st.lists(st.tuples(st.sampled_from(["ann", "bob", "ai/x", "settled/eve"]), st.sampled_from("cwu?-"),
                          st.sampled_from(["look", "again", "sample"])), max_size=8), st.randoms())  # fmt: skip
def test_whatever_was_said_one_thing_comes_of_it_in_whatever_order_it_is_read(
    rows: list[tuple[str, ...]], chance: object
) -> None:
    labels = said(", ".join(" ".join(row) for row in rows))
    found = agreed(labels)
    chance.shuffle(labels)  # type: ignore[attr-defined]
    assert agreed(labels) == found
    assert found is None or [found.value is not None, found.pending is not None, found.disputed].count(True) <= 1
    looked = [one for one in labels if one.drawn == "sample" or one.value == "correct"]
    if found and found.value == "wrong" and not any(one.annotator == "settled/eve" for one in labels):
        times = sum(one.value == "wrong" for one in labels)
        assert times > 1 or looked, "a bad word of one look counts for nothing"
