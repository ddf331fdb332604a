"""What people install and read: the wheel, the image, the site, and the example notebook."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
import zlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from surefoot.graders.local import SUMS, WEIGHT_FILES

from .browser import _watched, browser, console, page, window  # noqa: F401 - fixtures
from .golden_files import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PROGRAMS = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
MOST_BYTES = 100_000_000
KINDS = {
    ".gz",
    ".py",
    ".typed",
    ".md",
    ".json",
    ".jsonl",
    ".sh",
    ".toml",
    ".txt",
    ".html",
    ".css",
    ".js",
    ".svg",
    ".yml",
    ".onnx",
    "",
}
BLOCK = 1 << 16


def packaged() -> list[Path]:
    """The wheel takes the folder as it is."""
    every = (ROOT / "src" / "surefoot").rglob("*")
    return [path for path in every if path.is_file() and "__pycache__" not in path.parts]


def packed_size(path: Path) -> float:
    """In a zip archive; of a large file, as every sixteenth block tells."""
    step = 16 if path.stat().st_size > 16 * BLOCK else 1
    with path.open("rb") as file:
        blocks = iter(partial(file.read, BLOCK), b"")
        kept = [block for number, block in enumerate(blocks) if number % step == 0]
    ratio = sum(len(zlib.compress(block)) for block in kept) / max(1, sum(map(len, kept)))
    return ratio * path.stat().st_size


def test_the_wheel_has_the_weights_and_nothing_strange_and_is_small_enough() -> None:
    files = packaged()
    assert {path.suffix for path in files} == KINDS
    assert {path.name for path in files if path.parent.name == "weights"} == {*WEIGHT_FILES, SUMS}
    assert sum(map(packed_size, files)) < MOST_BYTES


def test_the_image_is_slim_and_not_run_by_root() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    steps = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    assert all(of.startswith("python:3.11-slim") for step, of in steps if step == "FROM")
    last = dict(steps[max(n for n, (step, _) in enumerate(steps) if step == "FROM") :])
    assert last["USER"] == "surefoot" and json.loads(last["ENTRYPOINT"])[0] in PROJECT["scripts"]
    (extras,) = re.findall(r"/source\[([\w,]+)\]", text)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]) - {"dev"}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert sent == {"src", "pyproject.toml", PROJECT["readme"], *PROJECT["license-files"]}, "what the wheel is made of"


def test_the_example_notebook_runs_and_shows_its_results(tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    path = Path(shutil.copy(ROOT / "docs" / "notebook.ipynb", tmp_path))
    assert not any(cell.get("outputs") for cell in json.loads(path.read_text("utf-8"))["cells"])
    command = [sys.executable, "-m", "jupyter", "execute", "--inplace", path.name]
    home = {"HOME": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT | home, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    cells = json.loads(path.read_text("utf-8"))["cells"]
    shown = ["".join(one["data"]["text/html"]) for cell in cells for one in cell.get("outputs", ()) if "data" in one]
    titles = [re.findall(r'^<iframe title="([^"]*?)(?:-[0-9a-f]{6})?(?:&gt;)?"', html) for html in shown]
    assert titles[:3] == [["Answers"], ["Surefoot run bold"], ["Surefoot decision"]]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """As `make site` builds it, with the environment at hand, and served."""
    pytest.importorskip("material")
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "bin").symlink_to(PROGRAMS)
    for name in (".runtime", ".dev"):
        (tmp_path / "venv" / name).touch()
    command = ["make", "site", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=ROOT / "site")) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_site_is_searched_and_speaks_to_no_other_host(site: str, page: Page) -> None:  # noqa: F811
    page.goto(f"{site}/docs/gate/")
    search = page.locator("[data-md-component=search-query]")
    search.click()
    search.press_sequentially("Wilson")
    expect(page.locator(".md-search-result__link").first).to_have_attribute("href", re.compile("/docs/"))
