"""A trace file asked again: the answers that were logged, by question id or by text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.importers import sources
from surefoot.importers.fields import TraceReader
from surefoot.importers.jsontext import Repaired
from surefoot.text.normal import normalise
from surefoot.types import Ask, Trace


class ReplayPipeline:
    forces_null = True  # each trace of such a question must show that nothing was retrieved
    deterministic = True

    def __init__(self, path: str, mapping: Mapping[str, str]) -> None:
        if not Path(path).exists():
            raise UsageError(f"the trace file {path} does not exist", "name it like --pipeline traces:FILE")
        self.name = f"traces:{Path(path).name}"
        self._by_id: dict[str, Trace] = {}
        self._by_text: dict[str, Trace] = {}
        reader = TraceReader(mapping)
        for block in sources.blocks_from([path]):
            for value in block.rows()[1]:
                row = value.value if isinstance(value, Repaired) else value
                trace = reader.read(row) if isinstance(row, dict) else "not an object"
                if isinstance(trace, Trace):
                    self._keep(trace)
        if not (self._by_id or self._by_text):
            raise UsageError(f"no trace could be read from {path}", "say where the fields lie with --map")

    def answer(self, ask: Ask) -> Trace:
        trace = self._by_id.get(ask.id) or self._by_text.get(normalise(ask.text))
        if trace is None:
            raise Incomplete("the trace file has no answer to this question")
        if ask.retrieval == "null" and (trace.retrieved is None or len(trace.retrieved)):
            raise Incomplete("not run: the trace does not show that nothing was retrieved")
        return replace(trace, question_id=ask.id)

    def _keep(self, trace: Trace) -> None:
        if trace.question_id is not None:
            self._by_id[trace.question_id] = trace
        if trace.question is not None:
            self._by_text[normalise(trace.question)] = trace
