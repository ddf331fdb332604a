"""Kill -9 the commands that write to a project at moments of chance, and mutate exports: what must hold afterwards.

    python -m tests.store_faults --kills 200 --mutations 500     on a file
    python -m tests.store_faults --kills 50 --server             on a PostgreSQL server of our own

Every command that is killed is given again. At the end nothing that was answered is lost, asked twice after it was
kept, or kept twice; a grading and an import are whole or not there; a label that the page confirmed is there once.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from surefoot.store import Project
from tests import postgres_server

_QUESTIONS = 24
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

    def __init__(self, folder: Path, db: str, seed: int) -> None:
        self.folder, self.db, self.chance = folder, db, random.Random(seed)
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

    def _until_done(self, kind: str, words: list[str], again: list[str] | None = None, version: str = "") -> None:
        """Kill it at a moment of chance, ever later, until it is quicker."""
        longest = 0.6
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
        words = ["label", version, "--no-browser", "--port", "0", "--json", "--annotator", f"bob{number}"]
        process = self._start(words, stdout=subprocess.PIPE)
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        found = re.match(r"http://([^/:]+):(\d+)(/.*)?$", url)
        assert found, url
        page, cookies = _get(found[1], int(found[2]), "/", {})
        form = re.search(r'data-number="(\d+)" data-version="([0-9a-f]+)"', page)
        assert form, page
        sending = f"{self.chance.getrandbits(128):032x}"
        body = {"label": {"number": int(form[1]), "version": form[2], "id": sending,
                          "values": {"factuality": "correct"}, "note": ""}}  # fmt: skip
        assert _post(found[1], int(found[2]), "/label", body, cookies) == 200
        process.kill()
        process.wait()
        self.killed["label"] += 1
        with Project.existing(self.db) as project:
            given = [one for one in project.labels() if one.annotator == f"bob{number}" and one.axis == "factuality"]
        assert len(given) == 1, given

    def _start(self, words: list[str], stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "surefoot", *words, "--db", self.db]
        return subprocess.Popen(
            command, cwd=self.folder, stdout=stdout, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )


def _get(host: str, port: int, path: str, cookies: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Follow redirects, keeping cookies."""
    for _ in range(6):
        connection = http.client.HTTPConnection(host, port, timeout=20)
        connection.request("GET", path, headers={"Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())})
        reply = connection.getresponse()
        text = reply.read().decode("utf-8", "replace")
        for name, value in reply.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                cookies[key] = rest.partition(";")[0]
        if reply.status not in (302, 303, 307):
            return text, cookies
        path = reply.getheader("location") or "/"
    return text, cookies


def _post(host: str, port: int, path: str, body: object, cookies: dict[str, str]) -> int:
    connection = http.client.HTTPConnection(host, port, timeout=20)
    headers = {"Content-Type": "application/json", "Origin": f"http://{host}:{port}",
               "Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())}  # fmt: skip
    connection.request("POST", path, json.dumps(body).encode(), headers)
    return connection.getresponse().status


def mutations(folder: Path, count: int, seed: int) -> int:
    """Change one byte of an export at a time; return how many changes were taken in silence."""
    with Project.existing(folder / "surefoot.db") as project:
        name = project.runs()[-1].id
    subprocess.run([sys.executable, "-m", "surefoot", "export", "run.jsonl", name], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    from surefoot.jobs.project import verify_export

    data, chance, silent = (folder / "run.jsonl").read_bytes(), random.Random(seed), 0
    for _ in range(count):
        place = chance.randrange(len(data))
        byte = bytes([(data[place] + chance.randrange(1, 256)) % 256])
        (folder / "changed.jsonl").write_bytes(data[:place] + byte + data[place + 1 :])
        try:
            silent += not verify_export(folder / "changed.jsonl").faults
        except Exception as error:  # noqa: BLE001
            assert hasattr(error, "hint"), error
    return silent


@contextlib.contextmanager
def place(server: bool, folder: Path) -> Iterator[str]:
    if not server:
        yield str(folder / "surefoot.db")
        return
    with postgres_server.running() as url:
        yield url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, place(asked.server, Path(name)) as db:
        faults, started, rounds = Faults(Path(name), db, asked.seed), time.monotonic(), 0
        while faults.killed.total() < asked.kills:
            rounds += 1
            faults.round(rounds)
        print(f"{faults.killed.total()} kills in {rounds} rounds, {time.monotonic() - started:.0f} s: "
              f"{dict(faults.killed)}; nothing lost or doubled")  # fmt: skip
        if asked.mutations:
            silent = mutations(Path(name), asked.mutations, asked.seed)
            print(f"{asked.mutations} mutations of an export, {silent} taken in silence")


if __name__ == "__main__":
    main()
