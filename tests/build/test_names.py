"""What documents are called in questions."""

from pathlib import Path

import pytest

from surefoot.build.builder import Builder
from surefoot.build.names import later_of
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
        "a.pdf": "the Travel Policy",
        "b.pdf": "the services agreement between Acme and Beta",
        "c.pdf": "“c”",
        "gamma_2020_ex_10_supply_agreement.txt": "the supply agreement",
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
    assert found == {"a.md": "“a”", "b.md": "the lease with Alder"}


def test_a_file_is_called_by_its_readable_name() -> None:
    found = names_of([row("09-24%20v2.pdf", "SUPPLY AGREEMENT for parts."), row("b.md", "Text.")])
    assert found == {"09-24%20v2.pdf": "the supply agreement", "b.md": "“b”"}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("minutes.md", "Minutes of the meeting on the data protection policy."),
        ("faq.md", "Does my travel policy cover it?"),
    ],
)
def test_an_agreement_that_is_only_mentioned_is_not_the_document(file: str, text: str) -> None:
    assert names_of([row(file, text), row("b.md", "Text.")])[file] == f"“{file.removesuffix('.md')}”"


def test_blanks_of_a_template_are_no_party() -> None:
    found = names_of([row("a.md", f"LEASE between {'X' * 5_000} and {'Y' * 5_000}."), row("b.md", "Text.")])
    assert found["a.md"] == "the lease in “a”"


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


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Barista One: instruction manual", "Barista One"),
        ("Data sheet: Corvus P-40 submersible pump", "the Corvus P-40 submersible pump"),
        ("Brindle Water: household tariff 2025", "the household tariff of Brindle Water"),
        ("Information security policy, Orchard Systems", "the information security policy of Orchard Systems"),
        ("Your flu vaccination at Millbrook Surgery", "the flu vaccination at Millbrook Surgery"),
        ("Having a baby", "“Having a baby”"),
    ],
)
def test_what_a_document_is_about_names_it(title: str, name: str) -> None:
    assert names_of([row("a.md", "Text.", title), row("b.md", "Text.")])["a.md"] == name


LEASE, DEED = "Lease of Unit 7, Oak Park", "Deed of Variation to the Lease of Unit 7, Oak Park"
POLICY = "Travel Policy of Orchard Systems"


def test_amendments_and_later_versions_are_told_apart_from_twins_and_series() -> None:
    rows = [
        row("lease.md", "Dated 12 May 2021.", LEASE),
        row("deed.md", "Dated 9 September 2024.", DEED),
        row("first.md", "Valid from 1 April 2022.", POLICY),
        row("second.md", "Valid from 1 January 2024.", POLICY),
        row("north.md", "Dated 1 May 2021.", "Supply Agreement with North Joinery"),
        row("south.md", "Dated 2 May 2022.", "Supply Agreement with South Joinery"),
        row("old.md", "Valid from 1 January 2024.", "Oak Water: tariff 2024"),
        row("new.md", "Valid from 1 January 2025.", "Oak Water: tariff 2025"),
    ]
    later = later_of({one.document: [one] for one in rows})
    assert {name: found for name, found in later.items() if found} == {
        "lease.md": {"deed.md": False}, "first.md": {"second.md": True},
    }  # fmt: skip
    names = names_of(rows)
    assert names["second.md"] == f"the {POLICY}" and names["first.md"] == f"the {POLICY} of 1 April 2022"
