"""The demo, and grading and comparing its runs, as a newcomer types the commands."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.cli.demo import command_as_typed

from .conftest import Write
from .conftest import surefoot as as_a_user_runs_it
from .in_process import surefoot


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    done = as_a_user_runs_it("demo", cwd=folder)
    assert done.code == 0, done.err
    assert "BLOCK" in done.out and "Three things to try" in done.out
    (folder / "printed").write_text(done.out, encoding="utf-8")
    return folder / "surefoot-demo"


def test_the_demo_leaves_runs_and_reports(demo: Path) -> None:
    assert "**BLOCK**" in (demo / "report.md").read_text(encoding="utf-8")
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1 and "://" not in page, "one script, to filter by"
    manifest = json.loads((demo / "reference" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["grader"].startswith("local@") and manifest["rubric"] == "refusal"
    assert len((demo / "reference" / "traces.jsonl").read_text(encoding="utf-8").splitlines()) == 130


def test_the_demo_fits_on_a_screen_and_explains_its_words(demo: Path) -> None:
    printed = (demo.parent / "printed").read_text(encoding="utf-8").replace(command_as_typed(), "surefoot")
    rows = [line[at : at + 80] for line in printed.splitlines() for at in range(0, max(1, len(line)), 80)]
    assert len(rows) <= 40
    for word in ("grader, here", "label is", "acceptable is", "points (", "(over_refusal)", "correct ", "wrong ",
                 "unsupported ", "refused "):  # fmt: skip
        assert word in printed.lower()


def test_the_demo_goes_from_labels_to_a_decision(demo: Path) -> None:
    printed = " ".join((demo.parent / "printed").read_text(encoding="utf-8").split())
    assert "labelled by AI annotators (author-1, author-2); of the answers it calls acceptable" in printed
    assert "uncalibrated" not in printed
    decision = json.loads((demo / "reference-eager" / "decision.json").read_text(encoding="utf-8"))
    assert decision["trust"]["labels"] >= 50 and not decision["uncalibrated"]
    assert decision["labelled"] == {"base": 130, "cand": 130}, "labels follow the very words of an answer"
    checks = {check["name"]: check["status"] for check in decision["checks"]}
    assert checks["wrong"] == checks["unsupported"] == "fail"
    base, cand = decision["buckets"]["base"], decision["buckets"]["cand"]
    assert (base["wrong"], cand["wrong"]) == (3, 5), "a true sentence that does not answer is not wrong"
    assert (base["unsupported"], cand["unsupported"]) == (17, 92)
    report = (demo / "report.md").read_text(encoding="utf-8")
    assert "look into the prompt first" in report, "what it says is true, and it should have refused"


def test_the_demo_shows_one_that_ships_by_a_command_that_works_as_printed(demo: Path) -> None:
    printed = (demo.parent / "printed").read_text(encoding="utf-8").splitlines()
    decision = next(line for line in printed if line.startswith("SHIP"))
    command = printed[printed.index(decision) - 1]
    done = subprocess.run(["bash", "-c", command], cwd=demo.parent, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.rstrip().endswith(decision) and "over_refusal" in decision


@pytest.mark.parametrize("there", ["reference/manifest.json", "surefoot.db"])
def test_the_demo_replaces_nothing_of_anybodys_own(there: str, write: Write, tmp_path: Path) -> None:
    questions = write("q.jsonl", [{"qid": "a", "q": "What is it?", "answerable": False, "gold_ids": []}])
    corpus = write("c.jsonl", [{"id": "d#1", "text": "The notice period is six months."}])
    run = tmp_path / "mine" / "reference"
    assert surefoot("run", "-p", "reference", "-q", questions, "--corpus", corpus, "--out", run).code == 0
    if there == "surefoot.db":
        run.rename(tmp_path / "elsewhere")
        (tmp_path / "mine" / there).write_bytes(b"a ledger")
    before = (tmp_path / "mine" / there).read_bytes()
    done = surefoot("demo", "--out", tmp_path / "mine")
    assert done.code == 2 and "not the demo's" in done.err and "--out" in done.err
    assert (tmp_path / "mine" / there).read_bytes() == before


@pytest.mark.parametrize(("on_path", "said"), [(True, "surefoot"), (False, "bin dir/surefoot")])
def test_commands_are_printed_as_they_can_be_typed(
    on_path: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin dir").mkdir()
    program = tmp_path / "bin dir" / "surefoot"
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["bin dir/surefoot", "demo"])
    monkeypatch.setenv("PATH", str(program.parent) if on_path else "/nowhere")
    assert shlex.split(command_as_typed()) == [said]


def test_the_demo_can_be_repeated_and_says_the_same(demo: Path) -> None:
    verdicts = [demo / name / "verdicts.jsonl" for name in ("reference", "reference-eager")]
    before = [path.read_bytes() for path in verdicts]
    assert surefoot("demo", cwd=demo.parent).code == 0
    assert [path.read_bytes() for path in verdicts] == before
    done = surefoot("gate", demo / "reference", demo / "reference", "--uncalibrated", "--json")
    assert done.json["moved"] == [] and done.json["buckets"]["base"] == done.json["buckets"]["cand"]


def test_an_eager_and_a_timid_change_are_both_blocked(demo: Path) -> None:
    for other in ("reference-eager", "reference-timid"):
        folder = demo / other
        if not folder.exists():
            assert surefoot("run", "--pipeline", other, "--out", folder).code == 0
            assert surefoot("grade", folder).code == 0
        done = surefoot("gate", demo / "reference", folder, "--uncalibrated", "--json")
        assert done.code == 1 and done.json["outcome"] == "BLOCK"


def test_the_latest_shipped_run_can_be_the_baseline(demo: Path) -> None:
    runs = demo.parent / "runs"
    for name in ("old", "new"):
        assert surefoot("run", "--pipeline", "reference", "--out", runs / name).code == 0
        assert surefoot("grade", runs / name, "--grader", "rules").code == 0
    assert surefoot("gate", runs / "new").code == 2
    shipped = surefoot("gate", runs / "old", runs / "old", "--rule", "wrong <= baseline", "--uncalibrated")
    assert shipped.code == 0
    assert json.loads((runs / "old" / "decision.json").read_text(encoding="utf-8"))["outcome"] == "SHIP"
    options = ["--rule", "wrong <= baseline", "--uncalibrated"]
    assert surefoot("gate", runs / "new", *options).code == 0


def test_runs_on_other_questions_are_not_compared(demo: Path, write: Write, tmp_path: Path) -> None:
    questions = write(
        "q.jsonl", [{"qid": "a", "q": "What is the notice period?", "answerable": True, "gold_ids": ["d#1"]}]
    )
    corpus = write("c.jsonl", [{"id": "d#1", "text": "The notice period is six months."}])
    run = tmp_path / "run"
    assert surefoot("run", "-p", "reference", "-q", questions, "--corpus", corpus, "--out", run).code == 0
    assert surefoot("grade", run).code == 0
    done = surefoot("gate", demo / "reference", run)
    assert done.code == 2 and "questions" in done.err and "hint: " in done.err


def item(**fields: object) -> dict[str, object]:
    passage = {"id": "d#1", "text": "Invoices are payable within forty (40) days of receipt."}
    return {"id": "i", "question": "When are invoices due?", "passages": [passage], **fields}


GRADED: list[tuple[dict[str, object], str | None, str]] = [
    ({"answer": "Within 40 days of receipt [d#1]."}, "correct", "correct"),
    ({"answer": "Invoices are payable within 30 days of receipt [d#1]."}, "wrong", "contradicted"),
    ({"answer": "Invoices are payable within 40 days of receipt."}, "unsupported", "uncited"),
    ({"answer": "Invoices are payable within 40 days of receipt [x#9]."}, "unsupported", "unknown_source"),
    ({"answer": "I could not find that in the documents."}, "refused", "refused"),
    ({"answer": "Yes [d#1]."}, "unsupported", "off_target"),
    ({"answer": "Yes."}, "unsupported", "uncited"),
]
NOT_GRADED: list[tuple[dict[str, object], str | None, str]] = [
    ({"answer": "..."}, None, "empty"),
    ({"answer": "[d#1]"}, None, "empty"),
    ({"answer": None}, None, "missing"),
    ({"answer": "x", "error": "timeout"}, None, "error"),
    ({"answer": 42}, None, "error"),
    ({"answer": "x", "passages": "none"}, None, "error"),
    ({"answer": "x", "passages": ["only a text"]}, None, "unreadable"),
]


@pytest.mark.parametrize(("given", "code"), [(GRADED, 0), (NOT_GRADED, 4)], ids=["graded", "not graded"])
def test_grading_items(given: list[tuple[dict[str, object], str | None, str]], code: int, write: Write) -> None:
    items = [item(**fields) | {"id": f"i{number}"} for number, (fields, _, _) in enumerate(given)]
    done = surefoot("grade", "--items", write("items.jsonl", items), "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == code
    assert [(row["id"], row["factuality"], row["reason"]) for row in rows] == [
        (f"i{number}", bucket, reason) for number, (_, bucket, reason) in enumerate(given)
    ]
    for row in rows:
        assert set(row) >= {
            "id", "refusal", "factuality", "reason", "citation_exists", "citation_supports", "refusal_quality",
            "extra_claim_count", "claims", "refusal_quality_evidence",
        }  # fmt: skip


def test_what_the_level_of_a_refusal_rests_on_is_in_its_row(write: Write) -> None:
    row = item(answer="The documents do not say when invoices are due. Ask the supplier.")
    found = surefoot("grade", "--items", write("items.jsonl", [row]), "--json").json
    assert (found["refusal_quality"], found["refusal_quality_reason"]) == (2, "what is missing, next step")
    shown = [evidence["claim"] for evidence in found["refusal_quality_evidence"]]
    assert shown == ["The documents do not say when invoices are due.", "Ask the supplier."]


def test_bad_items_are_rows_with_a_reason_and_the_rest_is_graded(write: Write) -> None:
    path = write("items.jsonl", ["{broken", item(answer="Within 40 days of receipt [d#1]."), {"id": "b"}, 3])
    done = surefoot("grade", "--items", path, "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 4
    assert [row["factuality"] for row in rows] == [None, "correct", None, None]
    assert f"{path}:1" in rows[0]["detail"] and rows[2]["id"] == "b"
    assert surefoot("grade", "--items", write("empty.jsonl", [])).code == 4
    assert surefoot("grade").code == 2


def test_the_package_is_the_command_too() -> None:
    done = subprocess.run([sys.executable, "-m", "surefoot", "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("surefoot, version") and not done.stderr
