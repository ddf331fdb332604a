"""Starting and stopping the review page: a question file, and the corpus it was made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.question_file import QuestionFile
from surefoot.io.questions import PROPOSED
from surefoot.report.words import counted
from surefoot.review.app import app_for
from surefoot.review.desk import Desk
from surefoot.services.result import READER, Person
from surefoot.web.guard import Guard, is_local
from surefoot.web.pages import checked_name
from surefoot.web.serve import UNENCRYPTED, address, bound, checked_token, serve


class Opened(Struct, frozen=True):
    """The review page, ready to be used."""

    url: str
    file: str
    reviewed: int
    total: int


def serve_review(
    file: Path,
    announce: Callable[[Opened], None],
    *,
    corpus: Path,
    name: str | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    person: Person = READER,
) -> None:
    """Serve the review page of a question file until Ctrl-C. `announce` is called when it is ready."""
    named = checked_name(name)
    secret = checked_token(host, token)
    desk = Desk(QuestionFile(file), load_corpus(corpus, tell=person.tell))
    with bound(host, port) as listening:
        if not is_local(host):
            person.tell(f"note: {UNENCRYPTED}")
        progress = desk.progress()
        url = address(host, listening.getsockname()[1], secret)
        app = Guard(app_for(desk, name=named), host, secret)
        serve(app, listening, announce=lambda: announce(Opened(url, str(file), progress.decided, progress.total)))
    counts = desk.counts()
    left = counted(counts[PROPOSED], "question")
    person.tell(f"note: {counts['accepted']} accepted, {counts['rejected']} rejected, {left} left; all is in {file}")
