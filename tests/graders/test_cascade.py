"""A cascade: one grader decides what it is sure of, a model the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.result import Person
from surefoot.graders.judges import Judgement, Pair, moved
from surefoot.graders.llm import ModelGrader
from surefoot.graders.rules import Rules
from surefoot.models.seam import Prompt, Reply

from ..attacks.judges import Fake, Seen, sound
from ..conftest import Write
from ..fault_server import Call, Fault, FaultServer, Script
from ..kept import kept
from .test_llm import FEE, RIGHT, item, reading
from .test_llm_cli import ITEMS, Done, asked, breaks_on_nine, by_model, reads, run_with

KNOWN = item("The fee for routing is EUR 4,250 [a#2].", "What is the fee?")
OPEN = item(RIGHT)
REFUSED = item("I could not find it.")


class Sure:
    """Knows the fee, and takes all else to be supported without being sure."""

    name = "sure@1"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Judgement:
        if "fee" not in pair.claim:
            return Judgement("supported", 0.6, probabilities=(0.6, 0.3, 0.1))
        likely = pair.passage == FEE
        return Judgement("supported" if likely else "not_enough", 0.95)

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return [None] * len(asked)


class Told(Person):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def tell(self, line: str) -> None:
        self.lines.append(line)


def cascade(model: Fake, sure_from: float = 0.8) -> tuple[ModelGrader, Told]:
    told = Told()
    return ModelGrader(model, Sure(), told, sure_from=sure_from), told


def asked_of(model: Fake) -> list[dict[int, str]]:
    return [Seen(prompt).claims for prompt in model.prompts if "Skarnholm" not in prompt.text]


def test_the_model_reads_the_answers_that_the_first_grader_is_not_sure_of() -> None:
    model = Fake(sound)
    grader, told = cascade(model)
    found = grader.read([KNOWN, OPEN, REFUSED])
    assert [one.bucket for one in found] == ["correct", "correct", "refused"]
    assert asked_of(model) == [{1: "Invoices are payable within 40 days."}]
    assert [one.verdicts[0].via for one in found] == ["sure@1", "fake@localhost", "sure@1"]
    assert {row.grader for one in found for row in one.verdicts} == {grader.name}
    assert grader.name.startswith("sure@1<0.8+llm:fake@localhost+")
    assert told.lines[0] == "sure@1 is sure of 2 of 3 answers; the model reads 1 (33%)."
    assert "sure@1 decided 67% of the answers, which cost nothing" in told.lines


@pytest.mark.parametrize(
    ("sure_from", "read"), [(0.0, 0), (0.5, 0), (0.59, 0), (0.61, 1), (0.94, 1), (0.96, 2), (1, 2)]
)
def test_how_sure_is_how_far_the_odds_must_move_to_change_the_verdict(sure_from: float, read: int) -> None:
    model = Fake(sound)
    cascade(model, sure_from)[0].read([KNOWN, OPEN, REFUSED])
    assert len(asked_of(model)) == read


def test_what_the_first_grader_decides_alone_costs_nothing() -> None:
    model = Fake(sound)
    grader, told = cascade(model)
    grader.read([KNOWN])
    assert not model.prompts and told.lines[0] == "sure@1 is sure of 1 of 1 answer; no model is asked."


@pytest.mark.parametrize("says", [reading("cannot_tell"), lambda _: Reply(error="gone")])
def test_where_the_model_says_nothing_the_first_verdict_stands_with_a_note(says: Callable[[Prompt], Any]) -> None:
    grader, told = cascade(Fake(lambda prompt: sound(prompt) if "Skarnholm" in prompt.text else says(prompt)))
    (found,) = grader.read([OPEN])
    assert found.bucket == "correct" and found.verdicts[0].via == "sure@1" and not found.verdicts[0].self_check
    assert found.findings.detail.startswith("the model left it open (") and "stands" in found.findings.detail
    assert "note: left open by the model, so the first verdict stands: q" in told.lines


def test_what_the_first_grader_cannot_read_goes_to_the_model() -> None:
    class Blind(Sure):
        def _one(self, pair: Pair) -> Judgement:
            return Judgement(None, reason="not English")

    grader = ModelGrader(Fake(sound), Blind(), Told())
    assert [one.bucket for one in grader.read([OPEN, item("")])] == ["correct", None]


def test_without_a_server_the_verdicts_say_that_the_model_failed_its_self_check() -> None:
    grader, _ = cascade(Fake(lambda _: Reply(error="gone")))
    known, unread = grader.read([KNOWN, OPEN])
    assert unread.bucket == "correct" and "did not answer" in unread.verdicts[0].self_check
    assert not known.verdicts[0].self_check and grader.in_vain


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(reads) as running:
        yield running


def test_the_command_and_a_repeat_that_costs_nothing(server: FaultServer, tmp_path: Path, write: Write) -> None:
    items = write("items.jsonl", ITEMS)
    sure = Done("--items", items, *by_model(server, tmp_path, "rules,llm:m@{}"), "--set", "sure_from=0")
    assert sure.code == 0 and server.counts()["calls"] == 0 and sure.rows["right"]["via"] == Rules.name
    for _ in range(2):
        done = Done("--items", items, *by_model(server, tmp_path, "rules,llm:m@{}"), "--set", "sure_from=1")
        assert done.buckets == {"right": "correct", "wrong": "wrong", "refused": "refused"}
        assert server.counts()["calls"] == 7 and "reads 2 (67%)." in done.err


def test_a_run_keeps_who_decided(server: FaultServer, tmp_path: Path) -> None:
    run = run_with("The fee is EUR 9 [p].")
    done = Done(run, *by_model(server, tmp_path, "rules,llm:m@{}"), "--set", "sure_from=0.99")
    (said,) = [row for row in kept(run).verdicts() if row.axis == "factuality"]
    assert done.code == 0 and said.value == "wrong" and said.via.startswith("llm:m@http")
    assert said.grader.startswith(f"{Rules.name}<0.99+llm:m@") and kept(run).manifest.grader == said.grader


def refuses_nine(call: Call) -> Fault:
    return Fault(400, message="content filter") if "EUR 9" in asked(call).text else reads(call)


@pytest.mark.parametrize("fault", [breaks_on_nine, refuses_nine])
def test_a_reply_that_fails_leaves_the_first_verdict(fault: Script, tmp_path: Path, write: Write) -> None:
    with FaultServer(fault) as server:
        arguments = by_model(server, tmp_path, "rules,llm:m@{}")
        done = Done("--items", write("items.jsonl", ITEMS), *arguments, "--set", "sure_from=1")
    assert done.buckets["wrong"] == "wrong" and done.rows["wrong"]["via"] == Rules.name
    assert "the first verdict stands: wrong" in done.err and done.rows["right"]["via"].startswith("llm:m@")
    assert "the model left it open" in done.rows["wrong"]["detail"]


def test_money_that_does_not_suffice_leaves_the_first_verdicts(
    server: FaultServer, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("surefoot.toml").write_text('[prices]\n"m" = { in = 1000, out = 1000 }\n')
    arguments = [*by_model(server, tmp_path, "rules,llm:m@{}"), "--set", "sure_from=1"]
    done = Done("--items", write("items.jsonl", ITEMS), *arguments, "--set", "max_cost=0.01")
    assert done.code == 4 and server.counts()["calls"] == 0 and None not in done.buckets.values()
    assert "at most $" in done.err and done.rows["right"]["via"] == Rules.name


def likely(supported: float, against: float) -> Judgement:
    three = (supported, (1 - supported) * against, (1 - supported) * (1 - against))
    label = "supported" if supported >= 0.5 else "contradicted" if against >= 0.5 else "not_enough"
    return Judgement(label, max(three), probabilities=three)  # type: ignore[arg-type]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-9, 9))
def test_moving_the_odds_moves_support_alone(supported: float, against: float, shift: float) -> None:
    before = likely(supported, against)
    after = moved(before, shift)
    assert after.probabilities is not None and sum(after.probabilities) == pytest.approx(1)
    assert (after.probabilities[0] >= 0.5) == (after.label == "supported") or not shift
    if shift > 0 and before.label == "supported":
        assert after.label == "supported"
    if shift < 0 and before.label != "supported":
        assert after.label == before.label


def test_a_judge_without_probabilities_is_taken_at_its_confidence() -> None:
    assert moved(Judgement("supported", 0.7), -1).label == "not_enough"
    assert moved(Judgement("contradicted", 0.7), -1).label == "contradicted"
    assert moved(Judgement("contradicted", 0.7), 1).label == "supported"
    assert moved(Judgement("not_enough", 0.9), 1) == Judgement("not_enough", pytest.approx(0.768, abs=0.01))  # type: ignore[arg-type]
    assert moved(Judgement(None, reason="no"), 1) == Judgement(None, reason="no")


def test_nothing_is_read_where_there_is_nothing() -> None:
    assert cascade(Fake(sound))[0].read([]) == []
