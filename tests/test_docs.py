"""The documentation is executed: every command block runs, every link leads somewhere, the reference is generated."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
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
    ROOT / "benchmarks/RESULTS.md",
]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


Row = tuple[str, str]  # an option with its value, and what it means


def reference() -> str:
    """What an option means in several commands comes once, at the end."""
    every = list(contexts(cli, "surefoot"))
    shared = shared_rows(every)
    parts = ["# Command line", "", "Generated from the code by `make golden`; `--help` shows every option.", ""]
    for context in every:
        parts += [f"## {title(context)}", "", "```text", section(context, shared), "```", ""]
    formatter = click.HelpFormatter(width=100)
    formatter.write_dl([shared[name] for name in sorted(shared)])
    return "\n".join([*parts, "## Shared options", "", "```text", formatter.getvalue().rstrip("\n"), "```", ""])


def shared_rows(every: list[click.Context]) -> dict[str, Row]:
    """Of each name the commonest meaning, if two commands have it; what differs stays with its command."""
    times = Counter(item for context in every for item in rows(context).items())
    return {name: row for (name, row), count in reversed(times.most_common()) if count > 1}


def rows(context: click.Context) -> dict[str, Row]:
    options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
    found = ((max(one.opts, key=len), one.get_help_record(context)) for one in options)
    return {name: row for name, row in found if row is not None}


def title(context: click.Context) -> str:
    pieces = [piece for piece in context.command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    return " ".join([context.command_path, *pieces]).removesuffix(" [ARGS]...")


def section(context: click.Context, shared: dict[str, Row]) -> str:
    formatter, command = context.make_formatter(), context.command
    command.format_help_text(context, formatter)
    options = rows(context)
    if own := [row for name, row in options.items() if shared.get(name) != row]:
        with formatter.section("Options"):
            formatter.write_dl(own)
    if others := [name for name, row in options.items() if shared.get(name) == row]:
        with formatter.section("Shared"):
            formatter.write_text(" ".join(others))
    if context.command is cli:
        cli.format_commands(context, formatter)
    command.format_epilog(context, formatter)
    return formatter.getvalue().strip("\n")


def contexts(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    context = click.Context(command, parent, name, max_content_width=100, terminal_width=100, help_option_names=[])
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


def test_the_metrics_in_the_docs_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
    for metric in METRICS.values():
        assert f"`{metric.name}`" in text
    for name, unit, share in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", text, re.MULTILINE):
        assert (METRICS[name].unit, METRICS[name].share) == (unit, share)
