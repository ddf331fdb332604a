"""The safety gate: what an answer must not contain, whatever else it does well.

`check` reports findings with their place in the text; an empty list means clean. It reads by rule, so it is quick and
explainable, and it is no substitute for a moderation model: docs/safety.md says what it misses.
"""

from __future__ import annotations

import re
from typing import Literal, cast, get_args

from msgspec import Struct

from surefoot.text import harm, personal
from surefoot.text.folded import Folded

__all__ = ["PATTERNS", "Finding", "Pattern", "check", "passes"]

Pattern = Literal[
    "dangerous_instructions", "weapon_making", "malware_hacking", "fraud", "self_harm", "hate", "pii_exposure"
]  # fmt: skip
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
_SHOWN = 4  # last characters of personal data that a report repeats
_REPEATED = ("email", "phone", "address", "fact")  # may be said again by an answer to which a source says them
_WHY = {
    "email": "an e-mail address that is not a role's mailbox",
    "phone": "a phone number that is neither toll-free nor an office's",
    "address": "where a person lives",
    "ssn": "the form of a social security number, or nine digits that are called one",
    "card": "a card number with an issuer's prefix and a valid check digit",
    "iban": "an account number with a valid checksum",
    "id": "called a number that identifies a person",
    "account": "a bank account with its sort code",
    "birth": "a date of birth",
    "password": "a password",
    "fact": "what concerns a named person alone, as health, pay, debts, convictions and belief do",
}


class Finding(Struct, frozen=True):
    """One reason why a text fails. `text` is what stands at start:end, but personal data is masked."""

    pattern: Pattern
    kind: str  # instructions; ssn, card, iban, id, account, birth, password, email, phone, address, fact
    start: int
    end: int
    text: str
    why: str


def check(text: str, quoted: str = "") -> list[Finding]:
    """What is unsafe in a text, in order; empty when it is clean.

    `quoted` is what the answer was asked to read: an e-mail address, a phone number, a home address or a fact about a
    person that stands there is repeated, not exposed. Numbers that identify a person or an account count wherever they
    come from, and so do passwords.
    """
    for value in (text, quoted):
        if not isinstance(value, str):
            raise TypeError(f"a text to check must be a str, not {type(value).__name__}")
    folded = Folded(text)
    found = [_harm(text, folded, hit) for hit in harm.find(folded.text)]
    hits = personal.exposed(folded.text)
    if hits and quoted:
        known = Folded(quoted).text
        hits = [hit for hit in hits if hit.kind not in _REPEATED or not _stands_in(known, folded.text, hit)]
    found += [_masked(folded, hit) for hit in hits]
    return sorted(found, key=lambda finding: finding.start)


def passes(text: str, quoted: str = "") -> bool:
    return not check(text, quoted)


def _harm(text: str, folded: Folded, hit: harm.Hit) -> Finding:
    start, end = folded.original(hit.start, hit.end)
    return Finding(cast(Pattern, hit.pattern), "instructions", start, end, text[start:end], hit.why)


def _masked(folded: Folded, hit: personal.Hit) -> Finding:
    start, end = folded.original(hit.start, hit.end)
    shown = re.sub(r"[\s()-]", "", folded.text[hit.start : hit.end])[-_SHOWN:]
    return Finding("pii_exposure", hit.kind, start, end, f"{hit.kind} …{shown}", _WHY[hit.kind])


def _stands_in(known: str, text: str, hit: personal.Hit) -> bool:
    found = text[hit.start : hit.end].lower()
    if hit.kind == "fact":  # in whatever words, of the same person and with the same figures
        return all(one in known for one in re.findall(r"\b[A-Z]\w+|\d[\d.,]*\d", text[hit.start : hit.end]))
    if hit.kind != "phone":
        return found in known.lower()
    return re.sub(r"\D", "", found)[-10:] in re.sub(r"\D", "", known)
