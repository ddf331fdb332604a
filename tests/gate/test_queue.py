from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from surefoot.gate.next_steps import FLAGGED, Place, next_for, queue

VERDICTS = st.dictionaries(
    st.text("abcdef0123456789", min_size=4, max_size=12),
    st.sampled_from(["correct", "refused", "wrong", "unsupported", None]),
    max_size=80,
)


def run_of(**counts: int) -> dict[str, str | None]:
    return {
        f"{verdict}-{number}": None if verdict == "ungraded" else verdict
        for verdict, count in counts.items()
        for number in range(count)
    }


@given(VERDICTS, st.integers(1, 100), st.floats(0, 1), st.text("xyz", max_size=3), st.booleans())
def test_every_answer_has_one_place_whatever_the_run(
    verdicts: dict[str, str | None], target: int, overlap: float, seed: str, graded: bool
) -> None:
    places = queue(verdicts, target=target, overlap=overlap, seed=seed, graded=graded)
    assert sorted(place.version for place in places) == sorted(verdicts)
    backwards = dict(reversed(verdicts.items()))
    assert queue(backwards, target=target, overlap=overlap, seed=seed, graded=graded) == places
    assert abs(sum(place.shared for place in places) - overlap * len(places)) <= 1


def test_the_gate_comes_first_then_half_the_target_flagged_then_a_sample() -> None:
    verdicts = run_of(correct=60, refused=30, wrong=15, unsupported=15, ungraded=5)
    places = queue(verdicts, {"correct-3": "gate", "wrong-1": "gate"}, target=20, seed="s")
    assert {place.version for place in places[:2]} == {"correct-3", "wrong-1"}
    assert [place.drawn for place in places[:12]] == ["gate"] * 2 + ["flagged"] * 10
    assert [place.drawn for place in places[12:]] == ["sample"] * 89 + ["flagged"] * 24
    assert all((verdicts[place.version] in FLAGGED) == (place.drawn == "flagged") for place in places[2:])


def test_few_flagged_answers_all_come_before_the_sample() -> None:
    places = queue(run_of(correct=40, wrong=3), target=20)
    assert [place.drawn for place in places[:4]] == ["flagged"] * 3 + ["sample"]


def test_a_run_without_verdicts_is_one_random_sample() -> None:
    places = queue(dict.fromkeys(map(str, range(40))), graded=False, seed="s")
    assert {place.drawn for place in places} == {"sample"}
    assert [place.version for place in places] != sorted(place.version for place in places)


def test_a_rare_verdict_is_not_left_out_of_the_sample() -> None:
    places = queue(run_of(correct=900, refused=9), target=50)
    first = Counter(place.version.partition("-")[0] for place in places[:25])
    assert first["refused"] >= 2 and first["correct"] >= 20


def test_each_answer_is_equally_likely_to_be_early() -> None:
    verdicts = run_of(correct=20)
    first = Counter(queue(verdicts, seed=str(seed))[0].version for seed in range(2_000))
    assert set(first) == set(verdicts) and max(first.values()) < 160


def test_answers_that_come_later_leave_the_order_of_the_others_alone() -> None:
    before = [place.version for place in queue(run_of(correct=20), seed="s")]
    after = [place.version for place in queue(run_of(correct=30), seed="s")]
    assert [version for version in after if version in before] == before


def places(*versions: str, shared: str = "") -> list[Place]:
    return [Place(version, "sample", version in shared) for version in versions]


def test_what_others_have_is_left_to_them_unless_it_is_shared() -> None:
    line = places("a", "b", "c", shared="b")
    assert next_for(line, {"a"}, {"b", "c"}) == line[1]
    assert next_for(line, {"a", "b"}, {"c"}) is None
    assert next_for(line, set(), {"a"}) == line[1]


def test_what_was_skipped_comes_again_when_nothing_else_is_left_the_first_first() -> None:
    line = places("a", "b", "c")
    assert next_for(line, set(), set(), ["b", "a"]) == line[2]
    assert next_for(line, {"c"}, set(), ["b", "a"]) == line[1]
    assert next_for(line, {"c", "b"}, set(), ["b", "a"]) == line[0]
