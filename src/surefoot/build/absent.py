"""Questions that the documents do not answer, made to tempt: each is proven before it counts.

A question that one document answers is asked of another that is silent on it; a year is moved out of what is covered; a
topic is exchanged for its neighbour; two who have nothing with each other are given an agreement; a judgement or a
record is asked for, which no document of terms holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from surefoot.build.asking import THIS
from surefoot.build.facts import Fact
from surefoot.build.names import document_of
from surefoot.build.wording import pick
from surefoot.corpus.passages import Row
from surefoot.text.normal import normalise
from surefoot.text.terms import vocabulary

_VALUES = frozenset({"amount", "period", "share", "date", "count", "law"})
_ON_TOPIC = 0.8  # of the words of a question, where a document speaks of the same
_ARTICLES = frozenset({"the", "a", "of", "and", "between", "for", "to", "in", "-"})
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ROLE = re.compile(r"\b[A-Z][A-Za-z-]{2,}\b")
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


class Candidate(Struct, frozen=True):
    """A question that should be refused, why, and the passage that tempts to answer it."""

    kind: str
    asks: str
    document: str
    why: str
    fact: Fact | None = None
    is_invented: bool = False  # the question names a document that the corpus does not have


def transplants(facts: Sequence[Fact], texts: Mapping[str, str], names: Mapping[str, str]) -> Iterator[Candidate]:
    """What one document settles, asked of a like one that knows the same things and roles."""
    words = {document: vocabulary(text) for document, text in texts.items()}
    for fact in facts:
        home = document_of(fact.row)
        if fact.kind not in _VALUES or _YEAR.search(fact.asks):
            continue
        roles = [role for role in _ROLE.findall(fact.asks.replace(THIS, "")) if role not in _SMALL]
        topic = vocabulary(fact.asks.replace(THIS, ""))
        for document in _others(home, names):
            is_known = all(re.search(rf"\b{re.escape(role)}\b", texts[document]) for role in roles)
            if is_known and len(topic & words[document]) >= _ON_TOPIC * len(topic):
                yield Candidate(
                    "adjacent_entity", fact.asks, document, f"{names[home]} settles this: {fact.value}", fact
                )
                break


def _others(home: str, names: Mapping[str, str]) -> list[str]:
    """The documents with the likest names first."""
    own = set(names[home].lower().split())
    shared = {document: len(own & set(names[document].lower().split()) - _ARTICLES) for document in names}
    others = (document for document in names if document != home and shared[document])
    return sorted(others, key=lambda document: (-shared[document], document))[:8]


def strangers(
    facts: Sequence[Fact], texts: Mapping[str, str], makers: Mapping[str, tuple[str, str]]
) -> Iterator[Candidate]:
    """What an agreement settles, asked of one that was never made: between two who have each made another."""
    every, said = list(makers.values()), [normalise(text) for text in texts.values()]
    for place, fact in enumerate(facts):
        document = document_of(fact.row)
        if document not in makers or THIS not in fact.asks:
            continue
        (kind, one), (_, other) = makers[document], every[place % len(every)]
        names = normalise(one), normalise(other)
        if names[0] in names[1] or names[1] in names[0] or any(names[0] in text and names[1] in text for text in said):
            continue
        asks = fact.asks.replace(THIS, f"the {kind} between {one} and {other}", 1).replace(THIS, "it")
        why = f"{one} and {other} have each made another, and no document names both"
        yield Candidate("adjacent_entity", asks, document, why, fact, is_invented=True)


def moved_years(facts: Sequence[Fact], texts: Mapping[str, str]) -> Iterator[Candidate]:
    """A figure of a year that the document does not mention at all."""
    for fact in facts:
        document = document_of(fact.row)
        years = _YEAR.findall(fact.asks)
        if len(years) != 1 or fact.kind not in (*_VALUES, "cell"):
            continue
        for step in (1, 2, -1, 3, -2):
            year = str(int(years[0]) + step)
            if year not in texts[document]:
                asks = fact.asks.replace(years[0], year)
                yield Candidate("wrong_date", asks, document, f"it has this for {years[0]} and nothing of {year}", fact)
                break


def neighbours(facts: Sequence[Fact], texts: Mapping[str, str]) -> Iterator[Candidate]:
    """A topic that sounds alike and does not occur."""
    for fact in facts:
        document = document_of(fact.row)
        if fact.kind == "definition":
            continue
        for word, other in _NEIGHBOURS:
            asks = re.sub(rf"\b{word}\b(?! of\b)", other, fact.asks, count=1, flags=re.IGNORECASE)
            last = other.split()[-1] if other.split()[-1] != word.split()[-1] else other.split()[0]
            if asks != fact.asks and not re.search(rf"\b{re.escape(last[:6])}", texts[document], re.IGNORECASE):
                yield Candidate("lookalike_topic", asks, document, f"it speaks of {word}, never of {other}", fact)
                break


def opinions(facts: Sequence[Fact]) -> Iterator[Candidate]:
    """What a document cannot know: whether its terms are good, and whether they were kept."""
    for fact in facts:
        document = document_of(fact.row)
        if fact.does and not fact.does.startswith(("be ", "not ", "only ", "also ")) and fact.kind != "permission":
            yield Candidate("duty kept", *_of_duty(fact, document), fact)
        elif fact.kind == "law" and " of " in fact.value:
            asks = pick(fact.row.id, _OF_LAW).format(value=fact.value, doc=THIS)
            yield Candidate("law", asks, document, "it names the law and says nothing of the choice", fact)
        elif fact.kind == "definition":
            term = fact.asks.partition('"')[2].partition('"')[0]
            asks = pick(fact.row.id, _OF_TERM).format(term=term, doc=THIS)
            yield Candidate("term agreed", asks, document, "it defines the term and says nothing of its use", fact)
        elif fact.kind in _OF_VALUE:
            asks, why = pick(fact.row.id, _OF_VALUE[fact.kind])
            yield Candidate("judgement", asks.format(value=fact.value, doc=THIS), document, why, fact)


_OF_LAW = (
    "Is the law of the {value} a good choice for {doc}?",
    "How would a court outside the {value} read {doc}?",
)
_OF_TERM = (
    'Is the definition of "{term}" in {doc} broader than usual?',
    'Has a court ever ruled on what "{term}" covers in {doc}?',
)
_JUDGES = "it states the figure and does not judge it"
_RECORDS = "it states the rule and keeps no record"
_OF_VALUE = {
    "period": (
        ("Should we ask for more than {value} in {doc}?", _JUDGES),
        ("Is the period of {value} in {doc} in line with the market?", _JUDGES),
    ),
    "amount": (
        ("Is the {value} in {doc} a fair amount?", _JUDGES),
        ("Could we have negotiated the {value} in {doc} down?", _JUDGES),
    ),
    "share": (
        ("Is the {value} in {doc} a usual percentage?", _JUDGES),
        ("Could we have negotiated the {value} in {doc} down?", _JUDGES),
    ),
    "date": (
        ("Was the date of {value} in {doc} kept?", _RECORDS),
        ("Who asked for the date of {value} in {doc}?", _RECORDS),
    ),
    "manner": (
        ("How many times has {doc} been amended so far?", _RECORDS),
        ("Has anybody asked to amend {doc} this year?", _RECORDS),
    ),
}


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


class Usual(NamedTuple):
    """Where a document speaks of `topic`, people expect it to settle what is asked; words like `settled` do that."""

    topic: str
    asks: str
    settled: str


_USUAL = tuple(
    Usual(*one)
    for one in (
        ("terminat", "How many days' notice does it take to terminate {doc}?", "days.{0,60}notice|notice.{0,60}days"),
        ("invoice", "What rate of interest is due on late payments under {doc}?", "interest"),
        (
            "invoice",
            "Within how many days must an invoice be paid under {doc}?",
            "days.{0,200}invoice|invoice.{0,200}days",
        ),
        (
            "liability|be liable",
            "At what amount is liability capped under {doc}?",
            "exceed|limited to|(?:maximum|total) liab",
        ),
        (
            "confidential",
            "For how many years does the duty of confidentiality last under {doc}?",
            "years?\\b|months?\\b|perpetu|indefinite|surviv|remain (?:in|bind)|continue",
        ),
        ("insurance", "How much insurance cover does {doc} require?", r"insur.{0,300}(?:[$€£\d]|million)"),
        (
            "shipment|delivery date",
            "What penalty does {doc} set for each day that a delivery is late?",
            "penalt|liquidated damages|late fee|late charge",
        ),
        ("hotel", "What is the highest price of a hotel night that {doc} allows?", r"hotel.{0,200}\d|\d.{0,200}hotel"),
        (
            "audit",
            "How many days' notice must be given before an audit under {doc}?",
            "audit.{0,400}(?:days|notice)|days.{0,300}audit",
        ),
        (
            "arbitrat",
            "How many arbitrators are to decide a dispute under {doc}?",
            r"(?:single|sole|one|two|three|panel|\d).{0,40}arbitrator|an arbitrator",
        ),
        (
            "warranty period|product warranty",
            "How many months does the warranty last under {doc}?",
            "warrant.{0,300}(?:month|year|day)",
        ),
        (
            "breach",
            "How many days does a party have to cure a breach of {doc}?",
            "(?:cure|remed).{0,200}days|days.{0,200}(?:cure|remed)",
        ),
        ("renew", "How many months is each renewal term of {doc}?", "renew.{0,300}(?:month|year|term)"),
        (
            "(?:security|safety|data) incident|accident",
            "Within how many hours must an incident be reported under {doc}?",
            "hours|immediately|promptly",
        ),
        (
            "books and records|keep records|accurate records",
            "For how many years must records be kept under {doc}?",
            "years?\\b",
        ),
        (
            "price list|price increase",
            "By how many percent may prices rise in a year under {doc}?",
            "%|percent|per cent",
        ),
        ("holiday|vacation", "How many days of leave does {doc} grant a year?", "days"),
        (
            "complain",
            "Within how many days must a complaint be answered under {doc}?",
            "complain.{0,300}(?:day|hour|week)",
        ),
        (
            "return or destroy|return all|destroy all",
            "Within how many days must documents be returned under {doc}?",
            "(?:return|destroy).{0,300}days|days.{0,300}(?:return|destroy)",
        ),
        ("injuncti", "What sum is due as a contractual penalty for each breach of {doc}?", "penalt|liquidated"),
        (
            "assign",
            "What fee is due for an assignment of {doc}?",
            r"(?:assign|transfer).{0,200}(?:fee|[$€£])|(?:fee|[$€£]).{0,200}(?:assign|transfer)",
        ),
        ("notice", "To which e-mail address must notices under {doc} be sent?", "@|e-?mail|electronic"),
    )
)


def usual_details(texts: Mapping[str, str], order: Sequence[str]) -> Iterator[Candidate]:
    """A detail that such documents usually settle, asked of one that speaks of the matter and has no word of it."""
    for turn in range(len(_USUAL)):
        for place, document in enumerate(order):
            topic, asks, settled = _USUAL[(turn + place) % len(_USUAL)]
            text = texts[document]
            if re.search(rf"\b(?:{topic})", text, re.I) and not re.search(settled, text, re.I | re.DOTALL):
                why = "it speaks of the matter and leaves this detail open"
                yield Candidate("usual detail", asks, document, why)


_HEADING = re.compile(r"(?:[\dIVX.()]+\s+)?(?P<topic>(?!No )[A-Z][a-z]+(?: (?!(?:and|or)\b)[A-Za-z][a-z]+){0,2})")
_NO_TOPIC = re.compile(
    r"(?:general|miscellaneous|introduction|definitions?|scope|purpose|overview|background|summary|conclusions?|annex|"
    r"appendix|schedule|notes?|contents|recitals|other|article|section|preamble|parties)\b"
    # These go by many names, so that the word alone proves nothing.
    r"|.*\b(?:amend|vari|duration|term|remed|sever|integrat|entire|waiver|restrict|obligat|assign|govern|law|offer|valid|"
    r"period|return|effect|excep|exclu|permit|rights|duties|responsib|disclos|notice)",
    re.IGNORECASE,
)


def silent_topics(rows: Sequence[Row], texts: Mapping[str, str], order: Sequence[str]) -> Iterator[Candidate]:
    """What other documents have a heading for, and this one no word of."""
    headings = (_HEADING.fullmatch(row.heading.rpartition(" > ")[2]) for row in rows)
    topics = sorted({found["topic"].lower() for found in headings if found and not _NO_TOPIC.match(found["topic"])})
    for turn in range(len(topics)):
        for place, document in enumerate(order):
            topic = topics[(turn + place) % len(topics)]
            stems = [word[:5] for word in topic.split() if len(word) > 3]
            if stems and not any(re.search(rf"\b{stem}", texts[document], re.IGNORECASE) for stem in stems):
                asks = pick(
                    document + topic,
                    (f"What does {THIS} say about {topic}?", f"What are the rules on {topic} in {THIS}?"),
                )
                yield Candidate(
                    "silent topic", asks, document, f"others have a heading for {topic}, this one no word of it"
                )


_NOWHERE = (
    "Where is the signed original of {doc} kept?",
    "Has anybody been in breach of {doc} so far?",
    "How much did we pay in legal fees for {doc}?",
    "How many people have asked for a copy of {doc}?",
    "Into which languages has {doc} been translated?",
)


def nowhere(documents: Sequence[str]) -> Iterator[Candidate]:
    """What documents of this kind hardly ever tell about themselves."""
    for turn in range(len(_NOWHERE)):
        for place, document in enumerate(documents):
            asks = _NOWHERE[(turn + place) % len(_NOWHERE)]
            yield Candidate("nowhere", asks, document, "no passage says anything of it")
