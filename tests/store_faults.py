"""Kill -9 the commands that keep something at moments of chance, for `kills` of tests/prove.py: what must hold then.

Every command that is killed is given again. At the end nothing that was answered is lost, asked twice after it was
kept, or kept twice; a grading and an import are whole or not there; a label that the page confirmed is there once; a
monitor counts every row of its log once, and keeps every bad one once.
"""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from surefoot.monitor.state import Design, State
from surefoot.store import Project
from tests.looks.page import Server, Somebody
from tests.monitor.test_kills import check_bad, row

_QUESTIONS, _ROWS = 24, 300
_PIPELINE = """
import json, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    time.sleep(0.01)
    with open("asked.log", "a") as log:
        log.write(ask["id"] + "\\n")
    passage = {"id": "p" + ask["id"], "text": "Locker " + ask["id"] + " opens at noon."}
    answer = "Locker " + ask["id"] + " opens at noon [p" + ask["id"] + "]."
    print(json.dumps({"answer": answer, "retrieved": [passage]}), flush=True)
"""


class Faults:
    """One project that is written to and killed again and again."""

    def __init__(self, folder: Path, db: str, longest: float) -> None:
        self.folder, self.db, self.chance, self.longest = folder, db, random.Random(1), longest
        self.killed: Counter[str] = Counter()
        questions = [{"id": f"q{n}", "question": f"When does locker q{n} open?", "expects": "answer"}
                     for n in range(_QUESTIONS)]  # fmt: skip
        (folder / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))
        (folder / "pipeline.py").write_text(_PIPELINE)

    def round(self, number: int) -> None:
        """A run, its grading, a label and an import, each killed until it gets through."""
        version = f"v{number}"
        (self.folder / "asked.log").write_text("")
        first = ["run", "--questions", "questions.jsonl", "--pipeline", f"cmd:{sys.executable} pipeline.py",
                 "--version", version, "--set", "concurrency=2"]  # fmt: skip
        self._until_done("run", first, ["run", "--resume", version], version)
        with Project.existing(self.db) as project:
            run = project.named(version)[0]
            assert len(project.named(version)) == 1
            assert sorted(run.answer_keys()) == sorted((f"q{n}", 1) for n in range(_QUESTIONS))
        asked = Counter((self.folder / "asked.log").read_text().split())
        in_flight = 2 * (1 + self.killed["run"])  # two were being answered at each kill
        assert sum(asked.values()) - _QUESTIONS <= in_flight, asked
        self._until_done("grade", ["grade", version, "--grader", "rules"])
        with Project.existing(self.db) as project:
            verdicts = Counter((v.question_id, v.axis) for v in project.named(version)[0].verdicts())
            assert sum(axis == "factuality" for _, axis in verdicts) == _QUESTIONS, verdicts
            assert set(verdicts.values()) == {1}
        self._label(version, number)
        rows = [{"question_id": f"q{n}", "axis": "factuality", "value": "correct", "annotator": f"ann{number}"}
                for n in range(_QUESTIONS)]  # fmt: skip
        (self.folder / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        self._until_done("import", ["import", "labels.jsonl", "--run", version])
        with Project.existing(self.db) as project:
            given = [one for one in project.labels() if one.annotator == f"ann{number}"]
            assert len(given) == _QUESTIONS, len(given)
        self._monitor(number)

    def _monitor(self, number: int) -> None:
        (self.folder / "log.jsonl").write_text("".join(map(row, range(_ROWS))))
        (self.folder / "bad.jsonl").unlink(missing_ok=True)
        state = f"state{number}.db"
        self._until_done("monitor", ["monitor", "--json", "--grader", "rules", "--sample", "1", "--once", "log.jsonl",
                                     "--bad", "bad.jsonl", "--state", state])  # fmt: skip
        check_bad(self.folder, _ROWS // 3)
        kept = State(self.folder / state, Design(1.0))
        kept.close()
        assert kept.counts["seen"] == kept.counts["graded"] == _ROWS, kept.counts

    def _until_done(self, kind: str, words: list[str], again: list[str] | None = None, version: str = "") -> None:
        """Kill it at a moment of chance, ever later, until it is quicker."""
        longest = self.longest
        while True:
            process = self._start(words)
            moment = self.chance.uniform(0.05, longest)
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.killed[kind] += 1
                longest += 0.4
                if kind == "grade":
                    self._nothing_half()
                if again and self._has(version):
                    words = again
                continue
            assert process.returncode in (0, 4), process.returncode
            return

    def _has(self, version: str) -> bool:
        with contextlib.suppress(Exception), Project.existing(self.db) as project:
            return bool(project.runs(version))
        return False

    def _nothing_half(self) -> None:
        """All verdicts of a grading are there, or none."""
        with Project.existing(self.db) as project:
            run = project.runs()[-1]
            graded = {one.question_id for one in run.verdicts() if one.axis == "factuality"}
            assert len(graded) in (0, _QUESTIONS), len(graded)

    def _label(self, version: str, number: int) -> None:
        """What the page confirmed is there after its server is killed, once."""
        server = Server(version, "--annotator", f"bob{number}", "--db", self.db)
        somebody = Somebody(server).go()
        assert somebody.post("/save", somebody.sent("correct")).code == 200
        server.kill()
        self.killed["look"] += 1
        with Project.existing(self.db) as project:
            given = [one for one in project.labels() if one.annotator == f"bob{number}" and one.axis == "factuality"]
        assert len(given) == 1, given

    def _start(self, words: list[str], stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        where = [] if words[0] == "monitor" else ["--db", self.db]
        command = [sys.executable, "-m", "surefoot", *words, *where]
        return subprocess.Popen(
            command, cwd=self.folder, stdout=stdout, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
