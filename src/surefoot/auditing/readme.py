"""A bundle in words, for whoever opens it first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from surefoot.auditing.checking import records_in
from surefoot.auditing.decided import Decision, decision_in
from surefoot.auditing.layout import BASE, GATE, LATER, RUN, SUMS, Index, words_for
from surefoot.records import whose_by_name
from surefoot.report.words import counted, overridden, plain
from surefoot.store import Manifest, RunStore

_NOT_PASSED = {"fail": "failed        ", "undecidable": "open          ", "incomplete": "incomplete    "}
_CHECKING = f"""How to check it
  surefoot audit --verify FILE     every hash, and whether the parts fit each other
  sha256sum -c {SUMS}          the hashes alone, once it is unpacked
  Whoever changes a bundle can write new hashes into it. Compare the hash of the whole file with the one
  that you were given by another way.
"""


def readme(folder: Path, manifest: Manifest, index: Index, members: Mapping[str, str]) -> str:
    times = "" if manifest.repeats == 1 else f", {counted(manifest.repeats, 'time')} each"
    decision = decision_in(folder / RUN)
    lines = [
        f"The run {plain(manifest.name)}: everything to judge it by",
        "",
        f"pipeline      {plain(manifest.pipeline)}",
        f"asked         {counted(manifest.question_count, 'question')}{times}, {manifest.created}",
        f"grader        {plain(manifest.grader or 'none')}",
        f"labels        {_labels(folder)}",
        *_decided(decision),
        "",
        "The runs in here",
        *_runs(folder, index.parts, decision),
        "",
        "What is in here",
        *(f"  {line}" for name, sha256 in members.items() for line in (name, f"  {words_for(name)}", f"  {sha256}")),
        "",
        "What is not in here",
        *_listed(index.lacks, "nothing is missing"),
        "",
        "What does not fit together",
        *_listed(index.remarks, "nothing: the parts fit each other"),
        "",
        _CHECKING,
        *_repeating(folder, index.parts, decision),
    ]
    return "\n".join(lines)


def _listed(sentences: Iterable[str], none: str) -> Iterator[str]:
    yield from [f"  {plain(sentence, 1_000)}" for sentence in sentences] or [f"  {none}"]


def _decided(decision: Decision | None) -> Iterator[str]:
    """The decision, against what, and all that one would ask about it first."""
    if decision is None:
        yield "decision      none"
        return
    earlier = f", in the {plain(decision.mode)} mode of an earlier gate" if decision.mode else ""
    yield f"decision      {plain(decision.outcome)}{earlier}"
    yield f"baseline      {plain(decision.names.get('base', 'not known'))}"
    if decision.trust.in_words:
        yield f"trust         {plain(decision.trust.in_words, 1_000)}"
    if decision.uncalibrated:
        yield "uncalibrated  yes: verdicts were taken for the truth"
    if decision.overridden:
        yield f"overridden    {plain(overridden(decision.overridden))}: not as the gate file has it"
    for rule, reason in decision.waived.items():
        yield f"waived        {plain(rule)}, because: {plain(reason, 1_000)}"
    for run, reason in decision.without.items():
        yield f"left out      {plain(run)}, because: {plain(reason, 1_000)}"
    for status, word in _NOT_PASSED.items():
        for check in decision.checks:
            if check.status == status:
                yield f"{word}{plain(check.name)} ({plain(check.rule)}): {plain(check.reason, 1_000) or status}"


def _runs(folder: Path, parts: Mapping[str, str], decision: Decision | None) -> Iterator[str]:
    for part, name in parts.items():
        manifest = RunStore.open(folder / part).manifest
        version = f", version {plain(manifest.version)}" if manifest.version else ""
        role = f": {plain(decision.role_of(name), 1_000)}" if decision else ""
        yield f"  {part}/  {plain(manifest.name)}, pipeline {plain(manifest.pipeline)}{version}{role}"


def _repeating(folder: Path, parts: Mapping[str, str], decision: Decision | None) -> Iterator[str]:
    if decision is None or not (folder / GATE).exists():
        return
    yield "How to decide it again"
    lost = [name for name in decision.counted if name not in parts.values()]
    if decision.mode or lost or (BASE not in parts and not decision.against_itself):
        why = f"the run {plain(lost[0])} is not in here" if lost else "the baseline is not in here"
        yield f"  it cannot be: {'an earlier gate made it' if decision.mode else why}"
        return
    for line in decision.commands():
        yield f"  {plain(line, 100_000)}"
    yield "  In the folder it was unpacked into, after the hashes were checked: this writes run/decision.json anew."
    yield ""


def _labels(folder: Path) -> str:
    labels = records_in(folder).labels
    if not labels:
        return "none"
    people = {label.annotator for label in labels}
    later = len(records_in(folder, [LATER]).labels)
    since = f"; {later:,} of them since the decision, in {LATER}" if later else ""
    return f"{counted(len(labels), 'row')} by {plain(whose_by_name(people), 500)}{since}"
