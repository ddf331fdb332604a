"""Questions worth keeping, proposed from a log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from surefoot.build.from_log import Logged, proposals, wanted_of
from surefoot.build.proof import Proof
from surefoot.core.errors import check_number
from surefoot.core.result import READER, Person, tell_problems
from surefoot.core.types import Item, Question
from surefoot.core.words import counted
from surefoot.graders.grader import Graded
from surefoot.io.questions import row_of
from surefoot.services.grade import DEFAULT
from surefoot.services.graders import Reader, open_grader, read_watched
from surefoot.services.logs import read_log
from surefoot.services.passage_texts import PassageTexts
from surefoot.services.settings import Settings
from surefoot.text.normal import normalise

MOST = 100


def proposals_from_log(
    traces: str | Path | Sequence[str | Path],
    corpus: str | Path | None = None,
    most: int = MOST,
    known: Collection[str] = (),
    *,
    grader: str | Reader = DEFAULT,
    settings: Settings | None = None,
    mapping: Mapping[str, str] | None = None,
    person: Person = READER,
) -> list[dict[str, Any]]:
    """Rows of a question set, to be reviewed: questions of a log that were answered badly or refused, or that nobody
    else asked, each once, the worst first.

    Whether a question can be answered is looked up in the corpus; without one, in what was retrieved for it, and where
    the log has no text of that, the question is left out. So are those whose normalised text is `known`.
    """
    check_number("most", most, 1)
    chosen = open_grader(grader, settings, person=person)
    texts = PassageTexts.of(corpus, person.tell)
    log = read_log([traces] if isinstance(traces, (str, Path)) else traces, mapping, texts)
    for problems in (log.notes, log.problems, texts.problems() if texts else []):
        tell_problems(problems, person.tell)
    by_id = {question.id: question for question in log.questions}
    graded = read_watched(chosen, [Item(by_id[str(trace.question_id)], trace) for trace in log.traces], person)
    _tell_open(graded, person)
    new = [one for one in wanted_of(graded) if normalise(one.question.text) not in known]
    wanted = new if texts else _provable(new, person)
    if len(wanted) > most:
        person.tell(f"note: the {most} questions with the worst answers are proposed, of {len(wanted)}")
    watch = person.watch(min(most, len(wanted)), "proposed")
    with closing(watch):
        proof = Proof(texts.passages) if texts else None
        found = list(proposals(wanted[:most], proof, lambda one: watch.count(one.trace)))
    _tell_unnamed(found, person)
    return [row_of(one) for one in found]


def _provable(wanted: Sequence[Logged], person: Person) -> list[Logged]:
    """Without a single text to read, nothing is known of an answer."""
    found = [one for one in wanted if one.retrieved]
    if left := len(wanted) - len(found):
        why = "the log has no text of a passage to look for an answer in; give the corpus as well"
        person.tell(f"note: {counted(left, 'question')} left out: {why}")
    return found


def _tell_unnamed(found: Sequence[Question], person: Person) -> None:
    if left := sum(one.answerable and not one.gold_ids for one in found):
        why = "the log has no id of the passage that answers; give the corpus as well"
        person.tell(f"note: {counted(left, 'question')} without gold ids: {why}")


def _tell_open(graded: Sequence[Graded], person: Person) -> None:
    if left := sum(one.bucket is None for one in graded):
        person.tell(f"note: {counted(left, 'answer')} could not be graded, and nothing is proposed for them")
