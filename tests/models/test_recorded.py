from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.errors import Incomplete
from surefoot.models.cache import Recorder
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Prompt
from tests.fault_server import FaultServer
from tests.models.schemas import asking


def test_what_was_said_is_said_again_without_a_server(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    prompts = [asking(f"p{number}") for number in range(5)]
    with FaultServer() as server:
        recorder = Recorder(open_model(f"llm:m@{server.url}"), path)
        said = dict(recorder.complete_all(prompts))
        assert recorder.complete(Prompt("plain")).text and recorder.name.startswith("llm:m@")
    again = open_model(f"recorded:{path}")
    found = dict(again.complete_all([*prompts, asking("never asked")]))
    assert [found[place].value for place in range(5)] == [said[place].value for place in range(5)]
    assert all(found[place].cached and found[place].cost_usd == 0 for place in range(5))
    assert "no reply is on record" in found[5].error and found[5].value is None
    assert again.name == "recorded:replies.jsonl" and "costs nothing" in again.estimate(prompts).sentence


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"digest": 1}\n')
    for name in ("x.jsonl", "none.jsonl"):
        with pytest.raises(Incomplete, match=name):
            open_model(f"recorded:{tmp_path / name}")
