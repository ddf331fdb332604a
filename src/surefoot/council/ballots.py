"""A reviewer's raw text becomes a ballot, an abstention, or is void. Nothing is read out of prose.

A ballot is the last JSON block that scores a known answer on the rubric; a plain number beside, or an overall score
alone, is a holistic one. Without one, plain numbers for answers are taken as a holistic ballot. Both are marked. A text
without either abstains if it refuses, and is void otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.rubric import LOWEST, Rubric, read_lowest, read_score
from surefoot.core.types import plain
from surefoot.text import jsonblocks, refusals
from surefoot.text.jsonblocks import Block

_FORM = re.compile(r"[\W_]*(?:(?:response|answer)(?:[\W_]+|(?=[0-9])))?(.*?)[\W_]*", re.DOTALL)
# Declining to review, which answers to questions do not do.
_DECLINES = re.compile(
    r"\bI(?:['’]m| am)? (?:will not|won['’]t|can ?not|can['’]t|do not|don['’]t|(?:not able|unable|decline|refuse) to)"
    r" (?:\w+ ){0,2}?(?:review|evaluate|score|rate|rank|judge|assess|grade|compare)\b",
    re.IGNORECASE,
)
_OPENING = 300  # characters within which a reviewer declines
_LONGEST_NOTE, _LONGEST_QUOTE = 2_000, 43
_MOST_BLOCKS = 500  # of JSON in a review that are looked for in answers
_LABELLED = ("response", "answer", "label", "id", "name")  # what names the answer of an evaluation in a list
_NESTED = ("scores", "ratings", "dimensions")  # under which the dimensions of one answer may stand
_VALUES = ("score", "rating", "value")  # of a dimension, beside its reasons
_OVERALL = ("overall", "score", "rating", "overall score", "overall_score", "total", "holistic")
_UNSCORED = frozenset({"", "n/a", "na", "n.a.", "not applicable", "not scored", "null", "-"})  # written for null
_NO_CODE = "the ballot does not carry the code that the reviewer was given"


class Answer(Struct, frozen=True):
    label: str = ""
    model: str = ""
    text: str = ""


class Review(Struct, frozen=True):
    """`text` is whatever came back: a reviewer that sends something else spoils its own ballot only."""

    reviewer: str
    text: object = None
    shown: tuple[str, ...] = ()  # the order in which the reviewer saw the answers, where it is known
    code: str = ""  # that the ballot must carry, where the reviewer was given one
    error: str = ""  # why there is no text


class Evaluation(Struct, frozen=True):
    """One answer in a ballot: the dimensions that can be read, and what stood in place of others."""

    scores: dict[str, float] = {}
    unread: dict[str, str] = {}


class Ballot(Struct, frozen=True):
    reviewer: str
    evaluations: dict[str, Evaluation] = {}
    holistic: dict[str, float] = {}  # one number for an answer, where the reviewer left the rubric aside
    notes: dict[str, str] = {}  # the reviewer's reasons, by answer
    problems: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


class Void(Struct, frozen=True):
    reviewer: str
    reason: str


class Abstained(Void, frozen=True):
    """A reviewer that declined."""


class Labels:
    """Known labels, and how they may be written: "Response A", "response a" and "A" are one."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.names = list(labels)
        forms = Counter(map(form_of, self.names))
        self._by_form = {form_of(name): name for name in self.names if forms[form_of(name)] == 1}

    def find(self, written: object) -> str | None:
        if not isinstance(written, str):
            return None
        return written if written in self.names else self._by_form.get(form_of(written))

    def sort(self, entries: Mapping[str, object], *, name_others: bool = True) -> tuple[dict[str, object], list[str]]:
        """The entries under known labels, and what is wrong with the others.

        Two entries for one answer leave it unscored: nobody can know which one was meant.
        """
        by_label: dict[str | None, list[str]] = {}
        for written in entries:
            by_label.setdefault(self.find(written), []).append(written)
        others = by_label.pop(None, [])
        problems = [f"{plain(written, _LONGEST_QUOTE)} is no label of an answer" for written in others if name_others]
        problems += sorted(f"{label} is scored twice, so not at all" for label, keys in by_label.items() if keys[1:])
        return {str(label): entries[keys[0]] for label, keys in by_label.items() if not keys[1:]}, problems


def form_of(label: str) -> str:
    folded = label[:200].casefold()
    match = _FORM.fullmatch(folded)
    return match[1] if match and match[1] else folded


def read(review: Review, answers: Sequence[Answer], rubric: Rubric, use_rubric: bool = True) -> Ballot | Void:
    """What a review says about the answers. JSON blocks that it has from an answer are left out, and named.

    A code is known to the reviewer and not to the answers. Blocks that carry it as "ballot" go before all others, and
    one with another code never counts; without any, the reviewer has forgotten it, which is marked.
    """
    text, known = review.text, Labels(answer.label for answer in answers)
    if not isinstance(text, str) or not text.strip():
        return Void(review.reviewer, review.error or "the review is empty, or not a text")
    text, copied = _own_words(text, answers)
    blocks = [_unwrapped(block) for block in jsonblocks.blocks(text)]
    codes = dict.fromkeys((review.code or None, None))
    for code, by_rubric, block in product(codes, (use_rubric, not use_rubric), reversed(blocks)):
        found = _scored(block, known, rubric, by_rubric) if block.get("ballot") == code else None
        if found is not None:
            forgotten = [_NO_CODE] if review.code and not code else []
            problems = (*found.problems, *forgotten, *copied)
            return replace(found, reviewer=review.reviewer, problems=problems, shown=review.shown)
    if refusals.detect(text).value == "refused" or _DECLINES.search(text, 0, _OPENING):
        return Abstained(review.reviewer, "the reviewer declines")
    reasons = (_why_void(blocks, known, list(codes)), jsonblocks.why_broken(text), *copied)
    return Void(review.reviewer, "; ".join(filter(None, reasons)))


def _own_words(text: str, answers: Sequence[Answer]) -> tuple[str, list[str]]:
    """A review without the JSON blocks that it has from an answer, and which answers they stand in."""
    written = {answer.label: bare(answer.text) for answer in answers if "{" in answer.text}
    blocks = jsonblocks.spans(text) if written else []
    if len(blocks) > _MOST_BLOCKS:
        return "(blocks)", [f"it has more than {_MOST_BLOCKS} of them"]
    kept, problems = text, dict[str, None]()
    for start, end in reversed(blocks):
        block = bare(text[start:end])
        if label := next((label for label, answer in written.items() if block in answer), ""):
            kept = f"{kept[:start]}(a block of an answer){kept[end:]}"
            problems[f"a JSON block that stands in {label} is not the reviewer's own, and was left out"] = None
    return kept, list(problems)


def bare(text: str) -> str:
    return "".join(text.split())


def _unwrapped(block: Block) -> Block:
    """A ballot without what is wrapped around it: {"result": {"evaluations": ...}}."""
    inner = next(iter(block.values())) if len(block) == 1 else None
    return inner if isinstance(inner, dict) and ("evaluations" in inner or "scores" in inner) else block


def _entries(block: Block) -> Iterator[dict[str, object]]:
    """What a block says about answers: under "evaluations", under "scores", or as the block itself."""
    for found in (block.get("evaluations"), block.get("scores"), block):
        if isinstance(found, dict):
            yield found
        elif isinstance(found, list) and found:  # [{"response": "A", ...}, ...]; one that comes again has its own key
            by_label: dict[str, object] = {}
            for one in found:
                names = [one.get(key) for key in _LABELLED] if isinstance(one, dict) else []
                label = next((name for name in names if isinstance(name, str)), "")
                by_label[f"{label} " if label in by_label else label] = one
            yield by_label


def _scored(block: Block, known: Labels, rubric: Rubric, by_rubric: bool) -> Ballot | None:
    """The ballot in a block, and what is wrong with it; None if it scores nothing this way.

    No ceiling can be applied to a number alone, so what is below the scale or cannot be read is the lowest score.
    """
    for entries in _entries(block):
        evaluations, numbers, notes = dict[str, Evaluation](), dict[str, float | None](), dict[str, str]()
        # The other keys of a block are no labels that went wrong.
        found, problems = known.sort(entries, name_others=entries is not block)
        for label, entry in found.items():
            if isinstance(entry, dict) and isinstance(note := entry.get("notes"), str) and note:
                notes[label] = note[:_LONGEST_NOTE]
            if written := _dimensions_in(entry, rubric):
                if by_rubric:
                    evaluations[label], below = _evaluation(written, rubric)
                    problems += [f"{label}: {what}" for what in below]
                continue
            overall = _written(entry) if isinstance(entry, dict) else {"overall": [_value(entry)]}
            given = [value for name in _OVERALL for value in overall.get(name, [])]
            if len(given) == 1 and given[0] is not None:
                numbers[label] = read_lowest(given[0])
                if numbers[label] is None:
                    problems.append(
                        f"{label}: {plain(str(given[0]), _LONGEST_QUOTE)} is no score and counts as {LOWEST}"
                    )
        if any(one.scores for one in evaluations.values()) if by_rubric else any(numbers.values()):
            problems += [f"{label} is not scored" for label in known.names if label not in evaluations | numbers]
            holistic = {label: number or float(LOWEST) for label, number in numbers.items()}
            return Ballot("", evaluations, holistic, notes, tuple(problems))
    return None


def _dimensions_in(entry: object, rubric: Rubric) -> dict[str, list[object]]:
    """What stands under each name of an entry, nothing if it names no dimension.

    The dimensions may stand one step further in: {"notes": ..., "scores": {"accuracy": 9, ...}}.
    """
    if isinstance(entry, dict):
        inner = [one for key in _NESTED if isinstance(one := entry.get(key), dict)]
        for flat in (entry, *({**entry, **one} for one in inner)):
            written = _written(flat)
            if any(name.casefold() in written for name in rubric.dimensions):
                return written
    return {}


def _written(entry: Mapping[str, object]) -> dict[str, list[object]]:
    """What stands under each name. "Accuracy" and "accuracy (35%)" are one; a score may stand beside its reasons."""
    found: dict[str, list[object]] = {}
    for key, value in entry.items():
        found.setdefault(key.partition("(")[0].strip(" \t\n*_:").casefold(), []).append(_value(value))
    return found


def _value(written: object) -> object:
    """An object with no score in it stands for itself, and is none."""
    if isinstance(written, dict):
        written = next((written[key] for key in _VALUES if key in written), written)
    return None if isinstance(written, str) and written.strip().casefold() in _UNSCORED else written


def _evaluation(written: Mapping[str, list[object]], rubric: Rubric) -> tuple[Evaluation, list[str]]:
    """The scores, and which of them were below the scale. An overall score beside dimensions is never believed."""
    scores, unread, below = {}, {}, []
    for name in rubric.dimensions:
        values = written.get(name.casefold(), [])
        score = read_lowest(values[0]) if len(values) == 1 else None
        if score is not None:
            scores[name] = score
            if read_score(values[0]) is None:
                below.append(
                    f"{name} {plain(str(values[0]), _LONGEST_QUOTE)} is below the scale and counts as {LOWEST}"
                )
        elif any(value is not None for value in values):
            unread[name] = plain(str(values[0]), _LONGEST_QUOTE) if len(values) == 1 else "scored twice"
    return Evaluation(scores, unread), below


def _why_void(blocks: Sequence[Block], known: Labels, codes: Sequence[str | None]) -> str:
    meant = [block for block in blocks if block.get("ballot") in codes]
    if not meant:
        return "no JSON block carries the code of the reviewer" if blocks else "there is no JSON block that can be read"
    found = [known.sort(one, name_others=one is not block) for block in meant for one in _entries(block)]
    scores_none = "; ".join(["it scores none of the answers", *(problem for _, some in found for problem in some)][:4])
    return "no score in it can be read" if any(labels for labels, _ in found) else scores_none
