"""surefoot run"""

from __future__ import annotations

import contextlib
import platform
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import msgspec

from surefoot.cli.ledger_option import ledger_option
from surefoot.cli.model_options import chat_asking, chat_options, tell_causes
from surefoot.cli.numbers import AT_ONCE, RETRIES, SECONDS, SEED
from surefoot.cli.output import warn_of
from surefoot.cli.progress import Progress
from surefoot.cli.score import read_mapping
from surefoot.datasets import demo
from surefoot.datasets.locks import difference, hashes_of, lock_path, read_lock, verify_lock
from surefoot.engine.asking import ask_all
from surefoot.errors import ExitCode, OtherRun, SurefootError, UsageError
from surefoot.gate.sides import some
from surefoot.importers import questions as question_sets
from surefoot.matrix.plan import refuse_too_many
from surefoot.pipelines import Options, code_of, load
from surefoot.problems import ProblemLog
from surefoot.report.words import counted, plain
from surefoot.store import Manifest, RunStore, fingerprint
from surefoot.types import Passage, Pipeline, Question, Trace

_INTERRUPTED = 130
_LIBRARIES = ("surefoot", "msgspec", "tantivy", "sentencex")


@click.command(epilog="Example: surefoot run --pipeline reference --out runs/first")
@click.option(
    "--pipeline", "-p", "spec", metavar="P",
    help="package.module:function, cmd:COMMAND, ./script, http://..., traces:FILE, chat:MODEL@ENDPOINT, "
    "chat:anthropic:MODEL, reference, reference-eager or reference-timid.",
)  # fmt: skip
@click.option("--questions", "-q", metavar="FILE", help="Question set. [default: the bundled demo set]")
@click.option("--corpus", metavar="PATH", help="Passages to search: JSON, Parquet, or a folder of texts.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Run folder. [default: runs/NAME-N]")
@click.option(
    "--version",
    metavar="TEXT",
    default="",
    help="What you call this version of the pipeline; the gate tells releases by it.",
)
@click.option("--repeats", type=click.IntRange(min=1), metavar="K", help="Ask each question K times. [default: 1]")
@click.option("--concurrency", type=AT_ONCE, default=8, show_default=True, help="Questions at once.")
@click.option("--timeout", type=SECONDS, default=60.0, show_default=True, help="Seconds per question.")
@click.option("--retries", type=RETRIES, default=2, show_default=True, help="After errors that may pass.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out: ask only what has no answer yet.")
@click.option("--retry-errors", is_flag=True, help="As --resume, and ask again what ended in an error.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="For the pauses between retries.")
@click.option("--request-template", metavar="FILE", help="JSON to POST, with {question}, {id}, {retrieval} in it.")
@click.option("--prompt", metavar="NAME|FILE", default="answer_with_licence", show_default=True, help="For chat:.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=PATH", help="Where a field lies in the replies.")
@chat_options
@ledger_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
def run(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Ask a pipeline every question of a set and keep the answers in a run folder.

    Exits 0 when every question has an answer, 4 when some ended in an error, 130 when interrupted: whatever was
    answered is kept, and --resume goes on from there.
    """
    store, pipeline = _resumed(options) if options["resume"] or options["retry_errors"] else _started(options)
    with store, contextlib.closing(Closer(pipeline)):
        for problem in store.problems:
            click.echo(f"note: {problem}", err=True)
        graded = _answers_that_were_graded(store)
        started = time.monotonic()
        interrupted = _ask(store, pipeline, options)
        summary = _summary(store, time.monotonic() - started, interrupted)
        outdated = graded is not None and graded != store.answers_sha256()
        if not summary["missing"]:
            _register(store, options["ledger"])
    if options["as_json"]:
        click.echo(msgspec.json.encode(summary).decode())
    else:
        _show(summary, options["concurrency"])
    errors = summary["errors_by_kind"]
    causes = getattr(pipeline, "causes", {})  # those that have passed are not told
    tell_causes((why, hint) for why, hint in causes.items() if any(why.startswith(one) for one in errors))
    if outdated:
        click.echo(f"note: the verdicts are on earlier answers; grade again: surefoot grade {store.path}", err=True)
    if interrupted:
        click.echo(f"interrupted; to go on, give the same command with --resume --out {store.path}", err=True)
        return _INTERRUPTED
    return ExitCode.OK if not summary["errors"] and not summary["missing"] else ExitCode.INCOMPLETE


def _register(store: RunStore, given: str | None) -> None:
    """A decision takes all runs of a version, so the ledger has to know of each."""
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import entry_of, find

    try:
        with Ledger.open(find(store.path, given)) as ledger:
            ledger.add_run(entry_of(store))
    except (SurefootError, OSError) as error:
        click.echo(f"note: the run is not registered in the ledger: {error}", err=True)


def _answers_that_were_graded(store: RunStore) -> str | None:
    """Their hash, or None where there are no verdicts; labels by people do not say it, and are on what is there now."""
    if graded := store.manifest.graded_sha256:
        return graded
    return store.answers_sha256() if store.verdicts() else None


class Closer:
    """Ends what a pipeline has started, if it has started anything."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def close(self) -> None:
        getattr(self._pipeline, "close", lambda: None)()


def load_questions(given: str | None) -> list[Question]:
    if given is None:
        return demo.questions()
    found = question_sets.load(given)
    for problem in (*found.problems, *verify_lock(found)):
        click.echo(f"warning: {problem}", err=True)
    if not found.questions:
        raise UsageError(f"{given} holds no question that can be asked", f"`surefoot questions check {given}` says why")
    return found.questions


def load_corpus(given: str | None, questions: str | None) -> list[Passage] | None:
    """The user's; with the demo questions the demo's; else none, which some pipelines can do without."""
    if given is not None:
        return demo.corpus_from(given)
    return demo.corpus() if questions is None else None


def load_pipeline(spec: str, corpus: Sequence[Passage] | None, options: dict[str, Any]) -> Pipeline:
    template = options["request_template"]
    if template is not None and not Path(template).is_file():
        raise UsageError(f"the request template {template} is not a file", "pass a file of JSON with {question} in it")
    text = Path(template).read_text("utf-8") if template is not None else None
    asking, budget = chat_asking(spec, options)
    mapping = read_mapping(options["mapping"])
    given = Options(options["timeout"], mapping, text, options["prompt"], asking, budget)
    pipeline = load(spec, corpus=corpus, options=given)
    warn_of(getattr(pipeline, "problems", ProblemLog()))
    return pipeline


def _started(options: dict[str, Any]) -> tuple[RunStore, Pipeline]:
    spec = options["spec"]
    if not spec:
        raise UsageError("no pipeline was named", "pass --pipeline, for example --pipeline reference")
    if options["corpus"] and not options["questions"]:
        raise UsageError("--corpus was given without --questions", "the demo questions are about the demo corpus only")
    questions = load_questions(options["questions"])
    repeats = options["repeats"] or 1
    refuse_too_many(f"--repeats {repeats}", 1, repeats, len(questions))
    corpus = load_corpus(options["corpus"], options["questions"])
    pipeline = load_pipeline(spec, corpus, options)
    folder = options["out"] or _free_folder(pipeline.name)
    manifest = Manifest(
        name=folder.name,
        pipeline=spec,
        version=options["version"].strip(),
        code_sha256=code_of(spec),
        repeats=repeats,
        seed=options["seed"],
        questions_sha256=fingerprint(questions),
        question_count=len(questions),
        question_notes=list(_apart_from_lock(options["questions"], questions)),
        corpus_sha256=fingerprint(corpus) if corpus else None,
        versions={**_versions(), **getattr(pipeline, "versions", {})},
        deterministic=bool(getattr(pipeline, "deterministic", False)),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    with contextlib.ExitStack() as undo:
        undo.enter_context(contextlib.closing(Closer(pipeline)))
        store = _created(folder, manifest, questions)
        undo.pop_all()
    return store, pipeline


def _apart_from_lock(given: str | None, questions: Sequence[Question]) -> tuple[str, ...]:
    """What was left out of a locked question set, or added to it: a decision has to say so."""
    if given is None or not lock_path(given).is_file():
        return ()
    found = difference(read_lock(lock_path(given)), hashes_of(questions))
    told = {"are missing": found.removed, "are new": found.added}
    return tuple(f"against the lock, {len(ids)} questions {what}: {some(ids)}" for what, ids in told.items() if ids)


def _created(folder: Path, manifest: Manifest, questions: list[Question]) -> RunStore:
    try:
        return RunStore.create(folder, manifest, questions)
    except OSError as error:
        message = f"the run folder {folder} cannot be written to: {error.strerror}"
        raise UsageError(message, "choose another place with --out") from error


def _resumed(options: dict[str, Any]) -> tuple[RunStore, Pipeline]:
    if options["out"] is None:
        raise UsageError("--resume needs to know which run to go on with", "name its folder with --out")
    store = RunStore.open(options["out"], writing=True)
    with contextlib.ExitStack() as undo:
        undo.callback(store.close)
        made = store.manifest
        refuse_too_many(f"the run {store.path}", 1, made.repeats, made.question_count)
        pipeline = _same_pipeline(made, options)
        undo.pop_all()
    return store, pipeline


def _same_pipeline(made: Manifest, options: dict[str, Any]) -> Pipeline:
    """The pipeline of a run, provided that what is asked, of whom, and over which corpus are still the same."""
    if options["spec"] not in (None, made.pipeline):
        raise OtherRun(f"the run was made with --pipeline {made.pipeline}", "leave --pipeline out, or start a new run")
    if options["repeats"] not in (None, made.repeats):
        raise OtherRun(f"the run was made with --repeats {made.repeats}", "leave --repeats out, or start a new run")
    if options["version"].strip() not in ("", made.version):
        raise OtherRun(f"the run was made with --version {made.version}", "leave --version out, or start a new run")
    if options["questions"] and fingerprint(load_questions(options["questions"])) != made.questions_sha256:
        raise OtherRun("the question set is not the one the run was made with", "start a new run with another --out")
    corpus = demo.corpus_from(options["corpus"]) if options["corpus"] else demo.corpus()
    if made.corpus_sha256 is None:
        corpus = []
    elif fingerprint(corpus) != made.corpus_sha256:
        raise OtherRun("the run was made with another corpus", "pass the same one with --corpus, or start a new run")
    pipeline = load_pipeline(made.pipeline, corpus, options)
    if any(made.versions.get(part) != sha256 for part, sha256 in getattr(pipeline, "versions", {}).items()):
        Closer(pipeline).close()
        raise OtherRun("the run was made with another prompt", "pass the same one with --prompt, or start a new run")
    return pipeline


def _ask(store: RunStore, pipeline: Pipeline, options: dict[str, Any]) -> bool:
    """Ask what is not done; True when it was stopped by a signal."""
    questions, repeats = store.questions(), store.manifest.repeats
    again = options["retry_errors"]
    done = {(str(t.question_id), t.attempt) for t in store.traces() if not (again and t.error is not None)}
    progress = Progress(len(questions) * repeats - len(done))

    def keep(trace: Trace) -> None:
        store.append_trace(trace)
        progress.count(trace)

    # What a pipeline prints must not mix with our own output.
    with _stop_on_signal() as stop, contextlib.redirect_stdout(sys.stderr):
        ask_all(
            pipeline, questions, repeats=repeats, concurrency=options["concurrency"], timeout=options["timeout"],
            retries=options["retries"], done=done, on_trace=keep, stop=stop, seed=store.manifest.seed,
        )  # fmt: skip
        progress.close()
        return stop.is_set()


@contextlib.contextmanager
def _stop_on_signal() -> Iterator[threading.Event]:
    """Ctrl-C and a polite kill end the asking between two rows, never within one."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _free_folder(name: str) -> Path:
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")[:40] or "run"
    number = 1
    while (folder := Path("runs", f"{stem}-{number}")).exists():
        number += 1
    return folder


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _summary(store: RunStore, seconds: float, interrupted: bool) -> dict[str, Any]:
    """`seconds` by the clock, for this call; questions are asked side by side, so their own times add up to more."""
    traces = store.traces()
    errors = Counter(trace.error[:100] for trace in traces if trace.error is not None)
    wanted = store.manifest.question_count * store.manifest.repeats
    tokens = [trace.tokens for trace in traces if trace.tokens is not None]
    waits = [trace.seconds for trace in traces if trace.seconds is not None and trace.error is None]
    costs = [trace.cost_usd for trace in traces if trace.cost_usd is not None]
    return {
        "run": str(store.path),
        "asked": wanted,
        "answers": len(traces) - errors.total(),
        "errors": errors.total(),
        "missing": wanted - len(traces),
        "errors_by_kind": dict(errors.most_common()),
        "seconds": round(seconds, 3),
        "seconds_per_answer": round(sum(waits) / len(waits), 3) if waits else None,
        "tokens": sum(tokens) if tokens else None,
        "cost_usd": round(sum(costs), 6) if costs else None,
        "interrupted": interrupted,
    }


def _show(summary: dict[str, Any], concurrency: int) -> None:
    answers, errors = counted(summary["answers"], "answer"), counted(summary["errors"], "error")
    click.echo(f"{answers}, {errors}, {summary['missing']:,} not asked")
    for kind, count in summary["errors_by_kind"].items():
        click.echo(f"  {count:,} x {plain(kind)}")
    spent = [f"took {summary['seconds']:,.1f} s"]
    if summary["seconds_per_answer"] is not None:
        at_once = f", {concurrency} at a time" if concurrency > 1 else ""
        spent.append(f"{summary['seconds_per_answer']:,.2f} s per answer on average{at_once}")
    spent += [counted(summary["tokens"], "token")] if summary["tokens"] is not None else []
    spent += [f"{summary['cost_usd']:.4f} USD"] if summary["cost_usd"] is not None else []
    click.echo(", ".join(spent))
    click.echo(f"run: {summary['run']}")
