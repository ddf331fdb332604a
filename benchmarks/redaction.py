"""How much personal data is taken out of texts, and how much of what only looks like it.

    python benchmarks/redaction.py [--show N]

Both are made with a seed, by the rules of those who issue such numbers and not by the patterns that look for them:
150 of each kind, in sentences as answers and questions have them, and 150 that look alike. Data is found where nothing
of it is left in the text.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable

import numpy as np

from surefoot.monitor.redaction import redact
from surefoot.safety.personal import luhn

EACH = 150
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


def digits(g: Chance, count: int) -> str:
    return "".join(map(str, g.integers(0, 10, count)))


def pick(g: Chance, *values: str) -> str:
    return values[int(g.integers(len(values)))]


def email(g: Chance) -> str:
    first, last = pick(g, "ana", "bob", "li", "o.neil", "marie-claire"), pick(g, "meyer", "smith", "garcia", "x")
    name = pick(
        g, f"{first}.{last}", f"{first}{digits(g, 2)}", f"{first}+news", f"{first[0]}_{last}", "info", "support"
    )
    return f"{name}@{pick(g, 'gmail.com', 'acme.co.uk', 'mail.uni-bonn.de', 'x.io', 'sub.example.org')}"


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
    return pick(g, number, " ".join(number[at : at + 4] for at in range(0, len(number), 4)))


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


KINDS: dict[str, tuple[Callable[[Chance], str], Callable[[Chance], str]]] = {
    "EMAIL": (email, no_email),
    "PHONE": (phone, no_phone),
    "CARD": (card, no_card),
    "IBAN": (iban, no_iban),
    "ID": (national_id, no_id),
    "IP": (address, no_address),
}


def bare(value: str) -> str:
    """Without the words that belong to a number."""
    return value.removeprefix("tel. ").removeprefix("phone: ").removeprefix("SSN ").removeprefix("passport number ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", type=int, default=0, help="how many misses of each kind to print")
    show, generator = parser.parse_args().show, np.random.default_rng(18)
    found, taken, as_kind = Counter[str](), Counter[str](), Counter[str]()
    for kind, (make, alike) in KINDS.items():
        for number in range(EACH):
            value = make(generator)
            text = SENTENCES[number % len(SENTENCES)].format(value)
            after = redact(text)
            gone = bare(value) not in after and after != text
            found[kind] += gone
            as_kind[kind] += gone and (f"[{kind}]" in after or (kind == "ID" and "[SSN]" in after))
            if not gone and show > number - found[kind]:
                print("left:", repr(text), repr(after))
            text = PLAIN[number % len(PLAIN)].format(alike(generator))
            taken[kind] += redact(text) != text
            if redact(text) != text and show >= taken[kind]:
                print("taken:", repr(text), repr(redact(text)))
    print(
        "| kind | taken out | under its own name | look-alikes taken | recall | precision |\n|---|---|---|---|---|---|"
    )
    for kind in (*KINDS, "all"):
        n, hits, wrong, right = (
            (EACH, found[kind], taken[kind], as_kind[kind])
            if kind != "all"
            else (EACH * len(KINDS), found.total(), taken.total(), as_kind.total())
        )
        print(f"| {kind} | {hits} of {n} | {right} | {wrong} of {n} | {hits / n:.1%} | {hits / (hits + wrong):.1%} |")


if __name__ == "__main__":
    main()
