"""surefoot corpus add | remove | list | show | search"""

from __future__ import annotations

from pathlib import Path

import click

from surefoot.cli.options import json_option
from surefoot.cli.output import PERSON, finish, print_json, quiet_if_nobody_reads, say
from surefoot.core.words import counted, plain
from surefoot.services import corpus as service
from surefoot.services.corpus import Passages

_CORPUS = click.argument("corpus", type=click.Path(exists=True, path_type=Path))
_JSON = json_option()
_JSON_LINES = json_option("Print JSON lines.")
_WIDTH = 100  # characters of a passage in a list


@click.group()
def corpus() -> None:
    """Turn documents into passages, and find their ids for gold_ids."""


@corpus.command(epilog="Example: surefoot corpus add contracts/ handbook.pdf --out corpus.jsonl")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The corpus to make or update.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes to use. [default: one per core]")
@_JSON
def add(paths: tuple[Path, ...], out: Path, jobs: int | None, as_json: bool) -> int:
    """Read PDF, DOCX, HTML, Markdown, text, CSV, TSV, JSON and Parquet rows, and folders and archives of them.

    Unchanged documents are not read again; missing ones stay until removed. Files that cannot be read are named, with
    exit code 4. Rows are passages cut elsewhere: `text` (or content, page_content, body), perhaps `id`, `doc`, `page`.
    """
    added = service.add_documents(paths, out=out, jobs=jobs, person=PERSON)
    kinds = ", ".join(f"{getattr(added, kind)} {kind}" for kind in ("added", "changed", "unchanged", "unread"))
    words = f"{plain(added.corpus)}: {counted(added.passages, 'passage')}; documents: {kinds}"
    return finish(added, as_json, lambda: click.echo(words))


@corpus.command(epilog="Example: surefoot corpus remove corpus.jsonl msa.pdf old-contracts/")
@_CORPUS
@click.argument("names", nargs=-1, required=True)
@_JSON
def remove(corpus: Path, names: tuple[str, ...], as_json: bool) -> int:
    """Remove documents: by name, or all of a folder or archive."""
    removed = service.remove_documents(corpus, names)
    left, gone = counted(removed.passages, "passage"), counted(len(removed.documents), "document")
    return finish(removed, as_json, lambda: click.echo(f"{plain(removed.corpus)}: {left}; {gone} removed"))


@corpus.command("list", epilog="Example: surefoot corpus list corpus.jsonl --doc msa.pdf")
@_CORPUS
@click.option("--doc", default="", help="Only this document: name, or words of its title.")
@_JSON_LINES
def list_(corpus: Path, doc: str, as_json: bool) -> int:
    """List passages and their ids."""
    return _show(service.passages(corpus, doc=doc, person=PERSON), as_json)


@corpus.command(epilog="Example: surefoot corpus show corpus.jsonl msa.pdf#4.2-3fa9c1")
@_CORPUS
@click.argument("ids", nargs=-1, required=True)
@_JSON_LINES
def show(corpus: Path, ids: tuple[str, ...], as_json: bool) -> int:
    """Show passages in full."""
    return _show(service.passages(corpus, ids=ids, person=PERSON), as_json, in_full=True)


@corpus.command(epilog='Example: surefoot corpus search corpus.jsonl "late payment interest"')
@_CORPUS
@click.argument("words")
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=10, show_default=True, metavar="N", help="Show at most N."
)
@_JSON_LINES
def search(corpus: Path, words: str, limit: int, as_json: bool) -> int:
    """Find the passages that match WORDS best."""
    found = service.search_corpus(corpus, words, limit=limit, person=PERSON)
    if not found.passages:
        say("nothing found: no passage has any of these words")
    return _show(found, as_json)


def _show(found: Passages, as_json: bool, in_full: bool = False) -> int:
    with quiet_if_nobody_reads():
        for row in found.table():
            if as_json:
                print_json(row)
                continue
            where = ", ".join([row["doc"], *([f"p. {row['page']}"] if row["page"] else [])])
            if in_full:
                click.echo(f"{plain(row['id'], 300)}  ({plain(where, 200)})")
                for line in (row["heading"], "", *row["text"].split("\n"), ""):
                    click.echo(plain(line, len(line)))
            else:
                text = " ".join(row["text"].split())
                page = f"p. {row['page']}  " if row["page"] else ""
                click.echo(f"{plain(row['id'], 300)}  {page}{plain(text, _WIDTH)}")
    return int(found.exit_code)
