"""Who is let in: what a browser would never send by itself is sent here by hand."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from .page import Server, Somebody, ask, make_run, rows, serving, trace


def label(server: Server, **headers: str) -> tuple[dict[str, object], dict[str, str]]:
    """A label as the page sends it, and the headers that it is sent with."""
    ana = Somebody(server)
    ana.headers |= headers
    return ana.go().sent("wrong"), {"Origin": f"http://127.0.0.1:{server.port}"}


@pytest.fixture(scope="module", autouse=True)
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("guarded") / "surefoot.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUREFOOT_DB", str(place))
        yield place


@pytest.fixture(scope="module")
def mill(db: Path) -> str:
    return make_run("mill", [trace(number) for number in range(8)])


@pytest.fixture(scope="module")
def server(mill: str) -> Iterator[Server]:
    with serving(mill, "--annotator", "Ana") as made:
        yield made


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "[::1", "10.0.0.1"])
def test_a_name_that_leads_here_but_is_not_ours_is_refused(server: Server, host: str) -> None:
    assert ask(server, "/done", Host=host).code == 421


def test_the_names_of_this_machine_will_do_at_any_port(server: Server) -> None:
    for host in (f"localhost:{server.port}", "127.0.0.1:9", "[::1]:1"):  # as a tunnel would have it
        assert ask(server, "/done", Host=host).code == 200


def test_only_the_page_itself_can_save(server: Server, mill: str) -> None:
    body, good = label(server)
    elsewhere = [
        {**good, "Origin": "http://evil.example"},
        {**good, "Origin": f"http://127.0.0.1:{server.port + 1}"},
        {**good, "Origin": f"https://127.0.0.1:{server.port}"},
        {**good, "Origin": f"http://127.0.0.1:{server.port}/"},
        {**good, "Origin": "http://[::1"},
        {**good, "Origin": "null"},
        {},
        {**good, "Sec-Fetch-Site": "cross-site"},
        {**good, "Sec-Fetch-Site": "same-site"},
    ]
    for headers in elsewhere:
        reply = ask(server, "/save", body, **headers)
        assert reply.code == 403 and "not saved" in reply.text
    assert ask(server, "/save", body, **good, **{"Content-Type": "text/plain"}).code == 415
    assert rows() == []
    assert ask(server, "/save", body, **good).code == 200
    assert len(rows()) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"sides": 1}', b"\xff", b"[" * 50_000, b'{"name":"' + b"x" * 200_000]
)
def test_what_the_page_would_never_send_is_refused_in_words(server: Server, body: bytes) -> None:
    _, headers = label(server)
    reply = ask(server, "/save", body, **headers)
    assert reply.code == 400 and json.loads(reply.text)["error"]


@pytest.mark.parametrize("name", ["", "x:y", "a" * 31, "a" * 50_000, "A" * 32, f"{'b' * 32}~undo", "b" * 32 + "\n"])
def test_a_sending_has_a_name_as_pages_give_it(server: Server, name: str) -> None:
    body, headers = label(server)
    reply = ask(server, "/save", {**body, "id": name}, **headers)
    assert reply.code == 400 and "no name that a page would give" in reply.text
    assert ask(server, "/undo", {"id": name}, **headers).code == 400


@pytest.mark.parametrize("name", ["9" * 5_000, "0", "-", "a-b-c", "\u0661", "..", "x%00"])
def test_an_answer_that_is_not_there_is_not_found(server: Server, name: str) -> None:
    reply = ask(server, f"/{quote(name)}")
    assert reply.code == 404 and "There is no such page" in reply.text


def test_whoever_hangs_up_in_the_middle_is_nobodys_error(mill: str) -> None:
    with serving(mill, "--annotator", "Ana") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=600) as line:
            host = f"127.0.0.1:{server.port}"
            head = f"POST /looks/save HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            line.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode())
        assert ask(server, "/done").code == 200
        assert "rror" not in server.end()


def test_every_reply_forbids_scripts_frames_and_other_sites(server: Server) -> None:
    for path in (
        "/",
        "/settle",
        "/done",
        "/nowhere",
        "/static/page.js",
        "/99999999999",
    ):
        reply = ask(server, path)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy
        assert reply.headers["x-content-type-options"] == "nosniff" and reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert "Traceback" not in reply.text
    assert ask(server, "/static/../app.py").code == 404 and ask(server, "/nowhere").code == 404


def test_cookies_cannot_be_read_by_scripts_or_sent_from_elsewhere(mill: str) -> None:
    with serving(mill) as server:
        cookie = ask(server, "/name", {"name": "Ana"}, Origin=server.origin).headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and str(server.port) in cookie


def test_a_team_needs_the_token_and_keeps_it_in_a_cookie(mill: str) -> None:
    with serving(mill, "--host", "0.0.0.0", "--annotator", "Ana") as server:
        token = server.told["url"].partition("?token=")[2]
        assert len(token) >= 32
        for path in ("/", "/done", "/gate", "/static/page.js", "/?token=wrong", "/?token="):
            assert ask(server, path).code == 403
        welcome = ask(server, f"/?token={token}")
        assert welcome.code == 200 and token not in welcome.text and 'url=/"' in welcome.text
        cookie = welcome.cookies[0]
        assert ask(server, "/done", Cookie=cookie).code == 200
        assert ask(server, "/done", Cookie=cookie.replace("=", "=x")).code == 403
        assert ask(server, "/done", Cookie=cookie, Host="evil.example").code == 421
        body, good = label(server, Cookie=cookie)
        refused = ask(server, "/save", body, **good)
        assert refused.code == 403 and "token" in json.loads(refused.text)["error"]
        assert ask(server, "/save", body, Cookie=cookie, **good).code == 200


def test_a_token_can_be_asked_for_at_home_too(mill: str) -> None:
    with serving(mill, "--token", "a token of ours") as server:
        assert ask(server, "/who").code == 403
        assert ask(server, "/?token=a%20token%20of%20ours").code == 200


def test_names_are_asked_for_and_checked(mill: str) -> None:
    with serving(mill) as server:
        assert ask(server, "/done").headers["location"] == "/looks/who"
        headers = {"Origin": server.origin}
        for bad in ("", "  ", "x" * 61, "a\u202eb", "\x00", "rules@2"):
            assert ask(server, "/name", {"name": bad}, **headers).code == 400
        good = ask(server, "/name", {"name": " Zoë; \t=Ångström "}, **headers)
        assert good.code == 200
        assert "Zoë; =Ångström" in ask(server, "/done", Cookie=good.cookies[0]).text.replace("&#39;", "'")
        assert ask(server, "/more", {}, **headers).code == 400  # nobody yet
        for crafted in ("x" * 61, "a%E2%80%AEb", "%00", "%FF", "%20", "local%402"):
            cookie = f"surefoot_name_{server.port}={crafted}"
            assert ask(server, "/done", Cookie=cookie).headers["location"] == "/looks/who"
