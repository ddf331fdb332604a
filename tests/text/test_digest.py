from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.sentences import digest

FILLER = " ".join(f"Clause {i} deals with the maintenance of machine {i}." for i in range(100, 160))


def test_a_short_passage_is_its_own_digest() -> None:
    assert digest("The fee is 5 EUR.", "The fee is 6 EUR.", 20) == "The fee is 5 EUR."


def test_what_stands_far_apart_comes_together_in_order() -> None:
    passage = f"The fee is set in euros. {FILLER} The fee falls due in May. {FILLER} It is then 5 EUR."
    found = digest(passage, "The fee of 5 EUR falls due in May.", 50)
    assert found.index("The fee is set") < found.index("falls due in May") < found.index("5 EUR.")
    assert len(found.split()) < 70 and " … " in found


def test_rows_of_a_table_stay_whole() -> None:
    rows = "\n".join(f"| item {i} | {i * 10} |" for i in range(80))
    assert "| item 77 | 770 |" in digest(f"{FILLER}\n{rows}", "Item 77 costs 770.", 30).splitlines()


@given(st.text(max_size=400), st.text(max_size=60), st.integers(1, 50))
def test_any_text_has_a_digest(passage: str, claim: str, words: int) -> None:
    assert isinstance(digest(passage, claim, words), str)
