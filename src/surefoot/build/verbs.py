"""Sentences without an auxiliary as clauses: statements in the present, and instructions.

"Batteries last 18 months" is read as "batteries do last", "Test the sensor every month" as "you should test".
"""

from __future__ import annotations

import re

from surefoot.build.clauses import Clause, clause_parts, is_subject

_STATED = (
    "accept", "allow", "apply", "begin", "carry", "charge", "close", "contain", "cost", "cover", "deliver", "earn",
    "employ", "end", "expire", "get", "give", "grant", "hold", "include", "insure", "last", "measure", "need",
    "offer", "open", "operate", "pay", "produce", "provide", "receive", "refund", "reimburse", "repay", "require",
    "run", "send", "serve", "start", "store", "supply", "support", "take", "use", "weigh", "work",
)  # fmt: skip
_ORDERED = (
    "add", "allow", "apply", "avoid", "boil", "bring", "call", "change", "charge", "check", "clean", "close",
    "complete", "connect", "contact", "cook", "cool", "cover", "dilute", "disconnect", "drink", "drive", "eat",
    "enter", "fill", "hold", "insert", "inspect", "install", "keep", "leave", "let", "mix", "open", "pay", "place",
    "press", "put", "read", "remove", "rename", "repeat", "replace", "report", "reset", "rest", "return", "rinse",
    "send", "set", "shake", "sign", "stir", "stop", "store", "submit", "switch", "take", "test", "turn", "unplug",
    "use", "wait", "wash", "wear", "wipe", "write",
)  # fmt: skip
_PRESENT = re.compile(
    rf"(?P<subject>(?:[\w'&/%-]+ ){{1,8}}?)(?P<adverb>(?:usually|normally|typically|generally|only|also) )?"
    rf"(?P<verb>{'|'.join(_STATED)})(?P<third>s|es)? (?P<rest>\S.*)"
)
_INSTRUCTION = re.compile(rf"(?P<rest>(?:{'|'.join(word.capitalize() for word in _ORDERED)})\b .*)")
_WE = re.compile(r"We\b")


def statement_of(sentence: str, around: str) -> Clause | None:
    parts = clause_parts(sentence)
    if parts is None:
        return None
    before, text = parts
    if found := _INSTRUCTION.fullmatch(text.rstrip(".")):
        order = found["rest"]
        return Clause(before, "you", "should", False, f"{order[0].lower()}{order[1:]}", around)
    found = _PRESENT.fullmatch(text.rstrip("."))
    if not found:
        return None
    subject = found["subject"].strip()
    helper = "does" if found["third"] else "do"
    if _WE.fullmatch(subject):  # of a policy: what it pays
        subject, helper = "this policy", "does"
    elif not is_subject(subject):
        return None
    return Clause(before, subject, helper, False, f"{found['verb']} {found['rest']}", around)
