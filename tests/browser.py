"""A real browser, started once for each file of tests. Its tests share a page, which each finds as if it were new."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_LONGEST_WAIT = 90_000  # milliseconds, for a machine that has much else to do
_SIZE = {"width": 1280, "height": 800}
_DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


@pytest.fixture(scope="module")  # the driver keeps an event loop running, which tests of other files must not find
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium to drive")
    expect.set_options(timeout=_LONGEST_WAIT)
    with sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


class _Watched:
    """A page, and what it did that no page may do."""

    def __init__(self, browser: Browser) -> None:
        self.window = browser.new_context(viewport=_SIZE)  # type: ignore[arg-type]
        self.window.set_default_timeout(_LONGEST_WAIT)
        self.failed: list[str] = []
        self.asked: list[str] = []
        self.window.on("weberror", lambda error: self.failed.append(str(error.error)))
        self.window.on("dialog", lambda dialog: self.failed.append(dialog.message))
        self.window.on("request", lambda request: self.asked.append(request.url))
        self.window.on("console", lambda message: self._hear(message.type, message.text))
        self.page = self.window.new_page()
        arrive = self.page.goto

        def goto(url: str, **options: Any) -> Response | None:  # noqa: ANN401 - as the driver has it
            """Keys pressed before the browser has drawn the page may get lost, so it draws first."""
            reply = arrive(url, **options)
            self.page.evaluate(_DRAWN)
            return reply

        self.page.goto = goto  # type: ignore[method-assign]
        self.console: list[str] = []

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.console.append(text)

    def renew(self) -> None:
        self.page.unroute_all(behavior="wait")
        for other in self.window.pages[1:]:
            other.close()
        self.page.goto("about:blank")
        self.page.set_viewport_size(_SIZE)  # type: ignore[arg-type]
        self.page.emulate_media(media="null", color_scheme="null")
        self.window.clear_cookies()
        for heard in (self.failed, self.asked, self.console):
            heard.clear()


@pytest.fixture(scope="module")
def _watched(browser: Browser) -> Iterator[_Watched]:
    made = _Watched(browser)
    yield made
    made.window.close()


@pytest.fixture
def page(_watched: _Watched) -> Iterator[Page]:
    """A page on which no script may fail, and which may speak to nobody but the server."""
    yield _watched.page
    failed, asked = list(_watched.failed), list(_watched.asked)
    _watched.renew()
    assert failed == [] and [url for url in asked if "//127.0.0.1:" not in url and url != "about:blank"] == []


@pytest.fixture
def window(page: Page) -> BrowserContext:
    """That of the page."""
    return page.context


@pytest.fixture
def console(_watched: _Watched) -> list[str]:
    """What a page complains of."""
    return _watched.console
