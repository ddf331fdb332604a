"""Take out what stands between the noun of a source and its verb: "the lease (with Alder, of 2024) does not say".

The rules of `refusal_rules` then meet the bare "lease does not say", so a complement cannot change what they find.
"""

import functools
import re
from collections.abc import Mapping, Sequence

from surefoot.text import refusal_grammar as grammar

_rule = grammar.expression
# In "Section 4 of the lease" the lease decides, as it would without the section. "Section 4" alone is a rule, too:
# that it gives no right is an answer.
_HEAD = _rule("<RULING>|(?!<THING>) <ANY>|PARTY (?=(PREP|LINK) C{0,2}? NORM)")
_COMPLEMENT = _rule("(?!<LABEL> <VERB>) (<ASIDE>)? (<LABEL>)? (<ASIDE>|<LINKED>)? (, <LINKED> ,)?|<LABEL> (?=<TELLS>)")
_ARTICLES = frozenset(("the", "a", "an"))
_BEFORE_ARTICLE = re.compile(grammar.charset("PREP", "LINK", "SENT", "and", "or") + r"|[,(]|$")


@functools.cache
def _phrase() -> re.Pattern[str]:
    """Compiled on first use, as the rules are."""
    return re.compile(
        # "Under the lease with Alder the tenant ...": no subject
        _rule("^ (?!as) PREP C{0,3}? <ANY>")
        + f"|{_HEAD}(?P<complement>{_COMPLEMENT}(?P<joint>{_rule('(,|and){0,3}')}))(?={_rule('<MODS> <VERB>')})"
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
