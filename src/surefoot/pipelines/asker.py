"""Ask a pipeline many questions at once, and live through whatever it does.

Threads ask; the calling thread supervises. It gives up a thread that takes too long, puts another in its place, and
is the only one to call `on_trace`, so rows are written one at a time. Whatever goes wrong with a question becomes
that question's error, and the rest goes on. Threads are daemons: one that hangs for ever cannot keep the process.
"""

from __future__ import annotations

import contextlib
import hashlib
import queue
import shlex
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from surefoot.core.errors import TransientError, UsageError, words_of
from surefoot.core.types import Ask, Passage, Pipeline, Question, Retrieved, Trace

MOST_ANSWERS = 1_000_000  # of a run, or of all cells of a matrix; what is more is a slip
LONGEST_ANSWER = 1_000_000  # characters; what is longer is no answer, and would burden every later step
_LONGEST_RETRIEVED = 8_000_000
_LONGEST_ERROR = 300
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
_LISTEN = 0.2  # how long a stop may go unnoticed

CANNOT_FORCE_NULL = "the pipeline cannot be told to retrieve nothing"


def askable(pipeline: Pipeline, questions: Sequence[Question]) -> list[Question]:
    """Without those for which nothing may be retrieved, where the pipeline cannot be told so."""
    return [one for one in questions if one.retrieval != "null" or getattr(pipeline, "forces_null", False)]


def refuse_too_many(source: str, cells: int, repeats: int, questions: int = 1) -> None:
    if cells * repeats * questions > MOST_ANSWERS:
        message = f"{source} asks for more than {MOST_ANSWERS:,} answers in all"
        raise UsageError(message, "lower `repeats`, or take fewer values or questions")


class _Job(NamedTuple):
    question: Question
    attempt: int


class _Result(NamedTuple):
    asker: _Asker
    job: _Job
    trace: Trace
    ask_alone: bool


def ask_all(
    pipeline: Pipeline,
    questions: Sequence[Question],
    *,
    repeats: int = 1,
    concurrency: int = 8,
    timeout: float = 60.0,
    retries: int = 2,
    done: Collection[tuple[str, int]] = (),
    on_trace: Callable[[Trace], None],
    stop: threading.Event | None = None,
) -> None:
    """Ask every question `repeats` times but for what is `done`; `on_trace` gets each trace as it comes.

    When `stop` is set, or on Ctrl-C, no further question is asked, what has been answered is handed on, and the
    questions under way are left: asking again with `done` goes on from there. Questions of which one has brought the
    pipeline down, nobody knows which, come again one by one at the end.
    """
    jobs, stop = list(_jobs(questions, repeats, done)), stop or threading.Event()
    suspects = _Supervisor(pipeline, jobs, concurrency, timeout, retries, stop).run(on_trace)
    jobs = [result.job for result in suspects]
    for result in _Supervisor(pipeline, jobs, 1, timeout, retries, stop).run(on_trace):
        on_trace(result.trace)


def _jobs(questions: Sequence[Question], repeats: int, done: Collection[tuple[str, int]]) -> Iterator[_Job]:
    """All first attempts before any second: a run cut short has then seen as many questions as it could."""
    for attempt in range(1, repeats + 1):
        for question in questions:
            if (question.id, attempt) not in done:
                yield _Job(question, attempt)


class _Supervisor:
    def __init__(
        self,
        pipeline: Pipeline,
        jobs: Sequence[_Job],
        concurrency: int,
        timeout: float,
        retries: int,
        stop: threading.Event,
    ) -> None:
        self.pipeline, self.timeout, self.retries = pipeline, timeout, retries
        self.over = threading.Event()
        self._stop = stop
        self.results: queue.SimpleQueue[_Result] = queue.SimpleQueue()
        self.guard = threading.Lock()
        self._waiting = iter(jobs)
        self._left = len(jobs)
        self._put_off: list[_Result] = []
        self._askers = [_Asker(self) for _ in range(min(concurrency, len(jobs)))]

    def run(self, on_trace: Callable[[Trace], None]) -> list[_Result]:
        """Ask, and give back what must be asked alone; nothing when stopped, for what was under way is left then."""
        for asker in self._askers:
            asker.start()
        try:
            while self._left and not self._stop.is_set():
                self._take(on_trace, wait=min(_LISTEN, self.timeout / 2))
                self._give_up_overdue(on_trace)
        finally:
            self.over.set()
            while not self.results.empty():
                self._take(on_trace, wait=0)
        return [] if self._stop.is_set() else self._put_off

    def next_job(self) -> _Job | None:
        return None if self.over.is_set() or self._stop.is_set() else next(self._waiting, None)

    def _take(self, on_trace: Callable[[Trace], None], wait: float) -> None:
        try:
            result = self.results.get(timeout=wait)
        except queue.Empty:
            return
        if result.job is result.asker.given_up:
            return
        self._left -= 1
        if result.ask_alone:
            self._put_off.append(result)
        else:
            on_trace(result.trace)

    def _give_up_overdue(self, on_trace: Callable[[Trace], None]) -> None:
        """Record what has taken too long, and replace the threads that hang on it."""
        now = time.monotonic()
        with self.guard:
            overdue = [asker for asker in self._askers if asker.deadline <= now]
            for asker in overdue:
                asker.given_up = asker.job
        for asker in overdue:
            self._askers.remove(asker)
            self._askers.append(replacement := _Asker(self))
            replacement.start()
            if asker.given_up is not None:
                self._left -= 1
                on_trace(_failed(asker.given_up, _timed_out(self.timeout), self.timeout))


class _Asker(threading.Thread):
    """Asks until nothing is left, or until it is given up."""

    def __init__(self, supervisor: _Supervisor) -> None:
        super().__init__(name="surefoot-ask", daemon=True)
        self._supervisor = supervisor
        self.job: _Job | None = None
        self.given_up: _Job | None = None
        self.deadline = float("inf")

    def run(self) -> None:
        while (job := self._next()) is not None:
            result = self._ask_patiently(job)
            self.deadline = float("inf")
            if result is not None:
                self._supervisor.results.put(result)

    def _next(self) -> _Job | None:
        # Under the guard a thread is either given up or has a new job, never both.
        with self._supervisor.guard:
            self.job = self._supervisor.next_job() if self.given_up is None else None
            return self.job

    def _ask_patiently(self, job: _Job) -> _Result | None:
        """Ask again, after a growing pause, what failed in a way that may pass; None when stopped in between."""
        chance = Random(f"{job.question.id}/{job.attempt}")
        for again in range(self._supervisor.retries + 1):
            self.deadline = time.monotonic() + self._supervisor.timeout
            trace, error = self._ask(job)
            ask_alone = bool(getattr(error, "ask_alone", False))
            if error is None or ask_alone or again == self._supervisor.retries or self.given_up is job:
                break
            self.deadline = float("inf")
            pause = error.retry_after if error.retry_after is not None else _FIRST_PAUSE * 2**again
            if self._supervisor.over.wait(min(_LONGEST_PAUSE, pause * chance.uniform(1.0, 1.5))):
                return None
        return _Result(self, job, trace, ask_alone)

    def _ask(self, job: _Job) -> tuple[Trace, TransientError | None]:
        question, started = job.question, time.perf_counter()
        try:
            found = self._supervisor.pipeline.answer(Ask(question.id, question.text, question.retrieval))
            seconds = time.perf_counter() - started
            trace, transient = _checked(found, job, seconds), None
        except TransientError as error:
            trace, transient = _failed(job, _in_words(error), time.perf_counter() - started), error
        except TimeoutError:
            trace, transient = _failed(job, _timed_out(self._supervisor.timeout), self._supervisor.timeout), None
        except BaseException as error:  # noqa: BLE001 - a pipeline may raise anything, also SystemExit or a Rust panic
            trace, transient = _failed(job, _in_words(error), time.perf_counter() - started), None
        return trace, transient


def _checked(found: object, job: _Job, seconds: float) -> Trace:
    """The trace with its question, attempt and time, or what is wrong with it as the question's error."""
    if not isinstance(found, Trace):
        return _failed(job, f"the pipeline returned {type(found).__name__}, not a Trace", seconds)
    if fault := _fault(found, job.question):
        return _failed(job, fault, seconds)
    return replace(
        found,
        question_id=job.question.id,
        question=None,
        attempt=job.attempt,
        retrieved=None if found.retrieved is None else Retrieved(found.retrieved),
        citations=None if found.citations is None else tuple(found.citations),
        error=None if found.error is None else _cut(str(found.error)),
        seconds=seconds if found.seconds is None else found.seconds,
    )


def _fault(trace: Trace, question: Question) -> str | None:
    # Structs are not checked when they are made, and a pipeline is somebody else's code.
    answer: object = trace.answer
    if trace.question_id is not None and trace.question_id != question.id:
        return f"the pipeline answered the question {str(trace.question_id)[:80]!r}, which was not asked"
    if answer is None and not trace.error:
        return "the pipeline gave no answer"
    if answer is not None and not isinstance(answer, str):
        return f"the answer is {type(answer).__name__}, not text"
    if isinstance(answer, str) and len(answer) > LONGEST_ANSWER:
        return f"the answer is too long: {len(answer):,} characters, at most {LONGEST_ANSWER:,} are taken"
    if trace.citations is not None and not _all(trace.citations, str):
        return "the citations are not a list of ids"
    if trace.retrieved is not None and not _all(trace.retrieved, Passage):
        return "what was retrieved is not a list of passages"
    if trace.retrieved and sum(len(passage.text) for passage in trace.retrieved) > _LONGEST_RETRIEVED:
        return f"the retrieved passages are too long: at most {_LONGEST_RETRIEVED:,} characters are taken"
    if trace.retrieved and question.retrieval == "null":
        found = f"{len(trace.retrieved)} passage{'s' if len(trace.retrieved) > 1 else ''}"
        return f"the pipeline retrieved {found} although it was told to retrieve nothing"
    return None if _are_numbers(trace) else "seconds, tokens and cost must be numbers"


def _all(items: object, kind: type) -> bool:
    return isinstance(items, Iterable) and not isinstance(items, str) and all(isinstance(item, kind) for item in items)


def _are_numbers(trace: Trace) -> bool:
    given: tuple[object, ...] = (trace.seconds, trace.tokens, trace.cost_usd)
    return all(value is None or isinstance(value, (int, float)) for value in given) and type(trace.tokens) is not float


def _failed(job: _Job, error: str, seconds: float) -> Trace:
    return Trace(job.question.id, error=error, attempt=job.attempt, seconds=seconds)


def _timed_out(timeout: float) -> str:
    return f"timeout after {timeout:g} s"


def _in_words(error: BaseException) -> str:
    return _cut(words_of(error)) or type(error).__name__


def _cut(text: str) -> str:
    return " ".join(text[: 4 * _LONGEST_ERROR].split())[:_LONGEST_ERROR]


def files_of(spec: str) -> list[Path]:
    """The files that a pipeline's name leads to."""
    kind, _, rest = spec.partition(":")
    module = Path(*kind.split("."))
    if kind == "traces":
        named = [Path(rest)]
    elif kind == "cmd" or spec.startswith(("./", "../", "/", "~/")):
        parts = [spec]
        with contextlib.suppress(ValueError):  # quotes that are not closed
            parts = [spec] if Path(spec).is_file() else shlex.split(rest if kind == "cmd" else spec)
        named = [Path(part).expanduser() for part in parts]
    else:
        named = [Path(f"{module}.py"), module / "__init__.py"]
    return [path for path in named if path.is_file()]


def code_of(spec: str) -> str:
    """The sha256 of its files, so that a pipeline that was edited is told from what it was."""
    found = files_of(spec)
    digest = hashlib.sha256()
    for path in found:
        digest.update(path.read_bytes())
    return digest.hexdigest() if found else ""
