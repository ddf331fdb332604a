from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from surefoot.cli.main import cli
from surefoot.core.errors import SurefootError

from ..in_process import surefoot
from .page import Somebody, make_run, make_versions, rows, serving, trace


def test_the_command_says_where_the_page_is_and_ends_well(mill: str, db: Path) -> None:
    with serving(mill, "--target", "10") as server:
        told = {"url": f"{server.url}/", "names": ["mill"], "db": str(db), "looked_at": 0, "goal": 10}
        assert server.told == told
        said = server.end()
    assert server.code == 0
    assert said == f"note: 0 of 10 answers looked at; the labels are in {db}\n"
    with serving(*make_versions()) as server:
        assert (server.told["names"], server.told["goal"]) == (["v1", "v2"], 4)
        assert "0 of 4 pairs that differ looked at" in server.end()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--axes", "tone"], 2, "has no axis 'tone'"),
        (["--rubric", "mine"], 2, "there is no rubric 'mine'"),
        (["--token", "short"], 2, "at least 12 characters"),
        (["--annotator", "a\nb"], 2, "is not a name"),
        (["--annotator", "rules@2"], 2, "'rules@2' is the name of a grader, and labels are by people"),
        (["--host", "no.such.host.invalid"], 2, "there is no host"),
        (["--host", "8.8.8.8"], 2, r"8\.8\.8\.8 is no address of this machine"),
        (["mill", "mill"], 2, "name one version, or a baseline and a candidate"),
        (["--db", "mysql://x/y"], 2, "a project is a file or a PostgreSQL database"),
    ],
)
def test_wrong_use_is_a_sentence(mill: str, options: list[str], code: int, words: str) -> None:
    with pytest.raises(SurefootError, match=words) as caught:
        cli.main(["label", str(mill), "--no-browser", *options], standalone_mode=False)
    assert caught.value.exit_code == code and caught.value.hint


def test_a_database_that_cannot_be_written_is_said_before_anybody_looks(
    mill: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surefoot.store.project._is_writable", lambda _: False)
    done = surefoot("label", mill, "--no-browser", "--port", "0")
    assert done.code == 4 and "cannot be used: attempt to write a readonly database" in done.err
    assert "labels go to" not in done.err


def test_a_port_that_is_taken_is_named_or_another_is_used(mill: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = surefoot("label", mill, "--no-browser", "--port", str(taken.getsockname()[1]))
        assert done.code == 4 and "cannot be used" in done.err and "hint: " in done.err


def test_a_team_may_have_its_project_on_a_server(on_server: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_DB", on_server())
    mill = make_run("mill", [trace(number) for number in range(4)])
    for looked_at in (0, 1):
        with serving(mill, "--annotator", "Ana") as server:
            assert server.told["looked_at"] == looked_at
            ana = Somebody(server).go()
            sent = ana.sent("correct")
            sent["sides"][0]["note"] = "<b>né</b> 'q' %s"
            here = ana.at
            for _ in range(2):
                assert ana.post("/save", sent).code == 200
            assert "&lt;b&gt;né&lt;/b&gt;" in ana.go(here).text
    assert [row.note for row in rows()] == ["<b>né</b> 'q' %s"] * 2


def test_a_rubric_of_ones_own_is_the_form(mill: str, tmp_path: Path) -> None:
    path = tmp_path / "tone.toml"
    path.write_text('name = "tone"\n[[axis]]\nname = "tone"\nasks = "How?"\nvalues = ["kind", "rude"]\n', "utf-8")
    with (
        serving(mill, "--rubric", str(path), "--annotator", "Ana") as server,
        urlopen(server.url, timeout=600) as reply,
    ):
        page = reply.read().decode()
    assert 'value="kind"' in page and 'value="rude"' in page and "factuality" not in page


def test_a_team_is_told_that_nothing_is_encrypted(tmp_path: Path) -> None:
    run = make_run("mill", [trace(0)], verdicts=False)
    with serving(run, "--host", "0.0.0.0") as server:
        said = server.end()
    assert "not encrypted" in said and "not graded, so its answers come in random order" in said
