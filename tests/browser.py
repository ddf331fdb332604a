"""A real browser, started once for each file of tests. Every test has a window of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_LONGEST_WAIT = 90_000  # milliseconds, for a machine that has much else to do


@pytest.fixture(scope="module")  # the driver keeps an event loop running, which tests of other files must not find
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium to drive")
    expect.set_options(timeout=_LONGEST_WAIT)
    with sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(_LONGEST_WAIT)
    yield made
    made.close()


@pytest.fixture
def page(window: BrowserContext) -> Iterator[Page]:
    """A page on which no script may fail, and which may speak to nobody but the server."""
    failed: list[str] = []
    asked: list[str] = []
    window.on("weberror", lambda error: failed.append(str(error.error)))
    window.on("dialog", lambda dialog: failed.append(dialog.message))
    window.on("request", lambda request: asked.append(request.url))
    made = window.new_page()
    arrive = made.goto

    def goto(url: str, **options: Any) -> Response | None:  # noqa: ANN401 - as the driver has it
        """Keys pressed before the browser has drawn the page may get lost, so it draws first."""
        reply = arrive(url, **options)
        made.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        return reply

    made.goto = goto  # type: ignore[method-assign]
    yield made
    assert failed == [] and [url for url in asked if "//127.0.0.1:" not in url] == []
