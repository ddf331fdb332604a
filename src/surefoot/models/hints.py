"""What to do when a server does not answer as it should: told by its address, the status and what it said."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from surefoot.models.failures import Kind, wrong_part
from surefoot.models.keys import variables_of
from surefoot.text.endpoints import AZURE

SILENT = "--timeout allows for a longer silence"
_WAIT = "wait until the quota is renewed, or raise it with the vendor; what was answered is kept"
_SMALLER = "one call asks for more tokens than may be used in a minute: raise that limit, or choose another model"
_UNPAID = "add credit with the vendor or choose another model; what was answered is kept"
_MODEL = re.compile(r"model|deployment")
_TOO_MUCH = re.compile("request too large|tokens must be reduced")

_PLAIN_HTTP = re.compile("wrong.version.number|record.layer.failure|packet.length.too.long", re.IGNORECASE)
_TLS = re.compile("http request (?:was sent )?to (?:an )?https")
_PLACE = re.compile(r"\b(?:country|region|territory|location)\b")
_ABOUT_KEY = re.compile(r"^http 403:?\W*$|key|auth|credential|token|permission|access|forbidden")


class Hints:
    """For one endpoint. `has_key`: one is sent there. `version`: the path that is put behind the address by itself."""

    def __init__(self, endpoint: str, has_key: bool, version: str = "") -> None:
        self._endpoint, self._has_key, self._version = endpoint, has_key, version
        parts = urlsplit(endpoint)
        self._is_bare = not version and not parts.path.strip("/")
        self._is_azure = (parts.hostname or "").endswith(".azure.com") or "/openai/deployments" in parts.path

    def on_silence(self, reason: str = "") -> str:
        """Nobody can be reached."""
        if _PLAIN_HTTP.search(reason):
            return f"the server seems to speak plain HTTP: try {_with_scheme('http', self._endpoint)}"
        return f"is a server running at {self._endpoint}? Start it, or correct the address"

    def on_answer(self, status: int, said: str, kind: Kind = "permanent") -> str:
        """The server has answered, and not with a reply."""
        text = said.lower()
        if kind == "unpaid" or status == 402:
            return _UNPAID
        if status in (413, 429):
            return _SMALLER if _TOO_MUCH.search(text) else _WAIT if status == 429 else ""
        if 300 <= status < 400:
            return "use the address that it names"
        if "api-version" in text or (self._is_azure and status == 404):
            return AZURE
        if status == 403 and _PLACE.search(text):
            return "the vendor does not serve the country you call from: choose another vendor"
        if status == 401 or (status == 403 and _ABOUT_KEY.search(text)) or wrong_part(text) == "key":
            return self._on_key()
        if _TLS.search(text):
            return f"the server speaks HTTPS: try {_with_scheme('https', self._endpoint)}"
        if status in (404, 405) or wrong_part(text):
            return self._on_address(bool(_MODEL.search(text)))
        return self._on_page() if kind == "page" else ""

    def _on_key(self) -> str:
        places = " or ".join(variables_of(self._endpoint))
        return f"check the key in {places}" if self._has_key else f"no key was sent: set {places}"

    def _on_page(self) -> str:
        return (
            self._on_address(False) if self._is_bare else "check the address: a browser may be meant to sign in there"
        )

    def _on_address(self, about_model: bool) -> str:
        if self._is_azure:
            return AZURE
        if self._is_bare and not about_model:
            return f"most servers answer under /v1: try {self._endpoint}/v1"
        return (
            f"check the name of the model ({self._endpoint}{self._version}/models lists what there is) and the address"
        )


def _with_scheme(scheme: str, endpoint: str) -> str:
    return f"{scheme}://{endpoint.partition('://')[2]}"
