"""Named facts about what the command does: the only file here that knows options, JSON shapes and where a run is kept.

A `Project` is a folder in which somebody works, a `Run` a handle that only this file can open. Every command returns
`Facts`: the exit code under `exit`, the kind of the error message under `message`, and whatever else it tells.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests import forked

_LONGEST_WAIT = 300  # seconds
DATABASE = "surefoot.db"
_FOREIGN = (
    "SUREFOOT_",
    "LLM_COUNCIL_",
    "ANTHROPIC_",
    "OPENAI_",
    "RAY_",
    "GITHUB_",
)  # settings of whoever runs the tests
_LISTED = ("newly_wrong", "newly_unsupported", "mended_wrong", "mended_unsupported", "pairs", "differing", "looked_at",
           "unseen")  # fmt: skip
_VERDICT = {"pass": "met", "fail": "broken", "incomplete": "broken", "undecidable": "open"}

# The kind of an error, by its words; the first that fits counts.
_MESSAGES = {
    "no such option": r"o (?:such )?option\b|unexpected extra arg|takes no value|not FIELD=PATH|Missing (?:opt|arg)",
    "no such command": r"No such command|there is no command",
    "no such field": r"there is no field",
    "bad rule": r"^the rule ",
    "already there": r"already|is not empty|exists",
    "other grader": r"cannot be compared",
    "other run": r"the run was made with|is not the one the run was made with",
    "not there": r"has no run or version|there is no (?!grader|function|Python|folder)|not a file|does not exist|"
    r"No such file|no passage",
    "bad value": r"Invalid value|cannot be read: (?!No such)|unknown report format|is not one of|no folder to write",
    "no such grader": r"there is no grader",
    "no such pipeline": r"no Python module|has no function|cannot be started|is not a pipeline",
    "nothing given": r"nothing to (?:score|monitor)|one thing to grade|nothing to monitor|no pipeline was named",
    "not graded yet": r"is not graded yet|was not graded",
    "no answers labelled": r"no label in .* could be placed|nothing (?:was|is) labelled|no labels|label some",
    "rows unusable": r"cannot be used",
    "graded before": r"changed since it was graded|were changed by hand",
    "question changed": r"changed (?:under|since)",
    "not by people": r"no label by a person",
    "unread proposals": r"proposed|nobody has (?:read|reviewed)",
}


class Facts(dict[str, Any]):
    """What a command told, by name; `output` is all of it, for whoever reads a failed test."""

    output: str = ""

    def also(self, more: Mapping[str, object]) -> Facts:
        self.update(more)
        return self


def expect(facts: Facts, **wanted: object) -> None:
    """Each wanted fact holds. Of a mapping, the keys that are named count."""
    for name, value in wanted.items():
        assert name in facts, f"no fact {name!r} among {sorted(facts)}\n{facts.output}"
        found = facts[name]
        if isinstance(value, Mapping) and value:
            found = {key: found.get(key) for key in value}
        assert found == value, f"{name} is {found!r}, not {value!r}\n{facts.output}"


class Run(NamedTuple):
    """A run of a project; what it is made of is nobody's business."""

    name: str


class Done(NamedTuple):
    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return {**kept, "PYTHONWARNINGS": "error", "COLUMNS": "120"}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "surefoot", *words]


def rows_in(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Project:
    """A folder with a user's files, and the commands that the user gives there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def copied(self, folder: Path) -> Project:
        """A project with the same files and graded runs."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Project(folder)

    def write(self, name: str, content: object) -> str:
        """A file: bytes or a text as they are, rows as JSON lines, or as one list if it is called so."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Sequence) and not isinstance(content, str | bytes) and not name.endswith(".json"):
            content = "".join(json.dumps(row) + "\n" for row in content)
        elif not isinstance(content, str | bytes):
            content = json.dumps(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text("utf-8") if path.exists() else ""

    # Logs

    def score(
        self, log: str | Sequence[str], questions: str | None = "questions.jsonl", *, stdin: bytes = b"",
        rules: Sequence[str] = (), by: Sequence[str] = (), mapping: Mapping[str, str] | None = None,
        **options: str,
    ) -> Facts:  # fmt: skip
        """`options` are `gate`, `rerun`, `refusal`, `baseline`, `corpus`, `report`, `junit` (a report too)."""
        logs = [log] if isinstance(log, str) else log
        words = [*_each("--traces", logs), *(() if questions is None else ("--questions", questions))]
        words += [*_each("--rule", rules), *_each("--by", by), *_mapped(mapping), *_options(options)]
        facts, done = self._call("score", *words, "--json", stdin=stdin)
        found = _object(done.out)
        if not found:
            return facts
        checks = {re.split(" [<>]=", check["name"])[0]: check for check in found["gate"]["checks"]}
        given = found["input"]
        facts |= {
            "decision": found["gate"]["outcome"],
            "rules": {name: _VERDICT[check["status"]] for name, check in checks.items()},
            "blamed": {name: tuple(check["questions"]) for name, check in checks.items()},
            "labels": {row["qid"]: row["label"] for row in found.get("rows", ())},
            "cited": {row["qid"]: row["citations"] and tuple(row["citations"]) for row in found["rows"]},
            "metrics": {name: _share(one) for name, one in found["metrics"].items()},
            "groups": {
                f"{name}[{value}]": _share(one)
                for values in found["groups"].values() for value, ones in values.items() for name, one in ones.items()
            },
            "rows": given["rows"], "scored": given["scored"], "set aside": given["set_aside"],
            "problems": {kind: count for kind, count in given["problem_counts"].items() if kind != "note"},
            "moved": {one["question_id"]: one["way"] for one in found.get("label_changes", {}).get("changed", ())},
        }  # fmt: skip
        return facts

    def save_score(self, name: str, log: str, by: Sequence[str] = ()) -> str:
        """What `score` said, as a file to be the baseline of a later score."""
        words = ["--traces", log, "--questions", "questions.jsonl", *_each("--by", by), "--json"]
        return self.write(name, self._call("score", *words)[1].out)

    # Runs

    def run(
        self, name: str, pipeline: str | None, questions: str | None = "questions.jsonl", **options: object
    ) -> Facts:
        """`options` are `corpus`, `repeats`, `resume`, `retry_errors`, `version`, `timeout`, `mapping`.

        A run is called by its version: the newest one of it is meant.
        """
        facts, done = self._call(*self.run_words(name, pipeline, questions, **options))
        if found := _object(done.out):
            facts |= {name: found[name] for name in ("asked", "answers", "errors", "missing")}
        return facts

    def run_words(self, name: str, pipeline: str | None, questions: str | None, **options: object) -> list[str]:
        mapping: Any = options.pop("mapping", None)
        again = options.pop("resume", False) or options.get("retry_errors", False)
        options.setdefault("version", None if again else name)
        at_once = options.pop("concurrency", None)
        words = ["run", *(["--resume", name] if again else []), "--json", *_mapped(mapping)]
        words += [] if at_once is None else ["--set", f"concurrency={at_once}"]
        words += [] if pipeline is None else ["--pipeline", pipeline]
        words += [] if questions is None else ["--questions", questions]
        return [*words, *_options(options)]

    def held(self, run: Run) -> dict[tuple[str, int], str | None]:
        """The answers that a run holds, by question and attempt, as its reader takes them; None for an error."""
        rows = map(json.loads, self._traces(run))
        return {(row["question_id"], row["attempt"]): row["answer"] for row in rows}

    def rows_held(self, run: Run) -> int:
        """How many rows hold these answers."""
        return len(self._traces(run))

    def progress(self, run: Run) -> int:
        """How much a run holds by now, in whatever it counts."""
        return len(self._traces(run))

    def _traces(self, run: Run) -> list[str]:
        newest = "SELECT id FROM runs WHERE version = ? ORDER BY at DESC LIMIT 1"
        query = f"SELECT trace FROM answers WHERE run = ({newest})"
        try:
            # Read only: whoever closes a file last would tidy up after a kill.
            with contextlib.closing(sqlite3.connect(f"file:{self.folder / DATABASE}?mode=ro", uri=True)) as file:
                return [row[0] for row in file.execute(query, [run.name])]
        except sqlite3.OperationalError:
            pass
        # Not yet made; or killed within a write, which only somebody who may write can read past: in a copy.
        with tempfile.TemporaryDirectory() as folder, contextlib.suppress(sqlite3.OperationalError, FileNotFoundError):
            for name in (DATABASE, f"{DATABASE}-wal"):
                shutil.copy(self.folder / name, folder)
            with contextlib.closing(sqlite3.connect(Path(folder) / DATABASE)) as file:
                return [row[0] for row in file.execute(query, [run.name])]
        return []

    def tear(self, run: Run) -> None:
        """The last answer was being written when the power went."""
        path = self.folder / f"{DATABASE}-wal"
        path.write_bytes(path.read_bytes()[:-9])

    def tamper(self, run: Run, question: str, bucket: str) -> bool:
        """Somebody edits a verdict of a graded run by hand; whether the database let them."""
        change = "UPDATE verdicts SET value = ? WHERE question_id = ? AND axis = 'factuality'"
        with contextlib.closing(sqlite3.connect(self.folder / DATABASE)) as file, contextlib.suppress(sqlite3.Error):
            with file:
                file.execute(change, [json.dumps(bucket), question])
            return True
        return False

    # Grading

    def grade(self, run: Run, grader: str = "rules", **options: str) -> Facts:
        return self._graded(*self.grade_words(run, grader, **options))

    def grade_words(self, run: Run, grader: str = "rules", **options: str) -> list[str]:
        return ["grade", run.name, "--grader", grader, "--json", *_options(options)]

    def grade_items(
        self, name: str, grader: str = "rules", *, stdin: bytes = b"", mapping: Mapping[str, str] | None = None,
        **options: str,
    ) -> Facts:  # fmt: skip
        words = ["--items", name, "--grader", grader, "--json", *_mapped(mapping), *_options(options)]
        return self._graded("grade", *words, stdin=stdin)

    def grade_log(self, log: str, name: str, grader: str = "rules", **options: str) -> Facts:
        """A log becomes a run."""
        words = ["--traces", log, "--version", name, "--grader", grader, "--json", *_options(options)]
        return self._graded("grade", *words)

    def grade_texts(self, kind: str, name: str) -> Facts:
        """`kind` is pairs, refusals or answering."""
        facts, done = self._call("grade", "--pairs", name, "--json")
        rows = rows_in(done.out)
        facts["says"] = {str(row["id"]): row.get("label", row.get("refusal", row.get("value"))) for row in rows}
        return facts

    def _graded(self, *words: str, stdin: bytes = b"") -> Facts:
        facts, done = self._call(*words, stdin=stdin)
        rows = rows_in(done.out)
        names = [row["id"] if row["attempt"] == 1 else f"{row['id']}/{row['attempt']}" for row in rows]
        by_name = dict(zip(names, rows, strict=True))
        axes = {"bucket": "factuality", "reason": "reason", "exists": "citation_exists", "extra": "extra_claim_count",
                "supports": "citation_supports", "quality": "refusal_quality", "refusal": "refusal"}  # fmt: skip
        for fact, field in axes.items():
            facts[fact] = {name: row.get(field) for name, row in by_name.items()}
        facts["flags"] = {name: tuple(row.get("flags", ())) for name, row in by_name.items()}
        facts["attached"] = {
            name: tuple(",".join(c["citations"]) for c in row.get("claims", ())) for name, row in by_name.items()
        }
        facts["graded"], facts["given"] = sum(row["factuality"] is not None for row in rows), len(rows)
        facts["buckets"] = dict(Counter(row["factuality"] or "ungraded" for row in rows))
        return facts

    def report(self, run: Run, *pages: str) -> Facts:
        facts, done = self._call("report", run.name, *_each("--report", pages), "--json")
        if found := _object(done.out):
            facts |= {
                "buckets": _some(found["buckets"]),
                "groups": {name: _some(ones) for name, ones in found["by_stratum"].items()},
                "axes": found["axes"],
                "unsure": len(found["unsure"]),
                "labels": found["trust"]["labels"],
            }
        return facts.also({"pages": {name: self.page(name) for name in pages}})

    def page(self, name: str) -> str:
        """What kind of report a file is."""
        text = self.read(name)
        kinds = {"html": "<!doctype html", "junit": "<testsuite", "markdown": "# "}
        return next((kind for kind, sign in kinds.items() if sign in text[:3000].lower()), "none")

    # Labels, calibration, decisions

    def import_labels(self, name: str, run: Run | None = None, db: str | None = None) -> Facts:
        facts, done = self._call("import", name, *_options({"run": run and run.name, "db": db}), "--json")
        if found := _object(done.out):
            new = found["new"]
            facts |= {"new": new["labels"] if "labels" in new else new["verdicts"], "left out": found["left_out"]}
        return facts

    def export(self, name: str, db: str | None = None) -> Facts:
        """What people said, as a file."""
        facts, done = self._call("export", name, "--labels", *_options({"db": db}), "--json")
        if found := _object(done.out):
            facts |= {"labels": found["lines"], "hash": found["sha256"]}
        return facts

    def calibrate(self, run: Run, **options: str) -> Facts:
        facts, done = self._call("calibrate", run.name, *_options(options), "--json")
        if found := _object(done.out):
            facts |= {
                "called correct, but not": _rounded(found["false_correct"]),
                "bad found": _rounded(found["bad_found"]),
                "labels": found["axes"].get("factuality", {}).get("n", 0),
                "cannot tell": found["cannot_tell"],
                "axes": sorted(found["axes"]),
            }
        return facts

    def gate(self, base: Run | None, cand: Run, *, uncalibrated: bool = True, **options: object) -> Facts:
        """The grader's verdicts are taken as they are, unless people are to decide."""
        sides = [one.name for one in (base, cand) if one is not None]
        facts, done = self._call("gate", *sides, *_options({**options, "uncalibrated": uncalibrated}), "--json")
        if found := _object(done.out):
            facts |= {
                "decision": found["outcome"],
                "base": _some(found["buckets"]["base"]), "cand": _some(found["buckets"]["cand"]),
                "lean": found["lean"], "by": sorted(found["annotators"]), "notes": len(found["notes"]),
                "rules": {one["name"]: one["holds"] for one in found["rules"]},
                "change": {one["name"]: one["change"] for one in found["rules"]},
                "next": len(found["next"]),
            } | {name: found[name] for name in _LISTED}  # fmt: skip
        return facts

    def baseline(self, run: Run | None = None, accept_worse: str | None = None) -> Facts:
        words = [] if run is None else [run.name]
        facts, done = self._call("baseline", *words, *_options({"accept_worse": accept_worse}), "--json")
        if found := _object(done.out):
            facts |= {name: found[name] for name in ("version", "moved")} | {"buckets": _some(found["buckets"])}
            facts["warned"] = bool(found["warning"])
        return facts

    def history(self) -> Facts:
        facts, done = self._call("gate", "--history", "--json")
        decisions = _object(done.out).get("decisions", [])
        return facts.also(
            {
                "decisions": [(one["reference"], one["release"], one["outcome"]) for one in decisions],
            }
        )

    def matrix(self, name: str) -> Facts:
        facts, done = self._call("matrix", name, "--json")
        if found := _object(done.out):
            facts["cells"] = {cell["name"]: _some(cell["buckets"]) for cell in found["cells"]}
            facts["over refusal"] = {cell["name"]: _share(cell["rates"]["over_refusal"]) for cell in found["cells"]}
        return facts

    def purge(self, *, subject: str, really: bool) -> Facts:
        return self._call("purge", *_options({"subject": subject, "yes": really}), "--json")[0]

    def council_score(self, name: str, rubric: str = "council") -> Facts:
        facts, done = self._call("council", "score", "--reviews", name, "--rubric", rubric, "--json")
        if found := _object(done.out):
            ranking = found["ranking"]
            facts |= {
                "order": [one["label"] for one in ranking],
                "overall": {one["label"]: one["overall"] for one in ranking},
                "capped": {one["label"]: bool(one["capped_by"]) for one in ranking},
                "votes": {one["label"]: one["votes"] for one in ranking},
                "safe": {one["label"]: one["safety"]["passed"] for one in ranking},
                "void": [one["reviewer"] for one in found["void"]],
            }
        return facts

    # Documents and question sets

    def corpus_add(self, *paths: str, out: str = "corpus.jsonl") -> Facts:
        facts, done = self._call("corpus", "add", *paths, "--out", out, "--json")
        if found := _object(done.out):
            facts |= {name: found[name] for name in ("passages", "added", "changed", "unchanged", "unread")}
        return facts

    def passages(
        self, corpus: str, *, doc: str | None = None, search: str | None = None, show: str | None = None
    ) -> Facts:
        words = ["search", corpus, search] if search else ["show", corpus, show] if show else ["list", corpus]
        facts, done = self._call("corpus", *words, *(() if doc is None else ("--doc", doc)), "--json")
        rows = rows_in(done.out)
        facts |= {"ids": [row["id"] for row in rows], "texts": [row["text"] for row in rows]}
        return facts.also({"files": [row["id"].partition("#")[0] for row in rows]})

    def corpus_remove(self, corpus: str, *names: str) -> Facts:
        facts, done = self._call("corpus", "remove", corpus, *names, "--json")
        return facts.also(
            {"removed": _object(done.out).get("documents"), "passages": _object(done.out).get("passages")}
        )

    def build(self, corpus: str, out: str, mix: Mapping[str, int], *extra: str) -> Facts:
        shares = ",".join(f"{kind}={count}" for kind, count in mix.items())
        words = [corpus, "--out", out, "--size", str(sum(mix.values())), "--mix", shares, *extra]
        facts, done = self._call("questions", "build", *words, "--json")
        found, rows = _object(done.out), rows_in(self.read(out))
        facts["made"] = _some(found.get("made", {}))
        facts["golden"] = sum(bool(row["gold_ids"] and row["gold_claims"]) for row in rows)
        facts["unanswerable"] = sum(not row["answerable"] for row in rows)
        return facts

    def check_questions(self, name: str, **options: str) -> Facts:
        facts, done = self._call("questions", "check", name, *_options(options), "--json")
        found = _object(done.out)
        facts["errors"] = sorted({one["kind"] for one in found.get("errors", ())})
        facts["warnings"] = sorted({one["kind"] for one in found.get("warnings", ())})
        facts["about"] = sorted({one["qid"] for one in found.get("findings", ()) if one["qid"]})
        return facts

    def lock_questions(self, name: str, *, accept_all: bool = False, accept_changes: bool = False) -> Facts:
        words = [*(["--accept-all"] if accept_all else []), *(["--accept-changes"] if accept_changes else [])]
        facts, done = self._call("questions", "lock", name, *words, "--json")
        return facts.also({"questions": _object(done.out).get("questions")})

    def diff_questions(self, old: str, new: str | None = None) -> Facts:
        facts, done = self._call("questions", "diff", old, *([] if new is None else [new]), "--json")
        return facts.also({key: _object(done.out).get(key) for key in ("added", "removed", "changed", "unchanged")})

    def clone_questions(self, old: str, new: str, change: str) -> Facts:
        facts, done = self._call("questions", "clone", old, new, "--change", change, "--json")
        return facts.also({"renamed": _object(done.out).get("renamed")})

    def reviews(self, name: str) -> dict[str, int]:
        """How many questions of a set are proposed, accepted and rejected."""
        return dict(Counter(row.get("review", "none") for row in rows_in(self.read(name))))

    # The rest

    def monitor(self, log: str, **options: str) -> Facts:
        """One call over a log, grading everything by rules; bad answers go to bad.jsonl."""
        words = ["--once", log, "--sample", "1", "--grader", "rules", "--state", "state.json", "--bad", "bad.jsonl"]
        facts, done = self._call("monitor", *words, *_options(options), "--json")
        if found := _object(done.out):
            facts |= {"seen": found["seen"], "sampled": found["sampled"], "buckets": _some(found["buckets"])}
            facts |= {"alerts": found["alerts"], "unreadable": found["unreadable"]}
        return facts.also({"bad": [row["trace_id"] for row in rows_in(self.read("bad.jsonl"))]})

    def doctor(self, pipeline: str, questions: str = "questions.jsonl") -> Facts:
        facts, done = self._call("doctor", "--pipeline", pipeline, "--questions", questions, "--json")
        if found := _object(done.out):
            facts |= {"ready": found["ready"], "passed": {one["question_id"]: one["ok"] for one in found["findings"]}}
        return facts

    def init(self, name: str) -> Facts:
        facts, _ = self._call("init", name)
        return facts.also({"files": sorted(path.name for path in (self.folder / name).iterdir() if path.is_file())})

    def plain(self, *words: str) -> Facts:
        """A command as it is written, for wrong ones."""
        return self._call(*words)[0]

    @contextlib.contextmanager
    def label_site(self, run: Run, token: str = "") -> Iterator[Site]:
        """The page on which nora labels a run."""
        with self._site(["label", run.name, "--annotator", "nora"], token) as site:
            yield site

    @contextlib.contextmanager
    def review_site(self, questions: str, corpus: str) -> Iterator[Site]:
        """The page on which nora reviews proposed questions."""
        with self._site(["questions", "review", questions, "--corpus", corpus, "--name", "nora"], "") as site:
            yield site

    @contextlib.contextmanager
    def browse_site(self, token: str = "") -> Iterator[Site]:
        """The pages that show all runs."""
        with self._site(["serve"], token) as site:
            yield site

    @contextlib.contextmanager
    def _site(self, words: Sequence[str], token: str) -> Iterator[Site]:
        given = [*words, "--json", "--no-browser", "--port", "0", *(["--token", token] if token else [])]
        process = subprocess.Popen(
            command(*given), cwd=self.folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            assert told, process.communicate()[1].decode()
            yield Site(json.loads(told)["url"], token)
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=_LONGEST_WAIT)
            assert b"Traceback" not in errors and process.returncode == 0, errors.decode()

    def _call(self, *words: str, stdin: bytes = b"") -> tuple[Facts, Done]:
        made = forked.run(words, self.folder, environment(), stdin)
        done = Done(made.returncode, made.stdout.decode("utf-8", "replace"), made.stderr.decode("utf-8", "replace"))
        return facts_of(words, done), done


def facts_of(words: Sequence[str], done: Done) -> Facts:
    assert "Traceback" not in done.err, done.err
    error = next((line.removeprefix("error: ") for line in done.err.splitlines() if line.startswith("error: ")), "")
    kind = next((kind for kind, pattern in _MESSAGES.items() if re.search(pattern, error)), "other")
    facts = Facts(exit=done.code, message=kind if error else None, hint="\nhint: " in done.err)
    facts.output = f"surefoot {' '.join(words)}\n{done.out[-2500:]}\n{done.err[-1500:]}"
    return facts


class Site:
    """Pages that are being served."""

    def __init__(self, url: str, token: str) -> None:
        self._token = token
        self._host = re.sub(r"^http://([^/]+).*$", r"\1", url)
        self._cookies: list[str] = []

    def enter(self) -> int:
        """Open the printed address, with its token; the status of the reply."""
        return self.get(f"/?token={self._token}" if self._token else "/")[0]

    def get(self, path: str) -> tuple[int, str]:
        """Status and text of a page, redirects followed."""
        for _ in range(5):
            reply = self._ask("GET", path)
            if not reply.onwards:
                break
            path = reply.onwards
        return reply.status, reply.text

    def label(self, bucket: str) -> Facts:
        """Put the answer that is offered into a bucket."""
        page = self.get("/looks/")[1]
        key = re.findall(r'data-key="([^"]+)"', page)[0]
        return self._posted("/looks/save", {"id": key[:32], "sides": [{"key": key, "values": {"factuality": bucket}}]})

    def decide_question(self, decision: str) -> Facts:
        """Accept or reject the question that is offered, as it is."""
        key = re.findall(r'data-key="([^"]+)"', self.get("/questions/")[1])[0]
        return self._posted("/questions/save", {"sides": [{"key": key, "values": {"decision": decision}}]})

    def run_page(self, run: Run) -> tuple[int, str]:
        """The page of one run, by its link on the first page."""
        links = re.findall(r'<a href="(/runs/[^"]+)"[^>]*>(.*?)</a>', self.get("/")[1])
        return self.get(next((link for link, words in links if run.name in words), "/nowhere"))

    def post_from_elsewhere(self) -> int:
        """The status that another site gets when it sends a label."""
        return int(self._posted("/looks/save", {}, origin="http://elsewhere.example")["status"])

    def _posted(self, path: str, body: object, origin: str = "") -> Facts:
        reply = self._ask("POST", path, json.dumps(body).encode(), origin or f"http://{self._host}")
        facts = Facts(status=reply.status)
        facts.output = reply.text
        return facts

    def _ask(self, method: str, path: str, body: bytes | None = None, origin: str = "") -> Reply:
        headers = {"Cookie": "; ".join(self._cookies)} if self._cookies else {}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Origin": origin}
        with contextlib.closing(http.client.HTTPConnection(self._host, timeout=_LONGEST_WAIT)) as connection:
            connection.request(method, path, body, headers)
            found = connection.getresponse()
            self._cookies += [one.partition(";")[0] for one in found.headers.get_all("set-cookie") or ()]
            return Reply(found.status, found.headers.get("location", ""), found.read().decode())


class Reply(NamedTuple):
    """What a server replied; `onwards` is where it sends a browser."""

    status: int
    onwards: str
    text: str


def _each(option: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _mapped(mapping: Mapping[str, str] | None) -> list[str]:
    return _each("--map", [f"{field}={path}" for field, path in (mapping or {}).items()])


def _options(options: Mapping[str, object]) -> list[str]:
    """Options as they are spelled; True stands for a flag."""
    named = [("--report" if name == "junit" else f"--{name.replace('_', '-')}", value)
             for name, value in options.items() if value not in (None, False)]  # fmt: skip
    return [word for option, value in named for word in ([option] if value is True else [option, str(value)])]


def _object(out: str) -> dict[str, Any]:
    """The JSON object that a command printed, if it did."""
    try:
        found = json.loads(out)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _share(estimate: Mapping[str, Any]) -> str | None:
    return None if estimate["value"] is None else f"{estimate['numerator']}/{estimate['denominator']}"


def _rounded(estimate: Mapping[str, Any] | None) -> float | None:
    return None if estimate is None or estimate["value"] is None else round(float(estimate["value"]), 2)
