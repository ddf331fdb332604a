"""Two versions to look at, and the look page served by the real command, asked as a page asks it."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from surefoot.core.records import Label
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.store import Project
from tests import served
from tests.kept import keep_run

GRADER = "rules@1"
ROOT = "/looks"  # of the tab
COLOURS = ("red", "blue", "green", "amber", "violet")


def question(number: int) -> Question:
    colour = COLOURS[number % 5]
    return Question(
        id=f"q{number}", text=f"What colour is door {number} of the mill?", expects="answer",
        gold_ids=(f"doors#{number}",), gold_claims=(f"Door {number} is {colour}.",),
    )  # fmt: skip


def trace(number: int, answer: str | None = None, attempt: int = 1) -> Trace:
    said = f"Door {number} of the mill is {COLOURS[number % 5]} [doors#{number}]." if answer is None else answer
    painted = f"In May 2024 door {number} of the mill was painted {COLOURS[number % 5]}."
    passages = Passage(f"doors#{number}", painted, "Doors", 2), Passage("doors#other", "The roof is slate.", "Doors", 9)
    return Trace(question_id=f"q{number}", answer=said, retrieved=Retrieved(passages), attempt=attempt)


def make_run(
    id: str, traces: Sequence[Trace], *, version: str = "", verdicts: bool = True, flagged: Sequence[int] = ()
) -> str:
    """A run in which the grader calls some answers wrong and all others correct."""
    numbers = range(len(traces))
    said = [Verdict(f"q{n}", "factuality", "wrong" if n in flagged else "correct", GRADER, confidence=0.9)
            for n in numbers if verdicts]  # fmt: skip
    return keep_run(id, [question(n) for n in numbers], traces, said, version=version or id, rubric_sha256="")


def make_versions(count: int = 6, differing: int = 4, runs: int = 1, flagged: Sequence[int] = ()) -> tuple[str, str]:
    """Two versions that answer the first questions in other words, and all others alike."""
    for version, words in (("v1", "Its colour"), ("v2", "The paint")):
        for run in range(runs):
            answers = [
                trace(n, f"{words} on door {n} is {COLOURS[n % 5]} for all I know{'!' * run} [doors#{n}].")
                if n < differing
                else trace(n)
                for n in range(count)
            ]
            make_run(f"{version}-{run}", answers, version=version, flagged=flagged)
    return "v1", "v2"


def rows() -> list[Label]:
    with Project.existing() as project:
        return project.labels()


class Server(served.Server):
    """`surefoot label` in a process of its own."""

    def __init__(self, *words: str) -> None:
        super().__init__("label", *words)
        self.url = self.origin + ROOT


@contextlib.contextmanager
def serving(*words: str) -> Iterator[Server]:
    with served.ending_well(Server(*words)) as server:
        yield server


class Reply:
    def __init__(self, found: http.client.HTTPResponse) -> None:
        self.code, self.headers = found.status, found.headers
        self.text = found.read().decode()
        self.cookies = [value.partition(";")[0] for value in found.headers.get_all("set-cookie") or []]


def ask(server: served.Server, path: str, body: object = None, **headers: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    path = path if path.startswith(("/static/", "/?token=")) else ROOT + path
    if body is None:
        connection.request("GET", path, headers=given)
    else:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, {"Content-Type": "application/json", **given})
    reply = Reply(connection.getresponse())
    connection.close()
    return reply


class Somebody:
    """A person at the look page, whose browser sends what pages send."""

    def __init__(self, server: served.Server, name: str = "") -> None:
        self._server = server
        self.headers = {"Origin": server.origin}
        if name:
            self.headers["Cookie"] = ask(server, "/name", {"name": name}, **self.headers).cookies[0]
        self.at, self.text = "", ""

    def go(self, address: str = "/") -> Somebody:
        """Open a page, and those that it leads to by itself."""
        while True:
            reply = ask(self._server, address, **self.headers)
            if reply.code != 303:
                self.at, self.text = address, reply.text
                return self
            address = reply.headers["location"].removeprefix(ROOT)

    @property
    def keys(self) -> list[str]:
        """Of the answers on the page."""
        return re.findall(r'<section class="side"[^>]* data-key="(\w+)"', self.text)

    @property
    def labels(self) -> list[str]:
        """What they are called there."""
        return re.findall(r'<section class="side"[^>]* data-label="([\w ]*)"', self.text)

    def is_second_look(self) -> bool:
        return 'data-again="1"' in self.text

    @property
    def grouped(self) -> list[str]:
        return re.findall(r'<div class="text" dir="auto" data-key="(\w+)"', self.text)

    @property
    def undoing(self) -> str:
        return self.text.partition('data-undo="')[2].partition('"')[0]

    def sent(self, *values: str) -> dict[str, Any]:
        """A label of each answer that has none yet."""
        open_ones = [key for key, label in zip(self.keys, self.labels, strict=True) if not label]
        sides = [{"key": key, "values": {"factuality": value}}
                 for key, value in zip(open_ones, values, strict=False)]  # fmt: skip
        return {"id": secrets.token_hex(16), "sides": sides, "again": self.is_second_look(),
                "settling": self.at.startswith("/settle")}  # fmt: skip

    def post(self, path: str, body: object) -> Reply:
        return ask(self._server, path, body, **self.headers)

    def say(self, *values: str) -> Somebody:
        """Label what is on the page, and go where that leads."""
        reply = self.post("/save", self.sent(*values))
        assert reply.code == 200, reply.text
        return self.go(json.loads(reply.text)["next"])

    def undo(self) -> Somebody:
        reply = self.post("/undo", {"id": self.undoing, "settling": self.at.startswith("/settle")})
        assert reply.code == 200, reply.text
        return self.go(json.loads(reply.text)["next"])
