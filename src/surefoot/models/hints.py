"""What to do when a server does not answer as it should: told by its address, the status and what it said."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from surefoot.models.keys import variables_of
from surefoot.text.endpoints import AZURE

SILENT = "--timeout allows for a longer silence"
_UNPAID = "add credit with the vendor or choose another model; what was answered is kept"
_MODEL = re.compile(r"model|deployment")


class Hints:
    """For one endpoint. `has_key`: one is sent there."""

    def __init__(self, endpoint: str, has_key: bool) -> None:
        self._endpoint, self._has_key = endpoint, has_key
        parts = urlsplit(endpoint)
        self._is_bare = not parts.path.strip("/")
        self._is_azure = (parts.hostname or "").endswith(".azure.com")

    @property
    def on_silence(self) -> str:
        """Nobody can be reached."""
        return f"is a server running at {self._endpoint}? Start it, or correct the address"

    def on_answer(self, status: int, said: str) -> str:
        """The server has answered, and not with a reply."""
        text = said.lower()
        if "api-version" in text or "api version" in text:
            return AZURE
        if status in (401, 403):
            return self._on_key()
        if status in (404, 405):
            return self._on_address(bool(_MODEL.search(text)))
        if 300 <= status < 400:
            return "use the address that it names"
        if 200 <= status < 300 and "<" in text and self._is_bare:
            return self._on_address(False)
        return _UNPAID if status == 402 or "quota" in text or "credit" in text or "balance" in text else ""

    def _on_key(self) -> str:
        places = " or ".join(variables_of(self._endpoint))
        return f"check the key in {places}" if self._has_key else f"no key was sent: set {places}"

    def _on_address(self, about_model: bool) -> str:
        if self._is_azure:
            return AZURE
        if self._is_bare and not about_model:
            return f"most servers answer under /v1: try {self._endpoint}/v1"
        return f"check the name of the model ({self._endpoint}/models lists what there is) and the address"
