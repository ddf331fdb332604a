"""Rules on words: what harmful texts are made of, as regular expressions on tags, one character for each word.

acts.txt and signs.txt hold the rules, in roles that words play; roles.txt holds the words. Acts count where the reader
is told to do them, signs wherever they stand. What weighs `ENOUGH` is a finding by itself; the others add up over a few
sentences. Every repeat in a rule is bounded, so matching takes time linear in the text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

ENOUGH = 3
SELF, ANY_PATTERN = "self_harm", "any"
_RULES = re.compile(r"\[(?P<pattern>\w+)\]|(?P<weight>\d) (?P<why>.+)|    (?P<rule>\S.*(?:\n        .+)*)")
_ROLE = re.compile(r"(?m)^([A-Z]+)(\*?) (.+(?:\n    .+)*)")
INFLECTED = re.compile(r"\w{3}(?:ing|ed|ly)$|[^s']s$")  # forms that no verb has in the imperative
MARKS = {".": "STOP", "!": "STOP", "?": "STOP", ";": "SEMI", ":": "COLON", ",": "COMMA"}
_LISTED = re.compile(r"<([a-z0-9][a-z0-9' -]*)>(?:ING)?")  # words that a rule lists itself
_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$|(?:kidnap|begin|program)$")
# Words; single letters or halves of a word set apart ("b-o-m-b", "ran-som-ware"); marks; lines that begin something
_TOKEN = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|Ms|No|Inc|Ltd)\.|"
    r"[A-Za-z](?:(?:-[A-Za-z]){2,20}|(?:\.[A-Za-z]){2,20}|(?:\*[A-Za-z]){2,20}|(?: [A-Za-z]){2,20})(?![^\W_])|"
    r"[^\W_]+(?:(?:'|[*_]{1,2}|-\s{0,3})[^\W_]+){0,20}|\.(?!\d)|[!?;:,]|"
    r"\n[ \t]{0,8}(?:\n|[-*#>]|\d{1,2}[.)]|(?=[A-Z]))"
)
_APART = re.compile(r"[-.*_\s]+")
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


class Sign(NamedTuple):
    pattern: str  # or ANY_PATTERN: it says that something is wrong, not what
    weight: int
    rule: str
    why: str


def _table(name: str) -> str:
    """Without its comments."""
    return re.sub(r"(?m)^#.*\n", "", files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _read_signs(name: str) -> Iterator[Sign]:
    """The signs of a table: under each pattern a weight and a reason, under these the rules."""
    pattern, weight, why = "", "0", ""
    for line in _RULES.finditer(_table(name)):
        pattern, weight, why = (
            new or old for new, old in zip(line.group(1, 2, 3), (pattern, weight, why), strict=True)
        )
        if line["rule"]:
            yield Sign(pattern, int(weight), " ".join(line["rule"].split()), why)


ACTS, SIGNS = tuple(_read_signs("acts.txt")), tuple(_read_signs("signs.txt"))


def _gerund(verb: str) -> str:
    """make -> making, cut -> cutting, die -> dying"""
    if _DOUBLES.search(verb):
        verb += verb[-1]
    elif verb.endswith("ie"):
        verb = verb[:-2] + "y"
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    return verb + "ing"


def _gerunds(verbs: str) -> str:
    return " ".join(map(_gerund, verbs.split()))


def _read_roles() -> dict[str, str]:
    """Every role with its words: what is listed, the forms of verbs, and the genitive of every person."""
    roles = {"VERB": ""}
    for role, is_verb, listed in _ROLE.findall(_table("roles.txt")):
        roles[role] = " ".join(listed.split())
        if is_verb:
            roles[f"{role}ING"] = _gerunds(listed)
            roles["VERB"] += f" {roles[role]}"
    roles["OWNER"] += "".join(f" {person}'s" for person in roles["PERSON"].split())
    return roles


ROLES = _read_roles()


def _listed_roles() -> dict[str, str]:
    """The words that a rule lists are a role of that name."""
    roles = {found[0]: found[1] for sign in (*ACTS, *SIGNS) for found in _LISTED.finditer(sign.rule)}
    roles["VERB"] = ROLES["VERB"]
    for act in ACTS:
        if verbs := _LISTED.match(act.rule):
            roles[f"{verbs[0]}ING"] = _gerunds(verbs[1])
            roles["VERB"] += f" {verbs[1]}"
    return roles


def _alphabet() -> tuple[dict[str, str], dict[str, str]]:
    """A character for every set of roles that some word plays, and for every role the characters that play it."""
    roles: dict[str, set[str]] = {}
    for role, listed in (ROLES | _listed_roles()).items():
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


class _Tags(dict[str, str]):
    """The tags of a token, worked out once for each."""

    def __missing__(self, token: str) -> str:
        tags = self[token] = _tags_of(token)
        return tags


def _tags_of(token: str) -> str:
    if token[0] == "\n":
        return LINE
    word = token.lower()
    if word in TAGS:
        return TAGS[word]
    parts = [part for part in _APART.split(word) if part]
    if len(parts) > 1:
        joined = "".join(parts)
        if joined in TAGS:
            return TAGS[joined]
        if joined[1:] in TAGS and len(parts[0]) == 1:  # "a b o m b"
            return TAGS.get(joined[0], OTHER) + TAGS[joined[1:]]
        return "".join(TAGS.get(part, OTHER) for part in parts)
    if word.endswith("'s"):
        return OTHER
    unknown = OTHER_INFLECTED if INFLECTED.search(word) else OTHER
    return TAGS.get(word.split("'")[0], unknown)  # "you'd" is you


class Tagged:
    """A folded text as tags; where they stand is worked out only if something was found."""

    def __init__(self, text: str) -> None:
        known = _Tags()
        self._text = text
        self._pieces = [known[token] for token in _TOKEN.findall(text)]
        self.tags = "".join(self._pieces)

    def spans(self) -> list[tuple[int, int]]:
        places = zip(_TOKEN.finditer(self._text), self._pieces, strict=True)
        return [token.span() for token, piece in places for _ in piece]
