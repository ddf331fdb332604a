"""The lists beside the desk: one's own labels, and what people disagree on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.records import CANNOT_TELL, Label, current, settled
from surefoot.label.desk import Desk
from surefoot.label.labels import History
from surefoot.label.lists import disputes, own, settler
from surefoot.web.pages import BadForm, clean_name
from tests.in_process import surefoot

from .page import Sit, next_of, sent

BUCKETS = st.sampled_from(["correct", "wrong", "refused"])


def disagree(desk: Desk, values: dict[str, str]) -> int:
    number = next_of(desk, "Ana")
    for name, (person, value) in zip("abcdef", values.items(), strict=False):
        desk.save(person, sent(desk, number, name, note=f"{person}'s reason", factuality=value))
    return number


def test_one_has_ones_own_labels_and_takes_any_of_them_back(sit: Sit) -> None:
    desk = sit()
    numbers = []
    for name, value in (("a", "wrong"), ("b", CANNOT_TELL), ("c", "correct")):
        numbers.append(next_of(desk, "Ana"))
        desk.save("Ana", sent(desk, numbers[-1], name, factuality=value, citation_exists="yes"))
    assert [(one.number, one.said.values["factuality"]) for one in desk.own("Ana")] == [
        (numbers[2], "correct"), (numbers[1], CANNOT_TELL), (numbers[0], "wrong"),
    ]  # fmt: skip
    assert desk.take_back("Ana", numbers[0]) == "/mine"
    desk.take_back("Ana", numbers[0])  # pressed twice
    desk.take_back("Ana", numbers[1])
    assert [one.number for one in desk.own("Ana")] == [numbers[2]] and desk.own("Ben") == []
    assert next_of(desk, "Ana") in numbers[:2], "what was taken back comes again"
    desk.undo("Ana", desk.last_sent("Ana"))
    desk.undo("Ana", desk.last_sent("Ana"))
    assert {one.said.values["factuality"] for one in desk.own("Ana")} == {"wrong", CANNOT_TELL, "correct"}
    with pytest.raises(BadForm, match="no such answer"):
        desk.take_back("Ana", 4000)


def test_what_is_settled_counts_instead_of_the_labels_and_is_nobodys_vote(sit: Sit, mill: str) -> None:
    desk = sit(overlap=1.0)
    number = disagree(desk, {"Ana": "correct", "Ben": "wrong"})
    [one] = desk.disputes()
    assert (one.number, one.dispute.axes, one.dispute.is_open) == (number, ("factuality",), True)
    assert [(said.who, said.note) for said in one.dispute.said] == [("Ana", "Ana's reason"), ("Ben", "Ben's reason")]
    assert surefoot("calibrate", mill, "--json").json["labels"] == 0
    page = desk.page_to_settle(number, "Cid")
    assert page is not None and not page.values and "cannot tell" not in [one.value for one in page.fields[0].choices]
    with pytest.raises(BadForm, match="a settled answer has a label"):
        desk.settle("Cid", sent(desk, number, "e", factuality=CANNOT_TELL))
    assert desk.settle("Cid", sent(desk, number, "f", note="the passage says so", factuality="wrong")) == "/settle"
    assert desk.open_disputes == 0 and next_of(desk, "Cid") != number, "who has seen the labels is not asked any more"
    found = surefoot("calibrate", mill, "--json", "--details").json
    assert (found["labels"], found["disputed"], found["annotators"]) == (1, 0, ["Ana", "Ben", "settled/Cid"])
    assert "people (Ana, Ben, settled by Cid)" in surefoot("calibrate", mill).out
    assert desk.undo(settler("Cid"), desk.last_sent(settler("Cid"))) == f"/settle/{number}"
    assert desk.open_disputes == 1


def test_who_cannot_tell_disagrees_with_nobody_and_an_axis_may_be_in_dispute(sit: Sit) -> None:
    desk = sit(overlap=1.0)
    disagree(desk, {"Ana": "correct", "Ben": CANNOT_TELL})
    assert desk.disputes() == []
    number = disagree(desk, {})
    for name, exists in (("Ana", "yes"), ("Ben", "no")):
        id = {"Ana": "7", "Ben": "8"}[name]
        desk.save(name, sent(desk, number, id, factuality="wrong", citation_exists=exists))
    [one] = desk.disputes()
    assert one.dispute.axes == ("citation_exists",) and one.dispute.agreed == {"factuality": "wrong"}
    page = desk.page_to_settle(number, "Cid")
    assert page is not None and page.values == {"factuality": "wrong"}
    desk.settle("Cid", sent(desk, number, "e", factuality="wrong", citation_exists="yes"))
    desk.settle("Dan", sent(desk, number, "d", factuality="wrong", citation_exists="no"))
    assert desk.open_disputes == 1, "those who settle it disagree"
    assert desk.page_to_settle(1000, "Cid") is None


@given(st.dictionaries(st.sampled_from("abcd"), BUCKETS), st.dictionaries(st.sampled_from("xy"), BUCKETS, max_size=1))
def test_a_dispute_is_open_exactly_where_labels_differ_and_nobody_settled_it(
    labels: dict[str, str], last_words: dict[str, str]
) -> None:
    said = labels | {settler(who): value for who, value in last_words.items()}
    rows = [
        Label(
            id=f"{n}",
            at=f"2026-01-0{n + 1}",
            annotator=who,
            question_id="q",
            axis="factuality",
            value=value,
            version="v",
        )
        for n, (who, value) in enumerate(said.items())
    ]
    history = History("factuality", rows)
    found = disputes(history).get("v")
    assert (found is not None) == (len(set(labels.values())) > 1)
    assert (found is not None and found.is_open) == (len(set(labels.values())) > 1 and not last_words)
    value = settled((row.annotator, row.value) for row in current(rows))
    assert not last_words or value == next(iter(last_words.values()))
    assert all([one.values for one in own(history, who)] == [{"factuality": said[who]}] for who in said)


def test_nobody_is_called_like_one_who_settles() -> None:
    assert clean_name("settled/Ana") == "" and clean_name("Ana") == "Ana"
