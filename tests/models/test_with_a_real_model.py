"""A small language model at the other end, with few short calls: what it says matters less than that it says it."""

from __future__ import annotations

from pathlib import Path

from surefoot.models.endpoint import EndpointModel, open_model
from surefoot.models.seam import Prompt, Reply, Settings
from surefoot.store import Project
from tests.llm_server import LlmServer
from tests.models.schemas import VERDICT


def opened(server: LlmServer, cache: Path) -> EndpointModel:
    model = open_model(
        f"llm:{server.model}@{server.url}", Settings(concurrency=2, cache=Project.open(cache).replies, thinking=0)
    )
    assert isinstance(model, EndpointModel)
    return model


def verdict_on(claim: str) -> Prompt:
    return Prompt(f"Is this true? {claim} Reply as JSON with verdict and score.", schema=VERDICT, longest=40)


def test_the_server_keeps_to_the_schema_and_a_repeat_asks_nothing(llm_server: LlmServer, tmp_path: Path) -> None:
    model, claims = opened(llm_server, tmp_path / "c.sqlite"), ["Water is wet.", "Ice is hot."]
    asked = [verdict_on(claim) for claim in claims]
    assert model.estimate(asked).calls == 2
    replies = dict(model.complete_all(asked))
    # Its grammar knows the words but not the range of a number, so an error can only be about that, or about length.
    for reply in replies.values():
        assert reply.tokens_in > 10 and reply.tokens_out > 3 and reply.cost_usd is None
        assert _fits(reply) if not reply.error else "'score' is" in reply.error or "cut off" in reply.error
    answered = [asked[place] for place, reply in replies.items() if not reply.error]
    again = opened(llm_server, tmp_path / "c.sqlite")
    assert all(reply.cached and reply.cost_usd == 0 for _, reply in again.complete_all(answered))


def test_plain_text_and_what_is_cut_off(llm_server: LlmServer, tmp_path: Path) -> None:
    model = opened(llm_server, tmp_path / "c.sqlite")
    plain = model.complete(Prompt("Say hello.", "You are brief.", longest=200))
    assert plain.text and plain.how == "text" and plain.tokens_out > 0 and not plain.error
    cut = model.complete(Prompt("Is water wet?", schema=VERDICT, longest=2))
    assert "cut off" in cut.error and cut.asked >= 3 and cut.value is None  # more if the server drops a connection


def _fits(reply: Reply) -> bool:
    return reply.how == "json_schema" and reply.value["verdict"] in ("yes", "no") and 0 <= reply.value["score"] <= 10
