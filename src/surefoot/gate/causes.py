"""Which layer of a pipeline an answer points to, and what usually puts it right.

Told by where the passage with the expected answer is: not retrieved, retrieved and not cited, or cited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from msgspec import Struct

from surefoot.gate.sides import BUCKET_AXIS, Said
from surefoot.text import citations
from surefoot.types import Question, Trace

Layer = Literal["retrieval", "reranking", "prompt", "generation", "question set"]
Place = Literal["not retrieved", "not cited", "cited", "not named", "not known"]
_AGAINST = frozenset({"contradicted", "conflicts_gold"})


class Facts(Struct, frozen=True):
    """What a cause is read from."""

    bucket: str
    reason: str  # the grader's, unless a label has put the answer into another bucket
    expects: str
    exists: object = None  # the verdicts on citations
    supports: object = None
    gold: Place = "not known"  # where the passage with the expected answer is

    @property
    def is_over_refusal(self) -> bool:
        return self.bucket == "refused" and self.expects == "answer"


class Cause(NamedTuple):
    layer: Layer
    finding: str
    action: str
    fits: Callable[[Facts], bool]


# The first that fits is the one to look into.
# fmt: off
CAUSES = (
    Cause("retrieval", "no passage that has the expected answer was retrieved",
          "Retrieve more candidates before reranking, and look at how these passages are cut.",
          lambda f: f.gold == "not retrieved" and f.expects == "answer"),
    Cause("question set", "the cited passages support the answer, and no passage is named for the expected one",
          "Find the passage that has the expected answer, and name it in gold_ids.",
          lambda f: f.reason == "conflicts_gold" and f.supports == "yes" and f.gold == "not named"),
    Cause("prompt", "cites a source that was not retrieved",
          "Show each id beside its passage, and reject answers that cite any other.",
          lambda f: f.exists == "no"),
    Cause("prompt", "answers where the documents are silent",
          "If they really are: say in the prompt when to refuse, and let a weak best match count as no evidence.",
          lambda f: f.expects == "refusal"),
    Cause("prompt", "refuses although an answer is expected",
          "Loosen the wording that allows refusals, and check that passages reach the prompt whole.",
          lambda f: f.is_over_refusal),
    Cause("prompt", "makes claims without a citation",
          "Ask for a citation after every claim, and reject answers without one.",
          lambda f: f.reason == "uncited"),
    Cause("reranking", "the passage that has the expected answer was retrieved, and another one is cited",
          "Is the cited one another version, or about something else? Rank the passage that applies first.",
          lambda f: f.gold == "not cited"),
    Cause("generation", "says something else than the passages it was given",
          "The evidence was there: try a stronger model, fewer passages, or quoting before answering.",
          lambda f: f.reason in _AGAINST or f.supports in ("no", "partly")),
    Cause("generation", "does not answer what was asked, or adds to what the passages say",
          "Ask for the answer alone, in the words of the passages.",
          lambda _: True),
)
# fmt: on


class Fault(Struct, frozen=True):
    """A cause with the questions whose answers point to it, each once."""

    layer: Layer
    finding: str
    action: str
    answers: int
    questions: tuple[str, ...]


def cause_of(said: Said, question: Question | None) -> Cause | None:
    """None for an answer that is as it should be, or that nobody has judged."""
    if said.bucket is None:
        return None
    facts = _facts(said.bucket, said, question)
    if facts.bucket not in ("wrong", "unsupported") and not facts.is_over_refusal:
        return None
    return next(cause for cause in CAUSES if cause.fits(facts))


def faults(answers: Iterable[tuple[Said, Question | None]]) -> tuple[Fault, ...]:
    """What to look into, the most frequent first."""
    found: dict[Cause, list[str]] = {}
    for said, question in answers:
        if cause := cause_of(said, question):
            found.setdefault(cause, []).append(said.question_id)
    made = [
        Fault(cause.layer, cause.finding, cause.action, len(ids), tuple(dict.fromkeys(ids)))
        for cause, ids in found.items()
    ]
    return tuple(sorted(made, key=lambda fault: -fault.answers))


def _facts(bucket: str, said: Said, question: Question | None) -> Facts:
    graded = said.graded.get(BUCKET_AXIS) or said.verdicts[BUCKET_AXIS]
    values = {axis: verdict.value for axis, verdict in said.verdicts.items()}
    return Facts(
        bucket,
        graded.reason.partition(", ")[0] if graded.value == bucket else "",
        question.expects if question else "",
        values.get("citation_exists"),
        values.get("citation_supports"),
        _place_of_gold(said.trace, question),
    )


def _place_of_gold(trace: Trace | None, question: Question | None) -> Place:
    if question is not None and not question.gold_ids:
        return "not named"
    retrieved = trace.retrieved if trace else None
    if trace is None or question is None or retrieved is None or retrieved.ids is None:
        return "not known"
    gold = set(question.gold_ids)
    if gold.isdisjoint(retrieved.ids):
        return "not retrieved"
    cited = cited_in(trace, question)
    return "not cited" if cited and gold.isdisjoint(cited) else "cited" if cited else "not known"


def cited_in(trace: Trace, question: Question | None) -> tuple[str, ...]:
    """The ids that an answer cites, in a field of its own and in its text."""
    known = trace.names, question.gold_ids if question else (), trace.retrieved or ()
    listed = citations.resolve(trace.citations or (), *known)
    return tuple(dict.fromkeys((*listed, *(citations.parse(trace.answer or "", *known) or ()))))
