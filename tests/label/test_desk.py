"""The desk with a real project, without a browser."""

from __future__ import annotations

import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import CANNOT_TELL, SKIPPED, Label, current, passed_over
from surefoot.core.types import Trace
from surefoot.label.desk import Desk, Sample, Sent
from surefoot.web.pages import BadForm
from tests.growth import grows_evenly
from tests.in_process import surefoot

from ..kept import kept
from .page import REFUSAL, Sit, make_run, next_of, sent, trace, wait_for


def drawn(desk: Desk) -> list[str]:
    return [row.drawn for row in desk.project.labels()]


def by_address(desk: Desk, person: str) -> int:
    """An answer that does not come next."""
    return next(number for number in range(1, 40) if number != next_of(desk, person))


def test_what_is_sent_twice_is_one_label_and_what_is_said_twice_no_new_row(sit: Sit) -> None:
    desk = sit()
    first = next_of(desk, "Ana")
    for name in ("a", "a", "b"):
        desk.save("Ana", sent(desk, first, name, factuality="wrong"))
    desk.save("Ana", sent(desk, first, "c", factuality="wrong", note="a note"))
    assert [(row.value, row.note) for row in desk.project.labels()] == [("wrong", ""), ("wrong", "a note")]
    assert desk.progress("Ana").mine == desk.progress("Ben").together == 1


def test_a_label_says_who_what_when_and_on_which_version(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, factuality="correct", citation_exists="yes"))
    row = desk.project.labels()[0]
    sheet = desk.queue.sheets[number - 1]
    assert (row.annotator, row.question_id, row.attempt, row.version) == ("Ana", *sheet.key, sheet.version)
    assert row.rubric_sha256 == REFUSAL.sha256 and row.run == desk.queue.run and row.drawn == "flagged"
    assert row.at.endswith("+00:00")


def test_what_was_said_to_be_picked_stays_so_when_it_is_changed_here(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    [row] = desk.project.labels()
    desk.project.add_new_labels((), lambda _: [replace(row, id="later", at=f"{row.at}~", drawn="chosen")])
    desk.save("Ana", sent(desk, number, "b", factuality="correct"))
    assert [row.drawn for row in desk.project.labels()] == ["flagged", "chosen", "chosen"]


def test_a_blank_takes_back_what_was_said_before(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="refused", refusal_quality="2"))
    desk.save("Ana", sent(desk, number, "b", factuality="correct"))
    assert {row.axis: row.value for row in current(desk.project.labels())} == {"factuality": "correct"}
    desk.undo("Ana", "b" * 32)
    desk.undo("Ana", "b" * 32)  # pressed twice
    assert {row.axis: row.value for row in current(desk.project.labels())} == {
        "factuality": "refused",
        "refusal_quality": 2,
    }
    desk.undo("Ana", "a" * 32)
    assert current(desk.project.labels()) == [] and len(desk.project.labels()) == 8
    with pytest.raises(BadForm, match="nothing to take back"):
        desk.undo("Ana", "c" * 32)


def test_an_undo_of_something_older_than_the_last_is_refused(sit: Sit) -> None:
    desk = sit()
    for name in "ab":
        desk.save("Ana", sent(desk, next_of(desk, "Ana"), name, factuality="wrong"))
    with pytest.raises(BadForm, match="another tab"):
        desk.undo("Ana", "a" * 32)
    with pytest.raises(BadForm, match="nothing to take back"):
        desk.undo("Ben", "b" * 32)


def test_a_server_that_starts_again_goes_on_where_it_was(sit: Sit) -> None:
    desk = sit()
    for name in "abcd":
        last = next_of(desk, "Ana")
        desk.save("Ana", sent(desk, last, name, factuality="wrong"))
    again = sit()
    assert next_of(again, "Ana") == next_of(desk, "Ana")
    assert again.page(next_of(again, "Ana"), "Ana").undo == "d" * 32  # type: ignore[union-attr]
    again.save("Ana", sent(again, last, "d", factuality="wrong"))  # sent once more after the restart
    assert len(again.project.labels()) == 4
    with pytest.raises(UsageError, match="another row"):  # no page does that, and it is not passed over
        again.save("Ana", sent(again, next_of(again, "Ana"), "d", factuality="wrong"))


def test_a_label_that_came_from_elsewhere_is_what_an_undo_goes_back_to(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    version = desk.queue.sheets[number - 1].version
    row = Label(
        id="import-1",
        at="2025-01-01",
        annotator="Ana",
        question_id="q",
        axis="factuality",
        value="correct",
        version=version,
    )
    desk.project.add_new_labels((), lambda _: [row])
    desk.labels.refresh_if_old()  # it was read just now
    assert desk.progress("Ana").mine == 0
    desk.labels.refresh()
    assert desk.progress("Ana").mine == 1
    desk.save("Ana", sent(desk, number, factuality="wrong"))
    desk.undo("Ana", "a" * 32)
    assert [row.value for row in current(desk.project.labels())] == ["correct"]


def test_everybody_has_a_queue_and_what_is_open_is_left_alone(sit: Sit) -> None:
    desk = sit(overlap=0.0)
    first, second = next_of(desk, "Ana"), next_of(desk, "Ben")
    assert first != second and next_of(desk, "Ana") == first
    desk.save("Ana", sent(desk, first, factuality="wrong"))
    assert next_of(desk, "Ben") == second and next_of(desk, "Ana") not in (first, second)
    shared = sit(overlap=1.0)
    assert next_of(shared, "Cid") == next_of(shared, "Dan") == first


def test_all_answers_get_labelled_once_and_the_shared_ones_by_everybody(sit: Sit) -> None:
    desk = sit(overlap=0.25)
    people = ("Ana", "Ben", "Cid")
    numbers = iter(range(1_000))
    while any(desk.next_number(person) for person in people):
        for person in people:
            if number := desk.next_number(person):
                unique = format(next(numbers), "032x")
                desk.save(person, Sent(number, desk.queue.sheets[number - 1].version, unique, {"factuality": "wrong"}))
    counts = sorted(
        len({row.annotator for row in desk.project.labels(keys=[place.version])}) for place in desk.queue.places
    )
    assert counts == [1] * 30 + [3] * 10
    assert desk.onwards("Ana") == "/done"


def test_many_people_at_the_very_same_time_lose_nothing(sit: Sit) -> None:
    desk = sit(make_run("many", [trace(number) for number in range(120)]), overlap=0.1)

    def work(person: str) -> None:
        while number := desk.next_number(person):
            page = desk.page(number, person)
            assert page is not None
            unique = format(hash((person, number)) % 16**32, "032x")
            for _ in range(2):
                desk.save(person, Sent(number, page.sheet.version, unique, {"factuality": "wrong"}))

    people = [f"person {number}" for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, people))
    rows = desk.project.labels()
    assert len(rows) == len({(row.annotator, row.version) for row in rows})
    by_version = Counter(row.version for row in rows)
    alone = {place.version for place in desk.queue.places if not place.shared}
    assert all(by_version[version] <= 1 for version in alone) and alone <= by_version.keys()


def test_the_page_of_done_comes_when_the_target_is_reached(sit: Sit) -> None:
    desk = sit(target=2)
    went = [desk.save("Ana", sent(desk, next_of(desk, "Ana"), name, factuality="wrong")) for name in "abc"]
    assert went[0].startswith("/answers/") and went[1] == "/done" and went[2].startswith("/answers/")


def test_an_answer_somebody_went_to_by_its_address_was_chosen(sit: Sit) -> None:
    desk = sit()
    other = next(n for n in range(1, 40) if n != next_of(desk, "Ana"))
    desk.save("Ana", sent(desk, other, factuality="wrong"))
    assert desk.project.labels()[0].drawn == "chosen"


def test_a_page_of_another_run_is_not_taken_for_this_one(sit: Sit) -> None:
    desk = sit()
    for bad in (Sent(1, "0" * 64, "a" * 32, {"factuality": "wrong"}), Sent(2, desk.queue.sheets[0].version, "a" * 32)):
        with pytest.raises(BadForm, match="not in the run any more"):
            desk.save("Ana", bad)
    assert desk.page(0, "Ana") is None and desk.page(41, "Ana") is None


def test_what_the_gate_waits_for_comes_first_of_both_runs(sit: Sit, mill: str, tmp_path: Path) -> None:
    base = make_run("base", [trace(number, f"Door {number} is pink.") for number in range(4)])
    needed = [
        {"question_id": "q5", "attempt": 1, "side": "cand", "run": mill},
        {"question_id": "q2", "attempt": 1, "side": "base", "run": base},
        {"question_id": "gone", "attempt": 1, "side": "cand", "run": mill},
    ]
    wait_for(mill, needed)
    desk = sit(only_gate=True)
    assert desk.target == 2 and "of the 3 answers that the gate waits for, 1 cannot be found" in " ".join(
        desk.queue.notes
    )
    for name in "ab":
        went = desk.save("Ana", sent(desk, next_of(desk, "Ana"), name, factuality="wrong"))
    assert went == "/done" and {row.drawn for row in desk.project.labels()} == {"gate"}
    answers = {
        sheet.item.trace.answer
        for sheet in desk.queue.sheets
        if sheet.version in {r.version for r in desk.project.labels()}
    }
    assert answers == {trace(5).answer, "Door 2 is pink."}
    assert [place.drawn for place in sit().queue.places[:3]] == ["gate", "gate", "flagged"]


def test_what_the_gate_asked_for_is_no_sample(sit: Sit, mill: str) -> None:
    assert sit().sample is None
    first = sit()
    drawn = next_of(first, "Ana")
    first.save("Ana", sent(first, drawn, "a", factuality="wrong"))
    others = [key[0] for sheet in first.queue.sheets if (key := sheet.key) != first.queue.sheets[drawn - 1].key]
    needed = [
        {"question_id": id, "attempt": 1, "side": "cand", "run": ""}
        for id in [first.queue.sheets[drawn - 1].key[0], *others[:-3]]
    ]
    wait_for(mill, needed)
    desk = sit(only_gate=True)
    assert desk.sample == Sample(1, 4)  # it was drawn before the gate asked for it; three others are left to draw
    desk.save("Ana", sent(desk, next_of(desk, "Ana"), "b", factuality="wrong"))
    assert desk.sample == Sample(1, 4) and desk.is_for_the_gate
    assert sit(target=2).sample == Sample(1, 2) and not sit().is_for_the_gate
    wait_for(mill, [{**one, "drawn": "sample"} for one in needed])
    assert sit(only_gate=True).sample is None


def test_without_a_decision_the_gate_waits_for_nothing(sit: Sit) -> None:
    with pytest.raises(Incomplete, match="the gate waits for no label"):
        sit(only_gate=True)


def test_answers_that_cannot_be_labelled_or_are_the_same_are_counted(sit: Sit, tmp_path: Path) -> None:
    answers = [trace(0), Trace("q1", error="timeout"), trace(2, " \n"), trace(3)]
    run = make_run("run", answers, verdicts=False)
    kept(run).amend(repeats=2)
    kept(run).keep([Trace("q0", answer=trace(0).answer, retrieved=trace(0).retrieved, attempt=2)])
    desk = sit(run)
    assert len(desk.queue.sheets) == 2
    assert desk.queue.notes == (
        "run is not graded, so its answers come in random order",
        "missing, failed or empty, so left out: 5 answers",
        "the same as another, so not asked for again: 1 answer",
    )


def test_a_run_without_answers_says_so(sit: Sit, tmp_path: Path) -> None:
    with pytest.raises(Incomplete, match="has no answer to label"):
        sit(make_run("run", []))


def test_a_page_takes_no_longer_where_there_are_four_times_as_many_answers(sit: Sit, tmp_path: Path) -> None:
    desks = {size: sit(make_run(str(size), [trace(number) for number in range(size)])) for size in (800, 3_200)}
    names = itertools.count()

    def label_ten(size: int) -> None:
        desk = desks[size]
        for _ in range(10):
            number = next_of(desk, "Ana")
            page = desk.page(number, "Ana")
            assert page is not None
            sending = Sent(number, page.sheet.version, format(next(names), "032x"), {"factuality": "wrong"})
            desk.save("Ana", sending)

    assert grows_evenly(label_ten, 800, at_most=2)


def test_what_is_skipped_is_a_row_and_comes_again_at_the_end_also_after_a_restart(sit: Sit) -> None:
    desk = sit(overlap=0.0)
    first = next_of(desk, "Ana")
    assert desk.skip("Ana", first) != f"/answers/{first}"
    [row] = desk.project.labels()
    assert (row.value, row.note, row.axis, row.drawn) == (None, SKIPPED, "factuality", "flagged")
    again = sit(overlap=0.0)
    seen = [next_of(again, "Ana")]
    while first not in seen:
        again.save("Ana", replace(sent(again, seen[-1], factuality="wrong"), id=f"{len(seen):032x}"))
        seen.append(next_of(again, "Ana"))
    assert len(seen) == len(again.queue.places), "it came last"
    again.save("Ana", sent(again, first, "f", factuality="wrong"))
    assert passed_over(again.project.labels()) == []


def test_who_cannot_tell_is_not_asked_again_and_others_are(sit: Sit) -> None:
    desk = sit(overlap=0.0)
    first = next_of(desk, "Ana")
    for _ in range(2):
        desk.save("Ana", sent(desk, first, note="the page is cut off", factuality=CANNOT_TELL))
    assert [row.note for row in passed_over(desk.project.labels())] == [f"{CANNOT_TELL}: the page is cut off"]
    assert len(desk.project.labels()) == 1 and desk.progress("Ana").cannot_tell == 1
    page = desk.page(first, "Ana")
    assert page is not None and (page.values, page.note) == ({"factuality": CANNOT_TELL}, "the page is cut off")
    asked = set()
    while (number := desk.next_number("Ana")) is not None:
        asked.add(number)
        desk.save("Ana", replace(sent(desk, number, factuality="wrong"), id=f"{len(asked):032x}"))
    assert first not in asked and desk.next_number("Ben") == first


def test_skipping_leaves_a_label_alone_and_cannot_tell_takes_it_back(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, factuality="correct", citation_exists="yes"))
    desk.skip("Ana", number)
    assert len(current(desk.project.labels())) == 2 and not passed_over(desk.project.labels())
    desk.save("Ana", sent(desk, number, "b", factuality=CANNOT_TELL, citation_exists="yes"))
    desk.skip("Ana", number)
    assert not current(desk.project.labels())
    assert [row.note for row in passed_over(desk.project.labels())] == [CANNOT_TELL]
    assert desk.undo("Ana", desk.last_sent("Ana")) == f"/answers/{number}"
    assert {row.axis: row.value for row in current(desk.project.labels())} == {
        "factuality": "correct",
        "citation_exists": "yes",
    }


def test_calibrate_counts_what_the_page_kept(sit: Sit, mill: str) -> None:
    desk = sit(overlap=0.0)
    desk.skip("Ana", next_of(desk, "Ana"))
    unsure = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, unsure, factuality=CANNOT_TELL))
    for number in range(3):
        desk.save("Ana", replace(sent(desk, next_of(desk, "Ana"), factuality="wrong"), id=f"{number:032x}"))
    found = surefoot("calibrate", mill, "--json").json
    assert (found["skipped"], found["cannot_tell"], found["labels"]) == (1, 1, 3)
    assert any("not labelled: 1 skipped, 1 nobody could tell" in note for note in found["notes"])
    desk.save("Ben", sent(desk, unsure, "b", factuality="wrong"))
    found = surefoot("calibrate", mill, "--json").json
    assert (found["cannot_tell"], found["labels"]) == (0, 4), "somebody else could tell"


def test_what_an_ai_labelled_is_still_put_before_people(sit: Sit) -> None:
    desk = sit(overlap=0.0)
    for number in range(5):
        desk.save("ai/one", replace(sent(desk, next_of(desk, "ai/one"), factuality="wrong"), id=f"{number:032x}"))
    done = desk.progress("Ana")
    assert (done.together, done.by_ai_alone) == (0, 5) and desk.progress("ai/two").together == 5
    first = next_of(desk, "Ana")
    assert first == next_of(sit(overlap=0.0), "Ana") != next_of(desk, "ai/two")
    desk.save("Ana", sent(desk, first, "f", factuality="wrong"))
    done = desk.progress("Ana")
    assert (done.mine, done.together, done.by_ai_alone) == (1, 1, 4)


def test_what_was_chosen_stays_chosen_when_it_is_changed_noted_or_taken_back(sit: Sit) -> None:
    desk = sit()
    number = by_address(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    desk.save("Ana", sent(desk, number, "b", factuality="correct"))
    again = sit()
    again.save("Ana", sent(again, number, "c", note="a typo", factuality="correct"))
    again.undo("Ana", "c" * 32)
    assert drawn(desk) == ["chosen"] * 4


def test_what_was_drawn_stays_drawn_when_it_is_changed(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    sit().save("Ana", sent(desk, number, "b", factuality="correct", citation_exists="yes"))
    assert drawn(desk) == ["flagged"] * 3


def test_an_answer_is_drawn_for_one_person_and_chosen_by_another(sit: Sit) -> None:
    desk = sit(overlap=0.0)
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    desk.save("Ben", sent(desk, number, "b", factuality="wrong"))
    assert drawn(desk) == ["flagged", "chosen"]


@pytest.mark.parametrize("person", ["Ana", "Ben"])
def test_a_browser_can_prove_its_offers_after_a_restart(sit: Sit, person: str) -> None:
    desk = sit(overlap=0.0)
    numbers = {name: next_of(desk, name) for name in ("Ana", "Ben")}
    page = desk.page(numbers["Ben"], "Ben")
    assert page is not None and page.proof
    assert desk.page(numbers["Ben"], "Ana").proof == ""  # type: ignore[union-attr]
    again = sit(overlap=0.0)  # Ben's is not the next one there: Ana has not been seen yet
    assert again.page(numbers["Ben"], "Ben").proof == ""  # type: ignore[union-attr]
    assert again.page(numbers["Ben"], "Ben", [page.proof]).proof == page.proof  # type: ignore[union-attr]  # a reload
    again.save(person, sent(again, numbers["Ben"], factuality="wrong"), [page.proof])
    assert drawn(again) == ["flagged" if person == "Ben" else "chosen"]  # a proof is of use to nobody else
