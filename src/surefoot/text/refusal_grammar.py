"""The grammar of declining: `words/refusals.toml` has its word classes and rules, compiled here.

Every known word becomes a character that stands for all its classes: "report" is a source and a verb of telling at
once. So an answer turns into a short string of tags, and a rule into a regular expression on that string. Every repeat
in one is bounded, so matching takes time linear in the text. What stands between the noun of a source and its verb is
taken out first ("the lease (with Alder, of 2024) does not say"): a complement cannot change what the rules find.
"""

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from surefoot.text.normal import rows, word_set, words_of

_TABLE = words_of("refusals")
_STRICT, _TOLD, _LOOSE, _HOLD, _JUDGE, _TELL, _COMPLY = (
    _TABLE["verbs"][name].split() for name in ("strict", "told", "loose", "hold", "judge", "tell", "comply")
)
_IRREGULAR = dict(pair.split(":") for pair in _TABLE["verbs"]["irregular"].split())
_DOUBLED = frozenset(("refer", "permit", "commit", "set", "get", "let", "log", "put", "pin"))


def _third(verb: str) -> str:
    if verb[-1] == "y" and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return {"have": "has"}.get(verb) or verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "go")) else "s")


def _past(verb: str) -> str:
    if verb[-1] == "y" and verb[-2] not in "aeou":
        return verb[:-1] + "ied"
    return _IRREGULAR.get(verb) or verb + ("d" if verb[-1] == "e" else "ed")


def _ing(verb: str) -> str:
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    return (verb[:-1] if verb[-1] == "e" and verb != "see" else verb) + "ing"


def _present(verbs: Sequence[str]) -> list[str]:
    return [*verbs, *map(_third, verbs)]


CLASSES: dict[str, list[str]] = {name: words.split() for name, words in _TABLE["classes"].items()}
CLASSES |= {
    "PAPER": _present(CLASSES["PAPER"]),  # and the plural, which is formed alike
    "SPEAK": _present(_STRICT),
    "SAY": _present(_STRICT + _LOOSE),
    "HOLD": _present(_HOLD),
    "HELD": [_past(verb) for verb in _HOLD],
    "TELL": _STRICT + _LOOSE + _JUDGE + _TELL,
    "JUDGE": _JUDGE,
    "JUDGED": [_past(verb) for verb in _JUDGE],
    "COMPLY": _COMPLY,
    "SAID": CLASSES["SAID"] + [_past(verb) for verb in _STRICT],
    "GIVEN": CLASSES["GIVEN"] + [_past(verb) for verb in _HOLD],
    "SAYS": [_third(verb) for verb in (*_STRICT, "give", "cover", "contain", "provide", "include", "deal")],
    "TOLD": [_past(verb) for verb in _TOLD],
    "SAYING": [_ing(verb) for verb in _STRICT + _LOOSE + _HOLD],
    # In a form that is hardly a noun
    "FINITE": [word for word in map(_third, _STRICT + _LOOSE + _HOLD) if word not in _TABLE["nouns"].split()],
}

_SHORT = {"m": "am", "re": "are", "ve": "have", "d": "would", "ll": "will", "nt": "not"}
_IS = word_set("it that there what this he she who which here how where nothing everything one")  # 's is a verb
_ELISIONS = frozenset(("n", "l", "d", "j", "c", "s", "m", "qu"))
_LETTERS = [letter for letter in map(chr, range(0x800)) if letter.isalpha()]
BREAKS = ".!?;:|\n"
PUNCTUATION = BREAKS + ',()"'
OTHER, NUMBER = "_", "0"


class Tags(dict[str, str]):
    """Characters by word; words outside the table are taken apart (contractions, elisions) or are OTHER or NUMBER."""

    def __missing__(self, word: str) -> str:
        if word[-2:] == "ly":
            return ""
        head, mark, tail = word.rpartition("'")
        if mark and head.count("'") < 2:
            if tail == "t" and head[-1:] == "n":
                return self[head[:-1]] + self["not"]
            if tail in _SHORT:
                return self[head] + self[_SHORT[tail]]
            if tail in ("s", ""):
                return self[head] + (self["is"] if head in _IS else "")
            if head in _ELISIONS:
                return self[head + "'"] + self[tail]
        if word[:1].isdigit() or (len(word) == 1 and word.isalpha()):
            return NUMBER
        return {"[": "", "<": "."}.get(word[:1], OTHER)


def _tag_table(named: Iterable[str]) -> tuple[Tags, dict[str, str]]:
    """The character of each word, and the characters that belong to each class or literal word. Those of the classes
    that rules use most come first: a set of characters below 256 compiles many times as fast."""
    used = Counter(named)
    names: dict[str, set[str]] = {}
    for name, listed in sorted(CLASSES.items(), key=lambda one: -used[one[0]]):
        for word in listed:
            names.setdefault(word, set()).add(name)
    for word in sorted(used):
        if not word.isupper():
            names.setdefault(word, set()).add(word)
    tags, members, known = Tags(), {"OTHER": OTHER, "NUMBER": NUMBER}, dict[frozenset[str], str]()
    for word, of in names.items():
        signature = frozenset(of)
        if signature not in known:
            known[signature] = _LETTERS[len(known)]
            for name in sorted(of):
                members[name] = members.get(name, "") + known[signature]
        tags[word] = known[signature]
    for word in _TABLE["dropped"].split():
        tags.setdefault(word, "")
    for verb in ("do", "does", "did", "is", "are", "was", "were", "ca", "could", "wo", "would", "has", "have", "had"):
        tags[verb + "nt"] = tags[verb] + tags["not"]
    tags["cannot"] = tags["ca"] + tags["not"]
    tags |= {mark: mark for mark in PUNCTUATION} | dict.fromkeys("—–…", ",") | {'"': ""}
    return tags, members


_NAME = re.compile(r"[^\W\d_][\w']*")
_ELEMENT = re.compile(r"[^\W\d_][\w']*|~~|~|-|#|(?<![?<])=|\^|\$| ")
_WORD = "[^" + re.escape(PUNCTUATION) + "]"
_PARTS = {name: "".join(rows(table)) for name, table in _TABLE["parts"].items()}


def _spelled(rule: str) -> str:
    while "<" in rule.replace("(?<", ""):
        rule = re.sub(r"<([A-Z]+)>", lambda part: _PARTS[part[1]], rule)
    return rule


_RULES = {family: [_spelled(rule) for rule in rows(table)] for family, table in _TABLE["rules"].items()}
TAGS, _MEMBERS = _tag_table(
    name
    for rule in (*itertools.chain(*_RULES.values()), _TABLE["hints"], *_PARTS.values())
    for name in _NAME.findall(rule)
)


def members(*names: str) -> str:
    """The tags of some classes and words."""
    return "".join(_MEMBERS[name] for name in names)


def charset(*names: str) -> str:
    return f"[{members(*names)}]"


_START = f"(?<={charset('START')})"
_OPENS = f"(?<![^{re.escape(BREAKS)}])"
_BARRED = re.escape(PUNCTUATION) + members("RELATIVE", "COND", "BARRED", "which")
_VERBS = members("BE", "QUOTING")
_CLAUSAL = _VERBS + members(
    "HAVE", "DO", "CAN", "REMAIN", "FINITE", "NOT", "no", "neither", "none", "WH", "PRONOUN", "TURN"
)
_MARKS = {
    "~~": f"[^{_BARRED}]{{0,9}}?",
    "~": f"[^{_BARRED}]{{0,3}}?",
    "-": f"[^{_BARRED}{members('PREP')}]{{0,3}}?",
    # A headline, without a verb: after up to six words at the start of a sentence, or else at once
    "#": f"(?:{_OPENS}[^{_BARRED}{_VERBS}]{{0,6}}?|(?<![^,(])|{_START})",
    "=": f"(?:{_OPENS}|{_START}|(?<={charset('START')},))",
    "G": f"[^{_BARRED}]",
    "C": f"[^{_BARRED}{_CLAUSAL}]",
    "W": _WORD,
    " ": "",
    "^": f"(?:(?<!{_WORD})|{_START})",
    "$": f"(?!(?!{charset('AFTER')}){_WORD})",
}


def _translated(rule: str) -> str:
    """The regular expression on tags that a rule stands for."""
    return _ELEMENT.sub(lambda found: _MARKS[found[0]] if found[0] in _MARKS else charset(found[0]), rule)


def _expression(rule: str) -> str:
    """The same for a rule with parts, as one group."""
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
    for family, rules in _RULES.items():
        for rule in rules:
            opening = _opening(rule)
            for tag in [""] if {"W", "G"} & {*opening} else {*members(*opening)}:
                table.setdefault(tag, {}).setdefault(family, []).append(rule)
    return table


_BY_TAG = _dispatch()
HINT = re.compile(charset(*_TABLE["hints"].split()))
HINT_WORDS = frozenset(word for word, tag in TAGS.items() if HINT.search(tag))
EDGE = PUNCTUATION + members("START")
# Where rules may begin: at an opening tag, or at the first word of a clause.
PLACE = re.compile(f"[{''.join(_BY_TAG)}]|(?<![^{re.escape(EDGE)}]){_WORD}")


def matched(tag: str, tags: str, first: int, last: int) -> re.Match[str] | None:
    """By the first rule for an opening tag that matches."""
    for rule in _at(tag):
        if match := rule.match(tags, first, last):
            return match
    return None


@functools.cache
def _at(tag: str) -> tuple[re.Pattern[str], ...]:
    """The rules for one opening tag. They are compiled on first use, one by one: most runs meet few of them, and many
    tags share them."""
    return tuple(_rule(family, rule) for family, rules in _BY_TAG.get(tag, {}).items() for rule in rules)


@functools.cache
def _rule(family: str, rule: str) -> re.Pattern[str]:
    return re.compile(f"(?P<{family}>{_translated(rule)})")


@functools.cache
def _phrase() -> re.Pattern[str]:
    """A source with its complement. In "Section 4 of the lease" the lease decides, as it would without the section.
    "Section 4" alone is a rule, too: that it gives no right is an answer."""
    head = _expression("<RULING>|(?!<THING>) <ANY>|PARTY (?=(PREP|LINK) C{0,2}? NORM)")
    complement = _expression(
        "(?!<LABEL> <VERB>) (<ASIDE>)? (<LABEL>)? (<ASIDE>|<LINKED>)? (, <LINKED> ,)?|<LABEL> (?=<TELLS>)"
    )
    joint, verb = _expression("(,|and){0,3}"), _expression("<MODS> <VERB>")
    no_subject = _expression("^ (?!as) PREP C{0,3}? <ANY>")  # "Under the lease with Alder the tenant ..."
    return re.compile(f"{no_subject}|{head}(?P<complement>{complement}(?P<joint>{joint}))(?={verb})")


_ARTICLES = frozenset(("the", "a", "an"))
_BEFORE_ARTICLE = re.compile(charset("PREP", "LINK", "SENT", "and", "or") + r"|[,(]|$")
# Parts of a source that are pointed at ("both clauses", "rules 3 and 7", "the sections you sent") are the texts at
# hand, whatever kind of source they are from.
_PIECES = frozenset(_TABLE["pieces"].split())
_PIECES |= {f"{piece}s" for piece in _PIECES}
_POINTING, _AT_HAND = frozenset(_TABLE["pointing"].split()), frozenset(_TABLE["at_hand"].split())
_LISTING = frozenset(("and", "or", ",", "to", "nor", "-"))


def tags_of(tokens: Sequence[str]) -> list[str]:
    """The tags of each token, with none for those of a complement; pieces that are pointed at are texts."""
    tags = [TAGS[token] for token in tokens]
    for place, token in () if _PIECES.isdisjoint(tokens) else enumerate(tokens):
        if token in _PIECES:
            before, behind = tokens[max(0, place - 3) : place], _listed(tokens, place + 1)
            at_hand = _AT_HAND.intersection(tokens[behind : behind + 1]) or behind > place + 2
            if at_hand or not _POINTING.isdisjoint(before):
                tags[place:behind] = [TAGS["passages"], *[""] * (behind - place - 1)]
    return _bare(tokens, tags)


def _listed(tokens: Sequence[str], place: int) -> int:
    """Where the numbers behind a piece end: "rules 3, 4 and 7"."""
    end = place
    while place < len(tokens) and (
        tokens[place][:1].isdigit() or tokens[place] in _LISTING or tokens[place] in _PIECES
    ):
        place += 1
        end = place if tokens[place - 1][:1].isdigit() else end
    return end


def _bare(tokens: Sequence[str], tags: list[str]) -> list[str]:
    found = [match for match in _phrase().finditer("".join(tags)) if match["complement"]]
    places = [place for place, tag in enumerate(tags) for _ in tag] if found else []
    for match in found:
        first, last = places[match.start("complement")], places[match.end()]
        cited = tokens[last - 1].startswith("[")  # "[a#1], [a#2] and [a#3]" leaves its joints
        if (cited or not match["joint"]) and not _opens_another(tokens[first:last], tags[first:last]):
            tags[first:last] = [""] * (last - first)
    return tags


def _opens_another(tokens: Sequence[str], tags: list[str]) -> bool:
    """Whether another noun phrase begins inside: "(the lease) with Alder the tenant"."""
    before = ""
    for token, tag in zip(tokens, tags, strict=True):
        if token in _ARTICLES and not _BEFORE_ARTICLE.match(before):
            return True
        before = tag or before
    return False
