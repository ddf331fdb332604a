"""Where things lie in a bundle, and what they are in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from surefoot.store import DECISION, MANIFEST, QUESTIONS, TRACES, VERDICTS

FORMAT = 2
README, INDEX, SUMS = "README.txt", "bundle.json", "SHA256SUMS"
RUN, BASE, OTHERS, REPORTS = "run", "base", "others", "attached"
LEDGER, LATER = "ledger.jsonl", "later.jsonl"
GATE, RUBRIC = "rules/gate.toml", "rules/rubric.toml"
_OF_A_RUN = re.compile(rf"(?P<part>{RUN}|{BASE}|{OTHERS}/[1-9][0-9]*)/(?P<file>[^/]+)")
RUN_FILES = {
    MANIFEST: "what was run: hashes, versions, grader",
    QUESTIONS: "what was asked, and what a sound system does with it",
    TRACES: "every answer, with the passages it came from",
    VERDICTS: "every verdict, with its reasons and evidence",
    DECISION: "what was decided about it last",
}
OTHER_FILES = {
    LEDGER: "what was known at the decision: the runs, labels with all their changes, what the gate had decided; "
    "`surefoot import` reads it",
    LATER: "labels that came after the decision, and had no part in it",
    GATE: "the rules of the decision, alpha, margin and claim, as a gate file",
    RUBRIC: "the rubric that was graded by",
    README: "this text",
    INDEX: "for machines: which runs it holds, what is not in here, what does not fit together",
}


class Index(Struct, frozen=True, kw_only=True):
    """A bundle for machines: what it holds, what it lacks, and what is odd about it."""

    surefoot_audit: int = FORMAT
    made_by: str
    parts: Mapping[str, str]  # folder -> the run in it, as the decision calls it
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


def is_ours(name: str) -> bool:
    """Whether a member is one that bundles have, so that it may be unpacked."""
    return name in OTHER_FILES or bool(part_of(name))


def part_of(name: str) -> str:
    """The folder of the run that a member belongs to; "" where it belongs to none."""
    found = _OF_A_RUN.fullmatch(name)
    return found["part"] if found and found["file"] in RUN_FILES else ""


def is_attached(name: str) -> bool:
    folder, _, file = name.partition("/")
    return folder == REPORTS and can_be_attached(file)


def can_be_attached(file: str) -> bool:
    """Names stand in a list of lines, and go anywhere."""
    return file.isprintable() and file not in ("", ".", "..") and not set(file) & {"/", "\\"}


def words_for(name: str) -> str:
    if part := part_of(name):
        return RUN_FILES[name.removeprefix(f"{part}/")]
    return OTHER_FILES.get(name, "attached by whoever made the bundle; nobody has checked whether it fits the decision")
