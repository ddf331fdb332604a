"""The words of a question: its document named, and the same thing not always asked in the same way.

A language model may reword it. That is taken only if it names what the question names and nothing else, has none of the
answer's own words, and the documents say nothing against it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from surefoot.build.asking import THIS, THIS_DOCUMENT
from surefoot.build.reading import Reader
from surefoot.core.errors import Incomplete
from surefoot.core.result import Person, Seen
from surefoot.core.types import Question, counted
from surefoot.corpus.passages import Row
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.io.questions import made_of
from surefoot.models.seam import Model, Prompt
from surefoot.text.normal import vocabulary, words_of
from surefoot.text.numbers import quantities

_IN = words_of("documents")["naming"]
_MANY = {"does": "do", "is": "are", "has": "have", "was": "were"}
_SHORT = 14  # words, with which a question can bear its document at the end
_VARIANTS = (
    (re.compile(r'What does "(.+?)" mean\?'), ('What does "{0}" mean?', 'How is "{0}" defined?')),
    (
        re.compile(r"Which state's or country's law governs (.+)\?"),
        ("Which state's or country's law governs {0}?", "Which law governs {0}?", "What is the governing law of {0}?"),
    ),
)
_TASK = (
    "Reword the question below the way somebody who works with these documents would ask it. Keep the meaning, every "
    "name, every number and the document it is about. Do not answer it and add nothing. Reply with one question.\n\n"
)
_KEPT = re.compile(r"\b[A-Z][\w&-]+|\d[\d,.]*\d|\d|[\"“][^\"”]+[\"”]")
_OPENING = re.compile(
    r"(?:what|which|how|within|must|may|for|does|do|is|are|upon|under|in|when|where|by|who|why|has)\b", re.I
)
_LONGER = 1.5
_LONGEST_REPLY = 200  # tokens
Chosen = TypeVar("Chosen")


def pick(key: str, choices: Sequence[Chosen]) -> Chosen:
    """The same for the same key."""
    return choices[int(hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8], 16) % len(choices)]


def worded(asks: str, name: str, key: str) -> str:
    """The question, with its document named where there are several."""
    text = _varied(asks, key)
    if re.match(r"[^,]*?\w[^\Wsiu]s(?= (?:of|for|to|in|with|between)\b| \d|$)", name):
        for one, many in (*_MANY.items(), *((one.capitalize(), many.capitalize()) for one, many in _MANY.items())):
            text = re.sub(rf"\b{one} {THIS}", f"{many} {THIS}", text)
    if THIS in text:
        first, _, others = text.partition(THIS)
        return f"{first}{name or 'the document'}{others.replace(THIS, 'it')}"
    if not name:
        return text
    preposition = naming(name)
    if preposition in ("under", "at") and len(text.split()) <= _SHORT and pick(f"{key} end", (True, False)):
        return f"{text.rstrip('?')} {preposition} {name}?"
    return f"{preposition.capitalize()} {name}, {lowered(text)}"


def naming(name: str) -> str:
    return next((word for word, pattern in _IN.items() if re.search(pattern, name)), "for")


def inside_of(claim: str, around: str) -> str:
    """A sentence as it stands within another."""
    text = THIS_DOCUMENT.sub(THIS, claim.rstrip("."))
    first = re.escape(text.partition(" ")[0])
    is_name = re.search(rf"(?<!\S)(?:The|[a-z]\w*)[,;]? {first}\b|\b{first} [A-Z\d]", around) or not re.match(
        "[A-Z][a-z]* [a-z]|A ", text
    )
    is_plain = re.match(r"(?:The|A|An|Each|Either|All|Any|If|You|Your|In)\b", text)
    return f"{text[0].lower()}{text[1:]}" if is_plain or not is_name else text


def _varied(asks: str, key: str) -> str:
    asks = re.sub(r"(?i)\b(should|can|may|must|do|will|if|when|that|before|after) you\b", r"\1 I", asks)
    asks = asks if re.search(r"\byou\b", asks) else re.sub(r"\byour(self)?\b", r"my\1", asks)  # whoever asks is meant
    for pattern, forms in _VARIANTS:
        if found := pattern.fullmatch(asks):
            return pick(key, forms).format(*(group or "" for group in found.groups()))
    return asks


def lowered(text: str) -> str:
    return text if text[:2].isupper() else f"{text[0].lower()}{text[1:]}"


@contextmanager
def filling(file: QuestionFile, person: Person) -> Iterator[None]:
    """Every question is written as soon as it is made; whoever interrupts is told what is there."""
    try:
        yield
    except KeyboardInterrupt:
        found = len(file.questions())
        kept = f"{file.path} keeps its {counted(found, 'question')}" if found else "no question was made yet"
        person.tell(f"note: {kept}; give the same command again for the rest")
        raise


def reword(file: QuestionFile, waiting: Sequence[Question], model: Model, person: Person, rows: Sequence[Row]) -> None:
    """Let a model word these questions of a file; a wording that loses a name, a number or its proof is not taken."""
    kept, failed, reader = 0, list[tuple[str, str]](), Reader([row.passage for row in rows])
    prompts = [Prompt(f"{_TASK}{question.text}", longest=_LONGEST_REPLY) for question in waiting]
    with filling(file, person), closing(person.watch(len(waiting), "wordings")) as watch:
        for place, reply in model.complete_all(prompts):
            watch.count(Seen(reply.error or None))
            text = reworded(waiting[place].text, reply.text, " ".join(waiting[place].gold_claims))
            text = text if text and reader.proves(replace(waiting[place], text=text)) else None
            kept += text is None
            failed += [(reply.error, reply.hint)] if reply.error else []
            if text is not None:
                file.change(partial(_with_words, waiting[place].id, text, model.name))
    person.tell_causes(failed)
    if len(failed) == len(waiting):
        raise Incomplete("no question was worded anew: the model did not answer", "the file has them as they were made")
    if kept:
        why = "what came back was no other wording of it, gave the answer away, or was not proven"
        person.tell(f"note: {counted(kept, 'question')} kept the words of the template: {why}")


def _with_words(qid: str, text: str, model: str, entry: Entry) -> Question | None:
    question = entry.question
    made = {**made_of(question), "by": model, "template": question.text}
    return replace(question, text=text, metadata={**question.metadata, "made": made}) if question.id == qid else None


def reworded(question: str, reply: str, claims: str = "") -> str | None:
    """The reply as a question, or None where it is none, is another, or has words of its answer."""
    text = " ".join(reply.strip().strip('"“”').split())
    kept = [name for name in _KEPT.findall(question) if not _OPENING.fullmatch(name)]
    is_whole = text.endswith("?") and text.count("?") == 1 and len(text) <= _LONGER * len(question)
    adds_names = any(name.lower() not in question.lower() for name in _KEPT.findall(text.partition(" ")[2]))
    adds_figures = any(not any(one.agrees(known) for known in quantities(question)) for one in quantities(text))
    tells = vocabulary(claims) & (vocabulary(text) - vocabulary(question))
    is_same = is_whole and all(name.lower() in text.lower() for name in kept)
    return text if is_same and not (adds_names or adds_figures or tells) else None
