"""Where things lie in a bundle, and what they are in words."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.appending import UNREADABLE
from surefoot.store import DECISION, MANIFEST, QUESTIONS, TRACES, VERDICTS

README, INDEX, SUMS = "README.txt", "bundle.json", "SHA256SUMS"
RUN, BASE, REPORTS = "run", "base", "attached"
LEDGER, LATER = "ledger.jsonl", "later.jsonl"
GATE, RUBRIC = "rules/gate.toml", "rules/rubric.toml"
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")  # Cs: bytes that are not UTF-8
RUN_FILES = {
    MANIFEST: "what was run: hashes, versions, grader",
    QUESTIONS: "what was asked, and what a sound system does with it",
    TRACES: "every answer, with the passages it came from",
    VERDICTS: "every verdict, with its reasons and evidence",
    DECISION: "what was decided about it last",
}
OTHER_FILES = {
    LEDGER: "what was known at the decision: labels with all their changes, certificates, the gate's decisions up to "
    "it; `surefoot import` reads it",
    LATER: "labels and certificates that came after the decision, and had no part in it",
    GATE: "the rules of the decision, its mode and its limits, as a gate file",
    RUBRIC: "the rubric that was graded by",
    README: "this text",
    INDEX: "for machines: which run it is about, what is not in here, what does not fit together",
}


class Index(Struct, frozen=True, kw_only=True):
    """A bundle for machines: what it is about, what it lacks, and what is odd about it."""

    surefoot_audit: int = 1
    made_by: str
    run: str
    name: str
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


def is_ours(name: str) -> bool:
    """Whether a member is one that bundles have, so that it may be unpacked."""
    folder, _, file = name.partition("/")
    return name in OTHER_FILES or (folder in (RUN, BASE) and file in RUN_FILES)


def is_attached(name: str) -> bool:
    folder, _, file = name.partition("/")
    return folder == REPORTS and not fault_in_name(file)


def fault_in_name(file: str) -> str:
    """Why a file of this name cannot be attached, or nothing: names stand in a list of lines, and go anywhere."""
    if any(unicodedata.category(character) in _UNPRINTABLE for character in file):
        return "its name has characters that are no text, such as a line break"
    return "its name is no name of a file on every system" if file in ("", ".", "..") or set(file) & {"/", "\\"} else ""


def words_for(name: str) -> str:
    folder, _, file = name.partition("/")
    if folder == BASE and file in RUN_FILES:
        return f"the run it was compared with: {RUN_FILES[file]}"
    if folder == RUN and file in RUN_FILES:
        return RUN_FILES[file]
    return OTHER_FILES.get(name, "attached by whoever made the bundle; nobody has checked whether it fits the decision")


def object_in(path: Path) -> dict[str, object]:
    """A JSON object, or an empty one where there is none that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except (OSError, *UNREADABLE):
        return {}
