"""A pipeline is asked again whenever its file changes: the loop in which one is written."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surefoot.errors import ExitCode, SurefootError, UsageError
from surefoot.pipelines.specs import Asking, files_of
from surefoot.services.result import READER, Person, Result
from surefoot.services.run import Answers, run

_PAUSE = 0.5  # seconds between two looks at the files

State = dict[Path, tuple[int, int]]  # when each file was written, and its size


class Try(Result):
    """One asking of all questions, and which answers are not those of the try before."""

    def __init__(self, answers: Answers, before: Answers | None) -> None:
        self.answers, self.is_first = answers, before is None
        self._changes = _changes(before.table(), answers.table()) if before else []

    @property
    def exit_code(self) -> ExitCode:
        return self.answers.exit_code

    def to_json(self) -> dict[str, Any]:
        return {**self.answers.to_json(), "changes": self._changes}

    def table(self) -> Sequence[Mapping[str, Any]]:
        """An answer that changed a row."""
        return self._changes

    def __repr__(self) -> str:
        return f"<Try {len(self._changes)} answers changed in {self.answers.folder}>"


def watch(
    pipeline: str,
    *,
    questions: str | Path | None = None,
    corpus: str | Path | None = None,
    repeats: int | None = None,
    asking: Asking | None = None,
    ledger: str | Path | None = None,
    person: Person = READER,
) -> Iterator[Try]:
    """Ask a pipeline, and again whenever its file, its prompt or its request template was saved, without end.

    Each try is a run in a folder of its own. Where a change breaks the pipeline, it tells so, and waits for the next.
    """
    how = asking or Asking()
    named = [*files_of(pipeline), Path(how.prompt), *([Path(how.request_template)] if how.request_template else [])]
    files = [path for path in named if path.is_file()]
    if pipeline and not files:
        hint = "name a module or a script in this folder, or a file with --prompt"
        raise UsageError(f"there is nothing to watch: --pipeline {pipeline} names no file", hint)
    last: Answers | None = None
    while True:
        seen = _state(files)
        try:
            answers = run(
                pipeline, questions=questions, corpus=corpus, repeats=repeats, asking=how, ledger=ledger, person=person
            )
        except SurefootError as error:
            if last is None:
                raise
            person.tell(f"error: {error.message}" + (f" ({error.hint})" if error.hint else ""))
        else:
            yield Try(answers, last)
            if answers.interrupted:
                return
            last = answers
        person.tell(f"watching {', '.join(map(str, files))}; Ctrl-C ends it")
        _wait_for_change(files, seen)


def _wait_for_change(files: Sequence[Path], seen: State) -> None:
    """Until they are not what was seen, all are there, and nobody has written to them since the last look."""
    before = seen
    while (now := _state(files)) == seen or now != before or len(now) < len(files):
        before = now
        time.sleep(_PAUSE)


def _state(files: Sequence[Path]) -> State:
    found = {path: path.stat() for path in files if path.is_file()}
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in found.items()}


def _changes(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    old = {(row["question_id"], row["attempt"]): _said(row) for row in before}
    new = {(row["question_id"], row["attempt"]): _said(row) for row in after}
    return [
        {"question_id": key[0], "attempt": key[1], "before": old.get(key), "after": said}
        for key, said in new.items()
        if said != old.get(key)
    ]


def _said(row: Mapping[str, Any]) -> str:
    return f"error: {row['error']}" if row["error"] is not None else str(row["answer"])
