"""What used to decide wrongly: readiness, questions that were not asked, tiny question sets, and baselines."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from surefoot.graders.grader import FindingsGrader
from surefoot.graders.rules import Rules
from surefoot.jobs.settings import settings_from
from surefoot.monitor import monitor
from surefoot.monitor.monitor import Monitor
from surefoot.monitor.state import Design, State
from tests.conftest import Done
from tests.in_process import surefoot

Row = dict[str, Any]
FACTS = {
    "rent": ("How much is the monthly rent?", "The monthly rent is 900 euros.", "lease#1"),
    "notice": ("How long is the notice period?", "The notice period is three months.", "lease#2"),
    "deposit": ("How much is the deposit?", "The deposit is 1800 euros.", "lease#3"),
    "pets": ("How many cats may a tenant keep?", "A tenant may keep two cats.", "lease#4"),
}
ANSWERABLE: list[Row] = [
    {"qid": qid, "q": q, "answerable": True, "gold_ids": [gold], "gold_claim": claim}
    for qid, (q, claim, gold) in FACTS.items()
]
UNANSWERABLE: list[Row] = [
    {"qid": qid, "q": q, "answerable": False, "gold_ids": []}
    for qid, q in {"owner": "Who owns the house?", "built": "When was it built?", "lift": "Is there a lift?",
                   "roof": "What is the roof made of?"}.items()
]  # fmt: skip
NULL: list[Row] = [
    {"qid": f"null-{qid}", "q": FACTS[qid][0], "answerable": False, "gold_ids": [], "retrieval": "null"}
    for qid in ("rent", "notice")
]
PIPELINE = f"""
from pathlib import Path
from surefoot.core.types import Ask

FACTS = {[list(fact) for fact in FACTS.values()]!r}
PASSAGES = [{{"id": gold, "text": claim}} for _, claim, gold in FACTS]
ASKED = {{}}

def refusal():
    return {{"answer": "The documents do not say that.", "retrieved": PASSAGES}}

def sound(question):
    for asked, claim, gold in FACTS:
        if asked == question:
            return {{"answer": f"{{claim[:-1]}} [{{gold}}].", "retrieved": PASSAGES}}
    return refusal()

def told(ask: Ask):
    return {{"answer": "Not in context.", "retrieved": []}} if ask.retrieval == "null" else sound(ask.text)

def conflicting(question):
    return sound(question) | ({{"answer": "The deposit is 500 euros [lease#3]."}} if "deposit" in question else {{}})

def off(question):
    return sound(question) | ({{"answer": "A tenant may keep two cats [lease#4]."}} if "rent" in question else {{}})

def inventing(question):
    return sound(question) | ({{"answer": "The roof is made of slate [lease#1]."}} if "roof" in question else {{}})

def uncited(question):
    found = sound(question)
    return found | {{"answer": found["answer"].partition(" [")[0] + "."}}

def other_source(question):
    found = sound(question)
    return found | ({{"answer": found["answer"].replace("#2", "#1")}} if "notice" in question else {{}})

def mostly_failing(question):
    return sound(question) if "rent" in question else {{"answer": "It is 7 [lease#1].", "retrieved": PASSAGES}}

def flaky(question):
    ASKED[question] = ASKED.get(question, 0) + 1
    return sound(question) if ASKED[question] > 1 else refusal()

def crashing(question):
    if "deposit" in question:
        raise RuntimeError("index down")
    return sound(question)

def watched(question):
    return sound(question) if Path("healthy").exists() else refusal()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(PIPELINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("mine", None)
    return tmp_path


def asked(*rows: Row, name: str = "q.json") -> str:
    Path(name).write_text(json.dumps(rows), encoding="utf-8")
    return name


def marked(*rows: Row) -> list[Row]:
    return [{**row, "sentinel": True} for row in rows]


# Ready means ready.


@pytest.mark.parametrize(
    ("spec", "rows", "code", "failed"),
    [
        ("sound", [*ANSWERABLE, *UNANSWERABLE], 0, {}),
        ("conflicting", [*ANSWERABLE, *UNANSWERABLE], 1, {"deposit": "wrong: "}),
        ("off", [*ANSWERABLE, *UNANSWERABLE], 1, {"rent": "does not say what was asked for: The monthly rent"}),
        ("inventing", [*ANSWERABLE, UNANSWERABLE[3], *UNANSWERABLE[:3]], 1, {"roof": "answered although"}),
        ("uncited", [*ANSWERABLE[:2], UNANSWERABLE[0]], 1,
         {"rent": "without a citation", "notice": "without a citation"}),
        ("other_source", [*ANSWERABLE[:2], UNANSWERABLE[0]], 1, {"notice": "cited lease#1, not lease#2"}),
        ("crashing", [*ANSWERABLE, *UNANSWERABLE], 4, {"deposit": "the pipeline failed: RuntimeError: index down"}),
        ("flaky", [*ANSWERABLE, *UNANSWERABLE], 0, {}),  # each question is asked twice where it fails
        ("mostly_failing", [*ANSWERABLE, *UNANSWERABLE], 1,
         dict.fromkeys(["notice", "deposit", "owner", "roof", "built"], "")),
        # Only what is marked is asked, and all of it.
        ("off", [*marked(*ANSWERABLE[1:], *UNANSWERABLE), ANSWERABLE[0]], 0, {}),
        ("inventing", [*ANSWERABLE, *UNANSWERABLE[:3], *marked(UNANSWERABLE[3])], 1, {"roof": "answered although"}),
        ("sound", marked(*ANSWERABLE, *UNANSWERABLE, *NULL), 4,
         dict.fromkeys(["null-rent", "null-notice"], "cannot be told to retrieve nothing")),
        ("told", marked(*ANSWERABLE, *UNANSWERABLE, *NULL), 0, {}),
    ],
)  # fmt: skip
def test_doctor_passes_only_what_passes_every_sentinel(
    folder: Path, spec: str, rows: list[Row], code: int, failed: dict[str, str]
) -> None:
    done = surefoot("doctor", "-p", f"mine:{spec}", "-q", asked(*rows), "--json")
    found = {one["question_id"]: one["reason"] for one in done.json["findings"] if not one["ok"]}
    assert done.code == code and found.keys() == failed.keys(), done.out
    assert all(why in found[qid] for qid, why in failed.items()), found
    wanted = [row["qid"] for row in rows if row.get("sentinel")]
    assert not wanted or [one["question_id"] for one in done.json["findings"]] == wanted
    told = surefoot("doctor", "-p", f"mine:{spec}", "-q", "q.json").out.splitlines()[-1]
    assert told.startswith("not ready") if failed else told.startswith("ready (")
    assert all(qid in told for qid in failed)


def test_a_mark_that_is_no_mark_is_named(folder: Path) -> None:
    for row, why in (({"sentinel": "yes"}, "sentinel must be true or false"), ({"sentinal": True}, "did you mean")):
        done = surefoot("doctor", "-p", "mine:sound", "-q", asked({**ANSWERABLE[0], **row}, *UNANSWERABLE))
        assert done.code == 2 and why in done.err and "hint:" in done.err


def test_marking_sentinels_does_not_make_another_question_set(folder: Path) -> None:
    rows = [*ANSWERABLE, *UNANSWERABLE]
    assert surefoot("run", "-p", "mine:sound", "-q", asked(*rows), "--version", "a").code == 0
    assert surefoot("run", "--resume", "a", "-q", asked(*marked(*rows))).code == 0


def _until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


def test_readiness_is_lost_and_regained(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "_READY_SECONDS", 0.05)
    how = settings_from({"pipeline": "mine:watched", "questions": asked(*ANSWERABLE, *UNANSWERABLE)})
    ready = Monitor(State(None, Design()), FindingsGrader(Rules()), how=how)
    with ready.at_work():
        for _ in range(2):
            assert _until(lambda: "rent: refused although the documents have the answer" in ready.why_not_tried)
            Path("healthy").touch()
            assert _until(lambda: ready.why_not_tried == "")
            Path("healthy").unlink()


# Questions that were not asked are missing.

WHY = (
    "2 of 6 questions not asked, so coverage is at most 4 of 6: the pipeline cannot be told to retrieve nothing (hint:"
)
ROWS = [*ANSWERABLE[:2], *UNANSWERABLE[:2], *NULL]


def _run(version: str = "a") -> Done:
    return surefoot("run", "-p", "mine:sound", "-q", asked(*ROWS), "--version", version)


@pytest.fixture(scope="module")
def not_asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two graded runs that could not ask two of six questions."""
    folder = tmp_path_factory.mktemp("not_asked")
    (folder / "mine.py").write_text(PIPELINE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUREFOOT_DB", str(folder / "surefoot.db"))
        patch.chdir(folder)
        for version in ("a", "b"):
            assert _run(version).code == 4
            assert surefoot("grade", version, "--grader", "rules").code == 4
    return folder / "surefoot.db"


@pytest.mark.parametrize(
    ("command", "code", "seen"),
    [
        (("grade", "a", "--grader", "rules"), 4, "2 not graded"),
        (("report", "a"), 4, "2 not graded"),
        (("report", "a", "--json"), 4, '"ungraded":2'),
        (("report", "a", "--report", "-"), 4, "2 not graded"),
        (("gate", "a", "b"), 4, "66.7%"),
        (("gate", "a", "b", "--rule", "unsupported <= 0.9", "--uncalibrated"), 4, "2 of 6 answers"),
        (("gate", "a", "b", "--rule", "correct >= 3", "--rule", "coverage >= 1", "--uncalibrated"),
         4, "66.7%"),
        (("gate", "a", "b", "--rule", "refused <= 1", "--rule", "coverage >= 1", "--uncalibrated"), 1,
         "66.7%"),  # blocked comes first
        (("gate", "a", "b", "--json"), 4, '"after":0.6666'),
    ],
)  # fmt: skip
def test_what_was_not_asked_is_missing_everywhere(
    folder: Path, not_asked: Path, db: Path, command: tuple[str, ...], code: int, seen: str
) -> None:
    shutil.copyfile(not_asked, db)
    done = surefoot(*command)
    assert done.code == code and seen in done.out.replace('": ', '":'), done.out
    assert WHY in " ".join((done.out + done.err).replace("\\", "").split()), done.out


def test_run_counts_what_it_cannot_ask_and_goes_on_once_it_can(folder: Path) -> None:
    done = _run()
    assert done.code == 4 and "4 answers, 0 errors, 2 not asked: coverage 4 of 6" in done.out and WHY in done.err
    summary = surefoot("run", "-p", "mine:sound", "-q", "q.json", "--version", "b", "--json").json
    assert (summary["asked"], summary["answers"], summary["missing"]) == (6, 4, 2)
    (folder / "mine.py").write_text(PIPELINE.replace("def sound(question):", "def text(question):", 1).replace(
        "def told(ask: Ask):", "def sound(ask: Ask):", 1).replace("else sound(ask.text)", "else text(ask.text)"),
        encoding="utf-8")  # fmt: skip
    assert surefoot("run", "--resume", "a").code == 2, "one run is of one code"
    mended = surefoot("run", "-p", "mine:sound", "-q", "q.json", "--version", "c")
    assert mended.code == 0 and "6 answers, 0 errors\n" in mended.out and "not asked" not in mended.out + mended.err


# Too few questions to mean anything.


def _score(questions: list[Row], answers: dict[str, str], *more: str | Path, name: str = "q.json") -> Done:
    by_text = {row["q"]: answers.get(row["qid"], _right(row)) for row in questions}
    traces = [{"q": q, "answer": answer} for q, answer in by_text.items()]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in traces), encoding="utf-8")
    return surefoot("score", "-q", asked(*questions, name=name), "-t", "t.jsonl", *more)


def _right(row: Row) -> str:
    return f"{row['gold_claim']} [{row['gold_ids'][0]}]" if row["answerable"] else "not in context"


def _many(answerable: int, unanswerable: int) -> list[Row]:
    return [
        {"qid": f"q{n}", "q": f"What is item {n}?", "answerable": n < answerable, "gold_ids": [f"p#{n}"],
         "gold_claim": f"Item {n} is blue."} for n in range(answerable + unanswerable)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "few"),
    [
        (1, 1, "1 question is too few to mean anything"),
        (1, 0, "1 question is too few to mean anything"),
        (2, 2, "2 questions are too few to mean anything"),
        (30, 3, "3 questions are too few to mean anything: under_refusal is 0/3, which may be anything from 0% to 6"),
        (4, 30, "4 questions are too few to mean anything: precision is 4/4"),
        (5, 5, ""),
        (20, 10, ""),
    ],
)  # fmt: skip
def test_a_ship_on_few_questions_says_so(folder: Path, answerable: int, unanswerable: int, few: str) -> None:
    rules = ("--rule", "precision >= 0.8") if not unanswerable else ()
    reports = ("--report", "r.md", "--report", "r.html")
    done = _score(_many(answerable, unanswerable), {}, *rules, *reports)
    assert done.code == 0 and "SHIP" in done.out
    found = surefoot("score", "-q", "q.json", "-t", "t.jsonl", *rules, "--json").json["gate"]["too_few"]
    for shown in (done.out, Path("r.md").read_text("utf-8"), Path("r.html").read_text("utf-8"), found or ""):
        assert (few in " ".join(shown.split())) if few else "too few" not in shown
    assert (found is None) == (not few)
    assert found is None or int(found.rpartition("at least ")[2].split()[0]) > int(found.split()[0])


def test_what_does_not_ship_is_not_called_too_few(folder: Path) -> None:
    done = _score(_many(1, 1), {"q1": "It is blue [p#1]"})
    assert done.code == 1 and "too few" not in done.out


# A baseline is paired with.


def _baseline(questions: list[Row], answers: dict[str, str], *more: str) -> str:
    Path("before.json").write_text(_score(questions, answers, "--json", *more).out, encoding="utf-8")
    return "before.json"


SET = _many(4, 3)
WRONG, REFUSED = "It is red [p#99]", "not in context"


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ({}, {}, []),
        ({}, {"q0": WRONG}, [("q0", "OK", "ANS_NO_HIT", "worse")]),
        ({"q0": REFUSED}, {}, [("q0", "OVER_REFUSAL", "OK", "better")]),
        ({"q1": REFUSED}, {"q1": WRONG}, [("q1", "OVER_REFUSAL", "ANS_NO_HIT", "other")]),
        ({}, {"q5": WRONG}, [("q5", "REFUSAL_OK", "HALLUCINATION", "worse")]),
        # As many right as before, and not the same ones.
        ({"q0": WRONG}, {"q1": WRONG}, [("q0", "ANS_NO_HIT", "OK", "better"), ("q1", "OK", "ANS_NO_HIT", "worse")]),
    ],
)  # fmt: skip
def test_the_questions_whose_label_changed_are_listed(
    folder: Path, before: dict[str, str], after: dict[str, str], moved: list[tuple[str, ...]]
) -> None:
    baseline = _baseline(SET, before)
    done = _score(SET, after, "--baseline", baseline, "--json")
    assert done.json["label_changes"]["compared"] == 7
    names = ("question_id", "baseline", "candidate", "way")
    assert [tuple(one[name] for name in names) for one in done.json["label_changes"]["changed"]] == moved
    told = _score(SET, after, "--baseline", baseline, "--report", "r.md")
    assert f"Of 7 questions in both: {sum(one[-1] == 'worse' for one in moved)} worse" in told.out
    for qid, was, now, way in moved:
        assert [qid, was, now, way] in [line.split() for line in told.out.splitlines()]
        assert f"| {qid} | {was} | {now} | {way} |" in Path("r.md").read_text("utf-8")


def _cloned(*change: str, edit: dict[str, Row] | None = None) -> list[Row]:
    options = [word for qid in change for word in ("--change", qid)]
    assert surefoot("questions", "clone", "q.json", "q2.json", *options).code == 0
    rows: list[Row] = json.loads(Path("q2.json").read_text("utf-8"))
    return [row | (edit or {}).get(row["qid"], {}) for row in rows]


@pytest.mark.parametrize(
    ("change", "edit", "after", "code", "moved"),
    [
        ((), {}, {"q0": WRONG}, 1, [("q0", "q0", "worse")]),
        (("q6",), {}, {}, 0, []),  # another id for the same question
        (("q6",), {}, {"q6@v2": WRONG}, 1, [("q6", "q6@v2", "worse")]),
        (("q3",), {"q3@v2": {"q": "What is the third item?"}}, {}, 0, []),
        # An edited question is listed, and the rule is judged by those that are the same.
        (("q3",), {"q3@v2": {"q": "What is the third item?"}}, {"q3@v2": WRONG}, 0, [("q3", "q3@v2", "worse")]),
        (("q3",), {"q3@v2": {"gold_ids": ["p#7"]}}, {"q0": WRONG}, 1, [("q0", "q0", "worse")]),
    ],
)  # fmt: skip
def test_a_baseline_is_paired_with_after_a_clone(
    folder: Path, change: tuple[str, ...], edit: dict[str, Row], after: dict[str, str], code: int,
    moved: list[tuple[str, ...]],
) -> None:  # fmt: skip
    baseline = _baseline(SET, {})
    rows, rules = (
        _cloned(*change, edit=edit),
        ("--rule", "precision >= baseline", "--rule", "under_refusal <= baseline"),
    )
    Path("q2.json.lock").unlink()
    done = _score(rows, after, "--baseline", baseline, *rules, "--json", name="q2.json")
    assert done.code == code, done.err
    found = [(one["was"], one["question_id"], one["way"]) for one in done.json["label_changes"]["changed"]]
    assert found == moved and done.json["label_changes"]["compared"] == 7
    told = _score(rows, after, "--baseline", baseline, *rules, name="q2.json").out
    assert ("only the 6 unchanged questions are compared" in told) == bool(edit)


def test_a_baseline_on_other_questions_is_refused_and_one_without_rows_says_so(folder: Path) -> None:
    other = [{**row, "qid": f"x{row['qid']}", "q": row["q"].replace("item", "thing")} for row in SET]
    done = _score(other, {}, "--baseline", _baseline(SET, {}))
    assert done.code == 2 and "was scored on other questions" in done.err and "hint:" in done.err
    done = _score(SET, {}, "--baseline", _baseline(SET, {}, "--no-rows"))
    assert done.code == 0 and "the baseline has no rows to tell which labels changed (hint:" in " ".join(
        done.out.split()
    )


SEED: list[Row] = [
    {"qid": "q1", "q": "What is X?", "answerable": True, "gold_ids": ["p1#1"], "gold_claim": "X is a mapping."},
    {"qid": "q2", "q": "What is Z?", "answerable": False, "gold_ids": []},
]


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ("q.json", "q2.json", SEED),
        ("q.json", "q2.jsonl", SEED),
        ("q.json", "q2.yaml", SEED),
        ("q.yaml", "q2.json", SEED),
        ("q.jsonl", "q2.json", [{"id": 7, "question": "Why?", "expects": "refusal", "team": {"lead": "Ann"}}]),
        ("q.json", "q2.json", [{"question_id": "a", "user_input": "Why?", "gold_ids": ["p"], "metadata": {"n": 1}}]),
    ],
)  # fmt: skip
def test_a_clone_keeps_the_names_of_fields(folder: Path, old: str, new: str, rows: list[Row]) -> None:
    text = {"json": json.dumps(rows), "yaml": yaml.safe_dump(rows, sort_keys=False)}
    text["jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    Path(old).write_text(text[old.partition(".")[2]], encoding="utf-8")
    name = next(iter(rows[0]))
    assert surefoot("questions", "clone", old, new, "--change", str(rows[0][name])).code == 0
    written = Path(new).read_text("utf-8")
    lines = [json.loads(line) for line in written.splitlines()] if new.endswith("l") and "yaml" not in new else None
    changed = {**rows[0], name: f"{rows[0][name]}@v2", "replaces": str(rows[0][name])}
    assert (lines or yaml.safe_load(written)) == [changed, *rows[1:]]
