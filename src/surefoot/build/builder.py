"""A question set by the protocol: so many questions of each kind, every one of them proven."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, zip_longest
from typing import Any

from surefoot.build import absent
from surefoot.build.absent import Absent
from surefoot.build.asking import THIS
from surefoot.build.clauses import SIGNED, plain
from surefoot.build.facts import Fact, facts_of
from surefoot.build.names import date_in, described, later_of, names_of
from surefoot.build.proof import ANSWERS, Proof
from surefoot.build.wording import inside_of, lowered, naming, worded
from surefoot.core.types import Question
from surefoot.corpus.passages import Row
from surefoot.datasets.protocol import KINDS, PROTOCOL, Kind, proposed
from surefoot.graders.features import deciding_sentence
from surefoot.graders.local import LocalJudge
from surefoot.text.normal import id_of_text, normalise, sentences, vocabulary

TEMPLATES = "templates"  # who words a question, until a model does
_TRIES, _LEAST_TRIES = 8, 60  # candidates that are read for each question wanted
_MOST_OF_A_KIND, _MOST_OF_A_MOULD, _MOST_OF_A_TRAP = 0.3, 0.12, 0.5
_LEAST_OF_A_KIND = 3
_ALIKE = 0.7  # of the words, where two facts answer the same question
_SAME_TOPIC = 0.5  # of its words, where a passage might answer a question too
_RIVALS = 8  # such passages that are read
_SURE = 0.5  # a passage that answers so surely is a second answer
_READ = 12  # passages that are read for a question that nothing is to answer
_LONG = 30  # words of a claim too long to be asked about as a whole
_FEWEST = 4  # words with which a question may be understood without its document
_ASKING = vocabulary("much many long often time date amount second minute hour day week month year percentage end take")
_ROWS = frozenset({"cell", "comparison"})  # a row may be called by any name
_NEAREST = 3  # passages kept as evidence that nothing answers
_FIRST = (  # the kinds of facts that people ask for most
    "amount", "period", "share", "date", "count", "cell", "name", "time", "year", "prohibition", "manner",
    "permission", "duty", "law", "definition",
)  # fmt: skip


_INSTEAD = {  # what stands in for a kind of which the documents do not give enough
    "bait_wrong": "plain", "bait_unsupported": "unanswerable", "refuse": "unanswerable", "adversarial": "unanswerable",
    "unanswerable": "refuse", "retrieval_null": "plain", "plain": "bait_wrong",
}  # fmt: skip


Candidate = tuple[str, Question, Callable[[], bool]]


class Builder:
    """Makes questions over one corpus. The same corpus and seed make the same questions."""

    def __init__(self, rows: Sequence[Row], seed: int = 0) -> None:
        self.documents: dict[str, list[Row]] = {}
        for row in rows:
            self.documents.setdefault(row.document, []).append(row)
        self.rows = rows
        self.names = names_of(self.documents)
        self._seed = seed
        self.later = later_of(self.documents)
        self.described = described(self.documents)
        self._home = {row.id: row.document for row in rows}
        self._named: dict[int, str] = {}
        self._asked: set[str] = set()  # gold claims: what is asked in one way is asked in another only for want of more
        self._judge = LocalJudge()
        self._proofs: dict[str, Proof] = {}

    @cached_property
    def texts(self) -> dict[str, str]:
        return {name: "\n".join(row.text for row in rows) for name, rows in self.documents.items()}

    @cached_property
    def _every(self) -> list[Fact]:
        """What a document says twice is left out: a question has one gold passage."""
        found = [fact for row in self.rows for fact in facts_of(row, self.texts[row.document])]
        times = Counter((fact.row.document, fact.asks) for fact in found)
        return [fact for fact in found if times[fact.row.document, fact.asks] == 1]

    @cached_property
    def facts(self) -> list[Fact]:
        """What holds, in the order in which it is tried: by turns of documents, of each its best kinds first."""
        changed = {id(old) for old, _ in self.changed}
        return self._in_turn(one for one in self._every if id(one) not in changed and self._holds(one))

    @cached_property
    def changed(self) -> list[tuple[Fact, Fact]]:
        """What an amendment or a later version changed, with what holds now."""
        found: dict[int, tuple[Fact, Fact]] = {}
        for old, new in self._alike:
            later = [*self.later[old.row.document]]
            if new.row.document in later:
                before = found.get(id(old))
                if before is None or later.index(new.row.document) < later.index(before[1].row.document):
                    found[id(old)] = (old, new)
        return [*found.values()]

    def _holds(self, fact: Fact) -> bool:
        """Whether nothing later says the same or may have changed it. Of an old version only what changed is asked."""
        later = self.later[fact.row.document]
        if not later:
            return True
        said = [row.text for document in later for row in self.documents[document]]
        words = vocabulary(fact.asks.replace(THIS, ""))
        is_open = any(len(words & vocabulary(text)) >= _SAME_TOPIC * len(words) for text in said)
        return not (is_open or any(later.values()) or any(f'"{fact.value}"' in plain(text) for text in said))

    def name_of(self, fact: Fact) -> str:
        """What a question on a fact calls its document: "" if no other document says anything like it.

        An amendment goes by the name of what it amends.
        """
        if id(fact) not in self._named:
            document, words = fact.row.document, vocabulary(fact.asks) - _ASKING
            base = next((base for base, later in self.later.items() if later.get(document) is False), document)
            is_signed = re.search(rf"\b(?:{SIGNED})\b", self.names[base])  # the like of which others may sign
            needs = is_signed or THIS in fact.asks or fact.kind in _ROWS or re.search(r"\byou\b", fact.asks)
            near = [] if needs or len(words) < _FEWEST else self._whole.nearest(fact.asks, _RIVALS)
            others = [one for one in near if self._home[one.id] not in self._kin(document)]
            is_alone = all(len(words & vocabulary(one.text)) <= _SAME_TOPIC * len(words) for one in others)
            is_found = bool(near) and self._home[near[0].id] == document
            self._named[id(fact)] = "" if is_found and is_alone else self.names[base]
        return self._named[id(fact)]

    def _kin(self, document: str) -> set[str]:
        """The document, and all that amend or replace it or that it amends or replaces."""
        return {document, *self.later[document], *(one for one, later in self.later.items() if document in later)}

    def fill(self, wanted: Mapping[str, int], made: Counter[str], size: int, taken: set[str]) -> Iterator[Question]:
        """Each kind in turn, the scarce one first; then, for what is missing, the kind that comes closest.

        `made` counts what is there already, and whoever takes a question counts it too.
        """
        first = sorted(PROTOCOL, key=lambda kind: kind.name != "bait_wrong")
        turns = [*((kind, kind) for kind in first), *((kind, KINDS[_INSTEAD[kind.name]]) for kind in PROTOCOL)]
        turns += [(kind, KINDS["unanswerable"]) for kind in PROTOCOL if wanted["unanswerable"]]
        for kind, instead in turns:
            missing = min(wanted[kind.name] - made[kind.name], size - made.total())
            if missing > 0:
                yield from self.questions(instead, missing, taken)

    def questions(self, kind: Kind, count: int, taken: set[str]) -> Iterator[Question]:
        """As many as are wanted, or as there are; `taken` are normalised texts that must not come again."""
        found = Counter[str]()
        tries = 0
        for source, question, is_proven in self._new_first(self._candidates(kind)):
            if found.total() >= count or tries > max(count * _TRIES, _LEAST_TRIES):
                return
            capped = source in _CAPPED or kind.expects == "refusal"
            most = _MOST_OF_A_TRAP if kind.name == "adversarial" else _MOST_OF_A_MOULD if capped else _MOST_OF_A_KIND
            if found[source] >= max(_LEAST_OF_A_KIND, count * most) or normalise(question.text) in taken:
                continue
            tries += 1
            if is_proven():
                taken.add(normalise(question.text))
                found[source] += 1
                self._asked.update(question.gold_claims)
                yield question

    def _new_first(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        again = list[Candidate]()
        for one in candidates:
            if self._asked.isdisjoint(one[1].gold_claims):
                yield one
            else:
                again.append(one)
        yield from again

    def _candidates(self, kind: Kind) -> Iterator[Candidate]:
        """What each is made of, the question, and its proof."""
        if kind.expects == "answer" or kind.name == "retrieval_null":
            plain = [(kind.name, fact, None) for fact in self.facts]
            asked = self._rivals() if kind.name == "bait_wrong" else plain
            if kind.name == "plain":
                asked = _by_turns(plain[::3], plain[1::3], plain[2::3], self._comparisons())
            elif kind.retrieval == "null":  # anything can be asked of nothing
                asked = chain(plain, self._comparisons(), self._rivals())
            for probes, fact, rival in asked:
                is_proven = partial(self._is_sole_answer, fact, rival) if kind.retrieval == "normal" else lambda: True
                source = fact.kind if probes == kind.name else f"{probes} {fact.kind}" if rival is None else probes
                yield source, self._grounded(kind, probes, fact, rival), is_proven
        else:
            for one in self._absent(kind):
                yield one.mould or one.kind, self._refused(kind, one), partial(self._is_unanswered, one)

    def _absent(self, kind: Kind) -> Iterable[Absent]:
        facts, names = self.facts, self.names
        parts = {later for versions in self.later.values() for later, is_whole in versions.items() if not is_whole}
        valid = [one for one, versions in self.later.items() if one not in parts and not any(versions.values())]
        texts = {one: "\n".join(self.texts[part] for part in (one, *self.later[one])) for one in self.documents}
        order = sorted(valid, key=lambda document: (self._has_file_name(document), self._order(document)))
        moulds = absent.moulded(kind.name, facts, texts, names, order) if kind.name in absent.MOULDED else []
        if kind.name == "bait_unsupported":
            silent = (absent.transplants(facts, texts, names), absent.unlisted(facts, texts))
            return _by_turns(*silent, *moulds, *silent, *silent)
        if moulds:
            return _by_turns(*moulds)
        apart = [pair for pair in self._alike if self._is_apart(*pair)]
        return _by_turns(
            absent.misnamed(facts, texts, names), absent.moved_years(facts, texts),
            absent.strangers(facts, texts, self.described), absent.transplants(facts[::-1], texts, names),
            absent.ambiguous(apart, names, self.described),
        )  # fmt: skip

    def _has_file_name(self, document: str) -> bool:
        return self.names[document].endswith("”")

    def _is_apart(self, one: Fact, other: Fact) -> bool:
        """In two documents, neither of which stands above the other, and not about somebody whom both name."""
        here, there = one.row.document, other.row.document
        is_apart = here < there and there not in self._kin(here)
        return is_apart and self._holds(one) and self._holds(other) and not self._is_open(one, other)

    @cached_property
    def _alike(self) -> list[tuple[Fact, Fact]]:
        """Facts, each with those that answer nearly the same question otherwise."""
        facts = [fact for fact in self._every if fact.kind not in _YES_NO]
        words = [vocabulary(fact.asks) for fact in facts]
        having: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for place, fact in enumerate(facts):
            for word in words[place]:
                having[fact.kind, word].append(place)
        found = []
        for place, fact in enumerate(facts):
            shared = Counter(other for word in sorted(words[place]) for other in having[fact.kind, word])
            for other, count in shared.items():
                is_alike = count >= _ALIKE * len(words[place] | words[other])
                is_alike &= fact.kind != "cell" or fact.asks == facts[other].asks  # not another column of the same row
                if is_alike and normalise(facts[other].value) != normalise(fact.value):
                    found.append((fact, facts[other]))
        return found

    def _rivals(self) -> Iterator[tuple[str, Fact, Fact | None]]:
        """What tempts to a wrong answer, by turns: a rival or a former value, a false premise, two sources."""
        holding = set(map(id, self.facts))
        pairs = [pair for pair in self._alike if id(pair[0]) in holding]
        firsts = {id(pair[0]): pair for pair in reversed(pairs)}
        rivals = [firsts[id(one)] for one in self.facts if id(one) in firsts]
        changed = [(new, old) for old, new in self.changed if id(new) in holding]
        rivals = list(dict.fromkeys([*changed, *rivals]))
        false = [
            (one, other)
            for one, other in (*changed, *rivals[::-1])
            if one.kind == "law" or (one.value in one.claim and one.kind != "manner" and len(one.claim.split()) < _LONG)
        ]
        both = [(one, other) for one, other in rivals if one.asks == other.asks and self._is_open(one, other)]
        found: tuple[list[tuple[str, Fact, Fact | None]], ...] = (
            [("bait_wrong", *pair) for pair in rivals],
            [("point_in_time", old, new) for new, old in changed],
            [("false_premise", *pair) for pair in dict.fromkeys(false) if _flipped(*pair)],
            [("conflict", *pair) for pair in both if pair[0].row.id < pair[1].row.id],
            [("false_premise", fact, None) for fact in self.facts if _flipped(fact)],
        )
        return _by_turns(*(sorted(some, key=lambda one: self._has_file_name(one[1].row.document)) for some in found))

    def _is_open(self, one: Fact, other: Fact) -> bool:
        """Two documents speak of whom the question names, and neither stands above the other."""
        here, there = one.row.document, other.row.document
        known = _OWN.findall(one.asks)
        is_apart = there not in self._kin(here) and self.described[here].topic != self.described[there].topic
        return is_apart and bool(known) and THIS not in one.asks and all(name in self.texts[there] for name in known)

    def _comparisons(self) -> Iterator[tuple[str, Fact, Fact | None]]:
        taken = set[int]()
        for one, other in self._alike:
            is_apart = self._is_apart(one, other) and one.asks == other.asks and one.kind != "manner"
            is_apart &= not any(self._has_file_name(fact.row.document) for fact in (one, other))
            if is_apart and self.name_of(one) and not {id(one), id(other)} & taken:
                taken |= {id(one), id(other)}
                yield "comparison", one, other

    def _grounded(self, kind: Kind, probes: str, fact: Fact, rival: Fact | None) -> Question:
        text, gold = worded(fact.asks, self.name_of(fact), fact.row.id), [fact]
        why = f"The passage says it: {fact.value}." if fact.value not in ("yes", "no") else "The passage says so."
        if probes == "false_premise":
            text = worded(f"Is it right that {_flipped(fact, rival)}?", self.name_of(fact), fact.row.id)
            why = f"No: {lowered(why)}"
        if rival:
            where = self.names[rival.row.document] or rival.row.id
            why += f" Elsewhere the same is {rival.value} ({where})."
            if probes == "point_in_time":
                when = self._since(rival)
                text = worded(fact.asks, self.name_of(rival), fact.row.id)
                text, why = f"As things stood before {when}, {lowered(text)}", f"{why} That holds since {when}."
            elif probes in ("conflict", "comparison"):
                gold = [fact, rival]
                text = worded(fact.asks, "", fact.row.id) if probes == "conflict" else self._of_both(fact, rival)
        evidence = [fact.row.id, *([rival.row.id] if rival else [])]
        ids = tuple(dict.fromkeys(one.row.id for one in gold))
        claims = tuple(dict.fromkeys(one.claim for one in gold))
        source = fact.kind if probes == kind.name else probes
        return _proposed(kind, text, source, why, evidence, ids, claims, probes)

    def _of_both(self, fact: Fact, other: Fact) -> str:
        """ "What is the weight of the P-40? And of the P-60?" """
        names = self.names[fact.row.document], self.names[other.row.document]
        joins = fact.asks.partition(THIS)[0].split()[-1:] if THIS in fact.asks else [naming(names[0])]
        join = f"And {joins[0]}" if joins[0] in ("of", "under", "for", "at", "in", "to") else "What about"
        return f"{worded(fact.asks, names[0], fact.row.id)} {join} {names[1]}?"

    def _since(self, fact: Fact) -> str:
        """When what a later document says came into force."""
        lines = [line for line in fact.row.text.splitlines() if fact.value in line]
        rows = self.documents[fact.row.document]
        return next(filter(None, map(date_in, [*lines, fact.row.doc, *(row.text for row in rows)])), "the change")

    def _is_sole_answer(self, fact: Fact, rival: Fact | None = None) -> bool:
        """The passage answers, and no other of its document, or of one that amends it, answers otherwise."""
        document, gold, words = fact.row.document, fact.row.passage, vocabulary(fact.asks)
        later, kin = self.later[document], self._kin(document)
        is_named = THIS in fact.asks or self.name_of(fact)
        question, proof = _bare(fact.asks), self._proof(document) if is_named else self._whole
        known = {fact.row.id, *([rival.row.id] if rival else [])}
        near = [
            one
            for one in proof.nearest(question)
            if one.id not in known
            and (self._home[one.id] in later or len(words & vocabulary(one.text)) >= _SAME_TOPIC * len(words))
            and self._home[one.id] not in kin - {document, *later}
        ]
        if not any((one.probability or 0) >= ANSWERS for one in proof.answering(question, [gold])):
            return False
        if fact.kind == "definition":  # a term is defined where it stands in quotes
            return True
        found = proof.answering(question, near[:_RIVALS])
        sure = {True: ANSWERS, False: _SURE}  # what comes later is heard at once
        others = [one.passage for one in found if (one.probability or 0) >= sure[self._home[one.passage.id] in later]]
        if fact.kind in _OPEN:
            return all(one.label != "contradicted" for one in proof.read(fact.claim, others, question))
        return all(normalise(fact.value) in normalise(one.text) for one in others)

    def _refused(self, kind: Kind, one: Absent) -> Question:
        name = self.names[one.document] if one.names else ""
        near = self._proof(one.document).nearest(one.asks, _NEAREST)
        rows = self.documents[one.document]
        told = [row.passage for row in rows if one.topic and re.search(one.topic, row.text, re.IGNORECASE)]
        close = [*([one.fact.row.passage] if one.fact else []), *told, *near, rows[0].passage][:_NEAREST]
        evidence = list(dict.fromkeys([*one.others, *(passage.id for passage in close)]))
        said = [text for text in sentences(close[0].text) if one.topic and re.search(one.topic, text, re.IGNORECASE)]
        closest = said[0] if said else deciding_sentence(close[0].text, one.asks)
        why = f"{one.why[0].upper()}{one.why[1:]}. No passage was found to answer it. Closest: {closest}"
        source, text = one.kind.replace("_", " "), worded(one.asks, name, one.asks)
        return _proposed(kind, text, source, why, evidence, probes=one.kind)

    def _is_unanswered(self, one: Absent) -> bool:
        if one.is_proven:
            return True
        proof = self._proof(one.document) if one.names else self._whole
        found = proof.answering(_bare(one.asks), proof.candidates(_bare(one.asks))[:_READ])
        return all(two.probability is not None and two.probability < ANSWERS for two in found)

    @cached_property
    def _whole(self) -> Proof:
        return Proof([row.passage for row in self.rows], self._judge)

    def _proof(self, document: str) -> Proof:
        if document not in self._proofs:
            rows = [row for one in (document, *self.later[document]) for row in self.documents[one]]
            self._proofs[document] = Proof([row.passage for row in rows], self._judge)
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
            (rank + 100 * self._has_file_name(document), self._order(document), one[-1])
            for document, ones in by_document.items()
            for rank, one in enumerate(sorted(ones, key=lambda one: one[:3]))
        ]
        return [fact for _, _, fact in sorted(ranked, key=lambda one: one[:2])]

    def _order(self, text: str) -> str:
        return hashlib.sha256(f"{self._seed} {text}".encode("utf-8", "replace")).hexdigest()


def _flipped(fact: Fact, rival: Fact | None = None) -> str:
    """A claim that is false: with a rival's value, or its duty turned round; "" if there is none."""
    if rival is None:
        helper = {"prohibition": "may", "obligation": "need not"}.get(fact.kind)
        is_act = (
            helper and fact.does and fact.who != THIS and not re.match(r"(?:be|remain|survive)\b|.*\bno\b", fact.does)
        )
        is_act = is_act and (helper == "may" or fact.who.lower() != "you")
        return f"{fact.who} {helper} {fact.does}" if is_act else ""
    if fact.is_order:
        return ""
    if fact.kind == "law":
        law = rival.value if rival.value.endswith(" law") else f"that of {rival.value}"
        return f"the governing law of {THIS} is {law}"
    what = re.fullmatch(r"(?:What|How much) (?:is|are) (?:the )?(.+)\?", fact.asks)
    what = what or re.fullmatch(r"What (.+ does .+) have\?", fact.asks)
    if what or fact.kind in _ROWS:
        return f"the {what[1].replace(' does ', ' of ')} is {rival.value}" if what else ""
    return inside_of(fact.claim.replace(fact.value, rival.value, 1), f"{fact.row.doc}\n{fact.row.text}")


_YES_NO = frozenset({"obligation", "permission", "prohibition", "definition"})
# A name, and no role.
_OWN = re.compile(r"(?<!the )(?<!each )(?<!any )(?<!either )(?<!^)\b[A-Z][\w&-]{3,}(?: [A-Z][\w&-]+)*|\b[A-Z]+-?\d+\b")
_OPEN = _YES_NO | {"duty"}
_CAPPED = frozenset({"law", "manner", "comparison", "duty"})


def _proposed(
    kind: Kind, text: str, source: str, why: str, evidence: list[str], gold_ids: tuple[str, ...] = (),
    gold_claims: tuple[str, ...] = (), probes: str = "",
) -> Question:  # fmt: skip
    made: dict[str, object] = {"kind": source, "by": TEMPLATES, "why": why, "evidence": evidence}
    return proposed(id_of_text(text), text, kind, gold_ids, gold_claims, made, probes)


def _bare(asks: str) -> str:
    """As it is asked of one document alone."""
    return asks.replace(THIS, "this document")


def _by_turns(*sources: Iterable[Any]) -> Iterator[Any]:
    for turn in zip_longest(*sources):
        yield from (one for one in turn if one is not None)
