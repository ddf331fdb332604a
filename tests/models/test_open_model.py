from __future__ import annotations

import subprocess
import sys

import pytest

from surefoot.core.errors import Incomplete, UsageError
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Price, Settings
from surefoot.models.spec import masked, parsed

SECRET = "hunter2hunter2"


@pytest.mark.parametrize(
    ("spec", "model", "endpoint"),
    [
        ("llm:gpt-4o", "gpt-4o", "https://api.openai.com/v1"),
        ("llm:org/name:7b-q4@http://localhost:11434/v1/", "org/name:7b-q4", "http://localhost:11434/v1"),
        ("llm:@cf/meta/llama@https://example.org/v1", "@cf/meta/llama", "https://example.org/v1"),
        ("llm:@cf/meta/llama-3.1", "@cf/meta/llama-3.1", "https://api.openai.com/v1"),
        ("anthropic:claude-sonnet-4-5", "claude-sonnet-4-5", "https://api.anthropic.com"),
        ("anthropic:claude@20250929@https://example.org/v1", "claude@20250929", "https://example.org"),
        ("llm:m@http://[::1]:8000/v1", "m", "http://[::1]:8000/v1"),
        ("llm:m@HTTP://localhost:1/v1", "m", "http://localhost:1/v1"),
    ],
)
def test_what_a_spec_names(spec: str, model: str, endpoint: str) -> None:
    assert parsed(spec)[1:] == (model, endpoint)


@pytest.mark.parametrize(
    "spec",
    ["gpt-4o", "llm:", "llm:m@localhost:8000/v1", "llm:m@example.org", "llm:m@http://", "llm:m@http://h:x/v1",
     "llm:m@http://h:0/v1", "llm:m@http://a b/v1", f"llm:m@https://me:{SECRET}@example.org/v1",
     f"llm:m@https://example.org/v1?key={SECRET}", f"lmm:m@https://me:{SECRET}@example.org/v1",
     f"llm:m@http://me:{SECRET}@host:notaport/v1", f"llm:m@http://host:1x/v1?api_key={SECRET}",
     f"llm:m@http://{SECRET}@[::1/v1", f"llm:m@{SECRET}@host.com", f"llm:m@http://host:{SECRET}/v1",
     f"llm:m@HTTP://u:{SECRET}@h/v1", f"llm:m@http://me:{SECRET}@:99999x/", f"llm:m@http://me:a/{SECRET}@h/v1",
     f"llm:m@http://h/v1?mail=a@{SECRET}", f"llm:m@u:{SECRET}@http://h/v1", f"llm:u:{SECRET}@example.org",
     f"llm:m@http:/host:{SECRET}/v1", f"llm:m@ http://u:{SECRET}@h/v1", f"llm:m@ftp://u:{SECRET}@h/v1",
     f"llm:m@h?key={SECRET}", f"llm:m@{SECRET}@h",
     "llm:@http://x", "llm:http://x/v1", "llm:@example.org/v1", "llm:m@http://ü..ü/v1", "llm:m@http://a..b/v1",
     "llm:m@http://h:99999/v1", "llm:m@http://[::1]x/v1"],
)  # fmt: skip
def test_what_names_no_model_is_refused_with_a_hint_and_no_password(spec: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_model(spec)
    assert raised.value.hint and SECRET not in str(raised.value)


def test_an_endpoint_without_a_server_is_said_to_name_none() -> None:
    with pytest.raises(UsageError, match="'http://' names no server"):
        parsed("llm:m@http://")


def test_what_can_be_used_is_shown_as_it_is() -> None:
    fine = "llm:@cf/a@https://example.org/v1,anthropic:c@20250929"
    assert masked(fine) == fine
    assert masked(f"{fine},llm:m@http://u:{SECRET}@h/v1") == f"{fine},llm:m@http://***@h/v1"


def test_a_vendor_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        open_model("llm:gpt-4o")


def test_a_limit_on_an_unknown_cost_cannot_be_kept() -> None:
    with pytest.raises(UsageError, match="price of m is not known"):
        open_model("llm:m@http://localhost:1/v1", budget=Budget(1.0))
    assert open_model("llm:m@http://localhost:1/v1", Settings(prices={"m": Price(0, 0)}), Budget(1.0)).name


def test_models_at_one_endpoint_share_its_pace() -> None:
    one, other = (open_model(f"llm:{name}@http://localhost:1/v1") for name in "ab")
    assert vars(one)["_terms"].client is vars(other)["_terms"].client


def test_without_the_extra_the_hint_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(Incomplete, match=r"surefoot\[llm\]"):
        open_model("llm:m@http://localhost:2/v1")


def test_opening_is_light_until_a_model_is_opened() -> None:
    code = (
        "import sys, surefoot.models.endpoint; sys.exit(bool({'openai', 'anthropic', 'aiohttp'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=600).returncode == 0
