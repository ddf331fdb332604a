"""What a model found in one answer, as judgements on the same pairs that every other judge reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.graders.judging import Judge, Judgement, Pair
from surefoot.graders.prompting import ClaimRead, Evidenced, Found
from surefoot.graders.quotes import objection, says_gold, stands_in, why_void
from surefoot.types import Item

# A model does not say how sure it is. Inside the findings a checked quote is plain; no verdict carries this number.
PLAIN = 1.0


class Noting:
    """Remembers what a judge was asked. With no judge nothing is borne out, so that every pair comes up."""

    def __init__(self, judge: Judge | None = None) -> None:
        self._judge = judge
        self.name = judge.name if judge else "nobody"
        self.noted: dict[Pair, Judgement] = {}

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        found = self._judge.judge(pairs) if self._judge else [Judgement("not_enough")] * len(pairs)
        self.noted.update(zip(pairs, found, strict=True))
        return found


class Told:
    """A judge of one answer: it passes on what the model found, as far as the quotes bear it out.

    `read` has the finding on each claim that the model was asked about, or why there is none; `settled` what an earlier
    judge was sure of. `voided` gathers why findings did not count.
    """

    def __init__(
        self, name: str, item: Item, read: Mapping[str, ClaimRead | str], gold: str, settled: Mapping[Pair, Judgement]
    ) -> None:
        self.name, self._item, self._read, self._gold, self._settled = name, item, read, gold, settled
        self.voided: dict[str, None] = {}

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Judgement:
        read = self._read.get(pair.claim)
        if read is None:
            return self._settled.get(pair, Judgement(None, reason="nobody was asked"))
        if is_gold(pair, self._item):
            return self._with_gold(pair)
        if isinstance(read, str):
            return Judgement(None, reason=read)
        if not pair.passage.strip():
            return Judgement(None, reason="the passage has no text")
        found = self._on_claim(read, pair)
        if found.label == "not_enough" and found.reason:
            self.voided[f"claim {read.claim}: {found.reason}"] = None
        return found

    def _with_gold(self, pair: Pair) -> Judgement:
        if self._gold == "conflicts":
            return Judgement("contradicted", PLAIN, via=self.name)
        agrees = self._gold == "agrees" and says_gold(pair.claim, pair.passage, pair.context)
        return Judgement("supported" if agrees else "not_enough", PLAIN, via=self.name)

    def _on_claim(self, read: ClaimRead, pair: Pair) -> Judgement:
        if read.reading == "cannot_tell":
            return Judgement(None, reason="the model cannot tell")
        here, why = self._checked(read.evidence, pair)
        if read.reading == "supported":
            alone = [(one.quote,) for one in here if one.says == "supports"]
            parts = tuple(one.quote for one in here if one.says == "supports_in_part")
            together = [parts] if len(parts) > 1 else []
            objections = {quotes: objection(quotes, pair) for quotes in [*alone, *together]}
            if good := [quotes for quotes, against in objections.items() if not against]:
                return Judgement("supported", PLAIN, " ... ".join(good[0]), self.name)
            if against := next(iter(objections.values()), ""):
                return Judgement(None, reason=f"claim {read.claim}: the model reads support, but {against}")
        if opposing := [one.quote for one in here if one.says == "contradicts"]:
            return Judgement("contradicted", PLAIN, opposing[0], self.name)
        return Judgement("not_enough", PLAIN, via=self.name, reason=why)

    def _checked(self, evidence: Sequence[Evidenced], pair: Pair) -> tuple[list[Evidenced], str]:
        """The evidence that stands in the text of the pair, and why some of what was given stands nowhere.

        A part that says only half of a claim counts where all its other parts stand as well."""
        passages = {f"P{place}": passage.text for place, passage in enumerate(self._item.trace.retrieved or (), 1)}
        good, why = [], ""
        for one in evidence:
            if one.passage not in passages:
                why = "the evidence names a passage that is not there"
            elif void := why_void(one.quote, passages[one.passage], self._item.trace.answer or ""):
                why = void
            else:
                good.append(one)
        whole = all(stands_in(one.quote, pair.passage) for one in good if one.says == "supports_in_part")
        here = [one for one in good if stands_in(one.quote, pair.passage)]
        return [one for one in here if whole or one.says != "supports_in_part"], why


def is_gold(pair: Pair, item: Item) -> bool:
    gold = "\n".join(item.question.gold_claims)
    return bool(gold) and pair.passage == gold and not pair.title


def open_claims(noted: Mapping[Pair, Judgement], item: Item, sure_from: float | None) -> tuple[str, ...]:
    """The claims that the model is asked about: those that an earlier judge is not sure of, or all without one."""
    unsure: dict[str, bool] = {}
    for pair, judgement in noted.items():
        if not is_gold(pair, item):
            sure = sure_from is not None and judgement.label is not None and judgement.confidence >= sure_from
            unsure[pair.claim] = unsure.get(pair.claim, False) or not sure
    return tuple(claim for claim, is_open in unsure.items() if is_open)


def by_claim(
    claims: Sequence[str], replies: Sequence[Found | str], numbers: Sequence[Sequence[int]]
) -> dict[str, ClaimRead | str]:
    """The finding on each claim, out of the replies to the calls that asked about some numbers each."""
    found: dict[str, ClaimRead | str] = {}
    for reply, asked in zip(replies, numbers, strict=True):
        read = {} if isinstance(reply, str) else {one.claim: one for one in reply.claims}
        found.update({claims[number - 1]: reply if isinstance(reply, str) else read[number] for number in asked})
    return found
