"""Personal data: numbers that identify a person, and ways to reach one.

What cannot belong to a person does not count: numbers that cannot be issued, mailboxes of a role, toll-free and fax
lines, an office's line. Samples (example.com, test cards) do: nothing in an answer tells them from real ones.
"""

from __future__ import annotations

import re

from surefoot.safety.contacts import OFFICE, emails, homes, phones, spelled_emails
from surefoot.safety.found import Hit, before
from surefoot.safety.numbers import BROKEN_CARD, called, cards, ibans, social_security

__all__ = ["Hit", "find"]

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
# A stretch in which numbers can stand; looking there only is what makes this fast.
_NUMBERS = re.compile(r"[+(]?\d[\d ().\-/]{7,}")
_NUMBER_KINDS = (social_security, cards, phones)
_WHOLE_TEXT = (emails, spelled_emails, homes, ibans, called)


def find(text: str) -> list[Hit]:
    """Personal data in a folded text, in order, none inside another."""
    hits = [hit for kind in _WHOLE_TEXT for hit in kind(text)]
    for stretch in _NUMBERS.finditer(text):
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
    return not _OTHER_NUMBER.search(named) and not (kind == "phone" and OFFICE.search(named))
