"""Foreign text on every tab, in a real browser: nothing of it runs, loads or links, and all of it is shown."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect

from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.report.prose import visible
from surefoot.store import Project

from ..kept import keep_run
from ..report.hostile import HOSTILE
from ..served import Server as AnyServer
from ..served import ending_well
from .page import Server, Somebody, ask

MARKDOWN = [
    "[here](javascript:window.hit=1)",
    "![x](//evil.example/x.png)",
    "<https://evil.example>",
    "[r]: javascript:window.hit=1\n\n[r]",
    "| a | <img src=x onerror=window.hit=1> |\n|---|---|\n| [x](//evil.example) | 2 |",
    "| a | b |\n| c | <script>window.hit=1</script> |",
    "# <b>head</b>\n\n> quote <svg onload=window.hit=1>",
    "```html\n<script>window.hit=1</script>\n```",
    "`<img src=x onerror=window.hit=1>`",
    "\u2066\u202e<b>left</b>\u2069 \x1b[31m",
]
TEXTS = [*HOSTILE[::7], *HOSTILE[1::7], *HOSTILE[2::7], *HOSTILE[3::7], *HOSTILE[4::7], *MARKDOWN]
FOREIGN = "main :is(script, img, iframe, svg, object, embed, link, style, base, meta, video, audio, form:not(#search))"
SHOWN = "all => all.map(one => typeof one.value === 'string' ? one.value : one.textContent)"


def words(text: str) -> str:
    """All but what Markdown is written with."""
    return "".join(filter(str.isalnum, visible(text)))


def shown(page: Page, selector: str) -> list[str]:
    return [words(one) for one in page.locator(selector).evaluate_all(SHOWN)]


def is_harmless(page: Page, origin: str) -> bool:
    links = page.locator("a").evaluate_all("all => all.map(one => one.href)")
    assert all(link.startswith(origin) for link in links), links
    return page.evaluate("window.hit") is None and page.locator(FOREIGN).count() == 0


def test_there_are_enough() -> None:
    assert len(set(TEXTS)) >= 60


def on_page(number: int) -> list[str]:
    """Six texts for the fields of one page; each text is in two of them."""
    return [TEXTS[(3 * number + at) % len(TEXTS)] for at in range(6)]


PAGES = range(-(-len(TEXTS) // 3))


def test_as_question_answer_passage_note_and_name_of_what_people_look_at(page: Page, console: list[str]) -> None:
    questions, traces = list[Question](), list[Trace]()
    for n in PAGES:
        asked, answer, passage, doc, claim, _ = on_page(n)
        questions.append(Question(f"q{n}", f"Q {asked}", "answer", gold_claims=(claim,)))
        found = Retrieved([Passage(f"p{n}", passage, doc)])
        traces.append(Trace(f"q{n}", answer=f"A {answer}", retrieved=found))
    keep_run("run", questions, traces, [], version="v1", rubric_sha256="")
    with Project.existing() as project:
        keys = project.named("run")[0].answer_keys()
    with ending_well(Server("run", "--annotator", "Eve <b>")) as server:
        eve = Somebody(server)
        for n in PAGES:
            asked, answer, passage, doc, claim, note = on_page(n)
            key = keys[f"q{n}", 1]
            side = {"key": key, "values": {"factuality": "wrong"}, "note": note}
            assert eve.post("/save", {"id": f"{n:032x}", "sides": [side]}).code == 200
            page.goto(f"{server.url}/{key[:16]}")
            assert shown(page, ".question") == [words(f"Q {asked}")] and shown(page, ".answer") == [
                words(f"A {answer}")
            ]
            assert shown(page, ".source:not(.unknown) .text") == [words(passage)], passage
            assert shown(page, ".source:not(.unknown) h3 .quiet") == [words(doc)], doc
            assert shown(page, "#expected li") == [words(claim)] and shown(page, ".note input") == [words(note)]
            assert is_harmless(page, server.origin), on_page(n)
    with ending_well(Server("run")) as server:
        for text in TEXTS[::4]:
            named = ask(server, "/name", {"name": text}, Origin=server.origin)
            if named.code == 200:  # others are no names, and the page says so
                name, _, value = named.cookies[0].partition("=")
                page.context.add_cookies([{"name": name, "value": value, "url": server.origin}])
                page.goto(f"{server.url}/done")
                assert shown(page, ".who") == [words(text)] and is_harmless(page, server.origin), text
            else:
                assert "a name has 1 to 60 ordinary characters" in named.text
    assert console == []


def test_as_what_is_reviewed_and_searched_for(tmp_path: Path, page: Page, console: list[str]) -> None:
    file, corpus = tmp_path / "set.jsonl", tmp_path / "corpus.jsonl"
    rows, texts = [], []
    for n in PAGES:
        asked, claim, why, passage, doc, kind = on_page(n)
        rows.append({"qid": f"q{n} {kind}", "question": f"Q {asked}", "answerable": True, "stratum": kind,
                     "gold_ids": [f"p{n}"], "gold_claims": [f"C {claim}"], "review": "proposed",
                     "made": {"why": f"W {why}", "kind": kind}})  # fmt: skip
        texts.append({"id": f"p{n}", "text": f"P {passage}", "doc": doc})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    corpus.write_text("".join(json.dumps(row) + "\n" for row in texts), "utf-8")
    command = "questions", "review", str(file), "--corpus", str(corpus), "--name", "Eve <b>"
    with ending_well(AnyServer(*command)) as server:
        for n in PAGES:
            asked, claim, why, passage, *_ = on_page(n)
            page.goto(f"{server.url}/{n + 1}")
            assert shown(page, ".question") == [words(f"Q {asked}")] and shown(page, ".why") == [words(f"W {why}")]
            assert shown(page, "[data-axis=text] textarea") == [words(f"Q {asked}")]
            assert shown(page, ".claims li") == [words(f"C {claim}")]
            assert shown(page, ".source .text")[0] == words(f"P {passage}"), passage
            assert is_harmless(page, server.origin), on_page(n)
        page.keyboard.press("e")
        for text in TEXTS[::6]:
            page.fill("#words", text)
            page.keyboard.press("Enter")
            expect(page.locator("#status[aria-busy]")).to_have_count(0)
            assert is_harmless(page, server.origin), text
        page.goto(f"{server.url}/search?words={quote('script window hit')}")
        assert page.locator(".source").count() > 3 and page.locator("script, img, iframe, svg").count() == 0
    assert console == []
