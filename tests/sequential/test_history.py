from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.records import Discordant, Step
from surefoot.sequential.history import Candidacy, Place, newest, place, so_far


def step(base: str, cand: str, release: str = "v2", outcome: str = "INCONCLUSIVE", **more: object) -> Step:
    fields: dict[str, object] = {
        "id": f"{base}{cand}{release}{outcome}{sorted(more.items())}", "at": "2026-01-01", "programme": "default",
        "reference": "v1", "release": release, "base_run": base, "cand_run": cand, "mode": "sequential",
        "counts": {"wrong": Discordant(1, 0, 100)}, "outcome": outcome, "exit_code": 3, **more,
    }  # fmt: skip
    return Step(**fields)  # type: ignore[arg-type]


def at(steps: list[Step], base: str, cand: str, version: str = "v2", **more: object) -> Place:
    fields: dict[str, object] = {"programme": "default", "reference": "v1", "pipeline": "p", **more}
    return place(steps, Candidacy(version=version, base_run=base, cand_run=cand, **fields))  # type: ignore[arg-type]


def test_steps_add_up_and_releases_are_numbered() -> None:
    first = at([], "a1", "b1")
    assert (first.number, first.look, first.adds, first.earlier) == (1, 1, True, ())
    second = at([step("a1", "b1")], "a2", "b2")
    assert (second.number, second.look, [s.base_run for s in second.earlier]) == (1, 2, ["a1"])
    other = at([step("a1", "b1"), step("a2", "b2", "v3")], "a3", "b3", "v4")
    assert (other.number, other.look, other.earlier) == (3, 1, ())
    assert at([step("a1", "b1"), step("a2", "b2", "v3")], "a3", "b3", "v2").number == 1


@pytest.mark.parametrize(
    ("base", "cand", "words"),
    [("a1", "b2", "reference was used before"), ("a2", "b1", "candidate was used before"), ("x", "x", "with itself")],
)
def test_a_run_that_was_used_before_is_no_evidence(base: str, cand: str, words: str) -> None:
    found = at([step("a1", "b1")], base, cand)
    assert not found.adds and words in found.note and found.look == 1 and len(found.earlier) == 1


def test_the_same_two_runs_are_the_same_step_and_its_newest_row_counts() -> None:
    again = at([step("a1", "b1"), step("a2", "b2")], "a1", "b1")
    assert again.adds and again.look == 2 and [s.base_run for s in again.earlier] == ["a2"]
    relabelled = replace(step("a1", "b1"), counts={"unsupported": Discordant(0, 0, 100)}, outcome="SHIP")
    (kept,) = newest([step("a1", "b1"), relabelled])
    assert kept.outcome == "SHIP" and set(kept.counts) == {"wrong", "unsupported"}, "fewer rules forget nothing"


def test_a_strict_decision_on_the_same_runs_takes_no_evidence_away() -> None:
    strict = step("a1", "b1", mode="strict")
    assert [s.base_run for s in at([step("a1", "b1"), strict], "a2", "b2").earlier] == ["a1"]


def test_answers_given_again_are_not_counted_twice() -> None:
    known = step("a1", "b1", base_answers="x", cand_answers="y")
    found = at([known], "a2", "b2", base_answers="x", cand_answers="y")
    assert not found.adds and "answers of an earlier step again" in found.note
    assert at([known], "a2", "b2", base_answers="x", cand_answers="z").adds


def test_another_reference_or_programme_is_another_story() -> None:
    steps = [step("a1", "b1", reference="v0"), step("a2", "b2", programme="other")]
    found = at(steps, "a3", "b3")
    assert (found.number, found.look, found.earlier) == (1, 1, ())
    assert found.left_out == ("v0",) and found.adds
    assert not at(steps, "a3", "b1").adds and not at(steps, "a1", "b3").adds, "their runs are used up"


def test_a_candidate_that_gives_its_answers_again_adds_nothing_unless_it_always_does() -> None:
    known = step("a1", "b1", base_answers="x", cand_answers="y")
    found = at([known], "a2", "b2", base_answers="z", cand_answers="y")
    assert not found.adds and "answers of an earlier run again" in found.note
    assert at([known], "a2", "b2", base_answers="z", cand_answers="y", deterministic=True).adds
    elsewhere = step("a1", "b1", reference="v0", cand_answers="y")
    assert not at([elsewhere], "a2", "b2", cand_answers="y").adds


def test_what_blocked_is_kept_whatever_the_same_runs_are_compared_by_later() -> None:
    blocked = step("a1", "b1", "v2", "BLOCK", blocked_by={"wrong": 32.9})
    later = replace(step("a1", "b1"), at="2026-02-02", counts={"wrong": Discordant(0, 0, 100)})
    (found,) = at([blocked, later], "a2", "b2", reference="v9").blocks
    assert (found.rule, found.blocks_from, found.at, found.again) == ("wrong", 32.9, "2026-01-01", None)
    assert found.others == Discordant(0, 0, 100), "by the newest counts"
    (found,) = at([step("a0", "b0"), blocked], "a1", "b1").blocks
    assert (found.others, found.again) == (Discordant(1, 0, 100), Discordant(1, 0, 100))
    assert at([blocked], "a2", "b2", "v3").blocks == () and not at([blocked], "a2", "b2", "v3").has_begun


def test_without_a_version_everything_since_the_last_ship_is_one_release() -> None:
    first = at([], "a1", "b1", "")
    assert first.release == "p #1" and first.note == ""
    tried = [step("a1", "b1", first.release)]
    second = at(tried, "a2", "b2", "")
    assert second.release == "p #1" and second.look == 2 and "--version" in second.note
    assert at([*tried, step("a2", "b2", "p #1", "SHIP")], "a3", "b3", "").release == "p #1", "shipped by other rules"
    shipped = [*tried, step("a2", "b2", "p #1", "SHIP", closes=True)]
    third = at(shipped, "a3", "b3", "")
    assert (third.release, third.number, third.look) == ("p #2", 2, 1)
    assert at(shipped, "a2", "b2", "").release == "p #1", "compared again, it is the step it was"


def test_what_was_known_at_each_step() -> None:
    steps = [step("a1", "b1"), step("a2", "b2"), step("a2", "b3"), step("a4", "b4", "v3")]
    assert [so_far(steps, one) for one in steps] == [(1, 1, 0), (1, 2, 0), (1, 2, 0), (2, 1, 0)]
    assert so_far(steps, step("a1", "b1", mode="strict"))[0] is None


runs = st.tuples(st.sampled_from(["a1", "a2", "a3"]), st.sampled_from(["b1", "b2", "b3"]))


@given(st.lists(runs, max_size=6), runs)
def test_no_run_is_counted_twice(before: list[tuple[str, str]], now: tuple[str, str]) -> None:
    found = at([step(*pair) for pair in before], *now)
    used = [run for one in found.earlier for run in (one.base_run, one.cand_run)] + list(now) * found.adds
    assert len(used) == len(set(used)) and found.look == max(1, len(used) // 2)
