from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from surefoot.graders.windows import choose, windows_of


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
    assert windows[10] in chosen.windows and len(chosen.windows) == 3 and chosen.skipped == 17
    assert choose(windows[:3], "anything", most=3).skipped == 0
    assert list(chosen.windows) == sorted(chosen.windows, key=windows.index)
