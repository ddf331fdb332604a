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

from surefoot.errors import UsageError
from surefoot.text.endpoints import chat_model, parsed

AXES = ("pipeline", "model", "prompt")
BUNDLED_PROMPTS = {"with_licence": "answer_with_licence", "without_licence": "answer_without_licence"}
_CHAT = "chat"
_MOST_ANSWERS = 1_000_000  # in all cells; what is more is a slip
_LONGEST_NAME = 60
_EXAMPLES = {
    "pipeline": '[[pipeline]] name = "rag", spec = "chat"',
    "model": '[[model]] name = "small", spec = "llm:MODEL@http://localhost:8000/v1"',
    "prompt": '[[prompt]] name = "licence", bundled = "with_licence"',
}


class Value(Struct, frozen=True):
    """One entry of an axis. The spec of a prompt is a bundled one's name or a file."""

    name: str
    spec: str


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
    axes: dict[str, tuple[Value, ...]]  # in the order listed: the first is the reference
    cells: tuple[Cell, ...]
    questions: str | None = None
    corpus: str | None = None
    repeats: int = 1
    grader: str = "local"


class _Prompt(Struct):
    name: str
    bundled: str | None = None
    file: str | None = None


class _File(Struct):
    pipeline: list[Value] = []
    model: list[Value] = []
    prompt: list[_Prompt] = []
    name: str | None = None
    questions: str | None = None
    corpus: str | None = None
    repeats: Annotated[int, Meta(ge=1)] = 1
    grader: str = "local"


def parse(text: str, source: str, name: str, located: Callable[[str], str] = str) -> Plan:
    """The plan that a file holds; `name` is what it is called unless it says so, `located` leads to its files."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{source} is not valid TOML: {error}", f"it has tables like {_EXAMPLES['model']}") from error
    _check_tables(content, source)
    try:
        found = msgspec.convert(content, _File)
    except msgspec.ValidationError as error:
        raise UsageError(f"{source}: {error}", "see `surefoot matrix --help` for an example") from error
    axes = {
        "pipeline": tuple(_pipeline(one, source) for one in found.pipeline),
        "model": tuple(_model(one, source) for one in found.model),
        "prompt": tuple(_prompt(one, source, located) for one in found.prompt),
    }
    _check_names(axes, found, source)
    _check_axes(axes, found, source)
    cells = tuple(islice(_cells(axes), _MOST_ANSWERS + 1))
    refuse_too_many(source, len(cells), found.repeats)
    if twice := _first_double(cell.folder for cell in cells):
        raise UsageError(f"{source}: two cells would be kept in the folder {twice}", "choose other names")
    return Plan(
        found.name or name, axes, cells, found.questions and located(found.questions),
        found.corpus and located(found.corpus), found.repeats, found.grader,
    )  # fmt: skip


def refuse_too_many(source: str, cells: int, repeats: int, questions: int = 1) -> None:
    if cells * repeats * questions > _MOST_ANSWERS:
        message = f"{source} asks for more than {_MOST_ANSWERS:,} answers in all"
        raise UsageError(message, "lower `repeats`, or take fewer values or questions")


def _check_tables(content: Mapping[str, object], source: str) -> None:
    _check_table(content, _File.__struct_fields__, source)
    for axis in AXES:
        rows = content.get(axis, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise UsageError(f"{source}: {axis} must be tables in double brackets", f"write {_EXAMPLES[axis]}")
        fields = _Prompt.__struct_fields__ if axis == "prompt" else Value.__struct_fields__
        for number, row in enumerate(rows, 1):
            _check_table(row, fields, f"{source}: [[{axis}]] {number}")


def _check_table(table: Mapping[str, object], fields: tuple[str, ...], where: str) -> None:
    """A character in a path or a name that cannot be printed can only be a mistake, or a trick."""
    for key, value in table.items():
        if key not in fields:
            near = get_close_matches(key, fields, 1)
            hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(fields)}"
            raise UsageError(f"{where} has the unknown key {key!r}", hint)
        if isinstance(value, str) and not value.isprintable():
            raise UsageError(f"{where}: {key} has a character that cannot be printed", "write it on one line")


@contextlib.contextmanager
def _about(where: str) -> Iterator[None]:
    """An address with a key in it is refused before it is written anywhere."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from None


def _model(model: Value, source: str) -> Value:
    with _about(f"{source}: the model {model.name!r}"):
        return Value(model.name, f"{_CHAT}:{parsed(model.spec).name.removeprefix('llm:')}")


def _pipeline(pipeline: Value, source: str) -> Value:
    kind, _, rest = pipeline.spec.partition(":")
    if kind == _CHAT and rest:
        with _about(f"{source}: the pipeline {pipeline.name!r}"):
            chat_model(rest)
    return pipeline


def _prompt(prompt: _Prompt, source: str, located: Callable[[str], str]) -> Value:
    where = f"{source}: the prompt {prompt.name!r}"
    if (prompt.bundled is None) == (prompt.file is None):
        raise UsageError(f"{where} must have either `bundled` or `file`", f"as in {_EXAMPLES['prompt']}")
    if prompt.file is not None:
        return Value(prompt.name, located(prompt.file))
    if prompt.bundled not in BUNDLED_PROMPTS:
        hint = f"choose {' or '.join(BUNDLED_PROMPTS)}, or name a file with `file`"
        raise UsageError(f"{where}: no prompt {prompt.bundled!r} comes with surefoot", hint)
    return Value(prompt.name, BUNDLED_PROMPTS[prompt.bundled])


def _check_names(axes: Mapping[str, tuple[Value, ...]], found: _File, source: str) -> None:
    named = [(source, found.name)] if found.name is not None else []
    named += [(f"{source}: [[{axis}]]", value.name) for axis, values in axes.items() for value in values]
    for where, name in named:
        if not name.strip() or len(name) > _LONGEST_NAME:
            hint = f"give it a short one, at most {_LONGEST_NAME} characters"
            raise UsageError(f"{where} has the name {name!r}", hint)
    for axis, values in axes.items():
        if twice := _first_double(slug(value.name) for value in values):
            hint = "names name folders, so they must differ in more than case and signs"
            raise UsageError(f"{source}: two [[{axis}]] have the name {twice!r}", hint)


def _check_axes(axes: Mapping[str, tuple[Value, ...]], found: _File, source: str) -> None:
    if not axes["pipeline"]:
        raise UsageError(f"{source} has no [[pipeline]]", f"write {_EXAMPLES['pipeline']}")
    takes = {axis for pipeline in axes["pipeline"] for axis in _taken_by(pipeline.spec)}
    needing = [pipeline.name for pipeline in axes["pipeline"] if pipeline.spec.rstrip(":") == _CHAT]
    for axis in ("model", "prompt"):
        if axes[axis] and axis not in takes:
            hint = 'add a pipeline with spec = "chat", or leave these out'
            raise UsageError(f"{source}: there are [[{axis}]] tables, but no pipeline takes a {axis}", hint)
        if needing and not axes[axis]:
            message = f"{source}: the pipeline {needing[0]!r} takes a {axis}, but there is no [[{axis}]]"
            raise UsageError(message, f"write {_EXAMPLES[axis]}")
    if found.corpus and not found.questions:
        raise UsageError(f"{source} has `corpus` without `questions`", "the demo questions are about the demo corpus")


def _taken_by(spec: str) -> tuple[str, ...]:
    """The axes that a pipeline is crossed with. One that names its own model is still shown every prompt."""
    kind, _, rest = spec.partition(":")
    return () if kind != _CHAT else ("prompt",) if rest else ("model", "prompt")


def _cells(axes: Mapping[str, tuple[Value, ...]]) -> Iterator[Cell]:
    for pipeline in axes["pipeline"]:
        taken = [axis for axis in _taken_by(pipeline.spec) if axes[axis]]
        for values in product(*(axes[axis] for axis in taken)):
            chosen = dict(zip(taken, values, strict=True))
            names = {"pipeline": pipeline.name, **{axis: value.name for axis, value in chosen.items()}}
            prompt = chosen["prompt"].spec if "prompt" in chosen else None
            yield Cell(names, chosen.get("model", pipeline).spec, prompt)


def slug(name: str) -> str:
    """A name for a folder, wherever it may be copied to."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.casefold())
    return kept.strip("-.") or "x"


def _first_double(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)
