"""A real browser, started once. Every test has a window of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from surefoot.label.desk import Desk
from surefoot.label.form import fields_of
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of
from surefoot.services.label_queue import label_queue
from surefoot.store import RunStore

from .page import REFUSAL, Sit, make_run, trace

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_LONGEST_WAIT = 300_000  # milliseconds, for a machine that has much else to do


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
    yield window.new_page()
    assert failed == [] and [url for url in asked if "//127.0.0.1:" not in url] == []


@pytest.fixture
def mill(tmp_path: Path) -> Path:
    return make_run(tmp_path / "runs" / "mill", [trace(number) for number in range(40)])


@pytest.fixture
def sit(mill: Path) -> Sit:
    """Each time it is called it is a server that is started, on the ledger beside the run."""

    def sat(run: Path = mill, target: int = 50, overlap: float = 0.2, only_gate: bool = False) -> Desk:
        queue = label_queue(run, target=target, overlap=overlap, only_gate=only_gate)
        ledger = Ledger.open(run.parent / "surefoot.db")
        ledger.add_run(entry_of(RunStore.open(run)))
        return Desk(queue, REFUSAL, fields_of(REFUSAL), ledger)

    return sat
