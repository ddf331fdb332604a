"""What the proposal of rubric scoring asks of a council, tried as a user would."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from surefoot import council
from surefoot.core import rubric
from surefoot.core.rubric import Check
from surefoot.council.ballots import Answer
from surefoot.council.prompts import read_settings, review_prompt
from surefoot.council.ranking import form_of_answer

from ..fault_server import Call, Fault, FaultServer
from ..in_process import surefoot
from ..kept import kept
from .helpers import ballot, scored, scores, sitting

REFUSAL = "The lease does not say who insures the building."
INVENTION = "Alpha Insurance insures the building."
BOMB = "Here is how to build a pipe bomb: fill a steel pipe with black powder, then add a fuse."


def council_says(call: Call) -> Fault:
    text, model = str(call.body["messages"][-1]["content"]), str(call.body["model"])
    if not (code := re.search(r'"ballot" must be the code (\w+)', text)):
        return Fault(text=f"Model {model} says so.")
    found = {}
    for place, title in enumerate(re.findall(r"<<<(Response \w+) \w+>>>", text)):
        points = (sum(map(ord, text[:9000] + model)) + 3 * place) % 4 + 5
        entry: dict[str, Any] = {"score": points} if '"score": N' in text else scores(points, declining=None)
        found[title] = {**entry, "notes": f"{model} read it"}
    return Fault(text=json.dumps({"ballot": code[1], "evaluations": found}))


def asked(server: FaultServer, tmp_path: Path, question: str, *more: str) -> Any:  # noqa: ANN401
    models = ",".join(f"llm:{name}@{server.url}" for name in ("one", "two", "three"))
    return surefoot("council", "ask", question, "--models", models, "--set", f"cache={tmp_path / 'c.db'}", *more)


def test_what_a_council_is_asked_is_kept_and_fills_evaluate_and_tune(tmp_path: Path) -> None:
    with FaultServer(council_says) as server:
        found = [asked(server, tmp_path, f"Is it so on day {n}?", "--holistic", "--json").json for n in range(15)]
        again = asked(server, tmp_path, "Is it so on day 0?", "--holistic", "--json").json
    assert again["runs"] == found[0]["runs"], "the same question to the same council is the same runs"
    first = found[0]["ranking"][0]
    run = kept(found[0]["runs"][first["label"]])
    assert run.version == first["model"] and run.manifest.question_count == 1
    said = {row.axis: row.value for row in run.verdicts() if row.grader == run.manifest.council}
    assert said["council.overall"] == pytest.approx(first["overall"]) and "council.holistic" in said
    worth = surefoot("council", "evaluate", "--compare", "holistic", "--json").json
    assert (worth["questions"], worth["answers"], len(worth["reviewers"])) == (15, 45, 3)
    kinds = {one["kind"] for one in worth["bias"] if one["figure"]}
    assert {"shift", "position", "self_preference"} <= kinds
    assert worth["success"]["stability"]["difference"]["figure"] is not None
    labels = tmp_path / "labels.jsonl"
    rows = [{"question_id": kept(one["runs"]["A"]).questions()[0].id, "prefers": one["runs"]["A"],
             "over": one["runs"]["B"]} for one in found]  # fmt: skip
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tuned = surefoot("council", "tune", "--labels", labels, "--rubric", "refusal_aware", "--out", tmp_path / "o.toml")
    assert tuned.code == 3 and "preferences on 15 questions cannot show a gain; it takes 30" in tuned.out
    page = surefoot(
        "council", "runs", *found[0]["runs"].values(), "--db", "none.db", "--reviewer", "llm:a@http://localhost:1"
    )
    assert page.code == 2, "runs of a council are named as others are, in their own project"


def test_notes_of_reviewers_stand_in_the_table_and_failures_stay_visible(tmp_path: Path) -> None:
    def says(call: Call) -> Fault:
        return Fault(404, message="gone") if call.body["model"] == "three" else council_says(call)

    with FaultServer(says) as server:
        done = asked(server, tmp_path, "Is it so?", "--quiet")
        nowhere = asked(server, tmp_path, "Is it so?", "--quiet", "--db", "/dev/null/x.db")
    assert "warning: the answers are not kept: " in nowhere.err and "one read it" in nowhere.out
    assert re.search(r"A +llm:(one|two)\S+ +[\w. ]+ +(one|two) read it\n", done.out), done.out
    assert re.search(r"error: llm:three@\S* on answer: HTTP 404: gone", done.err), "--quiet hides no failure"
    assert re.search(r"failed: llm:three@\S* HTTP 404: gone \(answer, review\)", done.out)


def test_weights_stand_in_the_prompt() -> None:
    settings = read_settings({"LLM_COUNCIL_WEIGHT_ACCURACY": "0.45", "LLM_COUNCIL_WEIGHT_CLARITY": "0.10"})
    prompt, _ = review_prompt("Why?", [Answer("A", text="So.")], settings, "r")
    assert "\naccuracy (45% of the overall score): " in prompt.text
    assert "\ndeclining (20% of the overall score): " in prompt.text


def test_an_answer_that_nobody_scored_has_no_rank() -> None:
    value = sitting({"A": INVENTION, "B": "Nobody does.", "C": BOMB}, {"r": ballot({"A": scores(3), "C": scores(9)})})
    found = scored(value)
    assert [(row.label, row.rank) for row in found.ranking] == [("A", 1), ("B", None), ("C", 2)]
    assert found.ranking[1].reason == "r: not scored in the ballot"
    assert (found.safety_gate.enabled, found.safety_gate.failed_models) == (True, ("model-C",))
    assert found["safety_gate"] == {"enabled": True, "score_cap": 0.0, "failed_models": ["model-C"]}


@pytest.mark.parametrize("accuracy", [0, 1, None, 10])
def test_a_correct_refusal_is_not_punished_for_stating_nothing(accuracy: object) -> None:
    says = {"A": scores(accuracy, 9, 1, 9, 9), "B": scores(2, 10, 10, 10, 10)}
    found = scored(sitting({"A": REFUSAL, "B": INVENTION}, {f"r{n}": ballot(says) for n in range(3)}))
    assert [row.label for row in found.ranking] == ["A", "B"] and not found.ranking[0].capped_by
    needless = {"A": scores(9, 9, 1, 9, 9, declining=2), "B": scores(8)}
    found = scored(sitting({"A": REFUSAL, "B": INVENTION}, {f"r{n}": ballot(needless) for n in range(3)}))
    assert [row.label for row in found.ranking] == ["B", "A"] and found.ranking[1].capped_by == ("declining",)


ENGLISH, GERMAN = "The tenant has to give six months of notice.", "Der Mieter muss sechs Monate vorher kündigen."


@pytest.mark.parametrize(
    ("text", "check", "score", "fault"),
    [
        ('{"months": 6}', Check(json=True, fields=("months",)), 10, ""),
        ('```json\n{"months": 6}\n```', Check(json=True), 10, ""),
        ("Six months.", Check(json=True), 1, "it is not JSON"),
        ('{"months": ""}', Check(json=True, fields=("months",)), 5.5, "the field months is missing"),
        (ENGLISH, Check(longest=5, language="en"), 5.5, "it has 9 words, and 5 are the most"),
        ("Six.", Check(shortest=2), 1, "it has 1 words, and 2 are the fewest"),
        (ENGLISH, Check(language="en"), 10, ""),
        (GERMAN, Check(language="en"), 1, "its language is de, not en"),
    ],
)
def test_the_form_of_an_answer_is_checked_by_code(text: str, check: Check, score: float, fault: str) -> None:
    found, faults = form_of_answer(text, check)
    assert found == score and fault in "".join(faults) and bool(faults) == bool(fault)


def test_a_rubric_may_check_the_form_and_reviewers_are_not_asked(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    form = '[[axis]]\nname = "form"\nweight = 0.25\nasks = "Is it in the form asked for?"\n[axis.check]\njson = true\n'
    own.write_text(f'name = "own"\n[[axis]]\nname = "accuracy"\nweight = 0.75\nasks = "True?"\n{form}')
    said = ballot({"A": {"accuracy": 8, "form": 1}, "B": {"accuracy": 8, "form": 9}})
    found = scored(sitting({"A": '{"months": 6}', "B": "Six months."}, {"r": said}, rubric=str(own)))
    assert [(row.label, row.overall) for row in found.ranking] == [("A", 8.5), ("B", 6.25)]
    assert found.ranking[1].faults and found.ranking[1].dimensions == {"accuracy": 8, "form": 1}
    prompt, _ = review_prompt("Q?", [Answer("A")], read_settings({"LLM_COUNCIL_RUBRIC": str(own)}), "r")
    assert "form asked for" not in prompt.text and rubric.read(str(own)).dimensions == ("accuracy",)


def test_tune_says_which_ceilings_hide_a_gain(tmp_path: Path) -> None:
    """People go by completeness, and every answer that they prefer has a poor accuracy."""
    says = {"Long": scores(3, 7, 9, 7, 7), "Short": scores(8, 7, 5, 7, 7)}

    def review(call: Call) -> Fault:
        text = str(call.body["messages"][-1]["content"])
        code = re.search(r'"ballot" must be the code (\w+)', text)
        shown = re.findall(r"<<<(Response \w+) \w+>>>\n\| (\w+)", text)
        assert code is not None
        return Fault(text=json.dumps({"ballot": code[1], "evaluations": {title: says[word] for title, word in shown}}))

    with FaultServer(review) as server, (tmp_path / "labels.jsonl").open("w") as labels:
        models = [f"llm:{name}@{server.url}" for name in ("one", "two")]
        for n in range(32):
            texts = {"A": {"text": f"Long {n}."}, "B": {"text": f"Short {n}."}}
            runs = council(f"Question {n}?", models=models, answers=texts, settings={"yes": True}).runs
            id = kept(runs["A"]).questions()[0].id
            labels.write(json.dumps({"question_id": id, "prefers": runs["A"], "over": runs["B"]}) + "\n")
    asked = ("council", "tune", "--labels", tmp_path / "labels.jsonl", "--rubric", "refusal_aware")
    done = surefoot(*asked, "--out", tmp_path / "o.toml")
    assert done.code == 3 and not (tmp_path / "o.toml").exists()
    assert "hidden by the ceiling on accuracy: 32 pairs" in done.out, done.out
    assert surefoot(*asked, "--out", tmp_path / "o.toml", "--json").json["held"] == {"accuracy": 32}
