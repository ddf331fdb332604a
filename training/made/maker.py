"""Training rows made from documents: a passage, a claim, and whether the passage bears the claim out."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

from training.edits import Edit, edits
from training.edits.details import tail_of, takes_detail
from training.english.rewriting import content_words, detokenised, lowered
from training.made.corpora import Passage
from training.made.tables import TableClaim, drawn, is_table, parse_table, table_claims
from training.made.windows import Unit, Window, dressed, units_of, window_around
from training.paraphrases import paraphrase, without_opening


class Row(TypedDict):
    context: str
    claim: str
    label: str  # "supported", "contradicted" or "not_enough"
    kind: str
    group: str
    source: str


class _Draft(TypedDict):
    context: str
    claim: str
    label: str
    kind: str


_WEIGHTS = {"negation": 0.6, "antonym": 0.7, "name_swap": 0.7, "date": 1.5, "added_detail": 1.0}
_LABELS = ("supported",) * 45 + ("contradicted",) * 35 + ("not_enough",) * 20


class Maker:
    """Makes rows passage by passage, remembering some sentences and row names of earlier documents."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sentences: dict[str, deque[tuple[str, str]]] = defaultdict(lambda: deque(maxlen=300))  # by source
        self.subjects: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=4))  # by group
        self.tails: deque[str] = deque(maxlen=300)
        self.row_names: deque[str] = deque(maxlen=200)

    def rows(self, passage: Passage, count: int) -> Iterator[Row]:
        drafts = self._of_table(passage.text, count) if is_table(passage.text) else self._of_text(passage, count)
        for draft in drafts:
            yield Row(**draft, group=passage.group, source=passage.source)

    def _of_table(self, text: str, count: int) -> Iterator[_Draft]:
        claims = list(table_claims(text, list(self.row_names), self.rng))
        table = parse_table(text)
        self.row_names.extend(table.rows if table else ())
        for claim in _in_proportion(claims, count, self.rng):
            yield _Draft(context=drawn(text, self.rng), claim=claim.text, label=claim.label, kind=claim.kind)

    def _of_text(self, passage: Passage, count: int) -> Iterator[_Draft]:
        units = units_of(passage.text)
        places = [place for place, unit in enumerate(units) if unit.claim]
        if not places:
            return
        for _ in range(count):
            label = self.rng.choice(_LABELS)
            tries = (self._draft(units, self.rng.choice(places), passage, label) for _ in range(3))
            draft = next((draft for draft in tries if draft), None)
            if draft:
                yield draft
        kept = self.rng.sample(places, min(3, len(places)))
        for claim in (units[place].claim for place in kept):
            self.sentences[passage.source].append((passage.group, claim))
            self.subjects[passage.group].append(claim)
            self.tails.extend(tail for tail in [tail_of(claim)] if tail)

    def _draft(self, units: list[Unit], place: int, passage: Passage, label: str) -> _Draft | None:
        window, inside = window_around(units, place, self.rng)
        if label == "supported":
            return self._supported(window, inside)
        if label == "contradicted":
            return self._edited(window, inside, "contradicted")
        return self._not_enough(units, window, inside, passage)

    def _supported(self, window: Window, inside: int) -> _Draft | None:
        text, claim = window.text(), window.units[inside].claim
        draw, kind = self.rng.random(), "paraphrase"
        new = paraphrase(claim, text, self.rng)
        second = self._neighbour_claim(window, inside)
        if draw < 0.22 and second:
            kind, claim = (
                "joined",
                self._join(new or claim, paraphrase(second, text, self.rng, lead_in=False) or second),
            )
        elif draw < 0.3 or not new:
            if not new and self.rng.random() < 0.8:
                return None
            kind = "verbatim"
        else:
            claim = new
        return self._finished(text, claim, "supported", kind)

    def _neighbour_claim(self, window: Window, inside: int) -> str | None:
        options = [unit.claim for place, unit in enumerate(window.units) if unit.claim and place != inside]
        options = [claim for claim in options if len(claim.split()) < 35]
        return self.rng.choice(options) if options else None

    def _join(self, one: str, other: str) -> str:
        one, other = without_opening(one), without_opening(other)
        if self.rng.random() < 0.5 or not one.endswith("."):
            return f"{one} {other}"
        return f"{one[:-1]}{self.rng.choice((', and ', '; ', '. In addition, ', ', while '))}{lowered(other)}"

    def _edited(self, window: Window, inside: int, label: str) -> _Draft | None:
        text, claim = window.text(), window.units[inside].claim
        base = (paraphrase(claim, text, self.rng, exact=True) if self.rng.random() < 0.6 else None) or without_opening(
            claim
        )
        edit = self._one_of([edit for edit in edits(base, text, self.rng) if edit.label == label])
        if edit is None:
            return None
        changed, second = edit.text, self._neighbour_claim(window, inside)
        if second and self.rng.random() < 0.15:
            changed = self._join(*self.rng.sample([changed, second], 2))
        return self._finished(text, changed, label, edit.kind)

    def _one_of(self, found: list[Edit]) -> Edit | None:
        """Kinds that few sentences allow are taken more often when they can be had."""
        kinds = sorted({edit.kind for edit in found})
        if not kinds:
            return None
        kind = self.rng.choices(kinds, [_WEIGHTS.get(kind, 3.0) for kind in kinds])[0]
        return self.rng.choice([edit for edit in found if edit.kind == kind])

    def _not_enough(self, units: list[Unit], window: Window, inside: int, passage: Passage) -> _Draft | None:
        draw = self.rng.random()
        if draw < 0.45:
            draft = self._edited(window, inside, "not_enough") if draw < 0.25 else self._with_borrowed(window, inside)
            if draft:
                return draft
        if draw < 0.6:
            same = [claim for claim in self.subjects[passage.group] if claim not in passage.text]
            if same and self.rng.random() < 0.7:
                return self._unsaid(window, window.text(), self.rng.choice(same), "same_subject")
            return self._unsaid(window, window.text(), self._elsewhere(passage, window.text()), "other_document")
        if draw < 0.8 or len(window.units) < 2:
            outside = [unit.claim for place, unit in enumerate(units)
                       if unit.claim and not window.start <= place < window.start + len(window.units)]  # fmt: skip
            claim = self.rng.choice(outside) if outside else None
            return self._unsaid(window, window.text(), claim, "neighbour")
        return self._unsaid(window, window.text(leave_out=inside), window.units[inside].claim, "removed", inside)

    def _with_borrowed(self, window: Window, inside: int) -> _Draft | None:
        """The sentence with the last phrase of one from another document put behind it."""
        text, claim = window.text(), without_opening(window.units[inside].claim)
        words = content_words(text)
        fitting = [tail for tail in self.tails if not content_words(tail) & words] if takes_detail(claim) else []
        if not fitting:
            return None
        return self._finished(text, f"{claim[:-1]} {self.rng.choice(fitting)}.", "not_enough", "borrowed_detail")

    def _elsewhere(self, passage: Passage, text: str) -> str | None:
        """A sentence of another document of the same source, the nearest in words of those drawn."""
        pool = [claim for group, claim in self.sentences[passage.source] if group != passage.group]
        if not pool:
            return None
        words = content_words(text)
        return max(self.rng.sample(pool, min(30, len(pool))), key=lambda claim: len(words & content_words(claim)))

    def _unsaid(
        self, window: Window, text: str, claim: str | None, kind: str, leave_out: int | None = None
    ) -> _Draft | None:
        """A row with a claim that no sentence of the window repeats in much the same words."""
        if claim is None or len(text.split()) < 8:
            return None
        words = content_words(claim)
        for place, unit in enumerate(window.units):
            if place != leave_out and len(words & content_words(unit.text)) > 0.5 * len(words):
                return None
        said = (paraphrase(claim, text, self.rng) if self.rng.random() < 0.5 else None) or without_opening(claim)
        said_too = self._neighbour_claim(window, -1 if leave_out is None else leave_out)
        if said_too and self.rng.random() < 0.15:
            said = self._join(*self.rng.sample([said, said_too], 2))
        return self._finished(text, said, "not_enough", kind)

    def _finished(self, text: str, claim: str, label: str, kind: str) -> _Draft:
        if self.rng.random() < 0.6:
            text = detokenised(text)
        if self.rng.random() < 0.15 and claim.endswith("."):
            claim = claim[:-1]
        return _Draft(context=dressed(text, self.rng), claim=claim, label=label, kind=kind)


def _in_proportion(claims: list[TableClaim], count: int, rng: random.Random) -> Iterator[TableClaim]:
    by_label: dict[str, list[TableClaim]] = defaultdict(list)
    rng.shuffle(claims)
    for claim in claims:
        by_label[claim.label].append(claim)
    for _ in range(count):
        found = by_label[rng.choice(_LABELS)]
        if found:
            yield found.pop()


def made_rows(passages: Iterable[Passage], rng: random.Random, per_passage: int) -> Iterator[Row]:
    """About `per_passage` rows for each passage; fewer where it has little to make claims of."""
    maker = Maker(rng)
    for passage in passages:
        yield from maker.rows(passage, per_passage)


def some_of_each(passages: list[Passage], count: int, fewer: Mapping[str, int], rng: random.Random) -> list[Passage]:
    """At most `count` of a source, or as many as `fewer` says."""
    rng.shuffle(passages)
    taken: dict[str, int] = defaultdict(int)
    kept = []
    for passage in passages:
        taken[passage.source] += 1
        if taken[passage.source] <= fewer.get(passage.source, count):
            kept.append(passage)
    return kept
