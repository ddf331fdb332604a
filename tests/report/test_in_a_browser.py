"""The page as people read it: in a real browser, from a file, without a server."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from surefoot.gate.decide import compare
from surefoot.gate.judge import Request
from surefoot.gate.overview import overview_of
from surefoot.gate.rules import Rule
from surefoot.gate.sides import Run
from surefoot.io import gatefiles
from surefoot.report import comparison, html, notebook, run
from surefoot.report.blocks import Report
from surefoot.types import Evidence, Passage, Question, Retrieved, Trace, Verdict

from ..axe import violations
from .hostile import HOSTILE

RULES = [Rule.parse(rule, name) for name, rule in gatefiles.load("ship").items()]
URL = "http://127.0.0.1:1/report.html"
PASSAGE = "The lease names a fee. The rent is EUR 900 a month. It is due on the first."
Side = Callable[[int], str]


def version(name: str, bucket: Side, count: int, foreign: Callable[[int], str] = str) -> Run:
    """Answers to `count` questions; the n-th is in `bucket(n)`, and has `foreign(n)` wherever text can be."""
    found = Run(name, [], {}, {}, ("fixed/1",))
    for n in range(count):
        id, text, value = f"q{n:04}", foreign(n), bucket(n)
        claim = Evidence(f"The rent is EUR 700 {text}", "lease#2", "The rent is EUR 900 a month.",
                         "supported" if value == "correct" else "contradicted")  # fmt: skip
        reason = {"correct": "correct", "wrong": "contradicted"}.get(value, text)
        found.verdicts.append(
            Verdict(id, "factuality", value, "fixed/1", reason=reason, confidence=0.9, evidence=(claim,))
        )
        found.questions[id] = Question(
            id, f"What is the rent of house {text}?", "answer", stratum=f"s{n % 3} {text}" if n < 200 else "rest",
            gold_ids=("lease#2",), gold_claims=(f"It is EUR 900 {text}",),
        )  # fmt: skip
        passages = [Passage("lease#2", PASSAGE, text, 3), Passage("lease#3", text, text)]
        answer = f"The rent is EUR {900 if value == 'correct' else 700} {text} [lease#2]."
        found.traces[id, 1] = Trace(
            id, answer=answer, retrieved=Retrieved(passages), citations=("lease#2", "lease#3"), error=text
        )
    return found


def compared(count: int, foreign: Callable[[int], str] = str) -> Report:
    """A third became wrong, a third is wrong in both, a third is as before."""
    base = version("base", lambda n: "wrong" if n % 3 == 1 else "correct", count, foreign)
    cand = version("cand", lambda n: "correct" if n % 3 == 2 else "wrong", count, foreign)
    return comparison.report(compare([base], [cand], RULES, Request(uncalibrated=True)))


def one_run(count: int, foreign: Callable[[int], str] = str) -> Report:
    return run.report(overview_of([version("cand", lambda n: "correct" if n % 3 == 2 else "wrong", count, foreign)]))


def show(page: Page, report: Report) -> None:
    """As if it were opened from a disk: whatever else the page asks for is nowhere."""
    page.route("**/*", lambda route: route.fulfill(body=html.page(report), content_type="text/html; charset=utf-8"))
    page.goto(URL)


@pytest.fixture(scope="module")
def thirty() -> Report:
    return compared(30)


def test_the_decision_and_why_come_first(page: Page, thirty: Report) -> None:
    show(page, thirty)
    decision = page.locator(".decision")
    expect(decision).to_contain_text("10 answers became wrong; no bad answer got better.")
    box = decision.bounding_box()
    assert box is not None and box["y"] < 100
    expect(page.locator(".number-line").first).to_contain_text("wrong")
    expect(page.locator(".flow title").filter(has_text="10 correct to wrong")).to_have_count(1)


def test_answers_are_filtered_and_searched_without_a_server(page: Page, thirty: Report) -> None:
    show(page, thirty)
    shown, said = page.locator("details.case:not([hidden])"), page.locator(".filters output")
    expect(shown).to_have_count(30)
    expect(shown.first).to_contain_text("correct \u2192 wrong")
    page.get_by_label("change").select_option("bad in both")
    expect(shown).to_have_count(10)
    expect(said).to_have_text("10 of 30 shown")
    page.get_by_label("search").fill("HOUSE 13?")
    expect(shown).to_have_count(1)
    page.get_by_label("search").fill("nothing has these words")
    expect(said).to_have_text("0 of 30 shown")


def test_an_answer_unfolds_into_its_claims_and_the_words_that_decide(page: Page, thirty: Report) -> None:
    show(page, thirty)
    first = page.locator("details.case").first
    first.locator("summary").first.click()
    expect(first.get_by_text("It is EUR 900 0")).to_be_visible()
    expect(first.locator("mark.contradicted")).to_have_text("The rent is EUR 900 a month.")
    expect(first.locator("mark.supported")).to_have_count(1)
    expect(first).to_contain_text("a passage says something else")
    expect(first).to_contain_text("Grader's confidence: 90%.")


def test_our_words_are_explained(page: Page, thirty: Report) -> None:
    show(page, thirty)
    expect(page.locator("abbr[title]").filter(has_text=re.compile("^wrong$")).first).to_have_attribute(
        "title", re.compile("contradicts")
    )
    page.locator(".glossary summary").click()
    expect(page.locator(".glossary dd").first).to_be_visible()


@pytest.mark.parametrize("make", [compared, one_run])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(make: Callable[[int], Report], scheme: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    show(page, make(12))
    for one in page.locator("details.case summary").all()[:3]:
        one.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize(
    ("make", "scheme", "width"),
    [(compared, "light", 1280), (compared, "dark", 390), (one_run, "dark", 1280), (one_run, "light", 390)],
)
def test_everyone_can_use_it(
    make: Callable[[int], Report], scheme: Literal["light", "dark"], width: int, page: Page
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    show(page, make(6))
    for one in page.locator("details.case summary").all()[:3]:
        one.click()
    assert violations(page) == []


def test_paper_has_every_answer_and_no_controls(page: Page, thirty: Report) -> None:
    show(page, thirty)
    page.emulate_media(media="print")
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator("details.case").last.locator("pre").first).to_be_visible()


@pytest.mark.parametrize("make", [compared, one_run])
def test_hostile_texts_are_shown_and_do_nothing(make: Callable[..., Report], page: Page) -> None:
    assert len(HOSTILE) >= 60
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    show(page, make(len(HOSTILE), HOSTILE.__getitem__))
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.get_by_label("stratum").select_option(index=2)
    expect(page.locator("details.case:not([hidden])")).to_have_count(1)
    assert page.evaluate("window.hit") is None and refused == []
    strange = "img, iframe, object, embed, link, base, form, video, audio, svg script, style ~ style, marquee, template"
    assert page.locator(strange).count() == 0 and page.locator("script").count() == 1
    attributes = "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())"
    assert not [name for name in page.evaluate(attributes) if name.startswith("on")]
    assert page.evaluate("document.body.textContent").count("<svg/onload=window.hit=1>") > 3, "it is there to be read"


def test_no_other_script_could_run(page: Page, thirty: Report) -> None:
    page.on("console", lambda _: None)
    show(page, thirty)
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hit = 1'}))")
    assert page.evaluate("window.hit") is None


def test_a_cell_of_a_notebook_shows_the_page_and_keeps_to_itself(page: Page) -> None:
    cells = [notebook.cell(compared(len(HOSTILE), HOSTILE.__getitem__)), notebook.cell(compared(101))]
    cells.append(notebook.cell(notebook.listing(HOSTILE[0], [{"answer": text, "n": 1} for text in HOSTILE])))
    host = "<!doctype html><style>p, li { color: red !important }</style><p id=out>"
    page.route("**/*", lambda route: route.fulfill(body=host, content_type="text/html"))
    page.goto(URL)
    page.locator("#out").evaluate("(out, cells) => { out.innerHTML = cells.join('') }", cells)
    first, second, third = (page.frame_locator("iframe").nth(number) for number in range(3))
    expect(first.locator(".filters output")).to_have_text(f"all {len(HOSTILE)} shown")
    expect(first.locator(".decision p").first).not_to_have_css("color", "rgb(255, 0, 0)")
    expect(second.get_by_text("And 1 more, all of them on the page")).to_have_count(1)
    expect(third.locator("tbody tr")).to_have_count(50)
    assert [frame.evaluate("window.hit") for frame in page.frames] == [None] * 4
    assert page.locator("body > :not(p, iframe)").count() == 0, "no text has left its frame"


def test_many_questions_can_be_searched(page: Page) -> None:
    show(page, compared(400))
    page.get_by_label("search").fill("house 399?")
    expect(page.locator("details.case:not([hidden])")).to_have_count(1)
