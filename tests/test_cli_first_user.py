"""What a first user stumbles over: slips of the command line, of files and of pipelines, each said in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import surefoot as api
from surefoot.core.errors import Incomplete, UsageError
from surefoot.models.spec import parsed

from .in_process import surefoot

QUESTIONS = [
    {"id": "q1", "question": "What is the fee?", "expects": "answer", "gold_ids": ["a#1"], "gold_claims": ["5 EUR"]},
    {"id": "q2", "question": "Who owns it?", "expects": "refusal"},
]
LOG: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "What is the fee?",
        "answer": "5 EUR [a#1]",
        "retrieved": [{"id": "a#1", "text": "5 EUR"}],
    },
    {"id": "q2", "question": "Who owns it?", "answer": "I cannot tell from the documents.", "retrieved": []},
]
PIPELINE = """
def cites(question):
    return {"citations": ["a#1"], "retrieved": [{"id": "a#1", "text": "5 EUR"}]}
def answers(question):
    return {"answer": "5 EUR [a#1].", "citations": ["a#1"], "contexts": ["5 EUR"]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.json").write_text(json.dumps(QUESTIONS))
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LOG))
    Path("own.py").write_text(PIPELINE)
    Path("broken.json").write_text("no json {")
    return tmp_path


def test_citations_alone_are_no_answer() -> None:
    done = surefoot("run", "-p", "own:cites", "-q", "q.json", "--json")
    assert done.code == 4 and done.json["errors"] == 2 and "the reply has no answer" in str(done.json)


@pytest.mark.parametrize(
    "command",
    [
        "grade --grader rules --traces log.jsonl", "grade --grader rules --items log.jsonl", "score log.jsonl",
        "questions build --out b.jsonl --from-traces log.jsonl", "run -q q.json -p traces:log.jsonl",
        "run -q q.json -p own:answers",
    ],
)  # fmt: skip
def test_a_mapping_that_fits_no_row_is_an_error_that_names_it(command: str) -> None:
    done = surefoot(*command.split(), "--map", "retrieved=passagges")
    assert done.code == 2 and "--map retrieved=passagges leads to nothing" in done.err


@pytest.mark.parametrize("files", [("broken.json", "broken.json"), ("q.json", "broken.json")])
def test_a_set_that_cannot_be_read_is_not_an_empty_one(files: tuple[str, str]) -> None:
    done = surefoot("questions", "diff", *files)
    assert done.code == 2 and "broken.json:1: not valid JSON" in done.err


@pytest.mark.parametrize(
    "command",
    ["baseline v1 --accept-worse --db=y", "score log.jsonl -q --json", "gate a b --waive x --reason --brief",
     "score log.jsonl --rule --json", "export x.jsonl --decision --labels", "run -p --questions"],
)  # fmt: skip
def test_an_option_is_no_value(command: str) -> None:
    done = surefoot(*command.split())
    assert done.code == 2 and "needs a value, and '--" in done.err and "looks like an option" in done.err


def test_the_hint_to_resume_has_what_the_run_does_not_know() -> None:
    Path("c.jsonl").write_text(json.dumps({"id": "a#1", "text": "5 EUR"}))
    given = ["-q", "q.json", "--corpus", "c.jsonl", "--map", "answer=text", "--set", "retries=0", "--db", "my db"]
    done = surefoot("run", "-p", "own:answers", *given)
    assert "--corpus c.jsonl --db 'my db' --map answer=text --set retries=0 --retry-errors" in done.err


def test_what_parsers_say_is_said_in_our_words() -> None:
    files = {
        "g1.toml": ("[rules\\nx = 1", "it is not valid TOML at line 1"),
        "g2.toml": ('rule = ["wrong <= 1"]', "there is no key 'rule': did you mean rules?"),
        "g3.toml": ("[rules]\nG1 = 5", "rules[...] must be a text, not a whole number"),
    }
    for name, (text, says) in files.items():
        Path(name).write_text(text)
        done = surefoot("score", "log.jsonl", "-g", name)
        assert done.code == 2 and f"the gate {name} cannot be read: {says}" in done.err
    for command in ("council score --reviews broken.json", "score log.jsonl --baseline broken.json"):
        done = surefoot(*command.split())
        assert done.code == 2 and "it is not valid JSON" in done.err


def test_hints_of_the_monitor_name_no_option_that_it_lacks() -> None:
    Path("odd.jsonl").write_text(json.dumps({"said": "It is six months.", "asked": "How long?"}) + "\n")
    told = surefoot("monitor", "--once", "odd.jsonl").err
    assert "[map] in surefoot.toml: question=" in told and "--map" not in told


@pytest.mark.parametrize("host", ["https://models.invalid/v1", "http://localhost.models.invalid/v1"])
def test_where_nobody_can_agree_a_paid_model_needs_yes(host: str) -> None:
    command = ["grade", "--items", "log.jsonl", "--grader", f"llm:m@{host}", "--set", "cache=c.sqlite"]
    done = surefoot(*command)
    assert done.code == 4 and "nobody agreed to what it may cost" in done.err and "--yes" in done.err
    assert "if no reply has to be asked for again" in done.err
    assert parsed(command[4]).endpoint == host


def test_a_model_on_this_machine_needs_nobody() -> None:
    grader = "llm:m@http://127.0.0.1:9/v1"
    done = surefoot("grade", "--items", "log.jsonl", "--grader", grader, "--set", "cache=c.sqlite")
    assert "nobody agreed" not in done.err and "could not be reached" in done.err


@pytest.mark.parametrize(
    "command",
    [
        "run -q q.json -p own:answers --prompt without_licence",
        "run -q q.json -p own:answers --request-template q.json",
        "run v1 --resume v1", "gate --history --brief", "gate a b --brief --json", "score log.jsonl --no-rows",
        "import log.jsonl --verify --run v1", "grade v1 --map answer=x", "grade --pairs log.jsonl --citations optional",
        "calibrate --verdicts log.jsonl --db x", "council --rubric council", "monitor --once log.jsonl --db x",
        "questions build --from-traces log.jsonl --out b.jsonl --seed 1",
    ],
)  # fmt: skip
def test_an_option_that_does_nothing_is_refused(command: str) -> None:
    done = surefoot(*command.split())
    assert done.code == 2 and ("does nothing" in done.err or "not both" in done.err) and "hint: " in done.err


@pytest.mark.parametrize(
    ("command", "near"),
    [
        ("grde v1", "grade"), ("run -q q.json -p refrence", "reference"),
        ("score log.jsonl -g defalt", "default"), ("score log.jsonl --rule precison>=1", "precision"),
        ("score -q q.json log.jsonl --by stratm", "stratum"), ("grade --items log.jsonl --grader lcal", "local"),
        ("council runs v1 --rubric councl --reviewer llm:m@http://127.0.0.1:9/v1", "council"),
        ("questions clone q.json n.json --change q11", "q1"),
        ("questions build q.json --out b.jsonl --mix plan=1", "plain"),
        ("report exmple", "example"),
    ],
)  # fmt: skip
def test_near_words(command: str, near: str) -> None:
    surefoot("run", "-q", "q.json", "-p", "own:answers", "--version", "example")
    done = surefoot(*command.split())
    assert done.code == 2 and f"did you mean {near}" in done.err


def test_an_export_counts_labels_and_verdicts_apart() -> None:
    surefoot("grade", "--traces", "log.jsonl", "--grader", "rules", "--version", "v1")
    label = {"question_id": "q1", "axis": "factuality", "value": "correct", "answer": "5 EUR [a#1]", "annotator": "a"}
    Path("l.jsonl").write_text(json.dumps(label))
    first, again = surefoot("import", "l.jsonl"), surefoot("import", "l.jsonl")
    assert first.out.endswith(": 1 label\n") and again.out.endswith(": nothing\n")
    surefoot("export", "e.jsonl")
    found = api.import_("e.jsonl", db="other.db")
    assert found.rows["labels"] == found.new["labels"] == 1 and found.rows["verdicts"] == found.new["verdicts"] > 1


def test_the_exit_codes_of_a_check_are_the_documented_ones() -> None:
    assert surefoot("questions", "check", "missing.json").code == 2
    assert surefoot("questions", "check", "broken.json").code == 4
    Path("twice.json").write_text(json.dumps([QUESTIONS[0], QUESTIONS[0]]))
    assert surefoot("questions", "check", "twice.json").code == 1
    assert surefoot("questions", "check", "q.json").code == 0


def test_a_run_that_was_never_graded_is_refused_by_report_and_gate() -> None:
    for version in ("v1", "v2"):
        surefoot("run", "-q", "q.json", "-p", "own:answers", "--version", version)
    surefoot("grade", "v1", "--grader", "rules")
    for call in (lambda: api.overview("v2"), lambda: api.gate("v1", "v2")):
        with pytest.raises(Incomplete, match="not graded yet"):
            call()


def test_a_mapping_is_an_argument_or_a_setting_in_python() -> None:
    for given in ({"mapping": {"answer": "nothing"}}, {"settings": {"map": {"answer": "nothing"}}}):
        with pytest.raises(UsageError, match="leads to nothing in any row"):
            api.grade_log("log.jsonl", grader="rules", **given)


def test_an_unsafe_answer_is_a_finding_of_grade_and_of_the_gate_without_a_council() -> None:
    leaks = "Her SSN is 524-81-3907 and the fee is 5 EUR [a#1]."
    Path("leaks.jsonl").write_text("".join(json.dumps({**row, "answer": leaks}) + "\n" for row in LOG[:1]))
    for version, log in (("v1", "log.jsonl"), ("v2", "leaks.jsonl")):
        assert surefoot("run", "-p", f"traces:{log}", "-q", "q.json", "--version", version).code in (0, 4)
        surefoot("grade", version, "--grader", "rules")
    row = json.loads(surefoot("grade", "--items", "leaks.jsonl", "--grader", "rules", "--json").out.splitlines()[0])
    assert (row["safety"], "social security" in row["unsafe"]) == ("unsafe", True)
    shown = surefoot("report", "v2").out
    assert "1 unsafe" in shown and "524-81-3907" not in shown.partition("What to do next")[0]
    found = surefoot("gate", "v1", "v2", "--json", "--uncalibrated").json
    (rule,) = [rule for rule in found["rules"] if rule["name"] == "unsafe"]
    assert (rule["before"], rule["after"], rule["holds"]) == (0, 1, False) and found["outcome"] != "SHIP"
    Path("label.jsonl").write_text(json.dumps({"question_id": "q1", "axis": "safety", "value": "safe"}) + "\n")
    assert surefoot("import", "label.jsonl", "--run", "v2").code == 0
    assert "1 unsafe" not in surefoot("report", "v2").out, "a label overrules the check"
