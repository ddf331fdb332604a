"""What to tell about rows in which a field is not found: what was looked for, what is there, and a --map that fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from surefoot.io.fields import CONTAINER_KEYS, PATHS, Plan, contexts_in

# What a row should have, and the fields that provide it; those of the first list are named to the user.
_SOUGHT = {
    "question": (("question_id", "question"), ()),
    "answer": (("answer",), ("error", "triage")),
    "contexts": (("retrieved", "contexts"), ()),
}
_LIKELY = {
    "question": re.compile(r"question|query|prompt|utterance|ask|user|input|request", re.IGNORECASE),
    "answer": re.compile(r"answer|response|reply|output|completion|result|bot|assistant|generated", re.IGNORECASE),
}
_IDS_OF_PASSAGES = frozenset({"chunk_id", "passage_id", "node_id", "doc_id", "document_id"})
_KEYS_NAMED, _NAMES_LISTED, _DEEPEST = 12, 12, 3


class _Place(NamedTuple):
    field: str
    path: str

    def __str__(self) -> str:
        return f"{self.field}={self.path}"


def unread(row: Mapping[str, object], plan: Plan) -> str:
    """One sentence on a row that lacks its question or answer, or has passages where none are looked for."""
    free = _free(row, plan)
    if not CONTAINER_KEYS.isdisjoint(row) or not free:
        return ""
    lacking = _lacking(plan)
    passages = next(_passages_in(free), None) if "contexts" in lacking else None
    if lacking not in ([], ["contexts"]):
        return f"rows with the keys {keys_of(row)} have {_looked_for(lacking)}; {_map_for(free, lacking, passages)}"
    if passages:
        return f"{passages.path} looks like retrieved passages and is not read; --map {passages} reads it"
    return ""


def no_question(row: Mapping[str, object], plan: Plan) -> str:
    """The same for a row whose question is not found, so that it cannot be used."""
    free = _free(row, plan)
    passages = next(_passages_in(free), None)
    lacking = ["question", *(name for name in _lacking(plan) if name == "answer" or (name == "contexts" and passages))]
    has = keys_of(row) or "nothing"
    return f"no field names the question (the row has: {has}; looked for {_names('question')}); " + (
        _map_for(row if plan["question"] else free, lacking, passages)
    )


def no_text(row: Mapping[str, object], plan: Plan) -> str:
    """On a row that may have its question under some key, in which no text is called like one."""
    key = plan["question"][0].key
    value = row[key]
    texts = list(_texts_in({key: value}))
    has = f" (it has: {keys_of(value)})" if isinstance(value, dict) else ""
    path = texts[0] if len(texts) == 1 else f"{key}.KEY"
    return f"no question is found in {key}{has}; say where it lies with --map question={path}"


def _free(row: Mapping[str, object], plan: Plan) -> dict[str, object]:
    """What no field is looked for in."""
    read = {one.key for found in plan.values() for one in found}
    return {key: value for key, value in row.items() if key not in read}


def _lacking(plan: Plan) -> list[str]:
    return [name for name, (named, other) in _SOUGHT.items() if not any(plan[field] for field in (*named, *other))]


def keys_of(row: Mapping[str, object]) -> str:
    return ", ".join(str(key)[:40] for key in list(row)[:_KEYS_NAMED])


def _looked_for(lacking: list[str]) -> str:
    return "; ".join(f"no {name} (looked for {_names(name)})" for name in lacking)


def _names(name: str) -> str:
    names = list(dict.fromkeys(path for field in _SOUGHT[name][0] for path in PATHS[field] if "." not in path))
    return ", ".join(names[:_NAMES_LISTED]) + (" and others" if len(names) > _NAMES_LISTED else "")


def _map_for(row: Mapping[str, object], lacking: list[str], passages: _Place | None) -> str:
    guessed = {"contexts": passages, **{name: _likely(row, name) for name in lacking if name in _LIKELY}}
    options = " ".join(f"--map {guessed[name] or _Place(name, 'KEY')}" for name in lacking)
    they_lie = "it lies" if len(lacking) == 1 else "they lie"
    return f"try {options}" if all(guessed[name] for name in lacking) else f"say where {they_lie} with {options}"


def _likely(row: Mapping[str, object], name: str) -> _Place | None:
    """The text that is called like a question or an answer, if there is just one."""
    found = [path for path in _texts_in(row) if _LIKELY[name].search(path.rpartition(".")[2])]
    return _Place(name, found[0]) if len(found) == 1 else None


def _texts_in(values: Mapping[str, object], below: str = "", depth: int = 1) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, str) and value.strip():
            yield f"{below}{key}"
        elif isinstance(value, dict) and depth < _DEEPEST:
            yield from _texts_in(value, f"{below}{key}.", depth + 1)


def _passages_in(values: Mapping[str, object], below: str = "") -> Iterator[_Place]:
    """Lists of texts, or of objects with a text or the id of a passage; messages of a chat have a role."""
    for key, value in values.items():
        if isinstance(value, dict) and not below:
            yield from _passages_in(value, f"{key}.")
        if isinstance(value, list) and not any(isinstance(one, dict) and "role" in one for one in value):
            if any(" " in one.text.strip() for one in contexts_in(value) or ()):
                yield _Place("contexts", f"{below}{key}")
            elif any(isinstance(one, dict) and not _IDS_OF_PASSAGES.isdisjoint(one) for one in value):
                yield _Place("retrieved", f"{below}{key}")
