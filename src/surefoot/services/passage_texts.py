"""Logs that name passages by id alone: their texts come from a corpus, in this one place for whoever reads traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from surefoot.core.records import fingerprint
from surefoot.core.result import Tell
from surefoot.core.types import Item, Passage, Problem, Retrieved, Trace
from surefoot.core.words import counted, names
from surefoot.corpus.corpus import load_corpus
from surefoot.text.citations import parse

_NAMED = 5


class PassageTexts:
    """The passages of a corpus by id, and the ids that traces name and the corpus lacks."""

    def __init__(self, passages: Iterable[Passage] = (), source: str = "") -> None:
        self._by_id = {passage.id: passage for passage in passages}
        self.source, self.sha256 = source, fingerprint(self._by_id.values())
        self.lacking: Counter[str] = Counter()  # in how many traces
        self._unlisted = 0  # traces that cite passages of the corpus, and do not say what was retrieved

    @classmethod
    def of(cls, corpus: str | Path | None, tell: Tell) -> PassageTexts | None:
        """If a corpus is given; `tell` hears what of it could not be read."""
        return None if corpus is None else cls(load_corpus(corpus, tell=tell), str(corpus))

    @property
    def passages(self) -> list[Passage]:
        return list(self._by_id.values())

    def filled_item(self, item: Item) -> Item:
        return replace(item, trace=self.filled(item.trace))

    def filled(self, trace: Trace) -> Trace:
        """The trace with a text for every passage that the corpus has; a text that was logged stays."""
        self._unlisted += trace.retrieved is None and self._is_cited_in(trace)
        bare = {passage.id for passage in trace.retrieved or () if _is_bare(passage)}
        if not bare:
            return trace
        self.lacking.update(bare - self._by_id.keys())
        passages = (self._by_id.get(one.id, one) if _is_bare(one) else one for one in trace.retrieved or ())
        return replace(trace, retrieved=Retrieved(passages))

    def problems(self, lacking: Counter[str] | None = None) -> list[Problem]:
        """On what was lacking here, or in other processes."""
        found = self.lacking if lacking is None else lacking
        problems = []
        if self._unlisted:
            why = "no list of what was retrieved was found beside them; say where it lies with --map retrieved=PATH"
            what = f"{counted(self._unlisted, 'answer')} citing passages of the corpus cannot be graded: {why}"
            problems.append(Problem("unlisted", what, self.source))
        if found:
            ids = [name for name, _ in found.most_common(_NAMED)]
            what = f"{counted(len(found), 'retrieved passage')} not in the corpus: {names(ids, len(found))}"
            problems.append(Problem("unknown_passage", what, self.source))
        return problems

    def _is_cited_in(self, trace: Trace) -> bool:
        cited = trace.citations or parse(trace.answer or "") or ()
        return any(one in self._by_id for one in cited)


def _is_bare(passage: Passage) -> bool:
    return bool(passage.id) and not passage.text.strip()
