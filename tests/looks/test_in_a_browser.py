"""The look page as people use it: a real browser, the real command, a real project."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from surefoot.core.records import current
from surefoot.core.types import Passage, Retrieved, Trace

from ..axe import violations
from ..report.hostile import HOSTILE as TEXTS
from ..served import ending_well
from .page import Server, make_run, make_versions, rows, serving, trace

HOSTILE = "\n\n".join(TEXTS) + (
    "<script>alert('script')</script><img src=x onerror=alert('img')><svg onload=alert(1)></svg> "
    "</div></section></main></body> <a href=\"javascript:alert('link')\">here</a> <iframe src=//evil.example></iframe> "
    "{{ 7*7 }} {% raw %} ${7*7} <!-- &lt;b&gt; --> \"quoted' \u202egnorw\u202c \u2066 \x07\x1b[31m\x00 end [doors#0]."
)


def press(page: Page, *keys: str) -> None:
    """Press keys of which the last leads to another page, and wait for that one."""
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def seen(page: Page) -> int:
    """How many are looked at, as the page says."""
    return int(page.locator("header .progress").inner_text().split()[0])


def test_twenty_pairs_by_keyboard_alone_with_a_reload_in_the_middle(page: Page) -> None:
    with serving(*make_versions(30, 26)) as server:
        page.goto(server.url)
        expect(page.locator("#name")).to_be_focused()
        page.keyboard.type("Ana")
        press(page, "Enter")
        for number in range(20):
            assert seen(page) == number and page.locator(".side").count() == 2
            if number == 10:
                page.keyboard.press("c")
                page.reload()
                expect(page.locator(".side .value:visible")).to_have_count(0)
            press(page, "c", "r" if number % 2 else "c")
        expect(page.locator("h1")).to_have_text("Done: 20 pairs that differ looked at")
        expect(page.locator("#verdict")).to_contain_text("The gate would say")
        press(page, "Enter")
        assert seen(page) == 20 and "of 26" in page.locator("header .progress").inner_text()
        expect(page.locator("#notice")).to_contain_text("The gate would say")
        page.locator("#notice .close").press("Enter")
        expect(page.locator("#notice")).to_be_hidden()
    assert len(rows()) == 40 and {row.annotator for row in rows()} == {"Ana"}


def test_arrows_and_tab_change_the_answer_that_keys_go_to(page: Page) -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        page.goto(server.url)
        left, right = (page.locator(".side").nth(number) for number in (0, 1))
        expect(left).to_have_class("side now")
        page.keyboard.press("ArrowRight")
        expect(right).to_have_class("side now")
        expect(page.locator("#active")).to_have_text("Right answer:")
        page.keyboard.press("u")
        expect(right.locator(".value")).to_have_text("unsupported")
        expect(left).to_have_class("side now")
        right.focus()
        page.keyboard.press("c")  # corrects it
        expect(right.locator(".value")).to_have_text("correct")
        page.keyboard.press("z")
        expect(right.locator(".value")).to_be_hidden()
        right_key = right.get_attribute("data-key")
        page.keyboard.press("?")
        press(page, "c")
    assert {row.version == right_key: row.value for row in rows()} == {True: None, False: "correct"}


def test_what_was_labelled_before_is_passed_over(page: Page) -> None:
    make_run("a0", [trace(0)], version="v1")
    make_run("b0", [trace(0, "It is black [doors#0].")], version="v2")
    make_run("b1", [trace(0, "There are 2 colours [doors#0].")], version="v2")
    with serving("v1", "v2", "--annotator", "Ana") as server:
        page.goto(server.url)
        press(page, "c", "c")
        expect(page.locator(".side .value:visible")).to_have_text(["correct"])
        press(page, "r")
        expect(page.locator("h1")).to_contain_text("Done: 2 pairs that differ looked at")
    assert len(rows()) == 3


def test_more_can_be_said_and_saved_by_keys_alone(page: Page) -> None:
    with serving(*make_versions(), "--annotator", "Ana", "--target", "1") as server:
        page.goto(server.url)
        key = page.locator(".side").first.get_attribute("data-key")
        page.keyboard.press("o")
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        page.keyboard.press("Tab")  # into the first question again
        panel = page.locator(".more:visible")
        expect(panel.locator("[data-axis=refusal_quality]")).to_be_hidden()
        named = panel.locator("[data-axis=refusal_quality] .choice").all_text_contents()
        assert named[0] == "0 A flat refusal." and len(named) == 4 and all(len(one) > 9 for one in named)
        panel.locator("[data-axis=citation_exists] input[value=yes]").focus()
        page.keyboard.press("Space")
        panel.locator(".count").focus()
        page.keyboard.type("7")
        panel.locator(".note input").focus()
        page.keyboard.type("faded paint")
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        press(page, "c", "Enter")
    said = {row.axis: row.value for row in rows() if row.version == key}
    assert said == {"factuality": "correct", "citation_exists": "yes", "extra_claim_count": 7}
    assert [row.note for row in rows() if row.note] == ["faded paint"]


def test_a_group_is_labelled_with_one_key_or_split(page: Page) -> None:
    with serving(*make_versions(4, 2, runs=3), "--annotator", "Ana") as server:
        page.goto(server.url)
        expect(page.locator(".group")).to_have_count(1)
        expect(page.locator(".group .text")).to_have_count(4)
        assert page.locator(".group b.differs").count() > 0
        press(page, "c", "c")
        assert len(rows()) == 6
        page.keyboard.press("x")
        expect(page.locator(".group")).to_be_hidden()
        press(page, "c", "c")
        assert len(rows()) == 8 and page.locator(".side").count() >= 1


def test_undo_goes_back_and_so_does_b(page: Page) -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        page.goto(server.url)
        first = page.url
        press(page, "c", "c")
        second = page.url
        press(page, "b")
        assert page.url == first
        expect(page.locator(".side .value")).to_have_text(["correct", "correct"])
        press(page, "r")  # corrects the left one, and goes on
        assert page.url == second
        press(page, "z")
        expect(page.locator(".side .value")).to_have_text(["correct"])
        press(page, "z")
        assert page.url == first and seen(page) == 0
    assert current(rows()) == []


def test_a_double_press_and_a_second_tab_make_one_label(page: Page, window: BrowserContext) -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        page.goto(server.url)
        second = window.new_page()
        second.goto(page.url)
        second.keyboard.press("c")
        page.keyboard.press("c")
        with page.expect_navigation():
            page.evaluate("() => { for (const _ of [1, 2]) document.querySelector('button[value=correct]').click(); }")
        press(second, "c")
    assert len(rows()) == 2


def test_a_killed_server_loses_nothing(page: Page) -> None:
    names = make_versions()
    server = Server(*names, "--annotator", "Ana")
    page.goto(server.url)
    press(page, "c", "c")
    here = page.url
    server.kill()
    page.keyboard.press("c")
    page.keyboard.press("r")
    expect(page.locator("#message")).to_contain_text("NOT saved: the server does not answer")
    expect(page.locator(".side .value")).to_have_text(["correct", "refused"])
    with serving(*names, "--annotator", "Ana", "--port", str(server.port)):
        press(page, "Enter")
        assert seen(page) == 2 and page.url != here
    assert len(rows()) == 4


def test_a_project_that_cannot_be_written_to_is_said_on_the_page(page: Page, db: Path) -> None:
    server = Server(*make_versions(), "--annotator", "Ana")
    page.goto(server.url)
    with sqlite3.connect(db) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON verdicts BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    page.keyboard.press("c")
    page.keyboard.press("c")
    expect(page.locator("#message")).to_contain_text("disk is full")
    assert not re.search(r"[.?!]\.", page.locator("#message").inner_text())
    with sqlite3.connect(db) as database:
        database.execute("DROP TRIGGER full")
    database.close()
    press(page, "Enter")
    said = server.end()
    assert "disk is full" in said and "Traceback" not in said and len(rows()) == 2


def test_two_people_at_once_never_see_the_same(browser: Browser) -> None:
    with serving(*make_versions(12, 10)) as server:
        looked: dict[str, list[str]] = {"Ana": [], "Ben": []}
        windows = {name: browser.new_context() for name in looked}
        pages = {name: made.new_page() for name, made in windows.items()}
        for name, page in pages.items():
            page.goto(server.url)
            page.fill("#name", name)
            press(page, "Enter")
        for _ in range(5):
            for name, page in pages.items():
                looked[name].append(page.url)
                press(page, "c", "c")
        for made in windows.values():
            made.close()
    assert not {*looked["Ana"]} & {*looked["Ben"]} and len(rows()) == 20
    assert sorted(row.annotator for row in rows()) == ["Ana"] * 10 + ["Ben"] * 10


def test_a_link_with_the_token_opens_the_page_wherever_it_is_clicked(page: Page) -> None:
    with serving(*make_versions(), "--token", "known to the team", "--annotator", "Ana") as server:
        page.goto(server.url)
        assert "needs its token" in page.content()
        page.goto("about:blank")  # as from a mail or a chat: a cookie that is strict is not sent from there
        page.set_content(f"<a href='{server.told['url']}'>look at these</a>")
        page.click("a")
        page.wait_for_url("**/looks/*")
        expect(page.locator(".tabs a")).to_have_text(["Look"])  # whoever comes to label sees no verdicts
        assert "token" not in page.url
        press(page, "c", "c")
    assert len(rows()) == 2


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A run of ordinary, hostile and very long answers, for tests that look rather than label."""
    words = "The mill has a door that is red and was painted in May 2024. "
    passages = (Passage("doors#0", HOSTILE, HOSTILE, 1), Passage(HOSTILE, "slate", "</h3><script>alert(3)</script>"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUREFOOT_DB", str(tmp_path_factory.mktemp("shared") / "surefoot.db"))
        for version in ("v1", "v2"):
            hostile = Trace("q1", answer=f"{version} {HOSTILE}", retrieved=Retrieved(passages))
            answers = [
                trace(0, f"Door 0 of the mill is red {version} [doors#0]."),
                hostile,
                trace(2, version + words * 3_400),
            ]
            make_run(version, answers)
        server = Server("v1", "v2", "--annotator", "<b>Eve</b>")
    with ending_well(server):
        yield server


def open_question(page: Page, server: Server, words: str) -> None:
    """Look at the pairs one after the other without saving, until one has these words."""
    page.goto(server.url)
    while words not in page.locator(".question").inner_text():
        press(page, "?", "?")


def test_hostile_text_is_text(shared: Server, page: Page, console: list[str]) -> None:
    open_question(page, shared, "door 1 ")
    shown = page.locator(".answer").first.inner_text()
    assert "<script>alert('script')</script>" in shown and "{{ 7*7 }} {% raw %} ${7*7}" in shown
    assert "\u202e" not in shown and "\u2066" not in shown and "\x1b" not in shown and "\ufffdgnorw\ufffd" in shown
    assert page.locator(".answer script, .answer img, .answer iframe, .answer svg").count() == 0
    assert page.locator("script").count() == 1 and page.locator(".who").inner_text() == "<b>Eve</b>"
    titles = "\n".join(page.locator(".source h3").all_text_contents())
    assert "<script>alert('script')</script>" in titles and "</h3><script>alert(3)</script>" in titles
    assert page.locator(".source script, .source img, .source iframe, .source svg, .source a").count() == 0
    links = [a.get_attribute("href") for a in page.locator(".answer a").all()]
    assert links and all(re.fullmatch(r"#[ab]-\d+", str(link)) for link in links)
    assert page.evaluate("window.hit") is None and console == []


def test_words_that_differ_and_words_of_claims_are_marked(shared: Server, page: Page) -> None:
    page.goto(shared.url)
    while "door 0 " not in page.locator(".question").inner_text():
        press(page, "b") if page.locator("#back").is_enabled() else press(page, "?", "?")
    side = page.locator(".side").first
    assert side.locator(".answer b.differs").all_inner_texts() in (["v1"], ["v2"], ["v", "1"], ["v", "2"], ["1"], ["2"])
    assert side.locator(".source").first.locator("mark").all_inner_texts() == ["door", "0", "mill", "red"]
    page.keyboard.press("n")
    assert side.locator(".claim.now").inner_text().startswith("Door 0 of the mill is red")
    assert side.locator(".source mark.now").count() == 4


def test_nothing_on_the_page_tells_the_version_or_what_the_grader_said(shared: Server, page: Page) -> None:
    page.goto(shared.url)
    main = page.locator("main").inner_html() + page.locator("#form").inner_html()
    assert "flagged" not in main and "rules@1" not in main and "data-run" not in main
    page.keyboard.press("e")
    expect(page.locator("#expected li")).to_be_visible()
    page.reload()
    expect(page.locator("#expected li")).to_be_visible()  # whoever wants to see it need not open it each time


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(shared: Server, page: Page, scheme: str, console: list[str]) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(shared.url)
    page.keyboard.press("o")
    for _ in range(2):
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("region", name="Left answer")).to_be_visible()
    expect(page.get_by_role("button", name="unsupported")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    page.get_by_role("checkbox").check()
    page.keyboard.press("Escape")
    page.keyboard.press("c")  # letters are left to the reader now
    expect(page.locator(".side .value:visible")).to_have_count(0)
    page.get_by_role("button", name="correct").press("Enter")
    expect(page.locator(".side .value:visible")).to_have_count(1)
    page.evaluate("localStorage.clear()")
    assert console == []


def test_a_phone_needs_no_sideways_scrolling_and_works_by_touch(browser: Browser) -> None:
    for version in ("v1", "v2"):
        make_run(version, [trace(0, f"{version} {HOSTILE}"), trace(1, version * 300 + " [doors#1].")])
    window = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = window.new_page()
    with serving("v1", "v2", "--annotator", "Ana") as server:
        page.goto(server.url)
        for _ in range(2):
            page.locator(".side summary").first.tap()
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
            choice = page.locator("button[value=refused]")
            box = choice.bounding_box()
            assert box and box["height"] >= 44
            choice.tap()
            with page.expect_navigation():
                choice.tap()
        expect(page.locator("h1")).to_contain_text("Done")
        assert violations(page) == []
    window.close()
    assert [row.value for row in rows()] == ["refused"] * 4


def test_disagreements_are_settled_by_keyboard(page: Page, browser: Browser) -> None:
    names = make_versions(3, 1)
    with serving(*names, "--annotator", "Ana") as server:
        page.goto(server.url)
        here = page.url.removeprefix(server.url)
        press(page, "c", "c")
    with serving(*names, "--annotator", "Ben") as server:
        page.goto(server.url + here)
        page.keyboard.press("w")
        page.wait_for_url(f"{server.url}/done")
        page.get_by_role("link", name="Disagreements (1)").click()
        expect(page.locator("h1")).to_have_text("1 answer to settle")
        assert violations(page) == []
        press(page, "Enter")
        expect(page.locator(".said li")).to_have_count(2)
        assert violations(page) == [] and page.locator("button[value='cannot tell']").count() == 0
        press(page, "u")
        expect(page.locator("h1")).to_have_text("Nothing to settle")
        expect(page.locator("li")).to_contain_text("settled it as")
    assert [(row.annotator, row.value) for row in rows()][-1] == ("settled/Ben", "unsupported")
