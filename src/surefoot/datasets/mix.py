"""What a question set cannot show, because it has too few questions of a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from surefoot.datasets.hygiene import Finding
from surefoot.types import Question


class _Part(NamedTuple):
    """Of the protocol's 130 questions: how many, which, and what is not seen without them."""

    size: int
    name: str
    has: Callable[[Question], bool]
    unseen: str


_WHOLE = 130
_PARTS = (
    _Part(20, "bait a wrong answer (`probes: bait_wrong`)", lambda one: one.probes == "bait_wrong",
          "whether the pipeline takes a value of another version, party or year for the right one"),
    _Part(20, "bait an unsupported answer (`probes: bait_unsupported`)", lambda one: one.probes == "bait_unsupported",
          "whether the pipeline answers from general knowledge where the documents are silent"),
    _Part(30, "a sound pipeline refuses (`probes: refuse`, or unanswerable)",
          lambda one: not one.answerable and one.retrieval == "normal" and one.probes != "bait_unsupported"
          and one.stratum != "adversarial",
          "whether the pipeline makes things up"),
    _Part(10, "are adversarial (`stratum: adversarial`)", lambda one: one.stratum == "adversarial",
          "whether a name, date or topic close to the right one misleads the pipeline"),
    _Part(10, "force an empty retrieval (`retrieval: null`)", lambda one: one.retrieval == "null",
          "what the pipeline says when nothing is retrieved"),
)  # fmt: skip


def mix_of(questions: Sequence[Question]) -> Iterator[Finding]:
    """One plain sentence for each part of the protocol that is missing, or has less than half its share."""
    for part in _PARTS if questions else ():
        count = sum(map(part.has, questions))
        wanted = round(part.size * len(questions) / _WHOLE)
        if 2 * count < wanted or not count:
            few = f"has {count} questions that {part.name}" if count else f"has no questions that {part.name}"
            share = f"; the protocol has {part.size} in {_WHOLE}"
            hides = "cannot show" if not count else "can hardly show"
            yield Finding(None, "mix", f"{few}, so it {hides} {part.unseen}{share}")
