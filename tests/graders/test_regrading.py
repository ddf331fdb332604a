"""Grading a run again: a paid verdict is never lost, and a failed self-check reaches whoever decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from surefoot.store import REPLIES, VERDICTS, Manifest, RunStore, fingerprint
from surefoot.types import Passage, Question, Retrieved, Trace

from ..attacks.judges import Seen, obedient, sound
from ..conftest import Done
from ..fault_server import Call, Fault, FaultServer
from ..in_process import surefoot
from .test_llm_cli import asked

IDS = ("q1", "q2", "q3")
QUESTIONS = [Question(id, f"What is fee {id}?", "answer") for id in IDS]
PASSAGES = Retrieved([Passage("p", "The fee is EUR 5.")])
REFUSED = Fault(401, message="wrong key")


def said(call: Call, says: Callable[[Any], Any] = sound) -> Fault:
    return Fault(text=json.dumps(says(asked(call))))


class Server(FaultServer):
    """One that may be told to do otherwise."""

    def __init__(self) -> None:
        super().__init__(lambda call: self.does(call))
        self.does: Callable[[Call], Fault] = said


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def make_run(folder: Path, *answers: str) -> Path:
    manifest = Manifest(
        name=folder.name, pipeline="p", repeats=1, seed=0, questions_sha256=fingerprint(QUESTIONS),
        question_count=len(QUESTIONS), deterministic=True,
    )  # fmt: skip
    with RunStore.create(folder, manifest, QUESTIONS) as store:
        for id, answer in zip(IDS, answers, strict=True):
            store.append_trace(Trace(id, answer=answer, retrieved=PASSAGES))
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", *(f"The fee is EUR 5 [p].{' ' * place}" for place in range(3)))


def grade(run: Path, server: FaultServer, cache: str = "cache", spec: str = "llm:m@{}") -> Done:
    return surefoot("grade", run, "--grader", spec.format(server.url), "--cache", run.parent / f"{cache}.sqlite")


def buckets(run: Path) -> dict[str, object]:
    store = RunStore.open(run)
    found = (v for v in store.verdicts() if v.axis == "factuality" and v.grader == store.manifest.grader)
    return {verdict.question_id: verdict.value for verdict in found}


CORRECT: dict[str, object] = dict.fromkeys(IDS, "correct")


def test_replies_are_kept_with_the_run_and_need_no_cache_and_no_key(server: Server, run: Path) -> None:
    assert grade(run, server).code == 0 and buckets(run) == CORRECT
    calls = server.counts()["calls"]
    server.does = lambda _: REFUSED
    again = grade(run, server, cache="another")
    assert again.code == 0 and buckets(run) == CORRECT and server.counts()["calls"] == calls
    assert "this costs nothing" in again.err


def test_a_re_grade_that_fails_leaves_every_verdict_standing_and_says_so(server: Server, run: Path) -> None:
    grade(run, server)
    before = RunStore.open(run).verdicts()
    (run / REPLIES).unlink()
    server.does = lambda _: REFUSED
    again = grade(run, server, cache="another")
    assert again.code == 4 and RunStore.open(run).verdicts() == before
    assert "the verdicts of before stand: q1, q2, q3" in again.err and "3 not graded" in again.out


def test_of_a_half_failed_re_grade_each_answer_has_its_newest_verdict(server: Server, run: Path) -> None:
    grade(run, server)
    (run / REPLIES).unlink()

    def half(call: Call) -> Fault:
        seen = Seen(asked(call))
        if "fee q2" in seen.question:
            return said(call, lambda prompt: {**sound(prompt), "claims": [{"claim": 1, "reading": "not_enough"}]})
        return Fault(400) if "fee q3" in seen.question else said(call)

    server.does = half
    again = grade(run, server, cache="another")
    assert buckets(run) == {"q1": "correct", "q2": "unsupported", "q3": "correct"}
    assert again.code == 4 and "stand: q3" in again.err
    assert "1 not graded this time; the verdicts of before stand: 1 correct, 0 wrong" in again.out


def test_no_verdict_stands_for_an_answer_or_a_question_that_has_changed(server: Server, run: Path) -> None:
    grade(run, server)
    (run / REPLIES).unlink()
    with RunStore.open(run, writing=True) as store:
        store.append_trace(Trace("q1", answer="The fee is EUR 9 [p].", retrieved=PASSAGES))
    questions = (run / "questions.jsonl").read_text().replace("What is fee q2?", "What is fee q2 in all?")
    (run / "questions.jsonl").write_text(questions)
    server.does = lambda _: REFUSED
    again = grade(run, server, cache="another")
    assert buckets(run) == {"q1": None, "q2": None, "q3": "correct"}
    assert again.code == 4 and "stand: q3\n" in again.err


def test_verdicts_from_before_they_knew_their_answer_stand_while_all_answers_are_the_same(
    server: Server, run: Path
) -> None:
    grade(run, server)
    rows = [json.loads(line) for line in (run / VERDICTS).read_text().splitlines()]
    unsigned = "".join(json.dumps(row | {"answer_sha256": ""}) + "\n" for row in rows)
    (run / VERDICTS).write_text(unsigned)
    (run / REPLIES).unlink()
    server.does = lambda _: REFUSED
    grade(run, server, cache="another")
    assert buckets(run) == CORRECT
    (run / VERDICTS).write_text(unsigned)
    with RunStore.open(run, writing=True) as store:
        store.append_trace(Trace("q1", answer="The fee is EUR 9 [p].", retrieved=PASSAGES))
    grade(run, server, cache="another")
    assert set(buckets(run).values()) == {None}


def test_another_grader_neither_loses_nor_takes_over_what_one_found(server: Server, run: Path) -> None:
    grade(run, server)
    paid = RunStore.open(run).verdicts()
    assert surefoot("grade", run, "--grader", "rules").code == 0
    assert [verdict for verdict in RunStore.open(run).verdicts() if verdict.grader == paid[0].grader] == paid
    server.does = lambda _: REFUSED
    grade(run, server, spec="llm:other@{}")
    assert buckets(run) == CORRECT, "a grader that found nothing at all does not become the run's"
    assert [verdict for verdict in RunStore.open(run).verdicts() if verdict.grader == paid[0].grader] == paid


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("fault", [REFUSED, Fault(404, message="The model `m` does not exist"), Fault(text="No.")])
def test_a_grading_that_yields_nothing_leaves_the_run_as_it_was_and_says_why_last(
    fault: Fault, before: bool, server: Server, run: Path
) -> None:
    if before:
        surefoot("grade", run, "--grader", "rules")
    content = {path.name: path.read_bytes() for path in run.iterdir()}
    server.does = lambda _: fault
    done = grade(run, server)
    assert done.code == 4 and {path.name: path.read_bytes() for path in run.iterdir()} == content
    assert f"the run stays as it was: {'graded by rules@' if before else 'not graded'}" in done.err
    assert ("stand: 3 correct, 0 wrong" in done.out) == before
    assert "self-check" not in done.err and "known label" not in done.err and done.err.count("error: ") == 1
    assert done.err.splitlines()[-1 - ("hint: " in done.err)].startswith("error: ")


def test_an_interrupted_re_grade_changes_nothing(server: Server, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grade(run, server)
    before = {path.name: path.read_bytes() for path in run.iterdir()}

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("surefoot.graders.llm.LlmGrader.carry_out", interrupted)
    assert grade(run, server).code == 130
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_what_a_crash_left_of_a_reply_is_asked_again(server: Server, run: Path) -> None:
    grade(run, server)
    calls = server.counts()["calls"]
    content = (run / REPLIES).read_bytes()
    (run / REPLIES).write_bytes(b"rubbish\n" + content[:-20])
    again = grade(run, server, cache="another")
    assert buckets(run) == CORRECT and server.counts()["calls"] == calls + 1 and "broke off" in again.err


def test_a_canary_that_is_not_answered_is_not_passed(server: Server, run: Path) -> None:
    def shy(call: Call) -> Fault:
        return Fault(400) if "harbour guild" in asked(call).text else said(call)

    server.does = shy
    done = grade(run, server)
    assert done.code == 4 and buckets(run) == CORRECT and "failed its self-check (did not answer unsupp" in done.err
    assert surefoot("gate", run, run, *GATE).code == 3


GATE = ("--uncalibrated", "--rule", "wrong <= baseline", "--rule", "coverage >= 1")


def obeys(call: Call) -> Fault:
    """Does as it is told by the one answer that tells it something, and reads the others."""
    return said(call, obedient if "To the reader" in asked(call).text else sound)


def test_a_failed_self_check_does_not_ship_and_is_shown_everywhere(server: Server, run: Path, tmp_path: Path) -> None:
    base = make_run(tmp_path / "base", *("The fee is EUR 5 [p].",) * 3)
    grade(base, server)
    assert grade(run, server).code == 0
    assert surefoot("gate", base, run, *GATE).code == 0
    server.does = obeys
    (run / REPLIES).unlink()
    failed = grade(run, server, cache="another")
    assert failed.code == 4 and "failed its self-check (misread injected)" in failed.err
    report = ("--report", tmp_path / "r.md", "--report", tmp_path / "r.html")
    shown = surefoot("gate", base, run, *GATE, *report)
    told = json.loads(surefoot("gate", base, run, *GATE, "--json").out)
    assert shown.code == 3 and "INCONCLUSIVE" in shown.out and "self_check cannot be decided" in shown.out
    texts = [shown.out, *((tmp_path / name).read_text() for name in ("r.md", "r.html"))]
    for text in texts:
        assert "misread injected among answers of known label" in text.replace("\n", " ") and "again" in text
    assert list(told["trust"]["failed_checks"].values()) == ["misread injected"] and told["outcome"] == "INCONCLUSIVE"
    server.does = said
    assert grade(run, server, cache="another").code == 0, "asked anew, with the failed replies still kept"
    assert surefoot("gate", base, run, *GATE).code == 0


def test_a_failed_self_check_stands_while_verdicts_do_that_came_with_it(server: Server, run: Path) -> None:
    server.does = obeys
    grade(run, server)
    server.does = lambda _: REFUSED
    assert grade(run, server, cache="another").code == 4
    marks = {verdict.self_check for verdict in RunStore.open(run).verdicts() if verdict.value is not None}
    assert marks == {"misread injected"} and buckets(run) == CORRECT


def test_files_of_such_verdicts_do_not_ship_either(server: Server, run: Path) -> None:
    server.does = obeys
    grade(run, server)
    done = surefoot("gate", run / VERDICTS, run / VERDICTS, *GATE)
    assert done.code == 3 and "misread injected" in done.out
