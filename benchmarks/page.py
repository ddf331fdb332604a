"""How fast a page of many answers opens and filters, beside one of few, in a real browser:

PYTHONPATH=. python benchmarks/page.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright
from tests.browser import CHROMIUM
from tests.report.test_in_a_browser import compared

from surefoot.report import html

FEW, MANY, TRIES = 100, 1_000, 5
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
FILTERED = """() => {
  const start = performance.now();
  const select = document.querySelector(".filters select");
  select.selectedIndex = 1;
  select.dispatchEvent(new Event("change"));
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""


def measured(window: BrowserContext, file: Path) -> tuple[float, float]:
    """Milliseconds to the first paint and for a filter; the best of some tries."""
    found = []
    for _ in range(TRIES):
        page = window.new_page()
        page.goto(file.as_uri())
        page.wait_for_function(PAINTED)
        found.append((page.evaluate(PAINTED), page.evaluate(FILTERED)))
        page.close()
    return min(paint for paint, _ in found), min(filtered for _, filtered in found)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_context()
        rows = {}
        for count in (FEW, MANY):
            file = Path(folder, f"{count}.html")
            file.write_text(html.page(compared(count)), encoding="utf-8")
            rows[count] = measured(window, file)
            print(f"{count:5} questions: first paint {rows[count][0]:.0f} ms, a filter {rows[count][1]:.0f} ms")
        paint, filtered = (many / few for few, many in zip(rows[FEW], rows[MANY], strict=True))
        print(f"{MANY // FEW} times the questions: first paint {paint:.1f} times, a filter {filtered:.1f} times")


if __name__ == "__main__":
    main()
