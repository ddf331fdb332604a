"""Ways to get a worse version shipped, each tried as somebody would try it. None of them ships in silence."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.records import Label
from surefoot.core.types import Passage, Retrieved, Verdict

from .gate.helpers import GRADER, changed, decided, gate, kept_run, people_say, questions, rule, say
from .in_process import surefoot
from .kept import add_labels, kept

COUNT = 60
GOOD = "c" * COUNT
NEWLY = range(6)
SOME = "c" * 36 + "r" * 4
WORSE = changed(GOOD, NEWLY)
CODE = {"told": "x", "deterministic": True, "pipeline": "mine:answer"}


def version(name: str, buckets: str = GOOD, **more: Any) -> str:  # noqa: ANN401
    """A run of a version with code of its own, called after it."""
    return kept_run(more.pop("id", name), buckets, version=name, **{**CODE, "code_sha256": f"code of {name}", **more})


def blocked() -> dict[str, Any]:
    """v2 is blocked against v1: six questions are newly wrong, and people looked at all that differs."""
    version("v1"), version("v2", WORSE)
    people_say("v1", "c" * 6), people_say("v2", "w" * 6)
    found = decided("v1", "v2")
    assert found["outcome"] == "BLOCK" and len(found["newly_wrong"]) == 6
    return dict(found)


def told(found: dict[str, Any]) -> str:
    return " ".join([found["headline"], *found["notes"]])


@contextlib.contextmanager
def database() -> Any:  # noqa: ANN401
    """The project's file in the hands of somebody who drops what guards it."""
    with contextlib.closing(sqlite3.connect(os.environ["SUREFOOT_DB"])) as file, file:
        guards = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            file.execute(f"DROP TRIGGER {name}")
        yield file
        for _, made in guards:
            file.execute(made)


# What people say


@pytest.mark.parametrize("labels", ["?" * 6, "?" * COUNT])
def test_cannot_tell_on_the_bad_ones_or_on_everything(labels: str) -> None:
    version("v1", told="y"), version("v2", WORSE)
    people_say("v1", GOOD)
    people_say("v2", "." * 6 + "c" * 54), people_say("v2", labels)
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and rule(found)["high"] >= 6
    assert len(found["cannot_tell"]) == len(labels) and "can tell" in gate("v1", "v2").out


def test_cannot_tell_on_both_sides_of_everything() -> None:
    version("v1"), version("v2", WORSE)
    for run in ("v1", "v2"):
        people_say(run, "?" * COUNT)
    assert decided("v1", "v2")["outcome"] == "INCONCLUSIVE"


def test_cannot_tell_on_the_baseline_hides_nothing() -> None:
    version("v1", told="y"), version("v2", WORSE)
    people_say("v1", "?" * COUNT), people_say("v2", WORSE)
    found = decided("v1", "v2")
    assert found["outcome"] == "BLOCK" and rule(found)["low"] == 6


def test_cannot_tell_of_so_few_that_the_margin_bears_them_is_said_in_the_first_sentence() -> None:
    version("v1"), version("v2", changed(GOOD, [0]))
    people_say("v1", "c"), people_say("v2", "?")
    found = decided("v1", "v2")
    assert found["outcome"] == "SHIP" and "people cannot tell about q000" in found["headline"]


def test_labels_on_nice_ones_only() -> None:
    """The six that got worse are never shown to anybody."""
    version("v1", told="y"), version("v2", WORSE)
    people_say("v1", GOOD), people_say("v2", "." * 6 + "c" * 54)
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and found["unseen"] == 6 and found["lean"] == "BLOCK"


def test_labels_on_nice_ones_that_a_blind_grader_cannot_tell_either() -> None:
    """It calls all of them correct; 20 of 60 are looked at, by choice and not in their order."""
    version("v1", told="y"), version("v2")
    people_say("v1", GOOD), people_say("v2", "." * 40 + "c" * 20)
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and found["unseen"] == 40


def delete_labels(*answers: str) -> None:
    with database() as file:
        marks = ",".join("?" * len(answers))
        where = f"grader LIKE 'human/%' AND run = 'v2' AND question_id IN ({marks})"
        assert file.execute(f"DELETE FROM verdicts WHERE {where}", answers).rowcount == len(answers)


def test_labels_deleted_from_the_database() -> None:
    blocked()
    delete_labels(*(f"q{n:03}" for n in NEWLY))
    found = decided("v1", "v2")
    assert found["outcome"] == "BLOCK" and "this code was blocked on" in found["headline"]
    assert "6 verdicts or labels that were there on" in told(found)


def test_labels_deleted_before_anything_was_decided_leave_their_pairs_unseen() -> None:
    version("v1"), version("v2", changed(WORSE, range(20, 30), "r"))
    people_say("v1", GOOD), people_say("v2", "w" * 6 + "." * 14 + "r" * 10)
    delete_labels(*(f"q{n:03}" for n in NEWLY))
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and found["unseen"] == 6


def test_a_file_without_the_bad_labels(tmp_path: Path) -> None:
    blocked()
    surefoot("export", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines(keepends=True)
    kept = [
        line for line in lines if not ('"human/ann"' in line and '"wrong"' in line) and '"kind":"steps"' not in line
    ]
    (tmp_path / "some.jsonl").write_text("".join(kept))
    done = surefoot("import", tmp_path / "some.jsonl", "--db", tmp_path / "new.db")
    if done.code == 0:  # a union of files may lack labels; the decision then lacks looks
        found = decided("v1", "v2", "--db", tmp_path / "new.db")
        assert found["outcome"] == "INCONCLUSIVE" and found["unseen"] == 6
    else:
        assert "hint: " in done.err


# Answers and passages


def test_an_answer_edited_in_the_database() -> None:
    blocked()
    with database() as file:
        trace = file.execute("SELECT trace FROM answers WHERE run = 'v2' AND question_id = 'q000'").fetchone()[0]
        file.execute(
            "UPDATE answers SET trace = ? WHERE run = 'v2' AND question_id = 'q000'", [trace.replace("x w", "x c")]
        )
    done = gate("v1", "v2")
    assert done.code == 4 and "the answer to q000 in the run v2 is not the one that was kept" in done.err


def test_an_answer_edited_in_an_export(tmp_path: Path) -> None:
    version("v1"), version("v2", WORSE)
    for name in ("v1", "v2"):
        surefoot("export", tmp_path / f"{name}.jsonl", name)
    text = (tmp_path / "v2.jsonl").read_text()
    (tmp_path / "v2.jsonl").write_text(text.replace("x w q000", "x c q000"))
    done = gate(tmp_path / "v1.jsonl", tmp_path / "v2.jsonl", "--db", tmp_path / "new.db")
    assert done.code == 2 and "hash" in done.err


@pytest.mark.parametrize("cites", ["[d0#1]", ""])
def test_an_index_rebuilt_under_the_same_words_is_a_difference(cites: str) -> None:
    """The same answers and the same ids of passages, and other texts behind them."""
    texts = [
        Retrieved([Passage("d0#1", text, "d0")])
        for text in ("The fee is 5 EUR.", "The fee is 9 EUR.", "The fee is\n5 EUR.")
    ]
    for name, found in zip(("v1", "v2", "v3"), texts, strict=True):
        version(name, told=f"So {cites}", found=found)
    rebuilt = decided("v1", "v2")
    assert rebuilt["outcome"] == "INCONCLUSIVE" and rebuilt["differing"] == COUNT
    people_say("v1", GOOD)
    assert decided("v1", "v2")["looked_at"] == 0, "labels stay with the texts they were given on"
    assert decided("v1", "v3")["differing"] == 0, "white space is no difference"


# Versions, runs and questions


def test_running_again_after_a_block() -> None:
    blocked()
    for n in range(3):
        version("v2", id=f"lucky{n}", code_sha256="code of v2")
    found = decided("v1", "v2")
    assert found["outcome"] == "BLOCK" and len(found["runs"]["cand"]) == 4
    assert "this code was blocked on" in found["headline"] and "decided afresh, it would be" in told(found)
    assert "change the code of v2, or correct a label" in found["next"][0]


def test_another_name_for_the_same_code() -> None:
    blocked()
    version("v3", changed(GOOD, [50], "r"), code_sha256="code of v2")
    found = decided("v1", "v3")
    assert found["outcome"] == "BLOCK" and "this code was blocked on" in found["headline"]
    version("v5", code_sha256="code of v2")
    assert "this code was blocked on" in told(decided("v1", "v5")), "it ships, but not in silence"
    version("v4", code_sha256="other code")
    assert decided("v1", "v4")["outcome"] == "SHIP"


def test_a_run_that_was_never_named_counts_as_well() -> None:
    version("v1")
    version("v2", changed(GOOD, range(30)), id="unlucky")
    version("v2", id="lucky", code_sha256="code of v2")
    found = decided("v1", "lucky", "--uncalibrated")
    assert found["outcome"] != "SHIP" and sorted(found["runs"]["cand"]) == ["lucky", "unlucky"]


def test_runs_left_out_are_said_with_their_reason_for_ever() -> None:
    version("v1"), version("v2", WORSE, id="unlucky"), version("v2", id="lucky")
    without = ("--without", "unlucky", "--reason", "the server was down")
    assert gate("v1", "lucky", *without[:2]).code == 2 and gate("v1", "lucky", *without[:3], " ").code == 2
    assert gate("v1", "lucky", "--without", "nosuch", "--reason", "x").code == 2
    said = decided("v1", "lucky", *without)
    assert said["outcome"] == "SHIP" and "left out: unlucky (the server was down)" in told(said)
    later = decided("v1", "lucky")
    assert later["outcome"] != "SHIP" and "unlucky (the server was down)" in told(later)


def test_a_run_deleted_from_the_database() -> None:
    version("v1"), version("v2", WORSE, id="unlucky"), version("v2", id="lucky")
    decided("v1", "lucky")
    with database() as file:
        for table, column in (("answers", "run"), ("runs", "id")):
            file.execute(f"DELETE FROM {table} WHERE {column} = 'unlucky'")
    found = decided("v1", "lucky")
    assert "the run unlucky, which was counted on" in told(found) and "is gone" in told(found)


def test_questions_left_out_on_one_side_or_on_both() -> None:
    version("v1"), version("v2", WORSE)
    decided("v1", "v2", "--uncalibrated")
    easy = questions(COUNT)[6:]
    version("v3", GOOD[6:], asked=easy)
    one_sided = decided("v1", "v3")
    assert (
        one_sided["exit_code"] == 4
        and "6 questions of v1 were not asked of v3 as before: q000" in one_sided["headline"]
    )
    version("v1", GOOD[6:], id="again", asked=easy), version("v2", GOOD[6:], id="easy", asked=easy)
    both = decided("again", "easy")
    assert "q000" in told(both) and "another question set" in told(both)


def test_a_gate_file_loosened_after_a_decision(tmp_path: Path) -> None:
    version("v1"), version("v2", changed(GOOD, [0]))
    people_say("v1", "c"), people_say("v2", "w")
    assert decided("v1", "v2")["outcome"] == "BLOCK"
    (tmp_path / "loose.toml").write_text('[rules]\nwrong = "wrong <= 20"\n')
    found = decided("v1", "v2", "--gate", tmp_path / "loose.toml")
    assert found["outcome"] == "BLOCK", "and a block is final for its code"
    version("v3", changed(GOOD, [1])), people_say("v3", ".w")
    found = decided("v1", "v3", "--gate", tmp_path / "loose.toml")
    assert found["outcome"] == "SHIP"
    assert re.search(r"other rules than on \S+: acceptable, .* and 7 more", told(found))


def test_a_what_if_leaves_no_note() -> None:
    version("v1"), version("v2")
    for more in ([], ["--rule", "wrong <= 20"], ["--gate", "ship", "--rule", "wrong <= 20"]):
        decided("v1", "v2", *more)
    assert "other rules" not in told(decided("v1", "v2"))


def test_ten_steps_of_one_wrong_answer_each() -> None:
    """Each is compared with the baseline, which no decision moves: the sum is caught."""
    version("v0")
    surefoot("baseline", "v0")
    people_say("v0", "c" * 10)
    for n in range(1, 11):
        version(f"v{n}", changed(GOOD, range(n)))
        people_say(f"v{n}", "w" * n)
        found = decided(f"v{n}")
        assert found["names"]["base"] == "v0" and found["outcome"] == "BLOCK" and rule(found)["change"] == n
    assert surefoot("baseline", "--json").json["version"] == "v0"


def test_steps_that_nobody_could_call_worse_add_up_as_well() -> None:
    """A blind grader, and people who look at what they are shown: gated against the step before, each would pass."""
    version("v0", told="v0")
    surefoot("baseline", "v0")
    for n in range(1, 4):
        version(f"v{n}", told=f"v{n}")
        assert decided(f"v{n}")["names"]["base"] == "v0"
        beside = decided(f"v{n - 1}", f"v{n}")
        assert n == 1 or f"the baseline is v0, not v{n - 1}" in beside["baseline"]


def test_a_corrected_label_reopens_a_block_and_is_printed() -> None:
    version("v1"), version("v2", changed(GOOD, [0]))
    people_say("v1", "c"), people_say("v2", "w")
    assert decided("v1", "v2")["outcome"] == "BLOCK"
    say("v2", {"q000": "c"}, who="bob")
    divided = decided("v1", "v2")
    assert divided["outcome"] == "BLOCK" and "would be SHIP" in told(divided), "they differ, and nobody has settled it"
    say("v2", {"q000": "c"})
    found = decided("v1", "v2")
    assert found["outcome"] == "SHIP" and "reopened by a corrected label on q000" in told(found)
    assert "reopened by a corrected label on q000" in gate("v1", "v2").out


def test_a_block_by_the_grader_alone_is_counted_afresh() -> None:
    """A reworded refusal is no fact that people have seen."""
    for name, quality in (("v1", 2), ("v2", 0)):
        said = [Verdict(f"q{i:03}", "refusal_quality", quality, GRADER) for i in range(36, 40)]
        kept_run(name, SOME, told=name, deterministic=True, also=said)
    people_say("v1", SOME), people_say("v2", SOME)
    assert decided("v1", "v2")["outcome"] == "BLOCK"
    add_labels(*(
        Label(id=f"level{i}", at=f"2026-01-02T00:00:00.{i:06}+00:00", annotator="ann", question_id=f"q{i:03}",
              axis="refusal_quality", value=2, version=kept("v2").answer_keys()[f"q{i:03}", 1], run="v2",
              drawn="sample")
        for i in range(36, 40)
    ))  # fmt: skip
    assert decided("v1", "v2")["outcome"] == "SHIP", "people may lift it"


def test_a_stricter_gate_that_was_tried_once_binds_nobody_and_answers_as_before_are_never_blocked() -> None:
    kept_run("v1", SOME, told="x", deterministic=True, pipeline="p:f", code_sha256="1")
    refusing = changed(SOME, range(5), "r")
    kept_run("v2", refusing, told="x", deterministic=True, pipeline="p:f", code_sha256="2")
    people_say("v1", SOME), people_say("v2", refusing)
    assert decided("v1", "v2", "--gate", "helpful")["outcome"] == "BLOCK"
    assert decided("v1", "v2")["outcome"] == "SHIP"
    worse = changed(SOME, [0])
    kept_run("v3", worse, told="x", deterministic=True, pipeline="p:f", code_sha256="3")
    people_say("v3", worse)
    assert decided("v1", "v3")["outcome"] == "BLOCK"
    kept_run("v4", refusing, told="x", deterministic=True, pipeline="p:f", code_sha256="3")
    again = decided("v1", "v4")
    assert again["outcome"] == "BLOCK", "the same code under another name"
    kept_run("v5", SOME, told="x", deterministic=True, pipeline="p:f", code_sha256="3")
    assert decided("v1", "v5")["outcome"] == "SHIP", "a document was mended: all answers are the baseline's"


def test_a_block_travels_with_every_decision_after_it(tmp_path: Path) -> None:
    kept_run("v1", SOME, told="x", deterministic=True, pipeline="p:f", code_sha256="1")
    worse = changed(SOME, [0])
    kept_run("v2", worse, told="x", deterministic=True, pipeline="p:f", code_sha256="2")
    people_say("v1", SOME), people_say("v2", worse)
    assert decided("v1", "v2")["outcome"] == "BLOCK"
    kept_run("v2b", SOME, told="y", version="v2", deterministic=True, pipeline="p:f", code_sha256="2")
    people_say("v2b", SOME)
    assert decided("v1", "v2")["outcome"] == "BLOCK", "it was run again"
    assert surefoot("export", tmp_path / "d.jsonl", "--decision", "latest").code == 0
    assert surefoot("import", tmp_path / "d.jsonl", "--db", tmp_path / "new.db").code == 0
    assert decided("v1", "v2", "--db", tmp_path / "new.db")["outcome"] == "BLOCK"
