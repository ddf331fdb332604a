"""What a row holds and no field reads: told once, with the names that were looked for and the `--map` that helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surefoot.io.places import CONTAINERS, PATHS, Plan
from surefoot.io.values import contexts_in

_SOUGHT = {
    "question": ("question_id", "question"),
    "answer": ("answer", "error", "triage"),
    "contexts": ("retrieved", "contexts"),
}
_KEYS_NAMED = 12


def unread_in(row: Mapping[str, object], plan: Plan) -> str:
    """One sentence on a row that lacks its question or answer, or has passages where none are looked for."""
    read = {one.key for found in plan.values() for one in found}
    free = {key: value for key, value in row.items() if key not in read}
    if any(key in row for key in CONTAINERS) or not free:
        return ""
    lacking = [name for name, fields in _SOUGHT.items() if not any(plan[field] for field in fields)]
    passages = next(_passages_in(free), "") if "contexts" in lacking else ""
    if lacking not in ([], ["contexts"]):
        keys = ", ".join(str(key)[:40] for key in list(row)[:_KEYS_NAMED])
        options = " ".join(f"--map {name}={passages if passages and name == 'contexts' else 'KEY'}" for name in lacking)
        return (
            f"rows with the keys {keys} have {'; '.join(map(_looked_for, lacking))}; say where they lie with {options}"
        )
    told = f"{passages} looks like retrieved passages and is not read; --map contexts={passages} reads it"
    return told if passages else ""


def _looked_for(name: str) -> str:
    paths = (path for field in _SOUGHT[name] if field in (name, "question_id", "retrieved") for path in PATHS[field])
    return f"no {name} (looked for {', '.join(dict.fromkeys(path.partition('.')[0] for path in paths))})"


def _passages_in(values: Mapping[str, object], below: str = "") -> Iterator[str]:
    """Paths to lists of texts, or of objects with a text; messages of a chat have a role."""
    for key, value in values.items():
        if isinstance(value, dict) and not below:
            yield from _passages_in(value, f"{key}.")
        if isinstance(value, list) and _are_passages(value):
            yield f"{below}{key}"


def _are_passages(values: list[object]) -> bool:
    if any(isinstance(one, dict) and "role" in one for one in values):
        return False
    return any(" " in passage.text.strip() for passage in contexts_in(values) or ())
