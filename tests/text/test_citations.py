from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.citations import locate, parse, resolve
from tests.growth import grows_evenly

RETRIEVED = ["p1#1", "p2#1", "Doc A.pdf"]
GOLD = {"master-plan#p4"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("- claim\n- citations: [p1#1]", ("p1#1",)),
        ("- claim\n- citations: [p1#1, p2#1]", ("p1#1", "p2#1")),
        ("- claim\n- citations: [p1#1; p2#1]", ("p1#1", "p2#1")),
        ("- claim\n- citations: [p1#1 p2#1]", ("p1#1", "p2#1")),
        ("claim\n**Citations:** [p1#1]", ("p1#1",)),
        ("claim\n**Citations**: [`p1#1`]", ("p1#1",)),
        ('citations: ["p1#1", "p2#1"]', ("p1#1", "p2#1")),
        ("CITATIONS : ['p1#1']", ("p1#1",)),
        ("citations: [“p1#1”]", ("p1#1",)),
        ("citations: [[p1#1], [p2#1]]", ("p1#1", "p2#1")),
        ("citations: [\n  p1#1,\n  p2#1\n]", ("p1#1", "p2#1")),
        ("citations: [Doc A.pdf, p1#1]", ("Doc A.pdf", "p1#1")),
        ("Sources: p1#1, p2#1.", ("p1#1", "p2#1")),
        ("- a\n- citations: [p1#1]\n- b\n- citations: [p2#1]", ("p1#1", "p2#1")),
        ("A is so [p1#1]. B is so [^p2#1].", ("p1#1", "p2#1")),
        ("A and B [p1#1, p2#1].", ("p1#1", "p2#1")),
        ("See [Doc A.pdf] for it.", ("Doc A.pdf",)),
        ("It is so (Master Plan, p. 4).", ("master-plan#p4",)),
        ("It is so (Other Plan, page 12).", ("Other Plan, p. 12",)),
        ("As [1] and [3] say.", ("p1#1", "Doc A.pdf")),
        ("As [7] says.", ("7",)),
        ("Unknown [p9#9] source.", ("p9#9",)),
        ("citations: []", ()),
        ("Citations: none", ()),
        ("citations: [p1#1", ("p1#1",)),
    ],
)
def test_reads_every_written_form(answer: str, expected: tuple[str, ...]) -> None:
    assert parse(answer, RETRIEVED, GOLD) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "plain text",
        "He said [sic] and left [emphasis added].",
        "Sources: the statute of 1999 and common sense.",
        "The year [2019] was good.",
        "[link](https://example.org/p1)",
        "- [ ] to do",
        "The citation index of the journal rose.",
    ],
)
def test_no_citation_is_none_not_an_empty_list(answer: str) -> None:
    assert parse(answer, RETRIEVED, GOLD) is None


def test_a_number_is_an_ordinal_only_where_no_passage_is_called_so() -> None:
    assert parse("[2]", ["2", "7"]) == ("2",)
    assert parse("[2]", ["a", "b"]) == ("b",)
    assert resolve(["2", " b ", "b"], ["a", "b"]) == ("b",)


@pytest.mark.parametrize(
    "mark",
    ["[2]", "[Source 2]", "[Context 2]", "[document 2]", "[Passage 2]", "(passage 2)", "(see Source 2)", "【2】",
     "[source: 2]", "(source: 2)", "[doc2]", "[#2]", "[doc #2]", "[Ref. 2]", "［2］"],
)  # fmt: skip
def test_a_passage_without_an_id_is_cited_by_its_place(mark: str) -> None:
    assert parse(f"It is so {mark}. And more.", ["1", "2", "3"]) == ("2",)
    (found,) = locate(f"It is so {mark}.", ["1", "2", "3"])
    assert (found.start, found.end, found.is_list) == (9, 9 + len(mark), False)


@pytest.mark.parametrize("marks", ["[2-3]", "[2–3]", "[Sources 2, 3]", "[Sources 2 and 3]", "[Source 2] [Source 3]"])
def test_several_places(marks: str) -> None:
    assert parse(f"It is so {marks}.", ["1", "2", "3"]) == ("2", "3")
    assert parse(f"It is so {marks}.", ["a", "b", "c"]) == ("b", "c")


def test_what_is_an_id_is_no_place() -> None:
    assert parse("So [doc2].", ["doc1", "doc3"]) == ("doc2",), "an id that was made up"
    assert parse("So [doc2].", ["doc1", "doc2"]) == ("doc2",)
    assert parse("So [2-3].", ["1-1", "2-1", "3-1"]) == ("2-3",)
    assert parse("So [2-4].", ["a", "b", "c"]) == ("2-4",), "there is no fourth passage"
    assert parse("So [Source 2].", ["Source 1", "1", "Source 2"]) == ("Source 2",)
    assert parse("So [Source 2].", ["a", "b"]) == ("b",)
    assert parse("So [source: a1]. And so [source: b2].", ["a1", "b2"]) == ("a1", "b2")
    assert parse("So [Figure 2] (table 2) (document 9).", ["1", "2"]) is None


@pytest.mark.parametrize(
    "piece",
    [
        "citations:[",
        "citations: a1 ",
        "citations:x ",
        "[",
        "(",
        "[a",
        "(a, p. ",
        "sources: 1 ",
        "[source: ",
        "(see ",
        "(doc 1",
        "【",
    ],
)
def test_linear_time(piece: str) -> None:
    assert grows_evenly(lambda size: parse(piece * (size // len(piece))), 40_000)


@given(st.text(), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_never_fails_and_gives_distinct_ids(answer: str, retrieved: list[str]) -> None:
    found = parse(answer, retrieved)
    assert found is None or len(set(found)) == len(found)


@given(st.text(alphabet="ab1#[](): \n", max_size=30), st.sampled_from(RETRIEVED))
def test_the_short_cut_for_the_commonest_form_changes_nothing(head: str, cited: str) -> None:
    answer = f"{head}\n- citations: [{cited}]"
    assert parse(answer, RETRIEVED, GOLD) == parse(answer + " ", RETRIEVED, GOLD)
