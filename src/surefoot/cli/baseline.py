"""surefoot baseline"""

from __future__ import annotations

import click

from surefoot.cli.output import PERSON, Output, common, say
from surefoot.core.types import plain
from surefoot.services.gate import baseline as set_baseline


@click.command(epilog="Example: surefoot baseline v2")
@click.argument("run", required=False, type=click.Path(), metavar="[RUN]")
@click.option("--accept-worse", metavar="REASON", help="Move it although RUN is worse; says why.")
@common()
def baseline(output: Output, run: str | None, accept_worse: str | None, db: str | None) -> int:
    """Move the baseline to the version of RUN, or say which it is.

    The first baseline has nothing to be compared with. A later one must have shipped, with no more bad answers.
    """
    found = set_baseline(run, accept_worse=accept_worse, db=db, person=PERSON)
    code = output.finish(found, lambda: click.echo(plain(found.headline, 1_000)))
    if found.warning:
        say(f"{'note' if found.exit_code else 'warning'}: {plain(found.warning, 1_000)}")
    return code
