"""A session in which people look at answers: what each of them has before them, what they say, and what they take back.

Another server or program may write to the same project. So labels are read anew for every page, and those that are
added are made in the very transaction that reads the ones before.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from pathlib import Path

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import records
from surefoot.core.errors import Incomplete, SurefootError
from surefoot.core.records import CANNOT_TELL, SETTLED, Drawn, Label, Value, is_ai
from surefoot.core.result import NOBODY
from surefoot.core.rubric import Rubric
from surefoot.gate.looks import FIRST_LOOKS, MORE_LOOKS, Look
from surefoot.io.labels import UNDO, Dispute, Past, Said, dated, disputes
from surefoot.jobs.gate import SECONDS_A_KEY, gate
from surefoot.jobs.looks import LookList, Outlook
from surefoot.report.marked import View, compared, says, view_of
from surefoot.report.prose import visible
from surefoot.store import Project
from surefoot.web.forms import BadForm, Field, applying, read, says_cannot_tell
from surefoot.web.pages import Queue, Sent, SentSide, Shown, Words, thanks

_PACE_KNOWN = 10  # keys
_LONGEST_PAUSE = 120.0  # seconds: who needs longer was away
_LOOKS_BETWEEN = 5  # before a person sees again what they called bad
_LONGEST_NOTE = 2_000


class Side(Struct, frozen=True):
    """One answer as a page shows it."""

    key: str
    view: View
    fields: list[Field]
    label: str  # what it is called already
    said: Said  # by the person before the page
    group: tuple[tuple[str, Markup], ...]  # others that are labelled with it


class Progress(Struct, frozen=True):
    seen: int
    goal: int
    beyond: int  # what there is beyond the goal
    left: int  # looks that this person has before them, second ones too
    minutes: int
    by_ai_alone: int
    disputes: int
    undo: str  # what the person sent last


class _Now(Struct):
    """Everything that was said so far, as one person may know it."""

    rows: list[Label]
    past: Past
    outlook: Outlook


class Looks(Queue[Look]):
    def __init__(
        self, looks: LookList, rubric: Rubric, fields: Sequence[Field], project: Project, db: str | None,
        guidelines: Markup | None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.looks, self.rubric, self.fields, self.project, self._db = looks, rubric, fields, project, db
        project.database.check_writable()
        self._guidelines = guidelines
        what = "two answers to a question" if looks.is_of_two else "one answer at a time"
        task = f"You will see {what}, with the passages behind them, and say which bucket each belongs in."
        self.words = Words(
            who="Who looks?", task=f"{task} What a grader thinks is shown only afterwards.", again="Go on looking",
            kept="It is kept with each of your labels. Use the same name each time.", option="--annotator",
            lost="What you looked at is kept.",
        )  # fmt: skip
        self.verdict = ""  # what the gate would say
        self._pace: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)  # seconds and keys
        self._told: dict[str, str] = {}
        drawn: dict[str, Drawn] = {look.keys[0]: look.drawn for look in looks.order}
        self._drawn: dict[str, Drawn] = {key: drawn.get(key, "look") for key in looks.answers}
        self._labels: tuple[int, list[Label], dict[bool, Outlook]] = -1, [], {}  # by whether labels of AIs count
        self._files = _files_of(project.database.file)
        self._view = lru_cache(maxsize=200)(self._make_view)
        self._says = lru_cache(maxsize=5_000)(lambda key: says(looks.answers[key].item))
        self._go_on("", Sent())
        self._judged = self._now("").outlook.seen, -1  # pairs that were looked at, and rows

    def acts(self) -> Mapping[str, Callable[[str, Sent], dict[str, object]]]:
        return {"save": self.save, "undo": self.undo, "more": self._go_on, "gate": self._ask_gate}

    def page(self, person: str, path: str, _asked: Mapping[str, str]) -> Shown:
        if not path:
            look = self._next(person)
            return f"/{name_of(look.keys)}" if look else "/done"
        if path == "done":
            return "card.html", self._done(person)
        if path == "settle":
            return "settle.html", {"entries": self.disputes(), "answers": self.looks.answers, "fields": self.fields}
        name = path.removeprefix("settle/")
        if (look := self._named(name)) is None:
            return None
        page = self._look(person, look, settling=name != path)
        shared = {"names": self.looks.names, "fields": self.fields, "guidelines": self._guidelines}
        return ("look.html", {"page": page, **shared}) if page else "/settle"

    def _done(self, person: str) -> dict[str, object]:
        progress, of = self.progress(person), "pairs that differ" if self.looks.is_of_two else "answers"
        is_done = progress.seen >= progress.goal
        lines = [] if is_done else [f"{progress.seen} of {progress.goal} {of} are looked at; others have the rest."]
        lines.append(thanks(person, "Everything is kept in the project."))
        if progress.by_ai_alone:
            lines.append(f"AI annotators alone looked at {progress.by_ai_alone}; these do not count here.")
        if not self.looks.is_of_two:
            lines.append(Markup("<code>surefoot calibrate</code> says how far the grader can be trusted."))
        return {
            "title": f"Done: {progress.seen} {of} looked at" if is_done else "Nothing is left for you", "lines": lines,
            "post": f"Look at more ({progress.beyond} left)" if progress.beyond > 0 else "", "undo": progress.undo,
            "disputes": progress.disputes, "asks_gate": self.looks.is_of_two, "verdict": self.verdict,
        }  # fmt: skip

    def _now(self, person: str, *, settling: bool = False) -> _Now:
        """Read all labels by this rubric, unless none was added since. An AI's does not spare people their looks."""
        self.check()
        count = self.project.counts()["verdicts"]
        if self._labels[0] != count:
            found = self.project.labels(keys=self.looks.answers)
            self._labels = count, [row for row in found if row.rubric_sha256 in ("", self.rubric.sha256)], {}
        _, rows, outlooks = self._labels
        if is_ai(person) not in outlooks:
            words = records.agreed_words(row for row in rows if is_ai(person) or not is_ai(row.annotator))
            mine = {key: word for (key, axis), word in words.items() if axis == self.fields[0].name}
            outlooks[is_ai(person)] = self.looks.outlook(mine)
        return _Now(rows, Past(rows, SETTLED + person if settling else person), outlooks[is_ai(person)])

    def check(self) -> None:
        """A file that was deleted can still be written to by those who have it open, and all of it is lost."""
        if any(_identity(path) != known for path, known in self._files.items()):
            message = f"the database {self.project.name} was deleted or replaced while the page was open"
            raise Incomplete(message, "what was saved is where it went: put it back, or start `surefoot label` again")

    def _go_on(self, _person: str, _sent: Sent) -> dict[str, object]:
        """Set the goal: as far as the gate, or whoever started this, wants people to look next."""
        now = self._now("").outlook
        self.goal = min(now.total, now.seen + now.step)
        return {"next": "/"}

    def _next(self, person: str) -> Look | None:
        """Lay the next look before a person; None when nothing is left for them for now.

        Others may be labelling a whole group: what they have open is a question.
        """
        return self.lay(person, ((one, self._asks(one)) for one in self._waiting(self._now(person))))

    def _asks(self, look: Look) -> str:
        return self.looks.answers[look.keys[0]].item.question.id

    def _waiting(self, now: _Now) -> Iterator[Look]:
        """What one person should look at, first things first, up to the goal."""
        outlook, newest, axis = now.outlook, now.past.newest, self.fields[0].name
        mine = [one for key, one in outlook.again.items() if (key, axis) in newest]
        yield from (one for one in mine if now.past.looks_since(one.keys[0]) >= _LOOKS_BETWEEN)
        left = self.goal - outlook.seen
        for one in outlook.left:
            row = None if self.looks.is_of_two else newest.get((one.keys[0], axis))
            if row is None or not records.is_word(row):
                left -= not one.shared or one.keys[0] not in outlook.words
                if left >= 0:
                    yield one
        yield from (*outlook.others, *mine, *outlook.again.values())

    def _named(self, name: str) -> Look | None:
        """The look of an address."""
        known = {key[:16]: key for key in self.looks.answers}
        keys = tuple(sorted(known.get(part, "") for part in name.split("-")))
        return Look(keys) if len(keys) < 3 and all(keys) else None

    def _look(self, person: str, look: Look, *, settling: bool) -> dict[str, object] | None:
        """Two answers in an order of this person's own; None where there is nothing to settle.

        Neither the page nor its address tells that it is a second look.
        """
        now, answers = self._now(person, settling=settling), self.looks.answers
        words, past = now.outlook.words, now.past
        dispute = next((one for one in self.disputes(now.rows) if one.key == look.keys[0]), None) if settling else None
        if settling and dispute is None:
            return None
        is_second = not settling and self.before(person) == replace(look, drawn="again")
        again = is_second and look.keys[0] in now.outlook.again
        keys = sorted(look.keys, key=lambda key: hashlib.sha256(f"{person}\0{key}\0{look.keys}".encode()).digest())
        shown, sides = {*keys}, []
        for at, key in enumerate(keys):
            said, text = Said("", {}, "") if again else past.said(key), answers[key].item.trace.answer or ""
            # Of one version, people who label the same answer are not to know what the others say.
            word = words.get(key) if said.values or (not again and (settling or self.looks.is_of_two)) else None
            is_open = word is None or (settling and word.disputed)
            label = "" if word is None or is_open else str(word.pending or word.value or CANNOT_TELL)
            others = () if settling or label else self._alike(key, now.outlook, again)
            alike = [one for one in others if one not in shown]
            shown |= {*alike}
            view = self._view(key, next((one for one in keys if one != key), ""), "ab"[at])
            group = tuple((one, compared(answers[one].item.trace.answer or "", text)) for one in alike)
            sides.append(Side(key, view, self._asked(view, again), label, said, group))
        with self.lock:
            told = self._told.pop(person, "")
        seen, judged = now.outlook.seen, self._judged[0]
        wants_verdict = self.looks.is_of_two and seen >= FIRST_LOOKS and seen // MORE_LOOKS > judged // MORE_LOOKS
        at = next((n for n, name in enumerate(past.kept) if past.keys(name) == look.keys), len(past.kept))
        back = f"/{name_of(past.keys(past.kept[at - 1]))}" if at else ""
        return {
            "question": answers[keys[0]].item.question, "sides": sides, "progress": self.progress(person, now),
            "again": again, "back": back, "told": told, "verdict": self.verdict, "wants_verdict": wants_verdict,
            "dispute": dispute,
        }  # fmt: skip

    def _make_view(self, key: str, beside: str, anchor: str) -> View:
        answers = self.looks.answers
        return view_of(answers[key].item, answers[beside].item.trace.answer if beside else None, anchor)

    def _asked(self, view: View, again: bool) -> list[Field]:
        return list(self.fields[:1]) if again else applying(self.fields, cites=view.cites, refused=view.refuses)

    def _alike(self, key: str, now: Outlook, again: bool) -> Iterator[str]:
        """Other answers to the question that wait for the same look, and say the same as far as a program sees.

        Of one version there are none: chance drew one of them, and not the others.
        """
        for one in self.looks.readings.get(self.looks.answers[key].item.question.id, ()):
            waits = one.key in now.again if again else one.key not in now.words
            if one.key and one.key != key and waits and self._says(one.key) == self._says(key):
                yield one.key

    def progress(self, person: str, given: _Now | None = None) -> Progress:
        """How far everybody has come, and how long it will take this person at their own pace."""
        now, pace = given or self._now(person), self._pace[person]
        seen, keys = now.outlook.seen, sum(count for _, count in pace)
        each = sum(seconds for seconds, _ in pace) / keys if keys >= _PACE_KNOWN else SECONDS_A_KEY
        waiting = {*self._waiting(now)}
        left = {key for one in waiting for key in one.keys if one.drawn != "look" or key not in now.outlook.words}
        return Progress(
            seen, max(self.goal, seen), now.outlook.total - max(self.goal, seen), len(waiting),
            ceil(len(left) * each / 60), self._now(records.AI).outlook.seen - seen,
            sum(one.is_open for one in self.disputes(now.rows)), now.past.kept[-1] if now.past.kept else "",
        )  # fmt: skip

    def save(self, person: str, sent: Sent) -> dict[str, object]:
        """Keep what was sent. It is in the database when this returns."""
        who = SETTLED + person if sent.settling else person
        if not re.fullmatch(r"[0-9a-f]{32}", sent.id) or not sent.sides:
            raise BadForm("what was sent has no name that a page would give it", "reload the page")
        given = [(side, *self._read(side, sent)) for side in sent.sides]
        keys = {key for side in sent.sides for key in (side.key, *side.also)}

        def rows_of(known: list[Label]) -> Iterator[Label]:
            past, sending = Past(known, who), sent.id
            if sending in past.sent:
                # A page whose reply was lost sends the same again, and does not know whether it was taken back since.
                if sending + UNDO not in past.sent:
                    return
                sending = secrets.token_hex(16)
            for place, (side, fields, values, note) in enumerate(given):
                for number, key in enumerate((side.key, *side.also)):
                    for field in fields[:1] if number else fields:
                        said = values.get(field.name), note if field.is_needed else ""
                        old = past.newest.get((key, field.name))
                        if sent.again or said != ((old.value, old.note) if old else (None, "")):
                            way = "chosen" if sent.settling else "again" if sent.again and old else self._drawn[key]
                            id = f"{sending}:{place}{f'.{number}' if number else ''}:{field.name}"
                            answer = self.looks.answers[key]
                            yield Label(
                                id=id, at="", annotator=who, question_id=answer.item.question.id, axis=field.name,
                                attempt=answer.item.trace.attempt, value=said[0], note=said[1], version=key, drawn=way,
                                run=answer.run, rubric_sha256=self.rubric.sha256,
                                subject=str(answer.item.trace.subject or ""),
                            )  # fmt: skip

        self._write(keys, who, rows_of)
        with self.lock:
            self._pace[person].append((min(self.taken_up(person), _LONGEST_PAUSE), len(given)))
            if self.fields[0].name == "factuality" and not sent.settling:
                words = [str(values.get("factuality", CANNOT_TELL)) for _, _, values, _ in given]
                graded = [self.looks.answers[side.key].graded or "nothing" for side in sent.sides]
                self._told[person] = f"You said {' and '.join(words)}; the grader said {' and '.join(graded)}."
        return {"next": "/settle" if sent.settling else "/"}

    def _read(self, side: SentSide, sent: Sent) -> tuple[list[Field], dict[str, Value], str]:
        """Return what is asked of an answer, what was said, and why."""
        if not {side.key, *side.also} <= self.looks.answers.keys():
            raise BadForm("this page is of an answer that is not here any more", "reload the page")
        fields = self._asked(self._view(side.key, "", "a"), sent.again)
        unsure, note = says_cannot_tell(fields, side.values), " ".join(visible(side.note).split())[:_LONGEST_NOTE]
        if unsure and sent.settling:
            raise BadForm("a settled answer has a label", "choose one, or leave it open")
        return fields, read(fields, side.values), records.cannot_tell_because(note) if unsure else note

    def undo(self, person: str, sent: Sent) -> dict[str, object]:
        """Take back what a person sent last, by new rows with the values of before; back to that look."""
        sending, settling = sent.id, sent.settling
        who = SETTLED + person if settling else person
        past = self._now(person, settling=settling).past
        if sending not in past.sent:
            raise BadForm("there is nothing to take back", "reload the page")

        def rows_of(known: list[Label]) -> Iterable[Label]:
            now = Past(known, who)
            if sending + UNDO not in now.sent and past.kept[-1:] != [sending]:
                raise BadForm("you have saved something since, in another tab", "reload the page")
            return now.taking_back(sending)

        self._write({row.version for row in past.sent[sending]}, who, rows_of)
        look = Look(past.keys(sending), "again" if past.sent[sending][0].drawn == "again" else "look")
        with self.lock:
            self._told.pop(person, None)
            if not settling:
                self.hold(person, look, self._asks(look))
        return {"next": f"{'/settle' if settling else ''}/{name_of(look.keys)}"}

    def _write(self, keys: set[str], who: str, rows_of: Callable[[list[Label]], Iterable[Label]]) -> None:
        self.check()
        self.project.add_new_labels(keys, lambda known: dated(list(rows_of(known)), known, who))
        self.check()

    def disputes(self, given: Sequence[Label] | None = None) -> list[Dispute]:
        return disputes(self._now("").rows if given is None else given)

    def _ask_gate(self, _person: str, _sent: Sent) -> dict[str, object]:
        """Return what the gate would say now; nothing is kept of it."""
        now = self._now("").outlook.seen, self._labels[0]
        if self._judged != now:
            self._judged = now
            try:
                found = gate(*self.looks.names, db=self._db, keep=False, person=NOBODY)
                self.verdict = f"The gate would say {found.outcome} now: {found.headline}"
            except SurefootError as error:
                self.verdict = f"The gate cannot decide now: {error.message}"
        return {"says": visible(self.verdict)}


def name_of(keys: Sequence[str]) -> str:
    """What a look is called in its address."""
    return "-".join(key[:16] for key in keys)


def _files_of(file: Path | None) -> dict[Path, tuple[int, int]]:
    """The file of a project, and the log beside it that holds what was written last."""
    paths = (file.absolute(), Path(f"{file.absolute()}-wal")) if file else ()
    return {path: found for path in paths if (found := _identity(path))}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
