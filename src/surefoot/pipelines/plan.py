"""A matrix as its file lays it out: pipelines x models x prompts over one question set, each combination a cell."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.models.spec import chat_model, parsed
from surefoot.pipelines.asker import MOST_ANSWERS, refuse_too_many
from surefoot.pipelines.specs import prompt_of

_CHAT = "chat"
_EXAMPLES = {
    "pipeline": '[[pipeline]] name = "rag", spec = "chat"',
    "model": '[[model]] name = "small", spec = "llm:MODEL@http://localhost:8000/v1"',
    "prompt": '[[prompt]] name = "licence", bundled = "with_licence" (or "without_licence", or file = "FILE")',
}
Name = Annotated[str, Meta(min_length=1, max_length=60)]


class _Value(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    spec: str

    @property
    def takes(self) -> tuple[str, ...]:
        """The axes that a pipeline is crossed with. One that names its own model is still shown every prompt."""
        kind, _, rest = self.spec.partition(":")
        return () if kind != _CHAT else ("prompt",) if rest else ("model", "prompt")


class _Prompt(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    bundled: Literal["with_licence", "without_licence"] | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        if (self.bundled is None) == (self.file is None):
            raise ValueError("it must have either `bundled` or `file`")


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    pipeline: tuple[_Value, ...] = ()
    model: tuple[_Value, ...] = ()
    prompt: tuple[_Prompt, ...] = ()
    name: Name | None = None
    questions: str | None = None
    corpus: str | None = None
    repeats: Annotated[int, Meta(ge=1)] = 1
    grader: str = "local"

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """In the order listed: the first is the reference."""
        return {axis: tuple(value.name for value in getattr(self, axis)) for axis in _EXAMPLES if getattr(self, axis)}


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
        return self.spec.removeprefix(f"{_CHAT}:") if self.spec.startswith(f"{_CHAT}:") else ""


def slug(name: str) -> str:
    """A name without signs that a shell or an address would read."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.casefold())
    return kept.strip("-.") or "x"


def read_plan(file: Path) -> tuple[Plan, list[Cell]]:
    try:
        content = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        hint = "pass a TOML file, as in docs/council.md"
        raise UsageError(f"the matrix {file} cannot be read: {error}", hint) from error
    plan, cells = parse(content, str(file), file.stem, lambda name: str(file.parent / name))
    for prompt in dict.fromkeys(cell.prompt for cell in cells if cell.prompt):
        prompt_of(prompt)
    return plan, cells


def parse(text: str, source: str, name: str, located: Callable[[str], str] = str) -> tuple[Plan, list[Cell]]:
    """What a file holds, and its cells; `name` is what it is called unless it has one, `located` leads to its files."""
    with _about(source):
        try:
            plan = msgspec.toml.decode(text, type=Plan)
        except msgspec.ValidationError as error:
            example = next((one for axis, one in _EXAMPLES.items() if f"$.{axis}" in str(error)), "")
            keys = f"the keys are {', '.join(Plan.__struct_fields__)}"
            raise UsageError(str(error), f"write {example}" if example else keys) from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise UsageError(f"it is not valid TOML: {error}", f"write tables as {_EXAMPLES['model']}") from error
        _check_axes(plan)
        cells = list(islice(_cells(plan, located), MOST_ANSWERS + 1))
        double = [name for name, count in Counter(cell.folder for cell in cells).items() if count > 1]
        if double:
            hint = "names must differ in more than case and signs"
            raise UsageError(f"two cells would have the name {double[0]}", hint)
    refuse_too_many(source, len(cells), plan.repeats)
    questions, corpus = (path and located(path) for path in (plan.questions, plan.corpus))
    return replace(plan, name=plan.name or name, questions=questions, corpus=corpus), cells


@contextlib.contextmanager
def _about(where: str) -> Iterator[None]:
    """An error within names the place."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from None


def _check_axes(plan: Plan) -> None:
    if not plan.pipeline:
        raise UsageError("there is no [[pipeline]]", f"write {_EXAMPLES['pipeline']}")
    takes = {axis for pipeline in plan.pipeline for axis in pipeline.takes}
    needing = [pipeline.name for pipeline in plan.pipeline if "model" in pipeline.takes]
    for axis in ("model", "prompt"):
        if axis in plan.axes and axis not in takes:
            hint = 'add a pipeline with spec = "chat", or leave these out'
            raise UsageError(f"there are [[{axis}]] tables, but no pipeline takes a {axis}", hint)
        if needing and axis not in plan.axes:
            message = f"the pipeline {needing[0]!r} takes a {axis}, but there is no [[{axis}]]"
            raise UsageError(message, f"write {_EXAMPLES[axis]}")
    if plan.corpus and not plan.questions:
        raise UsageError("there is `corpus` without `questions`", "the demo questions are about the demo corpus")


def _cells(plan: Plan, located: Callable[[str], str]) -> Iterator[Cell]:
    """An address with a key in it is refused before it is written anywhere."""
    specs = {}
    for pipeline in plan.pipeline:
        if pipeline.takes == ("prompt",):
            with _about(f"the pipeline {pipeline.name!r}"):
                chat_model(pipeline.spec.removeprefix(f"{_CHAT}:"))
    for model in plan.model:
        with _about(f"the model {model.name!r}"):
            specs[model.name] = f"{_CHAT}:{parsed(model.spec).name.removeprefix('llm:')}"
    prompts = {one.name: located(one.file) if one.file else f"answer_{one.bundled}" for one in plan.prompt}
    for pipeline in plan.pipeline:
        taken = [axis for axis in pipeline.takes if axis in plan.axes]
        for names in product(*(plan.axes[axis] for axis in taken)):
            values = {"pipeline": pipeline.name, **dict(zip(taken, names, strict=True))}
            yield Cell(values, specs.get(values.get("model", ""), pipeline.spec), prompts.get(values.get("prompt", "")))
