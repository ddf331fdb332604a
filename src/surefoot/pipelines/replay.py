"""A trace file asked again: the answers that were logged, by question id or by text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.importers.traces import Logged, read_traces
from surefoot.problems import ProblemLog
from surefoot.text.normal import normalise
from surefoot.types import Ask, Problem, Trace


class ReplayPipeline:
    forces_null = True  # each trace of such a question must show that nothing was retrieved
    deterministic = True

    def __init__(self, path: str, mapping: Mapping[str, str]) -> None:
        if not Path(path).exists():
            raise UsageError(f"the trace file {path} does not exist", "name it like --pipeline traces:FILE")
        self.name = f"traces:{Path(path).name}"
        self.problems = ProblemLog()  # what in the file could not be used, or was used with a doubt
        self._by_id: dict[str, Trace] = {}
        self._by_text: dict[str, Trace] = {}
        for logged in read_traces([path], mapping):
            self._keep(logged)
        if not (self._by_id or self._by_text):
            first = next((f": {problem}" for problem in self.problems.all_named if problem.kind != "note"), "")
            raise UsageError(f"no trace could be read from {path}{first}", "say where the fields lie with --map")

    def answer(self, ask: Ask) -> Trace:
        trace = self._find(ask.id, ask.text)
        if trace is None:
            raise Incomplete("the trace file has no answer to this question")
        if ask.retrieval == "null" and (trace.retrieved is None or len(trace.retrieved)):
            raise Incomplete("not run: the trace does not show that nothing was retrieved")
        return replace(trace, question_id=ask.id)

    def _keep(self, logged: Logged) -> None:
        trace = logged.found
        if logged.repairs:
            self.problems.add(Problem("note", logged.repairs, logged.source, logged.line))
        if isinstance(trace, Problem):
            self.problems.add(trace)
            return
        if self._find(trace.question_id, trace.question) is not None:
            asked = trace.question_id or trace.question or ""
            message = f"question {asked[:80]!r} has a trace already: the last one is taken"
            self.problems.add(Problem("note", message, logged.source, logged.line))
        if trace.question_id is not None:
            self._by_id[trace.question_id] = trace
        if trace.question is not None:
            self._by_text[normalise(trace.question)] = trace

    def _find(self, question_id: str | None, text: str | None) -> Trace | None:
        by_id = self._by_id.get(question_id) if question_id is not None else None
        return by_id or (self._by_text.get(normalise(text)) if text is not None else None)
