"""What a sentence states once the talk around it is taken away, and the grammar of declining.

`words/refusals.toml` has the grammar's word classes and rules, compiled here. Every known word becomes a character that
stands for all its classes: "report" is a source and a verb of telling at once. So an answer turns into a short string
of tags, and a rule into a regular expression on that string. Every repeat in one is bounded, so matching takes time
linear in the text. What stands between the noun of a source and its verb is taken out first ("the lease (with Alder, of
2024) does not say"): a complement cannot change what the rules find.

Talk is said to the reader ("let me know"), about the answer ("this is based on ...") or about what the sources hold. An
opening that sounds like talk settles nothing: it may lead to a statement ("please note that the fee is 5 euros") or
carry one along ("good luck with the reboot, which takes four minutes"). So a sentence is read in parts, and states
something if one of them does: with a subject and a verb that are about neither the reader nor the answer, or with a
figure that was not given before.
"""

from __future__ import annotations

import functools
import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from surefoot.core.types import Trace
from surefoot.text.citations import blanked, locate, resolve
from surefoot.text.normal import WORDS, phrase, rows, sentences, stem, terms, word_set, words_of
from surefoot.text.numbers import Quantity, quantities

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
_TAGGED_WORD = "[^" + re.escape(PUNCTUATION) + "]"
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
    "W": _TAGGED_WORD,
    " ": "",
    "^": f"(?:(?<!{_TAGGED_WORD})|{_START})",
    "$": f"(?!(?!{charset('AFTER')}){_TAGGED_WORD})",
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
PLACE = re.compile(f"[{''.join(_BY_TAG)}]|(?<![^{re.escape(EDGE)}]){_TAGGED_WORD}")


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
_LISTING_TAGS = frozenset(("and", "or", ",", "to", "nor", "-"))


def tags_of(tokens: Sequence[str]) -> list[str]:
    """The tags of each token, with none for those of a complement; pieces that are pointed at are texts."""
    tags = [TAGS[token] for token in tokens]
    for place, token in () if _PIECES.isdisjoint(tokens) else enumerate(tokens):
        if token in _PIECES:
            before, behind = tokens[max(0, place - 3) : place], _listed(tokens, place + 1)
            at_hand = _AT_HAND.intersection(tokens[behind : behind + 1]) or behind > place + 2
            if at_hand or not _POINTING.isdisjoint(before):
                tags[place:behind] = [TAGS["passages"], *[""] * (behind - place - 1)]
    return _without_complements(tokens, tags)


def _listed(tokens: Sequence[str], place: int) -> int:
    """Where the numbers behind a piece end: "rules 3, 4 and 7"."""
    end = place
    while place < len(tokens) and (
        tokens[place][:1].isdigit() or tokens[place] in _LISTING_TAGS or tokens[place] in _PIECES
    ):
        place += 1
        end = place if tokens[place - 1][:1].isdigit() else end
    return end


def _without_complements(tokens: Sequence[str], tags: list[str]) -> list[str]:
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


_TALK, _FIRST_PERSON, _PERSON = phrase("talk"), phrase("first_person"), phrase("person")
_POINTERS, _BINDING, _VAGUE = phrase("pointers"), phrase("binding"), phrase("vague")
_NEGATION, _UNTOLD, _TELLS, _RULED = phrase("negation"), phrase("untold"), phrase("tells"), phrase("ruled")
_HOLDS, _SUBJECTLESS, _TREATS = phrase("holds"), phrase("subjectless"), phrase("treats")
_CITED = re.compile(r"\[[^\[\]\n]{0,80}\]|\([^()\n]{0,80}\)")
_TOPICS, _REPORTS, _WHETHER = phrase("topics"), phrase("reports"), phrase("whether")
_DOCUMENT, _OF_SOURCE, _REFERENCE = phrase("document"), phrase("of_source"), phrase("reference")
_INTERROGATIVE, _INVERTED, _CONDITION = phrase("interrogative"), phrase("inverted"), phrase("condition")
_PART, _VERB, _CONTRACTED = phrase("part"), phrase("verb"), phrase("contracted")
_LISTING, _LISTED = phrase("listing"), phrase("listed")
_CONVERSATION = frozenset(
    stem(word + ending) for word in WORDS["conversation"].split() for ending in ("", "s", "d", "ed", "ing")
)
_INDIRECT = re.compile(r"(?<=\w )(?:whether|if|what|when|who|how|which|where|why)\b.*", re.IGNORECASE | re.DOTALL)
_FRAGMENT = 3  # words
_REMEMBERED = 2_000  # the same few sentences are asked about from several sides


class _Part(NamedTuple):
    text: str
    start: int
    link: str  # what it hangs on: "told", "relative" or ""
    is_question: bool = False


def stated(sentence: str, known: Container[float] = ()) -> str:
    """The part of a sentence that states something, "" where it only talks; `known` are figures given before it."""
    parts = _read(sentence)
    stating = [place for place, part in enumerate(parts) if _states(part)]
    if stating:
        return _from_to(sentence, parts, stating)
    talks = _is_question(sentence) or any(is_talk(part.text) for part in parts) or not _has_substance(sentence)
    has_news = any(figure.value not in known for figure in figures(sentence))
    return "" if talks and not has_news else sentence


def asks(sentence: str) -> bool:
    """Whether it asks something, and states nothing beside."""
    return _is_question(sentence) and not any(map(_states, _read(sentence)))


def _is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'”) ").endswith("?")


def _read(sentence: str) -> tuple[_Part, ...]:
    parts = _parts(sentence)
    if _is_question(sentence) and _INVERTED.match(sentence):
        parts = (parts[0]._replace(is_question=True), *parts[1:])
    return parts


def _from_to(sentence: str, parts: tuple[_Part, ...], stating: list[int]) -> str:
    """Without the talk before the first part that states something, and behind the last one."""
    first, last = stating[0], len(parts) - 1
    opens_with_talk = any(is_talk(part.text) for part in parts[:first]) or is_talk(sentence[: parts[first].start])
    start = parts[first].start if opens_with_talk and parts[first].link != "relative" else 0
    while last > stating[-1] and _is_let_go(parts[last]):
        last -= 1
    return sentence[start : parts[last].start + len(parts[last].text)].rstrip(" ,;-–—(")


def _is_let_go(part: _Part) -> bool:
    if part.link == "relative" or figures(part.text):
        return not _has_substance(part.text)
    return is_talk(part.text) or leads_on(part.text)


@lru_cache(maxsize=_REMEMBERED)
def _parts(sentence: str) -> tuple[_Part, ...]:
    found, here, link = [], 0, ""
    for match in _PART.finditer(sentence):
        found.append(_Part(sentence[here : match.start(match.lastgroup or 0)], here, link))
        here, link = match.end(), match.lastgroup or ""
    return (*found, _Part(sentence[here:], here, link))


@lru_cache(maxsize=_REMEMBERED)
def _states(part: _Part) -> bool:
    text = part.text
    if part.is_question or is_talk(text) or not _has_substance(text) or _VAGUE.search(text):
        return False
    if part.link == "told":
        return True
    if part.link == "relative":
        if _TREATS.match(text) and not figures(text):
            return False
        return not _PERSON.search(text) and bool(_VERB.search(f"which {text}") or figures(text))
    if _INTERROGATIVE.match(text) or _CONDITION.match(text):
        return False
    return _VERB.search(text) is not None


@lru_cache(maxsize=_REMEMBERED)
def is_talk(text: str) -> bool:
    """Whether a part of a sentence is said to the reader, or about the answer or the sources."""
    return bool(_TALK.match(text) or _FIRST_PERSON.search(text))


def substance(text: str) -> set[str]:
    """The words of a text that are not just those of conversation."""
    return set(terms(_CONTRACTED.sub("", text))) - _CONVERSATION


def leads_on(text: str) -> bool:
    """Whether a text only says who may know, where it may be found, or what it would take to tell."""
    return not figures(text) and bool(_POINTERS.search(text)) and all(map(points, stating(text)))


def asserts(sentence: str) -> bool:
    """Whether a sentence states something that is neither a pointer nor about what the sources hold."""
    found = stated(sentence)
    return bool(found) and not all(map(_is_beside, stating(found) or [found]))


def _is_beside(part: str) -> bool:
    return (not figures(part) and points(part)) or is_absence(part) or is_topic(part)


def points(part: str) -> bool:
    return not _BINDING.search(part) and bool(_POINTERS.search(part))  # which takes far longer to look for


def is_absence(part: str) -> bool:
    """Whether a part says that something is not in the sources; a rule that denies something is in them."""
    direct = _INDIRECT.sub("", part) or part
    absent = _UNTOLD.search(direct) or (_NEGATION.search(direct) and _tells(part))
    if not absent or figures(direct):
        return False
    return not _RULED.search(direct) or names_source(part) or bool(_WHETHER.match(part))


def _tells(part: str) -> bool:
    """Whether a part speaks of what a source tells or holds."""
    if _TELLS.search(part):
        return True
    return bool(_HOLDS.search(part)) and (bool(_SUBJECTLESS.match(part)) or is_of_source(part))


@lru_cache(maxsize=_REMEMBERED)
def negation(text: str) -> re.Match[str] | None:
    """The first word that denies something or says that it is absent."""
    found = [match for match in (_NEGATION.search(text), _UNTOLD.search(text)) if match]
    return min(found, key=lambda match: match.start(), default=None)


def is_topic(part: str) -> bool:
    """Whether a part says what the sources are about."""
    return bool(_TOPICS.search(part))


def goes_on_listing(before: str, part: str) -> bool:
    """Whether a part only goes on with a list of topics: "nothing about fees, deadlines and penalties"."""
    return bool(_LISTED.match(part) and _LISTING.search(before.rstrip(" ,")))


def reports(text: str) -> bool:
    """Whether it tells what a source says."""
    return _REPORTS.match(text) is not None


def names_source(text: str) -> bool:
    """Whether it speaks of a source; one that is only cited stands in brackets."""
    text = _CITED.sub("", text)
    return bool(_OF_SOURCE.search(text) or _REFERENCE.search(text))


def is_of_source(text: str) -> bool:
    """The same for anything that may be a source: a law, a list."""
    return names_source(text) or bool(_DOCUMENT.search(text))


def stating(text: str) -> list[str]:
    """The parts of a text that state something."""
    return [part.text for part in _parts(text) if _states(part)]


def states(text: str) -> bool:
    """Whether a part of the text has a subject and a verb that are about neither the reader nor the answer."""
    return bool(stating(text))


def _has_substance(text: str) -> bool:
    return bool(substance(text) or quantities(without_references(text)))


def before_verb(text: str) -> str:
    """What stands before the first verb; nothing where there is no verb."""
    verb = _VERB.search(text)
    # Some patterns begin with the word before the verb, or its last letter, and end with the word behind it.
    before = verb[0].split(" ") if verb else []
    return text[: verb.start() + (len(before[0]) if len(before) == 3 else 0)] if verb else ""


def is_fragment(text: str) -> bool:
    """A few words without verb or figure: "Safe travels!" - or an answer, where nothing was said before."""
    return len(text.split()) <= _FRAGMENT and not _VERB.search(text) and not figures(text)


def has_value(text: str) -> bool:
    """Whether a heading gives a value: an amount with its unit."""
    return any(found.kind not in ("number", "year") for found in figures(text))


def without_references(text: str) -> str:
    return _REFERENCE.sub(" ", text)


@lru_cache(maxsize=_REMEMBERED)
def figures(text: str) -> tuple[Quantity, ...]:
    """Amounts; not the numbers of clauses and pages, nor years."""
    return tuple(found for found in quantities(without_references(text)) if found.kind != "year")


CLAUSE = phrase("clause")
_POINTED = phrase("pointed")
_COLON = re.compile(r":\s")
_ABSENCE = ("ABSENT", "UNSAID", "FEW", "SILENT", "UNABLE", "AVOID")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDING = re.compile(r"(?:n['’]t|['’]\w+)$")  # "isn't", "I've", "landlord's"
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_NEAR, _FAR = 40, 200  # characters looked at before a word or figure, and behind a cut
_OF_DECLINING = (
    "SPEAK", "SAY", "HOLD", "HELD", "TELL", "JUDGE", "JUDGED", "SAID", "GIVEN", "SAYING", "PIECE", "REQUEST",
    "WILLING", "SENT", "FAIR", "HARD", "GUESS", "BE", "REMAIN", "HAVE", "DO", "CAN", "WILL", "NOT", "WH", "PREP",
    "PRONOUN", "CONJ", "TURN", *_ABSENCE, "DE_NOT", "DE_CAN", "DE_TELL", "DE_SAID", "DE_SAY", "DE_SRC", "DE_INFO",
)  # fmt: skip
NEVER = frozenset((*WORDS["around"].split(), *CLASSES["TEXT"], *CLASSES["INFO"], *CLASSES["REQUEST"]))
OF_DECLINING = NEVER.union(*(CLASSES[name] for name in _OF_DECLINING))
SOURCES = frozenset((*CLASSES["TEXT"], *CLASSES["PAPER"], *CLASSES["NORM"]))
_NEVER_STEMS = frozenset(map(stem, NEVER))


class Clause(NamedTuple):
    shown: str  # as the answer has it
    text: str  # with blanks for citation marks
    sentence: int
    cited: tuple[str, ...]
    asks: bool  # its sentence is a question

    @property
    def is_negated(self) -> bool:
        return negation(self.text) is not None


def clauses_of(trace: Trace) -> list[Clause]:
    """The last one is wordless where the answer has a list of citations, or a field for them."""
    answer, texts = trace.answer or "", trace.retrieved or ()
    marks = sorted(locate(answer, trace.names, (), texts))
    text = blanked(answer, marks)
    inline = [mark for mark in marks if not mark.is_list]
    starts = [mark.start for mark in inline]
    found: list[Clause] = []
    for number, (start, end) in enumerate(_sentences(answer)):
        asks = text[start:end].rstrip(" \n\"'”)*").endswith("?")
        for left, right in _cut(text, start, end):
            inside = inline[bisect_left(starts, left) : bisect_left(starts, right)]
            if inside and found and not found[-1].cited and not _WORD.search(text, left, inside[0].start):
                found[-1] = found[-1]._replace(cited=inside[0].ids)  # the mark stands behind a full stop
            if _WORD.search(text, left, right):
                cited = tuple(i for mark in inside for i in mark.ids)
                found.append(Clause(answer[left:right].strip(), text[left:right], number, cited, asks))
    listed = (
        *(i for mark in marks if mark.is_list for i in mark.ids),
        *resolve(trace.citations or (), trace.names, (), texts),
    )
    return [*found, Clause("", "", -1, listed, asks=False)] if listed else found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        start = at
        for piece in sentences(line) if line.strip() else ():
            yield start, start + len(piece)
            start += len(piece)
        at += len(line)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    colon = _COLON.search(text, start, end)
    cuts = [colon.span()] if colon and _declines(text[start : colon.start()]) else []
    here = start
    for left, right in sorted([*cuts, *(match.span() for match in CLAUSE.finditer(text, start, end))]):
        if left > here and not _is_denied_of(text[here:left], text[right : min(end, right + _FAR)]):
            yield here, left
            here = right
    yield here, end


def _declines(label: str) -> bool:
    """A statement before a colon, rather than a label such as "Missing:"."""
    return len(_WORD.findall(label)) > 2 and negation(label) is not None


def _is_denied_of(clause: str, following: str) -> bool:
    """ "I would need the holding, which the documents do not contain" is one statement."""
    return following[:6].lower() == "which " and negation(following) is not None and negation(clause) is None


def words(text: str) -> list[str]:
    return [word for word, _ in words_at(text)]


def words_at(text: str) -> Iterator[tuple[str, str]]:
    """Each word in lower case and without its ending, with what stands shortly before it."""
    for match in _WORD.finditer(text):
        yield _bare(match.group()), text[max(0, match.start() - _NEAR) : match.start()]


@lru_cache(maxsize=20_000)
def _bare(word: str) -> str:
    return _ENDING.sub("", word.lower())


def digits_in(text: str) -> set[str]:
    """The number of a clause or page is none."""
    return set(_FIGURE.findall(_POINTED.sub(" ", text)))


@lru_cache(maxsize=5_000)
def contents(text: str) -> frozenset[str]:
    """What a text is about: the stems of its words, and its figures."""
    return frozenset((set(terms(text)) - _NEVER_STEMS) | digits_in(text))


def resembles(word: str, stems: Iterable[str]) -> bool:
    """Equal as a stem, or of one family: "territorial" and "territory"."""
    own = stem(word)
    return any(own == other or _root(own) == _root(other) for other in stems)


def _root(word: str) -> str:
    return word[: max(5, len(word) - 3)]
