"""Ask a pipeline many questions at once, and live through whatever it does.

Threads ask; the calling thread hands out the questions. It gives up one that takes too long, starts another thread for
that which hangs on it, and is the only one to call `on_trace`, so rows are written one at a time. Whatever goes wrong
with a question becomes that question's error, and the rest goes on. Threads are daemons: one that hangs for ever cannot
keep the process.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import queue
import shlex
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import inf
from pathlib import Path
from random import Random

from msgspec.structs import replace

from surefoot.core.errors import TransientError, UsageError, words_of
from surefoot.core.types import Ask, Pipeline, Question, Trace, counted

MOST_ANSWERS = 1_000_000  # of a run, or of all cells of a matrix; what is more is a slip
LONGEST_ANSWER = 1_000_000  # characters; what is longer is no answer, and would burden every later step
_LONGEST_RETRIEVED = 8_000_000
_LONGEST_ERROR = 300
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
_LISTEN = 0.2  # how long a stop may go unnoticed
_IN_VAIN = 10  # questions in a row, each asked with all patience, until the rest is spared that

CANNOT_FORCE_NULL = "the pipeline cannot be told to retrieve nothing"


def askable(pipeline: Pipeline, questions: Sequence[Question]) -> list[Question]:
    """Without those for which nothing may be retrieved, where the pipeline cannot be told so."""
    return [one for one in questions if one.retrieval != "null" or getattr(pipeline, "forces_null", False)]


def refuse_too_many(source: str, cells: int, repeats: int, questions: int = 1) -> None:
    if cells * repeats * questions > MOST_ANSWERS:
        message = f"{source} asks for more than {MOST_ANSWERS:,} answers in all"
        raise UsageError(message, "lower `repeats`, or take fewer values or questions")


class _Job:
    """A question to ask. `deadline` is that of the call under way; the pauses between calls have none."""

    def __init__(self, question: Question, attempt: int) -> None:
        self.question, self.attempt, self.deadline = question, attempt, inf


def ask_all(
    pipeline: Pipeline, questions: Sequence[Question], *, repeats: int = 1, concurrency: int = 8, timeout: float = 60.0,
    retries: int = 2, done: Collection[tuple[str, int]] = (), on_trace: Callable[[Trace], None],
    stop: threading.Event | None = None,
) -> None:  # fmt: skip
    """Ask every question `repeats` times but for what is `done`; `on_trace` gets each trace as it comes.

    All first attempts come before any second: a run cut short has then seen as many questions as it could. When `stop`
    is set, or on Ctrl-C, no further question is asked, what has been answered is handed on, and the questions under way
    are left: asking again with `done` goes on from there. Questions of which one has brought the pipeline down, nobody
    knows which, come again one by one at the end.
    """
    jobs = [_Job(question, attempt) for attempt in range(1, repeats + 1) for question in questions
            if (question.id, attempt) not in done]  # fmt: skip
    asker = _Asker(pipeline, timeout, retries, stop or threading.Event(), on_trace)
    suspects = asker.ask(jobs, concurrency)
    for _, trace in asker.ask([job for job, _ in suspects], 1):
        on_trace(trace)


@dataclass
class _Asker:
    pipeline: Pipeline
    timeout: float
    retries: int
    stop: threading.Event
    on_trace: Callable[[Trace], None]
    in_vain: list[str] = field(default_factory=list)  # what came of the last questions, if nothing but temporary errors

    def ask(self, jobs: Sequence[_Job], concurrency: int) -> list[tuple[_Job, Trace]]:
        """Ask, and give back what must be asked alone; nothing when stopped, for what was under way is left then."""
        todo, over = queue.SimpleQueue[_Job | None](), threading.Event()
        results = queue.SimpleQueue[tuple[_Job, Trace, bool]]()
        waiting, under_way, alone = iter(jobs), set[_Job](), list[tuple[_Job, Trace]]()
        threads = 0

        def work() -> None:
            while (job := todo.get()) is not None:
                if (found := self._answered(job, over)) is not None:
                    results.put((job, *found))

        def start() -> None:
            nonlocal threads
            threads += 1
            threading.Thread(target=work, name="surefoot-ask", daemon=True).start()

        def settle(job: _Job, trace: Trace, ask_alone: bool) -> None:
            if job in under_way:  # else it was given up
                under_way.remove(job)
                hand_out(1)
                if ask_alone:
                    alone.append((job, trace))
                else:
                    self.on_trace(trace)

        def hand_out(count: int) -> None:
            for job in islice(waiting, count):
                under_way.add(job)
                todo.put(job)

        for _ in range(min(concurrency, len(jobs))):
            start()
        hand_out(concurrency)
        try:
            while under_way and not self.stop.is_set():
                with contextlib.suppress(queue.Empty):
                    settle(*results.get(timeout=min(_LISTEN, self.timeout / 2)))
                for job in [job for job in under_way if job.deadline <= time.monotonic()]:
                    start()  # the thread that hangs on it may never come back
                    settle(job, self._timed_out(job), False)
        finally:
            over.set()
            while not results.empty():
                settle(*results.get())
            for _ in range(threads):
                todo.put(None)
        return [] if self.stop.is_set() else alone

    def _answered(self, job: _Job, over: threading.Event) -> tuple[Trace, bool] | None:
        """The trace and whether the question must be asked alone; None when stopped before there is one.

        What failed in a way that may pass is asked again after a growing pause.
        """
        if len(self.in_vain) >= _IN_VAIN:
            return _failed(job, f"not asked: {self.in_vain[-1]}", 0.0), False
        chance = Random(f"{job.question.id}/{job.attempt}")
        for again in range(self.retries + 1):
            if over.is_set() or self.stop.is_set():
                return None
            job.deadline = time.monotonic() + self.timeout
            trace, error = self._asked(job)
            late = time.monotonic() > job.deadline
            job.deadline = inf
            ask_alone = bool(getattr(error, "ask_alone", False))
            if error is None or ask_alone or late or again == self.retries:
                break
            pause = error.retry_after if error.retry_after is not None else _FIRST_PAUSE * 2**again
            over.wait(min(_LONGEST_PAUSE, pause * chance.uniform(1.0, 1.5)))
        if not ask_alone:
            self.in_vain = [*self.in_vain, trace.error or ""] if error is not None else []
        return trace, ask_alone

    def _asked(self, job: _Job) -> tuple[Trace, TransientError | None]:
        question, started = job.question, time.monotonic()
        try:
            found = self.pipeline.answer(Ask(question.id, question.text, question.retrieval))
            seconds = time.monotonic() - started
            if fault := _fault(found, question):
                return _failed(job, fault, seconds), None
            told, seconds = found.error and _cut(found.error), seconds if found.seconds is None else found.seconds
            found = replace(found, question_id=question.id, attempt=job.attempt, error=told, seconds=seconds)
            return replace(found, question=None), None
        except TimeoutError:
            return self._timed_out(job), None
        except BaseException as error:  # noqa: BLE001 - a pipeline may raise anything, also SystemExit or a Rust panic
            failed = _failed(job, words_of(error) or type(error).__name__, time.monotonic() - started)
            return failed, error if isinstance(error, TransientError) else None

    def _timed_out(self, job: _Job) -> Trace:
        return _failed(job, f"timeout after {self.timeout:g} s", self.timeout)


def _fault(trace: Trace, question: Question) -> str:
    if trace.question_id is not None and trace.question_id != question.id:
        return f"the pipeline answered the question {trace.question_id[:80]!r}, which was not asked"
    if trace.answer is None and not trace.error:
        return "the pipeline gave no answer"
    if (size := len(trace.answer or "")) > LONGEST_ANSWER:
        return f"the answer is too long: {size:,} characters, at most {LONGEST_ANSWER:,} are taken"
    if sum(len(passage.text) for passage in trace.retrieved or ()) > _LONGEST_RETRIEVED:
        return f"the retrieved passages are too long: at most {_LONGEST_RETRIEVED:,} characters are taken"
    if trace.retrieved and question.retrieval == "null":
        found = counted(len(trace.retrieved), "passage")
        return f"the pipeline retrieved {found} although it was told to retrieve nothing"
    return ""


def _failed(job: _Job, error: str, seconds: float) -> Trace:
    return Trace(job.question.id, error=_cut(error), attempt=job.attempt, seconds=seconds)


def _cut(text: str) -> str:
    return " ".join(text[: 4 * _LONGEST_ERROR].split())[:_LONGEST_ERROR]


def code_of(spec: str) -> str:
    """The sha256 of the files that a pipeline's name leads to, and of the modules beside them that they import, so that
    one that was edited is told from what it was."""
    kind, _, rest = spec.partition(":")
    module = Path(*kind.split("."))
    words = list[str]()
    if kind in ("cmd", "traces") or spec.startswith(("./", "../", "/", "~/")):
        words = [spec, rest]
        with contextlib.suppress(ValueError):  # quotes that are not closed
            words += shlex.split(rest if kind == "cmd" else spec)
    named = [Path(f"{module}.py"), module / "__init__.py", *(Path(word).expanduser() for word in words)]
    found, waiting = dict[Path, bytes](), named[::-1]
    while waiting:
        path = waiting.pop()
        with contextlib.suppress(OSError, SyntaxError, ValueError):  # what has no such name, or is no Python
            if path not in found and path.is_file():
                found[path] = path.read_bytes()
                waiting += _imported(path, ast.parse(found[path] if path.suffix == ".py" else ""))
    return hashlib.sha256(b"".join(found.values())).hexdigest() if found else ""


def _imported(path: Path, tree: ast.Module) -> Iterator[Path]:
    """Where the modules may lie that a file imports: from the working directory on, or beside it."""
    for node in ast.walk(tree):
        names, folders = list[str](), [Path(), path.parent]
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{one.name}".strip(".") for one in node.names]
            folders = [path.parents[min(node.level, len(path.parents)) - 1]] if node.level else folders
        for folder, parts in product(folders, (name.split(".") for name in names)):
            for end in range(1, len(parts) + 1):
                module = folder.joinpath(*parts[:end])
                yield from (Path(f"{module}.py"), module / "__init__.py")
