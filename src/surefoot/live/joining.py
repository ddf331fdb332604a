"""Spans of one trace come in any order, late and twice, and nobody says which is the last: a trace waits until it has
been quiet for a while, and no longer where memory is short."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from msgspec import Struct

from surefoot.io.traces import Span

_MOST_CHARACTERS = 32 << 20  # of all spans that wait
_MOST_SPANS = 2_000  # of one trace: an agent that goes round in circles must not fill the memory
_SETTLED_KEPT = 50_000  # ids by which a span that comes too late is known


class _Waiting(Struct):
    first: int  # the place of its first span on disk
    last: float = 0.0  # when a span came last
    spans: dict[tuple[str, str], Span] = {}
    size: int = 0


class Joiner:
    """Traces that wait for spans, those quiet for longest first. Times are of a clock that never goes back."""

    def __init__(self, settle_seconds: float) -> None:
        self._settle = settle_seconds
        self._waiting: dict[str, _Waiting] = {}
        self._settled: dict[str, None] = {}
        self._size = 0
        self.late = 0  # spans of traces that did not wait for them

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first(self) -> int | None:
        """Before this place on disk, no span waits; None where none waits at all."""
        return min((one.first for one in self._waiting.values()), default=None)

    def add(self, span: Span, now: float, place: int) -> None:
        """The same span again takes the place of itself."""
        if span.trace_id in self._settled:
            self.late += 1
            return
        waiting = self._waiting.pop(span.trace_id, None) or _Waiting(place)
        self._waiting[span.trace_id] = waiting  # behind all others, as the one that came last
        waiting.last = now
        key = (span.span_id, span.start)
        if key not in waiting.spans and len(waiting.spans) >= _MOST_SPANS:
            self.late += 1
            return
        size = _size(span) - (_size(waiting.spans[key]) if key in waiting.spans else 0)
        waiting.spans[key] = span
        waiting.size, self._size = waiting.size + size, self._size + size

    def quiet(self, now: float) -> list[list[Span]]:
        """The spans of each trace that need not wait any longer."""
        done, size = list[list[Span]](), self._size
        for waiting in self._waiting.values():
            if size <= _MOST_CHARACTERS and now - waiting.last < self._settle:
                break
            size -= waiting.size
            done.append(list(waiting.spans.values()))
        return done

    def settle(self, ids: Iterable[str]) -> None:
        """These wait no longer."""
        for name in ids:
            gone = self._waiting.pop(name, None)
            self._size -= gone.size if gone else 0
            self._settled[name] = None
        for old in list(islice(self._settled, max(0, len(self._settled) - _SETTLED_KEPT))):
            del self._settled[old]


def _size(span: Span) -> int:
    texts = sum(len(passage.text) for passage in span.retrieved or ())
    return 200 + len(span.question or "") + len(span.answer or "") + texts
