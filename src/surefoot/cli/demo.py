"""surefoot demo"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from surefoot.errors import ExitCode
from surefoot.scoring import score


@click.command(epilog="Example: surefoot demo && less surefoot-demo/report.md")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="surefoot-demo",
    show_default=True,
    help="Folder to write to.",
)
def demo(out: Path) -> int:
    """Score the bundled example and write its report; exits 0 whatever the decision it shows."""
    from rich.console import Console

    from surefoot.report import markdown, terminal

    out.mkdir(parents=True, exist_ok=True)
    for name in ("questions.json", "traces.jsonl"):
        (out / name).write_bytes((files("surefoot") / "examples" / name).read_bytes())
    result = score(out / "questions.json", out / "traces.jsonl", by=["stratum"])
    report = out / "report.md"
    report.write_text("\n".join(markdown.render(result.card, result.rows())), encoding="utf-8")
    terminal.show(result.card, Console(highlight=False))
    click.echo(f"\nThe full report is {report}. Now with your own two files:")
    click.echo("  surefoot score --questions YOUR_QUESTIONS.json --traces YOUR_TRACES.jsonl --report report.md")
    return ExitCode.OK
