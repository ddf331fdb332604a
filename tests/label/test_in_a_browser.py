"""The label page as people use it: a real browser, the real command, a real project."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from surefoot.core.records import current
from surefoot.core.types import Passage, Retrieved, Trace

from ..report.hostile import HOSTILE as TEXTS
from ..served import ending_well
from .page import Server, make_run, rows, serving, trace, wait_for

HOSTILE = "\n\n".join(TEXTS) + (
    "<script>alert('script')</script><img src=x onerror=alert('img')><svg onload=alert(1)></svg> "
    "</div></section></main></body> <a href=\"javascript:alert('link')\">here</a> <iframe src=//evil.example></iframe> "
    "{{ 7*7 }} {% raw %} ${7*7} <!-- &lt;b&gt; --> \"quoted' \u202egnorw\u202c \u2066 \x07\x1b[31m\x00 end [doors#0]."
)


def answered(page: Page) -> int:
    """How many are labelled, as the page says."""
    return int(page.locator("header .progress b").inner_text())


def press(page: Page, *keys: str) -> None:
    """Press keys of which the last leads to another page, and wait for that one."""
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def test_twenty_answers_by_keyboard_with_a_reload_in_the_middle(mill: str, page: Page) -> None:
    with serving(mill) as server:
        page.goto(server.url)
        expect(page.locator("#name")).to_be_focused()
        page.keyboard.type("Ana")
        press(page, "Enter")
        for number in range(20):
            assert answered(page) == number
            page.keyboard.press("3" if number % 2 else "1")
            if number == 10:
                page.keyboard.press("n")
                page.keyboard.type("faded paint")
                page.reload()
                expect(page.locator("input[value=correct]")).to_be_checked()
                expect(page.locator("#note")).to_have_value("faded paint")
            press(page, "Enter")
        assert answered(page) == 20
    labels = rows()
    assert [row.value for row in labels] == ["correct", "unsupported"] * 10
    assert {row.annotator for row in labels} == {"Ana"} and len({row.version for row in labels}) == 20
    assert [row.note for row in labels if row.note] == ["faded paint"]
    assert [row.drawn for row in labels] == ["flagged"] * 10 + ["sample"] * 10


def test_every_axis_of_the_rubric_can_be_answered_by_keys_alone(mill: str, page: Page) -> None:
    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        press(page, "1", "Tab", "1", "Tab", "2", "Tab", "7", "Enter")
        said = {row.axis: row.value for row in rows()}
        assert said == {
            "factuality": "correct", "citation_exists": "yes", "citation_supports": "partly", "extra_claim_count": 7,
        }  # fmt: skip
        quality = page.locator("[data-axis=refusal_quality]")
        expect(quality).to_be_hidden()
        page.keyboard.press("4")  # the grader is not asked whether it is a refusal: the person says so
        expect(quality).to_be_visible()
        press(page, "Tab", "1", "Tab", "3", "Tab", "2", "Enter")
    said = {row.axis: row.value for row in rows()[4:]}
    assert said == {
        "factuality": "refused", "citation_exists": "yes", "citation_supports": "no", "refusal_quality": 2,
    }  # fmt: skip


def test_another_key_corrects_a_choice_and_backspace_takes_it_back(mill: str, page: Page) -> None:
    def chosen() -> dict[str | None, str | None]:
        found = page.locator("input[type=radio]:checked")
        axes = found.evaluate_all("all => all.map((one) => [one.closest('.axis').dataset.axis, one.value])")
        return dict(axes)

    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        for key, bucket in (("1", "correct"), ("2", "wrong"), ("t", "cannot tell"), ("2", "wrong"), ("2", "wrong")):
            page.keyboard.press(key)
            assert chosen() == {"factuality": bucket}
        page.keyboard.press("Backspace")
        assert chosen() == {} and page.locator("#status").inner_text() == "Taken back: wrong"
        page.keyboard.press("Backspace")  # nothing is left to take back
        for key in ("3", "Tab", "1"):
            page.keyboard.press(key)
        assert chosen() == {"factuality": "unsupported", "citation_exists": "yes"}
        page.keyboard.press("Delete")
        assert chosen() == {"factuality": "unsupported"}
        for key in ("1", "Tab", "2", "Tab", "1", "2", "Backspace"):  # a number loses its last digit first
            page.keyboard.press(key)
        expect(page.locator(".count")).to_have_value("1")
        page.keyboard.down("Backspace")
        for _ in range(5):  # held down, it stops at the number
            page.keyboard.down("Backspace")
        page.keyboard.up("Backspace")
        expect(page.locator(".count")).to_have_value("")
        assert len(chosen()) == 3
        page.keyboard.press("Backspace")
        assert chosen() == {"factuality": "unsupported", "citation_exists": "yes"}
        page.keyboard.press("?")
        expect(page.locator("#help dt", has_text="Backspace")).to_be_visible()
        assert "once more takes" not in page.locator("#help").inner_text()
        page.keyboard.press("Escape")
        press(page, "Enter")
    assert {row.axis: row.value for row in rows()} == {"factuality": "unsupported", "citation_exists": "yes"}


def test_cannot_tell_is_an_answer_with_a_reason(mill: str, page: Page) -> None:
    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        first = page.url
        page.keyboard.press("t")
        expect(page.locator("[data-axis=citation_exists]")).to_be_hidden()
        page.keyboard.press("n")
        page.keyboard.type("the page is cut off")
        press(page, "Enter")
        assert page.url != first and answered(page) == 0
        expect(page.locator("header .progress")).to_contain_text("1 you cannot tell")
        press(page, "k")
        assert page.url == first
        expect(page.locator("input[value='cannot tell']")).to_be_checked()
        expect(page.locator("#note")).to_have_value("the page is cut off")
    assert [(row.axis, row.value, row.note) for row in rows()] == [
        ("factuality", None, "cannot tell: the page is cut off")
    ]


def test_when_the_gate_is_served_the_page_says_what_a_sample_still_needs(mill: str, page: Page) -> None:
    needed = [{"question_id": f"q{n}", "attempt": 1, "side": "cand", "run": mill} for n in (5, 9)]
    wait_for(mill, needed)
    with serving(mill, "--annotator", "Ana", "--only-gate", "--target", "3") as server:
        page.goto(server.url)
        press(page, "1", "Enter")
        press(page, "1", "Enter")
        expect(page.locator("h1")).to_have_text("The gate has what it asked for")
        expect(page.locator("#sample")).to_contain_text("not as a sample")
        expect(page.locator("#sample")).to_contain_text(
            "Of the 3 drawn answers that the target needs, 0 are labelled; 3"
        )
        expect(page.locator("#sample")).to_contain_text("without --only-gate for them.")
    with serving(mill, "--annotator", "Ana", "--target", "3") as server:
        page.goto(server.url)
        press(page, "1", "Enter")
        expect(page.locator("h1")).to_have_text("Done: 3 answers are labelled")
        expect(page.locator("#sample")).to_contain_text("1 is labelled; 2 more to go.")


def test_undo_goes_back_and_a_changed_label_is_a_new_row(mill: str, page: Page) -> None:
    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        first = page.url
        press(page, "1", "Enter")
        second = page.url
        press(page, "2", "Enter")
        press(page, "u")
        assert page.url == second and answered(page) == 1
        expect(page.locator("input[value=wrong]")).not_to_be_checked()
        press(page, "k")
        assert page.url == first
        press(page, "3", "Enter")  # another value for the first
        assert page.url == second
        press(page, "u")
        assert page.url == first
        expect(page.locator("input[value=correct]")).to_be_checked()
        page.keyboard.press("Backspace")
        page.keyboard.press("Enter")
        expect(page.locator("#message")).to_contain_text("Choose first: Which bucket is the answer in?")
    labels = rows()
    assert [row.value for row in labels] == ["correct", "wrong", None, "unsupported", "correct"]
    assert [row.value for row in current(labels)] == ["correct"]


def test_skipping_comes_back_at_the_end_and_help_opens(mill: str, page: Page) -> None:
    with serving(mill, "--annotator", "Ana", "--target", "2") as server:
        page.goto(server.url)
        first = page.url
        press(page, "s")
        assert page.url != first
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("s")  # no key of the page while the list is open
        page.keyboard.press("Escape")
        press(page, "1", "Enter")
        press(page, "1", "Enter")
        expect(page.locator("h1")).to_contain_text("2 answers are labelled")
        press(page, "u")  # the last one was a slip
        assert answered(page) == 1
        press(page, "2", "Enter")
        press(page, "Enter")
        assert page.locator("#label-form").count() == 1 and answered(page) == 2


def test_a_double_press_and_a_second_tab_make_one_label(mill: str, page: Page, window: BrowserContext) -> None:
    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        second = window.new_page()
        second.goto(page.url)
        second.keyboard.press("1")
        page.keyboard.press("1")
        with page.expect_navigation(), second.expect_navigation():  # the other tab sees it and shows it
            page.evaluate("() => { for (const _ of [1, 2]) document.querySelector('button.save').click(); }")
        expect(second.locator("input[value=correct]")).to_be_checked()
        assert answered(second) == 1
        press(second, "Enter")
    assert len(rows()) == 1


def test_two_annotators_at_once_get_answers_of_their_own_and_some_in_common(mill: str, browser: Browser) -> None:
    with serving(mill, "--overlap", "0.25") as server:
        seen: dict[str, list[str]] = {"Ana": [], "Ben": []}
        windows = {name: browser.new_context() for name in seen}
        pages = {name: made.new_page() for name, made in windows.items()}
        for name, page in pages.items():
            page.goto(server.url)
            page.fill("#name", name)
            press(page, "Enter")
        for _ in range(6):
            for name, page in pages.items():
                seen[name].append(page.url)
                press(page, "1" if name == "Ana" else "2", "Enter")
        for made in windows.values():
            made.close()
    common = set(seen["Ana"]) & set(seen["Ben"])
    assert 1 <= len(common) <= 3 and len(set(seen["Ana"])) == len(set(seen["Ben"])) == 6
    assert sorted((row.annotator, row.value) for row in rows()) == [("Ana", "correct")] * 6 + [("Ben", "wrong")] * 6


def test_a_link_with_the_token_opens_the_page_wherever_it_is_clicked(mill: str, page: Page) -> None:
    with serving(mill, "--token", "known to the team", "--annotator", "Ana") as server:
        page.goto(server.url)
        assert "needs its token" in page.content()
        page.goto("about:blank")  # as from a mail or a chat: a cookie that is strict is not sent from there
        page.set_content(f"<a href='{server.told['url']}'>label these</a>")
        page.click("a")
        page.wait_for_url("**/answers/*")
        assert "token" not in page.url
        press(page, "1", "Enter")
    assert len(rows()) == 1


def test_cookies_that_are_cleared_cost_no_label(mill: str, page: Page, window: BrowserContext) -> None:
    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        window.clear_cookies()
        press(page, "1", "Enter")
    assert [row.value for row in rows()] == ["correct"]


def test_a_killed_server_loses_nothing(mill: str, page: Page) -> None:
    server = Server(mill, "--annotator", "Ana")
    page.goto(server.url)
    press(page, "1", "Enter")
    here = page.url
    page.keyboard.press("2")
    server.kill()
    page.keyboard.press("Enter")
    expect(page.locator("#message")).to_contain_text("NOT saved: the server does not answer")
    expect(page.locator("input[value=wrong]")).to_be_checked()
    with serving(mill, "--annotator", "Ana", "--port", str(server.port)):
        press(page, "Enter")
        assert answered(page) == 2 and page.url != here
    assert [(row.value, row.drawn) for row in rows()] == [("correct", "flagged"), ("wrong", "flagged")]


def test_what_was_undone_after_a_lost_reply_can_be_saved_again(mill: str, page: Page) -> None:
    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    with serving(mill, "--annotator", "Ana") as server:
        page.goto(server.url)
        here = page.url
        page.route("**/label", lose)
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        expect(page.locator("#message")).to_contain_text("still running? Your choices are kept here")
        page.unroute("**/label")
        page.goto(server.url)
        assert page.url != here and answered(page) == 1
        press(page, "u")
        assert page.url == here
        expect(page.locator("#status")).to_contain_text("Not saved yet")
        press(page, "Enter")
        assert page.url != here and answered(page) == 1
    assert [row.value for row in rows()] == ["wrong", None, "wrong"]


def test_a_project_that_cannot_be_written_to_is_said_on_the_page(mill: str, page: Page, db: Path) -> None:
    server = Server(mill, "--annotator", "Ana")
    page.goto(server.url)
    with sqlite3.connect(db) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON verdicts BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#message")).to_contain_text("NOT saved:")
    expect(page.locator("#message")).to_contain_text("disk is full")
    assert not re.search(r"[.?!]\.", page.locator("#message").inner_text())
    page.reload()
    expect(page.locator("input[value=wrong]")).to_be_checked()
    with sqlite3.connect(db) as database:
        database.execute("DROP TRIGGER full")
    database.close()
    press(page, "Enter")
    said = server.end()
    assert "disk is full" in said and "Traceback" not in said
    assert [row.value for row in rows()] == ["wrong"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A run of ordinary, hostile and very long answers, for tests that look rather than label."""
    words = "The mill has a door that is red and was painted in May 2024. "
    passages = (Passage("doors#0", HOSTILE, HOSTILE, 1), Passage(HOSTILE, "slate", "</h3><script>alert(3)</script>"))
    hostile = Trace("q1", answer=HOSTILE, retrieved=Retrieved(passages))
    answers = [trace(0), hostile, trace(2, words * 3_400), *map(trace, range(3, 12))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUREFOOT_DB", str(tmp_path_factory.mktemp("shared") / "surefoot.db"))
        server = Server(make_run("shared", answers), "--annotator", "<b>Eve</b>")
    with ending_well(server):
        yield server


def test_hostile_text_is_text(shared: Server, page: Page) -> None:
    page.goto(f"{shared.url}/answers/2")
    shown = page.locator(".answer").inner_text()
    assert "<script>alert('script')</script>" in shown and "{{ 7*7 }} {% raw %} ${7*7}" in shown
    assert "\u202e" not in shown and "\u2066" not in shown and "\x1b" not in shown and "\ufffdgnorw\ufffd" in shown
    assert page.locator(".answer script, .answer img, .answer iframe, .answer svg").count() == 0
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 2 and page.locator(".who").inner_text() == "<b>Eve</b>"
    page.keyboard.press("o")
    titles = "\n".join(page.locator(".source h3").all_inner_texts())
    assert "<script>alert('script')</script>" in titles and "</h3><script>alert(3)</script>" in titles
    assert page.locator(".source script, .source img, .source iframe, .source svg, .source a").count() == 0
    links = [a.get_attribute("href") for a in page.locator(".answer a").all()]
    assert links and all(re.fullmatch(r"#source-\d+", str(link)) for link in links)
    page.keyboard.press("n")
    page.keyboard.type('"></input><script>alert(2)</script>')
    page.keyboard.press("Escape")
    press(page, "2", "Enter")
    page.goto(f"{shared.url}/answers/2")
    expect(page.locator("#note")).to_have_value('"></input><script>alert(2)</script>')


def test_a_very_long_answer_is_shown_whole_and_the_form_stays_in_sight(shared: Server, page: Page) -> None:
    page.goto(f"{shared.url}/answers/3")
    assert len(page.locator(".answer").inner_text()) > 200_000
    expect(page.locator("button.save").first).to_be_in_viewport()
    press(page, "1", "Enter")


def test_a_phone_needs_no_sideways_scrolling_and_works_by_touch(browser: Browser, tmp_path: Path) -> None:
    answers = [trace(0, HOSTILE), trace(1, "x" * 500 + " [doors#1]."), trace(2)]
    run = make_run("phone", answers)
    window = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = window.new_page()
    with serving(run, "--annotator", "Ana") as server:
        for number in (1, 2, 3):
            page.goto(f"{server.url}/answers/{number}")
            page.locator("#others summary").tap()
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
            choice = page.locator(".choice", has_text="unsupported")
            choice.tap()
            box = choice.bounding_box()
            assert box and box["height"] >= 44
            with page.expect_navigation():
                page.locator("button.save").first.tap()
    window.close()
    assert [row.value for row in rows()] == ["unsupported"] * 3


def test_nothing_on_the_page_tells_what_the_grader_said(shared: Server, page: Page) -> None:
    page.goto(f"{shared.url}/answers/6")
    content = page.content()
    assert "flagged" not in content and "rules@1" not in content and "drawn" not in content
    page.keyboard.press("e")
    expect(page.locator("#expected li")).to_be_visible()
    page.reload()
    expect(page.locator("#expected li")).to_be_visible()  # whoever wants to see it need not open it each time


def test_claims_and_the_words_they_share_with_their_passage_are_marked(shared: Server, page: Page) -> None:
    page.goto(f"{shared.url}/answers/1")
    cited = page.locator(".source").first
    assert cited.locator("mark").all_inner_texts() == ["door", "0", "mill", "red"]
    page.keyboard.press("c")
    assert page.locator(".claim.now").inner_text() == "Door 0 of the mill is red [doors#0]."
    assert cited.locator("mark.now").count() == 4


def test_the_page_speaks_to_screen_readers(shared: Server, page: Page) -> None:
    page.goto(f"{shared.url}/answers/5")
    expect(page.get_by_role("group", name="Which bucket is the answer in?")).to_be_visible()
    expect(page.get_by_role("radio", name="unsupported")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Note")).to_be_visible()
    expect(page.get_by_role("progressbar", name="labelled by everyone")).to_be_visible()
    expect(page.get_by_role("region", name="Passages")).to_be_visible()
    page.keyboard.press("?")
    page.get_by_role("checkbox").check()
    page.keyboard.press("Escape")
    page.keyboard.press("s")  # letters are left to the reader now
    page.keyboard.press("1")
    expect(page.locator("input[value=correct]")).to_be_checked()
    assert page.url == f"{shared.url}/answers/5"
