"""One call to a server, with its key, through the HTTP client that OpenAI's SDK has.

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
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random  # noqa: TID251 - pauses, not decisions
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.models.dialects import Answer, AnthropicDialect, Dialect, OllamaDialect, OpenAiDialect
from surefoot.models.failures import SILENT, CallFailed, Hints, failure_of
from surefoot.models.seam import Settings
from surefoot.models.spec import VENDORS

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
        self._finished = self._refused = 0


class Pace:
    """The gate that all calls to one endpoint go through. For one event loop."""

    def __init__(self, ceiling: int, chance: Random | None = None) -> None:
        self.limit = Limit(ceiling)
        self.active = 0
        self._permits, self._free = ceiling, asyncio.Semaphore(ceiling)  # permits: those in use among them
        self._paused_until = 0.0
        self._chance = chance or Random()

    async def enter(self) -> None:
        await self._free.acquire()
        try:
            while (pause := self._paused_until - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(pause + _SPREAD * pause * self._chance.random())
        except asyncio.CancelledError:
            self._free.release()
            raise
        self.active += 1

    def leave(self, refused: bool) -> None:
        self.active -= 1
        self.limit.count(refused)
        self._permits -= 1
        while self._permits < self.limit.now:
            self._permits += 1
            self._free.release()

    def pause(self, seconds: float) -> None:
        """For all calls that have not begun."""
        self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def wait_before(self, again: int) -> float:
        """How long a call that failed waits before it is made again, for the n-th time from 1 on."""
        most = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(again, 30))
        return most * self._chance.uniform(0.5, 1.0)


_LARGEST_REPLY = 32 << 20
_STALE_CONNECTIONS = 3
_TO_NOTICE = 0.01  # seconds, that others are closed as well
_NOT_SENT = re.compile("can ?not write", re.IGNORECASE)
_SHORTEST = 8  # what is shorter is a placeholder, and taking it out would garble ordinary text
_MASK = "***"


_Response = tuple[int, Mapping[str, str], bytes]  # status, headers, body


class Client:
    def __init__(self, kind: str, endpoint: str, key: Secret, settings: Settings) -> None:
        """`kind`: "anthropic", "ollama", or "llm" for all that speak as OpenAI does."""
        try:
            from openai import DefaultAioHttpClient, Timeout  # noqa: PLC0415 - takes a second

            self.dialect = _dialect(kind, urlsplit(endpoint).hostname or "")
        except ImportError as error:
            raise Incomplete("asking a model needs more packages", "pip install '/path/to/surefoot[llm]'") from error
        timeout = Timeout(connect=settings.connect, read=settings.stall, write=settings.stall, pool=None)
        self._http: Any = DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
        self._key, self._settings, self.pace = key, settings, Pace(settings.concurrency)
        self._hints = Hints(endpoint, variables_of(endpoint), bool(key), self.dialect.models)
        url = f"{endpoint.removesuffix('/')}{self.dialect.path}"
        headers = {**self.dialect.headers(key.reveal()), "content-type": "application/json"}
        self._model_of_requests = self._http.build_request("POST", url, headers=headers)
        self._model_of_requests.headers.pop("content-length", None)

    async def send(self, body: dict[str, Any]) -> Answer:
        """CallFailed says what to do where no answer came."""
        (status, headers, data), scrubbed = await self._response(msgspec.json.encode(body)), self._key.scrubbed
        # Before anything is cut short: the first half of a key is not known for one.
        data = scrubbed(data.decode("latin-1")).encode("latin-1")
        try:
            if not 200 <= status < 300:
                raise failure_of(status, headers, data)
            answer = self.dialect.answer(data)
            return replace(answer, text=scrubbed(answer.text), refusal=scrubbed(answer.refusal))
        except CallFailed as failure:
            failure.message = scrubbed(failure.message)
            failure.hint = failure.hint or self._hints.on_answer(status, failure.message, failure.kind)
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
            return response.status_code, response.headers, b"".join(parts)
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


def _dialect(kind: str, host: str) -> Dialect:
    if kind == "ollama":
        return OllamaDialect()
    if kind == "anthropic":
        from anthropic import transform_schema  # noqa: PLC0415 - takes seconds

        # Servers reject keywords that their grammars do not know; the SDK puts these into descriptions instead.
        return AnthropicDialect(transform_schema)
    is_vendor = host in VENDORS or host.endswith(".azure.com")
    return OpenAiDialect(VENDORS.get(host), lengths=not is_vendor)


@dataclass(frozen=True)
class Secret:
    """A key that does not show itself, but to the server it is for."""

    _value: str = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> str:
        return self._value

    def scrubbed(self, text: str) -> str:
        """Servers echo keys in errors, and models can be made to say anything."""
        return text.replace(self._value, _MASK) if len(self._value) >= _SHORTEST else text


def key_of(endpoint: str) -> Secret:
    """Empty where there is none: local servers need none."""
    for name in variables_of(endpoint):
        if value := os.environ.get(name, "").strip():
            if not (value.isascii() and value.isprintable()) or " " in value:
                raise UsageError(f"{name} does not hold a key: it has characters that no key has", "set it again")
            return Secret(value)
    return Secret("")


def variables_of(endpoint: str) -> list[str]:
    """Where the key is looked for, the most particular first."""
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    places = [f"{host}_{parts.port}", host] if parts.port else [host]
    names = [f"SUREFOOT_KEY_{re.sub('[^A-Z0-9]', '_', place.upper())}" for place in places]
    return names + ([VENDORS[host].key] if host in VENDORS else [])
