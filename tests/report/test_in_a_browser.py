"""The page as people read it: in a real browser, from a file, without a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from surefoot.core.records import Step
from surefoot.core.types import Evidence, Passage, Problem, Question, Retrieved, Trace, Verdict
from surefoot.council.rows import Mean, RunScores, ScoredAnswer
from surefoot.gate.decide import Request
from surefoot.gate.effects import CellResult
from surefoot.gate.metrics import Rule
from surefoot.gate.sides import Run
from surefoot.jobs.council import CouncilScores
from surefoot.jobs.gate import compare
from surefoot.jobs.overview import History, PastRun, Trend, overview_of
from surefoot.jobs.settings import load_gate
from surefoot.report import calibration, comparison, history, html, of, run
from surefoot.report.blocks import Report
from surefoot.store import Manifest

from ..axe import violations
from ..gate.test_calibrate import calibrated, label, verdict
from ..gate.test_effects import cell
from .hostile import HOSTILE
from .test_matrix import matrix_of

RULES = [Rule.parse(rule, name) for name, rule in load_gate("ship").items()]
URL = "http://127.0.0.1:1/report.html"
PASSAGE = "The lease names a fee. The rent is EUR 900 a month. It is due on the first."
Side = Callable[[int], str]
Page_ = Callable[[Sequence[str]], Report]  # in which each of the texts is wherever it can be


def version(name: str, bucket: Side, count: int, foreign: Callable[[int], str] = str) -> Run:
    """Answers to `count` questions; the n-th is in `bucket(n)`, and has `foreign(n)` wherever text can be."""
    found = Run(name, [], graders=("fixed/1",))
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
        found.traces[id, 1] = Trace(id, answer=answer, retrieved=Retrieved(passages), citations=("lease#2", "lease#3"))
    return found


def compared(count: int, foreign: Callable[[int], str] = str) -> Report:
    """A third became wrong, a third is wrong in both, a third is as before."""
    base = version("base", lambda n: "wrong" if n % 3 == 1 else "correct", count, foreign)
    cand = version("cand", lambda n: "correct" if n % 3 == 2 else "wrong", count, foreign)
    return comparison.report(compare([base], [cand], RULES, Request(called=("base", "cand"), uncalibrated=True)))


def one_run(count: int, foreign: Callable[[int], str] = str) -> Report:
    return run.report(overview_of([version("cand", lambda n: "correct" if n % 3 == 2 else "wrong", count, foreign)]))


def of_a_matrix(texts: Sequence[str]) -> Report:
    """Each text is a model that was down."""
    names = {"model": ("a", *texts), "prompt": ("plain", "licence")}
    rows = {"plain": ["wrong", "correct", "correct"] * 4, "licence": ["refused", "correct", "correct"] * 4}
    cells = [cell({"model": "a", "prompt": prompt}, row) for prompt, row in rows.items()]
    down = [CellResult(text, {"model": text, "prompt": "plain"}, text, failed=text) for text in texts]
    return of(matrix_of(texts[0], names, cells, down))


def of_a_council(texts: Sequence[str]) -> Report:
    answers = [
        ScoredAnswer(run=f"runs/{n % 2} {texts[0]}", question_id=f"q{n} {text}", attempt=1 + n % 2, question=text,
                     answer=text, score=float(n % 10), reason=text, by={f"r {text}": (None, text), "s": (8.0, "read")})
        for n, text in enumerate(texts)
    ]  # fmt: skip
    mean = Mean(7.5, 6.0, 8.0, 3)
    runs = [
        RunScores(run=f"runs/{n} {texts[0]}", rank=n + 1, overall=mean, behind=mean, dimensions={texts[0]: mean},
                  not_scored={texts[0]: 1}, capped={texts[0]: 1}, unsafe=(texts[0],), own=(texts[0],))
        for n in range(2)
    ]  # fmt: skip
    found = CouncilScores(
        rubric="council", council="council/pooled+council+01234567", reviewers=("r", "s"), runs=tuple(runs),
        answers=tuple(answers), rows=(),
    )  # fmt: skip
    return of(found)


def of_a_calibration(texts: Sequence[str]) -> Report:
    """Each text is somebody who labels, and a grader's reason."""
    people = [f"{text} {n}" for n, text in enumerate(texts)] * 2
    values = ["correct", "wrong"] * len(texts)
    verdicts = [verdict(n, value, reason=who) for n, (value, who) in enumerate(zip(values, people, strict=True))]
    labels = [label(n, "wrong" if n % 5 else "correct", who) for n, who in enumerate(people)]
    pairs = zip(texts[::2], [*texts[1::2], ""], strict=False)
    found = replace(calibrated(verdicts, labels), problems=[Problem("label", f"{one} {other}") for one, other in pairs])
    return calibration.report(found)


def past(texts: Sequence[str]) -> History:
    """Each text is a run, its version, and its grader."""
    measured = overview_of([version("cand", lambda _: "wrong", 4)])
    runs = tuple(
        PastRun(text, Manifest(version=text, pipeline="p", repeats=1, questions_sha256=str(n), question_count=4,
                               grader=text, council=text), measured)
        for n, text in enumerate(texts)
    )  # fmt: skip
    decided = Step(id="d", at="", mode="change", reference=texts[0], release=texts[1], base_runs=(texts[0],),
                   cand_runs=(texts[1],), outcome="BLOCK", exit_code=1)  # fmt: skip
    trends = tuple(Trend(text, 4, text, {text: measured}) for text in texts[:5])
    return History("surefoot.db", runs, trends, (decided,))


PAGES: dict[str, Page_] = {
    "comparison": lambda texts: compared(len(texts), texts.__getitem__),
    "run": lambda texts: one_run(len(texts), texts.__getitem__),
    "matrix": of_a_matrix,
    "council": of_a_council,
    "calibration": of_a_calibration,
    "history": lambda texts: history.report(past(texts)),
    "looks": lambda texts: history.looks(past(texts), can_label=False),
}


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
    expect(decision).to_contain_text("10 more of 30 answers are wrong")
    box = decision.bounding_box()
    assert box is not None and box["y"] < 100


def test_answers_are_searched_without_a_server(page: Page, thirty: Report) -> None:
    show(page, thirty)
    shown, said = page.locator("details.case:not([hidden])"), page.locator(".filters output")
    expect(shown).to_have_count(10)
    expect(shown.first).to_contain_text("correct \u2192 wrong")
    page.get_by_label("search").fill("HOUSE 12?")
    expect(shown).to_have_count(1)
    page.get_by_label("search").fill("nothing has these words")
    expect(said).to_have_text("0 of 10 shown")


def test_a_question_unfolds_into_both_answers_and_a_link_leads_to_it(page: Page, thirty: Report) -> None:
    show(page, thirty)
    first = page.locator("details.case").first
    first.locator("summary").first.click()
    expect(first.get_by_text("It is EUR 900 0").first).to_be_visible()
    expect(first).to_contain_text("a passage says something else")
    page.goto(f"{URL}?#answer-q0003")
    expect(page.locator("details.case[open]")).to_have_id("answer-q0003")
    page.emulate_media(media="print")
    assert page.locator(".case .quote:visible").count() > 0
    page.emulate_media(media="screen")


def test_our_words_are_explained(page: Page, thirty: Report) -> None:
    show(page, thirty)
    expect(page.locator("abbr[title]").filter(has_text=re.compile("^wrong$")).first).to_have_attribute(
        "title", re.compile("contradicts")
    )
    page.locator(".glossary summary").click()
    expect(page.locator(".glossary dd").first).to_be_visible()


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_everyone_can_use_every_page_by_day_and_night_and_on_paper(make: Page_, page: Page, console: list[str]) -> None:
    show(page, make(["one", "two", "three"]))
    for one in page.locator("details.case summary").all()[:3]:
        one.click()
    for width, scheme, ground in ((1280, "light", "rgb(255, 255, 255)"), (390, "dark", "rgb(22, 24, 28)")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        assert violations(page) == []
    page.emulate_media(media="print")
    for shown_nowhere in page.locator(".filters").all():
        expect(shown_nowhere).to_be_hidden()
    for folded in page.locator("details.case:not(.calm)").all()[-1:]:
        expect(folded.locator(".quote, table").first).to_be_visible()
    assert console == []


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_hostile_texts_are_shown_and_do_nothing(make: Page_, page: Page, console: list[str]) -> None:
    assert len(HOSTILE) >= 60
    show(page, make(HOSTILE))
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for choice in page.locator(".filters select").all()[:1]:
        total = page.locator(".case").count()
        choice.select_option(index=1)
        assert 0 < page.locator(".case:not([hidden])").count() < total
    assert page.evaluate("window.hit") is None and console == []
    strange = "img, iframe, object, embed, link, base, form, video, audio, svg script, style ~ style, marquee, template"
    assert page.locator(strange).count() == 0 and page.locator("script").count() <= 1
    attributes = "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())"
    assert not [name for name in page.evaluate(attributes) if name.startswith("on")]
    shown = page.evaluate("document.body.textContent")
    missing = [text for text in HOSTILE if html.cut(" ".join(text.split()), 300) not in " ".join(shown.split())]
    assert missing == [], "all of it is there to be read"
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hit = 1'}))")
    assert page.evaluate("window.hit") is None, "no other script could run"


def test_a_cell_of_a_notebook_shows_the_page_and_keeps_to_itself(page: Page) -> None:
    cells = [one_run(len(HOSTILE), HOSTILE.__getitem__)._repr_html_(), html.cell(one_run(101))]
    cells.append(html.cell(html.listing(HOSTILE[0], [{"answer": text, "n": 1} for text in HOSTILE])))
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
    show(page, one_run(400))
    page.get_by_label("search").fill("house 399?")
    expect(page.locator("details.case:not([hidden])")).to_have_count(1)
