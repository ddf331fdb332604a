from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.graders.features import (
    choose,
    deciding_sentence,
    prepare,
    prepare_question,
    readable_claim,
    says_nothing,
    sum_up,
    why_not,
    windows_of,
)
from surefoot.graders.judges import Pair
from surefoot.graders.local import _verbatim


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def test_what_fits_stays_whole() -> None:
    assert windows_of("One sentence. And two.", 50, words) == ("One sentence. And two.",)
    assert windows_of(" \n ", 50, words) == ()


def test_windows_end_with_sentences_and_overlap() -> None:
    text = " ".join(f"Sentence number {i} is here." for i in range(40))
    windows = windows_of(text, 30, words)
    assert all(window.startswith("Sentence") and window.endswith("here.") for window in windows)
    assert all(one.split(". ")[-1].strip(".") in other for one, other in pairwise(windows))


def test_a_table_keeps_its_header_in_every_window() -> None:
    table = "Fees:\n\n| Item | Fee |\n|---|---|\n" + "".join(f"| item {i} | {i} |\n" for i in range(50)) + "\nThe end."
    windows = windows_of(table, 60, words)
    assert len(windows) > 3
    assert all("| Item | Fee |" in window for window in windows if "| item" in window)
    assert all(any(f"| item {i} | {i} |" in window for window in windows) for i in range(50))


def test_a_sentence_longer_than_a_window_is_cut_between_words_with_overlap() -> None:
    windows = windows_of(" ".join(f"word{i}" for i in range(100)), 20, words)
    assert all(len(words(window)) <= 20 for window in windows)
    assert any(set(one.split()) & set(other.split()) for one, other in pairwise(windows))


@given(st.text(alphabet="ab1 .|\n-", max_size=400), st.integers(8, 40))
def test_every_word_is_in_some_window_and_none_is_too_long(text: str, budget: int) -> None:
    windows = windows_of(text, budget, words)
    assert all(len(words(window)) <= budget for window in windows)
    together = "\n".join(windows)
    assert all(text[start:end] in together for start, end in words(text))


def test_the_windows_nearest_the_claim_are_chosen_and_the_rest_is_counted() -> None:
    windows = tuple(f"Clause {i} is about the general matter of topic{chr(97 + i)} and fees." for i in range(20))
    chosen = choose(windows, "The fees of topick are general.", most=3)
    assert windows[10] in chosen and len(chosen) == 3
    assert choose(windows[:3], "anything", most=3) == windows[:3]
    assert list(chosen) == sorted(chosen, key=windows.index)


PASSAGE = "Invoices are payable within forty days of receipt. Quillon Data may charge interest."


def test_one_window_is_enough_to_support_or_to_contradict() -> None:
    passage = " ".join(f"Sentence {i} is about nothing at all." for i in range(80)) + " The fee is 5 EUR."
    reading = prepare(passage, "The fee is 6 EUR.", words)
    size = len(reading.windows)
    assert size > 3 and "The fee is 5 EUR." in reading.windows[0], "the first of several windows is the digest"
    nothing = [(0.05, 0.05, 0.9)] * (size - 1)
    against = sum_up(reading, [(0.01, 0.98, 0.01), *nothing])
    assert against.opposing == 0 and against.probabilities[1] > 0.8
    assert sum_up(reading, [*nothing, (0.9, 0.05, 0.05)]).supporting == size - 1


def test_the_highest_of_many_windows_counts_for_less() -> None:
    passage = " ".join(f"Sentence {i} is about nothing at all." for i in range(80))
    long, short = prepare(passage, "The fee is 6 EUR.", words), prepare(PASSAGE, "The fee is 6 EUR.", words)
    one = sum_up(short, [(0.1, 0.6, 0.3)]).probabilities
    many = sum_up(long, [(0.1, 0.6, 0.3)] * len(long.windows)).probabilities
    assert one == pytest.approx((0.1, 0.6, 0.3)) and many[1] < one[1] and sum(many) == pytest.approx(1)
    assert sum_up(long.narrowed([2]), [(0.1, 0.6, 0.3)] * 2).probabilities == pytest.approx(many)


def test_a_claim_too_long_to_be_read_at_once_stands_only_if_all_its_parts_do() -> None:
    claim = " ".join(f"Number {i} of these statements is true and well known." for i in range(40))
    reading = prepare(PASSAGE, claim, words)
    assert len(reading.parts) > 1 and all(len(words(part)) <= 128 for part in reading.parts)
    found = [(0.9, 0.05, 0.05)] * len(reading.parts)
    assert sum_up(reading, found).probabilities[0] == 0.9
    assert sum_up(reading, [*found[1:], (0.1, 0.6, 0.3)]).probabilities == pytest.approx((0.1, 0.6, 0.3))


def test_a_huge_document_is_read_in_part_and_says_so() -> None:
    reading = prepare("The fee is due. " * 5_000, "The fee is 6 EUR.", words)
    assert len(reading.windows) == 1 + 12 and reading.skipped > 20
    assert reading.read == 12, "the digest is no window of the document"
    assert replace(reading, skipped=30).part_read("context") == "12 of 42 windows of the context were read"
    whole = prepare(PASSAGE, "The fee is 6 EUR.", words)
    assert whole.read == 1 and whole.part_read("context") == ""


def test_a_question_is_read_under_the_title_of_every_window() -> None:
    plain, titled = (prepare_question(Pair(PASSAGE, "When?", title), words) for title in ("", "Lease"))
    assert plain == prepare(PASSAGE, "When?", words) and plain.pairs == [("When?", PASSAGE)]
    assert titled.pairs == [("When?", f"Lease\n{PASSAGE}")]


def test_a_claim_of_hardly_a_word_is_read_with_its_question() -> None:
    assert readable_claim("8 hours.", "How long is the shift?") == "How long is the shift? 8 hours."
    assert readable_claim("The shift lasts eight hours.", "How long?") == "The shift lasts eight hours."
    assert readable_claim("8 hours.", "") == "8 hours."


def test_the_deciding_sentence_or_row() -> None:
    assert deciding_sentence(PASSAGE, "Interest is charged by Quillon Data.") == "Quillon Data may charge interest."
    table = "Fees:\n| Item | Fee |\n|---|---|\n| Routing | 40 |\n| Filing | 31 |"
    assert deciding_sentence(table, "Filing costs 31.") == "| Filing | 31 |"
    assert deciding_sentence("", "x") == ""


@pytest.mark.parametrize("rule", ["|---|:---:|\n", "", "|===|===|\n"])
def test_what_heads_a_table_does_not_decide(rule: str) -> None:
    header, first, last = "| Item | Fee in EUR 2021 |\n", "| Routing | 40 |\n", "| Filing | 31 |"
    claim = "The fee of the item filing in 2021 was EUR 31."
    assert deciding_sentence(f"Fees\n{header}{rule}{first}{last}", claim) == last
    assert deciding_sentence(f"{header}{rule}{first}", "The item has a fee in EUR.") == header.strip()
    assert deciding_sentence(f"{first}{last}", "Routing costs 40.") == first.strip(), "a table without a header"


def test_what_cannot_be_read_is_said() -> None:
    assert why_not(claim="x" * 7_000, context=PASSAGE) == "the claim is longer than 6,000 characters"
    assert why_not(claim="?!", context=PASSAGE) == "the claim is empty"
    assert why_not(question="Who pays?", passage="Das ist nicht von mir und wird auch nicht für sie sein.") == (
        "the passage is not English"
    )
    assert why_not(claim="Invoices are due.", context=PASSAGE) == ""


@pytest.mark.parametrize("claim", ["y", "Yes.", "It is so.", "a b c"])
def test_a_claim_without_content_is_none(claim: str) -> None:
    assert says_nothing(claim, PASSAGE) == "the claim has no words that say anything"
    assert says_nothing(claim, PASSAGE, "Is it due?") == "", "its question says what it means"


def test_names_and_numbers_are_claims() -> None:
    assert [says_nothing(claim, PASSAGE) for claim in ("40", "Oslo", "§ 4", "No interest.")] == [""] * 4
    assert says_nothing("Oslo", "x -") == "the context has no words"


@pytest.mark.parametrize(
    ("claim", "is_there"),
    [
        ("Quillon Data may charge interest.", True),
        ("quillon data  may charge interest", True),
        ("Data may charge interest.", False),
        ("Invoices are payable within forty days", False),
        ("Invoices are payable within 40 days of receipt.", False),
        ("", False),
    ],
)
def test_only_a_whole_sentence_is_plainly_there(claim: str, is_there: bool) -> None:
    assert (_verbatim(Pair(PASSAGE, claim)) is not None) == is_there
