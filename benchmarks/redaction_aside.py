"""Forms and wordings of personal data that were kept aside: nobody tunes by them, and only totals are looked at."""

from __future__ import annotations

from datetime import date

from redaction_values import Chance, Made, Make, card, digits, iban, national_id, pick

_SENTENCES = (
    "Could you check {} for me?",
    "I was told that {} is on file, as section 7.1 asks.",
    "{} - is that still valid?",
    "The passage mentions {}.\nNothing else is said.",
    '"{}"',
    "Contact: {}; fee: EUR 30.",
)
_PLAIN = ("Could you check {} for me?", "It mentions {}.", "{} - is that still valid?", '"{}"')
_FIRST = ("Priya", "Hans", "Zoë", "Miguel", "Ewa", "Liam")
_LAST = ("Raman", "Schneider", "Kowalczyk", "O'Brien", "Bergström", "Taylor")


def _in(g: Chance, value: str, secret: str = "") -> Made:
    return Made(pick(g, *_SENTENCES).format(value), (secret or value,))


def _plain(g: Chance, value: str) -> Made:
    return Made(pick(g, *_PLAIN).format(value))


def email(g: Chance) -> Made:
    name = pick(g, "p.raman", "HANS.SCHNEIDER", "zoe_b", "m-ortiz", "ewa+bills", "liam99")
    host = pick(g, "outlook.com", "Web.DE", "university.edu", "firma.com.pl", "städte.de", "пример.рф")
    whole = f"{name}@{host}"
    value = pick(g, whole, f"mailto:{whole}", f"<{whole}>", whole.replace("@", "%40"), f"{name} (at) outlook.com")
    return _in(g, value, value.removeprefix("mailto:").strip("<>"))


def no_email(g: Chance) -> Made:
    return _plain(
        g,
        pick(
            g, f"{digits(g, 3)} @ EUR 4.50", "@surefoot", "git@HEAD", "3 %40", "@Override", "meet @ noon", "a @ b @ c"
        ),
    )


def phone(g: Chance) -> Made:
    area, rest, last = f"{g.integers(2, 10)}{digits(g, 2)}", f"{g.integers(2, 10)}{digits(g, 2)}", digits(g, 4)
    value = pick(
        g,
        f"+1-{area}-{rest}-{last}",
        f"+44 (0)161 496 {last}",
        f"+41 44 668 {digits(g, 2)} {digits(g, 2)}",
        f"0711/4{digits(g, 6)}",
        f"(0161) 496 {last}",
        f"0049 89 12{digits(g, 5)}",
        f"{area}-{rest}-{last}",
    )
    bare = pick(g, f"07700900{digits(g, 3)}", f"0{g.integers(2, 9)}1{digits(g, 8)}", f"{area}{rest}{last}")
    called = pick(g, "ring {}", "call me on {}", "Tel.: {}", "phone {}", "my mobile is {}", "Please call {} today")
    return _in(g, value) if g.random() < 0.6 else Made(called.format(bare), (bare,))


def no_phone(g: Chance) -> Made:
    return _plain(
        g,
        pick(
            g,
            f"EUR {g.integers(1, 9)}.{digits(g, 3)}.{digits(g, 3)},00",
            f"call no. {g.integers(2, 9)}",
            f"pages {g.integers(100, 400)}-{g.integers(400, 900)}",
            f"01.02.2024-31.12.{g.integers(2025, 2030)}",
            f"article number {digits(g, 8)}",
            f"a call option over {digits(g, 3)},000 shares",
            f"CAS 7732-18-{g.integers(1, 9)}",
            f"clause {g.integers(1, 30)}.{g.integers(1, 9)}.{g.integers(1, 9)}",
        ),
    )


def cards(g: Chance) -> Made:
    return _in(g, card(g))


def no_card(g: Chance) -> Made:
    return _plain(
        g, pick(g, f"batch {digits(g, 16)}", f"9{digits(g, 15)}", f"0{digits(g, 11)}", f"SHA {digits(g, 20)}a")
    )


def ibans(g: Chance) -> Made:
    number = iban(g)
    return _in(g, pick(g, number, number.lower(), number.replace(" ", "")))


def no_iban(g: Chance) -> Made:
    return _plain(
        g, pick(g, f"DE {digits(g, 9)}", f"EN60{digits(g, 3)}-1:2018", f"US{digits(g, 10)}", f"de{digits(g, 6)} fr 12")
    )


def ids(g: Chance) -> Made:
    value = national_id(g)
    return _in(g, value, value.removeprefix("SSN ").removeprefix("passport number "))


def no_id(g: Chance) -> Made:
    return _plain(
        g,
        pick(g, f"HR-{digits(g, 6)}", f"Art. {digits(g, 2)}(1)", f"{digits(g, 2)}-{digits(g, 7)}", f"Q{digits(g, 6)}"),
    )


def address(g: Chance) -> Made:
    parts = [str(one) for one in g.integers(50, 255, 4)]
    return _in(g, pick(g, ".".join(parts), f"172.16.{parts[0]}.{parts[1]}", f"fe80::{g.integers(4096, 9999)}:1:2"))


def no_address(g: Chance) -> Made:
    return _plain(
        g, pick(g, f"Chapter 1.2.3.{g.integers(1, 9)}", "16:9", f"v{g.integers(1, 9)}.0.0.1", f"{g.integers(1, 9)}.2.1")
    )


_MONTHS = ("January", "Januar", "janvier"), ("October", "Oktober", "octobre"), ("May", "Mai", "mai")
_BIRTHS = (
    ("He was born in Leeds on {}.", 0), ("My date of birth is the {}", 0), ("Birth date: {}", 0), ("D.O.B.: {}", 4),
    ("birthdate {}", 3), ("Geburtstag: {}", 1), ("Geb.-Datum: {}", 3), ("geboren: {}", 1), ("Je suis née le {}", 2),
    ("Date of Birth (DD/MM/YYYY): {}", 4), ("Her birthday was {}.", 5), ("Nacida el {}", 4), ("a child born {}", 5),
)  # fmt: skip


def birth(g: Chance) -> Made:
    number = int(g.integers(3))
    day = date(int(g.integers(1935, 2010)), (1, 10, 5)[number], int(g.integers(1, 29)))
    english, german, french = _MONTHS[number]
    forms = (
        f"{day.day} {english} {day.year}", f"{day.day}. {german} {day.year}", f"{day.day} {french} {day.year}",
        f"{day:%d.%m.%Y}", f"{day:%d/%m/%Y}", f"{english} {day.day}, {day.year}",
    )  # fmt: skip
    said, form = _BIRTHS[int(g.integers(len(_BIRTHS)))]
    return Made(said.format(forms[form]), (forms[form],))


def no_birth(g: Chance) -> Made:
    day, year = g.integers(1, 29), g.integers(1995, 2026)
    return Made(
        pick(
            g,
            f"The costs are borne by the Seller from {day} May {year}.",
            f"Made as of October {day}, {year} between the parties.",
            f"Vertragsdatum: {day:02}.10.{year}",
            f"The term ends on {day}/10/{year}.",
            f"Filed on {year}-10-{day:02} under section 13.",
            f"abgegeben am {day}. Mai {year}",
            f"The stub period of {day} May {year}",
            f"Angebot vom {day:02}.01.{year}",
        )
    )


_HOMES = (("7 Birch Close", "York", "YO1 9WT"), ("1450 Sunset Boulevard", "Denver, CO", "80203"),
          ("22b Station Road", "Cardiff", "CF10 1EP"), ("905 Maple Court", "Akron, Ohio", "44301"))  # fmt: skip


def home(g: Chance) -> Made:
    street, town, code = _HOMES[int(g.integers(len(_HOMES)))]
    said = pick(
        g,
        "My new address is {}, {} {}.",
        "I moved to {}, {} {} last week.",
        "Home address: {}, {} {}",
        "He is living at {}, {} {} now.",
        "my home is at {}, {} {}",
        "Their address is {}, {}, {}.",
        "the customer lives in {}, {} {}",
        "Residential address: {}, {} {}",
    )
    return Made(said.format(street, town, code), (street, town.split(",")[0], code))


def no_home(g: Chance) -> Made:
    street, town, code = _HOMES[int(g.integers(len(_HOMES)))]
    said = pick(
        g,
        "Tenant's address for notices: Beta Corp., {}, {} {}",
        "The branch at {}, {} {} is closed.",
        "Beta GmbH & Co. KG, {}, {} {}",
        "the land at {}, {} {} (the Property)",
        "The hotel is at {}, {} {}.",
        "Our headquarters: {}, {} {}",
    )
    return Made(said.format(street, town, code))


def person(g: Chance) -> Made:
    first, last = pick(g, *_FIRST), pick(g, *_LAST)
    said = pick(
        g,
        "Sehr geehrte Frau {} {},",
        "Kind regards,\n{} {}",
        "This is Dr {} {} speaking.",
        "Hello Mr. {} {}!",
        "I asked Miss {} {} about it.",
        "Sincerely,\n\n{} {}\n",
        "my name is {} {}.",
        "Monsieur {} {} a signé.",
    )
    return Made(said.format(first, last), (last,))


def nobody(g: Chance) -> Made:
    return Made(
        pick(
            g,
            "Dear Team,\nit is due.",
            "Hi all,\nthank you.",
            "Best regards,\nCustomer Service",
            "The Seller and Merrill Lynch agree.",
            "Main Street is closed.",
            "Dear Valued Customer,\nwe write to you.",
            "Section 4 names Goldman Sachs.",
        )
    )


KINDS: dict[str, tuple[Make, Make]] = {
    "EMAIL": (email, no_email),
    "PHONE": (phone, no_phone),
    "CARD": (cards, no_card),
    "IBAN": (ibans, no_iban),
    "ID": (ids, no_id),
    "IP": (address, no_address),
    "BIRTH": (birth, no_birth),
    "ADDRESS": (home, no_home),
    "NAME": (person, nobody),
}
