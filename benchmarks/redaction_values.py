"""Personal data and what only looks like it, made with a seed by the rules of those who issue such numbers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

import numpy as np

from surefoot.text.personal import luhn

SENTENCES = (
    "You can reach the tenant at {} until Friday.",
    "{}",
    "My details: {}, please update the file.",
    "According to clause 4.2 the contact is {} [lease.pdf#4.2].",
    "Why was {} rejected?",
    "- {}\n- 30 days",
    "({})",
    "The form of 5 March 2024 says {}; the fee is $1,250.00.",
    "customer:{}",
    "Is {} right, or 12 % as in section 3.1?",
)
PLAIN = (
    "The document says {} on page 12.",
    "{}",
    "As in {}, the fee is due.",
    "See {} [lease.pdf#4.2].",
    "Is it {}?",
    "It runs from {} on.",
    "- {}\n- 30 days",
)
Chance = np.random.Generator
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
FIRST = ("Anna", "Karl", "Marie", "Tom", "Inés", "Björn", "Quentin", "Olu")
LAST = ("Zabrowski", "Lehmann", "O'Neil", "Müller", "Featherstone", "Okafor", "García", "Smith")
STREETS = (
    "Main Street",
    "Oak Avenue",
    "Elm Road",
    "Church Lane",
    "Park Drive",
    "King's Court",
    "Mill Lane",
    "2nd Street",
)
TOWNS = (
    ("Springfield, IL", "62704"), ("Leeds", "LS1 4AP"), ("Austin, TX", "78701-1234"), ("London", "NW1 6XE"),
    ("Portland, Oregon", "97201"), ("Bath", "BA2 3QP"),
)  # fmt: skip


class Made(NamedTuple):
    """A text, and what of it must be gone; nothing of a look-alike."""

    text: str
    secrets: tuple[str, ...] = ()


Make = Callable[[Chance], Made]


def digits(g: Chance, count: int) -> str:
    return "".join(map(str, g.integers(0, 10, count)))


def pick(g: Chance, *values: str) -> str:
    return values[int(g.integers(len(values)))]


def email(g: Chance) -> str:
    first, last = pick(g, "ana", "bob", "li", "o.neil", "marie-claire"), pick(g, "meyer", "smith", "garcia", "x")
    name = pick(
        g, f"{first}.{last}", f"{first}{digits(g, 2)}", f"{first}+news", f"{first[0]}_{last}", "info", "support"
    )
    plain = f"{name}@{pick(g, 'gmail.com', 'acme.co.uk', 'mail.uni-bonn.de', 'x.io', 'sub.example.org')}"
    return pick(g, plain, plain, plain, plain, "жанна@почта.рф", plain.replace("@", "%40"))


def phone(g: Chance) -> str:
    area, rest = f"{g.integers(2, 10)}{digits(g, 2)}", f"{g.integers(2, 10)}{digits(g, 2)}"
    return pick(
        g,
        f"({area}) {rest}-{digits(g, 4)}",
        f"{area}-{rest}-{digits(g, 4)}",
        f"+1 {area} {rest} {digits(g, 4)}",
        f"+44 20 {digits(g, 4)} {digits(g, 4)}",
        f"+49 (0)30 {g.integers(1, 10)}{digits(g, 6)}",
        f"+33 6 12 34 {digits(g, 2)} 78",
        f"020 7{digits(g, 3)} {digits(g, 4)}",
        f"{area}.{rest}.{digits(g, 4)}",
        f"tel. {area}{rest}{digits(g, 4)}",
        f"{area} {rest} {digits(g, 4)}",
        f"phone: 0{area}{rest}{digits(g, 3)}",
        f"call 020794{digits(g, 5)}",
    )


def with_luhn(start: str, length: int, g: Chance) -> str:
    body = start + digits(g, length - len(start) - 1)
    return next(body + str(last) for last in range(10) if luhn(body + str(last)))


def card(g: Chance) -> str:
    number = with_luhn(pick(g, "4", "51", "55", "2230", "6011"), 16, g)
    apart = pick(g, "", " ", "-")
    amex = with_luhn(pick(g, "34", "37"), 15, g)
    grouped = apart.join(number[at : at + 4] for at in range(0, 16, 4))
    return pick(g, grouped, grouped, f"{amex[:4]} {amex[4:10]} {amex[10:]}")


def iban(g: Chance) -> str:
    country, length = [("DE", 18), ("FR", 23), ("NL", 14), ("ES", 20), ("GB", 18)][int(g.integers(5))]
    body = digits(g, length) if country not in ("NL", "GB") else pick(g, "ABNA", "NWBK") + digits(g, length - 4)
    check = 98 - int("".join(str(int(char, 36)) for char in f"{body}{country}00")) % 97
    number = f"{country}{check:02}{body}"
    grouped = " ".join(number[at : at + 4] for at in range(0, len(number), 4))
    return pick(g, number, grouped, number, grouped, grouped.lower())


def national_id(g: Chance) -> str:
    number = int(digits(g, 8))
    ssn = f"{g.integers(100, 665)}-{g.integers(10, 99)}-{g.integers(1000, 9999)}"
    spain = f"{number:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"
    cpf = [int(char) for char in digits(g, 9)]
    for _ in range(2):
        cpf.append(sum(one * weight for one, weight in zip(reversed(cpf), range(2, 12), strict=False)) * 10 % 11 % 10)
    brazil = "".join(map(str, cpf))
    return pick(
        g,
        ssn,
        ssn,
        f"SSN {ssn.replace('-', '')}",
        f"{pick(g, 'AB', 'CE', 'JK')} {digits(g, 2)} {digits(g, 2)} {digits(g, 2)} C",
        spain,
        f"{brazil[:3]}.{brazil[3:6]}.{brazil[6:9]}-{brazil[9:]}",
        f"passport number X{digits(g, 8)}",
    )


def address(g: Chance) -> str:
    parts = [str(one) for one in g.integers(1, 255, 4)]
    groups = [f"{one:x}" for one in g.integers(256, 65536, 8)]
    return pick(
        g,
        ".".join(parts),
        f"192.168.{parts[0]}.{parts[1]}",
        f"10.0.0.{parts[0]}",
        ":".join(groups),
        f"2001:db8::{groups[0]}:{groups[1]}",
    )


def no_email(g: Chance) -> str:
    return pick(
        g, f"{digits(g, 2)} units @ $5.00", "@acme_support", "npm package core@1.2.3", "a@b", "A @ B.", "user@host"
    )


def no_phone(g: Chance) -> str:
    year = f"20{g.integers(10, 26)}"
    return pick(
        g,
        f"{year}-0{g.integers(1, 10)}-1{g.integers(0, 10)}",
        f"{g.integers(1, 10)} {digits(g, 3)} {digits(g, 3)} euros",
        f"{year}-{int(year) + 1}",
        f"$2,{digits(g, 3)},{digits(g, 3)}.00",
        f"No. 19-cv-0{digits(g, 4)}",
        f"invoice 2024-{digits(g, 3)}-{digits(g, 4)}",
        f"ISBN 978-3-16-{digits(g, 6)}-0",
        f"40.{digits(g, 4)}, -74.{digits(g, 4)}",
        f"{year}0{digits(g, 1)}1{digits(g, 1)}T12{digits(g, 4)}",
        f"part number 555-{digits(g, 3)}-{digits(g, 4)}",
        f"sections 4.2.1 to 4.{g.integers(3, 9)}.12",
        f"form 10-K, file 001-3{digits(g, 4)}",
    )


def no_card(g: Chance) -> str:
    number = with_luhn("4", 16, g)
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    return pick(
        g,
        wrong,
        " ".join(wrong[at : at + 4] for at in range(0, 16, 4)),
        f"order number {number}",
        f"1{digits(g, 15)}",
        f"tracking no. 9{digits(g, 19)}",
        f"0x{digits(g, 16)}",
    )


def no_iban(g: Chance) -> str:
    number = iban(g).replace(" ", "")
    wrong = number[:2] + f"{(int(number[2:4]) + 1) % 97:02}" + number[4:]
    return pick(g, wrong, f"DE{digits(g, 9)}", f"SKU GB{digits(g, 2)}-NWBK-{digits(g, 4)}", f"XX{digits(g, 20)}")


def no_id(g: Chance) -> str:
    number = int(digits(g, 8))
    letter = "TRWAGMYFPDXBNJZSQVHLCKE"[(number + 1) % 23]
    return pick(
        g,
        f"000-{digits(g, 2)}-{digits(g, 4)}",
        f"{digits(g, 5)}-{digits(g, 4)}",
        f"{number:08}{letter}",
        f"AB {digits(g, 6)}",
        f"{digits(g, 3)}.{digits(g, 3)}.{digits(g, 3)},00",
        f"pages 12-{digits(g, 2)}-1999",
        f"US 7,{digits(g, 3)},{digits(g, 3)} B2",
    )


def no_address(g: Chance) -> str:
    small = ".".join(str(one) for one in g.integers(1, 12, 4))
    return pick(
        g,
        f"section {small}",
        f"clauses {small}",
        f"version 10.0.{g.integers(10, 99)}.1",
        f"300.{g.integers(256, 999)}.1.2",
        "12:30:45",
        f"{g.integers(1, 9)}:1:{g.integers(1, 9)}",
        "std::vector",
        small.rpartition(".")[0],
    )


def born(g: Chance) -> Made:
    day = date(int(g.integers(1930, 2008)), int(g.integers(1, 13)), int(g.integers(1, 29)))
    english, german, french, spanish = (names.split()[day.month - 1] for names in MONTHS.values())
    forms = {
        "en": f"{day.day} {english} {day.year}",
        "us": f"{english} {day.day}, {day.year}",
        "de": f"{day.day}. {german} {day.year}",
        "fr": f"{day.day} {french} {day.year}",
        "es": f"{day.day} de {spanish} de {day.year}",
        "n": f"{day:%d/%m/%Y}",
        "d": f"{day:%d.%m.%Y}",
    }
    said, form = PHRASES[int(g.integers(len(PHRASES)))]
    return Made(said.format(forms[form]), (forms[form],))


PHRASES = (
    ("Geburtsdatum: {}", "d"), ("The tenant was born on {}.", "en"), ("Er ist geboren am {} in Kiel.", "de"),
    ("Il est né le {}.", "fr"), ("My birthday is {}.", "us"), ("Date of birth: {}", "n"), ("DOB {}", "n"),
    ("She was born on {}.", "us"), ("born {}", "d"), ("Frau Keller, geb. am {}", "d"), ("Elle est née le {}.", "fr"),
    ("Date de naissance : {}", "fr"), ("Fecha de nacimiento: {}", "es"), ("Mein Geburtstag ist der {}.", "de"),
    ("The applicant (born {}) is entitled.", "en"), ("nacido el {}", "es"), ("Data di nascita: {}", "n"),
)  # fmt: skip


def not_born(g: Chance) -> Made:
    year, day = g.integers(1990, 2026), g.integers(1, 29)
    return Made(
        pick(
            g,
            f"This Agreement is dated {day} April {year}.",
            f"The company was founded on {day} April {year}.",
            f"Effective Date: {day:02}.04.{year}",
            f"gültig ab {day:02}.04.{year}",
            f"The lease begins on April {day}, {year} and ends after clause 4.2 applies.",
            f"Borne by the Tenant from {day}/04/{year}",
            f"signé le {day} avril {year}",
            f"The fee is EUR 5 since {day} April {year}.",
            f"a newborn policy of {day} April {year}",
            f"Date of delivery: {day:02}/04/{year}",
        )
    )


def home(g: Chance) -> Made:
    (town, code), street = TOWNS[int(g.integers(len(TOWNS)))], f"{g.integers(1, 400)} {pick(g, *STREETS)}"
    said = pick(
        g,
        "My address is {}, {} {}.",
        "I live at {}, {} {}.",
        "She lives at {}, {} {}, and pays EUR 5.",
        "His home address: {}, {} {}",
        "The tenant resides at {}, {} {}.",
        "Her address is {}, {} {}. Is that covered?",
        "We live at {}, {} {}",
        "I am staying at {}, {}, {} until May.",
    )
    return Made(said.format(street, town, code), (street, town.split(",")[0], code))


def no_home(g: Chance) -> Made:
    (town, code), street = TOWNS[int(g.integers(len(TOWNS)))], f"{g.integers(1, 400)} {pick(g, *STREETS)}"
    said = pick(
        g,
        "Acme Inc., with offices at {}, {} {}, is the Landlord.",
        'The premises located at {}, {} {} (the "Premises") are let.',
        "Its principal place of business is {}, {} {}.",
        "Notices go to Acme LLC, {}, {} {}.",
        "The registered office of Acme Ltd is at {}, {} {}.",
        "The property at {}, {} {} was sold for $1,250,000.",
        "Delivery address of the Company: {}, {} {}",
    )
    return Made(said.format(street, town, code))


def person(g: Chance) -> Made:
    first, last = pick(g, *FIRST), pick(g, *LAST)
    said = pick(
        g,
        "The contract was signed by Dr. {} {}.",
        "Dear {} {},\nthank you.",
        "My name is {} {} and I ask for a refund.",
        "Ask Mrs. {} {} for the key.",
        "It is due.\nBest regards,\n{} {}",
        "Herr {} {} zahlt EUR 5.",
        "Is Ms {} {} entitled to it?",
        "Prof. Dr. {} {} leads the team.",
    )
    return Made(said.format(first, last), (first, last))


def nobody(g: Chance) -> Made:
    return Made(
        pick(
            g,
            "Dear Customer,\nthe fee is EUR 5.",
            "The office is at 100 Oak Dr Springfield.",
            "Dear Sir or Madam,\nthank you.",
            "Landlord shall give Tenant notice.",
            "Hello there, how can I help?",
            "The Drive is part of Morgan Stanley.",
            "Kind regards,\nyour support team",
            "Johnson & Johnson pays in May.",
            "Dear Hiring Manager,\nplease find it attached.",
            "Miss no deadline under clause 4.2.",
        )
    )


def among(value: Callable[[Chance], str], sentences: tuple[str, ...], is_secret: bool) -> Make:
    """A value in a sentence that says nothing of it."""

    def made(g: Chance) -> Made:
        found = value(g)
        return Made(pick(g, *sentences).format(found), (bare(found),) if is_secret else ())

    return made


def bare(value: str) -> str:
    """Without the words that belong to a number."""
    for words in ("tel. ", "phone: ", "call ", "SSN ", "passport number "):
        value = value.removeprefix(words)
    return value


_NUMBERS = {
    "EMAIL": (email, no_email),
    "PHONE": (phone, no_phone),
    "CARD": (card, no_card),
    "IBAN": (iban, no_iban),
    "ID": (national_id, no_id),
    "IP": (address, no_address),
}
KINDS: dict[str, tuple[Make, Make]] = {
    **{kind: (among(one, SENTENCES, True), among(other, PLAIN, False)) for kind, (one, other) in _NUMBERS.items()},
    "BIRTH": (born, not_born),
    "ADDRESS": (home, no_home),
    "NAME": (person, nobody),
}
