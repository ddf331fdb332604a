from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.ledger import Ledger
from surefoot.ledger.exports import add_records, read_records, write_ledger
from surefoot.rubric import load
from tests.ledger.rows import CERTIFICATE, PURGE, RUN, SCORE, STEP, label

RUBRIC = load().sha256.encode()
NOTE = 'naïve \u2028 "quoted" \\ \t\U0001f600'


def filled(place: str | Path, count: int = 1_200) -> Ledger:
    """Rows that came in no order."""
    ledger = Ledger.open(place)
    rows = [label(number, note='naïve \u2028 "quoted" \\ \t\U0001f600') for number in range(count)]
    random.Random(1).shuffle(rows)
    ledger.add(rows)
    ledger.add([CERTIFICATE])
    ledger.add([PURGE])
    ledger.add([STEP])
    ledger.add([replace(STEP, id="step-0", margin=0.1 + 0.2, uncalibrated=False)])
    ledger.add_run(RUN)
    ledger.add_run(replace(RUN, path="/elsewhere"))
    ledger.replies.write("digest", "model", b'{"text":"\\u0000 paid"}')
    return ledger


def exported(ledger: Ledger) -> bytes:
    file = io.BytesIO()
    write_ledger(ledger, file)
    return file.getvalue()


def imported(ledger: Ledger, data: bytes) -> dict[str, int]:
    """How many rows were new, by table."""
    return add_records(ledger, read_records(io.BytesIO(data), "moved.jsonl"), "moved.jsonl")


def test_file_to_lines_to_server_to_lines_to_file_is_the_same(tmp_path: Path, on_server: Callable[[], str]) -> None:
    with (
        filled(tmp_path / "a.db") as first,
        Ledger.open(on_server()) as second,
        Ledger.open(tmp_path / "c.db") as third,
    ):
        first.add([SCORE])
        kept = {"labels": 1_200, "certificates": 1, "steps": 2, "runs": 2, "scores": 1, "purges": 1}
        lines = exported(first)
        assert imported(second, lines) == kept | {"replies": 1} and second.scores("r") == [SCORE]
        assert exported(second) == lines
        imported(third, exported(second))
        assert exported(third) == lines
        assert third.labels() == first.labels() and third.steps() == first.steps() and third.runs() == first.runs()
        assert third.replies.read("digest") == b'{"text":"\\u0000 paid"}'


def test_importing_twice_changes_nothing_and_two_ledgers_become_their_union(place: str, tmp_path: Path) -> None:
    with filled(tmp_path / "a.db", 20) as ours, Ledger.open(tmp_path / "b.db") as theirs, Ledger.open(place) as both:
        theirs.add([label(5, note=NOTE), label(500)])
        theirs.replies.write("digest", "model", b'{"text":"another"}')
        for data in (exported(ours), exported(theirs), exported(ours)):
            new = imported(both, data)
        assert set(new.values()) == {0}
        assert {row.id for row in both.labels()} == {row.id for row in (*ours.labels(), *theirs.labels())}
        assert both.replies.read("digest") == b'{"text":"\\u0000 paid"}'  # the one that was there first


def test_replies_may_be_left_out(tmp_path: Path) -> None:
    with filled(tmp_path / "a.db", 3) as ledger:
        file = io.BytesIO()
        assert "replies" not in write_ledger(ledger, file, replies=False)[0]
        assert b"paid" not in file.getvalue()


def test_equal_rows_have_an_equal_hash_in_whatever_order_they_came(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as one, Ledger.open(tmp_path / "b.db") as other:
        one.add([label(1), label(2)])
        other.add([label(2)])
        other.add([label(1)])
        assert write_ledger(one, io.BytesIO()) == write_ledger(other, io.BytesIO())


def changed(data: bytes, line: int, old: bytes, new: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    return b"".join(lines)


@pytest.mark.parametrize(
    ("line", "old", "new", "why"),
    [
        (7, b'{"table"', b'{"tabel"', r"moved\.jsonl:7: .*tabel"),
        (7, b'"labels"', b'"lables"', r"moved\.jsonl:7: there is no table 'lables'"),
        (7, b'"annotator"', b'"annotater"', r"moved\.jsonl:7: a row of labels has no 'annotater'"),
        (7, b'"attempt":1', b'"attempt":"1"', r"moved\.jsonl:7: Expected `int`"),
        (7, b'"id":"label-5"', b'"id":""', r"moved\.jsonl:7: .* no id"),
        (7, b"}\n", b"\n", r"moved\.jsonl:7: "),
        (7, b'"attempt":1', b'"attempt":0', r"moved\.jsonl:7: attempt must be a whole number from 1"),
        (7, b'"annotator":"ann"', b'"annotator":" "', r"moved\.jsonl:7: the label does not say who"),
        (7, b'"value":"wrong"', b'"value":true', r"moved\.jsonl:7: Expected"),
        (7, b'"at":"2026-03', b'"at":"9999-03', r"moved\.jsonl:7: at is in the future"),
        (7, b'"at":"2026-03', b'"at":"2026-13', r"moved\.jsonl:7: at must be a date and time"),
        (7, b'.000000+00:00"', b'Z"', r"moved\.jsonl:7: at must be a time in UTC such as"),
        (7, b'.000000+00:00"', b'"', r"moved\.jsonl:7: at must be a time in UTC such as"),
        (7, b'"id":"label-5"', b'"id":"label-4"', r"moved\.jsonl:7: the ledger has another row .* label-4"),
        (7, b'"value":"wrong"', b'"value":"correct"', r"moved\.jsonl:7: the ledger has another row .* label-5"),
        (1, b'"surefoot_ledger":', b'"surefoot_ledger":99', "newer surefoot"),
        (1, b'"labels":20', b'"labels":21', "holds 20 of the 21 rows of labels"),
        (1, b'{"surefoot_ledger"', b"nonsense", r"moved\.jsonl:1: this is no export"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(
    place: str, tmp_path: Path, line: int, old: bytes, new: bytes, why: str
) -> None:
    with filled(tmp_path / "a.db", 20) as ours, Ledger.open(place) as theirs:
        data = exported(ours)
        theirs.add([label(5, note=NOTE)])
        before = exported(theirs)
        with pytest.raises((UsageError, Incomplete), match=why):
            imported(theirs, changed(data, line, old, new))
        assert exported(theirs) == before


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"axis": "truth"}, "the rubric refusal has no axis 'truth'"),
        ({"value": "nearly"}, "factuality cannot be 'nearly'"),
        ({"axis": "refusal_quality", "value": 2.5}, "refusal_quality cannot be '2.5'"),
        ({"value": None}, ""),
        ({"axis": "refusal_quality", "value": 2.0}, ""),
        ({"axis": "truth", "rubric_sha256": "of another rubric"}, ""),
    ],
)
def test_labels_by_a_bundled_rubric_are_held_against_it(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    with Ledger.open(tmp_path / "a.db") as ours, Ledger.open(tmp_path / "b.db") as theirs:
        ours.add([label(1, **{"rubric_sha256": RUBRIC.decode(), **changes})])
        if why:
            with pytest.raises(UsageError, match=why):
                imported(theirs, exported(ours))
        else:
            imported(theirs, exported(ours))
        assert len(theirs.labels()) == (0 if why else 1)


@settings(max_examples=40)
@given(st.data())
def test_a_file_cut_short_anywhere_imports_all_or_nothing(data: st.DataObject) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(f"{folder}/a.db") as ours,
        Ledger.open(f"{folder}/b.db") as theirs,
    ):
        ours.add(label(number) for number in range(6))
        whole = exported(ours)
        cut = whole[: data.draw(st.integers(0, len(whole) - 2))]
        with pytest.raises((UsageError, Incomplete)):
            imported(theirs, cut)
        assert theirs.labels() == []
        imported(theirs, whole[:-1])  # an editor leaves out the last line break
        assert theirs.labels() == ours.labels()


def test_an_export_is_of_one_moment(tmp_path: Path) -> None:
    """Whoever writes while it is read is not in it, and is not kept waiting."""
    with filled(tmp_path / "a.db") as ledger:

        class Slow(io.BytesIO):
            def write(self, data: object) -> int:
                if not self.tell():
                    ledger.add([label(9_999)])
                return super().write(data)  # type: ignore[arg-type]

        file = Slow()
        assert write_ledger(ledger, file)[0]["labels"] == 1_200
        assert file.getvalue().count(b'"table":"labels"') == 1_200
        head = msgspec.json.decode(file.getvalue().splitlines()[0])
        assert head["rows"]["labels"] == 1_200 and len(ledger.labels()) == 1_201
