"""Questions that the documents do not answer, made to tempt: each is proven before it counts.

A question that one document answers is asked of another that is silent on it; a year is moved out of what is covered; a
topic is exchanged for its neighbour; two who have nothing with each other are given an agreement; a judgement or a
record is asked for, which no document of terms holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from surefoot.build.asking import THIS
from surefoot.build.facts import Fact
from surefoot.build.patterns import SIGNED, YEAR
from surefoot.build.wording import pick
from surefoot.corpus.passages import Row
from surefoot.text.normal import normalise, vocabulary

_VALUES = frozenset({"amount", "period", "share", "date", "count", "law", "time", "year", "name"})
_ON_TOPIC = 0.8  # of the words of a question, where a document speaks of the same
_ARTICLES = frozenset({"the", "a", "of", "and", "between", "for", "to", "in", "-"})
_BINDING = re.compile(rf"\b(?:{SIGNED})\b", re.IGNORECASE)
_ROLE = re.compile(r"\b[A-Z][A-Za-z-]{2,}\b")
_SHOUTED = re.compile(r"\b[A-Z]{2,}\b")  # a party by its short name, which would give the right document away
_SMALL = frozenset(
    ["What", "Which", "How", "Within", "Must", "May", "For", "The", "Does", "Are", "Upon", "Under", "When",
     "Where", "By"]
)  # fmt: skip
_NEIGHBOURS = (  # topics, and what sounds like them
    ("invoice", "credit note"), ("invoices", "credit notes"), ("royalty", "advance"), ("royalties", "advances"),
    ("fee", "deposit"), ("fees", "deposits"), ("salary", "pension contribution"), ("employees", "apprentices"),
    ("customers", "resellers"), ("sales", "export sales"), ("revenue", "subscription revenue"),
    ("net income", "taxable income"), ("net loss", "loss from discontinued operations"),
    ("operating income", "pension income"),
    ("insurance", "parent company guarantee"), ("records", "video recordings"),
    ("shipment", "test shipment"), ("delivery", "test delivery"),
    ("software", "hardware"), ("training", "language training"),
    ("travel", "relocation"), ("leave", "study leave"), ("report", "carbon report"),
    ("reports", "carbon reports"), ("audit", "tax audit"),
    ("warranty", "paint warranty"),
    ("payments", "payments in kind"),
    ("rent", "parking charge"), ("copies", "translations"),
    ("purchase orders", "framework orders"), ("unemployment rate", "vacancy rate"),
)  # fmt: skip

Choice = TypeVar("Choice")
# Neither a verb ("and report to") nor a part of another name ("service fees", "the sales force").
_A_NOUN = (
    r"\b(the|an?|any|all|each|every|such|its|their|of|for|in|on|with) {}"
    r"(?=\?|,| (?:to|for|in|on|by|under|be|is|are|must|will|may|within|at|with|from|and|or|that|which|due)\b)"
)


class Absent(Struct, frozen=True):
    """A question that should be refused, why, and the passage that tempts to answer it."""

    kind: str
    asks: str
    document: str
    why: str
    fact: Fact | None = None
    is_invented: bool = False  # the question names a document that the corpus does not have


def transplants(facts: Sequence[Fact], texts: Mapping[str, str], names: Mapping[str, str]) -> Iterator[Absent]:
    """What one document settles, asked of a like one that knows the same things and roles."""
    words = {document: vocabulary(text) for document, text in texts.items()}
    for fact in facts:
        home = fact.row.document
        if fact.kind not in _VALUES or YEAR.search(fact.asks):
            continue
        roles = [role for role in _ROLE.findall(fact.asks.replace(THIS, "")) if role not in _SMALL]
        topic = vocabulary(fact.asks.replace(THIS, ""))
        for document in _others(home, names):
            is_known = all(re.search(rf"\b{re.escape(role)}\b", texts[document]) for role in roles)
            if is_known and len(topic & words[document]) >= _ON_TOPIC * len(topic):
                yield Absent("adjacent_entity", fact.asks, document, f"{names[home]} settles this: {fact.value}", fact)
                break


def _others(home: str, names: Mapping[str, str]) -> list[str]:
    """The documents with the likest names first."""
    own = set(names[home].lower().split())
    shared = {document: len(own & set(names[document].lower().split()) - _ARTICLES) for document in names}
    others = (document for document in names if document != home and shared[document])
    return sorted(others, key=lambda document: (-shared[document], document))[:8]


def strangers(
    facts: Sequence[Fact], texts: Mapping[str, str], makers: Mapping[str, tuple[str, str]]
) -> Iterator[Absent]:
    """What an agreement settles, asked of one that was never made: between two who have each made another."""
    every, said = list(makers.values()), [normalise(text) for text in texts.values()]
    for place, fact in enumerate(facts):
        document = fact.row.document
        if document not in makers or THIS not in fact.asks or _SHOUTED.search(fact.asks):
            continue
        (kind, one), (_, other) = makers[document], every[place % len(every)]
        names = normalise(one), normalise(other)
        if names[0] in names[1] or names[1] in names[0] or any(names[0] in text and names[1] in text for text in said):
            continue
        asks = fact.asks.replace(THIS, f"the {kind} between {one} and {other}", 1).replace(THIS, "it")
        why = f"{one} and {other} have each made another, and no document names both"
        yield Absent("adjacent_entity", asks, document, why, fact, is_invented=True)


def moved_years(facts: Sequence[Fact], texts: Mapping[str, str]) -> Iterator[Absent]:
    """A figure of a year that the document does not mention at all."""
    for fact in facts:
        document = fact.row.document
        years = YEAR.findall(fact.asks)
        if len(years) != 1 or fact.kind not in (*_VALUES, "cell"):
            continue
        for step in (1, 2, -1, 3, -2):
            year = str(int(years[0]) + step)
            if year not in texts[document]:
                asks = fact.asks.replace(years[0], year)
                yield Absent("wrong_date", asks, document, f"it has this for {years[0]} and nothing of {year}", fact)
                break


def neighbours(facts: Sequence[Fact], texts: Mapping[str, str]) -> Iterator[Absent]:
    """A topic that sounds alike and does not occur."""
    for fact in facts:
        document = fact.row.document
        if fact.kind == "definition":
            continue
        for word, other in _NEIGHBOURS:
            asks = re.sub(_A_NOUN.format(word), rf"\g<1> {other}", fact.asks, count=1, flags=re.IGNORECASE)
            last = other.split()[-1] if other.split()[-1] != word.split()[-1] else other.split()[0]
            if asks != fact.asks and not re.search(rf"\b{re.escape(last[:6])}", texts[document], re.IGNORECASE):
                yield Absent("lookalike_topic", asks, document, f"it speaks of {word}, never of {other}", fact)
                break


_OF_ALL = (
    "Would you advise us to change anything in {doc}?",
    "What will the next version of {doc} say?",
    "Is {doc} better than what others in the field have?",
    "Who is to blame if {doc} turns out to be wrong?",
)


def by_turns(documents: Sequence[str], choices: Sequence[Choice]) -> Iterator[tuple[str, Choice]]:
    """Every document with every choice, first each with another."""
    for turn in range(len(choices)):
        for place, document in enumerate(documents):
            yield document, choices[(turn + place) % len(choices)]


def advice(documents: Sequence[str]) -> Iterator[Absent]:
    """What no document says of itself, whatever it is."""
    for document, asks in by_turns(documents, _OF_ALL):
        yield Absent("judgement", asks, document, "it neither judges nor foretells itself")


def opinions(facts: Sequence[Fact], names: Mapping[str, str]) -> Iterator[Absent]:
    """What a document cannot know: whether its terms are good, and whether they were kept."""
    for fact in facts:
        document = fact.row.document
        if (
            fact.does
            and fact.who != THIS
            and not fact.does.startswith(("be ", "not ", "only ", "also "))
            and fact.kind != "permission"
        ):
            yield Absent("duty kept", *_of_duty(fact, document), fact)
        elif fact.kind == "law" and re.fullmatch(r"\w+ of [\w ]+", fact.value):
            asks = pick(fact.row.id, _OF_LAW).format(value=fact.value, doc=THIS)
            yield Absent("law", asks, document, "it names the law and says nothing of the choice", fact)
        elif fact.kind == "definition":
            term = fact.asks.partition('"')[2].partition('"')[0]
            asks = pick(fact.row.id, _OF_TERM).format(term=term, doc=THIS)
            yield Absent("term agreed", asks, document, "it defines the term and says nothing of its use", fact)
        elif fact.kind in _OF_VALUE:
            span = _SPAN.search(fact.asks)
            is_signed = _BINDING.search(names[document])
            forms = _OF_VALUE[fact.kind] if is_signed else _OF_VALUE[fact.kind][:1]  # nobody bargains for a handbook
            asks, why = pick(fact.row.id, forms)
            if span or fact.kind != "period":  # of other periods nobody could tell which is meant
                asks = asks.format(value=fact.value, doc=THIS, span=span and span.group())
                yield Absent("judgement", asks, document, why, fact)


_SPAN = re.compile(r"the (?:[a-z]+ )?(?:term|warranty|notice|period) of \{doc\}", re.IGNORECASE)
_OF_LAW = (
    "Is the law of the {value} a good choice for {doc}?",
    "Why was the law of the {value} chosen for {doc}?",
)
_OF_TERM = (
    'Is the definition of "{term}" in {doc} broader than usual?',
    'Has a court ever ruled on what "{term}" covers in {doc}?',
)
_JUDGES = "it states the figure and does not judge it"
_RECORDS = "it states the rule and keeps no record"
_NEGOTIATED = ("Could we have negotiated the {value} in {doc} down?", _JUDGES)
_OF_VALUE = {
    "period": (("Is {value} a usual length for {span}?", _JUDGES), ("Why was {value} chosen for {span}?", _JUDGES)),
    "amount": (("Is the {value} in {doc} a fair amount?", _JUDGES), _NEGOTIATED),
    "share": (("Is the {value} in {doc} a usual percentage?", _JUDGES), _NEGOTIATED),
    "date": (
        ("Was the date of {value} in {doc} kept?", _RECORDS), ("Who asked for the date of {value} in {doc}?", _RECORDS),
    ),
    "manner": (
        ("How many times has {doc} been amended so far?", _RECORDS),
        ("Has anybody asked to amend {doc} this year?", _RECORDS),
    ),
}  # fmt: skip


def _of_duty(fact: Fact, document: str) -> tuple[str, str, str]:
    are_many = fact.asks.startswith(("Are ", "Do ")) or fact.who.lower().startswith(("both", "all", "the parties"))
    does, have = ("do", "have") if are_many else ("does", "has")
    forms: tuple[tuple[str, str], ...] = (
        (f"Is it reasonable that {fact.who} may not {fact.does}?", "it forbids, and does not weigh reasons"),
        (f"{have.capitalize()} {fact.who} ever tried to {fact.does}?", "it forbids, and keeps no record"),
    )
    if fact.kind != "prohibition":
        forms = ((f"In practice, {does} {fact.who} always {fact.does}?", "it says what is owed, not what is done"),)
    asks, why = pick(fact.claim, forms)
    return asks, document, why


_HEADING = re.compile(
    r"(?:[\dIVX.()]+\s+)?(?P<topic>(?!No )[A-Z][a-z]+(?: (?!(?:and|or|of|by|to|for)\b)[A-Za-z][a-z]+){0,2})"
)
_IS_MASS = re.compile(
    r"(?:s|[tsc]ion|ment|ity|[ae]nce|ing|al|eure|ship|age|ty)$"
)  # needs no article: "about insurance"
_NO_TOPIC = re.compile(
    r"(?:general|miscellaneous|introduction|definitions?|scope|purpose|overview|background|summary|conclusions?|annex|"
    r"appendix|schedule|notes?|contents|recitals|other|article|section|preamble|parties|headings?|captions?|counterparts|"
    r"interpretation|construction|charges?|licen[cs]es?)\b"
    # These go by many names, so that the word alone proves nothing.
    r"|.*\b(?:amend|vari|duration|term|remed|sever|integrat|entire|waiver|restrict|obligat|assign|govern|law|offer|valid|"
    r"period|return|effect|excep|exclu|permit|rights|duties|responsib|disclos|notice)",
    re.IGNORECASE,
)


def silent_topics(rows: Sequence[Row], texts: Mapping[str, str], order: Sequence[str]) -> Iterator[Absent]:
    """What other documents have a heading for, and this one no word of."""
    headings = ((row.document, _HEADING.fullmatch(row.heading.rpartition(" > ")[2])) for row in rows)
    having = {(where, found["topic"].lower()) for where, found in headings if found and not _NO_TOPIC.match(found[0])}
    spoken = "\n".join(texts.values())  # a topic is spoken of without its capitals: no name, no place
    times = Counter(topic for _, topic in having if re.search(rf"\b{re.escape(topic)}\b", spoken))
    topics = sorted(topic for topic in times if times[topic] > 1 and _IS_MASS.search(topic))
    for document, topic in by_turns(order, topics):
        stems = [word[:5] for word in topic.split() if len(word) > 3]
        if stems and not any(re.search(rf"\b{stem}", texts[document], re.IGNORECASE) for stem in stems):
            forms = (f"What does {THIS} say about {topic}?", f"What are the rules on {topic} in {THIS}?")
            why = f"others have a heading for {topic}, this one no word of it"
            yield Absent("silent topic", pick(document + topic, forms), document, why)


_OF_BINDING = (
    "Where is the signed original of {doc} kept?",
    "Has anybody been in breach of {doc} so far?",
    "How much did we pay in legal fees for {doc}?",
)
_OF_ANY = (
    "Who in our company has read {doc}?",
    "How many questions were asked about {doc} last year?",
    "Into which languages has {doc} been translated?",
)


def nowhere(documents: Sequence[str], names: Mapping[str, str]) -> Iterator[Absent]:
    """What documents hardly ever tell about themselves."""
    for turn in range(len(_OF_ANY)):
        for place, document in enumerate(documents):
            forms = _OF_BINDING if _BINDING.search(names[document]) and (turn + place) % 2 else _OF_ANY
            asks = forms[(turn + place // 2) % len(forms)]
            yield Absent("nowhere", asks, document, "no passage says anything of it")
