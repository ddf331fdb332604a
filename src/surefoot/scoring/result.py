"""What `score` returns: the scorecard, and the per-question rows on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import msgspec

from surefoot.datasets.locks import hashes_of
from surefoot.errors import ExitCode
from surefoot.outcomes import ScoredRow
from surefoot.report import score as words
from surefoot.report.blocks import Report
from surefoot.scorecard import Scorecard
from surefoot.scoring.attempts import Attempts
from surefoot.services.result import Reported
from surefoot.types import Question

_encode = msgspec.json.Encoder().encode
_decode_rows = msgspec.json.Decoder(ScoredRow).decode_lines


class ScoreResult(Reported):
    """Reads like the object that `--json` prints: result["metrics"]["precision"]["value"].

    Rows are made on the way out, so `rows()` and `write_json` cost no memory however many there are.
    """

    def __init__(self, card: Scorecard, attempts: Attempts, questions: Sequence[Question] = ()) -> None:
        self.card = card
        self.questions = questions
        self._attempts = attempts

    def __repr__(self) -> str:
        return f"<ScoreResult {self.card.decision.outcome}, {self.card.accounting.scored} answers scored>"

    @property
    def exit_code(self) -> ExitCode:
        return self.card.decision.exit_code

    @property
    def outcome(self) -> str:
        return self.card.decision.outcome

    def to_json(self) -> dict[str, Any]:
        return dict(self)

    def table(self) -> Sequence[Mapping[str, Any]]:
        """A question a row."""
        return [msgspec.to_builtins(row) for row in self.rows()]

    def report(self) -> Report:
        return words.report(self.card, self.rows(), self.questions)

    def rows(self) -> Iterator[ScoredRow]:
        for lines in self._attempts.rows():
            yield from _decode_rows(lines)

    def write_json(self, out: IO[bytes], with_rows: bool = True) -> None:
        head = _encode(self.card.to_json())
        if not with_rows:
            out.write(head + b"\n")
            return
        out.write(head[:-1] + b',"rows":[')
        separator = b"\n"
        for lines in self._attempts.rows():
            # A newline inside a text is written as \\n, so these are only the ends of rows.
            out.write(separator + lines[:-1].replace(b"\n", b",\n"))
            separator = b",\n"
        out.write(b'],"question_hashes":' + _encode(self._hashes()) + b"}\n")

    def __getitem__(self, key: str) -> object:
        if key == "question_hashes":
            return self._hashes()
        value: object = list(self.rows()) if key == "rows" else self.card.to_json()[key]
        return msgspec.json.decode(_encode(value))

    def __iter__(self) -> Iterator[str]:
        yield from (*self.card.to_json(), "rows", "question_hashes")

    def __len__(self) -> int:
        return len(self.card.to_json()) + 2

    def _hashes(self) -> dict[str, str]:
        """Of what is asked, by which a later run over another version of the set is compared; a log has no gold."""
        return hashes_of(self.questions) if self.card.settings.has_gold else {}
