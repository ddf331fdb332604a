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


def test_as_question_answer_passage_note_and_name_of_what_people_look_at(page: Page, console: list[str]) -> None:
    questions = [Question(f"q{n}", f"Q {text}", "answer", gold_claims=(text,)) for n, text in enumerate(TEXTS)]
    passages = [Passage(f"p{n}", text, text) for n, text in enumerate(TEXTS)]
    traces = [Trace(f"q{n}", answer=f"A {text}", retrieved=Retrieved([passages[n]])) for n, text in enumerate(TEXTS)]
    keep_run("run", questions, traces, [], version="v1", rubric_sha256="")
    with Project.existing() as project:
        keys = project.named("run")[0].answer_keys()
    with ending_well(Server("run", "--annotator", "Eve <b>")) as server:
        eve = Somebody(server)
        for number, text in enumerate(TEXTS):
            key = keys[f"q{number}", 1]
            side = {"key": key, "values": {"factuality": "wrong"}, "note": text}
            assert eve.post("/save", {"id": f"{number:032x}", "sides": [side]}).code == 200
            page.goto(f"{server.url}/{key[:16]}")
            assert shown(page, ".question") == [words(f"Q {text}")] and shown(page, ".answer") == [words(f"A {text}")]
            assert shown(page, ".source:not(.unknown) .text") == [words(text)], text
            assert shown(page, ".source:not(.unknown) h3 .quiet") == [words(text)] and shown(page, "#expected li") == [
                words(text)
            ]
            assert shown(page, ".note input") == [words(text)] and is_harmless(page, server.origin), text
    with ending_well(Server("run")) as server:
        for text in TEXTS:
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
    rows = [
        {"qid": f"q{n} {text}", "question": f"Q {text}", "answerable": True, "stratum": text, "gold_ids": [f"p{n}"],
         "gold_claims": [f"C {text}"], "review": "proposed", "made": {"why": f"W {text}", "kind": text}}
        for n, text in enumerate(TEXTS)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    texts = [{"id": f"p{n}", "text": f"P {text}", "doc": text} for n, text in enumerate(TEXTS)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in texts), "utf-8")
    command = "questions", "review", str(file), "--corpus", str(corpus), "--name", "Eve <b>"
    with ending_well(AnyServer(*command)) as server:
        for number, text in enumerate(TEXTS):
            page.goto(f"{server.url}/{number + 1}")
            assert shown(page, ".question") == [words(f"Q {text}")] and shown(page, ".why") == [words(f"W {text}")]
            assert shown(page, "[data-axis=text] textarea") == [words(f"Q {text}")]
            assert shown(page, ".claims li") == [words(f"C {text}")]
            assert shown(page, ".source .text")[0] == words(f"P {text}") and is_harmless(page, server.origin), text
        page.keyboard.press("e")
        for text in TEXTS[::6]:
            page.fill("#words", text)
            page.keyboard.press("Enter")
            expect(page.locator("#status[aria-busy]")).to_have_count(0)
            assert is_harmless(page, server.origin), text
        page.goto(f"{server.url}/search?words={quote('script window hit')}")
        assert page.locator(".source").count() > 3 and page.locator("script, img, iframe, svg").count() == 0
    assert console == []
