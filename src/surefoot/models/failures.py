"""What a failed call means for the next one, and what a user can do about it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from email.message import Message
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from surefoot.models.spec import AZURE

Kind = Literal[
    "busy",  # asked too often: slow down, ask again
    "passing",  # may pass: ask again
    "unreachable",  # the same, but nobody is there at all
    "rejected",  # something in the request: perhaps it goes without that
    "too_dear",  # the same, for it costs more than is left; with fewer tokens it may be paid for
    "page",  # a web page: no API is there, if that is all that ever comes
    "permanent",  # this prompt will not be answered
    "unpaid",  # the vendor wants money first: some say so by mistake, so it takes several to believe it
    "hopeless",  # no prompt will: wrong key, unknown model
]
_BUSY = frozenset({429, 503, 529})
_PASSING = frozenset({408, 409, 425})
_REJECTED = frozenset({400, 415, 422, 501})
_HOPELESS = frozenset({401, 404, 405})
_PAYMENT_REQUIRED, _NOT_ALLOWED = 402, 403
# Codes and words of vendors that mean money. "You exceeded your current quota" does not: some say so of a minute's.
_NO_MONEY = re.compile(
    r"insufficient_(?:quota|credits?|balance|funds)|billing_(?:hard_limit_reached|not_active)"
    r"|credit balance is too low|insufficient (?:credits?|balance|funds)"
)
# A call that asks for more than may be asked for in a minute is never taken: with less room it may be.
_REQUESTED = re.compile(r"limit:? ([0-9,]{1,15}),? requested:? ([0-9,]{1,15})|tokens must be reduced")
Wrong = Literal["key", "model", "address", ""]
_WRONG: dict[Wrong, re.Pattern[str]] = {
    "key": re.compile(
        r"\b(?:api.?key|token|credentials?|authorization(?: header)?)\W{0,3} (?:is |was )?"
        r"(?:not valid|invalid|missing|expired)"
        r"|(?:invalid|incorrect|wrong|missing|expired|no|bad)(?: or invalid)? (?:api.?key|authorization|credentials)"
        r"|api_key_invalid|invalid_api_key|must provide an api key"
    ),
    "model": re.compile(
        r"not a valid model|(?:invalid|unsupported) model(?: id| name)?(?:[:.'\"]| ['\"`])|(?:unknown|no such) model\b"
        r"|model_not_found"
        r"|(?:model|deployment)s?\b.{0,100}?(?:does not exist|not found|not exist)"
    ),
    "address": re.compile(
        "unexpected endpoint|unknown (?:url|endpoint)|invalid url|no such (?:url|endpoint|route)"
        "|http request (?:was sent )?to (?:an )?https"
    ),
}
_FORBIDDEN = re.compile(r"key|permission|access|credential|authori[sz]|not supported|not enabled|disabled")
_FEWER_TOKENS = re.compile(r"fewer max_(?:completion_)?tokens")
_NUMBER_AND_UNIT = r"([0-9]{1,9}(?:\.[0-9]{1,20})?) ?(ms|mil|s|m|h|d)?[a-z]{0,8},? ?"
_DELAY = re.compile(rf"(?:retrydelay\W{{1,6}}|(?:retry|try again) (?:in|after) )((?:{_NUMBER_AND_UNIT}){{1,4}})")
_PART = re.compile(_NUMBER_AND_UNIT)
_SECONDS_OF = {"ms": 0.001, "mil": 0.001, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_LONGEST_MESSAGE = 200
_LOOKED_THROUGH = 8_000  # bytes of an error
SILENT = "--set timeout=SECONDS allows for a longer silence"
_WAIT = "wait until the quota is renewed, or raise it with the vendor; what was answered is kept"
_SMALLER = "one call asks for more tokens than may be used in a minute: raise that limit, or choose another model"
_UNPAID = "add credit with the vendor or choose another model; what was answered is kept"
_MODEL = re.compile(r"model|deployment")
_CONTEXT = re.compile("context (?:length|window|size)")
_LONGER = "prompt and reply do not fit: start the server with more context (llama.cpp -c, vLLM --max-model-len)"
_MODELS = "/models"  # where OpenAI-style servers list theirs
_TOO_MUCH = re.compile("request too large|tokens must be reduced")
_PLAIN_HTTP = re.compile("wrong.version.number|record.layer.failure|packet.length.too.long", re.IGNORECASE)
_TLS = re.compile("http request (?:was sent )?to (?:an )?https")
_PLACE = re.compile(r"\b(?:country|region|territory|location)\b")
_ABOUT_KEY = re.compile(r"^http 403:?\W*$|key|auth|credential|token|permission|access|forbidden")


class CallFailed(Exception):
    def __init__(
        self, kind: Kind, message: str, retry_after: float | None = None, maybe_paid: bool = False, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.retry_after, self.hint = kind, message, retry_after, hint
        self.maybe_paid = maybe_paid  # the model may have answered, and the answer got lost


def failure_of(status: int, headers: Mapping[str, str], data: bytes) -> CallFailed:
    said = _said(data)
    message = f"HTTP {status}: {said}".removesuffix(": ")
    if 300 <= status < 400:
        where = headers.get("location", "another address")
        return CallFailed("hopeless", f"HTTP {status}: the server sends us on to {where}")
    start = data[:_LOOKED_THROUGH].decode("utf-8", "replace").lower()
    delay = retry_after(headers)
    delay = _named_delay(start) if delay is None and status in _BUSY else delay
    return CallFailed(_kind(status, start, delay), message, delay)


def wrong_part(said: str) -> Wrong:
    """What no prompt will get past, by the words of the server."""
    return next((part for part, words in _WRONG.items() if words.search(said.lower())), "")


def _kind(status: int, start: str, delay: float | None) -> Kind:
    if status == _PAYMENT_REQUIRED:
        return "too_dear" if _FEWER_TOKENS.search(start) else "unpaid"
    if _NO_MONEY.search(start) and delay is None:  # who says when to come back does not mean money
        return "unpaid"
    if status in (413, 429) and _asks_too_much(start):
        return "rejected"
    if status in _BUSY or (status >= 500 and "overloaded" in start):
        return "busy"
    if wrong_part(start) or (status == _NOT_ALLOWED and _FORBIDDEN.search(start)):
        return "hopeless"
    if status in _REJECTED:
        return "rejected"
    if status in _PASSING or status >= 500:
        return "passing"
    return "hopeless" if status in _HOPELESS else "permanent"


def _asks_too_much(start: str) -> bool:
    match = _REQUESTED.search(start)
    if match is None or match[1] is None:
        return match is not None
    return int(match[2].replace(",", "") or 0) > int(match[1].replace(",", "") or 0)


def retry_after(headers: Mapping[str, str] | Message) -> float | None:
    """Seconds to wait: given in milliseconds, in seconds or as a date."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1_000
    value = headers.get("retry-after")
    if (seconds := _number(value)) is not None or not value:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _named_delay(said: str) -> float | None:
    """Seconds to wait, where the body names them: "retryDelay": "32s", "Please try again in 1m2.5s"."""
    match = _DELAY.search(said)
    return None if match is None else sum(float(n) * _SECONDS_OF.get(unit, 1.0) for n, unit in _PART.findall(match[1]))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _said(data: bytes) -> str:
    """The message in an error's JSON, wherever the server puts it; else how the body begins."""
    try:
        found: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = None
    if isinstance(found, list) and found:  # Gemini's errors come in a list
        found = found[0]
    if isinstance(found, dict):
        inner = found.get("error", found)
        found = inner.get("message") or inner.get("detail") if isinstance(inner, dict) else inner
    text = found if isinstance(found, str) else data.decode("utf-8", "replace")
    return " ".join(text.split())[:_LONGEST_MESSAGE]


class Hints:
    """For one endpoint: told by its address, the status and what it said.

    `variables`: where its key is looked for. `has_key`: one is sent there. `models`: the path behind the address that
    lists the names of models.
    """

    def __init__(self, endpoint: str, variables: Sequence[str], has_key: bool, models: str = _MODELS) -> None:
        self._endpoint, self._variables, self._has_key, self._models = endpoint, variables, has_key, models
        parts = urlsplit(endpoint)
        self._is_bare = models == _MODELS and not parts.path.strip("/")
        self._is_azure = (parts.hostname or "").endswith(".azure.com") or "/openai/deployments" in parts.path

    def on_silence(self, reason: str = "") -> str:
        """Nobody can be reached."""
        if _PLAIN_HTTP.search(reason):
            return f"the server seems to speak plain HTTP: try http://{self._endpoint.partition('://')[2]}"
        return f"is a server running at {self._endpoint}? Start it, or correct the address"

    def on_answer(self, status: int, said: str, kind: Kind = "permanent") -> str:
        """The server has answered, and not with a reply."""
        text, places = said.lower(), " or ".join(self._variables)
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
            return f"check the key in {places}" if self._has_key else f"no key was sent: set {places}"
        if _TLS.search(text):
            return f"the server speaks HTTPS: try https://{self._endpoint.partition('://')[2]}"
        is_wrong = status in (404, 405) or wrong_part(text)
        if self._is_bare and (kind == "page" or (is_wrong and not _MODEL.search(text))):
            return f"most servers answer under /v1: try {self._endpoint}/v1"
        if is_wrong:
            return f"check the name of the model ({self._endpoint}{self._models} lists what there is) and the address"
        if _CONTEXT.search(text):
            return _LONGER
        return "check the address: a browser may be meant to sign in there" if kind == "page" else ""
