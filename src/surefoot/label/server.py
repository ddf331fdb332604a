"""Starting and stopping the label page: runs, a rubric, a queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from markupsafe import Markup
from msgspec import Struct

from surefoot.core import rubric as rubrics
from surefoot.core.errors import UsageError, words_of
from surefoot.core.files import printable
from surefoot.core.result import NOBODY, Person, Tell
from surefoot.core.words import counted, plain
from surefoot.io.labels import names_a_grader
from surefoot.label.app import app_for
from surefoot.label.desk import Desk
from surefoot.label.form import fields_of
from surefoot.report.prose import plain_markdown, visible
from surefoot.services.label_queue import queue_of
from surefoot.services.runs import Name, graders_of
from surefoot.services.runs import opened as opened_runs
from surefoot.store import Project, Run
from surefoot.web.pages import checked_name
from surefoot.web.serve import opened

GUIDELINES = "guidelines.md"


class Opened(Struct, frozen=True):
    """The label page, ready to be used."""

    url: str
    run: str
    db: str
    target: int
    labelled: int
    queue: dict[str, int]  # answers, by how they were drawn


def serve_page(
    names: Sequence[Name],
    announce: Callable[[Opened], None],
    *,
    annotator: str | None,
    target: int,
    overlap: float,
    axes: Sequence[str],
    rubric: str | None,
    only_gate: bool,
    guidelines: Path | None,
    host: str,
    port: int | None,
    token: str | None,
    db: str | None,
    person: Person,
) -> None:
    """Serve the label page of some runs until Ctrl-C. `announce` is called when it is ready."""

    def note(words: str) -> None:
        person.tell(f"note: {plain(words, 500)}")

    words = guidelines_in(guidelines)
    with opened_runs(names, db) as (project, runs), opened(host, port, token, person.tell) as door:
        name = _name_of_a_person(annotator, runs[-1])
        chosen = _rubric(runs[-1], rubric, note)
        queue = queue_of(project, runs, target=target, overlap=overlap, only_gate=only_gate)
        desk = Desk(queue, chosen, fields_of(chosen, axes), project)
        for told in queue.notes:
            note(told)
        page = Opened(
            door.url, queue.run, project.name, desk.target, desk.progress("").together,
            Counter(place.drawn for place in queue.places),
        )  # fmt: skip
        door.serve(app_for(desk, annotator=name, guidelines=words), lambda: announce(page))
        desk.labels.check()
        done = counted(desk.progress("").together, "answer")
        note(f"{done} labelled, {desk.target} wanted; the labels are in {project.name}")


def desk_of(run: Run, project: Project) -> Desk:
    """As the command sets it up where it is told nothing else."""
    chosen = _rubric(run, None, NOBODY.tell)
    return Desk(queue_of(project, [run]), chosen, fields_of(chosen), project)


def _name_of_a_person(given: str | None, run: Run) -> str:
    name = checked_name(given)
    if name and names_a_grader(name, graders_of(run)):
        raise UsageError(f"{name!r} is the name of a grader, and labels are by people", "write the name of a person")
    return name


def guidelines_in(given: Path | None = None) -> Markup | None:
    """How this project wants answers to be labelled: Markdown, from the file named or from one beside the work."""
    path = given or Path(GUIDELINES)
    if given is None and not path.is_file():
        return None
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the guidelines {printable(path)} cannot be read: {words_of(error)}", "write Markdown in UTF-8"
        ) from error
    return plain_markdown(visible(text)) if text.strip() else None


def _rubric(run: Run, given: str | None, note: Tell) -> rubrics.Rubric:
    """The rubric asked for, or the run's own; labels by another one could not be held against its verdicts."""
    chosen = rubrics.read(given or run.manifest.rubric or rubrics.DEFAULT)
    if run.manifest.rubric_sha256 not in ("", chosen.sha256):
        note(f"the run was graded by another rubric than this {chosen.name}: the labels will not fit its verdicts")
    return chosen
