"""The documentation is executed: every command block runs, every link leads somewhere, the reference is generated."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from surefoot.cli.main import cli
from surefoot.gate.metrics import SCORED as METRICS

from .golden_files import ROOT, check

PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "benchmarks/README.md",
]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def reference() -> str:
    parts = ["# Command line", "", "Generated from the code by `make golden`.", ""]
    for context in contexts(cli, "surefoot"):
        parts += [f"## {context.command_path}", "", "```text", context.get_help(), "```", ""]
    return "\n".join(parts)


def contexts(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    context = click.Context(
        command, parent, name, max_content_width=100, terminal_width=100, help_option_names=["-h", "--help"]
    )
    yield context
    if isinstance(command, click.Group):
        for inner in sorted(command.list_commands(context)):
            if one := command.get_command(context, inner):
                yield from contexts(one, inner, context)


def test_the_command_line_reference_is_up_to_date() -> None:
    check(ROOT / "docs" / "cli.md", reference())


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.exists() and BLOCK.search(page.read_text("utf-8"))], ids=lambda p: p.name
)
def test_examples_run_as_written(page: Path, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        program = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else [sys.executable, "-c"]
        done = subprocess.run(
            [*program, code],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_metrics_in_the_readme_are_those_of_the_code() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for metric in METRICS.values():
        assert f"`{metric.name}`" in text
    for name, unit, share in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", text, re.MULTILINE):
        assert (METRICS[name].unit, METRICS[name].share) == (unit, share)
