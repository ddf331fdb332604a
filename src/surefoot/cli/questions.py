"""surefoot corpus add | remove | list | show | search
surefoot questions build | review | check | lock | diff | clone"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import surefoot
from surefoot.cli import output as shared
from surefoot.cli.output import PERSON, Output, common
from surefoot.core.errors import UsageError
from surefoot.core.types import counted, plain

_CORPUS = click.argument("corpus", type=click.Path(exists=True, path_type=Path))
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_PLAIN = common(db=False)
_LINES = common(db=False, json="Print JSON lines.")


@click.group()
def corpus() -> None:
    """Turn documents into passages, and find their ids for gold_ids."""


@corpus.command(epilog="Example: surefoot corpus add contracts/ handbook.pdf --out corpus.jsonl")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The corpus to make or update.")
@_PLAIN
def add(output: Output, paths: tuple[Path, ...], out: Path) -> int:
    """Read PDF, HTML, office files, RTF, mail, Markdown, text, CSV, rows of JSON and Parquet, folders and archives.

    Unchanged documents are not read again; missing ones stay until removed. Files that cannot be read are named, with
    exit code 4. Rows are passages cut elsewhere: `text` (or content, page_content, body), perhaps `id`, `doc`, `page`.
    """
    added = surefoot.add_documents(paths, out=out, person=PERSON)
    kinds = ", ".join(f"{added[kind]} {kind}" for kind in ("added", "changed", "unchanged", "unread"))
    return output.finish(added, [f"{plain(added.corpus)}: {counted(added.passages, 'passage')}; documents: {kinds}"])


@corpus.command(epilog="Example: surefoot corpus remove corpus.jsonl msa.pdf old-contracts/")
@_CORPUS
@click.argument("names", nargs=-1, required=True)
@_PLAIN
def remove(output: Output, corpus: Path, names: tuple[str, ...]) -> int:
    """Remove documents: by name, or all of a folder or archive."""
    removed = surefoot.remove_documents(corpus, names)
    left, gone = counted(removed.passages, "passage"), counted(len(removed.documents), "document")
    return output.finish(removed, [f"{plain(removed.corpus)}: {left}; {gone} removed"])


@corpus.command("list", epilog="Example: surefoot corpus list corpus.jsonl --doc msa.pdf")
@_CORPUS
@click.option("--doc", default="", help="Only this document: name, or words of its title.")
@_LINES
def list_(output: Output, corpus: Path, doc: str) -> int:
    """List passages and their ids."""
    return _list(output, surefoot.passages(corpus, doc=doc, person=PERSON))


@corpus.command(epilog="Example: surefoot corpus show corpus.jsonl msa.pdf#4.2-3fa9c1")
@_CORPUS
@click.argument("ids", nargs=-1, required=True)
@_LINES
def show(output: Output, corpus: Path, ids: tuple[str, ...]) -> int:
    """Show passages in full."""
    return _list(output, surefoot.passages(corpus, ids=ids, person=PERSON), in_full=True)


@corpus.command(epilog='Example: surefoot corpus search corpus.jsonl "late payment interest"')
@_CORPUS
@click.argument("words")
@click.option("--limit", type=click.IntRange(1, 1_000), default=10, show_default=True, metavar="N", help="At most N.")
@_LINES
def search(output: Output, corpus: Path, words: str, limit: int) -> int:
    """Find the passages that match WORDS best."""
    found = surefoot.search_corpus(corpus, words, limit=limit, person=PERSON)
    if not found.rows:
        PERSON.tell("nothing found: no passage has any of these words")
    return _list(output, found)


def _list(output: Output, found: surefoot.Passages, in_full: bool = False) -> int:
    def lines() -> Iterator[str]:
        for row in found.rows:
            id_, page = plain(row["id"], 300), f"p. {row['page']}" if row["page"] else ""
            if output.as_json:
                yield shared.json_line(row)
            elif in_full:
                yield f"{id_}  ({plain(', '.join(filter(None, [row['doc'], page])), 200)})"
                yield from (plain(line, len(line)) for line in (row["heading"], "", *row["text"].split("\n"), ""))
            else:
                yield "  ".join(filter(None, [id_, page, plain(" ".join(row["text"].split()), 100)]))

    shared.show(lines())
    return int(found.exit_code)


@click.group(epilog="Example: surefoot questions check qaset.json")
def questions() -> None:
    """Build, review, check, lock and version a question set."""


def _shares(_context: click.Context, _option: click.Parameter, mix: str | None) -> dict[str, int] | None:
    found = {}
    for part in mix.split(",") if mix is not None else ():
        name, _, count = part.strip().partition("=")
        if not count.strip().isdecimal():
            raise UsageError(f"--mix {mix}: {part.strip()!r} is not KIND=NUMBER", "write plain=60,unanswerable=40")
        found[name.strip()] = int(count)
    return None if mix is None else found


@questions.command(epilog="Example: surefoot questions build corpus.jsonl --out questions.jsonl --size 130")
@click.argument("corpus", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The set, as JSON lines.")
@click.option("--size", type=click.IntRange(1, 10_000), metavar="N", help="130 questions, or no more if it is locked.")
@click.option("--mix", metavar="KIND=N,...", callback=_shares, help="Other shares, such as plain=60,unanswerable=40.")
@click.option("--from-traces", type=click.Path(exists=True, path_type=Path), metavar="LOG",
              help="Propose questions from this log: answered badly, refused, or rare.")  # fmt: skip
@shared.map_option
@shared.citations_option
@click.option("--accept-all", is_flag=True, help="Accept them unread; the set records that.")
@click.option("--seed", type=click.IntRange(0, 10**9), default=0, show_default=True, metavar="N", help="Draws others.")
@click.option("--model", metavar="NAME", help="Language model to word the questions.")
@shared.paid_options
@_PLAIN
def build(output: Output, corpus: Path | None, **options: Any) -> int:  # noqa: ANN401
    """Make a question set from documents: questions that they answer, and questions that they do not.

    The questions are proposals, to be read with `surefoot questions review`. Repeat the command to continue.
    """
    shared.refuse_idle(options["from_traces"], "with --from-traces", "mix", "seed")
    shared.refuse_idle(not options["from_traces"], "without --from-traces", "mapping", "citations")
    made = surefoot.build_questions(corpus, person=PERSON, **options)
    kinds = ", ".join(f"{count} {name}" for name, count in made.made.items() if count)
    lines = [f"{plain(made.file)}: {counted(made.questions, 'question')}" + (f" ({kinds})" if kinds else "")]
    if made.proposed:
        lines.append(f"next: surefoot questions review {plain(made.file)} --corpus {plain(str(corpus or 'CORPUS'))}")
    return output.finish(made, lines)


@questions.command(epilog="Example: surefoot questions review built.jsonl --corpus passages.jsonl")
@click.argument("file", type=_FILE)
@click.option("--corpus", required=True, type=click.Path(path_type=Path), help="The passages that they rest on.")
@click.option("--name", metavar="NAME", help="Who reviews.  [default: the page asks]")
@shared.page_options
@_PLAIN
def review(output: Output, file: Path, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Open the page where people accept, edit or reject proposed questions.

    Each decision goes into FILE at once. Runs until Ctrl-C.
    """
    state = "{reviewed} of {total} questions are reviewed"
    return shared.open_page(output, "the review page", "serve_questions", state, file, **options)


@questions.command(epilog="Example: surefoot questions check qaset.json --corpus passages.jsonl")
@click.argument("file", type=_FILE)
@click.option("--corpus", type=click.Path(path_type=Path), help="Check against these passages too.")
@click.option("--prompt", type=_FILE, help="The pipeline's prompt: no gold claim may be in it.")
@click.option("--strict", is_flag=True, help="Exit 1 for warnings too.")
@_PLAIN
def check(output: Output, file: Path, corpus: Path | None, prompt: Path | None, strict: bool) -> int:
    """Find duplicates, leaks, one-sided sets, missing gold ids, questions changed under their id.

    With --corpus (about two seconds a question): does the gold passage support the claim and answer the question, and
    does nothing answer an unanswerable one? Exits 1 on an error.
    """
    found = surefoot.check_questions(file, corpus=corpus, prompt=prompt, strict=strict, person=PERSON)
    problems = {"error": found.errors, "warning": found.warnings}
    for word, problem in ((word, one) for word, some in problems.items() for one in some if not output.as_json):
        PERSON.tell(f"{word}: {plain(str(problem), 10_000)}")
    counts = {"question": found.questions, **{word: len(some) for word, some in problems.items()}}
    line = ", ".join(counted(count, noun) for noun, count in counts.items())
    if unsure := max(0, len(found.findings) - len(found.errors) - len(found.warnings)):
        line += f"; --json shows {counted(unsure, 'finding')} that {'is' if unsure == 1 else 'are'} less sure"
    return output.finish(found, [line])


@questions.command(epilog="Example: surefoot questions lock qaset.json")
@click.argument("file", type=_FILE)
@click.option("--accept-changes", is_flag=True, help="Lock even if questions changed under their ids.")
@click.option("--accept-all", is_flag=True, help="Accept proposed questions that nobody has read.")
@_PLAIN
def lock(output: Output, file: Path, accept_changes: bool, accept_all: bool) -> int:
    """Write FILE.lock with a content hash per question id; commit it beside the set.

    Then `score` refuses the set when a question has changed under its id.
    """
    found = surefoot.lock_questions(file, accept_changes=accept_changes, accept_all=accept_all)
    if found.changed and not output.as_json:
        for problem in found.changed:
            PERSON.tell(f"error: {plain(str(problem), 10_000)}")
        PERSON.tell(f"hint: surefoot questions clone {file} NEW gives them new ids")
        return int(found.exit_code)
    unread = f", {found.accepted_unread} of them accepted unread" if found.accepted_unread else ""
    return output.finish(found, [f"{found.lock}: {counted(found.questions, 'question')} locked{unread}"])


@questions.command(epilog="Example: surefoot questions diff qaset.json qaset-v2.json")
@click.argument("old", type=_FILE)
@click.argument("new", type=_FILE, required=False)
@_PLAIN
def diff(output: Output, old: Path, new: Path | None) -> int:
    """Compare two sets, or a set with its lock file. Exits 1 when a question changed under its id."""
    found = surefoot.diff_questions(old, new)
    lines = [f"{word}: {plain(qid)}" for word in ("added", "removed", "changed") for qid in found[word]]
    return output.finish(found, [*lines, f"{found.unchanged} unchanged"])


@questions.command(epilog="Example: surefoot questions clone qaset.json qaset-v2.json --change q3 --change q7")
@click.argument("file", type=_FILE)
@click.argument("new", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--change", multiple=True, metavar="QID", help="Give this question a new id. Repeatable.")
@click.option("--corpus", type=click.Path(exists=True, path_type=Path), help="Propose a successor where gold changed.")
@_PLAIN
def clone(output: Output, file: Path, new: Path, change: tuple[str, ...], corpus: Path | None) -> int:
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those of --change, which you then edit, and those that differ from FILE.lock. With --corpus, questions
    whose gold passage is no longer there are proposed anew, with the closest passage. When done, lock NEW.
    """
    found = surefoot.clone_questions(file, new, change=change, corpus=corpus, person=PERSON)
    lines = [f"{plain(old_id)} -> {plain(new_id)}" for old_id, new_id in found.renamed.items()]
    behind = f"; {counted(found.rejected, 'rejected question')} stayed behind in {file}" if found.rejected else ""
    kept = f"{found.questions - len(found.renamed)} kept their id{behind}"
    lines.append(f"{new}: {counted(found.questions, 'question')}, {kept}")
    for verb, ids in (("review", found.proposed), ("edit", found.to_edit)):
        lines += [f"{verb} {plain(', '.join(ids))} now, then `surefoot questions lock {new}`"] if ids else []
    return output.finish(found, lines)
