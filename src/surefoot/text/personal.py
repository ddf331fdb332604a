"""Personal data by its form, and by its check digits where it has some: what is taken out of what is kept, and among
it what exposes a person: numbers that identify one, and ways to reach one.

`words/private.toml` has the forms. Dates, amounts, section and part numbers, and ids of passages are none. What cannot
belong to a person does not expose one: mailboxes of a role, toll-free and fax lines, an office's line. Samples
(example.com, test cards) do: nothing in an answer tells them from real ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from ipaddress import ip_address
from typing import NamedTuple

from surefoot.text.normal import late, rows, spelled, word_set, words_of


class Hit(NamedTuple):
    kind: str
    start: int
    end: int
    exposes: bool = False


# Whether a match exposes a person; None where it is no personal data.
Judge = Callable[[str, re.Match[str]], bool | None]
_TABLE = words_of("private")
_PARTS = {name: "|".join(rows(table)) for name, table in _TABLE["parts"].items()}
_FORMS = {name: late(spelled("|".join(rows(table)), _PARTS)) for name, table in _TABLE["forms"].items()}
_BEFORE = 60  # characters that are looked at before a number
_BLOCK = 200  # characters of an address block


def _before(text: str, place: int) -> str:
    """What may name the number at a place; nothing if it follows no word, as in tables of numbers."""
    some = text[max(0, place - _BEFORE) : place]
    return some if some.rstrip(" .:#=\"'()-+")[-1:].isalpha() else ""


def _is_business(text: str, place: int) -> bool:
    """Whether an organisation is named shortly before a place."""
    return _FORMS["organisation"].search(text, max(0, place - _BLOCK), place) is not None


def _is_other(text: str, place: int) -> bool:
    """Whether the number at a place is called an order, an invoice, a part or the like."""
    return _FORMS["other_number"].search(_before(text, place)) is not None


def _count_of_digits(text: str) -> int:
    return sum(map(str.isdecimal, text))


def _of_person(text: str, match: re.Match[str]) -> bool | None:
    return None if _is_business(text, match.start()) else True


def _does_not_expose(*_: object) -> bool:
    return False


# From the at sign on, then back from it: a pattern that begins with the name takes long on long words.
_DOMAIN = re.compile(r"@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}(?![^\W_]|@)")
_NAME_REVERSED = re.compile(r"[\w+-](?:[\w.%+'-]{0,62}[\w+-])?")
_ROLES = frozenset(_TABLE["mailboxes"].split())


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


_TOLL_FREE = {"800", "888", "877", "866", "855", "844", "833", "900", "822"}


def _phone(text: str, match: re.Match[str]) -> bool | None:
    if _is_other(text, match.start()):
        return None
    digits = re.sub(r"\D", "", match[0])
    national = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    is_toll_free = len(national) == 10 and national[:3] in _TOLL_FREE
    return len(set(digits)) > 2 and not is_toll_free and not _is_business(text, match.start())


def _called_phone(text: str, match: re.Match[str]) -> bool | None:
    return _phone(text, match) if _FORMS["phone_label"].search(_before(text, match.start())) else None


def _local_phone(text: str, match: re.Match[str]) -> bool | None:
    return None if _is_other(text, match.start()) or not 9 <= _count_of_digits(match[0]) <= 12 else False


def luhn(digits: str) -> bool:
    """Every second digit from the right counts twice; the digits of all of them add up to a multiple of ten."""
    doubled = "".join(str(int(digit) * (1 + place % 2)) for place, digit in enumerate(reversed(digits)))
    return sum(map(int, doubled)) % 10 == 0


def _ssn(text: str, match: re.Match[str]) -> bool | None:
    is_called = _FORMS["ssn_label"].search(_before(text, match.start())) or match[1] == "-"
    return True if is_called and not _is_other(text, match.start()) else None


def _card(text: str, match: re.Match[str]) -> bool | None:
    """A number that is called an order, an invoice or a part is that."""
    digits = re.sub(r"\D", "", match[0])
    is_card = _FORMS["issuer"].fullmatch(digits) and len(set(digits)) > 1 and luhn(digits)
    is_other = _is_other(text, match.start())
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


_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def _called(text: str, match: re.Match[str]) -> bool | None:
    return _of_person(text, match) if _count_of_digits(match["it"]) >= 5 else None


def _labelled(_: str, match: re.Match[str]) -> bool | None:
    return False if _count_of_digits(match["it"]) >= 7 else None


def _dni(_: str, match: re.Match[str]) -> bool | None:
    number = match[1].replace("-", "").translate(str.maketrans("XYZ", "012"))
    return False if _DNI_LETTERS[int(number) % 23] == match[2] else None


def _born(text: str, match: re.Match[str]) -> bool | None:
    return bool(match["exposes"]) and not _is_business(text, match.start())


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
    is_numbered = _FORMS["numbered"].search(_before(text, match.start()))
    return False if not is_numbered and (max(parts) > _HIGHEST_SECTION or 0 in parts[1:]) else None


_NOBODY = word_set(_TABLE["nobody"])
MONTHS = frozenset({"April", "May", "June", "August"})  # as surnames they would take dates with them


def _titled(text: str, match: re.Match[str]) -> bool | None:
    is_street = _FORMS["street"].search(text, max(0, match.start() - 30), match.start() + 2)
    return None if is_street or match["it"].split()[0] in _NOBODY else False


def _greeted(_: str, match: re.Match[str]) -> bool | None:
    return False if _NOBODY.isdisjoint(match[match.lastgroup or 0].split()) else None


Form = tuple[str, re.Pattern[str], Judge]


def _forms(kind: str, **judges: Judge) -> list[Form]:
    return [(kind, _FORMS[name], judge) for name, judge in judges.items()]


_WORDED = [*_forms("email", spelled=lambda *_: True), *_forms("name", titled=_titled, greeted=_greeted)]
_WITH_DIGITS = [
    *_forms("id", called=_called),
    *_forms("account", bank=_called),
    *_forms("id", insurance=_does_not_expose, dni=_dni, labelled=_labelled, cpf=_does_not_expose),
    *_forms("host", host=_host),
    *_forms("address", home=_of_person),
    *_forms("birth", born=_born),
]
_WITH_FIVE_DIGITS = [("iban", _IBAN, _iban), *_forms("phone", dialled=_does_not_expose)]
_NUMBERS = [
    *_forms("ssn", ssn=_ssn),
    *_forms("card", card=_card),
    *_forms("phone", phone=_phone, abroad=_phone, digits=_called_phone, area_code=_local_phone, spaced=_local_phone),
]
_PRIVATE = [*_forms("password", password=_of_person), *_forms("address", elsewhere=_of_person)]
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
    for match in _FORMS["fact"].finditer(text):
        people = _FORMS["who"].finditer(text, max(0, match.start() - _BLOCK), match.end() + _BEFORE)
        if who := next((one for one in people if not _FORMS["organisation"].search(one[0])), None):
            yield Hit("fact", min(who.start(), match.start()), max(who.end(), match.end()), exposes=True)


_MONTHS = [starts.split() for starts in _TABLE["months"].split(",")]


def month_in(word: str) -> str:
    """The number of the month that a word names, or nothing."""
    return next((str(number) for number, starts in enumerate(_MONTHS, 1) if word.startswith(tuple(starts))), "")
