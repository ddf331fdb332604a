from __future__ import annotations

from html.parser import HTMLParser

from msgspec.structs import replace
from rich.console import Console

from surefoot.calibration.results import Calibration
from surefoot.core.types import Problem
from surefoot.report import html, markdown
from surefoot.report import terminal as terminal_form
from surefoot.report.calibration import report

from ..calibration.helpers import RUBRIC, calibrate, from_table, label, verdict

HOSTILE = "<script>alert(1)</script> | [x](http://e.vil) \x1b[31m\u202e"


def found(**changes: object) -> Calibration:
    verdicts, labels = from_table({"correct": {"correct": 20, "wrong": 4}, "wrong": {"wrong": 12}}, {"correct": 60})
    verdicts = [replace(one, confidence=0.5 + number % 50 / 100) for number, one in enumerate(verdicts)]
    return replace(calibrate(verdicts, labels, RUBRIC), **changes)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)


def terminal(result: Calibration, *, details: bool = True) -> str:
    console = Console(width=140, record=True, file=None, highlight=False, quiet=False)
    with console.capture() as captured:
        terminal_form.show(report(result, details=details), console)
    return captured.get()


def on_page(result: Calibration) -> str:
    return html.page(report(result))


def in_markdown(result: Calibration) -> str:
    return "\n".join(markdown.lines(report(result)))


def test_all_three_say_the_same() -> None:
    result = found()
    page, lines, shown = on_page(result), in_markdown(result), terminal(result)
    for said in (
        "post-stratified", "more labels on answers graded correct",
        "agreement: ",
    ):  # fmt: skip
        assert said in page, said
        assert said in lines, said
        assert said in shown, said


def test_foreign_words_do_no_harm() -> None:
    result = found(grader=HOSTILE, annotators=(HOSTILE,), problems=(Problem("note", HOSTILE),) * 30)
    tags = Tags()
    tags.feed(on_page(result))
    assert "script" not in tags.seen
    assert "img" not in tags.seen
    assert "<script" not in in_markdown(result)
    assert "\x1b[31m" not in terminal(result)
    assert "and 10 more" in terminal(result).lower()


def test_what_is_not_known_is_a_dash_and_a_reason() -> None:
    result = calibrate([verdict(i, "correct") for i in range(5)], [label(0, "correct")], RUBRIC)
    assert "Cohen's kappa: none: only one value" in terminal(result)
    assert "- Cohen's kappa: none: only one value" in in_markdown(result)
    assert "none: only one value" in on_page(result)


def test_labels_that_were_picked_leave_dashes() -> None:
    verdicts, labels = from_table({"correct": {"wrong": 7, "correct": 3}}, {"correct": 81})
    result = calibrate(verdicts, [replace(one, drawn="gate") for one in labels], RUBRIC)
    shown, lines = terminal(result), in_markdown(result)
    assert "Cohen's kappa: none: no label was drawn by chance" in shown
    assert "| correct | 100.0% | - | - | - | - | - |" in lines
    assert "post-stratified" not in shown
    assert "no label was drawn by chance" in on_page(result)


def test_one_of_a_thing_is_one() -> None:
    assert "and 1 more, all of them in --json" in terminal(found(problems=(Problem("note", "so"),) * 21))


def test_the_two_numbers_come_first_and_all_else_on_demand() -> None:
    result = found()
    assert result.headline.startswith("Of the answers the grader calls acceptable, 16.7% (")
    said = "of the answers the grader accepts are bad ("
    page, lines, shown = on_page(result), in_markdown(result), terminal(result)
    brief = terminal(result, details=False)
    for one in (page, lines, shown, brief):
        assert (
            said in one and "of the bad answers are caught (" in one and "36 answers labelled by people (anna)" in one
        )
        assert one.index("16.7%") < one.index(said) < one.index("held against")
    assert page.index(said) < page.index("<details>") < page.index("Cohen") < page.index("</details>")
    assert lines.index(said) < lines.index("<details>") < lines.index("Cohen") < lines.index("</details>")
    assert shown.index(said) < shown.index("Cohen")
    for one in (page, lines):
        picture, more = one.rindex("Where grader and labels differ"), one.rindex("What more labels would buy")
        assert one.index(said) < picture < one.index("graded correct") < more < one.index("<details>")
    assert '<div class="wrong" style="flex-grow: 4"' in page and "| graded correct | 20 | 4 | 0 | 0 | - |" in lines
    assert "Where grader and labels differ" not in brief
    assert "Cohen" not in brief and "post-stratified" not in brief and "--details" in brief


def test_estimated_shares_need_not_add_up_and_only_factuality_has_buckets() -> None:
    alone = "Each share has its own estimate and interval; together they need not be 100%."
    result = found()
    for one in (on_page(result), in_markdown(result), terminal(result)):
        assert alone in one
    verdicts, labels = from_table({"correct": {"correct": 20}, "wrong": {"wrong": 12, "correct": 3}})
    assert alone not in terminal(calibrate(verdicts, labels, RUBRIC)), "all answers are labelled: nothing is estimated"
    assert "the grader put into each bucket" in terminal(result)

    quality = [verdict(n, n % 4, axis="refusal_quality") for n in range(40)]
    checked = [label(n, n % 4 if n % 5 else 0, axis="refusal_quality") for n in range(24)]
    _, shown = terminal(calibrate(quality, checked, RUBRIC)).split("\nDetails\n")
    assert alone in shown and "the grader gave each value" in shown and "bucket" not in shown
