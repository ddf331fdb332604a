"""Questions that people review or write: which comes next, what an edit changes, and what speaks against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import cast
from urllib.parse import quote, urlencode

from markupsafe import Markup
from msgspec import Struct

from surefoot.build.reading import Author
from surefoot.core.errors import UsageError
from surefoot.core.types import Expects, Passage, Question
from surefoot.datasets.hygiene import SURE, Finding
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.datasets.review import Decision, decided, edited
from surefoot.io.questions import ACCEPTED, PROPOSED, REJECTED, made_of, review_of
from surefoot.report.marked import Marks, Source, marks_of, source_key, source_of, unknown_source
from surefoot.report.prose import visible
from surefoot.web.forms import BadForm, Choice, Field, Values
from surefoot.web.pages import Queue, Sent, Shown, Words, thanks

_NEAREST, _FOUND = 5, 8
_LONGEST = 4_000
FIELDS = (
    Field("decision", "Your decision", (Choice("accepted", "a", "Accept"), Choice("rejected", "r", "Reject")),
          is_needed=True),
    Field("text", "Question", kind="text"),
    Field("expects", "A sound system", (Choice("answer", says="answers"), Choice("refusal", says="refuses"))),
    Field("claims", "A right answer says", kind="texts", when="answer"),
    Field("gold", "The answer stands here", kind="passages", when="answer"),
)  # fmt: skip


class _Done(Struct, frozen=True):
    """A decision that can be taken back as long as nobody has changed the row since."""

    number: int
    former: Question
    version: str
    stratum: str


class Questions(Queue[int]):
    """Nothing is kept here but what lies open, and what can be undone."""

    def __init__(self, file: QuestionFile, passages: Sequence[Passage]) -> None:
        super().__init__()
        self.file = file
        self._passages = {passage.id: passage for passage in passages}
        self._keys = {source_key(one): one for one in self._passages}
        self._author = Author(file, passages)
        self._done: dict[str, list[_Done]] = {}
        if not self.entries:
            raise UsageError(f"{file.path} holds no question to review", "`surefoot questions build` proposes some")
        task = "You will see one proposed question at a time, with the passages it rests on, and accept, edit or "
        self.words = Words(
            who="Who reviews?", task=f"{task}reject it.", kept="It is kept with each question you decide.",
            lost=f"The file has {len(self.entries)} questions to review.", again="Go on reviewing", option="--name",
        )  # fmt: skip

    def acts(self) -> Mapping[str, Callable[[str, Sent], dict[str, object]]]:
        return {"save": self.save, "undo": self.undo}

    def page(self, person: str, path: str, asked: Mapping[str, str]) -> Shown:
        stratum = asked.get("stratum", "")
        if not path:  # the next question; `after` is the number of the one that is skipped
            return self._onwards(person, stratum, _number(asked.get("after", "")))
        if path == "done":
            return "card.html", self._finished(person, stratum)
        if path == "search":
            found, marks = self._author.nearest(asked.get("words", ""), _FOUND), marks_of([asked.get("words", "")])
            return "found.html", {"found": [source_of(one, marks) for one in found]}
        entries, number = self.entries, _number(path)
        if path == "new":  # one that is not written yet has no version
            return "question.html", self._shown(Entry(Question("", "", "answer"), ""), person, stratum)
        if not 1 <= number <= len(entries):
            return None
        in_reach = [place for place, one in enumerate(entries, 1) if _is_in(one, stratum) or place == number]
        at = in_reach.index(number)
        left = Counter(entry.question.stratum for entry in entries if review_of(entry.question) == PROPOSED)
        return "question.html", self._shown(entries[number - 1], person, stratum) | {
            "skip": f"/?{urlencode({'stratum': stratum, 'after': number})}",
            "strata": {entry.question.stratum: left[entry.question.stratum] for entry in entries},
            "back": _address(in_reach[at - 1], stratum) if at else "",
            "forth": _address(in_reach[at + 1], stratum) if at + 1 < len(in_reach) else "",
        }  # fmt: skip

    def _shown(self, entry: Entry, person: str, stratum: str) -> dict[str, object]:
        """The passages that a question rests on; where nothing answers it, those that come nearest."""
        question, made, counts = entry.question, made_of(entry.question), self.counts(stratum)
        evidence, proposed, reviewed = (made.get(name) for name in ("evidence", "proposed", "reviewed"))
        listed = [one for one in (evidence if isinstance(evidence, list) else ()) if isinstance(one, str)]
        named = list(dict.fromkeys([*question.gold_ids, *listed]))
        near = self._author.nearest(question.text, _NEAREST) if question.text else []
        close = [passage.id for passage in near if passage.id not in named]
        marks = marks_of(question.gold_claims or (question.text,))
        before = str(proposed.get("question", "")) if isinstance(proposed, dict) else question.text
        return {
            "fields": FIELDS, "stratum": stratum, "file": self.file.path.name, "question": question, "strata": {},
            "version": entry.version, "evidence": [self._source(one, marks) for one in named or close],
            "others": [self._source(one, marks) for one in close if named],
            "gold": {*map(source_key, question.gold_ids)}, "review": str(review_of(question)),
            "reviewer": str(reviewed.get("by", "")) if isinstance(reviewed, dict) else "",
            "done": counts.total() - counts[PROPOSED], "total": counts.total(), "undo": bool(self._done.get(person)),
            "before_edits": before if before != question.text else "",
            **{name: made[name] if isinstance(made.get(name), str) else "" for name in ("why", "kind")},
        }  # fmt: skip

    def _source(self, id: str, marks: Marks) -> Source:
        return source_of(self._passages[id], marks) if id in self._passages else unknown_source(id)

    @property
    def entries(self) -> list[Entry]:
        """What was proposed, whatever became of it; other questions are nobody's to review."""
        with self.lock:
            every = self.file.entries()
        return [entry for entry in every if review_of(entry.question) in (PROPOSED, ACCEPTED, REJECTED)]

    def counts(self, stratum: str = "") -> Counter[str]:
        return Counter(str(review_of(entry.question)) for entry in self.entries if _is_in(entry, stratum))

    def _onwards(self, person: str, stratum: str = "", after: int = 0) -> str:
        """Lay the next question that nobody has decided before a person; where to go."""
        left = [(number <= after, number, entry.question.id) for number, entry in enumerate(self.entries, 1)
                if review_of(entry.question) == PROPOSED and _is_in(entry, stratum)]  # fmt: skip
        number = self.lay(person, ((number, qid) for _, number, qid in sorted(left)))
        return _address(number or "done", stratum)

    def _finished(self, person: str, stratum: str) -> dict[str, object]:
        counts, left_here = self.counts(), self.counts(stratum)[PROPOSED]
        left = counts[PROPOSED]
        told = f"Accepted: {counts[ACCEPTED]}; rejected: {counts[REJECTED]}; left: {left}."
        command = Markup(
            "Next: <code>surefoot questions lock <bdi>{}</bdi></code> keeps the questions as they are now."
        )
        title = "Somebody else has the rest" if left_here else "Nothing is left to review"
        return {
            "title": title + (f" in {visible(stratum)}" if stratum else ""),
            "undo": "last" if self._done.get(person) else "",
            "lines": [thanks(person, told), *([] if left else [command.format(visible(str(self.file.path)))])],
            "go_on": "Go on" if left else "",
        }  # fmt: skip

    def save(self, person: str, sent: Sent) -> dict[str, object]:
        """Write a decision or a new question into the file: it is on disk when this returns. What speaks against the
        words is returned instead; sent again with `anyway` they are taken all the same."""
        if len(sent.sides) != 1:
            raise BadForm("what was sent is no question", "reload the page")
        side = sent.sides[0]
        if not side.key:
            return self._add(person, side.values, sent.anyway)
        gone = BadForm("this question was changed in another window or by somebody else", "reload the page")
        found = [(number, one) for number, one in enumerate(self.entries, 1) if one.version == side.key]
        if not found:
            raise gone
        number, entry = found[0]
        decision = side.values.get("decision")
        if decision not in ("accepted", "rejected"):
            raise BadForm("this is no decision", "accept the question, or reject it")
        ids = self._keys | {source_key(one): one for one in entry.question.gold_ids}
        edit = entry.question if decision == "rejected" else edit_of(entry.question, side.values, ids)
        if decision == "accepted":
            self._author.check_edit(entry.question, edit)
        if edit != entry.question and not sent.anyway and (objections := self._objections(self._author.against(edit))):
            return {"objections": objections}
        result = decided(entry.question, cast(Decision, decision), person, edit)
        changed = self.file.change(lambda one: result if one.version == side.key else None)
        if not changed:
            raise gone
        stratum = str(side.values.get("stratum", ""))
        with self.lock:
            done = [_Done(number, entry.question, one.version, stratum) for one in changed]
            self._done.setdefault(person, []).extend(done)
        return {"next": self._onwards(person, stratum, number)}

    def undo(self, person: str, _sent: Sent) -> dict[str, object]:
        """Put back the row as it was before the last decision of a person; back to that question."""
        with self.lock:
            done = self._done.get(person)
            if not done:
                raise BadForm("there is nothing to undo since the page was started", "go back to the question with k")
            last = done[-1]
            changed = self.file.change(lambda entry: last.former if entry.version == last.version else None)
            done.pop()  # only now: a file that could not be written is tried again
        if not changed:
            raise BadForm(f"{last.former.id} was changed by somebody else since", "reload the page")
        return {"next": _address(last.number, last.stratum)}

    def _add(self, person: str, values: Values, anyway: bool) -> dict[str, object]:
        question = self._author.new(edit_of(Question("", "", "answer"), values, self._keys))
        findings = self._author.against(question)
        if not anyway and (objections := self._objections(findings)):
            return {"objections": objections}
        added = self._author.add(question, findings, person)
        return {"next": _address(next(n for n, one in enumerate(self.entries, 1) if one.question.id == added), "")}

    def _objections(self, findings: Sequence[Finding]) -> list[str]:
        """What a person should think about again. The page they see it on is the question's own."""
        told = [visible(one.message.removeprefix(f"question {one.qid!r}").lstrip(": ")) for one in findings]
        return told if any(one.confidence >= SURE for one in findings) else []


def edit_of(question: Question, values: Values, ids: Mapping[str, str]) -> Question:
    """`ids` are those of passages, by key. What was not touched stays as it was."""
    if "text" not in values:
        return question
    text, expects = _kept_words(question.text, values["text"]), str(values.get("expects"))
    if not text:
        raise BadForm("the question has no text", "write one, or reject it")
    if expects != "answer":
        stays = question.expects == "refusal"
        return edited(question, text, "refusal", *((question.gold_claims, question.gold_ids) if stays else ((), ())))
    given = values.get("claims", [])
    claims = [_kept_words(question.gold_claims[n] if n < len(question.gold_claims) else "", one)
              for n, one in enumerate(given if isinstance(given, list) else [given])]  # fmt: skip
    if unknown := [one for one in values.get("gold", ()) if one not in ids]:
        raise BadForm(f"{len(unknown)} of the passages marked are not in the corpus", "reload the page")
    gold = tuple(dict.fromkeys(ids[one] for one in values.get("gold", ())))
    edit = edited(question, text, cast(Expects, expects), tuple(dict.fromkeys(filter(None, claims))), gold)
    if edit != question and not gold:
        raise BadForm("an answer must stand in some passage", "mark the gold passage, or expect a refusal")
    if edit != question and not edit.gold_claims:
        raise BadForm("nothing says what the answer is", "write what a right answer says, or expect a refusal")
    return edit


def _kept_words(original: str, given: str | list[str]) -> str:
    """The original where a field still shows it, for a field cannot hold every character; else what was written."""
    flat = " ".join(str(given).split())
    if " ".join(visible(original).split()) == flat:
        return original
    if len(flat) > _LONGEST:
        raise BadForm(f"a field holds up to {_LONGEST:,} characters", "shorten it")
    return visible(flat)


def _number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def _address(page: int | str, stratum: str) -> str:
    return f"/{page}?stratum={quote(stratum)}" if stratum else f"/{page}"


def _is_in(entry: Entry, stratum: str) -> bool:
    return not stratum or entry.question.stratum == stratum
