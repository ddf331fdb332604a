"""Numbers that identify a person, by form and checksum: social security and card numbers, IBANs, and what is called a
passport, licence, insurance or bank account number. The checks are a few lines each, so they need no library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.safety.business import is_business
from surefoot.safety.found import Hit, before

_SSN = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}([ .-]?)(?!00)\d\d\1(?!0000)\d{4}(?![\w-]|\.\d)")
_SSN_LABEL = re.compile(
    r"\b(?:ssn|social[ -]security(?:[ -](?:number|no|num)\b\.?)?)['\")]{0,2}[ :#=\"'-]{0,4}"
    r"(?:is |was |of |number ){0,2}$",
    re.IGNORECASE,
)
_SSN_LABEL_BEHIND = re.compile(
    r"(?: (?:is|was) (?:[\w']+ ){0,2}| ?\((?:[\w']+ )?)(?:ssn|social[ -]security[ -](?:number|no))\b", re.IGNORECASE
)


def social_security(text: str, start: int, end: int) -> Iterator[Hit]:
    for match in _SSN.finditer(text, start, end):
        if _SSN_LABEL.search(before(text, match.start())) or _SSN_LABEL_BEHIND.match(text, match.end()):
            yield Hit("ssn", *match.span(), "nine digits called a social security number")
        elif match[1] == "-":
            yield Hit("ssn", *match.span(), "has the form of a social security number that can be issued")


# Digits at a stretch or in the groups that are printed on cards
_CARD = re.compile(
    r"(?<![\w.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w-]|\.\d)"
)
# The same, broken at the end of a line; not in a column of numbers
BROKEN_CARD = re.compile(
    r"(?<![\w.\n-])(?<!\d[ \n])(?:(?:\d{4}[ -]){0,2}\d{4}[ -]?\n(?:\d{4}[ -]){0,2}\d{4}|\d{2,17}\n\d{2,17})"
    r"(?![\w-]|[. \n]\d)"
)
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|"
    r"3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14}|62\d{14,17}"
)


def luhn(digits: str) -> bool:
    """Every second digit from the right counts twice; the digits of all of them add up to a multiple of ten."""
    doubled = "".join(str(int(digit) * (1 + place % 2)) for place, digit in enumerate(reversed(digits)))
    return sum(map(int, doubled)) % 10 == 0


def cards(text: str, start: int, end: int, form: re.Pattern[str] = _CARD) -> Iterator[Hit]:
    for match in form.finditer(text, start, end):
        digits = re.sub(r"\D", "", match[0])
        if _ISSUER.fullmatch(digits) and len(set(digits)) > 1 and luhn(digits):
            yield Hit("card", *match.span(), "a card number with an issuer's prefix and a valid check digit")


# Length of an account number by country
_IBAN_COUNTRIES = """
    NO15 BE16 DK18 FI18 NL18 GL18 FO18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 CH21 HR21 LI21 LV21 BG22 BH22
    CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 SK24
    TN24 VG24 LY25 PT25 IS26 TR26 BI27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HU28 LB28 NI28
    PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 MT31 SC31 LC32
"""
_IBAN_LENGTH = {code[:2]: int(code[2:]) for code in _IBAN_COUNTRIES.split()}
_IBAN = re.compile(r"[A-Za-z]{2}\d\d(?<![\w-].{4})(?:(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3}\b)?|[A-Za-z0-9]{11,30})")


def iban(candidate: str) -> bool:
    """Letters become numbers, the first four characters go to the end, and the remainder by 97 is one."""
    if len(candidate) != _IBAN_LENGTH.get(candidate[:2].upper()):
        return False
    return int("".join(str(int(char, 36)) for char in candidate[4:] + candidate[:4])) % 97 == 1


def ibans(text: str) -> Iterator[Hit]:
    for match in _IBAN.finditer(text):
        length = _end_of(match[0], _IBAN_LENGTH.get(match[0][:2].upper(), 0))
        end = match.start() + length
        valid = length and not text[end : end + 1].isalnum() and iban(match[0][:length].replace(" ", ""))
        if valid and not is_business(text, match.start()):
            yield Hit("iban", match.start(), end, "an account number with a valid checksum")


def _end_of(candidate: str, length: int) -> int:
    """Where the first `length` characters other than spaces end; 0 if there are not as many."""
    for place, char in enumerate(candidate, 1):
        length -= char != " "
        if length == 0:
            return place
    return 0


# Numbers without a checksum count by what they are called.
_CALLED = re.compile(
    r"\b(?:passport|driver'?s? licen[cs]e|driving licen[cs]e|national insurance|social insurance|"
    r"national id(?:entity)?|identity card|id card|nhs|medical record(?= n)|patient(?= (?:n|id)))"
    r"(?: (?:number|no|num|id)\b\.?| #)?(?: (?:is|was|of))?[ :#=]{1,3}"
    r"((?=[A-Z \d-]{0,14}\d)[A-Z\d](?:[ -]?[A-Z\d]){5,15})\b(?!\.\d)",
    re.IGNORECASE,
)
_BANK = re.compile(
    r"\b(?:sort code|routing (?:number|no\.?))[ :#]{1,3}(?:is )?\d[\d -]{4,9}\d\b.{0,40}?"
    r"\b(?:account|acct)(?: (?:number|no)\b\.?)?[ :#]{1,3}(?:is )?(\d[\d -]{4,14}\d)\b",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"\b(?:date of birth|d\.?o\.?b\b\.?)(?: (?:is|was))?[ :]{1,3}"
    r"(\d{1,2}[./ -](?:\d{1,2}|[A-Za-z]{3,9})[./ -]\d{2,4}|\d{4}-\d\d-\d\d|[A-Za-z]{3,9} \d{1,2},? \d{4})",
    re.IGNORECASE,
)
_FEWEST_DIGITS = 5
_KINDS = (
    ("id", _CALLED, "called a number that identifies a person"),
    ("account", _BANK, "a bank account with its sort code"),
    ("birth", _BORN, "a date of birth"),
)


def called(text: str) -> Iterator[Hit]:
    for kind, form, why in _KINDS:
        for match in form.finditer(text):
            if len(re.sub(r"\D", "", match[1])) >= _FEWEST_DIGITS and not is_business(text, match.start()):
                yield Hit(kind, *match.span(1), why)
