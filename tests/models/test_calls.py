"""Models behind a server that fails on request."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import asdict

from surefoot.models import client
from surefoot.models import client as pace
from surefoot.models.budget import Budget
from surefoot.models.endpoint import EndpointModel, open_model
from surefoot.models.seam import Price, Prompt, Reply, Settings
from surefoot.store import Project
from tests.fault_server import Call, Fault, FaultServer, Script, at_random, http_date, in_turn
from tests.models.schemas import asking

KEY = "sk-very-secret-0123456789"
GOOD = {"verdict": "yes", "score": 7}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_FIRST_WAIT", 0.005)


# Short for those servers alone that never answer: on a busy machine any other may take a while.
SHORT: dict[str, object] = {"stall": 0.2, "total": 0.4}


def opened(server: FaultServer, kind: str = "llm", budget: Budget | None = None, **given: object) -> EndpointModel:
    if "cache" in given:
        given["cache"] = Project.open(str(given["cache"])).replies
    settings = Settings(**{"stall": 20.0, "total": 20.0, **given})  # type: ignore[arg-type]
    model = open_model(f"{kind}:m@{server.url}", settings, budget)
    assert isinstance(model, EndpointModel)
    return model


@pytest.mark.parametrize(
    "faults",
    [
        [Fault(429)] * 6,  # more often than other failures are asked again: it is no failure to be busy
        [Fault(429, retry_after="0.1")],
        [Fault(503), Fault(529), Fault(500, message="overloaded")],
        [Fault(500), Fault(502)],
        [Fault(kind="drop")],
        [Fault(kind="truncated_body")],
        [Fault(kind="not_json")],
        [Fault(kind="stall")],
        [Fault(kind="drip")],
        [Fault(kind="cut_json"), Fault(kind="malformed")],
        [Fault(kind="wrong_schema"), Fault(kind="empty")],
    ],
    ids=lambda faults: "+".join(str(fault.kind or fault.status) for fault in faults[:3]),
)
def test_what_may_pass_is_asked_again(faults: list[Fault]) -> None:
    # One fault through one vendor's client, several through the other's: behind them all is the same.
    kind = "anthropic" if len(faults) > 1 else "llm"
    times = SHORT if faults[0].kind in ("stall", "drip") else {}
    with FaultServer(in_turn(*faults)) as server:
        reply = opened(server, kind, **times).complete(asking("p"))  # type: ignore[arg-type]
    assert (reply.value, reply.error, reply.asked) == (GOOD, "", len(faults) + 1)
    paid = 1 + sum(fault.kind in ("cut_json", "malformed", "wrong_schema", "empty") for fault in faults)
    assert (reply.tokens_in, reply.tokens_out) == (100 * paid, 10 * paid)
    assert server.good["p"] == 1 and server.asked["p"] == len(faults) + 1


@pytest.mark.parametrize(
    ("fault", "words", "calls"),
    [
        (Fault(500, message="boom"), "HTTP 500: boom (given up after", 3),
        (Fault(kind="stall"), "sent nothing for 0.2 s", 3),
        (Fault(kind="drip"), "not whole after 0.4 s", 3),
        (Fault(kind="drop"), "broke off", 3),
        (Fault(kind="malformed"), "no whole JSON object", 2),
        (Fault(kind="wrong_schema"), "the reply.verdict must be one of ['yes', 'no']", 2),
        (Fault(403, message="not this"), "HTTP 403: not this", 1),
        (Fault(413, message="too large"), "HTTP 413: too large", 1),
        (Fault(400, message="exceeds the context window"), "exceeds the context window", 3),
        (Fault(429, retry_after="3600"), "asked to wait 3600 s", 1),
        (Fault(500, retry_after="100000"), "asked to wait 100000 s", 1),
        (Fault(429, retry_after=http_date(3600)), "asked to wait", 1),
    ],
)
def test_what_does_not_pass_is_named(fault: Fault, words: str, calls: int) -> None:
    times = SHORT if fault.kind in ("stall", "drip") else {}
    with FaultServer(lambda call: fault) as server:
        model = opened(server, retries=2, repairs=1, patience=5.0, **times)  # type: ignore[arg-type]
        reply = model.complete(asking("p"))
    assert words in reply.error and reply.value is None and reply.asked == calls == server.asked["p"]


def test_a_reply_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_LARGEST_REPLY", 10_000)
    with FaultServer(in_turn(Fault(text="x" * 20_000))) as server:
        model = opened(server)
        assert "more than 10,000 bytes" in model.complete(asking("p")).error
        assert model.complete(asking("q")).error and model.complete(asking("q")).value == GOOD


def test_a_server_that_fails_again_and_again_is_not_asked_for_ever() -> None:
    with FaultServer(lambda call: Fault(503)) as server:
        replies = opened(server, patience=0.05, concurrency=4).complete_all(asking(f"p{n}") for n in range(200))
        errors = [reply.error for _, reply in replies]
    assert len(errors) == 200 and all("HTTP 503" in error for error in errors)
    assert len(server.asked) < 30 and sum(error.startswith("not asked: ") for error in errors) > 170


NO_MONEY = Fault(429, body={"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})


def test_a_vendor_that_wants_money_is_believed_when_it_says_so_again() -> None:
    with FaultServer(lambda call: NO_MONEY) as server:
        model = opened(server, concurrency=2)
        errors = [reply.error for _, reply in model.complete_all(asking(f"p{number}") for number in range(20))]
    assert len(errors) == 20 and all("quota" in error for error in errors)
    assert any(error.startswith("not asked: ") for error in errors) and 5 <= sum(server.asked.values()) <= 8
    with FaultServer(in_turn(*[NO_MONEY] * 4)) as server:
        reply = opened(server).complete(asking("p"))
    assert reply.value == GOOD and reply.asked == 5


def test_a_quota_of_a_minute_is_waited_for() -> None:
    said = {"error": {"message": "You exceeded your current quota. Please retry in 0.05s.", "code": 429}}
    with FaultServer(in_turn(*[Fault(429, body=[said])] * 8)) as server:
        reply = opened(server).complete(asking("p"))
    assert reply.value == GOOD and reply.asked == 9


@pytest.mark.parametrize("kind", ["llm", "anthropic"])
@pytest.mark.parametrize(("thinks", "calls"), [(2_000, 1), (8_000, 1), (20_000, 3)])
def test_a_model_that_thinks_gets_room_for_it(kind: str, thinks: int, calls: int) -> None:
    with FaultServer(lambda call: Fault(thinks=thinks)) as server:
        reply = opened(server, kind).complete(asking("p", longest=256))
    assert reply.value == GOOD and reply.asked == calls


def test_what_is_cut_off_again_and_again_is_an_error_and_a_limit_is_kept() -> None:
    with FaultServer(lambda call: Fault(thinks=10**6)) as server:
        reply = opened(server).complete(Prompt("p"))
        assert "cut off before it began (36,864 tokens)" in reply.error and reply.asked == 3
        limited = opened(server, max_tokens=700).complete(Prompt("q"))
        assert "cut off before it began (max_tokens 700)" in limited.error and "max_tokens" in limited.hint
        assert limited.asked == 1 and server.calls[-1].body["max_tokens"] == 700


def test_a_model_that_does_not_think_needs_no_room_for_it_and_one_that_rambles_gets_none() -> None:
    with FaultServer() as server:
        model = opened(server, concurrency=1)
        rooms = [model.complete(asking(f"p{n}")).error or server.calls[-1].body["max_tokens"] for n in range(5)]
    assert rooms == [9_216] * 3 + [1_024] * 2
    rambling = Fault(kind="cut_json", text="word " * 3_000, tokens_out=8_292)
    with FaultServer(lambda call: rambling) as server:
        assert "cut off" in opened(server).complete(Prompt("p", longest=100)).error
        assert [call.body["max_tokens"] for call in server.calls] == [8_292, 200, 400]
    # A count that cannot be right proves nothing: a text that was cut off gets more room in any case.
    with FaultServer(lambda call: Fault(kind="cut_json", text="Sixty da")) as server:
        assert "cut off" in opened(server).complete(Prompt("p", longest=100)).error
        assert [call.body["max_tokens"] for call in server.calls] == [8_292, 16_584, 33_168]
    starting_late = [None] * 3 + [Fault(thinks=4_000)] * 9
    with FaultServer(lambda call: starting_late[int(call.prompt[1:])]) as server:
        model = opened(server, concurrency=1)
        replies = [model.complete(asking(f"p{n}")) for n in range(6)]
    assert [reply.asked for reply in replies] == [1, 1, 1, 2, 1, 1] and all(reply.value == GOOD for reply in replies)


def test_a_server_without_room_for_thinking_is_asked_with_less() -> None:
    def script(call: Call) -> Fault | None:
        too_large = call.body["max_tokens"] > 4_000
        return Fault(400, message="max_tokens is too large: this model supports at most 4000") if too_large else None

    with FaultServer(script) as server:
        model = opened(server)
        assert [model.complete(asking(text)).asked for text in "pq"] == [2, 1]
        assert server.calls[-1].body["max_tokens"] == 4_000


def test_a_reply_that_is_cut_off_at_the_server_s_own_limit_is_not_asked_for_again() -> None:
    def capped(call: Call) -> Fault | None:
        too_large = call.body["max_tokens"] > 4_096
        said = f"max_tokens is too large: {call.body['max_tokens']}. This model supports at most 4096 completion tokens"
        return Fault(400, message=said) if too_large else Fault(thinks=int(call.prompt))

    for thinks, calls, error in (("3900", 2, ""), ("5000", 2, "cut off")):
        with FaultServer(capped) as server:
            reply = opened(server).complete(asking(thinks))
        assert reply.asked == calls and error in reply.error and bool(reply.error) == bool(error)
        assert not error or "lower the effort" in reply.hint


def test_who_cannot_afford_fewer_tokens_either_is_out_of_money() -> None:
    said = "This request requires more credits, or fewer max_tokens. You requested 9216, but can only afford {}."
    with FaultServer(lambda call: Fault(402, message=said.format(300))) as server:
        replies = [reply for _, reply in opened(server, concurrency=2).complete_all(asking(f"p{n}") for n in range(30))]
        assert server.counts()["calls"] <= 12 and all("add credit" in reply.hint for reply in replies)
    with FaultServer(
        lambda call: Fault(402, message=said.format(3_000)) if call.body["max_tokens"] > 3_000 else None
    ) as server:
        replies = [reply for _, reply in opened(server).complete_all(asking(f"p{n}") for n in range(30))]
        assert {reply.error for reply in replies} == {""}


def test_a_web_page_is_no_api_unless_it_has_answered_before() -> None:
    page = Fault(kind="not_json", message="Sign in")
    with FaultServer(lambda call: page) as server:
        replies = [reply for _, reply in opened(server, concurrency=2).complete_all(asking(f"p{n}") for n in range(9))]
        assert server.counts()["calls"] <= 6 and all("not an API" in reply.error for reply in replies)
    with FaultServer(lambda call: page if call.prompt == "b" and not call.earlier else None) as server:
        model = opened(server)
        assert not model.complete(asking("a")).error and not model.complete(asking("b")).error


@pytest.mark.parametrize("kind", ["llm", "anthropic"])
def test_the_limit_is_on_silence_so_a_slow_server_is_waited_for(kind: str) -> None:
    slow = Fault(kind="slow", text="word " * 20, pause=0.1)
    with FaultServer(lambda call: slow) as server:
        reply = opened(server, kind, stall=1.0, retries=0).complete(Prompt("p"))
    assert reply.text == "word " * 20 and (reply.tokens_in, reply.tokens_out, reply.asked) == (100, 10, 1)


def test_an_effort_that_a_model_does_not_take_is_said() -> None:
    unknown = Fault(400, message="Unsupported parameter: reasoning_effort")
    with FaultServer(lambda call: unknown if "reasoning_effort" in call.body else None) as server:
        model = opened(server, effort="low")
        replies = [model.complete(asking(text)) for text in "pqr"]
    assert all("reasoning_effort" in reply.error and "effort" in reply.hint for reply in replies)
    assert sum(server.asked.values()) == 1


def test_a_key_that_is_wrong_says_where_it_came_from() -> None:
    with FaultServer(lambda call: Fault(401, message="who are you?")) as server:
        reply = opened(server).complete(asking("p"))
    assert "who are you?" in reply.error and "no key was sent: set SUREFOOT_KEY_127_0_0_1" in reply.hint


def test_nobody_there_is_found_out_soon() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused, and nobody else can have it
        model = open_model(f"llm:m@http://127.0.0.1:{taken.getsockname()[1]}/v1", Settings(retries=1, concurrency=4))
        replies = [reply for _, reply in model.complete_all(asking(f"p{number}") for number in range(100))]
    assert len(replies) == 100 and all("could not be reached" in reply.error for reply in replies)
    assert sum(reply.asked for reply in replies) < 60


def test_nobody_there_costs_three_prompts_and_little_patience() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = open_model(f"llm:m@http://127.0.0.1:{taken.getsockname()[1]}/v1", Settings(concurrency=1))
        asked = [model.complete(asking(f"p{number}")).asked for number in range(5)]
    assert asked == [3, 3, 3, 0, 0]


def test_a_server_that_has_answered_gets_all_patience_when_it_is_gone() -> None:
    with FaultServer() as server:
        model = opened(server, retries=3)
        assert model.complete(asking("p")).value == GOOD
    assert [model.complete(asking(f"p{number}")).asked for number in range(5)] == [4] * 5


def rejecting(*words: str) -> Script:
    """A server that does not know some of what a request may hold."""

    def script(call: Call) -> Fault | None:
        unknown = [word for word in words if word in call.body or word in json.dumps(call.body.get("response_format"))]
        return Fault(400, message=f"unknown: {unknown[0]}") if unknown else None

    return script


@pytest.mark.parametrize(
    ("kind", "unknown", "how"),
    [
        ("llm", [], "json_schema"),
        ("llm", ["json_schema"], "json_object"),
        ("llm", ["response_format"], "text"),
        ("llm", ["temperature", "max_tokens", "response_format"], "text"),
        ("anthropic", ["output_config", "temperature"], "text"),
    ],
)
def test_what_a_server_does_not_take_is_left_out_and_remembered(kind: str, unknown: list[str], how: str) -> None:
    with FaultServer(rejecting(*unknown)) as server:
        model = opened(server, kind)
        first, second = model.complete(asking("p")), model.complete(asking("q"))
        assert (first.value, first.how, second.how, second.asked) == (GOOD, how, how, 1)
        assert server.good == {"p": 1, "q": 1}
        body = server.calls[-1].body
        assert not set(unknown) & body.keys()
        assert model.complete(Prompt("plain")).how == "text"


def test_a_tier_with_few_tokens_a_minute_is_asked_for_fewer() -> None:
    def script(call: Call) -> Fault | None:
        room = call.body["max_tokens"]
        said = f"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested {room}, reduce it"
        return Fault(413 if call.prompt == "p" else 429, message=said) if room > 6_000 else None

    with FaultServer(script) as server:
        model = opened(server)
        assert [(r.value, r.asked) for r in map(model.complete, [asking("p"), asking("q")])] == [(GOOD, 2), (GOOD, 1)]
    with FaultServer(lambda call: Fault(429, message="Request too large: Limit 10, Requested 99")) as server:
        reply = opened(server).complete(asking("p"))
    assert "Request too large" in reply.error and "raise that limit" in reply.hint and reply.asked < 5


def test_the_room_that_a_reply_needed_is_given_to_the_next() -> None:
    with FaultServer(lambda call: Fault(thinks=9_500)) as server:
        model = opened(server)
        assert [model.complete(asking(f"p{number}")).asked for number in range(3)] == [2, 1, 1]


def test_equal_prompts_are_one_call_and_a_repeat_is_none(tmp_path: Path) -> None:
    with FaultServer(latency=0.05) as server:
        model = opened(server, cache=tmp_path / "c.sqlite")
        replies = dict(model.complete_all([asking("p")] * 20 + [asking("p", attempt=2)]))
        assert server.asked["p"] == 2 and all(reply.value == GOOD for reply in replies.values())
        assert [reply.asked for reply in replies.values() if not reply.cached] == [1, 1]
        again = opened(server, cache=tmp_path / "c.sqlite", concurrency=3).complete(asking("p"))
        assert again.cached and again.cost_usd == 0 and again.value == GOOD and server.asked["p"] == 2


def test_errors_are_not_kept(tmp_path: Path) -> None:
    with FaultServer(in_turn(Fault(403))) as server:
        model = opened(server, cache=tmp_path / "c.sqlite")
        assert model.complete(asking("p")).error and model.complete(asking("p")).value == GOOD


def test_it_slows_down_and_all_wait_when_told() -> None:
    told = threading.Event()
    came: list[float] = []

    def script(call: Call) -> Fault | None:
        came.append(time.monotonic())
        if told.is_set():
            return None
        told.set()
        return Fault(429, retry_after="0.4")

    with FaultServer(script, latency=0.01) as server:
        replies = list(opened(server, concurrency=2).complete_all(asking(f"p{number}") for number in range(20)))
    assert all(reply.value == GOOD for _, reply in replies)
    assert sum(moment - came[0] < 0.38 for moment in came) <= 4  # those under way before the pause was known


def test_concurrency_is_used_and_kept() -> None:
    with FaultServer(latency=0.3) as server:
        list(opened(server, concurrency=9).complete_all(asking(f"p{number}") for number in range(40)))
    assert server.most_active == 9


def test_prompts_are_pulled_as_they_are_needed() -> None:
    pulled = 0

    def prompts() -> Iterator[Prompt]:
        nonlocal pulled
        for number in range(10_000):
            pulled += 1
            yield asking(f"p{number}")

    with FaultServer() as server:
        replies = opened(server, concurrency=5).complete_all(prompts())
        for _ in range(10):
            next(replies)
        replies.close()  # type: ignore[attr-defined]
    assert pulled <= 25


def test_every_prompt_is_answered_or_named_and_none_is_paid_twice(tmp_path: Path) -> None:
    quick = (Fault(429, retry_after="0.05"), Fault(429), Fault(500), Fault(503), Fault(kind="drop"),
             Fault(kind="truncated_body"), Fault(kind="malformed"), Fault(kind="wrong_schema"))  # fmt: skip
    with FaultServer(at_random(0.2, 3, quick), latency=0.01) as server:
        model = opened(server, concurrency=64, cache=tmp_path / "c.sqlite")
        replies = dict(model.complete_all(asking(f"p{number}") for number in range(400)))
        assert sorted(replies) == list(range(400))
        assert all((reply.value == GOOD) != bool(reply.error) for reply in replies.values())
        assert sum(not reply.error for reply in replies.values()) >= 395
        assert set(server.good.values()) == {1}
        calls = sum(server.asked.values())
        assert calls == sum(reply.asked for reply in replies.values())
        answered = [asking(f"p{place}") for place, reply in replies.items() if not reply.error]
        assert all(reply.cached for _, reply in model.complete_all(answered))
        assert sum(server.asked.values()) == calls


def test_the_limit_on_cost_holds_before_the_call() -> None:
    prices = {"m": Price(1000, 1000)}  # a call costs 0.11
    with FaultServer() as server:
        budget = Budget(1.0)
        model = opened(server, budget=budget, prices=prices, concurrency=4)
        asked = [asking(f"p{number}", longest=10) for number in range(30)]
        estimate = model.estimate([*asked, asked[0]])
        assert (estimate.calls, estimate.known, estimate.tokens_out_most) == (30, 1, 300)
        assert estimate.usd_most is not None and estimate.usd_most > 2.5
        assert estimate.thinking_most == 30 * 8_192 and estimate.usd_thinking == pytest.approx(8.192 * 30)
        replies = [reply for _, reply in model.complete_all(asked)]
    paid = [reply for reply in replies if not reply.error]
    assert 0 < len(paid) < 10 and budget.spent_usd == pytest.approx(0.11 * len(paid)) and budget.spent_usd <= 1
    assert len(replies) == 30 and all("limit of $1.00" in reply.error for reply in replies if reply.error)
    assert sum(server.asked.values()) == len(paid) and paid[0].cost_usd == pytest.approx(0.11)


def test_tokens_that_a_server_does_not_count_make_no_cost_of_nought() -> None:
    prices = {"m": Price(1, 1)}
    with FaultServer(lambda call: Fault(usage=False)) as server:
        reply = opened(server, prices=prices).complete(asking("p"))
    assert reply.value == GOOD and reply.cost_usd is None


def test_an_answer_that_got_lost_may_have_been_paid() -> None:
    prices = {"m": Price(1, 1)}
    with FaultServer(lambda call: Fault(kind="not_json")) as server:
        budget = Budget(1.0)
        priced = opened(server, budget=budget, prices=prices, retries=1).complete(asking("p"))
        assert opened(server, retries=0).complete(asking("q")).cost_usd is None
    assert priced.asked == 2 and priced.cost_usd == pytest.approx(budget.spent_usd) and budget.spent_usd > 0


@pytest.mark.parametrize("before", ["x" * 60, "x" * 190, " " * 1_980, " " * 390])
def test_a_key_is_taken_out_before_its_message_is_cut(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_KEY_127_0_0_1", KEY)
    for fault in (Fault(403, message=before + "{key}"), Fault(kind="not_json", message=before + "{key}")):
        with FaultServer(lambda call, fault=fault: fault) as server:  # type: ignore[misc]
            assert KEY[:5] not in opened(server, retries=0).complete(asking("p")).error


@pytest.mark.parametrize("kind", ["llm", "anthropic"])
def test_a_key_is_sent_and_never_seen_again(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("SUREFOOT_KEY_127_0_0_1", KEY)
    echoes = (Fault(401, message="{key} is wrong"), Fault(kind="not_json", message="{key}"),
              Fault(400, message="temperature {key}"), Fault(text='{"verdict": "{key}"}'))  # fmt: skip
    seen: list[str] = []
    with caplog.at_level(logging.DEBUG):
        for number, fault in enumerate(echoes):
            with FaultServer(lambda call, fault=fault: fault) as server:  # type: ignore[misc]
                model = opened(server, kind, retries=0, repairs=0, cache=tmp_path / f"{number}.sqlite")
                for prompt in (asking("p"), Prompt("q")):
                    reply = model.complete(prompt)
                    seen.append(f"{asdict(reply)} {model.name} {vars(model)}")
                assert all(call.authorization.endswith(KEY) for call in server.calls) and server.calls
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    captured = capfd.readouterr()
    assert KEY not in "".join([*seen, caplog.text, captured.out, captured.err]) and KEY.encode() not in kept
    assert "***" in "".join(seen) and b"***" in kept


def test_no_key_is_sent_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    with FaultServer() as server:
        for kind in ("llm", "anthropic"):
            assert opened(server, kind).complete(asking(kind)).value == GOOD
    assert [call.authorization for call in server.calls] == ["", ""]


ASKER = """
import sys
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Prompt, Settings
from surefoot.store import Project
model = open_model(f"llm:m@{sys.argv[1]}", Settings(concurrency=8, cache=Project.open(sys.argv[2]).replies))
try:
    for place, reply in model.complete_all(Prompt(f"p{number}") for number in range(1000)):
        print(place, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_in_the_middle_nothing_paid_for_is_lost(tmp_path: Path, signal_number: int) -> None:
    with FaultServer(latency=0.1) as server:
        command = [sys.executable, "-X", "dev", "-c", ASKER, server.url, str(tmp_path / "c.sqlite")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = [process.stdout.readline().strip() for _ in range(10)]
            os.kill(process.pid, signal_number)
            rest, errors = process.communicate(timeout=600)
        asked = dict(server.asked)
        model = opened(server, concurrency=8, cache=tmp_path / "c.sqlite")
        kept = [int(text[1:]) for text in asked if model.complete(Prompt(text)).cached]
    assert {int(word) for word in said} <= set(kept)
    if signal_number == signal.SIGINT:
        assert process.returncode == 0 and rest.endswith("interrupted\n") and "Error" not in errors
        assert len(kept) == len(asked) < 100, "calls under way are waited for and kept"


def test_a_caller_that_stops_leaves_nothing_behind(recwarn: pytest.WarningsRecorder) -> None:
    with FaultServer(lambda call: None if call.prompt == "p0" else Fault(kind="stall")) as server:
        model = opened(server, stall=600.0, total=600.0, grace=0.1, concurrency=4)
        for _, reply in model.complete_all(asking(f"p{number}") for number in range(50)):
            assert reply.value == GOOD
            break
        gc.collect()
        assert vars(model)["_terms"].client.pace.active == 0 and not vars(model)["_under_way"]
    assert not list(recwarn)


def test_one_caller_that_stops_does_not_spoil_the_reply_of_another(tmp_path: Path) -> None:
    script = in_turn(Fault(500))
    with FaultServer(lambda call: script(call) if call.prompt == "p" else None, latency=0.3) as server:
        model = opened(server, cache=tmp_path / "c.sqlite")
        model.complete(asking("known"))
        first = model.complete_all([asking("known"), asking("p")])
        assert next(first)[1].cached
        stopping = threading.Thread(target=first.close)  # type: ignore[attr-defined]
        stopping.start()  # while p is under way, and about to fail
        assert model.complete(asking("p")).value == GOOD
        stopping.join(10)
    assert server.asked["p"] == 2


def test_a_fault_of_our_own_is_not_swallowed() -> None:
    with FaultServer() as server:
        with pytest.raises(ValueError, match="cannot be checked against the schema"):
            opened(server).complete(Prompt("p", schema={"type": "object", "properties": {"a": {"type": "text"}}}))
        assert not server.calls
        assert opened(server).complete(asking("q")).value == GOOD


def test_several_threads_may_ask_the_same_model() -> None:
    found: list[Reply] = []
    with FaultServer(latency=0.02) as server:
        model = opened(server)

        def ask() -> None:
            found.extend(reply for _, reply in model.complete_all([asking("p"), asking("q")]))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
    assert len(found) == 16 and all(reply.value == GOOD for reply in found)
    assert server.good["p"] <= 8 and sum(reply.asked for reply in found) == sum(server.asked.values())


def test_what_the_cache_has_is_known_without_asking(tmp_path: Path) -> None:
    with FaultServer() as server:
        model, prompt = opened(server, cache=tmp_path / "c.db"), Prompt("What is it?")
        assert model.known(prompt) is None
        reply = model.complete(prompt)
        known = model.known(prompt)
        assert known is not None and known.text == reply.text and known.cached and len(server.calls) == 1
