"""Which layer of a pipeline an answer points to, and what usually puts it right.

Read from what the verdicts say: the axes, the reason of the bucket, and whether a gold passage was retrieved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from msgspec import Struct

from surefoot.gate.sides import BUCKET_AXIS, Said
from surefoot.types import Question, Verdict

Layer = Literal["retrieval", "reranking", "prompt", "generation", "question set"]
_AGAINST = frozenset({"contradicted", "conflicts_gold"})


class Facts(Struct, frozen=True):
    """What a cause is read from."""

    bucket: str
    reason: str  # the grader's, unless a label has put the answer into another bucket
    expects: str
    exists: object = None  # the verdicts on citations
    supports: object = None
    has_gold: bool | None = None  # a gold passage was retrieved; None where that is not known
    from_gold: bool | None = None  # and is what the claims were read against

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
    Cause("question set", "the cited passages support the answer, and the expected answer says otherwise",
          "Read the passages: the expected answer may be out of date or too narrow.",
          lambda f: f.reason == "conflicts_gold" and f.supports == "yes" and f.from_gold is not False),
    Cause("question set", "answered from passages that support it, although a refusal is expected",
          "Check that the documents really are silent; if they are not, the question needs an answer.",
          lambda f: f.reason == "off_target" and f.expects == "refusal" and f.supports == "yes"),
    Cause("retrieval", "no passage that has the expected answer was retrieved",
          "Retrieve more candidates before reranking, and look at how these passages are cut.",
          lambda f: f.has_gold is False and f.expects == "answer"),
    Cause("reranking", "answers from another passage than the expected one, and they say different things",
          "Is it another version of the document, or about something else? Rank the one that applies first.",
          lambda f: f.reason == "conflicts_gold" and f.supports == "yes"),
    Cause("prompt", "cites a source that was not retrieved",
          "Show each id beside its passage, and reject answers that cite any other.",
          lambda f: f.exists == "no"),
    Cause("generation", "says something else than the passages it was given",
          "The evidence was there: try a stronger model, fewer passages, or quoting before answering.",
          lambda f: f.reason in _AGAINST),
    Cause("prompt", "answers where the documents are silent",
          "Say in the prompt when to refuse, and let a weak best match count as no evidence.",
          lambda f: f.expects == "refusal"),
    Cause("prompt", "makes claims without a citation",
          "Ask for a citation after every claim, and reject answers without one.",
          lambda f: f.reason == "uncited"),
    Cause("prompt", "refuses although an answer is expected",
          "Loosen the wording that allows refusals, and check that passages reach the prompt whole.",
          lambda f: f.is_over_refusal),
    Cause("reranking", "the cited passages do not support the answer",
          "Rank passages by whether they answer the question rather than by likeness.",
          lambda f: f.supports in ("no", "partly")),
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
        graded.reason.removesuffix(", partial refusal") if graded.value == bucket else "",
        question.expects if question else "",
        values.get("citation_exists"),
        values.get("citation_supports"),
        _has_gold(said, question),
        _is_from_gold(graded, question),
    )


def _has_gold(said: Said, question: Question | None) -> bool | None:
    retrieved = said.trace.retrieved if said.trace else None
    if question is None or not question.gold_ids or retrieved is None or retrieved.ids is None:
        return None
    return not set(question.gold_ids).isdisjoint(retrieved.ids)


def _is_from_gold(verdict: Verdict, question: Question | None) -> bool | None:
    read = {one.passage for one in verdict.evidence if one.passage}
    return not read.isdisjoint(question.gold_ids) if read and question and question.gold_ids else None
