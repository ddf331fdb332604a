"""surefoot monitor --once, as cron runs it."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import surefoot as library
from surefoot.core.types import Item, Trace
from surefoot.graders.grader import FindingsGrader, Graded
from surefoot.graders.rules import Rules
from surefoot.io.rows import is_flagged
from surefoot.io.traces import read_traces
from surefoot.monitor.follow import Position, name_of, whole_logs
from surefoot.monitor.state import Design, State
from tests.hook import listening
from tests.in_process import surefoot

Row = dict[str, Any]


def answer(number: int, said: str = "", **more: object) -> Row:
    """One that is right, unless it says something else."""
    text = f"The lease of unit {number} runs for {number + 10} days. Ask jane{number}@acme.com or 212-555-0187."
    return {
        "trace_id": f"t{number}", "question": f"How long does the lease of unit {number} run?",
        "answer": said or f"The lease of unit {number} runs for {number + 10} days [d#1].",
        "retrieved": [{"id": "d#1", "text": text}], **more,
    }  # fmt: skip


def wrong(number: int, **more: object) -> Row:
    return answer(
        number, f"The lease of unit {number} runs for {number + 500} days, says jane{number}@acme.com [d#1].", **more
    )


def written(path: Path, rows: Sequence[Row], end: str = "\n") -> Path:
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(json.dumps(row) for row in rows) + end)
    return path


def monitored(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    done = surefoot("monitor", "--grader", "rules", "--json", *arguments)
    return done.code, json.loads(done.out)


def test_a_sample_is_graded_and_counted(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [answer(n) for n in range(30)] + [wrong(n) for n in range(30, 40)])
    written(log, [answer(3), answer(50, "The documents do not say."), answer(51, error="timeout")])
    code, found = monitored("--once", log, "--sample", "1")
    assert code == 0 and (found["seen"], found["sampled"], found["alerts"], found["unreadable"]) == (42, 42, [], 0)
    assert found["buckets"] == {"correct": 30, "wrong": 10, "unsupported": 0, "refused": 1, "ungraded": 1}
    rate = found["intervals"]["wrong"]
    assert rate["low"] < rate["value"] < rate["high"]
    assert (rate["value"], rate["n"]) == (pytest.approx(10 / 42), pytest.approx(42))
    assert found["intervals"]["unsupported"]["value"] == 0 < found["intervals"]["unsupported"]["high"]
    assert any("1 answer came again" in note for note in found["notes"])
    assert any("first 1,000 evenly sampled answers" in note for note in found["notes"])
    shown = surefoot("monitor", "--once", log, "--sample", "1", "--grader", "rules").out
    assert "42 answers seen, 42 graded" in shown and "wrong         23.8% of all answers" in shown


def test_refusals_and_made_up_citations_are_counted_in_all_answers(tmp_path: Path) -> None:
    rows = [answer(n) for n in range(90)] + [answer(n, "The documents do not say.") for n in range(90, 97)]
    rows += [answer(n, f"The lease of unit {n} runs for {n + 10} days [x#9].") for n in range(97, 100)]
    log = written(tmp_path / "log.jsonl", rows)
    found = monitored("--once", log, "--sample", "0.001")[1]
    assert found["free"] == {"read": 100, "refused": 7, "cites_unretrieved": 3} and found["sampled"] < 10
    shown = surefoot("monitor", "--once", log, "--sample", "0.001", "--grader", "rules").out
    assert "of 100 answers looked at without a grader, 7.0% refuse, 3.0% cite what was not retrieved" in shown


def test_the_same_answers_are_chosen_in_any_order(tmp_path: Path) -> None:
    rows = [answer(n) for n in range(60)] + [wrong(n, feedback="down") for n in range(60, 90)]
    one = monitored("--once", written(tmp_path / "a.jsonl", rows), "--sample", "0.1", "--bad", tmp_path / "bad-a")
    other = monitored(
        "--once", written(tmp_path / "b.jsonl", rows[::-1]), "--sample", "0.1", "--bad", tmp_path / "bad-b"
    )
    assert one == other and one[1]["sampled"] < 90 and one[1]["buckets"]["wrong"] == 30  # flagged: ten times as often
    first, second = (
        sorted(line.partition('"graded_at"')[0] for line in (tmp_path / name).read_text().splitlines())
        for name in ("bad-a", "bad-b")
    )
    assert first == second
    assert one[1]["intervals"]["wrong"]["value"] == pytest.approx(1 / 3)


def test_it_goes_on_where_it_stopped_also_in_a_log_that_is_cut_or_begun_anew(tmp_path: Path) -> None:
    log, how = tmp_path / "log.jsonl", ("--sample", "1", "--state", tmp_path / "state.db")
    written(log, [answer(n) for n in range(5)])
    assert monitored("--once", log, *how)[1]["seen"] == 5
    assert monitored("--once", log, *how) == (0, monitored("--once", log, *how)[1] | {"seen": 0, "sampled": 0})
    written(log, [answer(n) for n in (3, 5, 6)])
    written(log, [answer(7)], end="")
    with log.open("a") as file:
        file.write('\n{"trace_id": "t8", "question": "How')  # still being written
    assert monitored("--once", log, *how)[1]["seen"] == 3
    with log.open("a") as file:
        file.write(' long?", "answer": "Ten days [d#1]."}\n')
    assert monitored("--once", log, *how)[1]["seen"] == 1
    size = log.stat().st_size
    log.unlink()
    written(log, [answer(n) for n in range(20, 40)])
    done = surefoot("monitor", "--once", log, "--grader", "rules", "--json", *how)
    assert json.loads(done.out)["seen"] == 20 and json.loads(done.out)["lost"]
    assert done.code == 4 and f"whatever came after byte {size:,} is lost" in done.err
    done = surefoot("monitor", "--once", log, "--sample", "0.5", "--state", tmp_path / "state.db")
    assert done.code == 2 and "was begun with --sample 1" in done.err and "hint:" in done.err


def test_a_rotated_log_is_read_to_its_end_and_an_empty_one_is_nothing_new(tmp_path: Path) -> None:
    log, how = tmp_path / "log.jsonl", ("--sample", "1", "--state", tmp_path / "state.db")
    log.touch()
    assert monitored("--once", log, *how) == (0, monitored("--once", log, *how)[1])
    written(log, [answer(n) for n in range(6)])
    assert monitored("--once", log, *how)[1]["seen"] == 6
    written(log, [answer(n) for n in range(6, 10)])
    log.rename(tmp_path / "log.jsonl.1")
    assert monitored("--once", log, *how)[1]["seen"] == 4, "also before there is a new one"
    assert monitored("--once", log, *how)[1]["seen"] == 0
    written(log, [answer(10)])
    packed = gzip.compress((tmp_path / "log.jsonl.1").read_bytes() + json.dumps(answer(11)).encode())
    (tmp_path / "log.jsonl.1.gz").write_bytes(packed)
    (tmp_path / "log.jsonl.1").unlink()
    assert monitored("--once", log, *how)[1]["seen"] == 2
    log.rename(tmp_path / "log-20261116.jsonl")
    log.touch()
    code, found = monitored("--once", log, *how)
    assert (code, found["seen"], found["unreadable"]) == (0, 0, 0)


def test_what_was_graded_before_it_was_ended_need_not_be_graded_again(tmp_path: Path) -> None:
    rules, read, bad = FindingsGrader(Rules()), list[int](), tmp_path / "bad.jsonl"

    class Ended(FindingsGrader):
        def read(self, items: Sequence[Item]) -> list[Graded]:
            if sum(read) >= 75:
                raise KeyboardInterrupt
            read.append(len(items))
            return list(rules.read(items))

    log, state = written(tmp_path / "log.jsonl", [wrong(n) for n in range(120)]), tmp_path / "state.db"
    with pytest.raises(KeyboardInterrupt):
        library.monitor_log(log, sample=1, state=state, grader=Ended(Rules()), bad=bad)
    before = sum(read)
    read.clear()
    again = library.monitor_log(log, sample=1, state=state, grader=Ended(Rules()), bad=bad)
    assert sum(read) == 120 - before and again["sampled"] == again["seen"] == 120, (
        "the call that was ended told nothing"
    )
    assert len(bad.read_text().splitlines()) == 120, "and no answer is kept twice"
    assert library.monitor_log(log, sample=1, state=state, grader=rules, bad=bad)["seen"] == 0


def test_a_rise_raises_an_alarm_that_lasts_until_it_is_over(tmp_path: Path) -> None:
    base = written(tmp_path / "base.jsonl", [answer(n) for n in range(200)] + [wrong(n) for n in range(200, 206)])
    assert surefoot("grade", "--traces", base, "--grader", "rules", "--version", "base").code == 0
    how = ("--sample", "1", "--baseline", "base", "--state", tmp_path / "state.db")
    quiet = written(tmp_path / "1.jsonl", [answer(n) if n % 30 else wrong(n) for n in range(120)])
    code, found = monitored("--once", quiet, *how)
    assert (code, found["alerts"]) == (0, []) and 0.03 < found["references"]["wrong"] < 0.06
    risen = written(tmp_path / "2.jsonl", [answer(n) if n % 4 else wrong(n) for n in range(200, 320)])
    with listening() as hook:
        code, found = monitored("--once", risen, *how, "--webhook", hook.url)
    assert len(hook.heard) == 1 and "ALERT: wrong: about" in hook.heard[0] and "state.db: " in hook.heard[0]
    (alert,) = found["alerts"]
    assert code == 1 and alert["bucket"] == "wrong" and 120 < alert["at"] < 240
    assert monitored("--once", risen, *how)[0] == 1  # nothing is new, and the alarm is not over
    better = written(tmp_path / "3.jsonl", [answer(n) for n in range(400, 600)])
    code, found = monitored("--once", better, *how)
    assert (code, found["alerts"]) == (0, []), "what is over by now is told, and wakes nobody"
    assert alert["time"].startswith("20")
    (over,) = (note for note in found["notes"] if "is over" in note)
    assert "an alarm is over: wrong: about 0.0% of" in over


def test_a_log_that_is_all_wrong_is_told_of_and_not_watched(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [wrong(n) for n in range(1_010)])
    done = surefoot("monitor", "--once", log, "--grader", "rules", "--sample", "1")
    assert done.code == 0 and "wrong is not watched: 100.0% is usual" in done.err
    assert "0.5% or less is usual" in done.out


def test_one_at_a_time_works_with_a_state(tmp_path: Path) -> None:
    log, state = written(tmp_path / "log.jsonl", [answer(1)]), tmp_path / "state.db"
    held = State(state, Design())
    done = surefoot("monitor", "--once", log, "--grader", "rules", "--state", state)
    held.close()
    assert done.code == 4 and "another monitor works with" in done.err and "hint:" in done.err
    state.write_text('{"of": "another version"}')
    done = surefoot("monitor", "--once", log, "--grader", "rules", "--state", state)
    assert done.code == 4 and "is not the state of a monitor" in done.err and "another version of Surefoot" in done.err


def test_bad_answers_are_kept_without_personal_data_as_a_log_for_every_command(tmp_path: Path) -> None:
    rows = [wrong(n, user="Mr. Tom Fox") if n % 2 else answer(n) for n in range(12)]
    rows[1]["question"] += " I am Mr. Tom Fox, tom@fox.org, 4111 1111 1111 1111"
    log, bad = written(tmp_path / "log.jsonl", rows), tmp_path / "bad.jsonl"
    monitored("--once", log, "--sample", "1", "--bad", bad, "--state", tmp_path / "state.db")
    monitored("--once", written(tmp_path / "more.jsonl", [wrong(77)]), "--sample", "1", "--bad", bad)
    kept = bad.read_text()
    assert bad.stat().st_mode & 0o77 == (tmp_path / "state.db").stat().st_mode & 0o77 == 0
    assert json.loads(kept.splitlines()[0])["flagged"] is False and '"graded_at":"20' in kept
    assert len(kept.splitlines()) == 7 and "EMAIL-1" in kept and "Mr. NAME-1, EMAIL-1, CARD-1" in kept
    for file in (bad, tmp_path / "state.db"):
        assert not any(
            one.encode() in file.read_bytes() for one in ("acme.com", "555-0187", "Tom Fox", "fox.org", "4111")
        )
    found = library.grade_log(bad, grader="rules", version="run")
    assert found["buckets"]["wrong"] == 7 and {row["id"] for row in found.table()} == {
        logged.found.question_id for logged in read_traces([bad]) if isinstance(logged.found, Trace)
    }
    assert library.look_list("run").exit_code == 0
    assert len(library.proposals_from_log(bad, grader="rules")) > 0


VALUES = (
    ("What is the hotline?", "The hotline is {}", "+49 30 901820-55", "+49 30 901820-56"),
    (
        "Which IBAN must I pay to?",
        "The IBAN for payments is {}",
        "DE89 3704 0044 0532 0130 00",
        "GB29NWBK60161331926819",
    ),
    ("Which address takes complaints?", "Complaints go to {}", "help@acme.com", "claims@acme.com"),
    ("Which server runs the service?", "The service runs on {}", "10.0.0.7", "10.0.0.8"),
    ("Who signed the contract?", "The contract was signed by Dr. {}", "Anna Zabrowski", "Karl Lehmann"),
)


@pytest.mark.parametrize("grader", ["rules", "local"])
def test_redacted_values_are_held_against_each_other(tmp_path: Path, grader: str) -> None:
    rows = [
        {"trace_id": f"{number}-{value == right}", "question": question, "answer": f"{said.format(value)} [t#1].",
         "retrieved": [{"id": "t#1", "text": f"{said.format(right)}. It takes 1 or 2 days."}]}
        for number, (question, said, right, wrong) in enumerate(VALUES) for value in (right, wrong)
    ]  # fmt: skip
    log, bad = written(tmp_path / "log.jsonl", rows), tmp_path / "bad.jsonl"
    found = library.monitor_log(log, sample=1, bad=bad, grader=grader)
    assert found["buckets"]["correct"] == found["buckets"]["wrong"] == len(VALUES)
    assert {json.loads(row)["trace_id"] for row in bad.read_text().splitlines()} == {f"{n}-False" for n in range(5)}


def test_a_redacted_value_that_stands_in_no_passage_has_no_support(tmp_path: Path) -> None:
    passages = [{"id": "t#1", "text": "You can reach support within 1 day."}]
    asked = {"question": "How can I reach support?", "retrieved": passages}
    rows = [
        {"trace_id": "a", **asked, "answer": "You can reach support at 212-555-0187 [t#1]."},
        {"trace_id": "b", **asked, "answer": "You can reach support within 1 day [t#1]."},
    ]
    found = library.monitor_log(written(tmp_path / "log.jsonl", rows), sample=1, grader="rules")
    assert found["buckets"]["correct"] == found["buckets"]["unsupported"] == 1


IDS = (
    "CAB123@mail.gmail.com", "415-555-2671", "12345678Z", "10.0.0.7", "192.168.1.10/page2", "+49-30-901820",
    "DE89370400440532013000", "4155552671", "Dr. Zabrowski.pdf#3",
)  # fmt: skip


def test_citations_lead_to_passages_whose_ids_are_personal_data(tmp_path: Path) -> None:
    rows = [
        {"trace_id": f"{name} {amount} {len(cited)}", "question": "What is the fee?",
         "answer": f"The fee is EUR {amount}{cited}.", "citations": None if cited else [name],
         "retrieved": [{"id": name, "text": "The fee is EUR 5.", "doc": name}]}
        for amount in (5, 9) for name in IDS for cited in (f" [{name}]", "")
    ]  # fmt: skip
    bad = tmp_path / "bad.jsonl"
    log = written(tmp_path / "log.jsonl", rows)
    found = library.monitor_log(log, sample=1, bad=bad, grader="rules")
    assert found["buckets"]["correct"] == found["buckets"]["wrong"] == 2 * len(IDS)
    assert not [name for name in IDS if name in bad.read_text() and name != "4155552671"]


def test_what_cannot_be_read_or_graded_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"broken\n{"answer": "without a question"}\n')
    done = surefoot("monitor", "--once", log, "--json")
    assert done.code == 4 and json.loads(done.out)["unreadable"] == 2 and "not valid JSON" in done.err
    assert surefoot("monitor").code == 2 and surefoot("monitor", "--once", tmp_path / "none").code == 2
    assert surefoot("monitor", "--once", log, "--state", log).code == 2
    failed = written(tmp_path / "failed.jsonl", [answer(n, error="timeout") for n in range(3)])
    code, found = monitored("--once", failed, "--sample", "1")
    assert code == 4 and found["buckets"]["ungraded"] == 3
    shutil.copytree(Path(__file__).parent, tmp_path / "folder", ignore=lambda *_: ["__pycache__"])
    assert "no trace file" in surefoot("monitor", "--once", tmp_path / "folder").err


@pytest.mark.parametrize(
    "row",
    [{"flagged": True}, {"feedback": "Thumbs down"}, {"ok": False}, {"metadata": {"user_feedback": {"score": 0}}}],
)
def test_what_users_say_against_an_answer_is_read(row: Row) -> None:
    assert is_flagged(row) and not is_flagged({"feedback": "up", "ok": True, "flagged": False, "thumbs": 1})


def test_spans_say_it_too(tmp_path: Path) -> None:
    spans = [
        {"trace_id": name, "span_id": name, "parent_id": None, "start_time": "1", "attributes": {
            "input.value": "How long?", "output.value": "Ten days.", **said}}
        for name, said in (("a", {"user_feedback": "down"}), ("b", {}))
    ]  # fmt: skip
    found = {one.name: one.flagged for one in read_traces([written(tmp_path / "spans.jsonl", spans)])}
    assert found == {"a": True, "b": False}


def test_an_answer_is_known_by_its_id_or_by_all_that_its_row_says() -> None:
    trace = Trace(question="q", answer="a")
    assert name_of({"trace_id": "x", "q": 1}, trace, "1") == name_of({"traceId": "x", "q": 2}, trace, "2") == "x"
    assert name_of({"ts": 1, "q": "q"}, trace, "1") == name_of({"q": "q", "ts": 1}, trace, "2")
    assert name_of({"ts": 1, "q": "q"}, trace) != name_of({"ts": 2, "q": "q"}, trace)
    assert name_of({"q": "q"}, trace, "1") != name_of({"q": "q"}, trace, "2")


def test_rows_of_other_formats_are_read_whole_every_time(tmp_path: Path) -> None:
    path, places = tmp_path / "log.json", dict[str, Position]()
    path.write_text(json.dumps([answer(1), answer(2)], indent=1))
    for _ in range(2):
        ((rows, kept_under, _),) = whole_logs([path], places)
        assert len(list(rows)) == 2 and not kept_under
