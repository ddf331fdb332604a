from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from surefoot.ledger import Ledger
from surefoot.models.cache import Cache
from surefoot.models.seam import Prompt, Reply
from tests.attacks.judges import sound
from tests.conftest import Write
from tests.fault_server import Call, Fault, FaultServer
from tests.in_process import surefoot


def test_a_ledger_keeps_paid_replies_and_a_newer_one_takes_the_place(place: str) -> None:
    with Ledger.open(place) as ledger:
        cache = Cache(ledger.replies)
        assert cache.get("a") is None
        cache.put("a", "m", Reply("x \0 \U0001f600", {"k": [1]}, 3, 4, 0.5, asked=3))
        cache.put("a", "m", Reply("y", {"k": [1]}, 3, 4, 0.5, asked=3, how="text"))
        assert cache.get("a") == Reply("y", {"k": [1]}, 3, 4, 0.0, True, 0, "text")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: cache.put(str(number % 10), "m", Reply(str(number % 10))), range(100)))
        assert [cache.get(str(number)) for number in range(10)] == [
            Reply(str(number), cost_usd=0.0, cached=True) for number in range(10)
        ]


def test_a_damaged_reply_is_asked_again_and_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Ledger.open(tmp_path / "surefoot.db") as ledger:
        ledger.replies.write("a", "m", b"{")
        cache = Cache(ledger.replies)
        assert cache.get("a") is None and cache.get("a") is None
    assert capsys.readouterr().err.count("surefoot.db: the cache of replies failed") == 1


def reads(call: Call) -> Fault:
    prompt = Prompt(str(call.body["messages"][-1]["content"]))
    return Fault(text=msgspec.json.encode(sound(prompt)).decode())


def test_a_team_pays_once_for_what_it_grades_with_one_ledger(place: str, write: Write) -> None:
    passage = {"id": "p", "text": "The fee is EUR 5."}
    rows = [{"id": "a", "question": "What is the fee?", "passages": [passage], "answer": "The fee is EUR 5 [p]."}]
    items = write("items.jsonl", rows)
    with FaultServer(reads) as server:
        told = []
        for _ in range(2):
            grader = f"llm:m@{server.url}"
            done = surefoot("grade", "--items", items, "--grader", grader, "--cache", place, "--yes", "--json")
            assert done.code == 0, done.err
            told.append((done.out, server.counts()["calls"]))
    assert told[0] == told[1] and told[0][1] > 0
    with Ledger.open(place) as ledger, ledger.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM replies").scalar_one() == told[0][1]
