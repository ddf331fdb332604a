"""Turns rules of named roles into regular expressions on tags, one character for each word.

Every repeat in a rule is bounded, so matching takes time linear in the text.
"""

from __future__ import annotations

import re

from surefoot.safety import words

MARKS = {".": "STOP", "!": "STOP", "?": "STOP", ";": "SEMI", ":": "COLON", ",": "COMMA"}


def _alphabet() -> tuple[dict[str, str], dict[str, str]]:
    """A character for every set of roles that some word plays, and for every role the characters that play it."""
    roles: dict[str, set[str]] = {}
    for role, listed in {**words.ROLES, **words.verb_forms()}.items():
        for word in listed.split():
            roles.setdefault(word, set()).add(role)
    roles |= {"\0": {"WORD"}, "\n": {"LINE"}} | {mark: {role} for mark, role in MARKS.items()}
    sets = sorted({frozenset(some) for some in roles.values()}, key=sorted)
    chars = {some: chr(0xE000 + number) for number, some in enumerate(sets)}
    members: dict[str, str] = {}
    for some, char in chars.items():
        for role in some:
            members[role] = members.get(role, "") + char
    return {word: chars[frozenset(some)] for word, some in roles.items()}, members


TAGS, _MEMBERS = _alphabet()
OTHER = TAGS["\0"]
LINE = TAGS["\n"]

_ENDS = "{STOP}{SEMI}{COLON}{COMMA}"
_PARTS = {
    # Words between a verb and its object: none that give the verb another object or make this one harmless
    "GAP": f"(?:[^{_ENDS}{{PREP}}{{OF}}{{FAKE}}{{NEG}}]{{0,4}}?"
    f"(?:[{{KIND}}][{{OF}}][^{_ENDS}{{PREP}}{{FAKE}}]{{0,2}}?)?)",
    "FEW": f"[^{_ENDS}{{PREP}}{{FAKE}}{{NEG}}]{{0,2}}?",
    "ANY": f"[^{_ENDS}{{LINE}}]",
    "START": "(?<![^{STOP}{SEMI}{COLON}{LINE}])(?:[{ADV}]{0,3}[{COMMA}]?[{ADV}]{0,2})",
    "ALONE": "(?![{HEAD}])",
}


def charset(*roles: str) -> str:
    return "[" + "".join(_MEMBERS[role] for role in roles) + "]"


def compiled(rule: str) -> re.Pattern[str]:
    """A rule names roles and parts in capitals; the rest is the notation of regular expressions without spaces."""
    for name, part in _PARTS.items():
        rule = re.sub(rf"\b{name}\b", part.replace("\\", r"\\"), rule)
    rule = re.sub(r"\{([A-Z]+)\}", lambda found: _MEMBERS[found[1]], rule)
    rule = re.sub(r"\b[A-Z]{1,12}\b", lambda found: charset(found[0]), rule)
    return re.compile(rule.replace(" ", ""))
