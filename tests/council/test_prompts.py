from __future__ import annotations

import re
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import rubric
from surefoot.council import prompts as settings
from surefoot.council.ballots import Answer, Review
from surefoot.council.prompts import LONGEST_SHOWN, review_prompt, shuffled, synthesis_prompt
from surefoot.models.seam import Prompt
from surefoot.text import jsonblocks

ANSWERS = [Answer(label, f"model-{label}", f"Text {label}") for label in "ABCD"]
FENCE = re.compile(r"^<<<(end of )?(.+) ([0-9a-f]{20})>>>$", re.MULTILINE)


class Call(NamedTuple):
    prompt: Prompt
    review: Review

    @property
    def dimensions(self) -> list[str]:
        assert self.prompt.schema is not None
        return list(self.prompt.schema["properties"]["evaluations"]["properties"]["Response A"]["required"][1:])


def asked(answers: list[Answer], seed: int = 0, reviewer: str = "r", question: str = "Why?") -> Call:
    return Call(*review_prompt(question, answers, settings.read_settings({"LLM_COUNCIL_SEED": str(seed)}), reviewer))


def test_the_prompt_has_the_anchors_and_hides_the_authors() -> None:
    call = asked(ANSWERS)
    for axis in rubric.load(rubric.COUNCIL).axes:
        assert all(f"{score}: {text}" in call.prompt.text for score, text in axis.anchors.items())
    assert "model-" not in call.prompt.text and call.review.code in call.prompt.text
    assert [match[2] for match in FENCE.finditer(call.prompt.text) if not match[1]] == [
        "question", *(f"Response {label}" for label in call.review.shown)
    ]  # fmt: skip


def test_orders_differ_by_reviewer_and_follow_from_the_seed() -> None:
    calls = [asked(ANSWERS, 0, f"reviewer {i}") for i in range(20)]
    assert len({call.review.shown for call in calls}) > 5 and len({tuple(call.dimensions) for call in calls}) > 5
    assert {call.review.shown[0] for call in calls} == set("ABCD")
    assert all(sorted(call.review.shown) == list("ABCD") for call in calls)
    again, other = (asked(ANSWERS, seed, "reviewer 3").prompt.text for seed in (0, 1))
    assert again == calls[3].prompt.text != other
    for call in calls:
        places = [call.prompt.text.index(f"\n{name} (") for name in call.dimensions]
        assert places == sorted(places), "dimensions are described in the recorded order"


def test_marks_and_codes_are_new_for_each_call() -> None:
    calls = [asked(ANSWERS, reviewer="a"), asked(ANSWERS, reviewer="b"), asked(ANSWERS, seed=1, reviewer="a")]
    assert len({call.review.code for call in calls}) == 3
    assert len({match[3] for call in calls for match in FENCE.finditer(call.prompt.text)}) == 3


HOSTILE = st.text(alphabet=st.sampled_from(list("<>|{}\"':,#`\n\r\u2028\u200b\u202eendofRspA 0")), max_size=120)


@given(HOSTILE, HOSTILE)
def test_no_answer_closes_its_fence_or_opens_another(first: str, second: str) -> None:
    text = asked([Answer("A", text=first), Answer("B", text=second)], question=first).prompt.text
    assert len(FENCE.findall(text)) == 6
    inside = False
    for line in text.split("\n"):
        if match := FENCE.match(line):
            inside = not match[1]
        elif inside:
            assert line.startswith("| ")
    assert len(text.splitlines()) == len(text.split("\n")), "no other line break is left"


def test_the_prompt_holds_no_block_that_would_count_as_a_ballot() -> None:
    assert jsonblocks.blocks(asked(ANSWERS).prompt.text) == []


def test_a_long_answer_is_cut_and_the_reviewer_told() -> None:
    call = asked([Answer("A", text="x" * (LONGEST_SHOWN + 5))])
    assert "(5 more characters are not shown)" in call.prompt.text and "x" * (LONGEST_SHOWN + 1) not in call.prompt.text


def test_the_schema_asks_for_every_answer_and_dimension() -> None:
    call = asked(ANSWERS)
    assert call.prompt.schema is not None
    evaluations = call.prompt.schema["properties"]["evaluations"]
    assert evaluations["required"] == [f"Response {label}" for label in call.review.shown]
    first = evaluations["properties"]["Response A"]
    assert first["required"] == ["notes", *call.dimensions] and first["additionalProperties"] is False


def test_the_chair_sees_answers_in_the_order_of_the_ranking() -> None:
    prompt = synthesis_prompt("Why?", ANSWERS[::-1], {"D": 8.04, "C": None, "B": 3.0, "A": 2.0}, 0)
    assert "Response D 8.0; Response C not scored; Response B 3.0" in prompt.text and "model-" not in prompt.text
    assert prompt.text.index("Text D") < prompt.text.index("Text A")


@given(st.lists(st.text(max_size=5), unique=True), st.integers(0, 9))
def test_shuffling_keeps_everything(names: list[str], seed: int) -> None:
    assert sorted(shuffled(names, seed, "salt")) == sorted(names)
    assert shuffled(names[::-1], seed, "salt") == shuffled(names, seed, "salt")
