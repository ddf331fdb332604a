"""Personal data by its form, and by its check digits where it has some: what is taken out of what is kept, and among
it what exposes a person: numbers that identify one, and ways to reach one.

Dates, amounts, section and part numbers, and ids of passages are none. What cannot belong to a person does not expose
one: mailboxes of a role, toll-free and fax lines, an office's line. Samples (example.com, test cards) do: nothing in an
answer tells them from real ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from ipaddress import ip_address
from typing import NamedTuple

from surefoot.text.normal import rows, word_set, words_of


class Hit(NamedTuple):
    kind: str
    start: int
    end: int
    exposes: bool = False


# Whether a match exposes a person; None where it is no personal data.
Judge = Callable[[str, re.Match[str]], bool | None]
_TABLE = words_of("private")
_BEFORE = 60  # characters that are looked at before a number
_BLOCK = 200  # characters of an address block
_FORMS = (
    r"Inc|INC|LLC|LLP|LP|Ltd|LTD|Limited|LIMITED|PLC|plc|Corp|Corporation|CORPORATION|Company|COMPANY|GmbH|AG|KG|SE|SA|"
    r"SAS|SARL|SRL|SpA|BV|NV|AB|ApS|Pty"
)
_ORGANISATION = re.compile(
    rf"\b(?:(?:{_FORMS})\b|(?:S\.A|L\.L\.C|N\.A|B\.V|N\.V)\.)|"
    r"\b(?:SEC|Suite|SUITE|Floor|FLOOR|Attention|ATTENTION|Attn|ATTN|(?i:university|college|school|"
    r"departments?|offices?|agency|commission|council|ministry|hospital|clinic|surgery|pharmacy|institute|authority|"
    r"association|cent(?:er|re)|foundation|courts?|registry|secretariat|reception|front desk|headquarters|registrant|"
    r"hotline|helpline|fax|facsimile|our|hotel|museum|library|restaurant|station|embassy|consulate|box office|"
    r"switchboard|charity|(?:city|town|municipality) of|customer service|press team|duty manager|"
    r"control room|emergency line))\b"
)


def _before(text: str, place: int) -> str:
    """What may name the number at a place; nothing if it follows no word, as in tables of numbers."""
    some = text[max(0, place - _BEFORE) : place]
    return some if some.rstrip(" .:#=\"'()-+")[-1:].isalpha() else ""


def _is_business(text: str, place: int) -> bool:
    """Whether an organisation is named shortly before a place."""
    return _ORGANISATION.search(text, max(0, place - _BLOCK), place) is not None


def _count_of_digits(text: str) -> int:
    return sum(map(str.isdecimal, text))


def _of_person(text: str, match: re.Match[str]) -> bool | None:
    return None if _is_business(text, match.start()) else True


# From the at sign on, then back from it: a pattern that begins with the name takes long on long words.
_DOMAIN = re.compile(r"@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}(?![^\W_]|@)")
_NAME_REVERSED = re.compile(r"[\w+-](?:[\w.%+'-]{0,62}[\w+-])?")
_ROLES = frozenset(_TABLE["mailboxes"].split())
# Written so that no program should find it
_SPELLED = re.compile(
    r"\b[\w.+-]{1,40}(?: ?[(\[]at[)\]] ?[\w-]{1,40}(?:(?:\.| ?(?:[(\[]dot[)\]]| dot ) ?)[\w-]{1,40}){1,4}|"
    r" at [\w-]{1,40} ?(?:[(\[]dot[)\]]| dot ) ?[a-z]{2,6})\b",
    re.IGNORECASE,
)


def _emails(text: str) -> Iterator[Hit]:
    plain = text.replace("%40", "++@")  # of the same length, and a plus may stand in a name
    for match in _DOMAIN.finditer(plain):
        if name := _NAME_REVERSED.match(plain[max(0, match.start() - 64) : match.start()][::-1]):
            start = match.start() - name.end()
            yield Hit("email", start, match.end(), exposes=not _is_role(text[start : match.start()].lower()))


def _is_role(name: str) -> bool:
    """Names like legal, us-legal, legal.notices and support2 are roles; john.legal is taken for a person."""
    parts = [part for part in re.split(r"[.+_\d-]+", name) if part]
    others = [part for part in parts if part not in _ROLES and part.strip("x")]  # xxx is struck out
    return name in _ROLES or (len(others) < len(parts) and all(len(part) <= 3 for part in others))


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
_TOLL_FREE = {"800", "888", "877", "866", "855", "844", "833", "900", "822"}
_SPACED = re.compile(r"(?<![\w.,-])(?<!\d )(?:1 )?[2-9]\d\d [2-9]\d\d \d{4}(?![\w-]| \d|[.,]\d)")
# Abroad without a plus: an area code with a zero in front, by itself or in brackets.
_AREA_CODE = re.compile(
    r"(?<![\w.,+/-])(?<!\d )(?:\(0\d{1,4}\) ?|0[1-9]\d{1,3}[ /-] ?|0[1-9] (?=\d\d \d\d \d\d \d\d\b))"
    r"\d(?:[ -]?\d){5,8}(?![\w/-]|[.,]\d)"
)
_DIALLED = re.compile(
    r"\b(?:call|ring|dial|phone|text|tel|telefon|mobile|handy)\b[.:]?"
    r"(?: (?:me|us|back|number|on|at|under|is)\b){0,3}[ :]{1,3}(?P<it>0[1-9]\d{8,9}|[2-9]\d{9})(?![\w-]|[.,]\d)",
    re.IGNORECASE,
)


def _phone(text: str, match: re.Match[str]) -> bool | None:
    if _OTHER_NUMBER.search(_before(text, match.start())):
        return None
    digits = re.sub(r"\D", "", match[0])
    national = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    is_toll_free = len(national) == 10 and national[:3] in _TOLL_FREE
    return len(set(digits)) > 2 and not is_toll_free and not _is_business(text, match.start())


def _called_phone(text: str, match: re.Match[str]) -> bool | None:
    return _phone(text, match) if _PHONE_LABEL.search(_before(text, match.start())) else None


def _local_phone(text: str, match: re.Match[str]) -> bool | None:
    is_other = _OTHER_NUMBER.search(_before(text, match.start()))
    return None if is_other or not 9 <= _count_of_digits(match[0]) <= 12 else False


_SSN = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}([ .-]?)(?!00)\d\d\1(?!0000)\d{4}(?![\w-]|\.\d)")
_SSN_LABEL = re.compile(
    r"\b(?:ssn|social[ -]security(?:[ -](?:number|no|num)\b\.?)?)['\")]{0,2}[ :#=\"'-]{0,4}"
    r"(?:is |was |of |number ){0,2}$",
    re.IGNORECASE,
)
# Digits at a stretch or in the groups that are printed on cards
_CARD = re.compile(
    r"(?<![\w.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w-]|\.\d)"
)
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|"
    r"3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14}|62\d{14,17}"
)


def luhn(digits: str) -> bool:
    """Every second digit from the right counts twice; the digits of all of them add up to a multiple of ten."""
    doubled = "".join(str(int(digit) * (1 + place % 2)) for place, digit in enumerate(reversed(digits)))
    return sum(map(int, doubled)) % 10 == 0


# A number with one of these right before it counts something else: "invoice no. 4111...", "ISBN 978..."
_OTHER_NUMBER = re.compile(
    r"\b(?:(?:invoices?|orders?|isbn|issn|doi|part|serial|tracking|reference|ref|ticket|case|docket|patent|model|item|sku|"
    r"section|clause|article|paragraph|exhibit|version|permit|file|policy|batch|lot|figure|table|cusip|isin|commission|"
    r"contract|claim|form|catalogue|product|project|registration|shipment|container|parcel)"
    r"\.?(?: ?(?:no|nos|number|numbers|num|id|code)\b\.?[ :#=]{0,3}(?:is |was )?|[ :#=]{0,3})|"
    r"(?:test|sample|dummy|example|placeholder|specimen|fictitious)\b[^\n\d.;?!]{0,25}|"
    r"(?:customer|member|membership|asset|job|account) (?:no|number|id|code)\b\.?[ :#=]{0,3}(?:is |was )?)$",
    re.IGNORECASE,
)


def _ssn(text: str, match: re.Match[str]) -> bool | None:
    named = _before(text, match.start())
    is_called = _SSN_LABEL.search(named) or match[1] == "-"
    return True if is_called and not _OTHER_NUMBER.search(named) else None


def _card(text: str, match: re.Match[str]) -> bool | None:
    """A number that is called an order, an invoice or a part is that."""
    digits = re.sub(r"\D", "", match[0])
    is_card = _ISSUER.fullmatch(digits) and len(set(digits)) > 1 and luhn(digits)
    is_other = bool(_OTHER_NUMBER.search(_before(text, match.start())))
    return None if not is_card or (is_other and match[0].isdecimal()) else not is_other


# Length of an account number by country
_IBAN_LENGTH = {code[:2]: int(code[2:]) for code in _TABLE["ibans"].split()}
_IBAN = re.compile(r"(?<![\w-])(?:" + "|".join(
    rf"(?:{'|'.join(code for code, size in _IBAN_LENGTH.items() if size == length)})\d\d(?: ?[A-Z\d]){{{length - 4}}}"
    for length in sorted(set(_IBAN_LENGTH.values()))
) + r")(?![^\W_])", re.IGNORECASE)  # fmt: skip


def iban(candidate: str) -> bool:
    """Letters become numbers, the first four characters go to the end, and the remainder by 97 is one."""
    if len(candidate) != _IBAN_LENGTH.get(candidate[:2].upper()):
        return False
    return int("".join(str(int(char, 36)) for char in candidate[4:] + candidate[:4])) % 97 == 1


def _iban(text: str, match: re.Match[str]) -> bool | None:
    return not _is_business(text, match.start()) if iban(match[0].replace(" ", "")) else None


# Numbers without a checksum count by what they are called.
_CALLED = re.compile(
    r"\b(?:passport|driver'?s? licen[cs]e|driving licen[cs]e|national insurance|social insurance|"
    r"national id(?:entity)?|identity card|id card|nhs|personnummer|pesel|"
    r"aadhaar|burgerservicenummer|codice fiscale|medical record(?= n)|patient(?= (?:n|id)))"
    r"(?:,? (?:number|no|num|id)\b\.?| #)?(?: (?:is|was|of|as))?[ :#=]{1,3}"
    r"(?P<it>(?=[A-Z \d-]{0,14}\d)[A-Z\d](?:[ -]?[A-Z\d]){5,15})\b(?!\.\d)",
    re.IGNORECASE,
)
_BANK = re.compile(
    r"\b(?:sort code|routing (?:number|no\.?))[ :#]{1,3}(?:is )?\d[\d -]{4,9}\d\b.{0,40}?"
    r"\b(?:account|acct)(?: (?:number|no)\b\.?)?[ :#]{1,3}(?:is )?(?P<it>\d[\d -]{4,14}\d)\b",
    re.IGNORECASE,
)
# National ids by form.
_INSURANCE = re.compile(r"\b(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]\b")
_DNI = re.compile(r"\b([XYZ]-?\d{7}|\d{8})-?([A-HJ-NP-TV-Z])\b")  # Spain
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CPF = re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])")  # Brazil

# Whatever the country: a number right behind the word for it. Letters with accents are plain ones by then.
_LABEL = (
    r"(?:tax|social security|national insurance|national|identity|customer|client|patient) (?:id|number|no|nr)|account|"
    r"acct|tin|nir|insee|bsn|pesel|aadhaar|personnummer|curp|burgerservicenummer|steuer[ -]?(?:id|nummer|nr)|"
    r"(?:sozial|renten|kranken)?versicher(?:ungs|ten)(?:nummer|nr)|ahv(?:[ -]?(?:nummer|nr))?|"
    r"(?:personal)?ausweis(?:nummer|nr)?|konto(?:nummer|nr)?|(?:numero de )?securite sociale"
)
_LABELLED = re.compile(
    rf"\b(?:{_LABEL})(?: (?:number|no|nr|num|id))?\.?(?: (?:is|was|ist|lautet|est|es|:))?[ :#=]{{1,3}}"
    r"(?P<it>(?-i:(?:[A-Z]{0,4}\d[A-Z\d]{0,20})(?:[ ./-](?:[A-Z]{0,2}\d[A-Z\d]{0,13}|[A-Z]\b)){0,8}))(?![\w,]\d)",
    re.IGNORECASE,
)


def _called(text: str, match: re.Match[str]) -> bool | None:
    return _of_person(text, match) if _count_of_digits(match["it"]) >= 5 else None


def _dni(_: str, match: re.Match[str]) -> bool | None:
    number = match[1].replace("-", "").translate(str.maketrans("XYZ", "012"))
    return False if _DNI_LETTERS[int(number) % 23] == match[2] else None


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
    r"\b(?:(?P<exposes>date of birth|d\.?o\.?b)|born|geb(?:oren)?|ne le|nee|nat[oa]|nacid[oa]|nacio|"
    r"birth ?(?:day|date)|day of birth|geb(?:urts|\.-)(?:datum|tag)|date de naissance|fecha de nacimiento|"
    r"data di nascita)\b\.?"
    rf"[^\d\n.;?!]{{1,30}}?\b(?P<it>{_DAY})(?!\w)",
    re.IGNORECASE,
)


# Where somebody lives, with the town and the code behind the street.
_PLACE = (
    r"(?P<it>\b\d{1,5}[a-z]?,? (?-i:(?:[A-Z]|\d{1,3}(?=st|nd|rd|th))[\w'-]+ ){1,3}(?:street|st|road|rd|avenue|ave|"
    r"lane|ln|drive|dr|close|court|ct|way|place|square|crescent|terrace|gardens|boulevard|blvd|row|hill|grove|mews|walk|"
    r"parkway|circle|trail)\b(?:\.(?=,))?(?:,? (?:apt|apartment|flat|unit)\.? \w{1,5}\b)?"
    r"(?:,?(?: (?-i:[A-Z][A-Za-z'-]+)\b){1,3}){0,2}"
    r"(?:,? (?-i:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b)?)"
)
_HOME = re.compile(
    r"\b(?:lives?|living|resid(?:es?|ing)|stay(?:s|ing)?|moved? (?:in)?to|(?:home|residential|private) address|"
    r"(?:my|our|his|her|their|your) (?:\w{3,8} )?(?:address|home|house|flat|apartment)|"
    r"(?-i:[A-Z][a-z]+'s) (?:home|house|address|flat|apartment))\b[^\n.;?!]{0,60}?" + _PLACE,
    re.IGNORECASE,
)
_HOST = re.compile(
    r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)|"
    r"(?<![\w:.])(?=[\da-f]*:)(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:]|\.\d)", re.IGNORECASE
)  # fmt: skip
_NUMBERED = re.compile(r"\b(?:v|version|release|build|firmware|section|clause|article|no)\b\.? ?$", re.IGNORECASE)
_HIGHEST_SECTION = 40


def _host(text: str, match: re.Match[str]) -> bool | None:
    """Of a machine. Four small numbers may as well be a section or a version."""
    try:
        address = ip_address(match[0])
    except ValueError:
        return None
    if address.version == 6:
        return False if _count_of_digits(match[0]) and match[0].count(":") > 2 else None
    parts = address.packed
    is_numbered = _NUMBERED.search(_before(text, match.start()))
    return False if not is_numbered and (max(parts) > _HIGHEST_SECTION or 0 in parts[1:]) else None


_NAME = r"(?:[A-ZÆØÞ]')?[A-ZÆØÞ][a-zßæøþ]+(?:['-]?[A-ZÆØÞ][a-zßæøþ]+)?"
_CALLED_BY = rf"{_NAME}(?: (?:[A-Z]\.|(?:van|von|de|der|del|di|da|la|le)(?= ))){{0,2}}(?: {_NAME}){{0,2}}"
_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Mme|Mlle|Ing|Sra)\b\.?|Miss|Herrn?|Frau|Senora?|Signora?|Monsieur|Madame|Doktor|"
    r"Professor)"
)
_TITLED = re.compile(
    rf"\b(?:{_TITLE} (?:(?:med|jur|phil|rer|nat)\. ){{0,2}}){{1,4}}(?:[A-Z]\. ?){{0,3}}"
    rf"(?P<it>(?!{_TITLE} ){_CALLED_BY})"
)
_GREETED = re.compile(
    rf"\b(?:(?:Dear|Hello|Hi) (?P<name>{_CALLED_BY})(?=[,!:\n])|(?i:my name is|i am called) (?P<own>{_CALLED_BY})|"
    rf"(?i:regards|sincerely|yours truly|cheers|thanks|wishes),?\s{{0,3}}\n\s{{0,3}}(?P<end>{_CALLED_BY})"
    r"(?=\s{0,3}(?:\n|$)))"
)
_STREET = re.compile(r"\d\w* (?:[A-Z]\w* ){1,3}Dr$")  # a drive, not a doctor
_NOBODY = word_set("""
    Sir Madam Sirs Customer Customers Team All Colleague Colleagues Support Friend Friends Client Tenant Landlord Sales
    User Member Members Everyone There Hiring Justice President Chairman Chair Speaker Secretary Judge
""")
MONTHS = frozenset({"April", "May", "June", "August"})  # as surnames they would take dates with them


def _titled(text: str, match: re.Match[str]) -> bool | None:
    is_street = _STREET.search(text, max(0, match.start() - 30), match.start() + 2)
    return None if is_street or match["it"].split()[0] in _NOBODY else False


# What concerns a named person alone
_FACT = re.compile(
    rf"\b(?:{'|'.join(rows(_TABLE['facts']))}|(?<!was )(?<!\()born (?:on )?(?:{_DAY})(?<=19[3-9]\d|20\d\d))(?!\w)",
    re.IGNORECASE,
)
_NO_NAME = _TABLE["no_names"].replace("\n", "")
_WHO = re.compile(
    rf"\b(?:{_TITLE} {_NAME}|(?!(?:{_NO_NAME})\b){_NAME}(?: [A-Z]\.)?"
    rf"(?: (?!(?:{_NO_NAME}|{_FORMS})\b){_NAME}){{1,2}})(?!\w)"
)
_STREETS = (
    r"(?-i:[A-Z]\w+(?:gasse|strasse|weg|platz|allee|straat|laan)|(?:Rue|Via|Calle|Rua) (?:\w+ ){0,2}[A-Z]\w+),? \d+"
)
_ELSEWHERE = re.compile(
    rf"\b(?:(?:private|home|residential) address|lives? (?:at|in))\b[^\n.;?!]{{0,60}}?\b{_STREETS}|"
    rf"\b(?:new|former|current) (?:home|house|flat|apartment)\b[^\n.;?!]{{0,100}}?" + _PLACE.replace("?P<it>", "?:"),
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"\b(?:his|her|their|(?-i:[A-Z]\w+ [A-Z]\w+)'s) (?:\w+ )?(?:password|passcode|pin)\b[^.;\n]{0,40}?"
    r" (?:is|was)\b[^.;\n]{0,40}?\b(?P<it>\d{4,6}|(?=[a-z]*\d)[a-z\d]{6,20}|(?=\d+[a-z])[a-z\d]{6,20})\b",
    re.IGNORECASE,
)


Form = tuple[str, re.Pattern[str], Judge]
_WORDED: tuple[Form, ...] = (
    ("email", _SPELLED, lambda *_: True), ("name", _TITLED, _titled),
    ("name", _GREETED, lambda _, match: False if _NOBODY.isdisjoint(match[match.lastgroup or 0].split()) else None),
)  # fmt: skip
_WITH_DIGITS: tuple[Form, ...] = (
    ("id", _CALLED, _called), ("account", _BANK, _called), ("id", _INSURANCE, lambda *_: False), ("id", _DNI, _dni),
    ("id", _LABELLED, lambda _, match: False if _count_of_digits(match["it"]) >= 7 else None),
    ("id", _CPF, lambda *_: False), ("host", _HOST, _host), ("address", _HOME, _of_person),
    ("birth", _BORN, lambda text, match: bool(match["exposes"]) and not _is_business(text, match.start())),
)  # fmt: skip
_WITH_FIVE_DIGITS: tuple[Form, ...] = (("iban", _IBAN, _iban), ("phone", _DIALLED, lambda *_: False))
_NUMBERS: tuple[Form, ...] = (
    ("ssn", _SSN, _ssn), ("card", _CARD, _card), ("phone", _PHONE, _phone), ("phone", _ABROAD, _phone),
    ("phone", _DIGITS, _called_phone),
    ("phone", _AREA_CODE, _local_phone), ("phone", _SPACED, _local_phone),
)  # fmt: skip
_PRIVATE: tuple[Form, ...] = (("password", _PASSWORD, _of_person), ("address", _ELSEWHERE, _of_person))
_DIGIT, _FIVE_DIGITS = re.compile(r"\d"), re.compile(r"\d(?:[^\d\n]{0,3}\n?\d){4}")
# A stretch in which numbers can stand; looking there only is what makes this fast.
_STRETCH = re.compile(r"[+(]?\d[\d ().\-/]{7,}")


def _found(text: str, forms: Iterable[Form], start: int = 0, end: int | None = None) -> Iterator[Hit]:
    for kind, form, judge in forms:
        for match in form.finditer(text, start, len(text) if end is None else end):
            if (exposes := judge(text, match)) is not None:
                group = "it" if "it" in form.groupindex else match.lastgroup or 0
                yield Hit(kind, *match.span(group), exposes)


@lru_cache(maxsize=64)  # a text is looked at with all that belongs to it, and then again by itself
def read(text: str) -> tuple[Hit, ...]:
    """Where personal data stands in a folded text; one place may have two kinds.

    A quick look tells for most texts that there is nothing to be found.
    """
    found = [*_emails(text), *_found(text, _WORDED)]
    if _DIGIT.search(text):
        found += _found(text, _WITH_DIGITS)
    if _FIVE_DIGITS.search(text):
        found += _found(text, _WITH_FIVE_DIGITS)
        for stretch in _STRETCH.finditer(text):
            found += _found(text, _NUMBERS, stretch.start(), min(len(text), stretch.end() + 2))
    return tuple(found)


def exposed(text: str) -> list[Hit]:
    """What exposes a person in a folded text, in order, none inside another."""
    kept: list[Hit] = []
    found = (hit for hit in (*read(text), *_facts(text), *_found(text, _PRIVATE)) if hit.exposes)
    for hit in sorted(found, key=lambda hit: (hit.start, -hit.end)):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept


def _facts(text: str) -> Iterator[Hit]:
    """What is told of a person by name, also where it has no form of its own."""
    for match in _FACT.finditer(text):
        people = _WHO.finditer(text, max(0, match.start() - _BLOCK), match.end() + _BEFORE)
        if who := next((one for one in people if not _ORGANISATION.search(one[0])), None):
            yield Hit("fact", min(who.start(), match.start()), max(who.end(), match.end()), exposes=True)


def month_in(word: str) -> str:
    """The number of the month that a word names, or nothing."""
    return next((str(number) for number, starts in enumerate(_MONTHS, 1) if word.startswith(starts)), "")
