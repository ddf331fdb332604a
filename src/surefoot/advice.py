"""What to do next: each piece of advice is tied to the numbers that call for it and to the questions behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from surefoot.outcomes import Outcome

QUESTIONS_NAMED = 20


class Advice(Struct, frozen=True):
    finding: str
    action: str
    questions: tuple[str, ...]
    question_count: int


class Case(NamedTuple):
    """A pattern of answers, and what usually puts it right."""

    finding: str
    action: str
    seen_in: Callable[[Outcome], bool]


# fmt: off
CASES = (
    Case("no usable answer",
         "Find out why before reading the other numbers: re-run these, or fix the logging. A gate on half a run decides nothing.",
         lambda o: o.state in ("missing", "error")),
    Case("several traces for one question",
         "Say which attempt counts: `--rerun first`, `--rerun last`, or `--rerun all` to count each of them.",
         lambda o: o.state == "duplicate"),
    Case("answered although unanswerable",
         "First check that the corpus really is silent on them. If so, give the prompt an explicit licence to refuse, and let a weak "
         "best match count as no evidence. Retrieving more will not help: it gives the model more to misread.",
         lambda o: o.answerable is False and o.refusal == "answered"),
    Case("declined an unanswerable question, and asserted something all the same",
         "Read what follows the refusal. Where it is made up, tell the prompt to stop once it has declined. Where it is the nearest "
         "evidence, have it cited; `surefoot grade` reads it against the passages and tells the two apart.",
         lambda o: o.answerable is False and o.refusal == "partial"),
    Case("refused although the gold source was retrieved",
         "The evidence reached the model and it still refused: loosen the refusal wording of the prompt, make sure that passage ids "
         "and texts survive into it, and check that long contexts are not cut off.",
         lambda o: o.answerable is True and o.refused and o.retrieved_gold is True),
    Case("refused, and the gold source was not retrieved",
         "Refusing was honest; retrieval is at fault. Retrieve more candidates before reranking, and look at how these passages are cut.",
         lambda o: o.answerable is True and o.refused and o.retrieved_gold is False),
    Case("refused although answerable",
         "The log does not say what was retrieved. Log the retrieved ids: only they tell a shy prompt from a blind retriever.",
         lambda o: o.answerable is True and o.refused and o.retrieved_gold is None),
    Case("answered without a gold citation, and the gold source was not retrieved",
         "The answer came from other passages or from the model's memory. Fix retrieval first (candidates, reranking, chunk size).",
         lambda o: o.answerable is True and o.answered and o.hit is False and o.retrieved_gold is False),
    Case("the wrong source cited although the gold one was retrieved",
         "The model read the right passage or guessed, and named another. Enforce the citation format, show each id next to its text, "
         "and use smaller passages so that one id carries one fact.",
         lambda o: o.answerable is True and o.answered and o.hit is False and o.cited > 0 and o.retrieved_gold is True),
    Case("the wrong source cited",
         "The log does not say which ids were retrieved. Log them: only they tell a wrong citation from a blind retriever.",
         lambda o: o.answerable is True and o.answered and o.hit is False and o.cited > 0 and o.retrieved_gold is None),
    Case("passages cited that have no ids in the log",
         "Nobody can tell whether these are the gold source. Log the id of each passage beside its text, as the question set has it "
         "(`retrieved_ids`, or `id` and `text` in `passages`); `surefoot grade` reads the texts and needs no ids.",
         lambda o: o.answered and o.cited_gold is None),
    Case("answered with no citation at all",
         "The answer format drifted. Ask for `citations: [id, ...]` or the refusal sentence and nothing else, and reject the rest.",
         lambda o: o.answered and o.cited == 0),
    Case("sources cited that were never retrieved",
         "These ids are invented. Validate citations against the retrieved ids before an answer leaves the pipeline.",
         lambda o: o.answered and o.cited_retrieved is not None and o.cited_retrieved < o.cited),
    Case("the gold source cited among many others",
         "Citing everything makes hits cheap. Ask for the passages a claim rests on and nothing more; compare `citation_precision`.",
         lambda o: o.answered and o.cited_gold is not None and o.hit is True and o.cited >= 3 and o.cited_gold * 2 <= o.cited),
)
# fmt: on


class AdviceLog:
    """Collects, question by question, which cases occur."""

    def __init__(self) -> None:
        self._cases_of: dict[Outcome, tuple[int, ...]] = {}
        self._named: list[dict[str, None]] = [{} for _ in CASES]
        self._counts = [0] * len(CASES)

    def add(self, question_id: str, outcome: Outcome) -> None:
        cases = self._cases_of.get(outcome)
        if cases is None:
            cases = tuple(i for i, case in enumerate(CASES) if case.seen_in(outcome))
            self._cases_of[outcome] = cases
        for i in cases:
            if question_id in self._named[i]:
                continue
            self._counts[i] += 1
            if len(self._named[i]) < QUESTIONS_NAMED:
                self._named[i][question_id] = None

    def advice(self) -> tuple[Advice, ...]:
        found = zip(CASES, self._named, self._counts, strict=True)
        return tuple(Advice(case.finding, case.action, tuple(names), count) for case, names, count in found if count)
