"""A question set by the protocol: so many questions of each kind, every one of them proven."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain

from surefoot.build import absent
from surefoot.build.absent import Absent
from surefoot.build.asking import THIS
from surefoot.build.facts import Fact, facts_of
from surefoot.build.names import makers_of, names_of
from surefoot.build.proof import ANSWERS, Proof
from surefoot.build.usual import is_terms, usual_details
from surefoot.build.wording import worded
from surefoot.core.types import Question
from surefoot.corpus.passages import Row
from surefoot.datasets.protocol import KINDS, PROTOCOL, Kind, proposed
from surefoot.graders.local import LocalJudge
from surefoot.text.normal import id_of_text, normalise, vocabulary

TEMPLATES = "templates"  # who words a question, until a model does
_TRIES, _LEAST_TRIES = 8, 60  # candidates that are read for each question wanted
_MOST_OF_A_KIND, _MOST_OF_LAW = 0.3, 0.12
_ALIKE = 0.7  # of the words, where two facts answer the same question
_SAME_TOPIC = 0.5  # of its words, where a passage might answer a question too
_RIVALS = 8  # such passages that are read
_SURE = 0.5  # a passage that answers so surely is a second answer
_NEAREST = 3  # passages kept as evidence that nothing answers
_FIRST = (  # the kinds of facts that people ask for most
    "amount", "period", "share", "date", "count", "cell", "name", "time", "year", "prohibition", "manner",
    "permission", "law", "definition",
)  # fmt: skip


_INSTEAD = {  # what stands in for a kind of which the documents do not give enough
    "bait_wrong": "plain", "bait_unsupported": "unanswerable", "refuse": "unanswerable", "adversarial": "unanswerable",
    "unanswerable": "refuse", "retrieval_null": "plain", "plain": "bait_wrong",
}  # fmt: skip


class Builder:
    """Makes questions over one corpus. The same corpus and seed make the same questions."""

    def __init__(self, rows: Sequence[Row], seed: int = 0) -> None:
        self.documents: dict[str, list[Row]] = {}
        for row in rows:
            self.documents.setdefault(row.document, []).append(row)
        self.rows = rows
        self.names = names_of(self.documents)
        self._seed = seed
        self._judge = LocalJudge()
        self._proofs: dict[str, Proof] = {}

    @cached_property
    def texts(self) -> dict[str, str]:
        return {name: "\n".join(row.text for row in rows) for name, rows in self.documents.items()}

    @cached_property
    def facts(self) -> list[Fact]:
        """In the order in which they are tried: by turns of documents, of each its best kinds first.

        What a document says twice is left out: a question has one gold passage.
        """
        found = [fact for row in self.rows for fact in facts_of(row, self.texts[row.document])]
        times = Counter((fact.row.document, fact.asks) for fact in found)
        return self._in_turn(fact for fact in found if times[fact.row.document, fact.asks] == 1)

    def fill(self, wanted: Mapping[str, int], made: Counter[str], size: int, taken: set[str]) -> Iterator[Question]:
        """Each kind in turn, the scarce one first; then, for what is missing, the kind that comes closest.

        `made` counts what is there already, and whoever takes a question counts it too.
        """
        first = sorted(PROTOCOL, key=lambda kind: kind.name != "bait_wrong")
        turns = [*((kind, kind) for kind in first), *((kind, KINDS[_INSTEAD[kind.name]]) for kind in PROTOCOL)]
        for kind, instead in turns:
            missing = min(wanted[kind.name] - made[kind.name], size - made.total())
            if missing > 0:
                yield from self.questions(instead, missing, taken)

    def questions(self, kind: Kind, count: int, taken: set[str]) -> Iterator[Question]:
        """As many as are wanted, or as there are; `taken` are normalised texts that must not come again."""
        found = Counter[str]()
        tries = 0
        for source, question, is_proven in self._candidates(kind):
            if found.total() >= count or tries > max(count * _TRIES, _LEAST_TRIES):
                return
            most = count * (_MOST_OF_LAW if source == "law" else _MOST_OF_A_KIND)
            is_capped = source in _CAPPED and found[source] >= max(2, most)
            if is_capped or normalise(question.text) in taken:
                continue
            tries += 1
            if is_proven():
                taken.add(normalise(question.text))
                found[source] += 1
                yield question

    def _candidates(self, kind: Kind) -> Iterator[tuple[str, Question, Callable[[], bool]]]:
        """What each is made of, the question, and its proof."""
        if kind.expects == "answer" or kind.name == "retrieval_null":
            pairs = self._rivals() if kind.name == "bait_wrong" else ((fact, None) for fact in self.facts)
            for fact, rival in pairs:
                yield fact.kind, self._grounded(kind, fact, rival), partial(self._is_sole_answer, fact)
        else:
            for one in self._absent(kind):
                yield one.kind, self._refused(kind, one), partial(self._is_unanswered, one)

    def _absent(self, kind: Kind) -> Iterable[Absent]:
        facts = self.facts
        order = sorted(self.documents, key=self._order)
        if kind.name == "bait_unsupported":
            return _by_turns(
                absent.transplants(facts, self.texts, self.names),
                usual_details(self.texts, [name for name in order if is_terms(self.names[name])]),
            )
        if kind.name == "refuse":
            return chain(absent.opinions(facts, self.names), absent.advice(order))
        if kind.name == "unanswerable":
            return _by_turns(absent.silent_topics(self.rows, self.texts, order), absent.nowhere(order, self.names))
        return _by_turns(
            absent.moved_years(facts, self.texts),
            absent.neighbours(facts, self.texts),
            absent.strangers(facts, self.texts, makers_of(self.documents)),
            absent.transplants(facts[::-1], self.texts, self.names),
        )

    def _rivals(self) -> Iterator[tuple[Fact, Fact]]:
        """Facts with another that answers nearly the same question otherwise."""
        facts = [fact for fact in self.facts if fact.kind not in _YES_NO]
        words = [vocabulary(fact.asks) for fact in facts]
        having: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for place, fact in enumerate(facts):
            for word in words[place]:
                having[fact.kind, word].append(place)
        for place, fact in enumerate(facts):
            shared = Counter(other for word in sorted(words[place]) for other in having[fact.kind, word])
            for other, count in shared.items():
                is_alike = count >= _ALIKE * len(words[place] | words[other])
                is_alike &= fact.kind != "cell" or fact.asks == facts[other].asks  # not another column of the same row
                if is_alike and normalise(facts[other].value) != normalise(fact.value):
                    yield fact, facts[other]
                    break

    def _grounded(self, kind: Kind, fact: Fact, rival: Fact | None) -> Question:
        why = "The passage says so in one sentence."
        if fact.value not in ("yes", "no"):
            why = f"The passage says it: {fact.value}."
        if rival:
            why += f" Elsewhere the same is {rival.value} ({self.names[rival.row.document] or rival.row.id})."
        evidence = [fact.row.id, *([rival.row.id] if rival else [])]
        text = worded(fact.asks, self.names[fact.row.document], fact.row.id)
        return _proposed(kind, text, fact.kind, why, evidence, (fact.row.id,), (fact.claim,))

    def _is_sole_answer(self, fact: Fact) -> bool:
        """The passage answers, and no other of its document that speaks of the same answers otherwise."""
        question, proof, gold = _bare(fact.asks), self._proof(fact.row.document), fact.row.passage
        words = vocabulary(fact.asks)
        near = [passage for passage in proof.nearest(question) if passage.id != gold.id]
        near = [passage for passage in near if len(words & vocabulary(passage.text)) >= _SAME_TOPIC * len(words)]
        found = proof.answering(question, [gold, *near[:_RIVALS]])
        others = [one for one in found if one.passage.id != gold.id and (one.probability or 0) >= _SURE]
        return any(one.passage.id == gold.id and (one.probability or 0) >= ANSWERS for one in found) and all(
            normalise(fact.value) in normalise(one.passage.text) for one in others
        )

    def _refused(self, kind: Kind, one: Absent) -> Question:
        name = "" if one.is_invented else self.names[one.document]
        near = self._proof(one.document).nearest(one.asks, _NEAREST)
        nearest = [row.id for row in near or self.documents[one.document]]  # a question may share no word
        tempting = [one.fact.row.id] if one.fact else []
        evidence = list(dict.fromkeys([*tempting, *nearest[:_NEAREST]]))
        why = f"{one.why[0].upper()}{one.why[1:]}. No passage was found to answer it."
        probes = one.kind if kind.name == "adversarial" else kind.probes
        return _proposed(kind, worded(one.asks, name, one.asks), one.kind, why, evidence, probes=probes)

    def _is_unanswered(self, one: Absent) -> bool:
        proof = self._proof_of_all if one.is_invented else self._proof(one.document)
        return not proof.answered(_bare(one.asks))

    @cached_property
    def _proof_of_all(self) -> Proof:
        return Proof([row.passage for row in self.rows], self._judge)

    def _proof(self, document: str) -> Proof:
        if document not in self._proofs:
            self._proofs[document] = Proof([row.passage for row in self.documents[document]], self._judge)
        return self._proofs[document]

    def _in_turn(self, facts: Iterable[Fact]) -> list[Fact]:
        places = Counter[tuple[str, str]]()
        by_document: defaultdict[str, list[tuple[int, int, str, Fact]]] = defaultdict(list)
        for fact in sorted(facts, key=lambda fact: self._order(fact.row.id + fact.asks)):
            document = fact.row.document
            places[document, fact.kind] += 1
            first = _FIRST.index(fact.kind) if fact.kind in _FIRST else len(_FIRST)
            by_document[document].append((places[document, fact.kind], first, self._order(fact.asks), fact))
        ranked = [
            (rank, self._order(document), one[-1])
            for document, ones in by_document.items()
            for rank, one in enumerate(sorted(ones, key=lambda one: one[:3]))
        ]
        return [fact for _, _, fact in sorted(ranked, key=lambda one: one[:2])]

    def _order(self, text: str) -> str:
        return hashlib.sha256(f"{self._seed} {text}".encode("utf-8", "replace")).hexdigest()


_YES_NO = frozenset({"obligation", "permission", "prohibition", "definition"})
_CAPPED = _YES_NO | {"law", "manner", "cell", "duty kept", "term agreed", "nowhere"}


def _proposed(
    kind: Kind, text: str, source: str, why: str, evidence: list[str], gold_ids: tuple[str, ...] = (),
    gold_claims: tuple[str, ...] = (), probes: str = "",
) -> Question:  # fmt: skip
    made: dict[str, object] = {"kind": source, "by": TEMPLATES, "why": why, "evidence": evidence}
    return proposed(id_of_text(text), text, kind, gold_ids, gold_claims, made, probes)


def _bare(asks: str) -> str:
    """As it is asked of one document alone."""
    return asks.replace(THIS, "this document")


def _by_turns(*sources: Iterable[Absent]) -> Iterator[Absent]:
    waiting = [iter(source) for source in sources]
    while waiting:
        for source in list(waiting):
            try:
                yield next(source)
            except StopIteration:
                waiting.remove(source)
