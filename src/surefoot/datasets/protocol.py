"""The protocol of a question set: kinds of questions, how many of each, and what is not seen without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from surefoot.core.errors import UsageError, unknown
from surefoot.core.types import Expects, Question
from surefoot.datasets.hygiene import Finding
from surefoot.io.questions import PROPOSED


class Kind(Struct, frozen=True):
    name: str
    share: int  # of 130
    expects: Expects
    stratum: str
    what: str  # a question of this kind
    unseen: str  # without any
    also: tuple[str, ...] = ()  # other things that its questions probe

    @property
    def probes(self) -> str:
        return self.name

    @property
    def retrieval(self) -> Literal["normal", "null"]:
        return "null" if self.name == "retrieval_null" else "normal"


PROTOCOL = (
    Kind("plain", 40, "answer", "grounded", "a passage answers",
         "whether the pipeline finds and says what a passage states", ("comparison",)),
    Kind("bait_wrong", 20, "answer", "grounded", "bait a wrong answer",
         "whether the pipeline takes a value of another version, party or year for the right one",
         ("false_premise", "point_in_time", "conflict")),
    Kind("bait_unsupported", 20, "refusal", "grounded", "bait an unsupported answer",
         "whether the pipeline answers from general knowledge where the documents are silent",
         ("missing_detail", "wrong_document")),
    Kind("refuse", 20, "refusal", "grounded", "ask for what no document holds",
         "whether the pipeline gives opinions or news of its own", ("judgement",)),
    Kind("unanswerable", 10, "refusal", "unanswerable", "nothing answers",
         "whether the pipeline makes things up", ("no_record",)),
    Kind("adversarial", 10, "refusal", "adversarial", "name a neighbour of what is answered",
         "whether a name, date or topic close to the right one misleads the pipeline"),
    Kind("retrieval_null", 10, "refusal", "retrieval_null", "force an empty retrieval",
         "what the pipeline says when nothing is retrieved"),
)  # fmt: skip
_PROBED = {probes: kind for kind in PROTOCOL for probes in (kind.name, *kind.also)}
KINDS = {kind.name: kind for kind in PROTOCOL}
# What a question is filed under of which no more is known than what it expects.
USUAL: dict[Expects, Kind] = {"answer": KINDS["plain"], "refusal": KINDS["unanswerable"]}
WHOLE = sum(kind.share for kind in PROTOCOL)


def proposed(
    id_: str, text: str, kind: Kind, gold_ids: tuple[str, ...], gold_claims: tuple[str, ...], made: dict[str, object],
    probes: str = "",
) -> Question:  # fmt: skip
    """A question for a person to review; `made` says how it came about."""
    metadata: dict[str, object] = {"review": PROPOSED, "made": made}
    probes = probes or kind.probes
    return Question(id_, text, kind.expects, kind.stratum, probes, gold_ids, gold_claims, kind.retrieval, metadata)


def counts_of(size: int, mix: Mapping[str, int] | None = None) -> dict[str, int]:
    """How many of each kind make a set of this size: by the protocol's shares, or by those given."""
    if strange := sorted({*(mix or ())} - {*KINDS}):
        raise unknown(f"the mix has no kind {strange[0]!r}", strange[0], KINDS)
    if mix is not None and (min(mix.values(), default=0) < 0 or not sum(mix.values())):
        raise UsageError("the mix asks for no question", "give kinds whole shares, and at least one a share above 0")
    shares = {kind.name: (kind.share if mix is None else mix.get(kind.name, 0)) for kind in PROTOCOL}
    exact = {name: size * share / sum(shares.values()) for name, share in shares.items()}
    found = {name: int(value) for name, value in exact.items()}
    for name in sorted(exact, key=lambda name: found[name] - exact[name])[: size - sum(found.values())]:
        found[name] += 1
    return found


def kind_of(question: Question) -> str:
    """By what its row says, or else by whether it is to be answered."""
    if question.retrieval == "null":
        return "retrieval_null"
    if question.stratum == "adversarial":
        return "adversarial"
    probed = _PROBED.get(question.probes)
    if probed and probed.expects == question.expects:
        return probed.name
    return USUAL[question.expects].name


def mix_of(questions: Sequence[Question]) -> Iterator[Finding]:
    """What the kinds would show that are missing, or have less than half their share: one sentence for each, or for
    all where most are."""
    made = Counter(map(kind_of, questions))
    shares = {kind: kind.share * len(questions) / WHOLE for kind in PROTOCOL if questions}
    short = [kind for kind, share in shares.items() if 2 * made[kind.name] < round(share) or not made[kind.name]]
    if 2 * len(short) > len(PROTOCOL):
        unseen, names = "; ".join(kind.unseen for kind in short), ", ".join(kind.name for kind in short)
        yield Finding(None, "mix", f"has few or no questions of most kinds ({names}), so it hardly shows {unseen}")
        return
    for kind in short:
        count = made[kind.name]
        where = "stratum" if kind.name == "adversarial" else "retrieval" if kind.retrieval == "null" else "probes"
        value = "null" if where == "retrieval" else kind.name
        number, hides = (f"few ({count})", "can hardly show") if count else ("no", "cannot show")
        has = f"has {number} questions that {kind.what} (`{where}: {value}`)"
        yield Finding(None, "mix", f"{has}, so it {hides} {kind.unseen}; a usual set has {kind.share} in {WHOLE}")
