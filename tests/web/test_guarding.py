"""Who is let in: what a browser would never send by itself is sent here by hand."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from .labelling import Server, make_run, rows, serving, trace


class Reply:
    def __init__(self, found: http.client.HTTPResponse) -> None:
        self.code, self.headers = found.status, found.headers
        self.text = found.read().decode()
        self.cookies = [value.partition(";")[0] for value in found.headers.get_all("set-cookie") or []]


def ask(server: Server, path: str, body: object = None, **headers: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is None:
        connection.request("GET", path, headers=given)
    else:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, {"Content-Type": "application/json", **given})
    reply = Reply(connection.getresponse())
    connection.close()
    return reply


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "mill", [trace(number) for number in range(8)])


@pytest.fixture(scope="module")
def server(mill: Path) -> Iterator[Server]:
    with serving(mill, "--annotator", "Ana") as made:
        yield made


def label(server: Server, **headers: str) -> tuple[dict[str, object], dict[str, str]]:
    """A label as the page sends it, with the cookie that came with the page."""
    page = ask(server, "/answers/1", **headers)
    cookie = next(c for c in page.cookies if "form" in c)
    version = page.text.partition('data-version="')[2].partition('"')[0]
    sent = {"number": 1, "version": version, "id": "a" * 32, "values": {"factuality": "wrong"}}
    return {"form": cookie.partition("=")[2], "label": sent}, {
        "Cookie": cookie,
        "Origin": f"http://127.0.0.1:{server.port}",
    }


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "[::1", "10.0.0.1"])
def test_a_name_that_leads_here_but_is_not_ours_is_refused(server: Server, host: str) -> None:
    assert ask(server, "/answers/1", Host=host).code == 421


def test_the_names_of_this_machine_will_do_at_any_port(server: Server) -> None:
    for host in (f"localhost:{server.port}", "127.0.0.1:9", "[::1]:1"):  # as a tunnel would have it
        assert ask(server, "/answers/1", Host=host).code == 200


def test_only_the_page_itself_can_save(server: Server, mill: Path) -> None:
    body, good = label(server)
    elsewhere = [
        {**good, "Origin": "http://evil.example"},
        {**good, "Origin": f"http://127.0.0.1:{server.port + 1}"},
        {**good, "Origin": "null"},
        {"Cookie": good["Cookie"]},
        {**good, "Sec-Fetch-Site": "cross-site"},
        {**good, "Sec-Fetch-Site": "same-site"},
    ]
    for headers in elsewhere:
        reply = ask(server, "/label", body, **headers)
        assert reply.code == 403 and "not saved" in reply.text
    assert ask(server, "/label", body, **good, **{"Content-Type": "text/plain"}).code == 415
    guessed = ask(server, "/label", {**body, "form": "guessed"}, **good)
    assert guessed.code == 409 and json.loads(guessed.text)["form"] == body["form"]  # only a page of ours can read it
    assert ask(server, "/label", body, Origin=server.url).code == 409
    assert rows(mill) == []
    assert ask(server, "/label", body, **good).code == 200
    assert len(rows(mill)) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"form": 1}', b"\xff", b"[" * 50_000, b'{"form":"' + b"x" * 200_000]
)
def test_what_the_page_would_never_send_is_refused_in_words(server: Server, body: bytes) -> None:
    _, headers = label(server)
    reply = ask(server, "/label", body, **headers)
    assert reply.code == 400 and json.loads(reply.text)["error"]


def test_every_reply_forbids_scripts_frames_and_other_sites(server: Server) -> None:
    for path in (
        "/",
        "/answers/1",
        "/done",
        "/nowhere",
        "/static/label.js",
        "/static/../app.py",
        "/answers/99999999999",
    ):
        reply = ask(server, path)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy
        assert reply.headers["x-content-type-options"] == "nosniff" and reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert "Traceback" not in reply.text
    assert ask(server, "/static/../app.py").code == 404 and ask(server, "/nowhere").code == 404


def test_cookies_cannot_be_read_by_scripts_or_sent_from_elsewhere(server: Server) -> None:
    for cookie in ask(server, "/answers/1").headers.get_all("set-cookie") or [""]:
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and str(server.port) in cookie


def test_a_team_needs_the_token_and_keeps_it_in_a_cookie(mill: Path) -> None:
    with serving(mill, "--host", "0.0.0.0", "--annotator", "Ana") as server:
        token = server.told["url"].partition("?token=")[2]
        assert len(token) >= 32
        for path in ("/", "/answers/1", "/static/label.js", "/?token=wrong", "/?token="):
            assert ask(server, path).code == 403
        welcome = ask(server, f"/?token={token}")
        assert welcome.code == 200 and token not in welcome.text and 'url=/"' in welcome.text
        cookie = welcome.cookies[0]
        assert ask(server, "/answers/1", Cookie=cookie).code == 200
        assert ask(server, "/answers/1", Cookie=cookie.replace("=", "=x")).code == 403
        assert ask(server, "/answers/1", Cookie=cookie, Host="evil.example").code == 421
        body, good = label(server, Cookie=cookie)
        refused = ask(server, "/label", body, **good)
        assert refused.code == 403 and "token" in json.loads(refused.text)["error"]
        assert ask(server, "/label", body, **{**good, "Cookie": f"{good['Cookie']}; {cookie}"}).code == 200


def test_a_token_can_be_asked_for_at_home_too(mill: Path) -> None:
    with serving(mill, "--token", "a token of ours") as server:
        assert ask(server, "/who").code == 403
        assert ask(server, "/?token=a%20token%20of%20ours").code == 200


def test_names_are_asked_for_and_checked(mill: Path) -> None:
    with serving(mill) as server:
        assert ask(server, "/answers/1").headers["location"] == "/who"
        page = ask(server, "/who")
        secret = page.cookies[0].partition("=")[2]
        headers = {"Cookie": page.cookies[0], "Origin": server.url}
        for bad in ("", "  ", "x" * 61, "a\u202eb", "\x00"):
            assert ask(server, "/name", {"form": secret, "name": bad}, **headers).code == 400
        good = ask(server, "/name", {"form": secret, "name": " Zoë; \t=Ångström "}, **headers)
        assert good.code == 200
        named = "; ".join([page.cookies[0], *good.cookies])
        assert "Zoë; =Ångström" in ask(server, "/answers/1", Cookie=named).text.replace("&#39;", "'")
        assert ask(server, "/skip", {"form": secret, "number": 1}, **headers).code == 400  # nobody yet
