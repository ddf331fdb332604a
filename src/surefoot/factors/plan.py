"""From a matrix file to its cells. A pipeline that takes neither a model nor a prompt is one cell."""

from __future__ import annotations

import contextlib
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice, product
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from surefoot.core.errors import UsageError
from surefoot.text.endpoints import chat_model, parsed

AXES = ("pipeline", "model", "prompt")
BUNDLED_PROMPTS = {"with_licence": "answer_with_licence", "without_licence": "answer_without_licence"}
_CHAT = "chat"
_MOST_ANSWERS = 1_000_000  # in all cells; what is more is a slip
_EXAMPLES = {
    "pipeline": '[[pipeline]] name = "rag", spec = "chat"',
    "model": '[[model]] name = "small", spec = "llm:MODEL@http://localhost:8000/v1"',
    "prompt": '[[prompt]] name = "licence", bundled = "with_licence"',
}


Name = Annotated[str, Meta(min_length=1, max_length=60)]


class Value(Struct, frozen=True):
    """One entry of an axis. The spec of a prompt is a bundled one's name or a file."""

    name: Name
    spec: str


Axes = dict[str, tuple[Value, ...]]  # in the order listed: the first is the reference


class Cell(Struct, frozen=True):
    """One run: `values` has the axes that it lies on, `spec` and `prompt` are what `surefoot run` is given."""

    values: dict[str, str]
    spec: str
    prompt: str | None = None

    @property
    def name(self) -> str:
        return " / ".join(self.values.values())

    @property
    def folder(self) -> str:
        return "--".join(slug(value) for value in self.values.values())

    @property
    def model(self) -> str:
        """What a chat pipeline asks; nothing for others."""
        kind, _, rest = self.spec.partition(":")
        return rest if kind == _CHAT else ""


class Plan(Struct, frozen=True):
    name: str
    axes: Axes
    cells: tuple[Cell, ...]
    questions: str | None = None
    corpus: str | None = None
    repeats: int = 1
    grader: str = "local"


class _Prompt(Struct):
    name: Name
    bundled: str | None = None
    file: str | None = None


class _File(Struct):
    pipeline: list[Value] = []
    model: list[Value] = []
    prompt: list[_Prompt] = []
    name: Name | None = None
    questions: str | None = None
    corpus: str | None = None
    repeats: Annotated[int, Meta(ge=1)] = 1
    grader: str = "local"


def parse(text: str, source: str, name: str, located: Callable[[str], str] = str) -> Plan:
    """The plan that a file holds; `name` is what it is called unless it has one, `located` leads to its files."""
    with about(source):
        found = _read(text)
        axes = {
            "pipeline": tuple(map(_pipeline, found.pipeline)),
            "model": tuple(map(_model, found.model)),
            "prompt": tuple(_prompt(prompt, located) for prompt in found.prompt),
        }
        _check_axes(axes)
        if found.corpus and not found.questions:
            raise UsageError("there is `corpus` without `questions`", "the demo questions are about the demo corpus")
    cells = tuple(islice(_cells(axes), _MOST_ANSWERS + 1))
    refuse_too_many(source, len(cells), found.repeats)
    if twice := _first_double(cell.folder for cell in cells):
        raise UsageError(f"{source}: two cells would have the name {twice}", "choose other names")
    return Plan(
        found.name or name, axes, cells, found.questions and located(found.questions),
        found.corpus and located(found.corpus), found.repeats, found.grader,
    )  # fmt: skip


@contextlib.contextmanager
def about(where: str) -> Iterator[None]:
    """An error within names the place."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from None


def refuse_too_many(source: str, cells: int, repeats: int, questions: int = 1) -> None:
    if cells * repeats * questions > _MOST_ANSWERS:
        message = f"{source} asks for more than {_MOST_ANSWERS:,} answers in all"
        raise UsageError(message, "lower `repeats`, or take fewer values or questions")


def _read(text: str) -> _File:
    try:
        content = tomllib.loads(text)
        _check_tables(content)
        return msgspec.convert(content, _File)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"it is not valid TOML: {error}", f"it has tables like {_EXAMPLES['model']}") from error
    except msgspec.ValidationError as error:
        raise UsageError(str(error), "see `surefoot matrix --help` for an example") from error


def _check_tables(content: Mapping[str, object]) -> None:
    _check_table(content, _File)
    for axis in AXES:
        rows = content.get(axis, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise UsageError(f"{axis} must be tables in double brackets", f"write {_EXAMPLES[axis]}")
        for number, row in enumerate(rows, 1):
            with about(f"[[{axis}]] {number}"):
                _check_table(row, _Prompt if axis == "prompt" else Value)


def _check_table(table: Mapping[str, object], kind: type[Struct]) -> None:
    """A character in a path or a name that cannot be printed can only be a mistake, or a trick."""
    fields = kind.__struct_fields__
    for key, value in table.items():
        if key not in fields:
            near = get_close_matches(key, fields, 1)
            hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(fields)}"
            raise UsageError(f"there is the unknown key {key!r}", hint)
        if isinstance(value, str) and not value.isprintable():
            raise UsageError(f"{key} has a character that cannot be printed", "write it on one line")


def _model(model: Value) -> Value:
    """An address with a key in it is refused before it is written anywhere."""
    with about(f"the model {model.name!r}"):
        return Value(model.name, f"{_CHAT}:{parsed(model.spec).name.removeprefix('llm:')}")


def _pipeline(pipeline: Value) -> Value:
    kind, _, rest = pipeline.spec.partition(":")
    if kind == _CHAT and rest:
        with about(f"the pipeline {pipeline.name!r}"):
            chat_model(rest)
    return pipeline


def _prompt(prompt: _Prompt, located: Callable[[str], str]) -> Value:
    with about(f"the prompt {prompt.name!r}"):
        if (prompt.bundled is None) == (prompt.file is None):
            raise UsageError("it must have either `bundled` or `file`", f"as in {_EXAMPLES['prompt']}")
        if prompt.file is not None:
            return Value(prompt.name, located(prompt.file))
        if prompt.bundled not in BUNDLED_PROMPTS:
            hint = f"choose {' or '.join(BUNDLED_PROMPTS)}, or name a file with `file`"
            raise UsageError(f"no prompt {prompt.bundled!r} comes with surefoot", hint)
        return Value(prompt.name, BUNDLED_PROMPTS[prompt.bundled])


def _check_axes(axes: Axes) -> None:
    for axis, values in axes.items():
        if twice := _first_double(slug(value.name) for value in values):
            hint = "names must differ in more than case and signs"
            raise UsageError(f"two [[{axis}]] have the name {twice!r}", hint)
    if not axes["pipeline"]:
        raise UsageError("there is no [[pipeline]]", f"write {_EXAMPLES['pipeline']}")
    takes = {axis for pipeline in axes["pipeline"] for axis in _taken_by(pipeline.spec)}
    needing = [pipeline.name for pipeline in axes["pipeline"] if pipeline.spec.rstrip(":") == _CHAT]
    for axis in ("model", "prompt"):
        if axes[axis] and axis not in takes:
            hint = 'add a pipeline with spec = "chat", or leave these out'
            raise UsageError(f"there are [[{axis}]] tables, but no pipeline takes a {axis}", hint)
        if needing and not axes[axis]:
            message = f"the pipeline {needing[0]!r} takes a {axis}, but there is no [[{axis}]]"
            raise UsageError(message, f"write {_EXAMPLES[axis]}")


def _taken_by(spec: str) -> tuple[str, ...]:
    """The axes that a pipeline is crossed with. One that names its own model is still shown every prompt."""
    kind, _, rest = spec.partition(":")
    return () if kind != _CHAT else ("prompt",) if rest else ("model", "prompt")


def _cells(axes: Axes) -> Iterator[Cell]:
    for pipeline in axes["pipeline"]:
        taken = [axis for axis in _taken_by(pipeline.spec) if axes[axis]]
        for values in product(*(axes[axis] for axis in taken)):
            chosen = dict(zip(taken, values, strict=True))
            names = {"pipeline": pipeline.name, **{axis: value.name for axis, value in chosen.items()}}
            prompt = chosen["prompt"].spec if "prompt" in chosen else None
            yield Cell(names, chosen.get("model", pipeline).spec, prompt)


def slug(name: str) -> str:
    """A name without signs that a shell or an address would read."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.casefold())
    return kept.strip("-.") or "x"


def _first_double(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)
