from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.normal import digest, sentences, with_rows


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_no_text_is_lost_and_none_breaks_it(text: str) -> None:
    assert sum(map(len, sentences(text))) == len(text)


def test_what_once_broke_the_library() -> None:
    assert sentences("B\u00a0. a\ud800") == ["B . a\ufffd"]


def test_sentences_are_cut() -> None:
    assert [piece.strip() for piece in sentences("It costs 5.2 EUR. Mr. Hall pays.")] == [
        "It costs 5.2 EUR.",
        "Mr. Hall pays.",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "It flies for non-U.S. airlines and intra-E.U. carriers.",
        "The U.S. economy and U.K. rates rose.",
        "Fees fell by approx. 5 % vs. the year before.",
        "See Sec. 4.2, Sched. 2, App. B, No. 5 and Fig. 3.",
        "Some charges, e.g. parking, i.e. the garage, apply.",
        "Acme Inc. reported EUR 5.2 bn. in sales.",
        "J. R. Smith signed for Alder Ltd. on Friday.",
        "It takes max. 5 days incl. VAT checks.",
        "It closes at 5 p.m. on Friday.",
    ],
)
def test_shortened_words_and_numbers_end_no_sentence(sentence: str) -> None:
    assert sentences(sentence) == [sentence]
    assert sentences(f"{sentence} The rent is due.") == [f"{sentence} ", "The rent is due."]


def test_a_word_that_looks_shortened_may_end_a_sentence() -> None:
    assert len(sentences("The answer is no. The fee is 5. It is in the app. It ended in 1998.The next began.")) == 5


def test_a_sum_in_brackets_is_not_cut() -> None:
    text = "The mean is (670 + 640) / 2 = 655. The change (700 − 640) was 60."
    assert sentences(text) == ["The mean is (670 + 640) / 2 = 655. ", "The change (700 − 640) was 60."]


def test_a_unit_may_end_a_sentence() -> None:
    assert sentences("It is 850 mm. Doors open.") == ["It is 850 mm. ", "Doors open."]
    assert sentences("Room 5 J. Hall pays.") == ["Room 5 J. Hall pays."]


@pytest.mark.parametrize(
    "table",
    [
        "Plan,Price,Minimum term\nBronze,EUR 1,200,12 months\nSilver,EUR 480,24 months",
        "Plan, Price\nBronze, EUR 1,200 net\nSilver, 480,50 EUR",
        "Plan; Price\nBronze; EUR 1,200\nSilver; 480,50 EUR",
        "Plan\tPrice\nBronze\tEUR 1,200\nSilver\t480,50 EUR",
    ],
)
def test_rows_of_a_table_without_bars_get_them(table: str) -> None:
    found = with_rows(f"Our plans\n{table}\nAll prices, also these, are net.").splitlines()
    assert [line.startswith("| ") for line in found] == [False, True, True, True, False]
    assert "1,200 " in found[2] and len({line.count("|") for line in found[1:4]}) == 1


@pytest.mark.parametrize(
    "prose",
    [
        "If the tenant gives notice, the landlord may show\nthe flat to others, who must be told when they\n"
        "come to see it, and the tenant shall let them in",
        "Länge 1,5 m\nBreite 2,5 m\nHöhe 3,25 m",
        "Bring a torch, please. Then\ncall, and wait. We\ncome, as said. Do not\n",
        "red, blue\nlong; short\nold\tnew",
    ],
)
def test_prose_and_decimal_commas_make_no_table(prose: str) -> None:
    assert with_rows(prose) == prose.strip()


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
