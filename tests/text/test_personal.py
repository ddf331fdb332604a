"""Personal data counts by form and checksum; what cannot be a person's does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.personal import iban, luhn
from surefoot.text.safety import check

CARD, SSN = "4539 1488 0343 6467", "524-81-3907"


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("It is 524-81-3907.", "ssn", "ssn …3907"),
        ("SSN 524813907", "ssn", "ssn …3907"),
        ("social security number: 524 81 3907", "ssn", "ssn …3907"),
        ("It is 524‑81‑3907.", "ssn", "ssn …3907"),
        ("4539 1488 0343 6467", "card", "card …6467"),
        ("4539-1488-0343-6467", "card", "card …6467"),
        ("4111111111111111", "card", "card …1111"),
        ("3782 822463 10005", "card", "card …0005"),
        ("GB82 WEST 1234 5698 7654 32", "iban", "iban …5432"),
        ("DE89370400440532013000.", "iban", "iban …3000"),
        ("maria.lopez+x@mail.northfield-bank.com.", "email", "email ….com"),
        ("(415) 867-2290", "phone", "phone …2290"),
        ("+1 415 867 2290", "phone", "phone …2290"),
        ("415.867.2290", "phone", "phone …2290"),
        ("+49 (0)171 123 45 67", "phone", "phone …4567"),
        ("Mobile: 0171 1234567", "phone", "phone …4567"),
        ("jane@example.com", "email", "email ….com"),
        ("(415) 555-0142", "phone", "phone …0142"),
        ("078-05-1120", "ssn", "ssn …1120"),
        ("maria.lopez＠northfield-bank.com", "email", "email ….com"),
        ("Write to jane dot doe at gmail dot com.", "email", "email …tcom"),
        ("Ring her on 020 7946 0018 after six.", "phone", "phone …0018"),
        ("The card on file is 4111 1111 1111 1111.", "card", "card …1111"),
        ("Ms Yarrow's bank: GB82 WEST 1234 5698 7654 32.", "iban", "iban …5432"),
        ("His passport number is 533380006.", "id", "id …0006"),
        ("National Insurance number QQ 12 34 56 C", "id", "id …456C"),
        ("Sort code 20-00-00, account 55779911.", "account", "account …9911"),
        ("Date of birth: 12/03/1984", "birth", "birth …1984"),
        ("He lives at 48 Larkspur Close, Milford.", "address", "address …ford"),
    ],
)
def test_personal_data_is_found_and_masked(text: str, kind: str, shown: str) -> None:
    (finding,) = check(text)
    assert (finding.pattern, finding.kind, finding.text) == ("pii_exposure", kind, shown)
    assert text[finding.start : finding.end].strip(".") in text


@pytest.mark.parametrize(
    "text",
    [
        "524.81.3907", "4539\n1488\n0343\n6467", "12\n45391488\n03436467\n77",
        "000-00-0000", "666-12-3456", "900-12-3456", "123-00-4567", "524 81 3907", "524813907",
        "invoice no. 524-81-3907", "4539 1488 0343 6468", "4444 4444 4444 4444", "order 4539148803436467",
        "ISBN 9780306406157", "1234567890123452", "GB83 WEST 1234 5698 7654 32", "DE89 3704 0044",
        "ZZ82WEST12345698765432", "info@northfield-bank.com", "us-legal@acme.com", "legal.notices@acme.com",
        "@jane", "jane@", "a@b", "800-867-2290",
        "1 (888) 867-2290", "Fax: (415) 867-2290", "our telephone number is (415) 867-2290",
        "2019-05-17", "12.05.2019 10:30", "10.1000/182", "1,415,867,2290", "415 867 2290 in the table", "+44 7700",
        "+300 bps over 12 months", "000-000-0000", "(222) 222-2222",
        "Acme Properties LLC, principal office at 2200 Main Street, Dallas; telephone (214) 555-0130",
        "Notices to Brack Ltd, 14 Dock Road, Attention: Company Secretary, tel. 01632 960100",
        "Baker LLP, 340 Madison Avenue, Attention: Gary Ems, Telephone: (212) 547-5541",
        "For tickets call the museum at (212) 555-0133.", "The hotel's front desk: 020 7946 0018.",
        "Pay Kolbe GmbH, IBAN DE89 3704 0044 0532 0130 00.", "Customer number 382-41-9006.",
        "In the sandbox use the test card 4111 1111 1111 1111.", "Our office is at 12 Elm Street.",
        "Dates of birth are removed.", "Passport holders apply by 2024-05-01.", "legal@brack.example",
    ],
)  # fmt: skip
def test_what_cannot_be_a_persons_passes(text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    ("unsafe", "kind", "safe"),
    [
        ("Owen Blake is HIV positive.", "fact", "Adults who are HIV positive may join."),
        (
            "Ms. Kerr has been off since May with bipolar disorder.",
            "fact",
            "Staff off with bipolar disorder return slowly.",
        ),
        ("Owen Blake was diagnosed with breast cancer.", "fact", "The Cancer Society treats breast cancer."),
        ("Olga Stepan is on probation.", "fact", "New staff are on probation."),
        ("Olga Stepan lost her licence for speeding.", "fact", "Drivers who lost their licence for speeding tell us."),
        ("Ingrid Thor earns 71,400 euros a year.", "fact", "A foreman earns 71,400 euros a year."),
        ("Leo Varga has unpaid loans.", "fact", "The survey counts unpaid loans."),
        ("The payslip belongs to Bao Nguyen.", "fact", 'The payslip belongs to "Jane Sample".'),
        ("Rita Amsel left the Catholic church.", "fact", "Whoever left the Catholic church pays no tax."),
        ("Rita Amsel joined the trade union.", "fact", "Rita Amsel joined the meeting."),
        (
            "Born on 9 November 1987, Callum Whit inherits.",
            "fact",
            "Founded on 9 November 1987, Whit Ltd is a supplier.",
        ),
        ("Her password, by the way, is still Biscuit77.", "password", "Her password is too short."),
        ("His private address is Mühlgasse 8.", "address", "The town hall is at Rathausplatz 1."),
        (
            "Her new house is 5 Quarry Row in Penmellyn.",
            "address",
            "The clinic's entrance is 5 Quarry Row in Penmellyn.",
        ),
        ("His licence: driver's licence, no. HARLO 507124 G99ZZ.", "id", "A driver's licence, no. of seats, mileage."),
        ("Tobias has the personnummer 19790302-0014.", "id", "The personnummer has the form YYYYMMDD-NNNN."),
    ],
)
def test_what_concerns_a_person_alone_is_found_and_its_harmless_twin_passes(unsafe: str, kind: str, safe: str) -> None:
    assert [finding.kind for finding in check(unsafe)] == [kind]
    assert check(safe) == []


def test_a_fact_about_a_person_passes_where_a_source_names_the_person_and_the_figure() -> None:
    source = "Pay slip: Ingrid Thor, 71,400 euros a year."
    assert check("Ingrid Thor earns 71,400 euros a year.", quoted=source) == []
    assert check("Ingrid Thor earns 95,000 euros a year.", quoted=source)
    assert check("Owen Blake earns 71,400 euros a year.", quoted=source)


def test_contact_details_that_were_quoted_are_not_exposed_but_numbers_are() -> None:
    source = "Notices to Ann Lee, ann.lee@acme-corp.com, +1 (415) 867-2290, SSN 524-81-3907."
    answer = "Write to Ann.Lee@acme-corp.com, call 415-867-2290, and mention 524-81-3907."
    assert [finding.kind for finding in check(answer)] == ["email", "phone", "ssn"]
    assert [finding.kind for finding in check(answer, quoted=source)] == ["ssn"]
    assert [finding.kind for finding in check(answer, quoted="Notices to Ann Lee.")] == ["email", "phone", "ssn"]


@given(st.text("0123456789", min_size=12, max_size=18))
def test_one_check_digit_fits_and_one_changed_digit_never_does(digits: str) -> None:
    fitting = [last for last in "0123456789" if luhn(digits + last)]
    assert len(fitting) == 1
    number = digits + fitting[0]
    for place in (0, len(number) // 2, len(number) - 1):
        changed = str((int(number[place]) + 1) % 10)
        assert not luhn(number[:place] + changed + number[place + 1 :])


@given(st.text("0123456789", min_size=18, max_size=18))
def test_every_account_number_has_one_checksum(digits: str) -> None:
    assert sum(iban(f"DE{check:02}{digits}") for check in range(2, 99)) == 1


@given(st.sampled_from([CARD, SSN, "ann.lee@acme-corp.com", "(415) 867-2290"]), st.text("abc ,.", max_size=30))
def test_a_report_never_repeats_what_it_found(secret: str, before: str) -> None:
    for finding in check(f"{before} {secret}"):
        assert secret not in finding.text and len(finding.text) <= 12
