"""A reviewer's raw text becomes a ballot, an abstention, or is void. Nothing is read out of prose.

A ballot is the last JSON block that scores a known answer on the rubric; a plain number beside, or an overall score
alone, is a holistic one. Without one, plain numbers for answers are taken as a holistic ballot. Both are marked. A text
without either abstains if it refuses, and is void otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from surefoot.rubric import LOWEST, Rubric, read_lowest, read_score
from surefoot.text import jsonblocks, refusals
from surefoot.text.jsonblocks import Block

_FORM = re.compile(r"[\W_]*(?:(?:response|answer)(?:[\W_]+|(?=[0-9])))?(.*?)[\W_]*", re.DOTALL)
# Declining to review, which answers to questions do not do.
_DECLINES = re.compile(
    r"\bI(?:['’]m| am)? (?:will not|won['’]t|can ?not|can['’]t|do not|don['’]t|(?:not able|unable|decline|refuse) to)"
    r" (?:\w+ ){0,2}?(?:review|evaluate|score|rate|rank|judge|assess|grade|compare)\b",
    re.IGNORECASE,
)
_OPENING = 300  # characters in which one who declines has said so
_LONGEST_NOTE = 2_000
_LABELLED = ("response", "answer", "label", "id", "name")  # what names the answer of an evaluation in a list
_NESTED = ("scores", "ratings", "dimensions")  # under which the dimensions of one answer may stand
_VALUES = ("score", "rating", "value")  # of a dimension, beside its reasons
_OVERALL = ("overall", "score", "rating", "overall score", "overall_score", "total", "holistic")
_UNSCORED = frozenset({"", "n/a", "na", "n.a.", "not applicable", "not scored", "null", "-"})  # written for null
_NO_CODE = "the ballot does not carry the code that the reviewer was given"


class Evaluation(Struct, frozen=True):
    """What a reviewer says about one answer: the dimensions that can be read, and what stood in place of others."""

    scores: dict[str, float] = {}
    unread: dict[str, str] = {}
    notes: str = ""


class Ballot(Struct, frozen=True):
    reviewer: str
    evaluations: dict[str, Evaluation] = {}
    holistic: dict[str, float] = {}  # one number for an answer, where the reviewer left the rubric aside
    ranking: tuple[str, ...] = ()  # the reviewer's own, for the record: the order is derived from scores
    problems: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()  # the order in which the reviewer saw the answers, where it is known

    @property
    def is_holistic(self) -> bool:
        """Throughout; another ballot may still have a number for some answers."""
        return bool(self.holistic) and not self.evaluations


class Abstained(Struct, frozen=True):
    reviewer: str
    reason: str


class Void(Struct, frozen=True):
    reviewer: str
    reason: str


Reading = Ballot | Abstained | Void


def read(
    reviewer: str,
    text: object,
    labels: Iterable[str],
    rubric: Rubric,
    *,
    code: str = "",
    use_rubric: bool = True,
    shown: Sequence[str] = (),
) -> Reading:
    """What a reviewer's text says about the answers of these labels.

    A `code` is known to the reviewer and not to the answers. Blocks that carry it as "ballot" go before all others, and
    one with another code never counts; without any, the reviewer has forgotten it, which is marked.
    """
    if not isinstance(text, str) or not text.strip():
        return Void(reviewer, "the review is empty" if isinstance(text, str) else "the review is not a text")
    known = Labels(labels)
    ways: list[Callable[[Block], Ballot | None]] = [
        lambda block: _by_rubric(reviewer, block, known, rubric),
        lambda block: _holistic(reviewer, block, known, rubric),
    ]
    for wanted in (code, None) if code else (None,):
        for way in ways if use_rubric else ways[::-1]:
            block = jsonblocks.last_valid(
                text,
                lambda block: _bare(block).get("ballot") == wanted and way(_bare(block)) is not None,  # noqa: B023
            )
            ballot = way(_bare(block)) if block is not None else None
            if ballot is not None:
                forgotten = (_NO_CODE,) if code and not wanted else ()
                return replace(ballot, shown=tuple(shown), problems=(*ballot.problems, *forgotten))
    if refusals.detect(text).value == "refused" or _DECLINES.search(text, 0, _OPENING):
        return Abstained(reviewer, "the reviewer declines")
    return Void(reviewer, _why_void([_bare(block) for block in jsonblocks.blocks(text)], known, code))


class Labels:
    """Known labels, and how they may be written: "Response A", "response a" and "A" are one."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.names = list(labels)
        forms: dict[str, list[str]] = {}
        for name in self.names:
            forms.setdefault(form_of(name), []).append(name)
        self._by_form = {form: names[0] for form, names in forms.items() if len(names) == 1}

    def find(self, written: object) -> str | None:
        if not isinstance(written, str):
            return None
        return written if written in self.names else self._by_form.get(form_of(written))

    def sort(self, entries: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
        """The entries under known labels, and what is wrong with the others.

        Two entries for one answer leave it unscored: nobody can know which one was meant.
        """
        found: dict[str, object] = {}
        twice: set[str] = set()
        problems = []
        for written, entry in entries.items():
            label = self.find(written)
            if label is None:
                problems.append(f"{_short(written)} is no label of an answer")
            elif label in found:
                twice.add(label)
            else:
                found[label] = entry
        problems += [f"{label} is scored twice, so not at all" for label in sorted(twice)]
        return {label: entry for label, entry in found.items() if label not in twice}, problems


def form_of(label: str) -> str:
    folded = label[:200].casefold()
    match = _FORM.fullmatch(folded)
    return match[1] if match and match[1] else folded


def _bare(block: Block) -> Block:
    """A ballot without what is wrapped around it: {"result": {"evaluations": ...}}."""
    inner = next(iter(block.values())) if len(block) == 1 else None
    return inner if isinstance(inner, dict) and ("evaluations" in inner or "scores" in inner) else block


def _entries(block: Block) -> Iterator[dict[str, object]]:
    """What a block says about answers: under "evaluations", under "scores", or as the block itself."""
    for found in (block.get("evaluations"), block.get("scores"), block):
        if isinstance(found, dict):
            yield found
        elif isinstance(found, list) and found:
            yield _by_label(found)


def _by_label(listed: Sequence[object]) -> dict[str, object]:
    """[{"response": "A", ...}, ...]. One that comes again keeps a key of its own, so that both are seen."""
    found: dict[str, object] = {}
    for one in listed:
        names = [one.get(key) for key in _LABELLED] if _is_dict(one) else []
        label = next((name for name in names if isinstance(name, str)), "")
        found[f"{label} " if label in found else label] = one
    return found


def _is_dict(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _by_rubric(reviewer: str, block: Block, known: Labels, rubric: Rubric) -> Ballot | None:
    for entries in _entries(block):
        found, problems = _sorted(entries, entries is block, known)
        found = {label: _flat(entry, rubric) for label, entry in found.items()}
        named = {label: entry for label, entry in found.items() if isinstance(entry, dict) and _names(entry, rubric)}
        evaluations = {label: _evaluation(entry, rubric) for label, entry in named.items()}
        if not any(evaluation.scores for evaluation in evaluations.values()):
            continue
        others = {label: entry for label, entry in found.items() if label not in named}
        holistic = _numbers(others)
        problems += _unread_numbers(others, holistic)
        problems += [f"{label} is not scored" for label in known.names if label not in evaluations | holistic]
        for label, entry in named.items():
            problems += [f"{label}: {what}" for what in _below_the_scale(entry, rubric)]
        return Ballot(reviewer, evaluations, holistic, ranking=_ranking(block, known), problems=tuple(problems))
    return None


def _sorted(entries: dict[str, object], is_block: bool, known: Labels) -> tuple[dict[str, object], list[str]]:
    found, problems = known.sort(entries)
    if is_block:  # its other keys are no labels that went wrong
        problems = [problem for problem in problems if problem.endswith("at all")]
    return found, problems


def _written(entry: Mapping[str, object]) -> dict[str, list[object]]:
    """What stands under each name. "Accuracy" and "accuracy (35%)" are one; a score may stand beside its reasons."""
    found: dict[str, list[object]] = {}
    for key, value in entry.items():
        found.setdefault(key.partition("(")[0].strip(" \t\n*_:").casefold(), []).append(_value(value))
    return found


def _value(written: object) -> object:
    """An object with no score in it stands for itself, and is none."""
    if _is_dict(written):
        written = next((written[key] for key in _VALUES if key in written), written)
    return None if isinstance(written, str) and written.strip().casefold() in _UNSCORED else written


def _flat(entry: object, rubric: Rubric) -> object:
    """{"notes": ..., "scores": {"accuracy": 9, ...}}: the dimensions one step further in."""
    if not _is_dict(entry) or _names(entry, rubric):
        return entry
    inner = (entry[key] for key in _NESTED if key in entry)
    return next(({**entry, **one} for one in inner if _is_dict(one) and _names(one, rubric)), entry)


def _names(entry: Mapping[str, object], rubric: Rubric) -> bool:
    """Whether it says anything on a dimension; an overall score beside that is never believed."""
    written = _written(entry)
    return any(name.casefold() in written for name in rubric.dimensions)


def _evaluation(entry: Mapping[str, object], rubric: Rubric) -> Evaluation:
    written = _written(entry)
    scores, unread = {}, {}
    for name in rubric.dimensions:
        values = written.get(name.casefold(), [])
        score = rubric.read(name, values[0]) if len(values) == 1 else None
        if score is not None:
            scores[name] = score
        elif any(value is not None for value in values):  # null says by itself that it is not scored
            unread[name] = _short(values[0]) if len(values) == 1 else "scored twice"
    notes = entry.get("notes")
    return Evaluation(scores, unread, notes[:_LONGEST_NOTE] if isinstance(notes, str) else "")


def _below_the_scale(entry: Mapping[str, object], rubric: Rubric) -> Iterator[str]:
    written = _written(entry)
    for name in rubric.dimensions:
        for value in written.get(name.casefold(), []):
            if read_score(value) is None and rubric.read(name, value) is not None:
                yield f"{name} {_short(value)} is below the scale and counts as {LOWEST}"


def _holistic(reviewer: str, block: Block, known: Labels, rubric: Rubric) -> Ballot | None:
    """One number per answer."""
    for entries in _entries(block):
        plain = {
            key: value
            for key, value in entries.items()
            if not (_is_dict(flat := _flat(value, rubric)) and _names(flat, rubric))
        }
        found, problems = _sorted(plain, entries is block, known)
        scores = _numbers(found)
        unread = _unread_numbers(found, scores)
        if len(unread) < len(scores):
            problems += unread
            problems += [f"{label} is not scored" for label in known.names if label not in scores]
            return Ballot(reviewer, holistic=scores, ranking=_ranking(block, known), problems=tuple(problems))
    return None


def _numbers(entries: Mapping[str, object]) -> dict[str, float]:
    """No ceiling can be applied to a number alone, so one below the scale is the lowest, not none at all; and so is
    what was written beside numbers and cannot be read."""
    written = {label: _overall(value) for label, value in entries.items()}
    return {label: read_lowest(value) or float(LOWEST) for label, value in written.items() if value is not None}


def _unread_numbers(entries: Mapping[str, object], scores: Mapping[str, float]) -> list[str]:
    written = {label: _overall(entries[label]) for label in scores}
    unread = {label: value for label, value in written.items() if read_lowest(value) is None}
    return [f"{label}: {_short(value)} is no score and counts as {LOWEST}" for label, value in unread.items()]


def _overall(entry: object) -> object:
    if not isinstance(entry, dict):
        return _value(entry)
    written = _written(entry)
    given = [value for name in _OVERALL for value in written.get(name, [])]
    return given[0] if len(given) == 1 else None


def _ranking(block: Block, known: Labels) -> tuple[str, ...]:
    ranking = block.get("ranking")
    found = [known.find(label) for label in ranking] if isinstance(ranking, list) else []
    return tuple(dict.fromkeys(label for label in found if label is not None))


def _why_void(blocks: Sequence[Block], known: Labels, code: str) -> str:
    if not blocks:
        return "there is no JSON block that can be read"
    meant = [block for block in blocks if block.get("ballot") in ({code, None} if code else {None})]
    if not meant:
        return "no JSON block carries the code that the reviewer was given"
    entries = [found for block in meant for found in _entries(block) if found is not block]
    if not entries:
        return "no JSON block has evaluations"
    found, problems = known.sort(entries[-1])
    if not found:
        return "; ".join(["it scores none of the answers", *problems[:3]])
    return "no score in it can be read"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return f"{text[:40]}..." if len(text) > 40 else text
