"""Details that documents usually settle, asked of those that speak of the matter and leave them open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from surefoot.build.absent import Absent, by_turns
from surefoot.build.patterns import BINDING

_TERMS = re.compile(rf"\b(?:{BINDING}|handbook|conditions|wording)\b", re.IGNORECASE)


_USUAL = (  # where a document speaks of the first, people expect it to settle the second; words like the third do that
    ("terminat", "How many days' notice does it take to terminate {doc}?", "days.{0,60}notice|notice.{0,60}days"),
    ("invoice", "What rate of interest is due on late payments under {doc}?", "interest"),
    ("invoice", "Within how many days must an invoice be paid under {doc}?", "days.{0,200}invoice|invoice.{0,200}days"),
    ("liability|be liable", "At what amount is liability capped under {doc}?",
     "exceed|limited to|(?:maximum|total) liab"),
    ("confidential", "For how many years does the duty of confidentiality last under {doc}?",
     r"years?\b|months?\b|perpetu|indefinite|surviv|remain (?:in|bind)|continue"),
    ("insurance", "How much insurance cover does {doc} require?", r"insur.{0,300}(?:[$€£\d]|million)"),
    ("shipment|delivery date", "What penalty does {doc} set for each day that a delivery is late?",
     "penalt|liquidated damages|late fee|late charge"),
    ("travel expense|hotel (?:cost|expense|rate|accom)",
     "What is the highest price of a hotel night that {doc} allows?",
     r"hotel.{0,200}\d|\d.{0,200}hotel"),
    ("audit", "How many days' notice must be given before an audit under {doc}?",
     "audit.{0,400}(?:days|notice)|days.{0,300}audit"),
    ("arbitrat", "How many arbitrators are to decide a dispute under {doc}?",
     r"(?:single|sole|one|two|three|panel|\d).{0,40}arbitrator|an arbitrator"),
    ("warranty period|product warranty", "How many months does the warranty last under {doc}?",
     "warrant.{0,300}(?:month|year|day)"),
    ("breach", "How many days does a party have to cure a breach of {doc}?",
     "(?:cure|remed).{0,200}days|days.{0,200}(?:cure|remed)"),
    ("renew", "How many months is each renewal term of {doc}?", "renew.{0,300}(?:month|year|term)"),
    ("(?:security|safety|data) incident|accident", "Within how many hours must an incident be reported under {doc}?",
     "hours|immediately|promptly"),
    ("books and records|keep records|accurate records", "For how many years must records be kept under {doc}?",
     r"years?\b"),
    ("price list|price increase", "By how many percent may prices rise in a year under {doc}?", "%|percent|per cent"),
    ("holiday|vacation", "How many days of leave does {doc} grant a year?", "days"),
    ("complain", "Within how many days must a complaint be answered under {doc}?", "complain.{0,300}(?:day|hour|week)"),
    ("return or destroy|return all|destroy all", "Within how many days must documents be returned under {doc}?",
     "(?:return|destroy).{0,300}days|days.{0,300}(?:return|destroy)"),
    ("injuncti", "What sum is due as a contractual penalty for each breach of {doc}?", "penalt|liquidated"),
    ("assign", "What fee is due for an assignment of {doc}?",
     "(?:assign|transfer).{0,200}(?:fee|[$€£])|(?:fee|[$€£]).{0,200}(?:assign|transfer)"),
    ("notice", "To which e-mail address must notices under {doc} be sent?", "@|e-?mail|electronic"),
)  # fmt: skip


def is_terms(name: str) -> bool:
    """Whether a document binds somebody: nobody asks how to terminate a report. One without a name may."""
    return not name or _TERMS.search(name) is not None


def usual_details(texts: Mapping[str, str], order: Sequence[str]) -> Iterator[Absent]:
    """A detail that such documents usually settle, asked of one that speaks of the matter and has no word of it."""
    for document, (topic, asks, settled) in by_turns(order, _USUAL):
        text = texts[document]
        if re.search(rf"\b(?:{topic})", text, re.I) and not re.search(settled, text, re.I | re.DOTALL):
            yield Absent("usual detail", asks, document, "it speaks of the matter and leaves this detail open")
