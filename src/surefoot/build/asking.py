"""A clause turned into a question: what is asked for in front, the verb before its subject."""

from __future__ import annotations

import re
from typing import NamedTuple

from surefoot.build.clauses import Clause, asked, patterns_of, points_outside

THIS = "{doc}"  # in a question: the document, by its name
MODALS = {
    "shall": "must", "must": "must", "will": "will", "may": "may", "can": "can", "should": "should",
    "agrees to": "must", "agree to": "must", "undertakes to": "must", "is required to": "must",
    "are required to": "must", "has to": "must", "have to": "must",
}  # fmt: skip
THIS_DOCUMENT, _CROOKED, _STATES, _IS = patterns_of("this_document crooked states is_state")
_DETERMINERS = frozenset(
    ["The", "A", "An", "Each", "Either", "Any", "All", "Every", "Both", "You", "Your", "Its", "Their", "One"]
)


class Asking(NamedTuple):
    kind: str
    asks: str
    value: str
    who: str = ""
    does: str = ""


def made(kind: str, question: str | None, value: str) -> Asking | None:
    return None if question is None else Asking(kind, question, value.strip())


def question(clause: Clause, what: str, rest: str | None, auxiliary: str = "") -> str | None:
    if rest is None or clause.is_negated or not names_one(clause.subject):
        return None
    return finished(clause, f"{what} {inverted(clause, rest, auxiliary)}")


def inverted(clause: Clause, rest: str, auxiliary: str = "") -> str:
    """ "must the Supplier deliver", "are the parties bound", "does the duty survive"."""
    subject = inside(clause.subject, clause.around)
    if auxiliary or MODALS.get(clause.auxiliary) != "must":
        return f"{auxiliary or MODALS.get(clause.auxiliary, clause.auxiliary)} {subject} {rest}"
    if _STATES.match(rest):
        return f"{'do' if _are_many(subject, clause.around) else 'does'} {subject} {rest}"
    if is_state(rest):
        return f"{'are' if _are_many(subject, clause.around) else 'is'} {subject} {rest.removeprefix('be ')}"
    return f"must {subject} {rest}"


def finished(clause: Clause, text: str) -> str | None:
    before = asked(clause.before) if clause.before else ""
    if before is None or points_outside(text.replace("This", "")):
        return None
    whole = f"{before}, {text[0].lower()}{text[1:]}" if before else text
    whole = THIS_DOCUMENT.sub(THIS, " ".join(whole.split()))
    if _CROOKED.search(whole):
        return None
    return f"{whole.rstrip(' ,.')}?"


def is_state(rest: str) -> bool:
    """ "be responsible", "be entitled": what one is, not what one does."""
    return _IS.match(rest) is not None


def names_one(subject: str) -> bool:
    """No heading has slipped in before "This Agreement"."""
    this = THIS_DOCUMENT.search(subject)
    return (
        not this
        or not subject[: this.start()].strip()
        or re.search(r"\b(?:of|under|to|in|by)\s*$", subject[: this.start()]) is not None
    )


def is_plural(subject: str) -> bool:
    head = re.split(r" (?:of|to|under|in|for|with|from|by|on|hereunder)\b", subject)[0]
    is_many = re.search(r"[^s'i]s$|\band\b|^(?:all|both|you)\b", head, re.IGNORECASE) is not None
    return is_many and not re.search(r"\b(?:information|each|every|any|either)\b", head, re.IGNORECASE)


def _are_many(subject: str, around: str) -> bool:
    """A name that ends in "s" may be one: the document says "Rogers is"."""
    return is_plural(subject) and not re.search(rf"\b{re.escape(subject)} (?:is|has|was)\b", around)


def inside(subject: str, around: str) -> str:
    """As it is written inside a sentence: without its capital if that was only there to begin one ("Late payments")."""
    first, _, others = subject.partition(" ")
    low = f"{first[0].lower()}{first[1:]}"
    if first not in _DETERMINERS and re.match(r"(?:[A-Z]|\d+)\b(?!')", others):  # "Party B"
        return subject
    is_plain = (
        (
            not others
            and re.fullmatch("[A-Z][a-z]+", first)
            and not re.search(rf"{first} (?:shall|agrees)\b", around)
            and not re.search(rf"\b{first} [A-Z\d]", around)
        )
        or re.match(r"of [a-z]|(?!of|and|de|for)[a-z]{3}", others)
        or re.search(rf"\b{re.escape(low)}\b", around)
    )
    is_common = is_plain and not re.search(rf"(?<!\S)[a-z]\w*[,;]? {re.escape(first)}\b", around)
    return f"{low} {others}".strip() if first in _DETERMINERS or is_common else subject


def cut(rest: str, found: re.Match[str]) -> str | None:
    """The rest without what is asked for."""
    left = rest[: found.start()], rest[found.end() :]
    return asked(" ".join(part.strip() for part in left if part.strip()))
