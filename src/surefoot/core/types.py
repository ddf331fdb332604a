"""The vocabulary: every other module speaks in these words.

Structs rather than dataclasses because one is made per trace, and millions of traces are scored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol

from msgspec import UNSET, Struct, UnsetType, convert, field
from msgspec.structs import force_setattr, replace

from surefoot.core.errors import unknown

Expects = Literal["answer", "refusal", "unknown"]  # what a log does not say is unknown
RefusalValue = Literal["refused", "partial", "answered"]
Support = Literal["supported", "contradicted", "not_enough"]
Better = Literal["higher", "lower"]


class Passage(Struct, frozen=True, gc=False):
    """A piece of a document that an answer may cite. Logs often record its id alone."""

    id: str
    text: str = ""
    doc: str = ""
    page: int | None = None


def document_in(passage_id: str) -> str:
    """What an id like `lease.pdf#4.2` says of the document; "" where it says nothing."""
    return passage_id.rpartition("#")[0]


class Retrieved(tuple[Passage, ...]):
    """The passages a pipeline retrieved, in order. `ids` is None when the log kept their texts alone."""

    ids: tuple[str, ...] | None

    def __new__(cls, passages: Iterable[Passage] = ()) -> Retrieved:
        made = super().__new__(cls, passages)
        ids = tuple([passage.id for passage in made])
        made.ids = None if "" in ids else ids
        return made

    @classmethod
    def read(cls, _: type, value: object) -> Retrieved:
        """The hook of a decoder of rows that we wrote ourselves."""
        return cls(convert(value, tuple[Passage, ...]))

    @property
    def names(self) -> tuple[str, ...]:
        """What each passage can be cited by: its id, or else its place, counted from 1."""
        if self.ids is not None:
            return self.ids
        taken = {passage.id for passage in self}
        return tuple(passage.id or _place(number, taken) for number, passage in enumerate(self, 1))

    @property
    def sources(self) -> tuple[Passage, ...]:
        """The passages by name, each name once: pieces of text that share one are one source."""
        by_name: dict[str, list[Passage]] = {}
        for name, passage in zip(self.names, self, strict=True):
            by_name.setdefault(name, []).append(passage)
        return tuple(_joined(name, pieces) for name, pieces in by_name.items())


def _place(number: int, taken: set[str]) -> str:
    name = str(number)
    while name in taken:
        name = f"#{name}"
    return name


def _joined(name: str, pieces: list[Passage]) -> Passage:
    first = pieces[0]
    if len(pieces) == 1 and first.id == name:
        return first
    texts = dict.fromkeys(piece.text for piece in pieces if piece.text)
    return Passage(name, "\n\n".join(texts), first.doc, first.page)


class Question(Struct, frozen=True):
    """What is asked, and what a sound system does with it."""

    id: str
    text: str
    expects: Expects
    stratum: str = ""
    probes: str = ""
    gold_ids: tuple[str, ...] = ()
    gold_claims: tuple[str, ...] = ()
    retrieval: Literal["normal", "null"] = "normal"
    metadata: dict[str, object] = {}

    @property
    def answerable(self) -> bool:
        return self.expects != "refusal"

    @property
    def as_asked(self) -> Question:
        """Without how it was made, reviewed and marked: whoever accepts a question has not changed what is asked."""
        kept = {name: value for name, value in self.metadata.items() if name not in _OF_REVIEW}
        return self if len(kept) == len(self.metadata) else replace(self, metadata=kept)

    def group(self, field: str) -> str:
        """The value of `field` by which a report breaks down; "" when the question does not say."""
        value = getattr(self, field) if field in GROUP_FIELDS else self.metadata.get(field)
        return "" if value is None else str(value)


_OF_REVIEW = frozenset({"review", "made", "sentinel"})
GROUP_FIELDS = frozenset({"stratum", "probes", "expects", "retrieval"})


def check_group_fields(by: Iterable[str], questions: Iterable[Question]) -> None:
    """A breakdown by a field that no question has would be empty in silence."""
    if not (wanted := set(by) - GROUP_FIELDS):
        return
    known = {*GROUP_FIELDS, *(name for question in questions for name in question.metadata)}
    if strange := sorted(wanted - known):
        raise unknown(f"no question has the field {strange[0]!r} to break down by", strange[0], sorted(known))


class Trace(Struct, frozen=True, gc=False):
    """One answer of a pipeline, as its log tells it.

    `retrieved` and `citations` are None when the log has no such field, which is not the same as empty.
    `question` is the text to join by where the log has no question id.
    """

    question_id: str | None = None
    question: str | None = None
    answer: str | None = None
    retrieved: Retrieved | None = None
    citations: tuple[str, ...] | None = None
    error: str | None = None
    attempt: int = 1
    seconds: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    subject: str | UnsetType = UNSET  # whose data it is, by which it can be purged

    @property
    def names(self) -> tuple[str, ...]:
        """Of what was retrieved, in order: what `[1]`, `[2]` and so on stand for."""
        return self.retrieved.names if self.retrieved is not None else ()

    @property
    def sources(self) -> tuple[Passage, ...]:
        """What the answer can cite."""
        return self.retrieved.sources if self.retrieved is not None else ()


class Ask(Struct, frozen=True):
    """All that a pipeline sees of a question: gold cannot leak."""

    id: str
    text: str
    retrieval: Literal["normal", "null"] = "normal"


class Item(Struct, frozen=True):
    """The sole input of every grader: a question, and one answer to it."""

    question: Question
    trace: Trace


class Evidence(Struct, frozen=True):
    """Words a person can check: a part of the answer, and what it was held against."""

    claim: str = ""
    passage: str = ""  # its id
    quote: str = ""
    support: Support | UnsetType = UNSET  # what was found of the claim


class Verdict(Struct, frozen=True):
    """One axis of one answer by one grader. A label by a person is the same row."""

    question_id: str
    axis: str
    value: str | int | float | None  # scores alone are fractions
    grader: str
    attempt: int = 1
    via: str = ""
    reason: str = ""
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    self_check: str = ""  # what the grader misread of answers of known label when it gave this
    unsure: bool = False  # its confidence is below the level from which this grader is rarely wrong


class Pipeline(Protocol):
    """Anything that answers questions."""

    name: str

    def answer(self, ask: Ask) -> Trace: ...


class Problem(Struct, frozen=True, gc=False):
    """Something in the input that could not be used, or was used with a doubt: counted and named."""

    kind: str
    message: str
    source: str = ""
    line: int | None = None

    @property
    def where(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


DEEPEST = 10  # no metric asks what lies further down, but for the first gold passage


def places_of(gold: Set[str], retrieved: Sequence[str]) -> tuple[int, ...]:
    """Return the places of gold passages, from 1 on; pieces of one passage take one place together."""
    if gold.isdisjoint(retrieved):
        return ()
    found = [place for place, name in enumerate(dict.fromkeys(retrieved), 1) if name in gold]
    return tuple([place for place in found if place <= DEEPEST or place == found[0]])


State = Literal["usable", "missing", "error", "duplicate"]
OutcomeLabel = Literal[
    "OK", "REFUSAL_OK", "OVER_REFUSAL", "PARTIAL_REFUSAL", "HALLUCINATION", "ANS_NO_HIT", "ANS_UNKNOWN", "MISSING",
    "ERROR", "DUPLICATE", "ANSWERED", "REFUSED",
]  # fmt: skip

GOOD: frozenset[OutcomeLabel] = frozenset({"OK", "REFUSAL_OK"})


class Outcome(NamedTuple):
    answerable: bool | None  # None: nobody said, as in a log without a question set
    state: State = "usable"
    refusal: RefusalValue | None = None
    hit: bool | None = False  # a gold id is cited; None: passages without ids are, so it is unknown
    contained: bool | None = False  # a phrase of a gold claim stands in what is claimed; None: there is no gold claim
    listed: bool = False  # the answer has citations, or an empty list of them
    cited: int = 0
    cited_gold: int | None = 0
    gold: int = 0  # passages that a sound answer could cite
    cited_retrieved: int | None = None  # None: the log does not say what was retrieved, or not by what ids
    gold_places: tuple[int, ...] | None = None  # of gold passages among the retrieved (`places_of`)

    @property
    def retrieved_gold(self) -> bool | None:
        return None if self.gold_places is None else self.gold_places != ()

    @property
    def usable(self) -> bool:
        return self.state == "usable"

    @property
    def counted(self) -> bool:
        """Several traces for one question are left out of every metric but coverage."""
        return self.state != "duplicate"

    @property
    def refused(self) -> bool:
        return self.refusal == "refused"

    @property
    def answered(self) -> bool:
        """A partial refusal makes claims, so it counts as an answer."""
        return self.refusal in ("answered", "partial")


class Estimate(Struct, frozen=True):
    """A rate as an exact fraction with its interval, or None and why there is none."""

    numerator: int | float  # of scores it need not be whole
    denominator: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    value: float | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "value", None if self.exact is None else float(self.exact))

    @property
    def exact(self) -> Fraction | None:
        """Of scores, what is written down: 16.3 of 2 is 8.15."""
        above = self.numerator if isinstance(self.numerator, int) else str(self.numerator)
        return Fraction(above) / self.denominator if self.denominator else None


def without_surrogates(value: object) -> object:
    """Half a character, as a cut-off escape leaves it in any text of a value, can be neither printed nor stored."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


NAMED_PER_KIND = 200
NOT_ASKED = "not_asked"  # the coverage rule decides on these
# Shown, but no reason of their own to call a run incomplete.
HARMLESS = frozenset({"note", "unknown_question", "unknown_passage", NOT_ASKED})

_IN_WORDS = {
    "malformed": ("unreadable row", "unreadable rows"),
    "no_question": ("row that names no question", "rows that name no question"),
    "unknown_question": ("trace of a question that is not in the set", "traces of questions that are not in the set"),
    "ambiguous_question": ("trace that fits several questions", "traces that fit several questions"),
    "duplicate_trace": ("trace too many for its question", "traces too many for their question"),
    "several_traces": ("trace left out: its question has several", "traces left out: their question has several"),
    "set_aside": ("trace set aside by --rerun", "traces set aside by --rerun"),
    "unreadable": ("unreadable file", "unreadable files"),
    "no_traces": ("folder without traces", "folders without traces"),
    "bad_question": ("unusable question", "unusable questions"),
    "duplicate_question": ("question with a doubled id", "questions with a doubled id"),
    "unknown_passage": ("note on passages that the corpus lacks",) * 2,
    "spans": ("span", "spans"),
    "note": ("note", "notes"),
}


def in_words(count: int, kind: str) -> str:
    """A count of problems as a person would say it."""
    single, several = _IN_WORDS.get(kind, (kind.replace("_", " "),) * 2)
    return f"{count:,} {single if count == 1 else several}"


class ProblemLog(Struct):
    counts: Counter[str] = field(default_factory=Counter)
    named: dict[str, list[Problem]] = field(default_factory=dict)

    def add(self, problem: Problem) -> None:
        self.counts[problem.kind] += 1
        named = self.named.setdefault(problem.kind, [])
        if len(named) < NAMED_PER_KIND:
            named.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    def merge(self, other: ProblemLog) -> None:
        self.counts.update(other.counts)
        for kind, problems in other.named.items():
            named = self.named.setdefault(kind, [])
            named.extend(problems[: NAMED_PER_KIND - len(named)])

    @property
    def all_named(self) -> list[Problem]:
        return [problem for problems in self.named.values() for problem in problems]

    @property
    def serious(self) -> dict[str, int]:
        return {kind: count for kind, count in self.counts.items() if kind not in HARMLESS}


# Of the decision table, by the name of the row that decided.
_REASONS: Mapping[str, str] = {
    "contradicted": "a passage says something else",
    "conflicts_gold": "disagrees with the expected answer",
    "misattributed": "a refusal is expected, and it answers from passages about something else",
    "no_evidence": "no retrieved passage supports a claim",
    "uncited": "what answers the question has no citation",
    "misquoted": "it quotes words that do not stand in its source",
    "unknown_source": "it cites a source that was not retrieved",
    "miscited": "a passage supports it, but not the one it cites",
    "off_target": "it does not answer what was asked",
    "correct": "the passages it cites support it",
    "refused": "it declines to answer",
    "missing": "there is no answer",
    "error": "the pipeline failed",
    "empty": "the answer is empty",
    "language": "it is not in English",
    "unreadable": "the grader could not read it",
}

_FLAGS: Mapping[str, str] = {
    "partial refusal": "declines in part",
    "asks_back": "asks which of several things is meant",
    "conflicting_sources": "its sources disagree",
}


def in_plain_words(reason: str) -> str:
    """Why an answer is in its bucket; what a person noted stays as it is."""
    code, colon, detail = reason.partition(": ")
    if colon and code in ("language", "unreadable"):
        return detail
    code, *flags = reason.split(", ")
    if code not in _REASONS or any(flag not in _FLAGS for flag in flags):
        return reason
    return ", and ".join([_REASONS[code], *(_FLAGS[flag] for flag in flags)])


_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb\ufffe\uffff"
    r"\U000e0000-\U000e0fff]+"
)

_NAMED = 5  # problems of a kind


def plain(text: str, longest: int = 200) -> str:
    """One line without control or direction-changing characters, so that a log cannot steer a terminal."""
    text = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def counted_rows(rows: Mapping[str, int]) -> str:
    """Rows by table: "12 labels, 1 run and 3 replies"."""
    *first, last = (
        f"{count:,} {table if count != 1 else table.replace('replies', 'reply').removesuffix('s')}"
        for table, count in rows.items()
    )
    return f"{', '.join(first)} and {last}" if first else last


def names(ids: Sequence[str], most: int = 16, total: int | None = None) -> str:
    """Some question ids, and how many more there are."""
    more = (len(ids) if total is None else total) - len(ids[:most])
    return ", ".join(map(plain, ids[:most])) + (f" and {more} more" if more > 0 else "")


def problem_lines(problems: ProblemLog) -> Iterator[str]:
    """What of the input could not be used: the first of each kind, and how many more there are."""
    for kind, named in problems.named.items():
        for problem in named[:_NAMED]:
            yield f"{'note' if kind == 'note' else 'warning'}: {plain(str(problem), 500)}"
        if (more := problems.counts[kind] - _NAMED) > 0:
            yield f"  and {in_words(more, kind)} more"
