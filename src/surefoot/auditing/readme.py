"""A bundle in words, for whoever opens it first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from surefoot.auditing.checking import records_in
from surefoot.auditing.layout import DECISION, RUN, SUMS, Index, object_in, words_for
from surefoot.report.words import counted, plain
from surefoot.store import Manifest

_CHECKING = f"""How to check it
  surefoot audit --verify FILE     every hash, and whether the parts fit each other
  sha256sum -c {SUMS}          the hashes alone, once it is unpacked
  Whoever changes a bundle can write new hashes into it. Compare the hash of the whole file with the one
  that you were given by another way.
"""


def readme(folder: Path, manifest: Manifest, index: Index, members: Mapping[str, str]) -> str:
    outcome = object_in(folder / RUN / DECISION).get("outcome", "none")
    times = "" if manifest.repeats == 1 else f", {counted(manifest.repeats, 'time')} each"
    lines = [
        f"The run {plain(manifest.name)}: everything to judge it by",
        "",
        f"pipeline      {plain(manifest.pipeline)}",
        f"asked         {counted(manifest.question_count, 'question')}{times}, {manifest.created}",
        f"grader        {plain(manifest.grader or 'none')}",
        f"labels        {_labels(folder)}",
        f"certificate   {_certificate(folder)}",
        f"decision      {plain(str(outcome))}",
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
    ]
    return "\n".join(lines)


def _listed(sentences: Iterable[str], none: str) -> Iterator[str]:
    yield from [f"  {plain(sentence, 1_000)}" for sentence in sentences] or [f"  {none}"]


def _labels(folder: Path) -> str:
    labels = records_in(folder).labels
    people = {label.annotator for label in labels}
    return f"{counted(len(labels), 'row')} by {', '.join(map(plain, sorted(people)))}" if labels else "none"


def _certificate(folder: Path) -> str:
    """The newest one."""
    certificates = records_in(folder).certificates
    if not certificates:
        return "none"
    newest = certificates[-1]
    kappas = [
        f"kappa of {plain(name)} {axis.kappa.value:.2f} ({axis.kappa.low:.2f} to {axis.kappa.high:.2f})"
        for name, axis in sorted(newest.axes.items())
        if axis.kappa is not None
    ]
    return ", ".join([f"{plain(newest.grader)}, {counted(newest.labels, 'label')}", *kappas])
