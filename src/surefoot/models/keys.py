"""Keys of endpoints: from the environment or a keyring, and never to be seen again but by the server they are for.

OPENAI_API_KEY goes to OpenAI alone and ANTHROPIC_API_KEY to Anthropic alone. Any other host has a variable of its own,
so that no key is sent to a server it was not made for.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from urllib.parse import urlsplit

from surefoot.errors import UsageError

VENDOR_KEYS = {"api.openai.com": "OPENAI_API_KEY", "api.anthropic.com": "ANTHROPIC_API_KEY"}
_SHORTEST = 8  # what is shorter is a placeholder, and taking it out would garble ordinary text
_MASK = "***"


class Secret:
    """A key that does not show itself."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"Secret({_MASK})"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def reveal(self) -> str:
        return self._value

    def scrubbed(self, text: str) -> str:
        """Servers echo keys in errors, and models can be made to say anything."""
        return text.replace(self._value, _MASK) if len(self._value) >= _SHORTEST else text

    def scrubbed_bytes(self, data: bytes) -> bytes:
        return data.replace(self._value.encode(), _MASK.encode()) if len(self._value) >= _SHORTEST else data


def key_of(endpoint: str) -> Secret:
    """Empty where there is none: local servers need none."""
    for name in variables_of(endpoint):
        if value := os.environ.get(name, "").strip():
            return _usable(value, name)
    host = urlsplit(endpoint).hostname or ""
    return _usable(_from_keyring(host), f"the keyring's key for {host}")


def variables_of(endpoint: str) -> list[str]:
    """Where the key is looked for, the most particular first."""
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    places = [f"{host}_{parts.port}", host] if parts.port else [host]
    names = [f"SUREFOOT_KEY_{re.sub('[^A-Z0-9]', '_', place.upper())}" for place in places]
    return names + ([VENDOR_KEYS[host]] if host in VENDOR_KEYS else [])


def _usable(value: str, source: str) -> Secret:
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise UsageError(f"{source} does not hold a key: it has characters that no key has", "set it again")
    return Secret(value)


def _from_keyring(host: str) -> str:
    """The keyring is no dependency; one who has it stores a key with `keyring set surefoot HOST`."""
    if importlib.util.find_spec("keyring") is None:
        return ""
    keyring = importlib.import_module("keyring")
    errors = importlib.import_module("keyring.errors")
    try:
        return str(keyring.get_password("surefoot", host) or "").strip()
    except errors.KeyringError:  # locked, or there is no desktop to unlock it: as good as none
        return ""
