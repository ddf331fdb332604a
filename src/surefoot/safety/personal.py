"""Personal data: numbers that identify a person, and ways to reach one.

What cannot belong to a person does not count: numbers that cannot be issued, mailboxes of a role, toll-free and fax
lines, an office's line. Samples (example.com, test cards) do: nothing in an answer tells them from real ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_BEFORE = 60  # characters that are looked at before a number


class Hit(NamedTuple):
    kind: str
    start: int
    end: int
    why: str


def before(text: str, place: int) -> str:
    """What may name the number at a place; nothing if it follows no word, as in tables of numbers."""
    some = text[max(0, place - _BEFORE) : place]
    return some if some.rstrip(" .:#=\"'()-+")[-1:].isalpha() else ""


_FORMS = (
    r"Inc|INC|LLC|LLP|LP|Ltd|LTD|Limited|LIMITED|PLC|plc|Corp|Corporation|CORPORATION|Company|COMPANY|GmbH|AG|KG|SE|SA|"
    r"SAS|SARL|SRL|SpA|BV|NV|AB|ApS|Pty"
)
_ORGANISATION = re.compile(
    rf"\b(?:(?:{_FORMS})\b|(?:S\.A|L\.L\.C|N\.A|B\.V|N\.V)\.)|"
    r"\b(?:SEC|Suite|SUITE|Floor|FLOOR|Attention|ATTENTION|Attn|ATTN|(?i:university|college|school|"
    r"departments?|offices?|agency|commission|council|ministry|hospital|clinic|surgery|pharmacy|institute|authority|"
    r"association|cent(?:er|re)|foundation|courts?|registry|secretariat|reception|front desk|headquarters|registrant|"
    r"hotline|helpline|company's|hotel|museum|library|restaurant|station|embassy|consulate|town hall|box office|"
    r"switchboard|charity|(?:city|town|municipality) of|customer service|press team|duty manager|"
    r"control room|emergency line))\b"
)
NOTICE = re.compile(r"\b(?:attention|attn|facsimile|fax)\b[.:]", re.IGNORECASE)
# Words for a person take it back, and so does a name right before the number
_PERSON = re.compile(
    r"\b(?:he|she|him|her|his|mobile|cell|cellphone|home|private|privately|personal|lives?|whatsapp|mr|mrs|ms|tenant|"
    r"patient|customer|employee|witness|borrower|applicant|guest|student)\b(?!'| service)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<!Attention: )(?<!Attn: )\b[A-Z][a-z]+ (?:[A-Z]\. )?(?!Street|Road|Avenue|Secretary|Counsel|Officer|Director|"
    r"Manager|Department|Office|Service|Services|Relations|Desk|Team)[A-Z][a-z]+,? "
    r"\(?(?:(?:tel|telephone|phone)\b[.:]? )?"
    r"(?:at |on |is |: )?$"
)
_SENTENCE = re.compile(r"(?<!Inc)(?<!Ltd)(?<!Corp)(?<![A-Z])[.!?]\s+(?=[A-Z])|\n\n")
_BLOCK = 200  # characters of an address block


def is_business(text: str, place: int, sign: re.Pattern[str] = _ORGANISATION) -> bool:
    """Whether an organisation is named before a place, in its sentence or block, and no person after it."""
    before = _SENTENCE.split(text[max(0, place - _BLOCK) : place])[-1]
    named = [match.end() for match in sign.finditer(before)]
    return bool(named) and not _PERSON.search(before, named[-1]) and not _NAMED.search(before)


# From the at sign on, then back from it: a pattern that begins with the name takes long on long words.
_DOMAIN = re.compile(r"@((?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24})(?![^\W_]|@)")
_NAME_REVERSED = re.compile(r"[\w+-](?:[\w.%+'-]{0,62}[\w+-])?")
_NO_MAIL = re.compile(r".*\.(?:test|invalid|localhost|local|example)")  # names that no mail can be sent to
_FREE_MAIL = re.compile(
    r"(?:gmail|googlemail|outlook|hotmail|live|msn|yahoo|ymail|aol|icloud|me|gmx|proton|protonmail|web|mail)\.",
    re.IGNORECASE,
)
_MAILBOXES = """
    abuse accounting accounts accountspayable admin administration ap ar billing bookings business careers care
    claims clientservices compliance contact contracts corporate corporatesecretary customer customercare
    customerservice customersupport dataprotection dpo email enquiries enquiry escalations ethics events facilities
    feedback finance general generalcounsel hello help helpdesk hostmaster hr info information inquiries inquiry
    insurance investor investors investorrelations invoice invoices ir it jobs legal legaldept legaldepartment
    legalnotice legalnotices licensing mail main management marketing media membership news noc noreply no-reply
    notice notices notification notifications office operations orders partners payables payments payroll postmaster
    press privacy procurement purchasing reception records recruiting registrar reply reservations returns sales
    secretary security service servicedesk services shop store subscriptions support team tech technical techsupport
    treasury vendor vendors warranty web webmaster
"""
_ROLES = frozenset(_MAILBOXES.split())


def email_forms(text: str) -> Iterator[tuple[int, int, int]]:
    """Where an address begins, where its domain begins, and where it ends, whoever it belongs to."""
    for match in _DOMAIN.finditer(text):
        name = _NAME_REVERSED.match(text[max(0, match.start() - 64) : match.start()][::-1])
        if name:
            yield match.start() - name.end(), match.start(1), match.end()


def emails(text: str) -> Iterator[Hit]:
    for start, at, end in email_forms(text):
        domain = text[at:end]
        if _NO_MAIL.fullmatch(domain.lower()) or _is_role(text[start : at - 1].lower()):
            continue
        if _FREE_MAIL.match(domain) or not is_business(text, start, NOTICE):
            yield Hit("email", start, end, "an e-mail address that is not a role's mailbox")


def _is_role(name: str) -> bool:
    """Names like legal, us-legal, legal.notices and support2 are roles; john.legal is taken for a person."""
    parts = [part for part in re.split(r"[.+_\d-]+", name) if part]
    others = [part for part in parts if part not in _ROLES and part.strip("x")]  # xxx is struck out
    return name in _ROLES or (len(others) < len(parts) and all(len(part) <= 3 for part in others))


# Written so that no program should find it
_SPELLED = re.compile(
    r"\b[\w.-]{1,40} ?(?:\(at\)|\[at\]| at ) ?[\w-]{1,40} ?(?:\(dot\)|\[dot\]| dot ) ?[a-z]{2,6}\b", re.IGNORECASE
)


def spelled_emails(text: str) -> Iterator[Hit]:
    for match in _SPELLED.finditer(text):
        yield Hit("email", *match.span(), "an e-mail address in words")


# North America with brackets, dashes or dots; abroad with a plus; anything else only if it is called a phone number.
_PHONE = re.compile(
    r"(?<![\w.+/-])(?:\+?1[ .-]{0,2})?(?:\([2-9]\d\d\)[ .-]{0,2}\d{3}[ .-]|[2-9]\d\d([.-])\d{3}\1)"
    r"\d{4}(?![\w/-]|\.\d)"
)
_ABROAD = re.compile(r"(?<![\w+])(?:\+|00(?=[1-9]\d[ ./-]))\d(?:[ ().-]{0,3}\d){8,14}(?![\w-])")
_DIGITS = re.compile(r"(?<![\w.+/-])\(?\d(?:[ ()./-]{0,2}\d){8,13}(?![\w-])")
_PHONE_LABEL = re.compile(
    r"\b(?:(?:tel|telephone|phone|mobile|cell|cellphone|whatsapp)\b[. ]{0,2}(?:(?:no|number)\b\.?)?[ :#,]{0,3}"
    r"(?:is |at |on |as )?|(?:call|ring|text|dial|reach|phone) (?:him|her|them|me|(?-i:[A-Z][a-z]+))\b"
    r"[^\n\d.;?!]{0,30}(?: on| at| under)? |"
    r"(?:(?:his|her|their|my|personal|private|direct) number|number for [\w ]{1,30})(?: is|:)? )$",
    re.IGNORECASE,
)
# Lines of an office rather than of a person, by what stands right before the number
OFFICE = re.compile(
    r"\b(?:(?:call|contact|reach|phone|ring) (?:us|our|the (?!tenant|patient|customer|employee|witness|applicant|"
    r"student|guest|owner|borrower))\b[^\n\d.;?!]{0,40}|"
    r"(?:fax|facsimile|telecopy|telecopier|telefax)\b(?:(?!phone|tel\b|cell|mobile)[^\n\d;?!]){0,24}|"
    r"(?:our|its|registrant's|company's|corporate)(?: [a-z]+){0,2} (?:phone|telephone|number|office|offices|line)\b"
    r"[^\n\d.;?!]{0,30}|(?:headquarters|switchboard|department|investor relations|emergency (?:number|line)|hotline|"
    r"helpline|help ?desk|customer (?:service|services|care|support|engagement|relations)|support (?:line|team))\b"
    r"[^\n\d.,;?!]{0,20})$",
    re.IGNORECASE,
)


_SERVICE = ("0800", "44800", "44808", "0900", "0300", "0303", "0330", "0333", "0344", "0345", "0370")
_TOLL_FREE = {"800", "888", "877", "866", "855", "844", "833", "900", "822"}


def phone_forms(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where phone numbers stand, whoever they belong to."""
    for pattern in (_PHONE, _ABROAD, _DIGITS):
        for match in pattern.finditer(text, start, end):
            if pattern is not _DIGITS or _PHONE_LABEL.search(before(text, match.start())):
                yield match.span()


def phones(text: str, start: int, end: int) -> Iterator[Hit]:
    for span in phone_forms(text, start, end):
        if _is_personal(re.sub(r"\D", "", text[slice(*span)])) and not is_business(text, span[0]):
            yield Hit("phone", *span, "a phone number that is neither toll-free nor an office's")


def _is_personal(digits: str) -> bool:
    national = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    if len(national) == 10 and national[:3] in _TOLL_FREE:
        return False
    return len(set(digits)) > 2 and not digits.startswith(_SERVICE)


STREET = (
    r"\b\d{1,5}[a-z]?,? (?-i:(?:[A-Z]|\d{1,3}(?=st|nd|rd|th))[\w'-]+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|ln|"
    r"drive|dr|close|court|ct|way|place|square|crescent|terrace|gardens|boulevard|blvd|row|hill|grove|mews|walk|parkway|"
    r"circle|trail)\b"
)
_HOME = re.compile(
    r"\b(?:lives?|living|resid(?:es?|ing)|stay(?:s|ing)?|home address|his address|her address|"
    rf"(?-i:[A-Z][a-z]+'s) (?:home|house|address|flat))\b[^\n.;?!]{{0,60}}?({STREET})",
    re.IGNORECASE,
)


def homes(text: str) -> Iterator[Hit]:
    for match in _HOME.finditer(text):
        if not is_business(text, match.start()):
            yield Hit("address", *match.span(1), "where a person lives")


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
_IBAN = re.compile(r"[A-Za-z]{2}\d\d(?<![\w-].{4})(?:(?: [A-Za-z0-9]{1,4}\b){3,8}|[A-Za-z0-9]{11,30})")


def iban(candidate: str) -> bool:
    """Letters become numbers, the first four characters go to the end, and the remainder by 97 is one."""
    if len(candidate) != _IBAN_LENGTH.get(candidate[:2].upper()):
        return False
    return int("".join(str(int(char, 36)) for char in candidate[4:] + candidate[:4])) % 97 == 1


def iban_forms(text: str) -> Iterator[tuple[int, int]]:
    """Where account numbers stand, whoever they belong to."""
    for match in _IBAN.finditer(text):
        length = _end_of(match[0], _IBAN_LENGTH.get(match[0][:2].upper(), 0))
        end = match.start() + length
        if length and not text[end : end + 1].isalnum() and iban(match[0][:length].replace(" ", "")):
            yield match.start(), end


def ibans(text: str) -> Iterator[Hit]:
    for start, end in iban_forms(text):
        if not is_business(text, start):
            yield Hit("iban", start, end, "an account number with a valid checksum")


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


# A number with one of these right before it counts something else: "invoice no. 4111...", "ISBN 978..."
OTHER_NUMBER = re.compile(
    r"\b(?:(?:invoices?|orders?|isbn|issn|doi|part|serial|tracking|reference|ref|ticket|case|docket|patent|model|item|sku|"
    r"section|clause|article|paragraph|exhibit|version|permit|file|policy|batch|lot|figure|table|cusip|isin|commission|"
    r"contract|claim|form|catalogue|product|project|registration|shipment|container|parcel)"
    r"\.?(?: ?(?:no|nos|number|numbers|num|id|code)\b\.?[ :#=]{0,3}(?:is |was )?|[ :#=]{0,3})|"
    r"(?:test|sample|dummy|example|placeholder|specimen|fictitious)\b[^\n\d.;?!]{0,25}|"
    r"(?:customer|member|membership|asset|job|account) (?:no|number|id|code)\b\.?[ :#=]{0,3}(?:is |was )?)$",
    re.IGNORECASE,
)
# A stretch in which numbers can stand; looking there only is what makes this fast.
NUMBERS = re.compile(r"[+(]?\d[\d ().\-/]{7,}")
_NUMBER_KINDS = (social_security, cards, phones)
_WHOLE_TEXT = (emails, spelled_emails, homes, ibans, called)


def find(text: str) -> list[Hit]:
    """Personal data in a folded text, in order, none inside another."""
    hits = [hit for kind in _WHOLE_TEXT for hit in kind(text)]
    for stretch in NUMBERS.finditer(text):
        for kind in _NUMBER_KINDS:
            found = kind(text, stretch.start(), min(len(text), stretch.end() + 2))
            hits += [hit for hit in found if _counts(before(text, hit.start), hit.kind)]
    broken = cards(text, 0, len(text), BROKEN_CARD)
    hits += [hit for hit in broken if _counts(before(text, hit.start), hit.kind)]
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept


def _counts(named: str, kind: str) -> bool:
    return not OTHER_NUMBER.search(named) and not (kind == "phone" and OFFICE.search(named))
