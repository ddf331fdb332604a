"""Citations by the labels and pages of the documents, and that none which was made up is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.findings import AnswerParts
from surefoot.graders.judges import Judgement
from surefoot.scoring.outcomes import Expected, read
from surefoot.text.citations import label_of, labels_in, parse, resolve
from surefoot.text.refusals import detect
from tests.growth import grows_evenly

PAYMENT = Passage(
    "msa.pdf#4-3fa9c1",
    "4. Payment\n4.1 Invoices are paid within 30 days, subject to clause 9.9 (see section 4.2).\n"
    "4.2 Late payments bear interest:\n(a) at 8 %;\n(b) from the due date.",
    "Master Services Agreement",
    12,
)
FEES = Passage("msa.pdf#5-aaaaaa", "5. Fees\n| Route | 4.7 |\n30.5 % of them are due.", "Master Services Agreement", 13)
LEAVE = Passage("handbook.pdf#bbbbbb", "Leave\nThere are 28 days.", "Employee Handbook", 12)
PRICES = Passage(
    "c17", "SCHEDULE 3. Prices\nOne hour is EUR 90, as is said in clause\n7.1 of the rules.", "Price List 2024"
)
PASSAGES = [PAYMENT, FEES, LEAVE, PRICES]
NO = Judgement("not_enough")
NAMES = [passage.id for passage in PASSAGES]


def cited(answer: str) -> tuple[str, ...] | None:
    return parse(answer, NAMES, (), PASSAGES)


@pytest.mark.parametrize(
    ("citation", "passages"),
    [
        ("(MSA, s. 4.2)", [PAYMENT]),
        ("(section 4.2)", [PAYMENT]),
        ("(see Section 4.2 of the Master Services Agreement)", [PAYMENT]),
        ("(MSA §4.2(b))", [PAYMENT]),
        ("(MSA, Section 4.2 – Late payments)", [PAYMENT]),
        ("[MSA, clause 4]", [PAYMENT]),
        ("[handbook.pdf, p. 12]", [LEAVE]),
        ("[Source 3, p. 12]", [LEAVE]),
        ("(p. 12)", [PAYMENT, LEAVE]),
        ("(MSA, pp. 12-14)", [PAYMENT, FEES]),
        ("(MSA, s. 4.2, p. 12)", [PAYMENT]),
        ("(MSA, ss. 4.1 and 5; the handbook, page 12)", [PAYMENT, FEES, LEAVE]),
        ("(Price List, Schedule 3)", [PRICES]),
        ("citations: [MSA, s. 4.2]", [PAYMENT]),
        ("citations: [MSA s. 5, handbook.pdf p. 12]", [FEES, LEAVE]),
        ("Sources: MSA, s. 4.2; Employee Handbook, p. 12", [PAYMENT, LEAVE]),
    ],
)
def test_labels_and_pages_lead_to_passages(citation: str, passages: list[Passage]) -> None:
    assert cited(f"It is so {citation}") == tuple(passage.id for passage in passages)


@pytest.mark.parametrize(
    ("citation", "named"),
    [
        ("(MSA, s. 9.9)", "MSA, s. 9.9"),
        ("(MSA, s. 4.3)", "MSA, s. 4.3"),
        ("(MSA, s. 4.7)", "MSA, s. 4.7"),
        ("(MSA, Schedule 4)", "MSA, schedule 4"),
        ("(MSA, s. 4.2, p. 13)", "MSA, s. 4.2, p. 13"),
        ("(handbook, page 13)", "handbook, p. 13"),
        ("[handbook.docx, p. 12]", "handbook.docx, p. 12"),
        ("(Ghost Agreement, s. 8.8)", "Ghost Agreement, s. 8.8"),
        ("(section 8.8)", "s. 8.8"),
        ("(p. 99)", "p. 99"),
        ("[p1]", "p1"),
    ],
)
def test_what_was_made_up_is_a_citation_that_does_not_exist(citation: str, named: str) -> None:
    assert cited(f"It is so {citation}.") == (named,)


@pytest.mark.parametrize(
    "answer",
    [
        "It is due, subject to clause 9.9 (see section 4.2).",  # the words of a passage
        "It is due (subject to clause 9.9).",
        "It is EUR 4.2 million (4.2 more than before).",
        "Section 4.2 says so.",
        "Under section 7.7 of the MSA, it is due.",
        "Only in part 2 (part 2) of the year.",
    ],
)
def test_what_is_no_citation(answer: str) -> None:
    assert cited(answer) is None


def test_ids_bear_labels_where_a_log_has_no_texts() -> None:
    names = ["msa.pdf#4.2-3fa9c1", "dpa.pdf#4.2-3fa9c2"]
    assert parse("So (MSA, s. 4.2).", names) == (names[0],)
    assert parse("So (section 4.2).", names) == tuple(names)
    assert parse("So (MSA, s. 4.3).", names) == ("MSA, s. 4.3",)
    assert parse("So (MSA, s. 4.2).", ["a"], {names[0]}) == (names[0],)
    assert resolve(["MSA, s. 4.2", "DPA, clause 9"], names) == (names[0], "DPA, clause 9")


@pytest.mark.parametrize(("citation", "exists"), [("(MSA, s. 4.2)", True), ("(MSA, s. 9.9)", False)])
def test_scoring_and_grading_follow_them_alike(citation: str, exists: bool) -> None:
    question = Question("q", "What do late payments bear?", "answer", gold_ids=(PAYMENT.id,))
    trace = Trace("q", None, f"Late payments bear interest at 8 % {citation}.", Retrieved(PASSAGES))
    outcome = read(Expected.of(question), trace, detect).outcome
    assert (outcome.hit, outcome.cited, outcome.cited_retrieved) == (exists, 1, int(exists))
    parts = AnswerParts.of(Item(question, trace))
    assert (parts.citations == (PAYMENT.id,)) == exists
    judged = dict.fromkeys(parts.cited_pairs({}), NO)
    judged |= dict.fromkeys(parts.further_pairs(judged), NO)
    assert parts.findings(judged).unknown == (() if exists else ("MSA, s. 9.9",))


LABELS = st.lists(st.integers(1, 9).map(str), min_size=1, max_size=3).map(".".join)


@given(st.lists(st.lists(LABELS, min_size=1, max_size=3, unique=True), min_size=1, max_size=4), LABELS, st.booleans())
def test_a_label_exists_only_if_a_passage_bears_it(sections: list[list[str]], label: str, is_named: bool) -> None:
    texts = ["\n".join(f"{one}. The rule of it, see clause {label}." for one in several) for several in sections]
    passages = [Passage(f"p{place}", text, "House Rules") for place, text in enumerate(texts)]
    names = [passage.id for passage in passages]
    found = parse(f"So it is ({'House Rules, ' if is_named else ''}clause {label}).", names, (), passages) or ()
    bearing = [
        passage.id
        for passage, several in zip(passages, sections, strict=True)
        if any(one == label or one.startswith(f"{label}.") for one in several)
    ]
    assert [i for i in found if i in names] == bearing


@given(st.text(), st.text(max_size=60), st.text(max_size=20), st.one_of(st.none(), st.integers(1, 50)))
def test_nothing_that_is_read_can_break_it(answer: str, text: str, doc: str, page: int | None) -> None:
    passages = [Passage("a", text, doc, page)]
    for wrapped in (answer, f"({answer}, s. 4.2)", f"({doc}, p. {page})", f"s. 4.2 of the {doc}"):
        found = parse(wrapped, ["a"], (), passages)
        assert found is None or len(set(found)) == len(found)


@pytest.mark.parametrize(
    "piece", ["(MSA, s. 4.2", "§4.2 of the MSA ", "(s. 1", "page 12 of ", "(MSA, s. 9.8) ", "ss. 1, 2, "]
)
def test_linear_time(piece: str) -> None:
    assert grows_evenly(lambda size: parse(piece * (size // len(piece)), NAMES, (), PASSAGES), 6_000)


def test_labels_of_a_passage() -> None:
    text = "4. Payment\n4.1 One thing.\nARTICLE IV. TERM\nSchedule A\n30 days after"
    assert list(labels_in(text)) == [("", "4"), ("", "4.1"), ("", "iv"), ("schedule", "a")]
    assert label_of("ARTICLE IV. TERM") == "IV" and not label_of("30 days after")
