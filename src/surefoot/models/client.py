"""One call to a server, with its key, through the HTTP client and with the headers that the vendor's SDK makes.

OPENAI_API_KEY goes to OpenAI alone, and so with the keys of other vendors. Any other host has a variable of its own, so
that no key is sent to a server it was not made for.

The SDKs build a request anew for every call: 1.0 to 1.2 ms of CPU, which at 200 calls at once left 55 % of the ideal
rate. Here it is built once and only its body changes: 0.4 to 0.5 ms and 77 %.

An endpoint gets as many calls at once as it takes. The limit falls in proportion to the share of calls that were
refused, and rises again by a fixed step where none were: a server that is truly overloaded soon has few calls, while
one that refuses a few at random keeps most. Halving on every single refusal, as is common, leaves such a server nearly
idle.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
from collections import deque
from collections.abc import Mapping
from random import Random  # noqa: TID251 - pauses, not decisions
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from surefoot.core.errors import Incomplete, UsageError
from surefoot.models.dialects import Answer, AnthropicDialect, Dialect, OllamaDialect, OpenAiDialect
from surefoot.models.failures import SILENT, CallFailed, Hints, failure_of
from surefoot.models.seam import Settings

_STEPS = 16  # from nothing to the ceiling
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 30.0
_SPREAD = 0.1  # of a pause, so that not all come back in the same instant


class Limit:
    """Additive increase, multiplicative decrease, once for every round of as many calls as the limit allows."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self._limit = float(ceiling)
        self._finished = self._refused = 0

    @property
    def now(self) -> int:
        return max(1, int(self._limit))

    def count(self, refused: bool) -> None:
        self._finished += 1
        self._refused += refused
        if self._finished < self.now:
            return
        share = self._refused / self._finished
        step = max(1.0, self.ceiling / _STEPS)
        self._limit = min(float(self.ceiling), max(1.0, self._limit * (1 - share / 2) + step * (1 - share)))
        if share == 1 and self._limit < 2:
            self._limit = 1.0
        self._finished = self._refused = 0


class Pace:
    """The gate that all calls to one endpoint go through. For one event loop."""

    def __init__(self, ceiling: int, chance: Random | None = None) -> None:
        self.limit = Limit(ceiling)
        self.active = 0
        self._paused_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._chance = chance or Random()

    async def enter(self) -> None:
        while True:
            if (pause := self._paused_until - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(pause + _SPREAD * pause * self._chance.random())
            elif self.active < self.limit.now:
                self.active += 1
                return
            else:
                await self._turn()

    def leave(self, refused: bool) -> None:
        self.active -= 1
        self.limit.count(refused)
        self._wake()

    def pause(self, seconds: float) -> None:
        """For all calls that have not begun."""
        self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def wait_before(self, again: int) -> float:
        """How long a call that failed waits before it is made again, for the n-th time from 1 on."""
        most = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(again, 30))
        return most * self._chance.uniform(0.5, 1.0)

    async def _turn(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._wake()  # the turn came and is not taken: it is the next one's
            raise

    def _wake(self) -> None:
        free = self.limit.now - self.active
        while free > 0 and self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                free -= 1


_LARGEST_REPLY = 32 << 20
_STALE_CONNECTIONS = 3
_TO_NOTICE = 0.01  # seconds, that others are closed as well
_NOT_SENT = re.compile("can ?not write", re.IGNORECASE)
VENDOR_KEYS = {
    "api.openai.com": "OPENAI_API_KEY", "api.anthropic.com": "ANTHROPIC_API_KEY",
    "generativelanguage.googleapis.com": "GEMINI_API_KEY", "openrouter.ai": "OPENROUTER_API_KEY",
}  # fmt: skip
# By default OpenRouter takes the middle out of prompts that are too long for a model with a short context.
_ALWAYS = {"openrouter.ai": {"plugins": [{"id": "context-compression", "enabled": False}]}}
_SHORTEST = 8  # what is shorter is a placeholder, and taking it out would garble ordinary text
_MASK = "***"


class _Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    data: bytes


class Client:
    def __init__(self, kind: str, endpoint: str, key: Secret, settings: Settings) -> None:
        """`kind`: "anthropic", "ollama", or "llm" for all that speak as OpenAI does."""
        try:
            self._http, headers, self.dialect = _SDKS[kind](endpoint, key, settings)
        except ImportError as error:
            raise Incomplete("asking a model needs more packages", "pip install '/path/to/surefoot[llm]'") from error
        self._key, self._settings = key, settings
        self._hints = Hints(endpoint, variables_of(endpoint), bool(key), self.dialect.models)
        url = f"{endpoint.removesuffix('/')}{self.dialect.path}"
        self._model_of_requests = self._http.build_request(
            "POST", url, headers={**headers, "content-type": "application/json"}
        )
        self._model_of_requests.headers.pop("content-length", None)

    async def send(self, body: dict[str, Any]) -> Answer:
        """CallFailed says what to do where no answer came."""
        response = await self._response(msgspec.json.encode(body))
        try:
            if not 200 <= response.status < 300:
                raise failure_of(*response, self._key.scrubbed)
            return self._scrubbed(self.dialect.answer(self._key.scrubbed_bytes(response.data)))
        except CallFailed as failure:
            failure.message = self._key.scrubbed(failure.message)
            failure.hint = failure.hint or self._hints.on_answer(response.status, failure.message, failure.kind)
            raise

    async def close(self) -> None:
        await self._http.aclose()

    async def _response(self, data: bytes) -> _Response:
        like = self._model_of_requests
        request = type(like)("POST", like.url, headers=like.headers, content=data, extensions=like.extensions)
        try:
            async with asyncio.timeout(self._settings.total):
                return await self._sent(request)
        except CallFailed:
            raise
        except TimeoutError as error:
            message = f"the reply was not whole after {self._settings.total:g} s"
            raise CallFailed("busy", message, maybe_paid=True) from error
        except Exception as error:  # the libraries raise exceptions of many kinds
            raise self._network_failure(error) from error

    async def _sent(self, request: Any) -> _Response:  # noqa: ANN401
        """Some servers promise to keep a connection and close it: what could not be sent on it goes on another."""
        for _ in range(_STALE_CONNECTIONS):
            try:
                return await self._received(request)
            except Exception as error:
                if not _NOT_SENT.search(str(error)):
                    raise
                await asyncio.sleep(_TO_NOTICE)
        return await self._received(request)

    async def _received(self, request: Any) -> _Response:  # noqa: ANN401
        """In pieces, so that a server that never stops cannot fill the memory."""
        response = await self._http.send(request, auth=None, follow_redirects=False, stream=True)
        try:
            parts, size = [], 0
            async for part in response.aiter_bytes():
                parts.append(part)
                size += len(part)
                if size > _LARGEST_REPLY:
                    message = f"the server sent more than {_LARGEST_REPLY:,} bytes"
                    raise CallFailed("permanent", message, maybe_paid=True)
            return _Response(response.status_code, response.headers, b"".join(parts))
        finally:
            await response.aclose()

    def _network_failure(self, error: Exception) -> CallFailed:
        kind = type(error.__cause__ or error).__name__  # aiohttp's: httpx' name for a lost connection is misleading
        if "Connector" in kind or kind in ("ConnectionTimeoutError", "ConnectError"):
            reason = self._key.scrubbed(" ".join(str(error).split()))
            message, hint = f"the server could not be reached: {reason[:120] or kind}", self._hints.on_silence(reason)
            return CallFailed("unreachable", message, hint=hint)
        if "Timeout" in kind:
            message = f"the server sent nothing for {self._settings.stall:g} s"
            return CallFailed("busy", message, maybe_paid=True, hint=SILENT)
        return CallFailed("passing", "the connection broke off before the reply was whole", maybe_paid=True)

    def _scrubbed(self, answer: Answer) -> Answer:
        if self._key.scrubbed(answer.text + answer.refusal) == answer.text + answer.refusal:
            return answer
        return msgspec.structs.replace(
            answer, text=self._key.scrubbed(answer.text), refusal=self._key.scrubbed(answer.refusal)
        )


# What an SDK gives: its HTTP client (httpx's interface over aiohttp, whatever the version), headers and dialect.
_Sdk = tuple[Any, dict[str, str], Dialect]


def _openai(endpoint: str, key: Secret, settings: Settings) -> _Sdk:
    from openai import AsyncOpenAI, DefaultAioHttpClient, Timeout  # noqa: PLC0415 - takes a second

    timeout = Timeout(connect=settings.connect, read=settings.stall, write=settings.stall, pool=None)
    http = DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
    sdk = AsyncOpenAI(api_key=key.reveal() or "none", base_url=endpoint, max_retries=0, http_client=http)
    host = urlsplit(endpoint).hostname or ""
    is_vendor = host in VENDOR_KEYS or host.endswith(".azure.com")
    dialect = OpenAiDialect(_ALWAYS.get(host), lengths=not is_vendor)
    return http, {"user-agent": str(sdk.user_agent), **(sdk.auth_headers if key else {})}, dialect


def _ollama(endpoint: str, key: Secret, settings: Settings) -> _Sdk:
    http, headers, _ = _openai(endpoint, key, settings)
    return http, headers, OllamaDialect()


def _anthropic(endpoint: str, key: Secret, settings: Settings) -> _Sdk:
    from anthropic import AsyncAnthropic, DefaultAioHttpClient, Timeout, transform_schema  # noqa: PLC0415 - takes seconds

    timeout = Timeout(connect=settings.connect, read=settings.stall, write=settings.stall, pool=None)
    http = DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
    sdk = AsyncAnthropic(api_key=key.reveal() or "none", base_url=endpoint, max_retries=0, http_client=http)
    version = {"anthropic-version": str(sdk.default_headers["anthropic-version"])}
    headers = {"user-agent": str(sdk.user_agent), **version, **(sdk.auth_headers if key else {})}
    # Servers reject keywords that their grammars do not know; the SDK puts these into descriptions instead.
    return http, headers, AnthropicDialect(transform_schema)


_SDKS = {"llm": _openai, "anthropic": _anthropic, "ollama": _ollama}


class Secret:
    """A key that does not show itself, but to the server it is for."""

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
    keyring = importlib.import_module("keyring")  # noqa: TID251 - may not be there
    errors = importlib.import_module("keyring.errors")  # noqa: TID251
    try:
        return str(keyring.get_password("surefoot", host) or "").strip()
    except errors.KeyringError:  # locked, or there is no desktop to unlock it: as good as none
        return ""
