"""Turns rules of named roles into regular expressions on tags, one character for each word.

Every repeat in a rule is bounded, so matching takes time linear in the text.
"""

from __future__ import annotations

import functools
import re

from surefoot.safety import signs, words

INFLECTED = re.compile(r"\w{3}(?:ing|ed|ly)$|[^s']s$")  # forms that no verb has in the imperative
MARKS = {".": "STOP", "!": "STOP", "?": "STOP", ";": "SEMI", ":": "COLON", ",": "COMMA"}


_LISTED = re.compile(r"<([a-z0-9][a-z0-9' -]*)>(?:ING)?")  # words that a rule lists itself


def _roles() -> dict[str, str]:
    """Every role with its words; the words that a rule lists are a role of that name."""
    roles = words.all_roles()
    for sign in (*signs.ACTS, *signs.SIGNS):
        roles |= {found[0]: found[1] for found in _LISTED.finditer(sign.rule)}
    for act in signs.ACTS:
        if verbs := _LISTED.match(act.rule):
            roles[f"{verbs[0]}ING"] = " ".join(map(words.gerund, verbs[1].split()))
            roles["VERB"] += f" {verbs[1]}"
    return roles


def _alphabet() -> tuple[dict[str, str], dict[str, str]]:
    """A character for every set of roles that some word plays, and for every role the characters that play it."""
    roles: dict[str, set[str]] = {}
    for role, listed in _roles().items():
        for word in listed.split():
            roles.setdefault(word, set()).add(role)
    for word, played in roles.items():
        if INFLECTED.search(word):
            played.add("INFLECTED")
    roles |= {"\0": {"WORD"}, "\0s": {"INFLECTED"}, "\n": {"LINE"}} | {mark: {role} for mark, role in MARKS.items()}
    sets = sorted({frozenset(some) for some in roles.values()}, key=sorted)
    chars = {some: chr(0xE000 + number) for number, some in enumerate(sets)}
    members: dict[str, str] = {}
    for some, char in chars.items():
        for role in some:
            members[role] = members.get(role, "") + char
    return {word: chars[frozenset(some)] for word, some in roles.items()}, members


TAGS, _MEMBERS = _alphabet()
OTHER, OTHER_INFLECTED = TAGS["\0"], TAGS["\0s"]
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
    "EXPLOSIVE": "[{BOMB}](?<![{BATH}].)(?![{HEAD}])",
    "SOMEBODY": f"(?:[^{_ENDS}{{PREP}}{{FAKE}}{{NEG}}]{{0,2}}?[{{PERSON}}](?![{{HEAD}}])|[{{HIM}}](?![{{DET}}])|"
    "[{HER}](?=$|[{STOP}{COMMA}{SEMI}{LINE}{PREP}{AND}{ADV}{UP}]))",
    # A verb that tells the reader to do something: it is no other kind of word, and its object follows
    "IMPERATIVE": "[^{FUNCTION}{NEG}{ADV}{CARE}{INFLECTED}{LINE}" + _ENDS + "](?=[{OBJECT}])",
}


def charset(*roles: str) -> str:
    return "[" + "".join(_MEMBERS[role] for role in roles) + "]"


def first_tags(rule: str) -> set[str]:
    """The tags that a rule can begin with: those of a role, or of a group of options that each begin with one."""
    group = re.match(r"\(\?:([^()]*)", rule.replace("EXPLOSIVE", "BOMB"))
    options = group[1].split("|") if group else [rule.replace("EXPLOSIVE", "BOMB")]
    roles = [found[0] for option in options if (found := re.match(r"(?:<[^>]+>)?[A-Z]*", option))]
    return {tag for role in roles for tag in _MEMBERS[role]}


@functools.cache
def compiled(rule: str) -> re.Pattern[str]:
    """A rule names roles and parts in capitals; the rest is the notation of regular expressions without spaces."""
    for name, part in _PARTS.items():
        rule = re.sub(rf"\b{name}\b", part.replace("\\", r"\\"), rule)
    rule = _LISTED.sub(lambda found: charset(found[0]), rule)
    rule = re.sub(r"\{([A-Z]+)\}", lambda found: _MEMBERS[found[1]], rule)
    rule = re.sub(r"\b[A-Z]{1,12}\b", lambda found: charset(found[0]), rule)
    return re.compile(rule.replace(" ", ""))
