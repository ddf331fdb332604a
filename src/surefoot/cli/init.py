"""surefoot init"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from surefoot.core.errors import ExitCode, UsageError

# Where each file of the example lies in the package. The pipeline is no module of ours, so it is not named like one.
EXAMPLE = {
    "questions.json": "starter/questions.json",
    "passages.jsonl": "starter/passages.jsonl",
    "gate.toml": "gates/default.toml",
    "ship.toml": "gates/ship.toml",
    "pipeline.py": "starter/pipeline.txt",
    "surefoot.sh": "starter/surefoot.sh",
    ".github/workflows/surefoot.yml": "starter/workflow.yml",
    ".gitignore": "starter/gitignore.txt",
    ".gitattributes": "starter/gitattributes.txt",
    "README.txt": "starter/README.txt",
}


@click.command(epilog="Example: surefoot init gate && cd gate && cat README.txt")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def init(folder: Path) -> int:
    """Write a small working example to start from; nothing that exists is overwritten."""
    if there := [name for name in EXAMPLE if (folder / name).exists()]:
        raise UsageError(f"{folder / there[0]} exists already", "choose another folder: nothing is overwritten")
    try:
        for name, source in EXAMPLE.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("xb") as file:
                file.write((files("surefoot") / source).read_bytes())
    except OSError as error:
        hint = "choose a folder that you may write to"
        raise UsageError(f"{folder} cannot be written to: {error.strerror}", hint) from error
    click.echo(f"{folder}: {', '.join(EXAMPLE)}")
    click.echo(f"next: read {folder / 'README.txt'}")
    return ExitCode.OK
