"""What a model found in one answer, as judgements on the same pairs that every other judge reads.

Answers of known label, the canaries, ride along with every grading: a grader that misreads these is not to be trusted.
They are judged by what the model itself says, before any check of ours could put it right. Where a good bucket hangs on
a reading that rules and model do not share, the answer is left to a person: doubts only ever take a verdict away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import Graded, SelfCheck
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.llm_prompts import ClaimRead, Evidenced, Found, neutral
from surefoot.graders.quotes import is_small, name_lacking, objection, quoted_words, says_gold, stands_in, why_void
from surefoot.text.citations import blanked, locate
from surefoot.text.claims import is_claim
from surefoot.text.normal import words_of
from surefoot.text.numbers import quantities

# A model does not say how sure it is. Inside the findings a checked quote is plain; no verdict carries this number.
PLAIN = 1.0


class ModelJudge:
    """A judge of one answer: it passes on what the model found, as far as its quotes are in the passages.

    A quote that stands nowhere is a slip of the model and says nothing of the answer, so its passage is left open.
    """

    def __init__(self, name: str, item: Item, claims: Sequence[str], found: Found | str) -> None:
        self.name, self._item, self._found = name, item, found
        read = () if isinstance(found, str) else sorted(found.claims, key=lambda one: one.claim)
        self._read = dict(zip(claims, read, strict=bool(read)))
        self.is_answered = None if isinstance(found, str) else {"yes": True, "no": False}.get(found.answers)
        self._checked: dict[str, tuple[list[Evidenced], dict[str, str]]] = {}  # by claim

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [self._one(pair) for pair in pairs]

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        """The model says it of the whole answer."""
        return [None] * len(asked)

    def _one(self, pair: Pair) -> Judgement:
        gold = "\n".join(self._item.question.gold_claims)
        if isinstance(self._found, str):
            return Judgement(None, reason=self._found)
        if gold and pair.passage == gold and not pair.title:
            if self._found.gold == "conflicts":
                return Judgement("contradicted", PLAIN, via=self.name)
            agrees = self._found.gold == "agrees" and says_gold(pair.claim, gold, pair.context)
            return Judgement("supported" if agrees else "not_enough", PLAIN, via=self.name)
        read = self._read[pair.claim]
        if read.reading == "cannot_tell":
            return Judgement(None, reason="the model cannot tell")
        if not pair.passage.strip():
            return Judgement(None, reason="the passage has no text")
        return self._on_claim(read, pair)

    def _on_claim(self, read: ClaimRead, pair: Pair) -> Judgement:
        """A part that says only half of a claim counts where all its other parts stand as well."""
        if pair.claim not in self._checked:
            self._checked[pair.claim] = self._evidence(read)
        good, void = self._checked[pair.claim]
        says, here = [one.says for one in good], [one for one in good if stands_in(one.quote, pair.passage)]
        wanted = {"contradicted": "contradicts" in says, "not_enough": True}
        if not wanted.get(read.reading, "supports" in says or says.count("supports_in_part") > 1):
            why = next(iter(void.values()), "the model gives no quote that says so")
            return Judgement(None, reason=f"claim {read.claim}: {why}")
        if read.reading == "supported":
            is_whole = all(one in here for one in good if one.says == "supports_in_part")
            parts = tuple(one.quote for one in here if one.says == "supports_in_part") if is_whole else ()
            quotes = [(one.quote,) for one in here if one.says == "supports"] + [parts] * (len(parts) > 1)
            against = [objection(one, pair) for one in quotes]
            if "" in against:
                return Judgement("supported", PLAIN, " ... ".join(quotes[against.index("")]), self.name)
            if against:
                return Judgement(None, reason=f"claim {read.claim}: the model reads support, but {against[0]}")
        if opposing := next((one.quote for one in here if one.says == "contradicts"), ""):
            return Judgement("contradicted", PLAIN, opposing, self.name)
        why = next((why for text, why in void.items() if text in pair.passage), "")
        if why and read.reading != "not_enough":
            return Judgement(None, reason=f"claim {read.claim}: {why}")
        return Judgement("not_enough", PLAIN, via=self.name)

    def _evidence(self, read: ClaimRead) -> tuple[list[Evidenced], dict[str, str]]:
        """Return the quotes that stand in their passages, in the words of these; and by passage why others do not."""
        passages = {f"P{place}": passage.text for place, passage in enumerate(self._item.trace.retrieved or (), 1)}
        good, void = list[Evidenced](), dict[str, str]()
        for one in read.evidence:
            passage = passages.get(one.passage)
            if passage is None:
                void[one.passage] = "the evidence names a passage that is not there"
            elif why := why_void(one.quote, passage, self._item.trace.answer or ""):
                void[passage] = why
            else:
                good.append(replace(one, quote=quoted_words(one.quote, passage)))
        return good, void


HEDGED = "hedged"  # declines, and then states something all the same: that is no refusal


class Canary(Struct, frozen=True):
    name: str
    item: Item
    claim: str
    readings: tuple[str, ...]  # what a sound model says of its claim


def _canary(name: str, question: str, answer: str, readings: list[str], claim: str = "") -> Canary:
    passages = Retrieved(Passage(**one) for one in _TABLE["passages"])
    trace = Trace(f"canary-{name}", answer=answer, retrieved=passages)
    item = Item(Question(f"canary-{name}", question, "answer"), trace)
    return Canary(name, item, claim or answer.partition(" [")[0] + ".", tuple(readings))


_TABLE = words_of("canaries")
CANARIES = tuple(_canary(name, **told) for name, told in _TABLE["canaries"].items())


def flown(replies: Iterable[tuple[Canary, Found | str]]) -> SelfCheck:
    names: dict[str, list[str]] = {"passed": [], "misread": [], "unanswered": []}
    for canary, found in replies:
        fate = "unanswered"
        if not isinstance(found, str):
            is_excused = canary.name == HEDGED and found.refusal == "refused"
            fate = "passed" if found.claims[0].reading in canary.readings and not is_excused else "misread"
        names[fate].append(canary.name)
    return SelfCheck(tuple(names["passed"]), tuple(names["misread"]), tuple(names["unanswered"]))


# What wraps a statement without making it less of one: emphasis, comments, code, tags, tokens of chat servers.
_WRAPPERS = re.compile(
    r"<!--|-->|</?\w[^<>\n]{0,200}>|```\w*|< ?[|\uff5c][^<>\n]{0,80}>|[*_`#>|~{}\[\]]+|^\s*(?:[-+•]|\d{1,2}[.)])\s+",
    re.MULTILINE,
)


def doubt(graded: Graded, found: Found | None) -> str:
    """Return why a person should look at the answer, or nothing. `found` is None where no model read it."""
    if graded.refusal is None:
        return ""
    item, claims, says = graded.item, graded.findings.claims, found.refusal if found else ""
    nothing_found = graded.bucket == "unsupported" and all(one.by_retrieved == "not_enough" for one in claims)
    if graded.refusal.value == "answered" and says == "refused" and nothing_found:
        return "the model reads a refusal where the rules read an answer"
    if graded.bucket not in ACCEPTABLE:
        return ""
    answer = item.trace.answer or ""
    is_stated = found is not None and stands_in(found.asserts, answer) and is_claim(found.asserts)
    if is_stated and not claims and says in ("answered", "partial"):
        return "the model reads a statement where the rules read a refusal"
    # A number or name that neither a source nor a claim has, whatever it is wrapped in.
    question, trace = item.question, item.trace
    sources = [question.text, *question.gold_claims, *(f"{p.doc} {p.id} {p.text}" for p in trace.sources)]
    text = neutral("\n".join([*sources, *(claim.text for claim in claims)]))
    bare = blanked(answer, sorted(locate(answer, trace.names, question.gold_ids, trace.retrieved or ())))
    said, known = _WRAPPERS.sub(" ", neutral(bare)), quantities(text)
    more = [said[one.start : one.end] for one in quantities(said) if not (is_small(one) or any(map(one.agrees, known)))]
    more += filter(None, [name_lacking(said, text)])
    return f"the answer may state more than was read: {more[0]}" if more else ""
