from __future__ import annotations

import pytest

from surefoot.core.errors import UsageError
from surefoot.models.client import variables_of
from surefoot.models.failures import Hints
from surefoot.models.spec import parsed


def hints(endpoint: str, has_key: bool, models: str = "/models") -> Hints:
    return Hints(endpoint, variables_of(endpoint), has_key, models)


LOCAL, BARE = "http://localhost:8000/v1", "http://localhost:8000"


@pytest.mark.parametrize(
    ("endpoint", "key", "status", "said", "hint"),
    [
        (LOCAL, False, 401, "HTTP 401: who?", "no key was sent: set SUREFOOT_KEY_LOCALHOST_8000"),
        ("https://api.openai.com/v1", True, 401, "HTTP 401: bad key", "check the key in"),
        (BARE, False, 404, "HTTP 404: Not Found", f"most servers answer under /v1: try {LOCAL}"),
        (BARE, False, 405, "HTTP 405: Method Not Allowed", f"try {LOCAL}"),
        ("https://llm.example/openai/deployments/d", True, 404, "HTTP 404: no such key", "api-version"),
        (LOCAL, False, 403, "HTTP 403: Country, region, or territory not supported", "does not serve the country"),
        (LOCAL, False, 403, "HTTP 403: the cat is asleep", ""),
        (LOCAL, False, 403, "HTTP 403", "no key was sent"),
        (LOCAL, False, 400, "HTTP 400: Client sent an HTTP request to an HTTPS server.", "https://localhost:8000/v1"),
        (LOCAL, False, 404, "HTTP 404: The model `x` does not exist.", f"{LOCAL}/models lists what there is"),
        ("https://x.openai.azure.com/openai/deployments/d", True, 404, "HTTP 404: Resource not found", "/openai/v1"),
        (
            "https://gateway.example/v1",
            True,
            400,
            "HTTP 400: api-version is required",
            "/openai/v1",
        ),
        (LOCAL, False, 307, "HTTP 307: the server sends us on to /x", "use the address that it names"),
        (LOCAL, True, 429, "HTTP 429: You exceeded your current quota", "wait until the quota is renewed"),
        (LOCAL, True, 429, "HTTP 429: Azure OpenAI API version 2024-10-21 have exceeded call rate limit", "wait until"),
        (LOCAL, True, 429, "HTTP 429: Request too large for gpt-4: Limit 10000, Requested 10704", "more tokens than"),
        (LOCAL, True, 413, "HTTP 413: too large", ""),
        (LOCAL, True, 404, "HTTP 404: models/gemini-9 is not found for API version v1main", "the name of the model"),
        (LOCAL, True, 400, "HTTP 400: foo/bar is not a valid model ID", "the name of the model"),
        (LOCAL, True, 400, "HTTP 400: Invalid model: mistral-foo", "the name of the model"),
        (LOCAL, True, 400, "HTTP 400: API key not valid. Please pass a valid API key.", "check the key in"),
        (LOCAL, False, 400, "HTTP 400: Missing or invalid Authorization header.", "no key was sent"),
        (BARE, False, 200, "Unexpected endpoint or method. (POST /chat/completions)", f"try {LOCAL}"),
        (LOCAL, True, 402, "HTTP 402", "add credit"),
        (LOCAL, True, 500, "HTTP 500: oops", ""),
    ],
)
def test_what_to_do(endpoint: str, key: bool, status: int, said: str, hint: str) -> None:
    found = hints(endpoint, key).on_answer(status, said)
    assert hint in found and bool(hint) == bool(found)


def test_a_web_page_and_a_server_without_tls() -> None:
    assert f"try {LOCAL}" in hints(BARE, False).on_answer(200, "not an API: '<!doctype html>'", "page")
    assert "check the address" in hints(LOCAL, False).on_answer(200, "not an API: '<html>'", "page")
    assert "try http://h.example/v1" in hints("https://h.example/v1", True).on_silence("[SSL: WRONG_VERSION_NUMBER] x")
    assert "is a server running" in hints("https://h.example/v1", True).on_silence("refused")


def test_anthropic_s_models_are_listed_under_its_version() -> None:
    found = hints("https://api.anthropic.com", True, models="/v1/models").on_answer(404, "HTTP 404: model: claude-9")
    assert "https://api.anthropic.com/v1/models lists" in found
    assert "/v1/models" in hints("https://x.example", True, models="/v1/models").on_answer(404, "HTTP 404: Not Found")


def test_a_vendor_that_wants_money_is_to_get_it() -> None:
    assert "add credit" in hints(LOCAL, True).on_answer(400, "HTTP 400: Billing hard limit has been reached", "unpaid")


@pytest.mark.parametrize(
    ("pasted", "endpoint"),
    [
        ("llm:m@https://h.example/v1/chat/completions", "https://h.example/v1"),
        ("llm:m@https://h.example/v1/chat/completions/", "https://h.example/v1"),
        ("anthropic:m@https://h.example/v1/messages", "https://h.example"),
    ],
)
def test_the_path_of_a_call_is_no_part_of_the_address(pasted: str, endpoint: str) -> None:
    assert parsed(pasted).endpoint == endpoint


def test_an_address_with_azure_s_version_is_explained() -> None:
    with pytest.raises(UsageError) as raised:
        parsed("llm:gpt@https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21")
    assert "openai/v1" in raised.value.hint
