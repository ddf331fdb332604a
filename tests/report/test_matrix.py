from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.console import Console

from surefoot.gate.effects import CellResult, conclusions, effects_of
from surefoot.jobs.matrix import MatrixResult
from surefoot.report import html, markdown, of, terminal

from ..gate.test_effects import Made, cell
from .test_page import FORBIDDEN, HOSTILE, Outline


def matrix_of(
    name: str, axes: dict[str, tuple[str, ...]], cells: Sequence[Made], failed: Sequence[CellResult] = ()
) -> MatrixResult:
    every = (*(one for one, _ in cells), *failed)
    found = effects_of(every, {one.name: given for one, given in cells}, axes, {})
    return MatrixResult(
        name=name, questions=12, repeats=1, grader="rules@1", trust="", axes=axes, cells=every, effects=found,
        conclusions=tuple(conclusions(every, found, axes)),
    )  # fmt: skip


def made(name: str = "m", note: str = "", count: int = 12) -> MatrixResult:
    """A prompt that turns wrong answers into refusals, and a model that was down."""
    names: dict[str, tuple[str, ...]] = {"model": ("a", "down"), "prompt": ("plain", "licence")}
    rows = {"plain": ["wrong", "correct", "correct"], "licence": ["refused", "correct", "correct"]}
    cells = [cell({"model": "a", "prompt": p}, (rows[p] * count)[:count]) for p in names["prompt"]]
    down = [CellResult(f"down / {p}", {"model": "down", "prompt": p}, name, failed=note or "down") for p in rows]
    return matrix_of(name, names, cells, down)


def shown(matrix: MatrixResult) -> str:
    console = Console(file=StringIO(), width=200, highlight=False)
    terminal.show(of(matrix), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def render(matrix: MatrixResult) -> str:
    return html.page(of(matrix))


def in_markdown(matrix: MatrixResult) -> str:
    return "\n".join(markdown.lines(of(matrix)))


def test_every_form_says_how_far_the_grader_can_be_trusted() -> None:
    matrix = replace(made(), trust="the grader rules@1: not known <b>")
    assert "trust: the grader rules@1: not known <b>" in shown(matrix)
    assert "trust: the grader rules@1: not known &lt;b&gt;" in in_markdown(matrix)
    assert "trust: the grader rules@1: not known &lt;b&gt;" in render(matrix)


def test_fewer_wrong_answers_are_not_praised_without_their_price() -> None:
    rows = {"bold": ["wrong", "correct", "correct"] * 20, "shy": ["refused", "refused", "correct"] * 20}
    names = {"prompt": tuple(rows)}
    cells = [cell({"prompt": prompt}, buckets) for prompt, buckets in rows.items()]
    text = shown(matrix_of("m", names, cells))
    won = "prompt: shy is better than bold: 33.3 fewer of 100 answers are wrong"
    assert f"{won}, but 33.3 fewer are correct" in text
    assert "is better than" in shown(made(count=60)) and "fewer are correct" not in shown(made(count=60))


def test_a_metric_is_a_row_with_its_interval() -> None:
    page = render(made(count=60))
    assert '<th scope="col"><bdi>prompt: licence against plain</bdi></th>' in page
    assert "<strong><bdi>-33.3 [-" in page


def test_what_is_said_on_a_terminal() -> None:
    text = shown(made())
    assert (
        "prompt: licence against plain (1 pair of cells, 12 questions, 1 pair lost to cells without verdicts)" in text
    )
    assert "wrong -33.3 [" in text and "refused +33.3 [" in text
    assert "note: down / plain: down" in text and "per 100 questions" in text


def test_an_effect_that_may_be_chance_is_not_told_as_one() -> None:
    names: dict[str, tuple[str, ...]] = {"prompt": ("x", "y")}
    rows = {"x": ["wrong", *["correct"] * 19], "y": ["correct"] * 20}
    text = shown(matrix_of("m", names, [cell({"prompt": name}, row) for name, row in rows.items()]))
    assert "no difference can be told: every interval covers 0" in text and "may be chance: correct +5.0 [" in text


def test_the_bars_have_a_segment_for_every_bucket_that_is_not_empty() -> None:
    page = render(made())
    assert page.count("flex-grow: ") == 4 and page.count(">no verdicts</div>") == 2
    assert 'title="wrong: 4"' in page and 'title="refused: 4"' in page


@pytest.mark.parametrize("foreign", HOSTILE)
def test_foreign_names_stay_text(foreign: str) -> None:
    matrix = made(foreign, foreign)
    outline = Outline()
    outline.feed(render(matrix).encode("utf-8", "replace").decode())
    assert not set(outline.tags) & FORBIDDEN and not outline.open
    markdown, terminal = in_markdown(matrix), shown(matrix)
    assert "<script" not in markdown and "<img" not in markdown
    assert not {"\x1b", "\x07", "\u202e"} & set(markdown + terminal)


@given(st.integers(1, 14))
def test_json_has_no_number_that_json_does_not_know(count: int) -> None:
    found = msgspec.json.decode(msgspec.json.encode(made(count=count).effects))
    for effect in found:
        for one in effect["differences"].values():
            assert (one["value"] is None) == (one["low"] is None) == (one["high"] is None)


def test_a_matrix_of_failures_says_so() -> None:
    matrix = matrix_of("m", {"pipeline": ("a",)}, [], [CellResult("a", {"pipeline": "a"}, "runs/a", failed="down")])
    assert "no cell has verdicts" in shown(matrix) and "note: a: down" in shown(matrix)
    assert "no cell has verdicts" in render(matrix) and "| a | - | - |" in in_markdown(matrix)
