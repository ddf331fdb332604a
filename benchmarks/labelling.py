"""What 50 labels cost in the real browser: key presses, waits for the next answer, and words to read.

python benchmarks/labelling.py [--run EXPORT]

EXPORT is what `surefoot export` wrote of one graded run. Without it, the bundled pipeline answers the bundled questions
first. The keys pressed are those of the run's own grader, so that buckets are as frequent as they would be; a person
reads and decides instead.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from msgspec import Struct
from playwright.sync_api import Page, sync_playwright

from surefoot.core import rubric
from surefoot.jobs.runs import opened as opened_runs
from surefoot.web.forms import fields_of

LABELS = 50
MINUTES = 10
# Card, Moran and Newell's keystroke-level model: a press by an average typist, and the moment before it.
PRESS, THINK = 0.28, 1.35
SUREFOOT = str(Path(sys.executable).parent / "surefoot")
Said = dict[str, str]  # by the key of an answer: the grader's bucket


class Cost(Struct):
    presses: int
    waits: list[float]
    question_and_answer: list[int]  # words
    cited: list[int]

    @property
    def hands(self) -> float:
        return self.presses * PRESS + LABELS * THINK

    @property
    def left(self) -> float:
        """Seconds for reading and deciding, of each answer."""
        return (MINUTES * 60 - self.hands - sum(self.waits)) / LABELS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path)
    with tempfile.TemporaryDirectory() as folder:
        run = parser.parse_args().run or reference(Path(folder))
        said = verdicts(run, Path(folder, "read.db"))
        cost = label(run, said, Path(folder, "labels.db"))
    print(f"{LABELS} answers of the run {run.name}\n\n|  |  |\n|---|---|")
    for name, value in rows(cost):
        print(f"| {name} | {value} |")


def rows(cost: Cost) -> Iterator[tuple[str, str]]:
    waits = f"{median(cost.waits) * 1000:.0f} and {max(cost.waits) * 1000:.0f} ms"
    yield "key presses", str(cost.presses)
    yield f"presses at {PRESS} s and {THINK} s before each answer's", f"{cost.hands:.0f} s"
    yield "waits for the next answer, together", f"{sum(cost.waits):.1f} s"
    yield "a wait, median and longest", waits
    yield f"left of {MINUTES} minutes to read and decide, each answer", f"{cost.left:.1f} s"
    yield "words of question and answer, median", f"{median(cost.question_and_answer):.0f}"
    yield "words of the cited passages, median", f"{median(cost.cited):.0f}"


def reference(folder: Path) -> Path:
    for command in ("run --pipeline reference --version reference", "grade reference", "export run.jsonl reference"):
        subprocess.run([SUREFOOT, *command.split()], check=True, capture_output=True, cwd=folder)
    return folder / "run.jsonl"


def verdicts(run: Path, db: Path) -> Said:
    found: Said = {}
    with opened_runs([run], db) as (_, (read,)):
        keys = read.answer_keys()
        for verdict in read.verdicts():
            if verdict.grader == read.manifest.grader and verdict.axis == "factuality" and verdict.value is not None:
                found[keys[verdict.question_id, verdict.attempt]] = str(verdict.value)
    return found


def label(run: Path, said: Said, db: Path) -> Cost:
    keys = {choice.value: choice.key for choice in fields_of(rubric.load())[0].choices}
    cost = Cost(0, [], [], [])
    with served(run, "--db", str(db), "--annotator", "bench") as url, opened(url) as page:
        for _ in range(LABELS):
            cost.question_and_answer.append(words(page, ".question, .answer"))
            cost.cited.append(words(page, ".side > .source .text"))
            given = said.get(str(page.get_attribute(".side", "data-key")), "cannot tell")
            start = time.perf_counter()
            with page.expect_navigation(wait_until="load"):
                page.keyboard.press(keys[given])
            cost.presses += 1
            cost.waits.append(time.perf_counter() - start)
    return cost


def words(page: Page, selector: str) -> int:
    return sum(len(part.split()) for part in page.locator(selector).all_inner_texts())


@contextmanager
def served(run: Path, *options: str) -> Iterator[str]:
    command = [SUREFOOT, "label", str(run), "--json", "--no-browser", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.terminate()


@contextmanager
def opened(url: str) -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(url)
        yield page
        browser.close()


if __name__ == "__main__":
    main()
