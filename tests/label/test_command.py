from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from surefoot.cli.main import cli
from surefoot.core.errors import SurefootError

from ..in_process import surefoot
from .page import make_run, rows, serving, trace
from .requests import ask, label


def test_the_command_says_where_the_page_is_and_ends_well(mill: str, db: Path) -> None:
    with serving(mill, "--target", "10") as server:
        assert server.told == {
            "url": f"{server.url}/", "run": "mill", "db": str(db), "target": 10,
            "labelled": 0, "queue": {"flagged": 10, "sample": 30},
        }  # fmt: skip
        said = server.end()
    assert server.code == 0
    assert said == f"note: 0 answers labelled, 10 wanted; the labels are in {db}\n"


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
        (["--only-gate"], 4, "the gate waits for no label"),
        (["--db", "mysql://x/y"], 2, "a project is a file or a PostgreSQL database"),
    ],
)
def test_wrong_use_is_a_sentence(mill: str, options: list[str], code: int, words: str) -> None:
    with pytest.raises(SurefootError, match=words) as caught:
        cli.main(["label", str(mill), "--no-browser", *options], standalone_mode=False)
    assert caught.value.exit_code == code and caught.value.hint


def test_a_port_that_is_taken_is_named_or_another_is_used(mill: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = surefoot("label", mill, "--no-browser", "--port", str(taken.getsockname()[1]))
        assert done.code == 4 and "cannot be used" in done.err and "hint: " in done.err


@pytest.mark.parametrize("overlap", ["nan", "inf", "-inf", "-0.1", "1.1", "half"])
def test_a_share_is_from_0_to_1(mill: str, overlap: str) -> None:
    assert surefoot("label", mill, "--no-browser", "--overlap", overlap).code == 2


def test_a_team_may_have_its_project_on_a_server(on_server: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_DB", on_server())
    mill = make_run("mill", [trace(number) for number in range(4)])
    for labelled in (0, 1):
        with serving(mill, "--annotator", "Ana") as server:
            assert server.told["labelled"] == labelled
            body, headers = label(server, labelled + 1)
            sent = {**body["label"], "id": str(labelled) * 32, "note": "<b>né</b> 'q' %s"}  # type: ignore[dict-item]
            for _ in range(2):
                assert ask(server, "/label", {**body, "label": sent}, **headers).code == 200
            assert "&lt;b&gt;né&lt;/b&gt;" in ask(server, f"/answers/{labelled + 1}").text
    assert [row.note for row in rows()] == ["<b>né</b> 'q' %s"] * 2


def test_a_rubric_of_ones_own_is_the_form(mill: str, tmp_path: Path) -> None:
    path = tmp_path / "tone.toml"
    path.write_text('name = "tone"\n[[axis]]\nname = "tone"\nasks = "How?"\nvalues = ["kind", "rude"]\n', "utf-8")
    with (
        serving(mill, "--rubric", str(path), "--annotator", "Ana") as server,
        urlopen(f"{server.url}/answers/1", timeout=600) as reply,
    ):
        page = reply.read().decode()
    assert 'value="kind"' in page and 'value="rude"' in page and "factuality" not in page


def test_a_team_is_told_that_nothing_is_encrypted(tmp_path: Path) -> None:
    run = make_run("mill", [trace(0)], verdicts=False)
    with serving(run, "--host", "0.0.0.0") as server:
        said = server.end()
    assert "not encrypted" in said and "not graded, so its answers come in random order" in said
