"""The settings of a council, what its models are asked, and how they are asked at the same time.

Answers are shown without their authors, in an order that differs from reviewer to reviewer, and fenced, so that they
are read and not obeyed. The order and all marks follow from the seed and the texts: the same council asks the same.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.resources import files
from itertools import zip_longest
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from surefoot.core import rubric as rubrics
from surefoot.core.errors import UsageError, nearest, words_of
from surefoot.core.files import fault_in
from surefoot.core.rubric import HIGHEST, LOWEST, Rubric
from surefoot.core.types import Passage
from surefoot.council.ballots import Abstained, Answer, Ballot, Review, read
from surefoot.graders.llm_prompts import Fence
from surefoot.models.seam import Model, Prompt, Reply, Schema
from surefoot.models.spec import masked

PREFIX = "LLM_COUNCIL_"
_SWITCH = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_LISTED = "`surefoot council --show-config` lists all settings"
Value = str | float | int | bool
_KNOWN: dict[str, tuple[Value, Any, str]] = {  # the default, its type, what it is for
    "RUBRIC": (rubrics.COUNCIL_OF_RUNS, str, "a bundled rubric, or the path of a TOML file"),
    "RUBRIC_SCORING": (True, bool, "score by the rubric; false takes one number per answer first"),
    "SAFETY_GATE": (True, bool, "answers that fail the safety check come last"),
    "SAFETY_SCORE_CAP": (0.0, Annotated[float, Meta(ge=0, le=HIGHEST)], "the most that such an answer scores, 0 to 10"),
    "MODELS": ("", str, "who answers and reviews, separated by commas"),
    "CHAIR": ("", str, "who writes the closing answer; nobody if empty"),
    "SEED": (0, Annotated[int, Meta(ge=0, lt=10**15)], "fixes the order in which reviewers see answers and dimensions"),
    "PATIENCE": (3_600.0, Annotated[float, Meta(gt=0, le=1e9)], "seconds until a model that is silent is left out"),
}  # fmt: skip
_WEIGHT = Annotated[float, Meta(ge=0, le=1)], "share of the overall score"

LONGEST_SHOWN = 24_000  # characters of an answer
_LONGEST_NOTE = 600  # characters; small models do not stop by themselves
_FOR_REPLY, _FOR_ANSWER, LONGEST_TEXT = 256, 320, 1_024  # tokens


def _text(name: str) -> str:
    return (files("surefoot") / "prompts" / f"council_{name}.md").read_text("utf-8").rstrip()


_REVIEWER = "You review responses to a question. You score what is written, by the rubric, and nothing else."
_REVIEW = _text("review")
_BY_RUBRIC = (
    "The rubric. Score each response by itself, on each dimension, with a whole number from {lowest} to {highest}:"
)
_HOLISTIC = (
    "Score each response by itself and as a whole, with one whole number from {lowest} to {highest}. What to look at:"
)
_SOURCES = _text("sources")
_NO_TEXTS = "The texts of the passages that the system found are not known."
_NO_PASSAGES = "The system that responded had found no passages."
_KNOWN_GOLD = "What the question set says of the right answer:\n\n{reference}"
_KNOWN_ABSENT = "The question set says that the documents do not answer this question: a sound response declines."
_KNOWN_NOTHING = "The question set does not say what the right answer is."
_SYNTHESIS = _text("synthesis")


class Setting(Struct, frozen=True):
    """A value and where it came from."""

    name: str
    value: Value
    source: str
    about: str

    @property
    def shown(self) -> Value:
        """Without a password in the address of a model."""
        return masked(str(self.value)) if self.name in (PREFIX + "MODELS", PREFIX + "CHAIR") else self.value


class Settings(Struct, frozen=True):
    rows: tuple[Setting, ...]
    weights: dict[str, float]
    rubric: Rubric
    use_rubric: bool

    def __getitem__(self, key: str) -> Value:
        return next(row.value for row in self.rows if row.name == PREFIX + key)


def read_settings(
    environ: Mapping[str, str], options: Mapping[str, Value | None] | None = None, weights: object = None
) -> Settings:
    """Every setting. `options` that are not None and the `weights` of a file win over `environ`.

    A name that begins like ours and is not one of ours is an error: a misspelt setting would have no effect.
    """
    given: dict[str, tuple[Value, str]] = {
        name.removeprefix(PREFIX): (text, "environment")
        for name, text in environ.items() if name.startswith(PREFIX) and text.strip()
    }  # fmt: skip
    given |= {key: (value, "option") for key, value in (options or {}).items() if value is not None}
    rubric = rubrics.read(str(given.get("RUBRIC", _KNOWN["RUBRIC"])[0]).strip())
    if not rubric.weights:
        raise UsageError(f"the rubric {rubric.name} has no weights", "choose one whose axes have weights, like council")
    known = _KNOWN | {f"WEIGHT_{name.upper()}": (weight, *_WEIGHT) for name, weight in rubric.weights.items()}
    for key in given.keys() - known.keys():
        message = f"there is no setting {PREFIX}{key} with the rubric {rubric.name}"
        raise UsageError(message, nearest(key, known).replace("mean ", f"mean {PREFIX}", 1) or _LISTED)
    rows = []
    for key, (value, kind, about) in known.items():
        written, source = given.get(key, (value, "default" if key in _KNOWN else f"rubric {rubric.name}"))
        word = str(written).strip()
        try:
            read_as = convert(_SWITCH.get(word.lower(), word) if kind is bool else word, kind, strict=False)
        except ValidationError as error:
            named = PREFIX + key if source == "environment" else f"{source}: {key.lower()}"
            raise UsageError(f"{named} cannot be {str(written)[:40]!r}: {fault_in(error)}", _LISTED) from None
        rows.append(Setting(PREFIX + key, read_as, source, about))
    if weights is None:
        weights = {name: row.value for name, row in zip(rubric.weights, rows[len(_KNOWN) :], strict=True)}
    try:
        checked = dict.fromkeys(rubric.weights, 0.0) | rubrics.checked_weights(weights, rubric.weights)
    except ValueError as error:
        listed = ", ".join(f"{name} {weight:g}" for name, weight in rubric.weights.items())
        raise UsageError(f"these weights cannot be used: {error}", f"the rubric {rubric.name} has {listed}") from None
    use_rubric = next(bool(row.value) for row in rows if row.name == f"{PREFIX}RUBRIC_SCORING")
    return Settings(tuple(rows), checked, rubric, use_rubric)


class Sources(Struct, frozen=True):
    """What a response can be held against: the passages it was made from, and what the question set says."""

    passages: tuple[Passage, ...] = ()
    gold: tuple[str, ...] = ()
    absent: bool = False  # the documents do not answer the question

    @property
    def texts(self) -> tuple[str, ...]:
        return (*(passage.text for passage in self.passages), *self.gold)

    def shown(self, fence: Fence) -> str:
        texts = [f"{one.doc}\n{one.text}" if one.doc else one.text for one in self.passages if one.text]
        passages = "\n\n".join(fence.around(f"passage {number}", text) for number, text in enumerate(texts, 1))
        reference = _KNOWN_GOLD.format(reference=fence.around("reference", "\n".join(self.gold)))
        known = _KNOWN_ABSENT if self.absent else reference if self.gold else _KNOWN_NOTHING
        passages = passages or (_NO_TEXTS if self.passages else _NO_PASSAGES)
        return f"{_SOURCES.format(passages=passages, known=known)}\n\n"


def review_prompt(
    question: str, answers: Sequence[Answer], settings: Settings, reviewer: str, sources: Sources | None = None
) -> tuple[Prompt, Review]:
    """What a reviewer is asked, and the review to come, with what the reviewer saw.

    The order of answers and dimensions is the reviewer's own. Without sources, reviewers judge by what they know.
    """
    by_label, seed, rubric = {answer.label: answer for answer in answers}, int(settings["SEED"]), settings.rubric
    shown = shuffled(by_label, seed, "answers", question, reviewer)
    dimensions = shuffled(rubric.dimensions, seed, "dimensions", question, reviewer)
    texts = [question, *(by_label[label].text for label in shown), *(sources.texts if sources else ())]
    fence = Fence.over(texts, f"{seed} {reviewer}")
    code = Fence.over(texts, f"{seed} {reviewer} ballot").mark[:8]
    task, scored = (_BY_RUBRIC, "dimension") if settings.use_rubric else (_HOLISTIC, "response")
    asked = dimensions if settings.use_rubric else ("score",)
    scores = ", ".join(f'"{name}": N' for name in asked)
    entries = ", ".join(f'"{_titled(label)}": {{"notes": "...", {scores}}}' for label in shown)
    text = _REVIEW.format(
        mark=fence.mark, question=fence.around("question", question), sources=sources.shown(fence) if sources else "",
        responses="\n\n".join(_fenced(fence, by_label[label]) for label in shown),
        task=task.format(lowest=LOWEST, highest=HIGHEST), lowest=LOWEST, highest=HIGHEST,
        rubric=rubric.described(dimensions, settings.weights), scored=scored, code=code,
        example=f'{{"ballot": "{code}", "evaluations": {{{entries}}}}}',
    )  # fmt: skip
    # Not a list of types: Anthropic's SDK stops at one.
    score = {"anyOf": [{"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}, {"type": "null"}]}
    notes = {"notes": {"type": "string", "maxLength": _LONGEST_NOTE}}
    evaluations = _object(dict.fromkeys(map(_titled, shown), _object(notes | dict.fromkeys(asked, score))))
    schema = {"title": "ballot"} | _object({"ballot": {"type": "string", "enum": [code]}, "evaluations": evaluations})
    review, room = Review(reviewer, shown=shown, code=code), _FOR_REPLY + _FOR_ANSWER * len(shown)

    def unreadable(reply: str) -> str:
        """Why it is no review, without its own words: these may be an answer's, and are not shown to it again."""
        found = read(replace(review, text=reply), answers, rubric, settings.use_rubric)
        return "" if isinstance(found, (Ballot, Abstained)) else found.reason.partition(";")[0]

    return Prompt(text, _REVIEWER, schema, room, accepts=unreadable), review


def synthesis_prompt(question: str, answers: Sequence[Answer], scores: dict[str, float | None], seed: int) -> Prompt:
    """What the chair is asked: the answers in the order of the ranking, still without their authors."""
    fence = Fence.over([question, *(answer.text for answer in answers)], f"{seed} chair")
    shown = {label: "not scored" if score is None else f"{score:.1f}" for label, score in scores.items()}
    text = _SYNTHESIS.format(
        mark=fence.mark, question=fence.around("question", question), lowest=LOWEST, highest=HIGHEST,
        responses="\n\n".join(_fenced(fence, answer) for answer in answers),
        scores="; ".join(f"{_titled(label)} {score}" for label, score in shown.items()),
    )  # fmt: skip
    return Prompt(text, longest=LONGEST_TEXT)


def shuffled(names: Iterable[str], seed: int, *salt: str) -> tuple[str, ...]:
    """An order that anybody can work out again from the seed."""

    def place(name: str) -> str:
        text = "\x00".join((str(seed), *salt, name))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    return tuple(sorted(names, key=place))


def _fenced(fence: Fence, answer: Answer) -> str:
    left_out = len(answer.text) - LONGEST_SHOWN
    note = f"\n({left_out:,} more characters are not shown)" if left_out > 0 else ""
    return fence.around(_titled(answer.label), answer.text[:LONGEST_SHOWN]) + note


def _titled(label: str) -> str:
    return label if label.lower().startswith(("response", "answer")) else f"Response {label}"


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def asked_at_once(models: Mapping[str, Model], prompts: Mapping[str, Prompt], patience: float) -> dict[str, Reply]:
    """A reply from every model: what goes wrong, and what takes longer than our patience, is a reply with an error.

    Each is asked in a thread that cannot keep the process.
    """
    came: dict[str, Reply] = {}

    def ask(name: str) -> None:
        try:
            reply = models[name].complete(prompts[name])
            reply.text.strip()  # a model of somebody's own may return anything
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this model's alone
            reply = Reply(error=words_of(error), asked=1)
        came[name] = reply

    threads = [threading.Thread(target=ask, args=(name,), daemon=True) for name in prompts]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + patience
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = Reply(error=f"no reply within {patience:g} seconds", asked=1)
    return {name: came.get(name, late) for name in prompts}


def asked_in_turn(
    models: Mapping[str, Model], prompts: Mapping[str, Sequence[Prompt]]
) -> Iterator[tuple[str, int, Reply]]:
    """Replies with the model and the place of the prompt. All models work at the same time, as fast as the slowest:
    a reply is taken from each in turn, and none is ever more than a few prompts ahead."""
    with ExitStack() as ending:
        streams = [models[name].complete_all(some) for name, some in prompts.items()]
        for stream in streams:
            ending.callback(getattr(stream, "close", lambda: None))
        for turn in zip_longest(*streams):
            yield from ((name, *found) for name, found in zip(prompts, turn, strict=True) if found is not None)


def reviewed(review: Review, reply: Reply) -> Review:
    """The review with what came back for it."""
    is_value = reply.value is not None and not reply.text.strip()
    text = msgspec.json.encode(reply.value).decode() if is_value else reply.text
    return replace(review, text=text, error=reply.error)
