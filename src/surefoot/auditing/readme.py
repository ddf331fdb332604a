"""A bundle in words, for whoever opens it first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from surefoot.auditing.checking import records_in
from surefoot.auditing.decided import Decision, commands_to_repeat, decision_in
from surefoot.auditing.layout import BASE, GATE, LATER, LEDGER, RUN, SUMS, Index, words_for
from surefoot.calibration.certificates import fault_in
from surefoot.errors import SurefootError
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
    lines = [
        f"The run {plain(manifest.name)}: everything to judge it by",
        "",
        f"pipeline      {plain(manifest.pipeline)}",
        f"asked         {counted(manifest.question_count, 'question')}{times}, {manifest.created}",
        f"grader        {plain(manifest.grader or 'none')}",
        f"labels        {_labels(folder)}",
        f"certificate   {_certificate(folder)}",
        *_decided(folder),
        "",
        "What is in here",
        *(
            line
            for name, sha256 in members.items()
            for line in (f"  {name}", f"    {words_for(name)}", f"    {sha256}")
        ),
        "",
        "What is not in here",
        *_listed(index.lacks, "nothing is missing"),
        "",
        "What does not fit together",
        *_listed(index.remarks, "nothing: the parts fit each other"),
        "",
        _CHECKING,
        *_repeating(folder),
    ]
    return "\n".join(lines)


def _listed(sentences: Iterable[str], none: str) -> Iterator[str]:
    yield from [f"  {plain(sentence, 1_000)}" for sentence in sentences] or [f"  {none}"]


def _decided(folder: Path) -> Iterator[str]:
    """The decision, against what, and all that one would ask about it first."""
    decision = decision_in(folder / RUN)
    if decision is None:
        yield "decision      none"
        return
    yield f"decision      {plain(decision.outcome)}, in the {plain(decision.mode)} mode"
    yield f"baseline      {_baseline(folder, decision)}"
    if decision.uncalibrated:
        yield "uncalibrated  yes: it was decided without a certificate of the grader (--uncalibrated)"
    if decision.overridden:
        yield f"overridden    {plain(overridden(decision.overridden))}: not as the gate file has it"
    for rule, reason in decision.waived.items():
        yield f"waived        {plain(rule)}, because: {plain(reason, 1_000)}"
    for status, word in _NOT_PASSED.items():
        for check in decision.checks:
            if check.status == status:
                yield f"{word}{plain(check.name)} ({plain(check.rule)}): {plain(check.reason, 1_000) or status}"


def _baseline(folder: Path, decision: Decision) -> str:
    try:
        manifest = RunStore.open(folder / BASE).manifest
    except SurefootError:
        return f"{plain(decision.names.get('base', 'not known'))}, which is not in here"
    version = f", version {plain(manifest.version)}" if manifest.version else ""
    return f"{plain(manifest.name)}, pipeline {plain(manifest.pipeline)}{version}"


def _repeating(folder: Path) -> Iterator[str]:
    decision = decision_in(folder / RUN)
    if decision is None or not (folder / GATE).exists():
        return
    yield "How to decide it again"
    if not (folder / BASE).exists():
        yield "  it cannot be: the run that it was compared with is not in here"
        return
    for line in commands_to_repeat(decision, has_ledger=(folder / LEDGER).exists()):
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


def _certificate(folder: Path) -> str:
    """The newest one that is as it was made."""
    certificates = records_in(folder).certificates
    sound = [certificate for certificate in certificates if not fault_in(certificate)]
    if not sound:
        return "none that is as it was made" if certificates else "none"
    newest = sound[-1]
    kappas = [
        f"kappa of {plain(name)} {axis.kappa.value:z.2f} ({axis.kappa.low:z.2f} to {axis.kappa.high:z.2f})"
        for name, axis in sorted(newest.axes.items())
        if axis.kappa is not None
    ]
    labels = f"{counted(newest.labels, 'label')} by {plain(whose_by_name(newest.annotators), 500)}"
    return ", ".join([f"{plain(newest.grader)}, {labels}", *kappas])
