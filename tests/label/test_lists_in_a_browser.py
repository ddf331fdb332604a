"""The list of one's labels, settling disagreements, guidelines and Markdown, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from surefoot.core.types import Passage, Retrieved, Trace

from ..axe import violations
from .page import Server, make_run, rows, serving, trace
from .test_in_a_browser import press

MARKDOWN = """**Summary.** Door 1 of the mill is *blue* [doors#1].

- The roof is slate [doors#other].

| Door | Colour |
|---|---|
| 1 | blue [doors#1] |

<img src=x onerror=alert(1)> [here](javascript:alert(1)) ![x](//evil.example/x.png)
"""
TABLE = "Doors:\n\n| Door | Colour |\n| --- | --- |\n| 1 | blue |\n\n" + "All were inspected.\n\n" * 60
MODES: dict[str, dict[str, object]] = {
    "light": {"viewport": {"width": 1280, "height": 800}},
    "phone, dark": {
        "viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "color_scheme": "dark",
    },
}  # fmt: skip


@pytest.fixture
def mill() -> str:
    passages = (Passage("doors#1", TABLE, "Doors"), Passage("doors#other", "The roof of the mill is slate.", "Doors"))
    answers = [trace(0), Trace("q1", answer=MARKDOWN, retrieved=Retrieved(passages)), *map(trace, range(2, 6))]
    return make_run("mill", answers)


@pytest.fixture
def server(mill: str, tmp_path: Path) -> Iterator[Server]:
    guidelines = tmp_path / "ours.md"
    guidelines.write_text("# How we label\n\nA date off by a day is **wrong**. <script>alert(1)</script>", "utf-8")
    with serving(mill, "--overlap", "1", "--guidelines", str(guidelines)) as served:
        yield served


def sit_down(page: Page, server: Server, name: str) -> None:
    page.context.clear_cookies()
    page.goto(server.url)
    page.fill("#name", name)
    press(page, "Enter")


def test_a_label_is_found_in_the_list_changed_and_taken_back_by_keys_alone(
    server: Server, page: Page, mill: str
) -> None:
    sit_down(page, server, "Ana")
    first = page.url
    press(page, "1", "Enter")
    press(page, "2", "Enter")
    press(page, "m")
    expect(page.locator(".list li .value")).to_have_text(["wrong", "correct"])
    page.locator(".take-back").nth(1).focus()
    press(page, "Enter")
    expect(page.locator(".list li .value")).to_have_text(["wrong"])
    press(page, "u")  # that was a slip
    assert page.url == first
    expect(page.locator("input[value=correct]")).to_be_checked()
    press(page, "3", "Enter")
    page.goto(f"{server.url}/mine")
    expect(page.locator(".list li .value")).to_have_text(["unsupported", "wrong"])
    assert [row.value for row in rows()] == ["correct", "wrong", None, "correct", "unsupported"]


def test_people_disagree_and_a_third_settles_it_with_both_reasons_in_sight(
    server: Server, page: Page, mill: str
) -> None:
    for name, key in (("Ana", "1"), ("Ben", "2")):
        sit_down(page, server, name)
        page.keyboard.press(key)
        page.keyboard.press("n")
        page.keyboard.type(f"<b>{name}</b> read it so")
        press(page, "Enter")
        press(page, "t", "Enter")  # no disagreement
    sit_down(page, server, "Cid")
    page.get_by_role("link", name="Disagreements (1)").click()
    expect(page.locator("h1")).to_have_text("1 answer to settle")
    press(page, "Enter")
    said = page.locator(".said")
    expect(said).to_contain_text("Ana correct <b>Ana</b> read it so")
    expect(said).to_contain_text("Ben wrong <b>Ben</b> read it so")
    assert page.locator("input[value='cannot tell']").count() == 0
    page.keyboard.press("Enter")
    expect(page.locator("#message")).to_contain_text("Or press s to leave it open")
    press(page, "1", "2", "Enter")
    expect(page.locator("h1")).to_have_text("Nothing to settle")
    expect(page.locator(".list li")).to_contain_text("Settled by Cid: wrong")
    page.locator(".take-back").click()
    expect(page.locator("h1")).to_have_text("1 answer to settle")
    assert [(row.annotator, row.value) for row in rows()][-2:] == [("settled/Cid", "wrong"), ("settled/Cid", None)]


def test_markdown_and_tables_are_shown_and_cannot_act(server: Server, page: Page) -> None:
    sit_down(page, server, "Ana")
    page.goto(f"{server.url}/answers/2")
    expect(page.locator(".answer strong")).to_have_text("Summary.")
    assert page.locator(".answer li").count() == 1 and page.locator(".answer td").all_inner_texts() == [
        "1",
        "blue [doors#1]",
    ]
    assert page.locator(".source th").all_inner_texts() == ["Door", "Colour"]
    assert page.locator("main img, main script, #guidelines script, main a:not(.cites)").count() == 0
    expect(page.locator("#guidelines")).to_contain_text("A date off by a day is wrong. <script>alert(1)</script>")
    expect(page.locator("#guidelines strong")).to_have_text("wrong")
    expect(page.locator("#meanings > :first-child")).to_have_attribute("id", "guidelines")


def test_c_goes_to_the_passage_that_the_claim_cites(server: Server, page: Page) -> None:
    sit_down(page, server, "Ana")
    page.goto(f"{server.url}/answers/2")
    expect(page.locator("#source-2")).not_to_be_in_viewport()
    page.keyboard.press("c")
    expect(page.locator(".source.now bdi").first).to_have_text("doors#1")
    while "doors#other" not in page.locator("#status").inner_text():
        page.keyboard.press("c")
    expect(page.locator("#source-2")).to_be_in_viewport()
    expect(page.locator(".source.now")).to_have_count(1)


@pytest.mark.parametrize("mode", MODES)
def test_everyone_can_use_every_page(server: Server, browser: Browser, mode: str) -> None:
    """And on each the buckets are in sight at once, with what they mean on the page."""
    window = browser.new_context(**MODES[mode])  # type: ignore[arg-type]
    page = window.new_page()
    failed: list[str] = []
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    for name, key in (("Ana", "1"), ("Ben", "2")):
        sit_down(page, server, name)
        press(page, key, "Enter")
    disputed = int(rows()[0].question_id[1:]) + 1
    for path in ("/who", "/answers/2", "/answers/1", "/mine", "/settle", f"/settle/{disputed}", "/done", "/nowhere"):
        page.goto(server.url + path)
        assert violations(page) == [], (mode, path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (mode, path)
        for choice in page.locator(".axis[data-needed] .choice").all():
            expect(choice).to_be_in_viewport(ratio=1)
    page.goto(f"{server.url}/answers/1")
    page.keyboard.press("4")
    page.keyboard.press("Tab")
    expect(page.locator("#meanings")).to_contain_text("declines and makes no claim of its own")
    expect(page.locator("[data-of=factuality]")).to_be_visible()
    assert violations(page) == []
    window.close()
    assert [text for text in failed if "404" not in text] == []
