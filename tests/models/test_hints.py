from __future__ import annotations

import pytest

from surefoot.errors import UsageError
from surefoot.models.hints import Hints
from surefoot.text.endpoints import parsed

LOCAL, BARE = "http://localhost:8000/v1", "http://localhost:8000"


@pytest.mark.parametrize(
    ("endpoint", "key", "status", "said", "hint"),
    [
        (LOCAL, False, 401, "HTTP 401: who?", "no key was sent: set SUREFOOT_KEY_LOCALHOST_8000"),
        ("https://api.openai.com/v1", True, 401, "HTTP 401: bad key", "check the key in"),
        (BARE, False, 404, "HTTP 404: Not Found", f"most servers answer under /v1: try {LOCAL}"),
        (BARE, False, 405, "HTTP 405: Method Not Allowed", f"try {LOCAL}"),
        (BARE, False, 200, "the server did not answer with a reply: '<!doctype html>'", f"try {LOCAL}"),
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
        (LOCAL, True, 429, "HTTP 429: You exceeded your current quota", "add credit"),
        (LOCAL, True, 402, "HTTP 402", "add credit"),
        (LOCAL, True, 500, "HTTP 500: oops", ""),
    ],
)
def test_what_to_do(endpoint: str, key: bool, status: int, said: str, hint: str) -> None:
    found = Hints(endpoint, key).on_answer(status, said)
    assert hint in found and bool(hint) == bool(found)


def test_an_address_with_azure_s_version_is_explained() -> None:
    with pytest.raises(UsageError) as raised:
        parsed("llm:gpt@https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21")
    assert "openai/v1" in raised.value.hint
