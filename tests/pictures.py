"""`make pictures`: the screenshots of README and docs, taken of the real product in a real browser."""

from __future__ import annotations

import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from surefoot.cli.main import cli
from surefoot.cli.start import BASE, CANDIDATE

from .browser import CHROMIUM
from .golden_files import ROOT
from .served import Server, ending_well

IMAGES = ROOT / "docs" / "images"
_WIDTH = 1000


def main() -> int:
    if CHROMIUM is None:
        sys.stderr.write("error: there is no chromium to take pictures with\nhint: install it, or look at the pages\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, chdir(folder), sync_playwright() as driver:
        cli.main(["demo"], standalone_mode=False)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": _WIDTH, "height": 1150})
        page.set_default_timeout(0)
        page.goto(Path("surefoot-demo/report.html").absolute().as_uri())
        page.screenshot(path=IMAGES / "compare.png")
        _open_answer(page)
        page.screenshot(path=IMAGES / "answer.png")
        project = "--db", "surefoot-demo/surefoot.db"
        with ending_well(Server("label", BASE, CANDIDATE, *project, "--annotator", "Ana")) as server:
            page.set_viewport_size({"width": 1280, "height": 760})
            page.goto(server.told["url"])
            page.keyboard.press("e")
            page.screenshot(path=IMAGES / "label.png")
        browser.close()
    return 0


def _open_answer(page: Page) -> None:
    """The worst answer, in a window of its size."""
    case = page.locator("details.case").first
    case.evaluate("one => { one.open = true; one.scrollIntoView() }")
    box = case.bounding_box()
    page.set_viewport_size({"width": _WIDTH, "height": int(box["height"]) if box else _WIDTH})
    page.add_style_tag(content=".filters { position: static } .case { scroll-margin-top: 0 }")
    case.evaluate("one => one.scrollIntoView()")


if __name__ == "__main__":
    sys.exit(main())
