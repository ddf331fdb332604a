"""surefoot demo, surefoot init, surefoot doctor"""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

import surefoot
from surefoot.cli.output import PERSON, Output, common, pipeline_options
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.records import NAME
from surefoot.core.types import counted, names, plain
from surefoot.report.comparison import sentences

BASE, CANDIDATE = "with-licence", "without-licence"
_INTRODUCTION = """\
A small language model answered 130 questions about 43 documents, five times
over. Its prompt allows it to refuse. A colleague drops that paragraph, and it
answers all of them again. May the new prompt ship?

Answers per run, labelled by AIs   {base:>14} {cand:>17}"""
_BUCKETS = {
    "correct": "right, and the passage it cites says so",
    "wrong": "false about what was asked",
    "unsupported": "no evidence, or none of it cited",
    "refused": "says that it cannot tell",
}
_NEXT = """
Every answer and rule is in {out}/report.html. Next:
  {surefoot} serve --db {out}/surefoot.db   # browse the answers
  {surefoot} init my-eval   # your own pipeline"""
# Where each file of the example lies in the package. The pipeline is no module of ours, so it is not named like one.
EXAMPLE = {
    "questions.json": "starter/questions.json",
    "passages.jsonl": "starter/passages.jsonl",
    "gate.toml": "gates/default.toml",
    "ship.toml": "gates/ship.toml",
    "pipeline.py": "starter/pipeline.txt",
    "surefoot.sh": "starter/surefoot.sh",
    ".github/workflows/surefoot.yml": "starter/workflow.yml",
    ".gitignore": "starter/gitignore.txt",
    ".gitattributes": "starter/gitattributes.txt",
    "README.txt": "starter/README.txt",
}


@click.command(epilog="Example: surefoot demo")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="surefoot-demo", show_default=True,
    help="Folder to write to.",
)  # fmt: skip
@common(db=False)
def demo(output: Output, out: Path) -> int:
    """Decide on two prompts of a real small model over bundled documents: offline, in half a minute.

    Answers, verdicts and labels come with Surefoot; the labels are by AI annotators. Exits 0 whatever the decision.
    """
    db = out / NAME
    if db.exists():
        if not (out / "report.html").exists():
            raise UsageError(f"{out} holds a project that is not the demo's", "choose a folder of its own with --out")
        for path in out.glob(f"{NAME}*"):
            path.unlink()
    with as_file(files("surefoot") / "demo") as bundled:
        for version in (BASE, CANDIDATE):
            surefoot.import_(bundled / f"{version}.jsonl.gz", db=db, person=PERSON)
    decided = surefoot.gate(BASE, CANDIDATE, db=db, person=PERSON)
    written = Output(False, (str(out / "report.md"), str(out / "report.html"))).write(decided)
    output.print(decided.to_json(), _lines(decided, out))
    return written


def _lines(decided: surefoot.GateResult, out: Path) -> Iterator[str]:
    yield _INTRODUCTION.format(base=BASE, cand=CANDIDATE)
    for bucket, words in _BUCKETS.items():
        before, after = (decided.buckets[side].get(bucket, 0) / 5 for side in ("base", "cand"))
        yield f"  {bucket:12} {before:33.1f} {after:17.1f}   {words}"[:120]
    yield ""
    yield textwrap.fill(f"{decided.outcome} - {' '.join(sentences(decided))}", 78)
    beside, on_path = Path(sys.executable).with_name("surefoot"), shutil.which("surefoot")
    is_typed = not beside.exists() or (on_path and beside.samefile(on_path))
    called = "surefoot" if is_typed else shlex.quote(str(beside))
    yield _NEXT.format(surefoot=called, out=shlex.quote(str(out)))


@click.command(epilog="Example: surefoot init gate && cd gate && cat README.txt")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
@common(db=False)
def init(output: Output, folder: Path) -> int:
    """Write a small working example to start from; nothing that exists is overwritten."""
    if there := [name for name in EXAMPLE if (folder / name).exists()]:
        raise UsageError(f"{folder / there[0]} exists already", "choose another folder: nothing is overwritten")
    try:
        for name, source in EXAMPLE.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("xb") as file:
                file.write((files("surefoot") / source).read_bytes())
    except OSError as error:
        hint = "choose a folder that you may write to"
        raise UsageError(f"{folder} cannot be written to: {error.strerror}", hint) from error
    told = f"{folder}: {', '.join(EXAMPLE)}\nnext: read {folder / 'README.txt'}"
    output.print({"folder": str(folder), "files": list(EXAMPLE)}, [told])
    return ExitCode.OK


@click.command(epilog="Example: surefoot doctor --pipeline reference")
@click.option("--pipeline", "-p", required=True, metavar="P", help="As for `surefoot run`.")
@pipeline_options
@common(db=False)
def doctor(output: Output, pipeline: str, questions: str | None, **options: Any) -> int:  # noqa: ANN401
    """Ask a pipeline its sentinels, to see whether it is ready.

    Sentinels are questions with `"sentinel": true`; without any, three answerable and three unanswerable ones. All must
    pass; a failed one is asked once more. Exits 1 when one does not, 4 when the pipeline fails.
    """
    from surefoot.jobs.doctor import doctor as examine  # noqa: PLC0415 - much to load for the other two

    found = examine(pipeline, questions=questions, person=PERSON, **options)

    def lines() -> Iterator[str]:
        yield f"question set: {plain(found.questions)}"
        for one in found.findings:
            nothing = ", told to retrieve nothing" if one.retrieval == "null" else ""
            yield f"{'ok ' if one.ok else 'NOT'} {plain(one.question_id)} (expects {one.expects}{nothing})"
            yield f"    {plain(one.question)}\n    {plain(one.reason, 500)}"
            if not one.ok and one.answer:
                yield f"    it said: {plain(one.answer, 300)}"
        failed = [one.question_id for one in found.findings if not one.ok]
        total = counted(len(found.findings), "sentinel")
        which = f": {len(failed)} of {total} failed: {names(failed)}" if failed else ""
        ended, also = (f"ready ({total} passed)", ", but") if found.ready else (f"not ready{which}", "; also,")
        yield "".join([ended, *(f"{also} {plain(limit, 500)}" for limit in found.limits)])
        if questions is None and not found.ready:
            yield "these questions are about the bundled documents; for yours, pass --questions"

    return output.finish(found, lines())
