"""Public datasets in the shapes in which their authors publish them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.datasets.choice import Candidate, choose
from surefoot.datasets.contract_nli import called, whole_sentences, wordings
from surefoot.datasets.documents import Case, Document
from surefoot.datasets.protocol import PROTOCOL, kind_of
from surefoot.datasets.squad import clause_question
from surefoot.errors import UsageError
from surefoot.services.bench import DATASETS

from . import published_files as made

MADE: dict[str, Callable[[Path], Path]] = {
    "contract-nli": lambda folder: made.contract_nli(folder / "contract-nli.zip"),
    "cuad": lambda folder: made.cuad(folder / "data.zip"),
    "gov-report": lambda folder: made.gov_report(folder / "gov-report"),
    "edgar": lambda folder: made.edgar_corpus(folder / "2019.jsonl"),
    "squad": lambda folder: made.squad(folder / "dev-v2.0.json"),
    "finance-bench": lambda folder: made.finance_bench(folder / "financebench_open_source.jsonl"),
}


def documents(name: str, folder: Path) -> list[Document]:
    return list(DATASETS[name][1](MADE[name](folder)))


def case(found: list[Document], id_: str) -> Case:
    return next(case for document in found for case in document.cases if case.id == id_)


def test_contract_nli_asks_what_a_person_would(tmp_path: Path) -> None:
    found = documents("contract-nli", tmp_path)
    assert found[0].title.startswith("NDA between Harrow1 Foods and Belmont")
    entailed = case(found, "1-nda-5")
    assert entailed.question == (
        "May the recipient disclose confidential information to its own employees under the NDA between "
        "Harrow1 Foods and Belmont?"
    )
    assert entailed.kind == "answers"
    assert entailed.claims[0].startswith("Yes.")
    assert entailed.evidence == (made.CLAUSES["nda-5"],)
    contradicted = case(found, "1-nda-20")
    assert (contradicted.kind, contradicted.claims[0][:3]) == ("contradicts", "No.")
    assert case(found, "1-nda-11") == Case("1-nda-11", case(found, "1-nda-11").question, "silent", "nda-11"), (
        "not mentioned: no claim, no evidence"
    )
    assert case(found, "3-nda-20").kind == "nearly", "what must be returned is said, what may be kept is not"
    assert case(found, "3-nda-99").question.startswith("Is this so under the NDA between"), "a hypothesis of a new kind"


def test_every_hypothesis_has_a_question_that_names_the_contract() -> None:
    assert len(wordings()) == 17
    for wording in wordings().values():
        assert wording.question.count("{nda}") == 1
        assert wording.question.endswith("?")
        assert {wording.entailed[:3], wording.contradicted[:3]} == {"Yes", "No."}
        assert not wording.near or wording.near in wordings()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("This is made between Yarrow Inc. and Zest Corporation.", "the NDA between Yarrow and Zest"),
        ("BETWEEN YARROW HOLDINGS LTD, a Delaware corporation, and ____", "the NDA with Yarrow Holdings"),
        ("between ________ and [INSERT NAME OF COMPANY LTD]", 'the NDA in the file "my form 2"'),
    ],
)
def test_a_contract_is_called_by_its_parties(text: str, name: str) -> None:
    assert called(text, "my%20form_2.pdf") == name


def test_what_leads_into_a_list_goes_with_its_item() -> None:
    spans = [
        "It does not include information which ",
        "(iii) is independently developed by you.",
        "No license is given by it.",
    ]
    assert list(whole_sentences(spans)) == [f"{spans[0]}{spans[1]}", spans[2]]


def test_squad_has_the_sentence_that_answers(tmp_path: Path) -> None:
    found = documents("squad", tmp_path)
    answered = case(found, "s1")
    assert (answered.claims, answered.evidence) == (("1843",), ("The lighthouse of Orrin was built in 1843.",))
    assert case(found, "s2").kind == "nearly"


def test_cuad_asks_what_lawyers_were_to_look_for(tmp_path: Path) -> None:
    first, second = documents("cuad", tmp_path)[0].cases
    assert first.question == 'In the contract "ORRIN_EX-10-SUPPLY AGREEMENT": Which law governs it?'
    assert first.topic == "Governing Law"
    assert second.question == 'What does the contract "ORRIN_EX-10-SUPPLY AGREEMENT" say about Insurance?'
    assert second.kind == "silent"
    assert clause_question("Agreement Date", "The date of the contract", "A") == (
        'What does the contract "A" give as the date of the contract?'
    )


def test_reports_are_asked_about_their_sections(tmp_path: Path) -> None:
    found = documents("gov-report", tmp_path)
    by_name = {document.name: document for document in found}
    assert "## Causes of the Rise" in by_name["GAO_1"].text
    costs = case(found, "GAO_1-0")
    assert costs.question == 'What does the report "Harbour Dredging" say about "Dredging Costs Rose Sharply"?'
    assert {case.kind for case in by_name["GAO_1"].cases} == {"answers", "silent"}


def test_reports_as_others_publish_them(tmp_path: Path) -> None:
    lists = {"title": ["Eel Farming in Ponds"], "paragraphs": ["Eels grow.\nSlowly."], "depth": [2]}
    rows = [{"report": "All in one.", "summary": "x"}, {"id": "GAO_3", "document_sections": lists}]
    path = tmp_path / "test.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    flat, listed = DATASETS["gov-report"][1](path)
    assert (flat.name, flat.text, flat.cases) == ("report-1", "All in one.", ())
    assert listed.text == "## Eel Farming in Ponds\n\nEels grow.\n\nSlowly."
    assert listed.cases[0].evidence == ("Eels grow.", "Slowly.")


def test_filings_are_asked_about_items_they_have_and_items_they_lack(tmp_path: Path) -> None:
    found = documents("edgar", tmp_path)
    assert case(found, "100_2019-3").question == (
        "What does the 10-K report of CIK 100 for 2019 say about legal proceedings?"
    )
    assert case(found, "200_2019-3").kind == "silent"
    crawled = list(DATASETS["edgar"][1](made.edgar_crawler(tmp_path / "filings")))
    assert crawled[0].title == "10-K report of Orrin Looms Inc. for 2020"


def test_finance_bench_leaves_out_a_company(tmp_path: Path) -> None:
    found = documents("finance-bench", tmp_path)
    assert [bool(document.text) for document in found] == [True, True, True, False]
    assert found[0].page == 60
    assert case(found, "financebench_id_3").kind == "silent"


@pytest.mark.parametrize("name", DATASETS)
def test_another_file_is_refused_with_the_place_to_get_it(name: str, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"rows": [], "version": 2}))
    with pytest.raises(UsageError, match=r"looked for .*found an object with rows, version") as caught:
        list(DATASETS[name][1](other))
    assert DATASETS[name][0].url in caught.value.hint
    with pytest.raises(UsageError, match="does not exist"):
        list(DATASETS[name][1](tmp_path / "nothing"))


def test_a_folder_without_the_file_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("x")
    with pytest.raises(UsageError, match=r"looked for test.json or dev.json or train.json, found readme.txt"):
        list(DATASETS["contract-nli"][1](tmp_path))


KINDS = st.sampled_from(["answers", "contradicts", "silent", "nearly"])


@given(st.lists(st.tuples(KINDS, st.sampled_from(["", "a", "b"])), max_size=60), st.integers(1, 60), st.integers(-3, 3))
def test_the_strata_are_filled_as_far_as_the_data_allow(kinds: list[tuple[str, str]], size: int, seed: int) -> None:
    cases = [Case(str(number), "?", kind, topic) for number, (kind, topic) in enumerate(kinds)]  # type: ignore[arg-type]
    candidates = [Candidate(one, "d", ()) for one in cases]
    chosen = choose(candidates, size, seed)
    assert chosen == choose(candidates, size, seed)
    assert len({question.id for question in chosen.questions}) == len(chosen.questions) <= size
    by_id = {one.id: one for one in cases}
    for question in chosen.questions:
        has_answer = by_id[question.id].kind in ("answers", "contradicts")
        assert question.answerable == (has_answer and question.retrieval == "normal")
    if len(chosen.questions) < size:
        assert chosen.short


def test_a_set_of_130_has_the_strata_of_the_bundled_one() -> None:
    cases = [Case(f"{kind}{n}", "?", kind, "t" if n % 2 else "u") for n in range(99) for kind in ("answers", "silent")]
    cases += [Case(f"{kind}{n}", "?", kind) for n in range(99) for kind in ("contradicts", "nearly")]
    cases += [Case("one more", "?", "answers", "t")]
    chosen = choose([Candidate(one, "d", ()) for one in cases], 130, 0)
    counts = {kind.name: sum(kind_of(q) == kind.name for q in chosen.questions) for kind in PROTOCOL}
    assert counts == {
        "plain": 40, "bait_wrong": 20, "bait_unsupported": 20, "refuse": 20, "unanswerable": 10,
        "adversarial": 10, "retrieval_null": 10,
    }  # fmt: skip
    assert chosen.short == ()


def test_a_filing_without_a_file_name_is_called_by_owner_and_year(tmp_path: Path) -> None:
    path = tmp_path / "filings.jsonl"
    path.write_text(json.dumps({"cik": 7, "year": 2019, "item_1": "We weave."}))
    assert [one.name for one in DATASETS["edgar"][1](path)] == ["7_2019"]
