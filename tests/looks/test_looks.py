"""What is saved, taken back and settled, by whomever and however often; sent as pages send it."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

import surefoot
from surefoot.core.records import agreed, current
from tests.kept import add_labels

from .page import Server, Somebody, make_run, make_versions, rows, serving, trace
from .test_list import keys_of, label


def values() -> list[tuple[str | int | float | None, str]]:
    return [(row.value, row.drawn) for row in rows()]


def test_a_pair_is_saved_and_the_next_one_comes() -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        assert (
            len(ana.keys) == 2 and ana.labels == ["", ""] and "0 of 4 looked at; 4 to go, about 2 minutes" in ana.text
        )
        first = ana.at
        ana.say("correct", "refused")
        assert ana.at != first and "1 of 4 looked at" in ana.text
        assert "You said correct and refused; the grader said correct and correct." in ana.text
        assert "You said" not in ana.go().text, "once"
    assert sorted(values()) == [("correct", "look"), ("refused", "look")]
    assert {row.annotator for row in rows()} == {"Ana"} and {row.run for row in rows()} == {"v1-0", "v2-0"}


def test_a_server_that_is_started_again_goes_on_where_it_was() -> None:
    names = make_versions()
    server = Server(*names, "--annotator", "Ana")
    ana = Somebody(server).go().say("correct", "correct")
    here, sent = ana.at, ana.sent("unsupported", "correct")
    server.kill()
    with serving(*names, "--annotator", "Ana", "--port", str(server.port)) as again:
        ana = Somebody(again)
        assert json.loads(ana.post("/save", sent).text) == {"next": "/"}
        assert ana.go().at != here and "2 of 4 looked at" in ana.text
    assert len(rows()) == 4


def test_what_is_sent_twice_is_one_label_unless_it_was_taken_back() -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        sent = ana.sent("correct", "correct")
        for _ in range(3):
            assert ana.post("/save", sent).code == 200
        assert len(rows()) == 2
        here = ana.at
        assert ana.go().undo().at == here and ana.labels == ["", ""]
        assert ana.post("/undo", {"id": sent["id"]}).code == 200, "once more changes nothing"
        assert len(rows()) == 4
        assert ana.post("/save", sent).code == 200
        assert len(current(rows())) == 2 and len(rows()) == 6


def test_many_tabs_at_once_make_one_label() -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        sent = Somebody(server).go().sent("correct", "correct")
        tabs = [threading.Thread(target=Somebody(server).post, args=("/save", sent)) for _ in range(8)]
        for tab in tabs:
            tab.start()
        for tab in tabs:
            tab.join()
    assert len(rows()) == 2


def test_what_was_called_bad_is_seen_again_and_counts_when_it_is_called_so_twice() -> None:
    with serving(*make_versions(10, 8), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        bad = ana.keys[0]
        ana.say("wrong", "correct")
        for looks in range(5):
            assert not ana.is_second_look(), looks
            ana.say("correct", "correct")
        assert ana.is_second_look() and ana.keys == [bad] and ana.labels == [""], "blind, after five others"
        assert ana.at == f"/{bad[:16]}" and "second" not in ana.text
        word = agreed(row for row in rows() if row.version == bad)
        assert word and (word.value, word.pending) == (None, "wrong")
        ana.say("wrong")
        word = agreed(row for row in rows() if row.version == bad)
        assert word and word.value == "wrong" and not ana.is_second_look()
        assert ana.undo().keys == [bad] and ana.is_second_look()
        assert rows()[-1].value is None and rows()[-1].drawn == "again"
        word = agreed(row for row in rows() if row.version == bad)
        assert word and word.pending == "wrong"
        ana.say("correct")  # another word, so that a third look decides
        while not ana.is_second_look():
            ana.say("correct", "correct")
        ana.say("correct")
        word = agreed(row for row in rows() if row.version == bad)
        assert word and word.value == "correct"
    assert [row.drawn for row in rows() if row.version == bad] == ["look"] + ["again"] * 4


def test_a_second_look_comes_at_the_end_at_the_latest_and_anybody_may_take_it() -> None:
    with serving(*make_versions(4, 1)) as server:
        ana, ben = Somebody(server, "Ana").go(), Somebody(server, "Ben").go()
        assert ben.at == "/done" and "Nothing is left for you" in ben.text, "Ana has it open"
        bad = ana.keys[0]
        assert ana.say("unsupported", "correct").is_second_look()
        assert ben.go().at == "/done"
        assert ana.undo().go("/done").at == "/done"
    with serving("v1", "v2", "--annotator", "Ana") as server:
        Somebody(server).go().say("unsupported", "correct")
    with serving("v1", "v2", "--annotator", "Ben") as server:
        ben = Somebody(server).go()
        assert ben.is_second_look() and ben.labels == [""]
        ben.say("unsupported")
        while ben.at != "/done":
            assert ben.is_second_look() and ben.labels == [""]
            ben.say("unsupported" if bad in ben.keys else "correct")
    mine = [(row.version == bad, row.drawn) for row in rows() if row.annotator == "Ben"]
    assert sorted(mine) == [(False, "look"), (True, "again"), (True, "look")], "it blocks by name only then"
    word = agreed(row for row in rows() if row.version == bad)
    assert word and word.value == "unsupported", "two people said the same"


def test_a_correction_is_a_new_row_and_undo_brings_the_old_word_back() -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        here = ana.at
        keys = ana.keys
        ana.say("correct", "correct").go(here)
        assert ana.labels == ["correct", "correct"] and ana.keys == keys
        side = {"key": keys[0], "values": {"factuality": "refused"}}
        ana.post("/save", {"id": "a" * 32, "sides": [side]})
        assert ana.go(here).labels == ["refused", "correct"]
        assert ana.undo().go(here).labels == ["correct", "correct"]
    assert values() == [("correct", "look")] * 2 + [("refused", "look"), ("correct", "look")]


def test_what_reads_alike_is_labelled_in_one_press_and_each_keeps_its_row() -> None:
    with serving(*make_versions(3, 1, runs=3), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        assert len(ana.keys) == 2 and len(ana.grouped) == 4
        sent = ana.sent("correct", "correct")
        sent["sides"][0]["also"] = ana.grouped
        assert ana.post("/save", sent).code == 200
        assert ana.go().at == "/done" and len(rows()) == 6 == len({row.version for row in rows()})
        assert set(values()) == {("correct", "look")}
        ana.undo()
        assert current(rows()) == [] and len(ana.grouped) == 4
        assert ana.say("correct", "correct").at != "/done", "split, the others come by themselves"


def test_answers_that_say_something_else_are_no_group() -> None:
    said = [
        "It is red [doors#0].",
        "It is not red [doors#0].",
        "It costs 5 [doors#0].",
        "It is red.",
        "Ask Tom Fox [doors#0].",
    ]
    for number, answer in enumerate(said):
        make_run(f"a{number}", [trace(0, answer)], version="v1")
    make_run("b", [trace(0, "The paint is red [doors#0].")], version="v2")
    with serving("v1", "v2", "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        alike = {ana.text.partition(key)[2].partition("</section>")[0] for key in ana.keys}
        assert len(ana.grouped) <= 1, alike


def test_two_people_get_looks_of_their_own_and_where_they_differ_somebody_settles_it() -> None:
    with serving(*make_versions()) as server:
        ana, ben = Somebody(server, "Ana").go(), Somebody(server, "Ben").go()
        assert ana.at != ben.at
        here, key = ana.at, ana.keys[0]
        ana.say("correct", "correct")
        ben.post(
            "/save", {"id": "b" * 32, "sides": [{"key": key, "values": {"factuality": "wrong"}, "note": "it is blue"}]}
        )
        word = agreed(row for row in rows() if row.version == key)
        assert word and word.disputed and word.value is None
        assert "Disagreements (1)" in ana.go(here).text
        ana.go("/settle")
        assert "1 answer to settle" in ana.text and "Ben" in ana.text and "wrong" in ana.text
        ana.go(f"/settle/{key[:16]}")
        assert "it is blue" in ana.text and ana.labels == [""]
        assert "a settled answer has a label" in ana.post("/save", ana.sent("cannot tell")).text
        assert ana.say("wrong").at == "/settle" and "Nothing to settle" in ana.text
        last = rows()[-1]
        assert (last.annotator, last.value, last.drawn) == ("settled/Ana", "wrong", "chosen")
        word = agreed(row for row in rows() if row.version == key)
        assert word and word.value == "wrong" and not word.disputed
        ana.go(f"/settle/{key[:16]}").undo()
        assert ana.at == f"/settle/{key[:16]}" and ana.labels == [""]


def test_an_ai_does_not_spare_people_their_looks() -> None:
    names = make_versions()
    with serving(*names, "--annotator", "ai/opus") as server:
        robot = Somebody(server).go()
        for _ in range(4):
            robot.say("correct", "correct")
        assert robot.at == "/done"
    with serving(*names, "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        assert "0 of 4 looked at" in ana.text and "4 by AI annotators alone" in ana.text and ana.labels == ["", ""]
    assert surefoot.look_list(*names)["looked_at"] == 4, "but it is a look"


def test_cannot_tell_is_a_look_with_a_reason() -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        sent = ana.sent("cannot tell", "correct")
        sent["sides"][0]["note"] = "the page is cut off"
        ana.post("/save", sent)
        assert "1 of 4 looked at" in ana.go().text
    assert [row.note for row in rows() if row.value is None] == ["cannot tell: the page is cut off"]


def test_cannot_tell_counts_as_a_look_at_one_version_too(mill: str) -> None:
    with serving(mill, "--annotator", "Ana", "--target", "3") as server:
        ana = Somebody(server).go().say("cannot tell")
        assert "1 of 3 looked at; 2 to go" in ana.text
        assert "Done: 3 answers looked at" in ana.say("cannot tell").say("correct").text
        assert "3 of 3 answers looked at" in server.end()


def test_second_looks_are_counted_down() -> None:
    with serving(*make_versions(6, 3), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        while not ana.is_second_look():
            ana.say("wrong", "wrong")
        left = [int(re.findall(r"3 of 3 looked at; (\d+) to go", ana.text)[0])]
        while ana.at != "/done":
            ana.say("wrong")
            left += map(int, re.findall(r"(\d+) to go", ana.text))
    assert left == [*range(len(left), 0, -1)] and len(left) > 1


def test_the_gate_is_asked_after_twenty_looks_and_more_can_be_looked_at() -> None:
    with serving(*make_versions(30, 26), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        assert "0 of 20 looked at" in ana.text and " data-ask" not in ana.text
        for _ in range(20):
            ana.say("correct", "correct")
        assert ana.at == "/done" and "Done: 20 pairs that differ looked at" in ana.text and "(6 left)" in ana.text
        assert json.loads(ana.post("/gate", {}).text)["says"].startswith("The gate ")
        assert json.loads(ana.post("/more", {}).text) == {"next": "/"}
        assert "20 of 26 looked at" in ana.go().text and "The gate " in ana.text and " data-ask" not in ana.text


def test_a_target_is_a_goal() -> None:
    with serving(*make_versions(), "--annotator", "Ana", "--target", "2") as server:
        assert Somebody(server).go().say("correct", "correct").say("correct", "correct").at == "/done"


def test_answers_of_one_run_come_one_by_one_as_they_were_drawn(mill: str) -> None:
    with serving(mill, "--target", "10") as server:
        ana, ben = Somebody(server, "Ana").go(), Somebody(server, "Ben").go()
        seen = {"ana": list[str](), "ben": list[str]()}
        for _ in range(5):
            for who, person in (("ana", ana), ("ben", ben)):
                seen[who] += person.keys
                person.say("correct" if who == "ana" else "wrong")
    assert len(set(seen["ana"])) == len(set(seen["ben"])) == 5
    assert len({*seen["ana"]} & {*seen["ben"]}) == 1, "every fifth is everybody's"
    drawn = {row.drawn for row in rows()}
    assert drawn == {"flagged", "sample"} and all(row.drawn != "again" for row in rows())


def test_a_label_that_is_dated_ahead_is_corrected_all_the_same() -> None:
    names = make_versions()
    key = keys_of(surefoot.look_list(*names).rows[0])[0]
    add_labels(replace(label(key, "correct", who="Ana"), at="2999-01-01T00:00:00+00:00"))
    with serving(*names, "--annotator", "Ana") as server:
        side = {"key": key, "values": {"factuality": "refused"}}
        assert Somebody(server).post("/save", {"id": "c" * 32, "sides": [side]}).code == 200
    assert [row.value for row in current(rows())] == ["refused"]


def test_a_project_that_was_deleted_takes_no_label(db: Path) -> None:
    server = Server(*make_versions(), "--annotator", "Ana")
    ana = Somebody(server).go()
    for file in db.parent.glob(f"{db.name}*"):
        file.unlink()
    reply = ana.post("/save", ana.sent("correct", "correct"))
    assert reply.code == 503 and "was deleted or replaced" in reply.text
    assert "deleted" in server.end()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": "x"}, "no name that a page would give"),
        ({"sides": []}, "no name that a page would give"),
        ({"sides": [{"key": "f" * 32, "values": {"factuality": "wrong"}}]}, "not here any more"),
        ({"sides": [{"key": "", "values": {"factuality": "wrong"}, "also": ["x"]}]}, "not here any more"),
    ],
)
def test_what_no_page_sends_is_refused_in_words(change: dict[str, object], why: str) -> None:
    with serving(*make_versions(), "--annotator", "Ana") as server:
        ana = Somebody(server).go()
        reply = ana.post("/save", {**ana.sent("correct", "correct"), **change})
        assert reply.code == 400 and why in reply.text
        assert ana.post("/undo", {"id": "d" * 32}).code == 400
    assert rows() == []
