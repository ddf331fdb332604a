"""Commands that serve a page: their options, and how they say where it is."""

from __future__ import annotations

from typing import Protocol

import click

from surefoot.cli.options import together
from surefoot.cli.output import print_json, quiet_if_nobody_reads
from surefoot.cli.terminal import PERSON
from surefoot.errors import Incomplete

page_options = together(
    click.option("--host", default="127.0.0.1", show_default=True,
                 help="Where to listen."),
    click.option("--port", type=click.IntRange(0, 65_535), metavar="N",
                 help="0: any free one.  [default: 8321, or a free one]"),
    click.option("--token", help="Token for other machines.  [default: made with --host]"),
    click.option("--no-browser", is_flag=True, help="Do not open a browser."),
)  # fmt: skip


class Page(Protocol):
    """Ready to be used."""

    @property
    def url(self) -> str: ...


def without_pages(page: str) -> Incomplete:
    hint = "install surefoot with its extra `label`: pip install '/path/to/surefoot[label]'"
    return Incomplete(f"{page} needs more packages", hint)


def announce(page: Page, state: str, as_json: bool, no_browser: bool) -> None:
    """Print where the page is, and open it. `state` says how far people have come with it."""
    from surefoot.web.serve import open_browser  # noqa: PLC0415 - of an extra

    with quiet_if_nobody_reads():
        print_json(page) if as_json else click.echo(page.url)
    if not as_json:
        PERSON.tell(f"note: open this address in a browser; {state}; Ctrl-C ends it")
    if not no_browser:
        open_browser(page.url)
