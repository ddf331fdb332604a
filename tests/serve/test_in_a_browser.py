"""The pages as people use them: served by the real command, in a real browser."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from surefoot.core.types import Question, Trace, Verdict
from surefoot.store import Project
from tests.axe import violations
from tests.conftest import Write
from tests.kept import add_labels, keep_run
from tests.serve.conftest import GRADER, labels_on, make_run
from tests.served import Server, ending_well

PAGES = ["/", "/compare?baseline=first&candidate=third", "/calibrations/third", "/looks"]
TOKEN = "known to the team"


def test_the_first_page_has_the_trend_and_every_run(
    page: Page, site: Server, project: Path, console: list[str]
) -> None:
    page.goto(site.url)
    expect(page.locator("main")).to_contain_text("6 runs of 5 versions.")
    expect(page.get_by_label("baseline")).to_have_value("first")
    expect(page.get_by_label("candidate")).to_have_value("third")
    with Project.existing(project) as kept:
        told = str(kept.decisions()[-1].document["headline"])
    expect(page.locator(".decision")).to_contain_text(told[1:])  # what the terminal and the report said, and no more
    expect(page.locator(".decision p")).to_have_count(1)
    last = page.get_by_role("link", name="third against first")
    expect(last).to_have_attribute("href", "/compare?baseline=first&candidate=third")
    expect(page.locator(".bars .segments")).to_have_count(5)
    expect(page.locator("tbody").first.locator("tr").nth(1)).to_contain_text(re.compile(r"v2.*70\.8% \("))
    runs = page.locator(".case")
    expect(runs).to_have_count(6)
    third = runs.filter(has=page.get_by_role("link", name="third"))
    expect(third).to_contain_text(re.compile("(BLOCK|INCONCLUSIVE) against v1: 14 of 24 bad .14 wrong.; 12 answers"))
    assert violations(page) == [] and console == []


def test_runs_are_filtered(page: Page, site: Server) -> None:
    page.goto(site.url)
    shown = page.locator(".case:not([hidden])")
    page.get_by_label("version").select_option("v2")
    expect(shown).to_have_count(2)
    page.get_by_label("search").fill("again")
    expect(shown).to_have_count(1)
    shown.get_by_role("link", name="second-again").click()
    expect(page).to_have_url(f"{site.url}/runs/second-again")
    expect(page.locator("h1")).to_contain_text("second-again")


def test_any_two_runs_are_compared_under_an_address_of_their_own(
    page: Page, site: Server, project: Path, console: list[str]
) -> None:
    kept = project.read_bytes()
    page.goto(site.url)
    page.get_by_label("baseline").select_option("third (v3)")
    page.get_by_label("candidate").select_option("fourth (v4)")
    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(f"{site.url}/compare?baseline=third&candidate=fourth")
    expect(page.locator(".decision")).to_contain_text("12 mended")
    expect(page.get_by_label("candidate")).to_have_value("fourth")
    expect(page.locator("main")).to_contain_text("decided for this page alone")
    assert project.read_bytes() == kept, "it only reads"
    assert console == []


def test_where_to_look_and_how_far_the_grader_errs(page: Page, site: Server) -> None:
    page.goto(f"{site.url}/looks")
    expect(page.locator("code").first).to_have_text("surefoot label first third")
    page.goto(site.url)
    third = page.locator(".case").filter(has=page.get_by_role("link", name="third"))
    third.get_by_role("link", name="how far its grader errs").click()
    expect(page.locator(".decision")).to_contain_text("12 answers labelled by people (ann)")


def test_a_council_has_an_address_and_leads_to_its_runs(page: Page, site: Server) -> None:
    page.goto(site.url)
    page.get_by_role("link", name="what its council says").first.click()
    expect(page).to_have_url(f"{site.url}/councils/third")
    expect(page.locator(".decision")).to_contain_text("and third score the same")
    expect(page.locator("main")).to_contain_text("reviewers: mild, harsh")
    expect(page.locator("details.case").first).to_contain_text("What colour is door")
    page.get_by_role("link", name="third", exact=True).click()
    expect(page).to_have_url(f"{site.url}/runs/third")


def test_two_runs_are_compared_by_the_rules_that_the_project_decided_by_last(page: Page, site: Server) -> None:
    page.goto(f"{site.url}/compare?baseline=second&candidate=fourth")
    expect(page.locator("main")).to_contain_text("by the rules of the last decision (")
    other = "which were not as the gate file has it: other rules (wrong <= baseline, correct >= 0.1)"
    expect(page.locator("main")).to_contain_text(other)
    assert page.get_by_text("unsupported <= baseline").count() == 0


def test_every_page_fits_a_phone_in_the_dark_and_can_be_used_by_everyone(
    page: Page, site: Server, console: list[str]
) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    for address in PAGES:
        page.goto(site.url + address)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        assert violations(page) == [] and console == []


@pytest.mark.parametrize("width", [390, 1280])
def test_every_bar_has_its_colours_and_no_word_is_cut_off(width: int, page: Page, db: Path) -> None:
    traces = [Trace(f"q{n}", answer=f"It is {n} [d#1].") for n in range(60)]
    questions = [Question(f"q{n}", f"How many are {n}?", "answer", stratum="small" if n < 2 else f"s{n // 20}")
                 for n in range(60)]  # fmt: skip
    buckets = ["wrong", "refused", *["correct"] * 22, *["unsupported"] * 36]
    said = [Verdict(f"q{n}", "factuality", one, GRADER) for n, one in enumerate(buckets)]
    keep_run("v1", questions, traces, said, rubric_sha256="")
    add_labels(*(replace(one, drawn="chosen") for one in labels_on("v1", dict.fromkeys(range(3), "correct"))))
    with ending_well(Server("serve")) as server:
        page.set_viewport_size({"width": width, "height": 844})
        for address in ("/", "/runs/v1"):
            page.goto(server.url + address)
            boxes = [one.bounding_box() for one in page.locator(".segments > div").all()]
            assert boxes and all(one and one["width"] >= 3 and one["height"] >= 20 for one in boxes)
            words = "[...document.querySelectorAll('.segments span')].filter((one) => one.offsetWidth"
            assert page.evaluate(f"{words} > one.parentElement.clientWidth).length") == 0
        page.goto(f"{server.url}/calibrations/v1")
        expect(page.locator(".decision code")).to_have_text("surefoot label RUN")


@pytest.mark.parametrize("option", [["--label"], ["--token", TOKEN]])
def test_the_pages_take_labels(option: list[str], page: Page) -> None:
    make_run("yours", "v0", 3, 1)
    make_run("mine", "v1", 3, 2)
    with ending_well(Server("serve", *option)) as server:
        page.set_content(f"<a href='{server.told['url']}'>our runs</a>")
        page.click("a")
        page.wait_for_url(f"{server.url}/")
        page.get_by_role("link", name="Look", exact=True).click()
        page.get_by_role("link", name="label here").first.click()
        page.wait_for_url(f"{server.url}/answers/mine/who")  # loaded, with its script
        page.fill("#name", "Ana")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/answers/mine/[0-9a-f]{16}$"))
        with page.expect_navigation():
            page.keyboard.press("w")
        expect(page.locator("header .progress")).to_contain_text("1 of ")
        page.goto(f"{server.url}/looks")
        expect(page.locator("tbody tr").first).to_contain_text("1")
        page.goto(f"{server.url}/pairs/mine/yours/")
        page.keyboard.press("c")
        with page.expect_navigation():
            page.keyboard.press("c")
        expect(page.locator("header .progress")).to_contain_text("1 of ")
        assert page.request.post(f"{server.url}/answers/mine/save", data={}).status == 403
        assert page.goto(f"{server.url}/answers/nobody/").status == 404  # type: ignore[union-attr]
    with Project.existing() as kept:
        assert next((row.annotator, row.value, row.drawn) for row in kept.labels()) == ("Ana", "wrong", "flagged")


def test_three_tabs_are_one_app(page: Page, write: Write, console: list[str]) -> None:
    make_run("yours", "v0", 3, 1)
    passages = write("corpus.jsonl", [{"id": "doors#1", "text": "Door 1 was painted red.", "doc": "Doors"}])
    row = {"qid": "q", "question": "Which door is red?", "answerable": True, "gold_ids": ["doors#1"],
           "gold_claims": ["Door 1 is red."], "review": "proposed"}  # fmt: skip
    file = write("set.jsonl", [row])
    with ending_well(Server("serve", "--label", "--questions", str(file), str(passages))) as server:
        page.goto(server.url)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            for tab in ("Look", "Questions", "Runs"):
                assert page.locator(".tabs a").all_inner_texts() == ["Runs", "Look", "Questions"]
                page.get_by_role("link", name=tab, exact=True).focus()
                page.keyboard.press("Enter")
                expect(page.locator(".tabs [aria-current]")).to_have_text(tab)
                assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("link", name="Questions").click()
        page.fill("#name", "Ana")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Which door is red?")
        page.keyboard.press("a")
        expect(page.locator("h1")).to_have_text("Nothing is left to review")
    assert '"accepted"' in file.read_text("utf-8") and console == []


def test_what_is_not_there_is_said(page: Page, site: Server) -> None:
    for nowhere in ("/runs/nobody", "/nowhere", "/compare?baseline=first&candidate=%00"):
        reply = page.goto(site.url + nowhere)
        assert reply is not None and reply.status == 404
        expect(page.locator("h1")).to_have_text("There is no such page")
    page.get_by_role("link", name="Runs").click()
    expect(page.locator("h1")).to_have_text("Surefoot runs")


def test_hostile_texts_are_shown_and_do_nothing(page: Page, site: Server, console: list[str]) -> None:
    page.goto(site.url)
    key = page.locator("select[name=baseline] option").first.get_attribute("value")
    for address in ("/", f"/runs/{key}", "/looks", f"/compare?baseline=third&candidate={key}"):
        page.goto(site.url + address)
        expect(page.locator("body")).to_contain_text("<script>window.hit=1</script>")
        assert page.evaluate("window.hit") is None
        assert page.locator("main script, main img, main iframe, main form, main [onerror], main [onload]").count() == 0
        links = page.locator("a").evaluate_all("all => all.map(one => one.href)")
        assert [link for link in links if not link.startswith(site.url)] == []
    assert console == []


def test_only_this_machine_may_read_and_nobody_writes(site: Server) -> None:
    for method, headers, code in (
        ("GET", {"Host": "evil.example"}, 421),
        ("POST", {"Origin": site.url, "Content-Type": "application/json"}, 404),
        ("GET /answers/third/", {}, 404),
        ("POST", {"Origin": "http://evil.example"}, 403),
    ):
        verb, _, path = method.partition(" ")
        asked = urllib.request.Request(
            site.url + (path or "/"), b"{}" if verb == "POST" else None, headers, method=verb
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(asked)
        refused.value.close()
        assert refused.value.code == code
    with urllib.request.urlopen(f"{site.url}/") as reply:
        policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
