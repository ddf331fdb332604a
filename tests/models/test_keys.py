from __future__ import annotations

import pytest

from surefoot.core.errors import UsageError
from surefoot.models.budget import Budget
from surefoot.models.client import Secret, key_of, variables_of
from surefoot.models.dialects import Manner, OpenAiDialect
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Prompt, Settings
from surefoot.models.spec import VENDORS, Vendor

KEY = "sk-very-secret-0123456789"


def test_where_keys_are_looked_for() -> None:
    assert variables_of("https://api.openai.com/v1") == ["SUREFOOT_KEY_API_OPENAI_COM", "OPENAI_API_KEY"]
    assert variables_of("https://my-host.example:8443/v1") == [
        "SUREFOOT_KEY_MY_HOST_EXAMPLE_8443", "SUREFOOT_KEY_MY_HOST_EXAMPLE",
    ]  # fmt: skip


def test_a_vendors_key_goes_to_the_vendor_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}-other\n")
    assert key_of("https://api.openai.com/v1").reveal() == KEY
    assert key_of("https://api.anthropic.com").reveal() == f"{KEY}-other"
    for elsewhere in ("http://localhost:8000/v1", "https://api.openai.com.example/v1", "https://example.org/v1"):
        assert not key_of(elsewhere)
    monkeypatch.setenv("SUREFOOT_KEY_EXAMPLE_ORG", KEY[::-1])
    assert key_of("https://example.org/v1").reveal() == KEY[::-1]


def test_another_vendor_is_a_line_in_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="the price of m is not known"):
        open_model("llm:m@https://api.example.ai/v1", budget=Budget(1.0))
    monkeypatch.setitem(VENDORS, "api.example.ai", Vendor("EXAMPLE_API_KEY", {"tier": "free"}, "max_output"))
    with pytest.raises(UsageError, match=r"there is no key for api\.example\.ai") as refused:
        open_model("llm:m@https://api.example.ai/v1")
    assert refused.value.hint == "set the environment variable EXAMPLE_API_KEY"
    monkeypatch.setenv("EXAMPLE_API_KEY", KEY)
    assert key_of("https://api.example.ai/v1").reveal() == KEY
    body = OpenAiDialect(VENDORS["api.example.ai"]).body("m", Prompt("hi"), Manner(), Settings())
    assert (body["tier"], body["max_output"]) == ("free", 1_024)


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]} {vars(secret).keys()}"
    assert secret.scrubbed(f"Bearer {KEY} is wrong") == "Bearer *** is wrong"
    assert Secret("").scrubbed("a text") == "a text" and Secret("none").scrubbed("none of it") == "none of it"
    assert secret == Secret(KEY) and hash(secret) == hash(Secret(KEY))


@pytest.mark.parametrize("value", ["two words", "schlüssel", "a\x07b"])
def test_what_cannot_be_a_key_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SUREFOOT_KEY_EXAMPLE_ORG", value)
    with pytest.raises(UsageError, match="SUREFOOT_KEY_EXAMPLE_ORG does not hold a key") as raised:
        key_of("https://example.org/v1")
    assert value not in str(raised.value)
