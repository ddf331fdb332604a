"""Edits of who and where: roles, names of the passage, places; and details the passage does not give."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise

from training.edits.change import Change
from training.english.lists import words

_ROLES = (
    "Licensor/Licensee Buyer/Seller Purchaser/Seller Landlord/Tenant Lender/Borrower Lessor/Lessee Employer/Employee "
    "Franchisor/Franchisee Supplier/Customer Vendor/Customer Discloser/Recipient Disclosing_Party/Receiving_Party "
    "Contractor/Client Consultant/Company Distributor/Company Executive/Company Manufacturer/Distributor "
    "Company/Customer Company/Consultant Company/Executive Company/Distributor Agent/Company Company/Agent "
    "Owner/Contractor Owner/Recipient Provider/Customer Company/Purchaser Parent/Company Assignor/Assignee "
    "Plaintiff/Defendant Company/Recipient Company/Contractor Seller/Company Bank/Company Company/Bank "
    "buyer/seller lender/borrower landlord/tenant lessor/lessee employer/employee plaintiff/defendant parent/subsidiary"
)
ROLE_PAIRS = tuple(
    (one.replace("_", " "), other.replace("_", " "))
    for one, _, other in (pair.partition("/") for pair in _ROLES.split())
)
_SYMMETRIC = re.compile(
    r"\b(?:between|both|together|jointly|each other|mutual\w*|by and among|respective|parties hereto|either|"
    r"agreement with|alongside|and/or|collectively)\b", re.IGNORECASE)  # fmt: skip
_NAME = re.compile(
    r"(?<![.!?:] )(?<!^)(?<![\w“\"(])(?:[A-Z][a-z]+(?:[A-Z][a-z]+)?|[A-Z]{2,}(?:\.[A-Z])*)"
    r"(?: (?:of (?:the )?)?[A-Z][\w&.'-]*[\w])*(?![\w“\"])"
)
_ORGANISATION = re.compile(
    r"\b(?:Inc|Corp\w*|Ltd|LLC|L\.?P|Company|Co|Bank|Agency|University|Group|Holdings|Commission|Department|Committee|"
    r"Board|Council|Court|Institute|Association|Party|Ministry|Office|Congress|Senate|College|School|FC|United|"
    r"Club)\b\.?"
)
_NO_NAME = words(
    "January February March April May June July August September October November December Monday Tuesday "
    "Wednesday "
    "Thursday Friday Saturday Sunday The This That These Section Article Agreement Company Party Parties In "
    "On At For "
    "If Exhibit Note Notes Item Form Act Table Schedule However Such I We He She It They Our Its No Any All "
    "Each GAAP "
    "Services Products Product Term Effective Date Confidential Information Securities Exchange Common "
    "Stock Annual "
    "Report Internet English A An Internal Revenue Code Board Directors US U.S Mr Ms Dr Inc LLC Affiliates "
    "Affiliate "
    "Law Laws Business Day Days Intellectual Property Rights Territory Purposes Purpose Fees"
)
_STATES = (
    "Delaware Nevada California Texas Florida Ohio Illinois Virginia Maryland Colorado Georgia Pennsylvania Michigan "
    "Minnesota Massachusetts Oregon Arizona Utah Wisconsin Connecticut New_York New_Jersey"
)
_COUNTRIES = (
    "Germany France Spain Italy Japan China India Canada Mexico Brazil Australia Switzerland Sweden Norway Denmark "
    "Poland Austria Belgium Ireland Israel Singapore Portugal Greece Turkey Egypt Argentina Chile Scotland England "
    "Wales South_Africa"
)
_CITIES = (
    "London Paris Berlin Madrid Rome Tokyo Beijing Boston Chicago Denver Dallas Houston Seattle Atlanta Toronto Sydney "
    "Vienna Geneva Zurich Dublin Stockholm Oslo Copenhagen Warsaw Munich Los_Angeles San_Francisco Hong_Kong"
)
PLACES = {
    place.replace("_", " "): kind
    for kind, group in enumerate((_STATES, _COUNTRIES, _CITIES))
    for place in group.split()
}
_WHERE = re.compile(
    r"\b(?:laws? of (?:the )?(?:State|Commonwealth|Province)? ?(?:of )?|located in |headquartered in |born in |"
    r"based in |"
    r"held in |incorporated in |organized under the laws of (?:the State of )?|founded in |died in |signed in |"
    r"courts (?:of|in|located in) (?:the State of )?|offices? (?:is|are) (?:located )?in |built in |takes place "
    r"in |an? )"
    r"(" + "|".join(PLACES) + r")\b(?: corporation| company| limited)?"
)  # fmt: skip


def role_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:  # noqa: ARG001
    """The two parties trade places, or one takes over what the other has to do."""
    if _SYMMETRIC.search(sentence):
        return
    pairs = [(a, b) for a, b in ROLE_PAIRS if _has(a, sentence) and _has(b, sentence)]
    if pairs:
        yield "role_swap", exchanged(sentence, *rng.choice(pairs))


def _has(word: str, text: str) -> bool:
    """Every mention is the role itself, not part of a name such as "Bank of America"."""
    if word not in text:
        return False
    every = re.findall(rf"\b{word}\b", text)
    return bool(every) and len(every) == len(re.findall(rf"(?<![A-Z\"“] ){word}\b(?! (?:of )?[A-Z]|[\"”])", text))


def exchanged(text: str, one: str, other: str) -> str:
    swap = {one: other, other: one}
    return re.sub(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b", lambda match: swap[match[0]], text)


def role_taken_over(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:  # noqa: ARG001
    """Only one party is named: the duty or right goes to the other one."""
    for one, other in ROLE_PAIRS:
        if not sentence.startswith((one, f"The {one}")):
            continue
        start = re.match(rf"(?:The )?{one} (?:shall|may|must|will|agrees|represents|is|has)\b", sentence)
        if start and _has(other, passage) and not _has(other, sentence) and not _SYMMETRIC.search(sentence):
            yield "role_replaced", re.sub(rf"\b{one}\b", other, sentence)
            return


def name_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    inside = names(sentence)
    if len(inside) >= 2 and not _SYMMETRIC.search(sentence):
        pairs = [(a, b) for a, b in pairwise(inside) if _alike(a, b) and not _listed(sentence, a, b)]
        pairs = [(a, b) for a, b in pairs if _stands_alone(a, sentence) and _stands_alone(b, sentence)]
        if pairs:
            yield "name_swap", exchanged(sentence, *rng.choice(pairs))
    others = [name for name in names(passage) if name not in sentence]
    if inside and others:
        one = rng.choice(inside)
        others = [name for name in others if not re.search(r"(?:an|ish|ese|ic|s)$", name)]
        fitting = [
            name
            for name in others
            if _stands_alone(one, sentence) and _alike(one, name) and _same_setting(one, name, sentence, passage)
        ]
        if fitting:
            yield "name_replaced", re.sub(rf"\b{re.escape(one)}(?!\w)", lambda _: rng.choice(fitting[:1]), sentence)


def names(text: str) -> list[str]:
    found = [match[0].rstrip(".'") for match in _NAME.finditer(text)]
    kept = [name for name in found if not set(name.split()) & _NO_NAME and (len(name) > 3 or name.isupper())]
    return list(dict.fromkeys(kept))


def _alike(one: str, other: str) -> bool:
    """The same sort of name as far as its form tells, and neither part of the other."""
    if one in other or other in one or set(one.split()) & set(other.split()) or initials(one) == initials(other):
        return False
    if PLACES.get(one) != PLACES.get(other):
        return False
    return (
        bool(_ORGANISATION.search(one)) == bool(_ORGANISATION.search(other))
        and len(one.split()) == len(other.split())
        and one.isupper() == other.isupper()
    )


def initials(name: str) -> str:
    return name if name.isupper() else "".join(word[0] for word in name.split() if word[0].isupper())


def _listed(sentence: str, one: str, other: str) -> bool:
    between = sentence[sentence.find(one) + len(one) : sentence.find(other)]
    return len(between) < 4 or re.search(r"\b(?:and|or|with|known as|called)\b|[,&/]\s*$", between) is not None


def _stands_alone(name: str, sentence: str) -> bool:
    """A name of its own, not an adjective and not part of a longer name or title."""
    if re.search(r"(?:an|ish|ese|ic)$", name) or " of " in name:
        return False
    plain = r"(?:^|\b(?:by|from|to|in|at|with|for|against|over|and|that|when|after|of|while),? |, )"
    every = re.findall(rf"\b{re.escape(name)}(?!\w)", sentence)
    return len(every) == len(re.findall(rf"{plain}{re.escape(name)}(?=[,.;]| [a-z]|'s|’s)", sentence))


def _same_setting(one: str, other: str, sentence: str, passage: str) -> bool:
    """Both stand behind the same small word somewhere, so that one fits where the other stood."""
    before_one = re.search(rf"(\w+) {re.escape(one)}", sentence)
    before_other = re.search(rf"(\w+) {re.escape(other)}", passage)
    if not before_one or not before_other:
        return False
    return before_one[1] == before_other[1] and before_one[1] in ("in", "by", "from", "at", "to", "with", "against")


def place_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    for match in _WHERE.finditer(sentence):
        if match[0].startswith(("a ", "an ")) and not match[0].endswith(("corporation", "company")):
            continue
        old = match[1]
        if re.match(r", [A-Z]", sentence[match.end(1) :]):
            continue
        options = [place for place, kind in PLACES.items() if kind == PLACES[old] and place not in passage]
        if options:
            new = rng.choice(options)
            yield "place", re.sub(rf"\b{old}\b", new, sentence)
            return
