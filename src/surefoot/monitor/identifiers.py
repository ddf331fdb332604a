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

# Whatever the country: a number right behind the word for it. Letters with accents are plain ones by then.
_LABEL = (
    r"(?:tax|taxpayer|fiscal|social security|social insurance|national insurance|national|health insurance|identity|"
    r"customer|client|patient|citizen) (?:id|identification|identity|number|no|nr)|account|acct|tin|nir|insee|bsn|"
    r"pesel|aadhaar|personnummer|personnr|curp|cnp|oib|jmbg|burgerservicenummer|rekening(?:nummer)?|"
    r"steuer[ -]?(?:id|idnr|nummer|nr|identifikationsnummer)|idnr|sv[ -](?:nummer|nr)|ahv(?:[ -]?(?:nummer|nr))?|"
    r"(?:sozial|renten|kranken)?versicher(?:ungs|ten)(?:nummer|nr)|(?:personal)?ausweis(?:nummer|nr)?|"
    r"(?:reise)?pass(?:nummer|nr)|fuhrerschein(?:nummer|nr)?|konto(?:nummer|nr)?|kunden(?:nummer|nr)|"
    r"(?:numero de )?securite sociale|numero fiscal|compte|cuenta|dowod(?: osobisty)?"
)
_LABELLED = re.compile(
    rf"\b(?:{_LABEL})(?: (?:number|no|nr|num|id))?\.?(?: (?:is|was|ist|lautet|est|es|:))?[ :#=]{{1,3}}"
    r"(?P<id>(?-i:(?:[A-Z]{0,4}\d[A-Z\d]{0,20})(?:[ ./-](?:[A-Z]{0,2}\d[A-Z\d]{0,13}|[A-Z]\b)){0,8}))(?![\w,]\d)",
    re.IGNORECASE,
)
_FEWEST_DIGITS = 7
_BORN = re.compile(
    r"\b(?:born(?: on)?|geb(?:oren)?\.?(?: am)?|date of birth|ne le|nata? il|nacid[oa] el)[ :]{1,3}"
    r"(\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d)",
    re.IGNORECASE,
)
_BRACKETED_AT = re.compile(r"\b[\w.+-]{1,40} ?(?:\(at\)|\[at\]) ?[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}\b", re.IGNORECASE)

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
_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Mme|Mlle|Ing)\b\.?|Miss|Herrn?|Frau|Señora?|Signora?|Monsieur|Madame|Doktor|Professor)"
)
_TITLED = re.compile(rf"\b(?:{_TITLE} (?:(?:med|jur|phil|rer|nat)\. ){{0,2}}){{1,4}}(?P<name>(?!{_TITLE} ){_PERSON})")
_GREETED = re.compile(
    rf"\b(?:(?:Dear|Hello|Hi) (?P<name>{_PERSON})(?=[,!:\n])|(?i:my name is|i am called) (?P<own>{_PERSON})|"
    rf"(?i:regards|sincerely|yours truly|cheers),?\s{{0,3}}\n\s{{0,3}}(?P<end>{_PERSON})(?=\s{{0,3}}(?:\n|$)))"
)
_SIGNS = re.compile(
    r"Mr|Ms|Mx|Dr|Prof|Mme|Mlle|Ing|Miss|Herr|Frau|Señor|Signor|Monsieur|Madame|Doktor|"
    r"Dear |Hello |Hi |(?i:y name is | am called |egards|incerely|ours truly|heers)"
)  # without one of which nobody is called by name
_STREET = re.compile(r"\d\w* (?:[A-Z]\w* ){1,3}Dr$")  # a drive, not a doctor
_TO_NOBODY = """
    Sir Madam Sirs Customer Customers Team All Colleague Colleagues Support Friend Friends Client Tenant Landlord Sales
    User Member Members Everyone There Hiring Justice President Chairman Chair Speaker Secretary Judge
"""
_NOBODY = frozenset(_TO_NOBODY.split())
MONTHS = frozenset({"April", "May", "June", "August"})  # as surnames they would take dates with them


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
    found = [("email", start, end) for start, _, end in personal.email_forms(text)]
    if "dot" in text.lower():
        found += [("email", hit.start, hit.end) for hit in personal.spelled_emails(text)]
    if "at)" in text.lower() or "at]" in text.lower():
        found += [("email", *match.span()) for match in _BRACKETED_AT.finditer(text)]
    return found


def names_in(text: str) -> Iterator[str]:
    """Of people who are called by a title, greeted, or who sign or introduce themselves."""
    found = (*_TITLED.finditer(text), *_GREETED.finditer(text)) if _SIGNS.search(text) else ()
    for match in found:
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
    for match in _LABELLED.finditer(text):
        if _digits(match["id"]) >= _FEWEST_DIGITS:
            yield "id", *match.span("id")
    yield from (("birth", *match.span(1)) for match in _BORN.finditer(text))
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
