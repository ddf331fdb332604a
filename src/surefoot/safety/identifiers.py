"""What personal data looks like, whoever it belongs to: by its form, and by its check digits where it has some.

Dates, amounts, section and part numbers, and ids of passages are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
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

_MONTHS = (  # as they begin, in five languages
    ("jan", "ene", "gen"), ("feb", "fev"), ("mar",), ("apr", "avr", "abr"), ("may", "mai", "mag"),
    ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aou", "ago"), ("sep", "set"), ("oct", "okt", "ott"),
    ("nov",), ("dec", "dez", "dic"),
)  # fmt: skip
_MONTH = rf"(?:{'|'.join(start for starts in _MONTHS for start in starts)})[a-z]{{0,7}}"
_DAY = (
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|"
    rf"\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:of |de )?{_MONTH}\.?,? (?:de )?\d{{4}}|"
    rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
)
_BORN = re.compile(
    r"\b(?:born|geb(?:oren)?|ne le|nee|nat[oa]|nacid[oa]|nacio|birth ?(?:day|date)|(?:date|day) of birth|d\.?o\.?b|"
    r"geb(?:urts|\.-)(?:datum|tag)|date de naissance|fecha de nacimiento|data di nascita)\b\.?"
    rf"[^\d\n.;?!]{{1,30}}?\b(?P<day>{_DAY})(?!\w)",
    re.IGNORECASE,
)
_BRACKETED_AT = re.compile(r"\b[\w.+-]{1,40} ?(?:\(at\)|\[at\]) ?[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}\b", re.IGNORECASE)

# In groups of their own, which nothing else has, and not in a row of numbers.
_SPACED_SSN = re.compile(r"(?<![\w.,-])(?<!\d )(?!000|666|9)\d{3} (?!00)\d\d (?!0000)\d{4}(?![\w-]| \d|[.,]\d)")
_SPACED_PHONE = re.compile(r"(?<![\w.,-])(?<!\d )(?:1 )?[2-9]\d\d [2-9]\d\d \d{4}(?![\w-]| \d|[.,]\d)")
# Abroad without a plus: an area code with a zero in front, by itself or in brackets.
_AREA_CODE = re.compile(
    r"(?<![\w.,+/-])(?<!\d )(?:\(0\d{1,4}\) ?|0[1-9]\d{1,3}[ /-] ?|0[1-9] (?=\d\d \d\d \d\d \d\d\b))"
    r"\d(?:[ -]?\d){5,8}(?![\w/-]|[.,]\d)"
)
_AREA_DIGITS = range(9, 13)
_DIALLED = re.compile(
    r"\b(?:call|ring|dial|phone|text|tel|telefon|mobile|handy)\b[.:]?"
    r"(?: (?:me|us|back|number|on|at|under|is)\b){0,3}[ :]{1,3}(?P<number>0[1-9]\d{8,9}|[2-9]\d{9})(?![\w-]|[.,]\d)",
    re.IGNORECASE,
)

# Where somebody lives, with the town and the code behind the street.
_HOME = re.compile(
    r"\b(?:lives?|living|resid(?:es?|ing)|stay(?:s|ing)?|moved? (?:in)?to|(?:home|residential|private) address|"
    r"(?:my|our|his|her|their|your) (?:\w{3,8} )?(?:address|home|house|flat|apartment)|"
    r"(?-i:[A-Z][a-z]+'s) (?:home|house|flat|apartment))\b[^\n.;?!]{0,60}?"
    rf"(?P<place>{personal.STREET}(?:\.(?=,))?(?:,? (?:apt|apartment|flat|unit)\.? \w{{1,5}}\b)?"
    r"(?:,?(?: (?-i:[A-Z][A-Za-z'-]+)\b){1,3}){0,2}"
    r"(?:,? (?-i:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b)?)",
    re.IGNORECASE,
)

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

_WORD = r"(?:[A-ZÆØÞ]')?[A-ZÆØÞ][a-zßæøþ]+(?:['-]?[A-ZÆØÞ][a-zßæøþ]+)?"
_PERSON = rf"{_WORD}(?: (?:[A-Z]\.|(?:van|von|de|der|del|di|da|la|le)(?= ))){{0,2}}(?: {_WORD}){{0,2}}"
_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Mme|Mlle|Ing|Sra)\b\.?|Miss|Herrn?|Frau|Senora?|Signora?|Monsieur|Madame|Doktor|"
    r"Professor)"
)
_TITLED = re.compile(
    rf"\b(?:{_TITLE} (?:(?:med|jur|phil|rer|nat)\. ){{0,2}}){{1,4}}(?:[A-Z]\. ?){{0,3}}(?P<name>(?!{_TITLE} ){_PERSON})"
)
_GREETED = re.compile(
    rf"\b(?:(?:Dear|Hello|Hi) (?P<name>{_PERSON})(?=[,!:\n])|(?i:my name is|i am called) (?P<own>{_PERSON})|"
    rf"(?i:regards|sincerely|yours truly|cheers|thanks|wishes),?\s{{0,3}}\n\s{{0,3}}(?P<end>{_PERSON})"
    r"(?=\s{0,3}(?:\n|$)))"
)
_SIGNS = re.compile(
    r"Mr|Ms|Mx|Dr|Prof|Mme|Mlle|Ing|Miss|Sra|Herr|Frau|Senor|Signor|Monsieur|Madame|Doktor|"
    r"Dear |Hello |Hi |(?i:y name is | am called |egards|incerely|ours truly|heers|hanks|ishes)"
)  # without one of which nobody is called by name
_STREET = re.compile(r"\d\w* (?:[A-Z]\w* ){1,3}Dr$")  # a drive, not a doctor
_TO_NOBODY = """
    Sir Madam Sirs Customer Customers Team All Colleague Colleagues Support Friend Friends Client Tenant Landlord Sales
    User Member Members Everyone There Hiring Justice President Chairman Chair Speaker Secretary Judge
"""
_NOBODY = frozenset(_TO_NOBODY.split())
MONTHS = frozenset({"April", "May", "June", "August"})  # as surnames they would take dates with them


_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")  # of Markdown, which would make one word of a value


@lru_cache(maxsize=64)  # a text is looked at with all that belongs to it, and then again by itself
def hits_in(text: str) -> tuple[Place, ...]:
    """Where personal data stands in a folded text; one place may have two kinds.

    A quick look tells for most texts that there is nothing to be found.
    """
    text = _EMPHASIS.sub(lambda signs: " " * len(signs[0]), text)
    found = [*_emails(text), *_names(text)]
    if _DIGIT.search(text):
        found += [(hit.kind, hit.start, hit.end) for hit in personal.called(text)]
        found += [*_hosts(text), *_homes(text), *(("birth", *match.span("day")) for match in _BORN.finditer(text))]
    if _FIVE_DIGITS.search(text):
        found += [("iban", *span) for span in personal.iban_forms(text)]
        found += [("card", hit.start, hit.end) for hit in personal.cards(text, 0, len(text), personal.BROKEN_CARD)]
        for stretch in personal.NUMBERS.finditer(text):
            found += _numbers(text, stretch.start(), min(len(text), stretch.end() + 2))
        found += [("phone", *match.span("number")) for match in _DIALLED.finditer(text)]
        found += _national_ids(text)
    return tuple(found)


def month_in(word: str) -> str:
    """The number of the month that a word names, or nothing."""
    return next((str(number) for number, starts in enumerate(_MONTHS, 1) if word.startswith(starts)), "")


def _emails(text: str) -> list[Place]:
    plain = text.replace("%40", "++@")  # of the same length, and a plus may stand in a name
    found = [("email", start, end) for start, _, end in personal.email_forms(plain)]
    if "dot" in text.lower():
        found += [("email", hit.start, hit.end) for hit in personal.spelled_emails(text)]
    if "at)" in text.lower() or "at]" in text.lower():
        found += [("email", *match.span()) for match in _BRACKETED_AT.finditer(text)]
    return found


def _names(text: str) -> Iterator[Place]:
    """Of people who are called by a title, greeted, or who sign or introduce themselves."""
    if not _SIGNS.search(text):
        return
    for match in _TITLED.finditer(text):
        is_street = _STREET.search(text, max(0, match.start() - 30), match.start() + 2)
        if not is_street and match["name"].split()[0] not in _NOBODY:
            yield "name", *match.span("name")
    for match in _GREETED.finditer(text):
        group = str(match.lastgroup)
        if _NOBODY.isdisjoint(match[group].split()):
            yield "name", *match.span(group)


def _homes(text: str) -> Iterator[Place]:
    for match in _HOME.finditer(text):
        if not personal.is_business(text, match.start()):
            yield "address", *match.span("place")


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


def _hosts(text: str) -> Iterator[Place]:
    """Of machines. Four small numbers may as well be a section or a version, unless they are called an address."""
    for match in _IPV4.finditer(text):
        named = before(text, match.start())
        parts = [int(part) for part in match[0].split(".")]
        if _IP_LABEL.search(named) or (
            not _NUMBERED.search(named) and (max(parts) > _HIGHEST_SECTION or 0 in parts[1:])
        ):
            yield "host", *match.span()
    for match in _IPV6.finditer(text) if text.count(":") > 1 else ():
        try:
            IPv6Address(match[0])
        except AddressValueError:
            continue
        if any(char.isdecimal() for char in match[0]) and match[0].count(":") > 2:
            yield "host", *match.span()
