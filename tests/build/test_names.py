"""What documents are called in questions."""

from pathlib import Path

import pytest

from surefoot.build.builder import Builder
from surefoot.corpus.corpus import load_rows
from surefoot.corpus.passages import Row


def names_of(rows: list[Row]) -> dict[str, str]:
    return Builder(rows).names


def row(file: str, text: str, title: str = "") -> Row:
    return Row(f"{file}#1", text, title or file.rpartition(".")[0])


def test_one_document_needs_no_name() -> None:
    assert names_of([row("msa.pdf", "Text.")]) == {"msa.pdf": ""}


def test_titles_parties_and_files_name_documents() -> None:
    found = names_of(
        [
            row("a.pdf", "Text.", "Travel Policy 2024"),
            row("b.pdf", "SERVICES AGREEMENT between Acme Ltd and Beta AG, made in May.", "SERVICES AGREEMENT"),
            row("c.pdf", "Text without a name."),
            row("gamma_2020_ex_10_supply_agreement.txt", "Text."),
        ]
    )
    assert found == {
        "a.pdf": "the Travel Policy 2024",
        "b.pdf": "the services agreement between Acme and Beta",
        "c.pdf": "“c.pdf”",
        "gamma_2020_ex_10_supply_agreement.txt": "the supply agreement in “gamma_2020_ex_10_supply_agreement.txt”",
    }


def test_no_two_documents_have_the_same_name() -> None:
    rows = [row(f"{number}/nda.pdf", "Text.", "Mutual Promise of Silence") for number in range(5)]
    assert len(set(names_of(rows).values())) == 5


def test_names_that_differ_in_case_alone_end_in_files() -> None:
    assert names_of([row("A.md", "Text."), row("a.md", "Text.")]) == {"A.md": "“A.md”", "a.md": "“a.md”"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('This Lease is made between Dealer Pay, LLC ("Dealer Pay") and ________.', "the lease with Dealer Pay"),
        (
            'This Supply Agreement is between ALDER FOODS INC., a Delaware corporation, and JOHN SMITH ("Smith").',
            "the supply agreement between Alder Foods and John Smith",
        ),
        (
            "This Lease is between Österreichische Post AG and the German company Bergwerk GmbH.",
            "the lease with Österreichische Post",
        ),
        ("This Lease is between Deutsche Bank AG and Alder SE.", "the lease between Deutsche Bank and Alder"),
        (
            "THIS LICENSE AGREEMENT is made by and between Quarry GmbH and Quarry GmbH.",
            "the license agreement with Quarry",
        ),
    ],
)
def test_parties_are_called_by_their_short_names(text: str, name: str) -> None:
    assert names_of([row("1%20a.md", text), row("b.md", "Text.")])["1%20a.md"] == name


def test_a_numbered_clause_is_no_title_and_a_province_no_party() -> None:
    found = names_of(
        [
            row("a.md", "Text.", "35. USE OF INFORMATION Each party may"),
            row("b.md", 'This Lease is between B.C. Ltd. and Alder Ltd ("Alder").'),
        ]
    )
    assert found == {"a.md": "“a.md”", "b.md": "the lease with Alder"}


def test_a_file_is_called_by_its_readable_name() -> None:
    found = names_of([row("09-24%20v2.pdf", "SUPPLY AGREEMENT for parts."), row("b.md", "Text.")])
    assert found == {"09-24%20v2.pdf": "the supply agreement in “09-24 v2.pdf”", "b.md": "“b.md”"}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("minutes.md", "Minutes of the meeting on the data protection policy."),
        ("faq.md", "Does my travel policy cover it?"),
    ],
)
def test_an_agreement_that_is_only_mentioned_is_not_the_document(file: str, text: str) -> None:
    assert names_of([row(file, text), row("b.md", "Text.")])[file] == f"“{file}”"


def test_blanks_of_a_template_are_no_party() -> None:
    found = names_of([row("a.md", f"LEASE between {'X' * 5_000} and {'Y' * 5_000}."), row("b.md", "Text.")])
    assert found["a.md"] == "the lease in “a.md”"


def test_a_file_of_rows_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"id": "a.md#1", "text": "x"}\n{"text": "y", "doc": "Lease"}\n{"id": "1", "text": "z", "file": "c.md"}\n'
    )
    for given in (path, tmp_path):
        assert list(names_of(load_rows(given))) == ["a.md", "Lease", "c.md"]


def test_a_party_is_not_shouted_if_the_document_does_not_always_shout_it() -> None:
    found = names_of(
        [row("a.pdf", "AGENCY AGREEMENT between KALLO INC and IPASS LTD. Kallo pays iPass."), row("b", "x")]
    )
    assert found["a.pdf"] == "the agency agreement between Kallo and iPass"
