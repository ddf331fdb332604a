"""An audit bundle in words, for whoever opens it first."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from surefoot.annotators import whose_by_name
from surefoot.report.words import counted, overridden, plain
from surefoot.services.audit_contents import BASE, GATE, LATER, LEDGER, RUN, Contents, gate_file
from surefoot.services.decisions import KeptDecision

README, INDEX, SUMS = "README.txt", "bundle.json", "SHA256SUMS"
_AGAIN = "again.db"
_NOT_PASSED = {"fail": "failed", "undecidable": "open", "incomplete": "incomplete"}
_README = f"""\
The run {{name}}: everything to judge it by

{{summary}}

The runs in here
{{runs}}

What is in here
  run/, base/, others/
    manifest.json    what was run: hashes, versions, grader
    questions.jsonl  what was asked, and what a sound system does with it
    traces.jsonl     every answer, with the passages it came from
    verdicts.jsonl   every verdict, with its reasons and evidence
    decision.json    what was decided about the run last
  {LEDGER}       what was known at the decision: the runs, labels with all their changes, certificates of the
                     grader, scores of councils, earlier decisions
  {LATER}        labels and scores that came after the decision, and had no part in it
  rules/             the rules of the decision as a gate file, and the rubric that was graded by
  attached/          added by whoever made the bundle; nobody has checked whether it fits the decision
  {INDEX}        for machines: which runs it holds, what is not in here, what does not fit together
  {SUMS}         the hash of every other file

What is not in here
{{lacks}}

What does not fit together
{{remarks}}

How to check it
  surefoot audit --verify FILE     every hash, and that no file is missing or extra
  sha256sum -c {SUMS}          the hashes alone, once it is unpacked
  Whoever changes a bundle can write new hashes into it. Compare the hash of the whole file with the one
  that you were given by another way.

{{again}}
"""


def readme(contents: Contents, lacks: Iterable[str], remarks: Iterable[str]) -> str:
    return _README.format(
        name=plain(contents.runs[RUN].store.manifest.name),
        summary="\n".join(f"{word:14}{plain(words, 1_000)}" for word, words in _summary(contents)),
        runs="\n".join(_runs(contents)),
        lacks=_listed(lacks, "nothing is missing"),
        remarks=_listed(remarks, "nothing: the parts fit each other"),
        again="\n".join(_again(contents)),
    )


def _listed(sentences: Iterable[str], none: str) -> str:
    return "\n".join(f"  {plain(sentence, 1_000)}" for sentence in sentences) or f"  {none}"


def _summary(contents: Contents) -> Iterator[tuple[str, str]]:
    """What one would ask first about the run and the decision."""
    manifest, labels = contents.runs[RUN].store.manifest, [*contents.labels, *contents.later]
    times = "" if manifest.repeats == 1 else f", {counted(manifest.repeats, 'time')} each"
    since = f"; {len(contents.later):,} of them since the decision, in {LATER}" if contents.later else ""
    people = whose_by_name({label.annotator for label in labels})
    yield "pipeline", manifest.pipeline
    yield "asked", f"{counted(manifest.question_count, 'question')}{times}, {manifest.created}"
    yield "grader", manifest.grader or "none"
    if manifest.council:
        yield "council", manifest.council
    yield "labels", f"{counted(len(labels), 'row')} by {people}{since}" if labels else "none"
    if contents.decision is None:
        yield "decision", "none"
    else:
        yield from _decided(contents.decision)


def _decided(decision: KeptDecision) -> Iterator[tuple[str, str]]:
    yield "decision", decision.outcome
    yield "baseline", decision.names.get("base", "not known")
    if in_words := decision.trust.get("in_words"):
        yield "trust", str(in_words)
    if decision.uncalibrated:
        yield "uncalibrated", "yes: verdicts were taken for the truth"
    if decision.overridden:
        yield "overridden", f"{overridden(decision.overridden)}: not as the gate file has it"
    for word, reasons in {"waived": decision.waived, "left out": decision.without}.items():
        for name, reason in reasons.items():
            yield word, f"{name}, because: {reason}"
    for status, word in _NOT_PASSED.items():
        for check in decision.checks:
            if check.status == status:
                yield word, f"{check.name} ({check.rule}): {check.reason or status}"


def _runs(contents: Contents) -> Iterator[str]:
    for folder, part in contents.runs.items():
        manifest = part.store.manifest
        version = f", version {manifest.version}" if manifest.version else ""
        role = f": {part.role}" if part.role else ""
        yield f"  {folder}/  {plain(f'{manifest.name}, pipeline {manifest.pipeline}{version}{role}', 1_000)}"


def _again(contents: Contents) -> Iterator[str]:
    """What to type in the folder that a bundle was unpacked into, to make the decision again."""
    decision = contents.decision
    if decision is None or not gate_file(decision):
        return
    yield "How to decide it again"
    if contents.lost:
        yield f"  it cannot be: the run {plain(contents.lost[0])} is not in here"
        return
    let_go = [("--waive", *one) for one in decision.waived.items()]
    let_go += [("--without", Path(run).name, reason) for run, reason in decision.without.items()]
    options = [word for option, name, reason in let_go for word in (option, name, "--reason", reason)]
    options += ["--uncalibrated"] if decision.uncalibrated else []
    base = RUN if decision.against_itself else BASE
    gate = ["surefoot", "gate", base, RUN, "--gate", GATE, "--ledger", _AGAIN, *options]
    yield f"  surefoot import {LEDGER} --ledger {_AGAIN}"
    yield f"  {plain(shlex.join(gate), 100_000)}"
    yield "  In the folder it was unpacked into, after the hashes were checked: this writes run/decision.json anew."
