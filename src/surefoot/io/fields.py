"""From a logged row to a Trace, whatever its shape.

The table in `places` says where each field may be found; the first path that leads to a value wins, row by row, so a
file may mix shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from surefoot.errors import UsageError
from surefoot.io.places import PATHS, Candidate, Path, Plan
from surefoot.io.unread import unread_in
from surefoot.io.values import citations_in, contexts_in, error_in, passages_in, scalar, together, trace_of
from surefoot.types import Trace

ALIASES = {"qid": "question_id", "q": "question", "chunks": "retrieved"}

_PLANS_KEPT, _REMARKS_KEPT = 1_000, 5


class TraceReader:
    """Reads rows of any known shape, and of the user's own through `mapping` (field -> path)."""

    def __init__(self, mapping: Mapping[str, str] | None = None) -> None:
        self._paths = {field: _candidates(paths) for field, paths in PATHS.items()}
        for name, path in (mapping or {}).items():
            field = ALIASES.get(name, name)
            if field not in PATHS or field == "triage":
                fields = ", ".join(field for field in PATHS if field != "triage")
                raise UsageError(f"--map: there is no field {name!r} to map", f"the fields are {fields}")
            # A key may itself contain dots, so the path is also tried as one key.
            self._paths[field] = [Candidate(path, True, ()), *_candidates((path,))]
        self._plans: dict[tuple[object, ...], Plan] = {}
        self._mapped = {name: ALIASES.get(name, name) for name in mapping or {}}
        self.found_fields: set[str] = set()  # names of the mapping that led to a value in some row
        self.remarks: set[str] = set()  # on rows in which a field is not found

    def read(self, row: dict[str, object]) -> Trace | str:
        """The trace a row holds, or the reason why it holds none."""
        plan = self._plans.get(tuple(row)) or self.plan(row)
        if self._mapped:
            self.found_fields.update(n for n, field in self._mapped.items() if _first(row, plan[field]) is not None)
        question_id, question = _first(row, plan["question_id"]), _first(row, plan["question"])
        if not isinstance(question_id, str):
            question_id = scalar(question_id) or None
        if not isinstance(question, str):
            question = None
        if question_id is None and question is None:
            return _no_question(row)
        retrieved = together(passages_in(_first(row, plan["retrieved"])), contexts_in(_first(row, plan["contexts"])))
        misfit, retrieved = (retrieved, None) if isinstance(retrieved, str) else (None, retrieved)
        return trace_of(
            question_id,
            question,
            _first(row, plan["answer"]),
            retrieved,
            citations_in(_first(row, plan["citations"])),
            error_in(_first(row, plan["error"])) or misfit,
            _first(row, plan["triage"]),
        )

    def plan(self, row: dict[str, object]) -> Plan:
        """Per field, the keys of this row that may hold it."""
        if len(self._plans) >= _PLANS_KEPT:
            self._plans.clear()
        plan = {field: [c for c in candidates if c.key in row] for field, candidates in self._paths.items()}
        self._plans[tuple(row)] = plan
        if len(self.remarks) < _REMARKS_KEPT and (remark := unread_in(row, plan)):
            self.remarks.add(remark)
        return plan


def _candidates(paths: Sequence[str]) -> list[Candidate]:
    """Paths gathered under their first key, in the order of the keys' first appearance."""
    below: dict[str, list[Path]] = {}
    for path in paths:
        key, *rest = path.split(".")
        below.setdefault(key, []).extend([tuple(rest)] if rest else [])
    return [Candidate(key, key in paths, tuple(rest)) for key, rest in below.items()]


def _first(row: dict[str, object], candidates: list[Candidate]) -> object:
    for key, direct, below in candidates:
        value = row[key]
        if below and (type(value) is dict or type(value) is list):
            value = next((found for path in below if (found := _descend(value, path)) is not None), None)
        elif not direct:
            continue
        if value is not None:
            return value
    return None


def _descend(value: object, path: Path) -> object:
    """Follow keys, list positions, and `*` (every element of a list)."""
    for depth, key in enumerate(path):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key == "*":
            found = [_descend(item, path[depth + 1 :]) for item in value]
            return [item for item in found if item is not None]
        elif isinstance(value, list) and key.isdecimal() and len(key) < 9 and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _no_question(row: Iterable[str]) -> str:
    keys = ", ".join(str(key)[:40] for key in list(row)[:8])
    return (
        f"no field names the question (the row has: {keys or 'nothing'}); --map question=FIELD says which one does, "
        "and so for answer, citations, and retrieved or contexts"
    )
