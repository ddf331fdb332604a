"""Turns the rules of `refusal_rules` into regular expressions on the tags of `refusal_words`.

Every repeat in them is bounded, so matching takes time linear in the text. What stands between the noun of a source and
its verb is taken out first ("the lease (with Alder, of 2024) does not say"), so that a complement cannot change what
the rules find.
"""

import functools
import itertools
import re
from collections.abc import Mapping, Sequence

from surefoot.text import refusal_rules as rules
from surefoot.text import refusal_words as words

# What <NAME> stands for in a rule
_PARTS = {
    "CANT": "(CAN NOT|WILL NOT|(should|must) NOT|HAVE? BE? NOT been? WILLING (to|with|in|of)?|HAVE? BE UNABLE (to|of)?|"
    "(must|HAVE to|WILL HAVE to|need to)? AVOID (to|from)?|WILL? (rather|prefer) (NOT|to AVOID) (to|from)?|"
    "DO NOT (want|wish|feel|intend|propose|dare|think i) (comfortable|able|qualified)? (to|CAN|should)?)",
    "DONT": "(never|DO NOT|WILL NOT|CAN NOT|AVOID|DO NOT (REMAIN|tend) to)",
    "ISNT": "(BE NOT|HAVE NOT been|REMAIN NOT|REMAIN NOT to be)",
    "SOURCE": "(TEXT|PAPER|search results|material (?!OTHER))",
    "ANY": "(TEXT|PAPER|NORM|search results|material (?!OTHER))",
    "IN": "(in|within|from|among|on|across|inside)",
    "WHERE": "((<IN>|by) of? (- (<ANY>|record)|W? (what|them|those|this|here)))",
    "HERE": "((<IN>|by) of? (- (<SOURCE>|record|(information|data) (i|GIVEN|SENT))|what))",
    "MODS": "(GIVEN|SENT|above|that (?=i|you|we)|i|you|we|HAVE|was|were|in|on|of|as|front|cited|pasted|itself|to|at|"
    "hand|TOLD|been|sent|with|looking|themselves|excerpted|handed|reviewed|checked|read|seen|CAN|see|received|gave|"
    "got){0,6}",
    # Texts are told by who was shown them: "the key facts I was handed", "the sections you gave me"
    "SHOWN": "((i|we) (HAVE|CAN|BE|see|saw|got|received|SENT|reviewed|read)|"
    "you (SENT|gave|sent|HAVE (SENT|sent|given)))",
    "TO": "(for W?)? to ~",
    "GOT": "(BE|HAVE been|CAN be|WILL be)",
    # For what is taken out; C is a word of a noun phrase. "May" is a month beside a number or behind a preposition.
    "MONTH": "((?<=(NUMBER|PREP|LINK)) may|may (?=NUMBER))",
    "ITEM": "(C|<MONTH>|(no|since|until) (?=NUMBER)|event|(?<=PREP) you|<ASIDE>|"
    ", (?=C{1,5} ,? (and|or) C)|, (?=(and|or) C))",
    "ASIDE": "\\((W|,){0,12}\\)",
    "LABEL": "(no|number)? NUMBER{1,3}",
    # Texts only together with what they are of
    "THING": "(version|rest|body|portion|pack|library|collection|base|here)",
    "RULING": "(section|sections|article|articles|paragraph|paragraphs|chapter|chapters|annex|appendix|wording|text|"
    "content|<THING>) (<LABEL>)? (of|in|under|to|from|within) C{0,2}? NORM",
    "TELLS": "(<DONT> SPEAK|(BE|REMAIN) SILENT|(SPEAK|makes|make|gives|give) (nothing|no - INFO))",
    "LINKED": "(PREP|LINK|SENT) <ITEM>{0,14} (?<!(and|or|PREP))",
    "VERB": "(DO|BE|HAVE|CAN|WILL|REMAIN|never|AVOID|OMIT|FINITE|stops|stop|ends|end|breaks|cuts|begins|starts|"
    "(SAY|HOLD|made|gave|said|shed|throw|throws|casts) (no|nothing|neither|little|FEW))",
}
_NAME = re.compile(r"[^\W\d_][\w']*")
_ELEMENT = re.compile(r"[^\W\d_][\w']*|~~|~|-|#|(?<![?<])=|\^|\$| ")
_WORD = "[^" + re.escape(words.PUNCTUATION) + "]"


def _rows(table: str) -> list[str]:
    """One rule a line; an indented line continues the one before."""
    return table.strip("\n").replace("\n    ", "").splitlines()


def _spelled(rule: str) -> str:
    while "<" in rule.replace("(?<", ""):
        rule = re.sub(r"<([A-Z]+)>", lambda part: _PARTS[part[1]], rule)
    return rule


_SPELLED = {family: [_spelled(rule) for rule in _rows(table)] for family, table in rules.RULES.items()}
_LITERALS = {
    name
    for rows in [*_SPELLED.values(), [rules.HINTS], _PARTS.values()]
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


# In "Section 4 of the lease" the lease decides, as it would without the section. "Section 4" alone is a rule, too:
# that it gives no right is an answer.
_HEAD = expression("<RULING>|(?!<THING>) <ANY>|PARTY (?=(PREP|LINK) C{0,2}? NORM)")
_COMPLEMENT = expression(
    "(?!<LABEL> <VERB>) (<ASIDE>)? (<LABEL>)? (<ASIDE>|<LINKED>)? (, <LINKED> ,)?|<LABEL> (?=<TELLS>)"
)
_ARTICLES = frozenset(("the", "a", "an"))
_BEFORE_ARTICLE = re.compile(charset("PREP", "LINK", "SENT", "and", "or") + r"|[,(]|$")


@functools.cache
def _phrase() -> re.Pattern[str]:
    """Compiled on first use, as the rules are."""
    joint, verb = expression("(,|and){0,3}"), expression("<MODS> <VERB>")
    return re.compile(
        # "Under the lease with Alder the tenant ...": no subject
        expression("^ (?!as) PREP C{0,3}? <ANY>") + f"|{_HEAD}(?P<complement>{_COMPLEMENT}(?P<joint>{joint}))(?={verb})"
    )


# Parts of a source that are pointed at ("both clauses", "rules 3 and 7", "the sections you sent") are the texts at
# hand, whatever kind of source they are from.
_PIECES = frozenset(
    f"{piece}{ending}"
    for piece in ("clause", "section", "rule", "article", "point", "paragraph", "condition", "provision", "page",
                  "item", "chapter", "term")
    for ending in ("", "s")
)  # fmt: skip
_POINTING = frozenset(("these", "those", "both", "two", "three", "four", "five", "neither", "either"))
_AT_HAND = frozenset(
    ("i", "i've", "i'm", "we", "you", "above", "provided", "given", "supplied", "quoted", "cited", "shown", "excerpted",
     "submitted", "shared")
)  # fmt: skip
_LISTING = frozenset(("and", "or", ",", "to", "nor", "-"))


def pointed_at(tokens: list[str], tags: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The tokens and their tags, with those of pieces that are pointed at as those of a text."""
    pieces = [tags[token] for token in tokens]
    for place, token in () if _PIECES.isdisjoint(tokens) else enumerate(tokens):
        if token in _PIECES:
            before, behind = tokens[max(0, place - 3) : place], _listed(tokens, place + 1)
            at_hand = _AT_HAND.intersection(tokens[behind : behind + 1]) or behind > place + 2
            if at_hand or not _POINTING.isdisjoint(before):
                pieces[place] = tags["passages"]
                pieces[place + 1 : behind] = [""] * (behind - place - 1)
    return tokens, pieces


def _listed(tokens: Sequence[str], place: int) -> int:
    """Where the numbers behind a piece end: "rules 3, 4 and 7"."""
    end = place
    while place < len(tokens) and (
        tokens[place][:1].isdigit() or tokens[place] in _LISTING or tokens[place] in _PIECES
    ):
        place += 1
        end = place if tokens[place - 1][:1].isdigit() else end
    return end


def bare(tokens: Sequence[str], pieces: list[str]) -> list[str]:
    """The tags of each token, with none for those of a complement."""
    found = [match for match in _phrase().finditer("".join(pieces)) if match["complement"]]
    if not found:
        return pieces
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    pieces = pieces.copy()
    for match in found:
        first, last = places[match.start("complement")], places[match.end()]
        cited = tokens[last - 1].startswith("[")  # "[a#1], [a#2] and [a#3]" leaves its joints
        if (cited or not match["joint"]) and not _opens_another(tokens[first:last], pieces[first:last]):
            pieces[first:last] = [""] * (last - first)
    return pieces


def _opens_another(tokens: Sequence[str], pieces: list[str]) -> bool:
    """Whether another noun phrase begins inside: "(the lease) with Alder the tenant"."""
    before = ""
    for token, piece in zip(tokens, pieces, strict=True):
        if token in _ARTICLES and not _BEFORE_ARTICLE.match(before):
            return True
        before = piece or before
    return False
