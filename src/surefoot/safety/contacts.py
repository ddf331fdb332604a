"""Ways to reach a person: e-mail addresses, phone numbers, where somebody lives."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.safety.business import NOTICE, is_business
from surefoot.safety.found import Hit, before

# From the at sign on, then back from it: a pattern that begins with the name takes long on long words.
_DOMAIN = re.compile(r"@((?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}[a-z]{2,24})(?![\w@]|-\w)", re.IGNORECASE)
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


def emails(text: str) -> Iterator[Hit]:
    for match in _DOMAIN.finditer(text):
        name = _NAME_REVERSED.match(text[max(0, match.start() - 64) : match.start()][::-1])
        if not name or _NO_MAIL.fullmatch(match[1].lower()) or _is_role(name[0][::-1].lower()):
            continue
        if _FREE_MAIL.match(match[1]) or not is_business(text, match.start() - name.end(), NOTICE):
            yield Hit(
                "email", match.start() - name.end(), match.end(), "an e-mail address that is not a role's mailbox"
            )


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


def phones(text: str, start: int, end: int) -> Iterator[Hit]:
    for pattern in (_PHONE, _ABROAD, _DIGITS):
        for match in pattern.finditer(text, start, end):
            called = pattern is not _DIGITS or _PHONE_LABEL.search(before(text, match.start()))
            digits = re.sub(r"\D", "", match[0])
            if called and _is_personal(digits) and not is_business(text, match.start()):
                yield Hit("phone", *match.span(), "a phone number that is neither toll-free nor an office's")


def _is_personal(digits: str) -> bool:
    national = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    if len(national) == 10 and national[:3] in _TOLL_FREE:
        return False
    return len(set(digits)) > 2 and not digits.startswith(_SERVICE)


_HOME = re.compile(
    r"\b(?:lives?|living|resides?|residing|stays?|staying|home address|his address|her address|"
    r"(?-i:[A-Z][a-z]+'s) (?:home|house|address|flat))\b[^\n.;?!]{0,60}?"
    r"(\b\d{1,5}[a-z]?,? (?-i:[A-Z][\w'-]+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|close|court|ct|way|"
    r"place|square|crescent|terrace|gardens|boulevard|blvd|row|hill|grove|mews|walk|parkway|circle|trail)\b)",
    re.IGNORECASE,
)


def homes(text: str) -> Iterator[Hit]:
    for match in _HOME.finditer(text):
        if not is_business(text, match.start()):
            yield Hit("address", *match.span(1), "where a person lives")
