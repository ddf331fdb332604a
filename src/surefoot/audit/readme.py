"""A bundle in words, for whoever opens it first."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from surefoot.audit.contents import ATTACHED, BASE, GATE, LATER, LEDGER, RUBRIC, RUN, Contents, Decision
from surefoot.records import whose_by_name
from surefoot.report.words import counted, overridden, plain
from surefoot.store import DECISION, MANIFEST, QUESTIONS, TRACES, VERDICTS

README, INDEX, SUMS = "README.txt", "bundle.json", "SHA256SUMS"
_AGAIN = "again.db"
_FILES = {
    LEDGER: "what was known at the decision: the runs, labels with all their changes, what the gate had decided; "
    "`surefoot import` reads it",
    LATER: "labels that came after the decision, and had no part in it",
    GATE: "the rules of the decision, alpha, margin and claim, as a gate file",
    RUBRIC: "the rubric that was graded by",
    INDEX: "for machines: which runs it holds, what is not in here, what does not fit together",
}
_RUN_FILES = {
    MANIFEST: "what was run: hashes, versions, grader",
    QUESTIONS: "what was asked, and what a sound system does with it",
    TRACES: "every answer, with the passages it came from",
    VERDICTS: "every verdict, with its reasons and evidence",
    DECISION: "what was decided about it last",
}
_NOT_PASSED = {"fail": "failed        ", "undecidable": "open          ", "incomplete": "incomplete    "}
_CHECK = f"""How to check it
  surefoot audit --verify FILE     every hash, and that no file is missing or extra
  sha256sum -c {SUMS}          the hashes alone, once it is unpacked
  Whoever changes a bundle can write new hashes into it. Compare the hash of the whole file with the one
  that you were given by another way.
"""


def readme(contents: Contents, members: Mapping[str, str], lacks: Iterable[str], remarks: Iterable[str]) -> str:
    manifest, decision = contents.runs[RUN][1].manifest, contents.decision
    times = "" if manifest.repeats == 1 else f", {counted(manifest.repeats, 'time')} each"
    lines = [
        f"The run {plain(manifest.name)}: everything to judge it by",
        "",
        f"pipeline      {plain(manifest.pipeline)}",
        f"asked         {counted(manifest.question_count, 'question')}{times}, {manifest.created}",
        f"grader        {plain(manifest.grader or 'none')}",
        f"labels        {_labels(contents)}",
        *(_decided(decision) if decision else ["decision      none"]),
        "",
        "The runs in here",
        *_runs(contents),
        "",
        "What is in here",
        *(f"  {line}" for name, sha256 in members.items() for line in (name, f"  {_words_for(name)}", f"  {sha256}")),
        "",
        "What is not in here",
        *_listed(lacks, "nothing is missing"),
        "",
        "What does not fit together",
        *_listed(remarks, "nothing: the parts fit each other"),
        "",
        _CHECK,
        *(_repeat(contents, decision) if decision and GATE in members else ()),
    ]
    return "\n".join(lines)


def _words_for(name: str) -> str:
    if name.startswith(f"{ATTACHED}/"):
        return "attached by whoever made the bundle; nobody has checked whether it fits the decision"
    return _FILES.get(name) or _RUN_FILES[Path(name).name]


def _listed(sentences: Iterable[str], none: str) -> Iterator[str]:
    yield from [f"  {plain(sentence, 1_000)}" for sentence in sentences] or [f"  {none}"]


def _labels(contents: Contents) -> str:
    labels = [*contents.labels, *contents.later]
    if not labels:
        return "none"
    since = f"; {len(contents.later):,} of them since the decision, in {LATER}" if contents.later else ""
    people = whose_by_name({label.annotator for label in labels})
    return f"{counted(len(labels), 'row')} by {plain(people, 500)}{since}"


def _decided(decision: Decision) -> Iterator[str]:
    """The decision, against what, and all that one would ask about it first."""
    yield f"decision      {plain(decision.outcome)}"
    yield f"baseline      {plain(decision.names.get('base', 'not known'))}"
    if in_words := decision.trust.get("in_words"):
        yield f"trust         {plain(str(in_words), 1_000)}"
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


def _runs(contents: Contents) -> Iterator[str]:
    for part, (name, store) in contents.runs.items():
        manifest = store.manifest
        version = f", version {plain(manifest.version)}" if manifest.version else ""
        role = f": {plain(_role_of(name, contents.decision), 1_000)}" if contents.decision else ""
        yield f"  {part}/  {plain(manifest.name)}, pipeline {plain(manifest.pipeline)}{version}{role}"


def _role_of(name: str, decision: Decision) -> str:
    """What the decision has to do with a run."""
    if name in decision.names.values():
        return "the candidate" if name == decision.names.get("cand") else "the baseline"
    for side, words in {"base": "the baseline", "cand": "the candidate"}.items():
        if name in decision.runs.get(side, ()):
            return f"counted with {words}"
    for run, reason in decision.without.items():
        if Path(run).name == Path(name).name:
            return f"left out: {reason}"
    return "labels on its answers tell how far the grader errs"


def _repeat(contents: Contents, decision: Decision) -> Iterator[str]:
    """What to type in the folder that a bundle was unpacked into, to make the decision again."""
    yield "How to decide it again"
    if contents.lost:
        yield f"  it cannot be: the run {plain(contents.lost[0])} is not in here"
        return
    let_go = [("--waive", *one) for one in decision.waived.items()]
    let_go += [("--without", Path(run).name, reason) for run, reason in decision.without.items()]
    options = [word for option, name, reason in let_go for word in (option, name, "--reason", reason)]
    options += ["--uncalibrated"] if decision.uncalibrated else []
    base = RUN if decision.against_itself else BASE
    compare = ["surefoot", "compare", base, RUN, "--gate", GATE, "--ledger", _AGAIN, *options]
    yield f"  surefoot import {LEDGER} --ledger {_AGAIN}"
    yield f"  {plain(shlex.join(compare), 100_000)}"
    yield "  In the folder it was unpacked into, after the hashes were checked: this writes run/decision.json anew."
    yield ""
