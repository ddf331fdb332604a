"""What is exported comes back as it was, and whatever is changed on the way is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import surefoot
from surefoot.core.errors import UsageError
from surefoot.store import Project
from surefoot.store.export import line_of, read_export
from tests.in_process import surefoot as command
from tests.kept import add_labels, keep_run, kept

from .rows import ASKED, a_run, label, trace, verdicts


@pytest.fixture
def decided(db: str) -> str:
    """Two versions, labels, and a decision; its id."""
    base = a_run("base", version="v1")
    wrong = [trace(n, f"Tower {n} is 99 metres high [t#{n}].") for n in range(3)]
    keep_run("cand", ASKED, wrong, verdicts("wrong", "wrong", None), version="v2")
    a_run("unrelated", [replace(one, text=f"{one.text} And why?") for one in ASKED], version="v3")
    add_labels(label(base, "q0", "correct"), label("cand", "q1", "unsupported", 2, note="too high", subject="u-1"))
    surefoot.gate(base, "cand", uncalibrated=True)
    [step] = surefoot.decisions()
    return step.id


def kinds(path: Path) -> dict[str, int]:
    rows = [json.loads(line)["kind"] for line in path.read_text("utf-8").splitlines()]
    assert rows == sorted(rows)
    return {kind: rows.count(kind) for kind in dict.fromkeys(rows)}


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst"])
def test_a_project_goes_to_a_file_and_back(decided: str, tmp_path: Path, suffix: str) -> None:
    first, second, copy = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}", tmp_path / "copy.db"
    done = surefoot.export(first)
    made = surefoot.import_(first, db=copy)
    assert made["new"] == {
        **made["new"],
        "runs": 3,
        "answers": 9,
        "questions": 9,
        "verdicts": 9,
        "labels": 2,
        "decisions": 1,
    }
    assert not any(surefoot.import_(first, db=copy)["new"].values()), "a file may be imported again"
    again = surefoot.export(second, db=copy)
    assert (again["sha256"], first.read_bytes()) == (done["sha256"], second.read_bytes())
    assert surefoot.verify_export(first).exit_code == 0 and first.stat().st_mode & 0o777 == 0o600
    assert surefoot.gate("v1", "v2", uncalibrated=True, db=copy, keep=False).outcome == "INCONCLUSIVE"


def test_runs_versions_labels_and_decisions_are_exported_alone(decided: str, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    surefoot.export(file, "v2")
    assert kinds(file) == {"answers": 3, "questions": 3, "runs": 1, "verdicts": 4}
    surefoot.export(file, "v1", "cand")
    assert kinds(file)["runs"] == 2
    surefoot.export(file, labels=True)
    assert kinds(file) == {"verdicts": 2}
    assert command("export", file, "--decision", "latest").code == 0
    assert kinds(file) == {"answers": 6, "decisions": 1, "questions": 6, "runs": 2, "verdicts": 8}
    assert command("import", file, "--verify").code == 0
    for words in (["--decision", "nosuch"], ["--decision", decided, "v1"], ["v9"]):
        assert command("export", file, *words).code == 2
    assert kinds(file)["decisions"] == 1, "what was there stays"


def test_without_texts_ids_hashes_and_values_remain(decided: str, tmp_path: Path) -> None:
    bare, whole, copy = tmp_path / "bare.jsonl", tmp_path / "whole.jsonl", tmp_path / "copy.db"
    surefoot.export(bare, texts=False)
    surefoot.export(whole)
    told = bare.read_text("utf-8")
    assert not any(words in told for words in ("Tower", "metres", "too high", "u-1", "How high"))
    surefoot.import_(bare, db=copy)
    assert surefoot.gate("v1", "v2", uncalibrated=True, db=copy, keep=False)["buckets"]["cand"]["wrong"] == 1
    done = command("grade", "v1", "--db", copy)
    assert done.code == 4 and "was exported with --without-texts" in done.err
    surefoot.import_(whole, db=copy)
    assert kept("base", copy).traces() == kept("base").traces(), "what was left out is filled in"
    surefoot.import_(bare, db=copy)
    assert command("grade", "v1", "--db", copy, "--grader", "rules").code in (0, 4), "and not lost again"


def test_an_export_stands_in_place_of_a_run(decided: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.jsonl.gz" for name in ("v1", "v2")]
    for file in files:
        surefoot.export(file, file.name.partition(".")[0])
    copy = tmp_path / "copy.db"
    found = command("gate", *files, "--uncalibrated", "--json", "--db", copy).json
    assert found["names"] == {"base": "v1", "cand": "v2"} and found["annotators"]
    assert command("report", files[0], "--db", copy).code == 0
    surefoot.export(tmp_path / "labels.jsonl", labels=True)
    done = command("report", tmp_path / "labels.jsonl", "--db", copy)
    assert done.code == 2 and "holds no run" in done.err


def test_files_of_labels_merge_by_union(db: str, tmp_path: Path) -> None:
    """As two branches of one file in git do."""
    run = a_run()
    surefoot.export(tmp_path / "run.jsonl", run)
    lines: set[str] = set()
    for who in ("ann", "bo"):
        copy = tmp_path / f"{who}.db"
        surefoot.import_(tmp_path / "run.jsonl", db=copy)
        both = [label(run, "q0", "wrong", 1), label(run, "q1", "correct", 2 if who == "ann" else 3, annotator=who)]
        add_labels(*both, db=copy)
        surefoot.export(tmp_path / f"{who}.jsonl", labels=True, db=copy)
        lines |= set((tmp_path / f"{who}.jsonl").read_text("utf-8").splitlines(keepends=True))
    (tmp_path / "all.jsonl").write_text("".join([*lines, *lines]), "utf-8")
    assert surefoot.import_(tmp_path / "all.jsonl")["new"]["labels"] == 3
    surefoot.export(tmp_path / "again.jsonl", labels=True)
    assert (tmp_path / "again.jsonl").read_text("utf-8") == "".join(
        sorted(lines, key=lambda line: json.loads(line)["row"]["id"])
    )


def test_a_label_that_differs_from_the_one_of_its_id_is_refused_with_all_others(db: str, tmp_path: Path) -> None:
    run = a_run()
    add_labels(label(run, "q0", "wrong"), label(run, "q1", "wrong", 2))
    surefoot.export(tmp_path / "l.jsonl", labels=True)
    copy = tmp_path / "copy.db"
    with Project.open(copy) as project:
        project.add_new_labels((), lambda _: [label(run, "q0", "refused")])
    with pytest.raises(UsageError, match="another row of verdicts has the id label-1"):
        surefoot.import_(tmp_path / "l.jsonl", db=copy)
    with Project.open(copy) as project:
        assert [one.value for one in project.labels()] == ["refused"]


def test_rows_that_surefoot_cannot_have_written_are_refused(db: str, tmp_path: Path) -> None:
    run = a_run()
    add_labels(label(run, "q0", "wrong"))
    surefoot.export(tmp_path / "all.jsonl")
    found = read_export(tmp_path / "all.jsonl")
    [mine] = [row for row in found.rows["verdicts"] if row.id == "label-1"]  # type: ignore[attr-defined]
    for bad, words in (({"at": "2199-01-01T00:00:00+00:00"}, "in the future"), ({"at": "soon"}, "a date and time")):
        (tmp_path / "bad.jsonl").write_bytes(line_of("verdicts", replace(mine, **bad)))
        with pytest.raises(UsageError, match=words):
            surefoot.import_(tmp_path / "bad.jsonl")
    [answer, *_] = found.rows["answers"]
    lines = (tmp_path / "all.jsonl").read_bytes().splitlines(keepends=True)
    forged = line_of("answers", replace(answer, trace={**answer.trace, "answer": "It is 7 metres high [t#0]."}))  # type: ignore[attr-defined]
    (tmp_path / "forged.jsonl").write_bytes(forged + b"".join(lines[1:]))
    done = command("import", tmp_path / "forged.jsonl", "--verify")
    assert done.code == 4 and "does not have the key of its texts" in done.out


def test_a_bundle_that_lacks_what_its_decision_used_is_not_sound(decided: str, tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    surefoot.export(file, decision=decided)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(line for line in lines if b'"label-1"' not in line or b'"kind":"decisions"' in line))
    found = surefoot.verify_export(file)
    assert found.exit_code == 4 and "holds 3 of the 4 verdicts of the run base" in found.faults[0]
    assert found.faults[0] in repr(found)
    [step] = [line for line in lines if b'"kind":"decisions"' in line]
    file.write_bytes(step)
    assert "used 8 verdicts that are not in the file" in surefoot.verify_export(file).faults[0]


@pytest.mark.parametrize("name", ["x.txt", "surefoot.db", "log.jsonl", "log.jsonl/where.jsonl"])
def test_an_export_overwrites_nothing_but_an_earlier_one(decided: str, tmp_path: Path, name: str) -> None:
    (tmp_path / "log.jsonl").write_text('{"question": "?"}\n')
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    done = command("export", tmp_path / name)
    assert done.code == 2 and "\nhint: " in done.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    for _ in range(2):
        assert command("export", tmp_path / "mine.jsonl").code == 0
