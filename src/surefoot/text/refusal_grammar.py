"""Turns the rules of `refusal_rules` into regular expressions on the tags of `refusal_words`.

Every repeat in them is bounded, so matching takes time linear in the text.
"""

import functools
import itertools
import re

from surefoot.text import refusal_rules as rules
from surefoot.text import refusal_words as words

_NAME = re.compile(r"[^\W\d_][\w']*")
_ELEMENT = re.compile(r"[^\W\d_][\w']*|~~|~|-|#|(?<![?<])=|\^|\$| ")
_WORD = "[^" + re.escape(words.PUNCTUATION) + "]"


def _rows(table: str) -> list[str]:
    """One rule a line; an indented line continues the one before."""
    return table.strip("\n").replace("\n    ", "").splitlines()


def _spelled(rule: str) -> str:
    while "<" in rule.replace("(?<", ""):
        rule = re.sub(r"<([A-Z]+)>", lambda part: rules.PARTS[part[1]], rule)
    return rule


_SPELLED = {family: [_spelled(rule) for rule in _rows(table)] for family, table in rules.RULES.items()}
_LITERALS = {
    name
    for rows in [*_SPELLED.values(), [rules.HINTS], rules.PARTS.values()]
    for rule in rows
    for name in _NAME.findall(rule)
    if not name.isupper()
}
TAGS, _MEMBERS = words.tag_table(_LITERALS)


def charset(*names: str) -> str:
    return "[" + "".join(_MEMBERS[name] for name in names) + "]"


def _translated(rule: str) -> str:
    """The regular expression on tags that a rule stands for."""
    barred = re.escape(words.PUNCTUATION) + charset("RELATIVE", "COND", "BARRED", "which")[1:-1]
    verbs = charset("BE", "QUOTING")[1:-1]
    clausal = (
        verbs
        + charset("HAVE", "DO", "CAN", "REMAIN", "FINITE", "NOT", "no", "neither", "none", "WH", "PRONOUN", "TURN")[
            1:-1
        ]
    )
    marks = {
        "~~": f"[^{barred}]{{0,9}}?",
        "~": f"[^{barred}]{{0,3}}?",
        "-": f"[^{barred}{charset('PREP')[1:-1]}]{{0,3}}?",
        # A headline, without a verb: after up to six words at the start of a sentence, or else at once
        "#": f"(?:(?<![^{re.escape(words.BREAKS)}])[^{barred}{verbs}]{{0,6}}?|(?<![^,(])|(?<={charset('START')}))",
        "=": f"(?:(?<![^{re.escape(words.BREAKS)}])|(?<={charset('START')})|(?<={charset('START')},))",
        "G": f"[^{barred}]",
        "C": f"[^{barred}{clausal}]",
        "W": _WORD,
        " ": "",
        "^": f"(?:(?<!{_WORD})|(?<={charset('START')}))",
        "$": f"(?!(?!{charset('AFTER')}){_WORD})",
    }
    return _ELEMENT.sub(lambda found: marks[found[0]] if found[0] in marks else charset(found[0]), rule)


def expression(rule: str) -> str:
    """The regular expression on tags for a rule in the notation of `refusal_rules`, as one group."""
    return f"(?:{_translated(_spelled(rule))})"


def _opening(rule: str) -> list[str]:
    """The classes and words that can open a rule; W if any word can."""
    if rule.startswith("#"):
        return ["W"]
    rule = rule.lstrip("^= ")
    if not rule.startswith("("):
        return _NAME.findall(rule)[:1]
    depths = itertools.accumulate((mark == "(") - (mark == ")") for mark in rule)
    end = next(place for place, depth in enumerate(depths) if not depth)
    return [name[0] for option in rule[1:end].split("|") if (name := _NAME.search(option))]


def _dispatch() -> dict[str, dict[str, list[str]]]:
    """By opening tag, and "" for the start of any clause: the rules of each family that can match there."""
    table: dict[str, dict[str, list[str]]] = {}
    for family, rows in _SPELLED.items():
        for rule in rows:
            opening = _opening(rule)
            tags = [""] if {"W", "G"} & {*opening} else {tag for name in opening for tag in _MEMBERS[name]}
            for tag in tags:
                table.setdefault(tag, {}).setdefault(family, []).append(rule)
    return table


_BY_TAG = _dispatch()
HINT = re.compile(charset(*rules.HINTS.split()))
HINT_WORDS = frozenset(word for word, tag in TAGS.items() if HINT.search(tag))
EDGE = words.PUNCTUATION + charset("START")[1:-1]
# Where rules may begin: at an opening tag, or at the first word of a clause.
PLACE = re.compile(f"[{''.join(_BY_TAG)}]|(?<![^{re.escape(EDGE)}]){_WORD}")


@functools.cache
def at(tag: str) -> re.Pattern[str] | None:
    """All rules for one opening tag, compiled on first use: most runs meet few of them."""
    families = _BY_TAG.get(tag)
    if families is None:
        return None
    return re.compile(
        "|".join(f"(?P<{family}>{'|'.join(map(_translated, rows))})" for family, rows in families.items())
    )
