"""Try to break it: `make prove`, or `python -m tests.prove [NAME...]`; tests/test_prove.py does the same in small.

Each proof takes a size and returns what it did in one line; whatever does not hold is an AssertionError.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from surefoot import score
from surefoot.core.errors import SurefootError
from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Passage
from surefoot.gate.metrics import Rule
from surefoot.graders.llm import ModelGrader
from surefoot.io.labels import load_labels
from surefoot.jobs.project import verify_export
from surefoot.jobs.settings import load_gate, settings_from
from surefoot.models.seam import Prompt
from surefoot.text import citations, claims, jsonblocks, normal, numbers, personal, redaction, refusals, safety, tables
from tests import postgres_server
from tests.attacks.judges import Fake, Seen, bribed, excusing, inventive, obedient, sound
from tests.attacks.test_attacks import ITEMS, TRICKS
from tests.conftest import GOOD_TRACES, QUESTIONS
from tests.fault_server import MIXED, Call, Fault, FaultServer, at_random
from tests.growth import seconds
from tests.in_process import surefoot
from tests.items import item_of
from tests.store_faults import Faults

ROOT = Path(__file__).parents[1]
_KEY = "sk-never-to-be-seen-0123456789abcdef"


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        yield Path(name)


def kills(size: int) -> str:
    """A run, its grading, a label, an import and a monitor are killed; half of it all on a PostgreSQL server."""
    told = []
    on_both: dict[str, contextlib.AbstractContextManager[str]] = {
        "SQLite": contextlib.nullcontext(""), "PostgreSQL": postgres_server.running(),
    }  # fmt: skip
    for on, places in on_both.items():
        if on == "PostgreSQL" and (why := postgres_server.missing() or "not in small" * (size < 10)):
            told.append(f"no PostgreSQL: {why}")
            continue
        with _folder() as folder, places as db:
            faults, rounds = Faults(folder, db or str(folder / "surefoot.db"), 0.6 if size > 10 else 3.0), 0
            while faults.killed.total() < -(-size // 2):
                rounds += 1
                faults.round(rounds)
            of = ", ".join(f"{kind} {count}" for kind, count in faults.killed.items())
            told.append(f"{on} {faults.killed.total()} kills ({of})")
    return f"{'; '.join(told)}: nothing lost, nothing twice"


def model(size: int) -> str:
    """One call in five of a language model fails; its key stands in no file and in nothing that is printed."""
    fails = at_random(0.2, 1, (*MIXED, Fault(302), Fault(503, message="busy, {key}")))

    def script(call: Call) -> Fault:
        return fails(call) or Fault(text=json.dumps(sound(Prompt(str(call.body["messages"][-1]["content"])))))

    def asked_of(content: str) -> str:
        seen = Seen(Prompt(content)) if "<<<question" in content else None
        return f"{seen.question}\n{seen.answer}" if seen else content

    rows = [{"id": f"q{n}", "question": f"What is fee {n}?", "answer": f"Fee {n} is EUR {n % 7 or 9} [p].",
             "passages": [{"id": "p", "text": f"Fee {n} is EUR {n % 7}."}]} for n in range(size)]  # fmt: skip
    with _folder() as folder, FaultServer(script) as server:
        server.key = asked_of
        port = server.url.split(":")[2].partition("/")[0]
        os.environ[f"SUREFOOT_KEY_127_0_0_1_{port}"] = _KEY
        Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        grade = ["grade", "--items", "items.jsonl", "--grader", f"llm:m@{server.url}", "--json"]
        grade += ["--set", "cache=replies.db", "--set", "timeout=0.5", "--set", "concurrency=32", "--set", "yes=true"]
        printed, times, open_ = "", 0, size
        while open_ and times < 5:
            done = surefoot(*grade)
            times, printed = times + 1, printed + done.out + done.err
            found = [json.loads(line) for line in done.out.splitlines()]
            assert len(found) == size, f"{len(found)} of {size} answers are told of"
            left = [row for row in found if row["factuality"] is None]
            assert all(row["reason"] for row in left), "an answer is open without a reason"
            assert done.code == (4 if left else 0), done.err
            open_ = len(left)
        counts = server.counts()
        assert not counts["paid_twice"], [one for one, count in server.good.items() if count > 1][:3]
        assert not open_, f"{open_} answers are open after {times} times"
        del os.environ[f"SUREFOOT_KEY_127_0_0_1_{port}"]
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert _KEY not in printed and not any(_KEY.encode() in path.read_bytes() for path in files)
    return (f"{size} answers by a model of which 20 % of calls fail: all graded in {times} gradings,"
            f" {counts['calls']} calls, {counts['good']} replies paid for, none twice; its key in no file")  # fmt: skip


_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=12),
    st.sampled_from(["[p1#1]", "\ud800", "\x00", "]", "{", '{"answer": "x"}', "not in context", "1e999", "\u202e"]),
)  # fmt: skip
_VALUES = st.recursive(_LEAVES, lambda one: st.lists(one, max_size=3) | st.dictionaries(
    st.sampled_from(["id", "text", "answer", "chunks", "citations", "question", "spans", ""]), one, max_size=3
), max_leaves=5)  # fmt: skip
_ROWS = [*GOOD_TRACES,
         {"qid": "q1", "answer": {"claim": "So.", "citations": ["p1#1"]}, "chunks": ["p1#1"]},
         {"q_id": "q2", "answer_text": "Yes [p2#1].", "cited_chunks": ["p2#1"], "chunks": [{"id": "p2#1"}]},
         {"qid": "q3", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "So."}]},
         {"qid": "q4", "retrieval": {"topk": [{"id": "a", "text": "b"}]}, "answer": "not in context"}]  # fmt: skip


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    """A row of a log in which a value is another, gone or doubled; or a byte of it."""
    row: Any = json.loads(json.dumps(draw(st.sampled_from(_ROWS))))
    inner, depth = row, draw(st.integers(0, 2))
    while depth and isinstance(inner, dict) and inner:
        key = draw(st.sampled_from(sorted(inner)))
        if not isinstance(inner[key], (dict, list)) or not depth - 1:
            inner[key] = draw(_VALUES)
            break
        inner, depth = inner[key][0] if isinstance(inner[key], list) and inner[key] else inner[key], depth - 1
    line = json.dumps(row).encode()
    return _bytes(draw, line) if draw(st.integers(0, 2)) == 0 else line


def _bytes(draw: Callable[[st.SearchStrategy[Any]], Any], data: bytes) -> bytes:
    at, how = draw(st.integers(0, max(0, len(data) - 1))), draw(st.integers(0, 3))
    byte = bytes([draw(st.integers(0, 255))])
    return (data[:at], data[:at] + data[at + 1 :], data[:at] + byte + data[at:], data[:at] + byte + data[at + 1 :])[how]


def _many(size: int, strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    how = settings(max_examples=max(1, size), deadline=None, database=None, derandomize=True,
                   phases=(Phase.generate,), suppress_health_check=list(HealthCheck))  # fmt: skip

    @how
    @given(strategy)
    def tried(drawn: Any) -> None:  # noqa: ANN401 - whatever is drawn
        check(drawn)

    tried()


_BATCH = 40


def fuzz(size: int) -> str:
    """Rows, settings, gate files, exports and label files with changed bytes and values."""
    counts: Counter[str] = Counter()
    with _folder():
        _many(size * 7 // 10 // _BATCH, st.lists(_mutated(), min_size=_BATCH, max_size=_BATCH), partial(_rows, counts))
        texts = [(ROOT / "src/surefoot/gates" / f"{name}.toml").read_bytes() for name in ("default", "ship", "helpful")]
        ours = b'concurrency = 4\nmax_cost = 5.0\ncitations = "optional"\n[prices]\n"m" = { in = 0.15, out = 0.6 }\n'
        changed = st.tuples(st.sampled_from([*texts, ours]), st.data())
        _many(size // 10, changed, partial(_toml, counts))
        _bundle(Path("run.jsonl"))
        _many(size // 10, st.tuples(st.just(Path("run.jsonl").read_bytes()), st.data()), partial(_export, counts))
        labels = [b'{"question_id": "q1", "axis": "factuality", "value": "wrong", "annotator": "ann"}\n' * 3,
                  b"question_id,axis,value,annotator\nq1,factuality,wrong,ann\nq2,refusal_quality,2,ann\n",
                  b"id;factuality;annotator\nq1;correct;ann\nq2;wrong;ben\n"]  # fmt: skip
        _many(size // 10, st.tuples(st.sampled_from(labels), st.data()), partial(_labels, counts))
    told = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    return f"{told}: no traceback, no silent difference"


def _rows(counts: Counter[str], lines: list[bytes]) -> None:
    """Every row is accounted for, and rows that are read where they lie say what they say as values."""
    Path("rows.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    found = score(QUESTIONS, "rows.jsonl", rerun="all", settings={"jobs": 1})
    given = found.accounting
    assert given.rows == given.scored + given.set_aside + given.spans + sum(given.left_out.values()), str(lines)[:2_000]
    counts["rows"] += len(lines)
    values = []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            one = json.loads(line)
            if isinstance(one, dict) and not re.search(rb"\n|Infinity|NaN|\\ud[89a-f]|\d{17}|1e999", line):
                values.append((line, one))
    if values:
        Path("same.jsonl").write_bytes(b"\n".join(line for line, _ in values) + b"\n")
        one = score(QUESTIONS, "same.jsonl", rerun="all", settings={"jobs": 1})
        other = score(QUESTIONS, [value for _, value in values], rerun="all", settings={"jobs": 1})
        assert one.labels == other.labels and one.metrics == other.metrics, (
            one.labels,
            other.labels,
            [line for line, _ in values],
        )
        counts["of them compared in two ways of reading"] += len(values)


def _toml(counts: Counter[str], drawn: tuple[bytes, st.DataObject]) -> None:
    text, data = drawn
    for _ in range(data.draw(st.integers(1, 3))):
        text = _bytes(data.draw, text)
    Path("gate.toml").write_bytes(text)
    Path("surefoot.toml").write_bytes(text)
    counts["toml files"] += 1
    with _named():
        for name, rule in load_gate("gate.toml").items():
            Rule.parse(rule, name)
    with _named():
        settings_from()
    Path("surefoot.toml").unlink()


@contextlib.contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except SurefootError as error:
        assert str(error) and error.hint, error


def _bundle(to: Path) -> None:
    """The export of a decision between two graded runs."""
    Path("q.json").write_text(json.dumps(QUESTIONS))
    for name in ("v1", "v2"):
        rows = [{**row, "chunks": [{"id": "p1#1", "text": "The cap is EUR 5."}]} for row in GOOD_TRACES]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        run = ("run", "--questions", "q.json", "--pipeline", f"traces:{name}.jsonl", "--version", name)
        assert surefoot(*run).code == 0 and surefoot("grade", name, "--grader", "rules").code in (0, 4)
    surefoot("gate", "v1", "v2", "--uncalibrated")
    done = surefoot("export", to, "--decision", "latest")
    assert to.is_file(), done.err


def _export(counts: Counter[str], drawn: tuple[bytes, st.DataObject]) -> None:
    """A changed byte, or a line that is gone or cut, is named."""
    whole, data = drawn
    lines, how = whole.splitlines(keepends=True), data.draw(st.integers(0, 3))
    at = data.draw(st.integers(0, len(lines) - 1))
    end = b"" if how == 2 else lines[at][: data.draw(st.integers(1, len(lines[at]) - 2))]
    _named_changes(_bytes(data.draw, whole) if how < 2 else b"".join([*lines[:at], end, *lines[at + 1 :]]), whole)
    counts["exports"] += 1


def _named_changes(text: bytes, whole: bytes) -> None:
    """White space in a row, or a row that is twice there, changes nothing; a decision may be left out of an export."""
    Path("changed.jsonl").write_bytes(text)
    with _named():
        if not verify_export("changed.jsonl").faults:
            there, were = (
                {json.dumps(json.loads(line)) for line in some.splitlines() if line} for some in (text, whole)
            )
            lost = [row for row in were - there if '"kind": "decisions"' not in row]
            assert there <= were and not lost, f"taken in silence: {[row[:300] for row in lost][:2]}"


def _labels(counts: Counter[str], drawn: tuple[bytes, st.DataObject]) -> None:
    text, data = drawn
    for _ in range(data.draw(st.integers(1, 3))):
        text = _bytes(data.draw, text)
    name = "labels.jsonl" if text[:1] == b"{" else "labels.csv"
    Path(name).write_bytes(text)
    counts["label files"] += 1
    with _named():
        load_labels(Path(name), [])


def bundle(size: int) -> str:
    """Bytes of the export of a decision are changed one at a time."""
    with _folder():
        _bundle(Path("decision.jsonl"))
        assert surefoot("import", "decision.jsonl", "--verify").code == 0
        whole, chance = Path("decision.jsonl").read_bytes(), Random(1)
        for _ in range(size):
            at = chance.randrange(len(whole))
            byte = bytes([(whole[at] + chance.randrange(1, 256)) % 256])
            _named_changes(whole[:at] + byte + whole[at + 1 :], whole)
        assert surefoot("import", "changed.jsonl", "--verify").code != 0
    return f"{size} changed bytes of the export of a decision ({len(whole):,} bytes): each is named by import --verify"


def attacks(size: int) -> str:
    """Answers that talk to the grader, by judges that do as they are told, and a false figure between tricks."""
    chance, passages = Random(1), [{"id": "p", "text": "The fee for routing is EUR 5."}]
    made = []
    for n in range(size):
        before, behind = ("".join(chance.choices(TRICKS, k=chance.randrange(6))) for _ in range(2))
        answer = f"{before}The fee for routing is EUR 90 [p].{behind}"
        made.append(item_of({"id": f"a{n}", "question": "What is the fee for routing?", "passages": passages,
                             "answer": answer}))  # fmt: skip
    for says in (obedient, inventive, excusing, bribed):
        with contextlib.redirect_stderr(io.StringIO()):
            graded = ModelGrader(Fake(says)).read([*ITEMS, *made])
        let = [one for one in graded if one.bucket in ACCEPTABLE]
        assert not let, (says.__name__, let[0])
    return f"{len(ITEMS) + size} attacks on each of 4 judges that do as they are told: none is accepted"


PIECES = (
    "a", "a ", "1", "1 ", "1,", "1.", ".", ". ", ", ", "(", "((1", "[1", "[a#1] ", "[^", "|", "| a ", "| 1 | 2 |\n",
    "- ", "\n", "\n\n", " ", "\t", "\xa0", "*", "**a ", "`", "#", "> ", "\"", "\"a ", "'", "s' ", "\u201c", "{",
    "{\"a\":", "[[", "\\", "\"\\", "A", "A. ", "A.B", "Ab ", "Mr. Ab ", "x@", "a@b.", "+1 ", "1-", "12/", "20-00-00 ",
    "EUR ", "EUR 5 ", "5 % ", "1/2 ", "not ", "not that ", "is not ", "does not say ", "I do not know ", "may ",
    "the ", "the the ", "how to make ", "s. 4.2 of the ", "(MSA, s. ", "page 12 of ", "note that ", "what ",
    "who is ", "because ", "and ", "or ", "? ", "! ", ": ", "; ", "\u200b", "\u0301", "e\u0301", "\xe9", "\u4e00",
    "\u0661", "<", "<a ", "&amp;", "_", "__a ", "January 1 ", "1 January 2020 ", "may not be more than five days ",
    "sources: [1], ", "citations: ", "no. 7 ", "a-", "-", "http://a.", "(a) ", "i. ", "seven hundred and ", "one-",
    "minus ", "$", "$1", "RMB500 ", "Ltd. ", "e.g. ", "yes ",
)  # fmt: skip
_NOT_TEXT = {
    "charset", "compiled", "conversion", "digest", "family", "first_tags", "hashed_subject", "is_measured", "late",
    "members", "month_in", "only_unit", "phrase", "placeholder", "ratio", "same_kind", "unit_behind", "words_of",
}  # fmt: skip
_TOO_SHORT = 0.01


def functions() -> dict[str, Callable[[str], object]]:
    """Every public function of `surefoot.text` that reads one text, and those that read it beside others."""
    found: dict[str, Callable[[str], object]] = {
        "citations.parse (labels)": lambda text: citations.parse(text, ["a#4.2"], (), [Passage("a#4.2", "4.2 Term.")]),
        "citations.parse": lambda text: citations.parse(text, ["a#1", "b"]),
        "citations.bearers_of": lambda text: citations.bearers_of(["a"], [Passage("a", text)]),
        "claims.claims_of": lambda text: claims.claims_of(text, ["a#1"]),
        "claims.stands_in": lambda text: claims.stands_in(text, text),
        "normal.digest": lambda text: normal.digest(text, "The fee is EUR 5.", 200),
        "normal.spelled_out": lambda text: normal.spelled_out(text, "Yes."),
        "redaction.Redactor": lambda text: redaction.Redactor([text]).text(text),
        "jsonblocks.last_valid": lambda text: jsonblocks.last_valid(text, lambda _: True),
    }
    for module in (citations, claims, jsonblocks, normal, numbers, personal, refusals, safety, tables):
        for name, function in vars(module).items():
            if name.startswith("_") or name in _NOT_TEXT or not _reads_a_text(function, module):
                continue
            found.setdefault(f"{module.__name__.rpartition('.')[2]}.{name}", inspect.unwrap(function))
    return found


def _reads_a_text(function: object, module: ModuleType) -> bool:
    bare = inspect.unwrap(function) if callable(function) else None
    if not inspect.isfunction(bare) or bare.__module__ != module.__name__:
        return False
    first, *others = inspect.signature(bare).parameters.values()
    return first.annotation == "str" and all(one.default is not one.empty for one in others)


def _tried(read: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(ValueError, RecursionError):  # of JSON that is none
        read(text)


def linear(size: int) -> str:
    """Eight times a text takes about eight times as long, at most 24 times; `size` pieces for each function."""
    slow, count, worst = list[str](), 0, (0.0, "")
    every = functions()
    step, longest = max(1, len(PIECES) // size), 100_000 if size > 1 else 12_000
    for place, (name, read) in enumerate(every.items()):
        for piece in PIECES[place % step :: step]:
            count, first = count + 1, 0.0
            for length in (longest // 8, longest // 4, longest // 2, longest):
                work, text = partial(_tried, read), (piece * (length // len(piece) + 1))[:length]
                took, most = seconds(work, text), 24 * length / longest * max(first, _TOO_SHORT)
                for _ in range(4 if first else 0):
                    took = min(took, seconds(work, text)) if took > most else took
                if first and took > most:
                    slow.append(f"{name} of {piece!r}: {first:.3f} s, and {took:.3f} s at {length:,}")
                    break
                first, worst = first or took, max(worst, (took, f"{name} of {piece!r}"))
    assert not slow, f"{len(slow)} of {count} grow faster than their text:\n" + "\n".join(slow)
    return (f"{len(every)} functions on {count} texts of up to {longest:,} characters: time grows with the text;"
            f" the longest takes {worst[0]:.1f} s ({worst[1]})")  # fmt: skip


def _tests(*names: str) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3_000:]
    return int(re.findall(r"(\d+) passed", done.stdout)[-1])


def pages(size: int) -> str:
    """Foreign text in pages of reports, looks, reviews and comparisons, in a browser."""
    from tests.looks.test_injection import TEXTS

    count = _tests(
        "tests/looks/test_injection.py", "tests/report/test_in_a_browser.py", "tests/serve/test_in_a_browser.py"
    )
    assert len(set(TEXTS)) >= size
    return (
        f"{len(set(TEXTS))} injections in pages of looks, reviews, reports and comparisons: nothing ran, {count} tests"
    )


def secrets(_: int) -> str:
    count = _tests("tests/models/test_keys.py", "tests/models/test_calls.py", "tests/text/test_redaction.py",
                   "tests/monitor/test_intake.py")  # fmt: skip
    return f"keys and personal data stay out of logs, exports and pages ({count} tests)"


def wheel(size: int) -> str:
    """The wheel is built and installed where nothing else is; with a size all that it needs is fetched too."""
    with _folder() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run([*pip, "wheel", "--no-deps", "-w", folder, ROOT], check=True, capture_output=True)
        (file,) = folder.glob("*.whl")
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        install: list[str | Path] = [
            python,
            *pip[1:],
            "install",
            "--no-compile",
            *([] if size else ["--no-deps"]),
            file,
        ]
        subprocess.run(install, check=True, capture_output=True)
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        if not size:
            here = Path(next(one for one in sys.path if one.endswith("site-packages")))
            (site / "here.pth").write_text(str(here))
        example = site / "surefoot" / "examples"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command: list[str | Path] = [
            python,
            "-m",
            "surefoot",
            "score",
            "-q",
            example / "questions.json",
            "-t",
            example / "traces.jsonl",
        ]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode in (0, 1) and "under_refusal" in done.stdout, done.stderr
        told = f"wheel of {file.stat().st_size / 1e6:.0f} MB built and installed"
        if size:
            names = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True)
            ours = {line.partition("==")[0] for line in names.stdout.splitlines()} - {"pip", "setuptools", "surefoot"}
            files = [path for path in site.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
            tools = ("pip", "setuptools", "pkg_resources", "_distutils", "distutils")
            bytes_ = sum(path.stat().st_size for path in files if not path.relative_to(site).parts[0].startswith(tools))
            assert len(ours) <= 20 and bytes_ <= 320 << 20, (sorted(ours), bytes_)
            told += f" with the {len(ours)} packages that it needs: {bytes_ / 2**20:.0f} MiB with weights"
        for words, most in (("-c", "import surefoot"), 0.2), (("-m", "surefoot", "--help"), 0.3):
            took = min(_cpu([python, *words], environment) for _ in range(5))
            assert took < most, f"python {' '.join(words)} takes {took:.2f} s"
            told += f"; {words[1]} {words[-1] if words[0] == '-m' else ''} in {took:.2f} s"
        has_builder = shutil.which("docker") and not subprocess.run(["docker", "info"], capture_output=True).returncode
        if size and has_builder:
            subprocess.run(["docker", "build", "-q", "-t", "surefoot-prove", ROOT], check=True, capture_output=True)
        return told + ("; the image is built" if size and has_builder else "; no image: there is no builder")


def _cpu(command: list[str | Path], environment: dict[str, str]) -> float:
    """Seconds of work: what else the machine does adds nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


PROOFS: dict[str, tuple[Callable[[int], str], int]] = {
    "bundle": (bundle, 300), "attacks": (attacks, 200), "model": (model, 1_000), "wheel": (wheel, 1),
    "pages": (pages, 60), "secrets": (secrets, 1), "linear": (linear, 20), "kills": (kills, 400),
    "fuzz": (fuzz, 100_000),
}  # fmt: skip


def main(names: list[str]) -> int:
    failed = 0
    for name in names or PROOFS:
        proof, size = PROOFS[name]
        started = time.monotonic()
        try:
            told = proof(size)
        except Exception as error:  # noqa: BLE001 - the others are still to be tried
            told, failed = f"FAILED: {type(error).__name__}: {error}", failed + 1
        print(f"{name}: {told} [{time.monotonic() - started:.0f} s]", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
