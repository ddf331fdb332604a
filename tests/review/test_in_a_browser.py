"""The questions tab as people use it: a real browser, the real command, a real file."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, expect

from surefoot.text.normal import id_of_text

from ..axe import violations
from ..served import Server
from .conftest import Serve, proposed, rows


def press(page: Page, *keys: str) -> None:
    """Press keys of which the last leads to another page, and wait for that one."""
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def test_a_set_is_reviewed_by_keyboard(serve: Serve, built: Path, page: Page) -> None:
    with serve() as server:
        page.goto(server.url)
        page.keyboard.type("Ana")
        press(page, "Enter")
        expect(page.locator("h1")).to_have_text("What colour is door 0?")
        expect(page.locator(".why")).to_have_text("The passage says what door 0 is painted.")
        assert violations(page) == []
        assert page.locator(".source").first.locator("mark").all_inner_texts() == ["door", "0", "red"]
        press(page, "a")
        assert rows(built)["b0"]["review"] == "accepted"  # at once
        page.keyboard.press("e")
        expect(page.locator("[data-axis=text] textarea")).to_be_focused()
        page.keyboard.press("Control+A")
        page.keyboard.type("Which colour has door 1 now?")
        page.locator("[data-axis=claims] textarea").first.fill("Door 1 has been blue since May.")
        press(page, "Control+Enter")
        expect(page.locator("section.sources h2")).to_contain_text("Nearest passages")
        press(page, "r")
        press(page, "s")  # 3 comes again after 4 and 5
        press(page, "Enter")
        press(page, "Enter")
        expect(page.locator("h1")).to_have_text("What colour is door 3?")
        expect(page.locator(".progress")).to_have_text("5 of 6 reviewed")
        press(page, "z")
        expect(page.locator("#state")).to_have_text("proposed")
        press(page, "a")
        press(page, "a")
        expect(page.locator("h1")).to_have_text("Nothing is left to review")
        expect(page.locator("main")).to_contain_text("Accepted: 5; rejected: 1; left: 0")
        said = server.end()
    assert f"5 accepted, 1 rejected, 0 questions left; all is in {built}" in said
    found = rows(built)
    assert {qid: row["review"] for qid, row in found.items()} == {
        "b0": "accepted", "b1": "accepted", "b2": "rejected", "b3": "accepted", "b4": "accepted", "b5": "accepted",
    }  # fmt: skip
    assert found["b0"]["made"]["reviewed"]["by"] == "Ana" and found["b0"]["question"] == "What colour is door 0?"
    assert found["b1"]["question"] == "Which colour has door 1 now?" and found["b1"]["gold_ids"] == ["doors#1"]
    assert found["b1"]["gold_claims"] == ["Door 1 has been blue since May."]
    assert found["b1"]["made"]["proposed"]["question"] == "What colour is door 1?"
    assert found["b5"]["gold_claims"] == [] and found["b5"]["answerable"] is False


def test_two_windows_do_not_overwrite_each_other(serve: Serve, built: Path, window: BrowserContext) -> None:
    first, second = window.new_page(), window.new_page()
    with serve("--name", "Ana") as server:
        for one in (first, second):
            one.goto(f"{server.url}/1")
        first.keyboard.press("e")
        first.locator("[data-axis=text] textarea").fill("Which colour is door 0?")
        press(first, "Control+Enter")
        second.keyboard.press("r")
        expect(second.locator("#message")).to_contain_text("NOT saved: this question was changed in another window")
        assert rows(built)["b0"]["review"] == "accepted"
        second.reload()
        expect(second.locator("h1")).to_have_text("Which colour is door 0?")
        expect(second.locator("main")).to_contain_text("Proposed as: What colour is door 0?")
        press(second, "r")
        press(first, "a")  # the next one, which the other window has not touched
    assert [rows(built)[qid]["review"] for qid in ("b0", "b1")] == ["rejected", "accepted"]


def test_an_unanswerable_question_that_a_passage_answers_becomes_answerable(
    serve: Serve, built: Path, page: Page
) -> None:
    with serve("--name", "Ana") as server:
        page.goto(f"{server.url}/3?stratum=unanswerable")
        expect(page.locator(".progress")).to_have_text("0 of 2 reviewed")
        expect(page.locator(".gold-box").first).to_be_hidden()
        page.keyboard.press("e")
        page.locator(".choice", has_text="answers").click()
        page.locator("button[value=accepted]").click()
        expect(page.locator("#message")).to_contain_text("an answer must stand in some passage")
        page.locator(".gold").first.check()
        page.locator("[data-axis=claims] textarea").first.fill("Door 2 was painted in May.")
        with page.expect_navigation():
            page.locator("button[value=accepted]").click()
        expect(page.locator("h1")).to_have_text("Who painted door 5?")
        page.keyboard.press("e")
        page.locator("[data-axis=text] textarea").fill("Who painted door 5, and why?")
        with page.expect_navigation():
            page.locator("button[value=accepted]").click()
        expect(page.locator("h1")).to_have_text("Nothing is left to review in unanswerable")
        press(page, "Enter")
        page.locator("#stratum").select_option("grounded")
        page.wait_for_url("**/1?stratum=grounded")
    turned = rows(built)["b2"]
    assert turned["answerable"] is True and turned["gold_ids"] == ["doors#2"] and turned["stratum"] == "grounded"
    kept = rows(built)["b5"]
    assert kept["answerable"] is False and kept["gold_ids"] == [] and kept["question"] == "Who painted door 5, and why?"


def test_a_killed_server_loses_nothing(serve: Serve, built: Path, corpus: Path, page: Page) -> None:
    server = Server("questions", "review", str(built), "--corpus", str(corpus), "--name", "Ana")
    page.goto(server.url)
    press(page, "a")
    page.keyboard.press("e")
    page.locator("[data-axis=text] textarea").fill("Door 1: which colour?")
    server.kill()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#message")).to_contain_text("NOT saved: the server does not answer")
    with serve("--name", "Ana", "--port", str(server.port)):
        press(page, "Control+Enter")
    found = rows(built)
    assert found["b0"]["review"] == found["b1"]["review"] == "accepted"
    assert found["b1"]["question"] == "Door 1: which colour?"


def test_hostile_text_stays_as_it_is(serve: Serve, tmp_path: Path, page: Page) -> None:
    nasty = "<script>alert(1)</script> {{ 7*7 }} \u202egnorw\u202c \x07 </textarea><img src=x onerror=alert(2)>"
    row = proposed(0) | {"qid": nasty, "question": f"Why  {nasty}?", "stratum": nasty, "gold_claims": [nasty, "Other."]}
    path = tmp_path / "nasty.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(proposed(1)) + "\n", "utf-8")
    with serve("--name", "<b>Eve</b>", file=path) as server:
        page.goto(server.url)
        page.keyboard.press("e")
        page.locator("[data-axis=claims] textarea").nth(1).fill("Another.")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#message")).to_contain_text("do not support its gold claim")
        expect(page.locator("button[value=accepted]")).to_contain_text("Accept anyway")
        page.keyboard.press("Escape")  # leaves the field, and closes the warning
        expect(page.locator("#message")).to_be_hidden()
        press(page, "a")
    found = json.loads(path.read_text("utf-8").splitlines()[0])
    assert found["question"] == row["question"] and found["gold_claims"] == [nasty, "Another."]
    assert found["review"] == "accepted" and found["stratum"] == nasty


def test_a_wrong_gold_passage_is_replaced_by_keyboard_alone(
    serve: Serve, built: Path, corpus: Path, page: Page
) -> None:
    """At the width of a phone; the passage has a table, which is shown as one."""
    with corpus.open("a", encoding="utf-8") as file:
        text = "Sizes of the mill:\n| part | metres |\n| sluice | 7 |\n| weir | 31 |\nAs measured."
        file.write(json.dumps({"id": "sizes#1", "text": text, "doc": "Sizes"}) + "\n")
    with serve("--name", "Ana") as server:
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(server.url)
        expect(page.locator("#words")).to_be_hidden()
        page.keyboard.press("e")
        page.keyboard.press("Control+A")
        page.keyboard.type("How wide is the weir?")
        page.locator("[data-axis=claims] textarea").first.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("The weir is 31 metres wide.")
        page.locator("#words").focus()
        page.keyboard.type("weir metres")
        page.keyboard.press("Enter")
        found = page.locator("#found .source").first
        expect(found.locator("td")).to_have_text(["part", "metres", "sluice", "7", "weir", "31"])
        assert "|" not in found.inner_text() and violations(page) == []
        found.locator(".gold").focus()
        page.keyboard.press("Space")
        page.locator(".gold").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_contain_text("Checking against the documents ...")
        expect(page.locator("#status[aria-busy]")).to_have_count(0)
        if page.locator("#message").is_visible():
            press(page, "Enter")
        page.wait_for_url("**/questions/2")
    assert rows(built)["b0"]["gold_ids"] == ["sizes#1"]


def test_a_phone_needs_no_sideways_scrolling_and_works_by_touch(serve: Serve, built: Path, browser: Browser) -> None:
    window = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True, color_scheme="dark"
    )
    page = window.new_page()
    with serve("--name", "Ana") as server:
        page.goto(server.url)
        page.locator("#more").tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
        page.locator("[data-axis=text] textarea").fill("Which colour is door 0?")
        for button in ("button[value=accepted]", "button[value=rejected]"):
            box = page.locator(button).bounding_box()
            assert box and box["height"] >= 44
            with page.expect_navigation():
                page.locator(button).tap()
    window.close()
    assert rows(built)["b0"]["question"] == "Which colour is door 0?" and rows(built)["b1"]["review"] == "rejected"


def test_a_question_of_ones_own_is_written_on_the_page(serve: Serve, built: Path, page: Page) -> None:
    with serve("--name", "Ana") as server:
        page.goto(server.url)
        press(page, "n")
        page.locator("[data-axis=text] textarea").fill("What is the roof of the mill made of?")
        page.locator(".choice", has_text="refuses").click()
        page.locator("button[value=accepted]").click()
        expect(page.locator("#message")).to_contain_text("Not saved yet: it is unanswerable, but 'roof#1' seems to")
        expect(page.locator("button[value=accepted]")).to_have_text("Add anyway")
        page.locator(".choice", has_text="answers").click()
        expect(page.locator("button[value=accepted]")).to_have_text("Check and add")
        page.locator("#words").fill("slate roof")
        page.locator("#words").press("Enter")
        expect(page.locator("#found h3").first).to_contain_text("roof#1")
        page.locator(".gold").first.check()
        page.locator("#words").fill("door 3 amber")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#found h3").nth(1)).to_contain_text("doors#3")
        expect(page.locator(".gold").first).to_be_checked()
        page.locator("button[value=accepted]").click()
        expect(page.locator("#message")).to_contain_text("nothing says what the answer is")
        page.locator("[data-axis=claims] textarea").first.fill("The roof of the mill is slate.")
        with page.expect_navigation():
            page.locator("button[value=accepted]").click()
        expect(page.locator("h1")).to_have_text("What is the roof of the mill made of?")
        expect(page.locator("#state")).to_have_text("accepted")
    row = rows(built)[id_of_text("What is the roof of the mill made of?")]
    assert row["gold_ids"] == ["roof#1"] and row["made"]["by"] == "Ana"
