"""What personal data looks like, whoever it belongs to: by its form, and by its check digits where it has some.

Dates, amounts, section and part numbers, and ids of passages are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from surefoot.safety import personal
from surefoot.safety.personal import before

Place = tuple[str, int, int]  # kind, start and end

_DIGIT = re.compile(r"\d")
_FIVE_DIGITS = re.compile(r"\d(?:[^\d\n]{0,3}\n?\d){4}")

# National ids by form and check digits.
_INSURANCE = re.compile(r"\b(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]\b")
_FISCAL = re.compile(r"\b[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]\b")  # Italy
_DNI = re.compile(r"\b([XYZ]-?\d{7}|\d{8})-?([A-HJ-NP-TV-Z])\b")  # Spain
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CPF = re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])")  # Brazil

# In groups of their own, which nothing else has, and not in a row of numbers.
_SPACED_SSN = re.compile(r"(?<![\w.,-])(?<!\d )(?!000|666|9)\d{3} (?!00)\d\d (?!0000)\d{4}(?![\w-]| \d|[.,]\d)")
_SPACED_PHONE = re.compile(r"(?<![\w.,-])(?<!\d )(?:1 )?[2-9]\d\d [2-9]\d\d \d{4}(?![\w-]| \d|[.,]\d)")
# Abroad without a plus: an area code with a zero in front, by itself or in brackets.
_AREA_CODE = re.compile(
    r"(?<![\w.,+/-])(?:\(0\d{1,4}\) ?|0[1-9]\d{1,3}[ /-] ?|0[1-9] (?=\d\d \d\d \d\d \d\d\b))"
    r"\d(?:[ -]?\d){5,8}(?![\w/-]|[.,]\d)"
)
_AREA_DIGITS = range(9, 12)

_IPV4 = re.compile(r"(?<![\w.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?=[\da-f]*:)(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:]|\.\d)", re.IGNORECASE)
_IP_LABEL = re.compile(
    r"(?<!\[)\b(?:ips?|ipv[46]|address|host|server|client|gateway|dns|subnet|ping|login|logged in|connected|"
    r"connection)\b[^\n.;?!\[]{0,30}$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:§{1,2} ?|\b(?:v|ver|version|release|build|firmware|section|sections|sec|clause|clauses|article|articles|"
    r"paragraph|chapter|part|annex|appendix|schedule|exhibit|item|rule|figure|table|step|no)\b\.? ?)$",
    re.IGNORECASE,
)
_HIGHEST_SECTION = 40

_WORD = r"(?:[A-ZÀ-ÖØ-Þ]['’])?[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:['’-]?[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?"
_PERSON = rf"{_WORD}(?: (?:[A-Z]\.|(?:van|von|de|der|del|di|da|la|le)(?= ))){{0,2}}(?: {_WORD}){{0,2}}"
_TITLED = re.compile(
    rf"\b(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Mme|Mlle)\b\.?|Miss|Herr|Frau|Señora?|Signora?|Monsieur|Madame) (?P<name>{_PERSON})"
)
_GREETED = re.compile(
    rf"\b(?:(?:Dear|Hello|Hi) (?P<name>{_PERSON})(?=[,!:\n])|(?i:my name is|i am called) (?P<own>{_PERSON})|"
    rf"(?i:regards|sincerely|yours truly|cheers),?\s{{0,3}}\n\s{{0,3}}(?P<end>{_PERSON})(?=\s{{0,3}}(?:\n|$)))"
)
_TITLES = (
    "Mr",
    "Ms",
    "Mx",
    "Dr",
    "Prof",
    "Mme",
    "Mlle",
    "Miss",
    "Herr",
    "Frau",
    "Señor",
    "Signor",
    "Monsieur",
    "Madame",
)
_GREETINGS = (
    "Dear ",
    "Hello ",
    "Hi ",
    "y name is ",
    "Y NAME",
    " am called ",
    "egards",
    "incerely",
    "ours truly",
    "heers",
)
_STREET = re.compile(r"[A-Z\d]\w* Dr$")  # a drive, not a doctor
_TO_NOBODY = """
    Sir Madam Sirs Customer Customers Team All Colleague Colleagues Support Friend Friends Client Tenant Landlord Sales
    User Member Members Everyone There Hiring Justice President Chairman Chair Speaker Secretary Judge
"""
_NOBODY = frozenset(_TO_NOBODY.split())


def hits_in(text: str) -> list[Place]:
    """Where personal data other than names stands in a folded text; one place may have two kinds.

    A quick look tells for most texts that there is nothing to be found.
    """
    found = email_hits(text)
    if _DIGIT.search(text):
        found += [(hit.kind, hit.start, hit.end) for kind in (personal.homes, personal.called) for hit in kind(text)]
        found += _addresses(text)
    if _FIVE_DIGITS.search(text):
        found += [("iban", *span) for span in personal.iban_forms(text)]
        found += [("card", hit.start, hit.end) for hit in personal.cards(text, 0, len(text), personal.BROKEN_CARD)]
        for stretch in personal.NUMBERS.finditer(text):
            found += _numbers(text, stretch.start(), min(len(text), stretch.end() + 2))
        found += _national_ids(text)
    return found


def email_hits(text: str) -> list[Place]:
    spelled = [("email", hit.start, hit.end) for hit in personal.spelled_emails(text)] if "dot" in text.lower() else []
    return [*(("email", start, end) for start, _, end in personal.email_forms(text)), *spelled]


def names_in(text: str) -> Iterator[str]:
    """Of people who are called by a title, greeted, or who sign or introduce themselves."""
    titled = _TITLED.finditer(text) if any(title in text for title in _TITLES) else ()
    greeted = _GREETED.finditer(text) if any(greeting in text for greeting in _GREETINGS) else ()
    for match in (*titled, *greeted):
        name = next(filter(None, match.groups()))
        if name.split()[0] not in _NOBODY and not _STREET.search(text, max(0, match.start() - 30), match.start() + 2):
            yield name


def _numbers(text: str, start: int, end: int) -> Iterator[Place]:
    """What a stretch of digits may be. A number that is called an order, an invoice or a part is that."""
    for kind in (personal.social_security, personal.cards):
        for hit in kind(text, start, end):
            is_grouped = kind is personal.cards and not text[hit.start : hit.end].isdecimal()
            if is_grouped or not personal.OTHER_NUMBER.search(before(text, hit.start)):
                yield hit.kind, hit.start, hit.end
    area_codes = (m.span() for m in _AREA_CODE.finditer(text, start, end) if _digits(m[0]) in _AREA_DIGITS)
    spaced = (match.span() for match in _SPACED_PHONE.finditer(text, start, end))
    phones = [("phone", *span) for span in (*personal.phone_forms(text, start, end), *area_codes, *spaced)]
    for place in (*phones, *(("ssn", *match.span()) for match in _SPACED_SSN.finditer(text, start, end))):
        if not personal.OTHER_NUMBER.search(before(text, place[1])):
            yield place


def _digits(text: str) -> int:
    return sum(char.isdecimal() for char in text)


def _national_ids(text: str) -> Iterator[Place]:
    for form in (_INSURANCE, _FISCAL):
        yield from (("id", *match.span()) for match in form.finditer(text))
    for match in _DNI.finditer(text):
        number = match[1].replace("-", "").translate(str.maketrans("XYZ", "012"))
        if _DNI_LETTERS[int(number) % 23] == match[2]:
            yield "id", *match.span()
    for match in _CPF.finditer(text):
        if _is_cpf([int(char) for char in match[0] if char.isdecimal()]):
            yield "id", *match.span()


def _is_cpf(digits: list[int]) -> bool:
    """Two check digits, each by the sum of those before it, the first of which counts most."""
    for length in (9, 10):
        total = sum(digit * (length + 1 - place) for place, digit in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != digits[length]:
            return False
    return len(set(digits)) > 1


def _addresses(text: str) -> Iterator[Place]:
    """Of machines. Four small numbers may as well be a section or a version, unless they are called an address."""
    for match in _IPV4.finditer(text):
        named = before(text, match.start())
        parts = [int(part) for part in match[0].split(".")]
        if _IP_LABEL.search(named) or (
            not _NUMBERED.search(named) and (max(parts) > _HIGHEST_SECTION or 0 in parts[1:])
        ):
            yield "ip", *match.span()
    for match in _IPV6.finditer(text) if text.count(":") > 1 else ():
        try:
            IPv6Address(match[0])
        except AddressValueError:
            continue
        if any(char.isdecimal() for char in match[0]) and match[0].count(":") > 2:
            yield "ip", *match.span()
