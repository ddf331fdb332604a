from __future__ import annotations

from html.parser import HTMLParser

from msgspec.structs import replace
from rich.console import Console

from surefoot.core.types import Passage, Problem
from surefoot.gate.calibrate import Calibration
from surefoot.report import html, markdown
from surefoot.report import terminal as terminal_form
from surefoot.report.calibration import report, title

from ..gate.test_calibrate import calibrated, from_table, label, verdict

HOSTILE = "<script>alert(1)</script> | [x](http://e.vil) \x1b[31m\u202e"


def found(**changes: object) -> Calibration:
    verdicts, labels = from_table({"correct": {"correct": 20, "wrong": 4}, "wrong": {"wrong": 12}}, {"correct": 60})
    verdicts = [replace(one, confidence=0.5 + number % 50 / 100) for number, one in enumerate(verdicts)]
    return replace(calibrated(verdicts, labels), **changes)


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
        "Of the answers it calls correct, 16.7% (", "of the bad ones, it finds ",
        "agreement, weighted to all answers: ", "Cohen's kappa: ",
        "The grader is sure of 100.0% of the answers; ", "36 labels on 36 questions: at least 50 are needed",
    ):  # fmt: skip
        assert said in page.replace("&#39;", "'").replace("&#x27;", "'"), said
        assert said in lines, said
        assert said in shown, said
    assert shown.index("it calls correct") < shown.index("people: correct") < shown.index("sensitivity")
    assert shown.index("sensitivity") < shown.index("The grader is sure") < shown.index("people differ")


def test_differences_are_shown_with_their_texts_the_surest_first() -> None:
    result = found()
    one = replace(result.differ[0], question="What is the fee?", answer="EUR 5 [p1]", reason="correct", note="it is 9",
                  cited=(Passage("p1", "The fee is EUR 9.", "prices"),))  # fmt: skip
    result = replace(result, differ=(one, *result.differ[1:]))
    assert [one.confidence for one in result.differ] == sorted(
        (one.confidence or 0 for one in result.differ), reverse=True
    )
    for said in (on_page(result), in_markdown(result), terminal(result)):
        for words in ("What is the fee?", "EUR 5", "The fee is EUR 9.", "the grader:", "people:", "it is 9"):
            assert words in said, words
    many = replace(result, differ=(one,) * 60)
    assert terminal(many).count("What is the fee?") == 3 and "57 more: --report FILE, or --json" in terminal(many)
    assert in_markdown(many).count("What is the fee?") == 50


def test_foreign_words_do_no_harm() -> None:
    result = found(grader=HOSTILE, annotators=(HOSTILE,), problems=(Problem("note", HOSTILE),) * 30)
    tags = Tags()
    tags.feed(on_page(result))
    assert on_page(result).count("<script") == 1  # ours
    assert "img" not in tags.seen
    assert "<script" not in in_markdown(result)
    assert "\x1b[31m" not in terminal(result)
    assert "and 10 more" in terminal(result).lower()


def test_what_is_not_known_is_a_dash_and_a_reason() -> None:
    result = calibrated([verdict(i, "correct") for i in range(5)], [label(0, "correct")])
    assert "0 labels on bad answers: too few to say how many it finds" in terminal(result)
    assert "kappa" not in terminal(result) and "| wrong | 0.0% | " in in_markdown(result)
    verdicts, labels = from_table({"correct": {"wrong": 7, "correct": 3}}, {"correct": 81})
    picked = calibrated(verdicts, [replace(one, drawn="chosen") for one in labels])
    for said in (on_page(picked), in_markdown(picked), terminal(picked)):
        assert said.count("no label was drawn by chance") == 1 and "sensitivity" not in said


def test_one_of_a_thing_is_one() -> None:
    assert "and 1 more, all of them in --json" in terminal(found(problems=(Problem("note", "so"),) * 21))


def test_other_axes_are_shown_on_demand() -> None:
    quality = [verdict(n, n % 4, axis="refusal_quality") for n in range(40)]
    checked = [label(n, n % 4 if n % 5 else 0, axis="refusal_quality") for n in range(24)]
    result = calibrated(quality, checked)
    assert title(result).endswith("24 labels on refusal_quality by people (anna)")
    assert "mean of the labels " not in terminal(result, details=False) and "--details" in terminal(
        result, details=False
    )
    for said in (terminal(result), in_markdown(result), on_page(result)):
        assert "mean of the labels " in said and "of the verdicts on the same answers" in said
