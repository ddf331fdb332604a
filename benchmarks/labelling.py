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

from surefoot import rubric
from surefoot.label.form import fields_of
from surefoot.services.runs import opened as opened_runs

LABELS = 50
MINUTES = 10
# Card, Moran and Newell's keystroke-level model: a press by an average typist, and the moment before it.
PRESS, THINK = 0.28, 1.35
SUREFOOT = str(Path(sys.executable).parent / "surefoot")
Said = dict[str, dict[str, str]]  # by the key of an answer, by axis: what the grader said


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
        costs = {
            "the bucket alone": label(run, said, Path(folder, "one.db"), ["--axes", "factuality"]),
            "every axis": label(run, said, Path(folder, "all.db"), []),
        }
    print(f"{LABELS} answers of the run {run.name}\n\n|  | {' | '.join(costs)} |\n|---|---|---|")
    for name, row in rows(costs):
        print(f"| {name} | {' | '.join(row)} |")


def rows(costs: dict[str, Cost]) -> Iterator[tuple[str, list[str]]]:
    each = costs.values()
    yield "key presses", [str(cost.presses) for cost in each]
    yield f"presses at {PRESS} s and {THINK} s before each answer's", [f"{cost.hands:.0f} s" for cost in each]
    yield "waits for the next answer, together", [f"{sum(cost.waits):.1f} s" for cost in each]
    yield "a wait, median and longest", [f"{median(c.waits) * 1000:.0f} and {max(c.waits) * 1000:.0f} ms" for c in each]
    yield f"left of {MINUTES} minutes to read and decide, each answer", [f"{cost.left:.1f} s" for cost in each]
    yield "words of question and answer, median", [f"{median(cost.question_and_answer):.0f}" for cost in each]
    yield "words of the cited passages, median", [f"{median(cost.cited):.0f}" for cost in each]


def reference(folder: Path) -> Path:
    for command in ("run --pipeline reference --version reference", "grade reference", "export run.jsonl reference"):
        subprocess.run([SUREFOOT, *command.split()], check=True, capture_output=True, cwd=folder)
    return folder / "run.jsonl"


def verdicts(run: Path, db: Path) -> Said:
    found: Said = {}
    with opened_runs([run], db) as (_, (read,)):
        keys = read.answer_keys()
        for verdict in read.verdicts():
            if verdict.grader == read.manifest.grader and verdict.value is not None:
                found.setdefault(keys[verdict.question_id, verdict.attempt], {})[verdict.axis] = str(verdict.value)
    return found


def label(run: Path, said: Said, db: Path, options: list[str]) -> Cost:
    keys = {(field.name, choice.value): choice.key for field in fields_of(rubric.load()) for choice in field.choices}
    cost = Cost(0, [], [], [])
    with served(run, "--db", str(db), "--annotator", "bench", *options) as url, opened(url) as page:
        for _ in range(LABELS):
            cost.question_and_answer.append(words(page, ".question, .answer"))
            cost.cited.append(words(page, ".sources > .source .text"))
            given = said[str(page.get_attribute("#label-form", "data-version"))]
            axes = asked(page, given)
            for axis in axes:  # one on which the grader said nothing is left blank
                if (value := given.get(axis)) is not None:
                    press(page, cost, keys.get((axis, value), value))
                if axis != axes[-1]:
                    press(page, cost, "Tab")
            start = time.perf_counter()
            with page.expect_navigation(wait_until="load"):
                press(page, cost, "Enter")
            cost.waits.append(time.perf_counter() - start)
    return cost


def asked(page: Page, given: dict[str, str]) -> list[str]:
    axes = [str(axis.get_attribute("data-axis")) for axis in page.locator(".axis").all()]
    return [axis for axis in axes if axis != "refusal_quality" or given.get("factuality") == "refused"]


def press(page: Page, cost: Cost, keys: str) -> None:
    for key in [keys] if keys in ("Tab", "Enter") else keys:
        page.keyboard.press(key)
        cost.presses += 1


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
