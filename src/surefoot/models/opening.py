"""From what a user writes to a model that can be asked."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from surefoot.errors import Incomplete, UsageError
from surefoot.models import background
from surefoot.models.asking import Endpoint, Terms
from surefoot.models.budget import Budget
from surefoot.models.cache import Cache
from surefoot.models.calls import EndpointModel
from surefoot.models.clients import Client
from surefoot.models.dialects import Manner
from surefoot.models.keys import VENDOR_KEYS, Secret, key_of, variables_of
from surefoot.models.pace import Pace
from surefoot.models.prices import price_of
from surefoot.models.recorded import RecordedModel
from surefoot.models.settings import Settings, checked

VENDORS = {"llm": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_SPEC = re.compile(r"(llm|anthropic):(.+?)(?:@(https?://.+))?", re.DOTALL)
_BARE_HOST = re.compile(r".@(?:localhost\b|[^@]*[.:][^@]*$)")
_FORMS = "write llm:MODEL@http://localhost:8000/v1, llm:MODEL for OpenAI's own, or anthropic:MODEL"
OpenedModel = EndpointModel | RecordedModel  # both are a Model that can say beforehand what asking would cost
_endpoints: dict[tuple[object, ...], Endpoint] = {}
_caches: dict[tuple[int, Path], Cache] = {}


class Spec(NamedTuple):
    kind: str
    model: str
    endpoint: str

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.model}@{self.endpoint}"


def open_model(spec: str, settings: Settings | None = None, budget: Budget | None = None) -> OpenedModel:
    """`llm:MODEL@ENDPOINT` (any OpenAI-compatible server), `llm:MODEL`, `anthropic:MODEL[@ENDPOINT]`, `recorded:FILE`.

    Models that share a budget stop together.
    """
    if spec.startswith("recorded:"):
        return RecordedModel(Path(spec.removeprefix("recorded:")))
    asked, settings, budget = parsed(spec), checked(settings or Settings()), budget or Budget()
    price = price_of(asked.model, asked.endpoint, settings.prices)
    if price is None and budget.most_usd is not None:
        hint = 'say it in a file given with --prices: [models] and "NAME" = { in = 0, out = 0 }'
        raise UsageError(f"the price of {asked.model} is not known, so no limit on its cost can be kept", hint)
    # OpenAI's own newer models know the limit by the longer name alone, and most other servers by the shorter.
    own = asked.endpoint == VENDORS["llm"]
    manner = Manner(limit="max_completion_tokens" if own else "max_tokens")
    terms = Terms(
        asked.model, asked.name, _endpoint(asked, settings), settings, manner, price, _cache(settings.cache), budget
    )
    return EndpointModel(terms)


def parsed(spec: str) -> Spec:
    match = _SPEC.fullmatch(spec.strip())
    if match is None:
        raise UsageError(f"{_shown(spec)} names no model", _FORMS)
    kind, model, endpoint = match[1], match[2], match[3]
    if endpoint is None:
        if _BARE_HOST.search(model):
            raise UsageError(f"the endpoint in {_shown(spec)} does not begin with http:// or https://", _FORMS)
        return Spec(kind, model, VENDORS[kind])
    endpoint = _checked_endpoint(endpoint)
    return Spec(kind, model, endpoint.removesuffix("/v1") if kind == "anthropic" else endpoint)


def _checked_endpoint(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half of an address in brackets
        parts, named = urlsplit("http://"), False
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = f"keys come from the environment: set {variables_of(endpoint)[0]}"
        raise UsageError("an endpoint can hold no password and nothing behind ? or #", hint)
    if not named or any(character.isspace() or not character.isprintable() for character in endpoint):
        raise UsageError(f"the URL {endpoint!r} names no server", _FORMS)
    return endpoint.rstrip("/")


def _shown(spec: str) -> str:
    """Without what may be a password."""
    return repr(re.sub(r"//[^/@]*@", "//***@", spec)[:200])


def _endpoint(asked: Spec, settings: Settings) -> Endpoint:
    """Models at one endpoint share its connections and its pace."""
    key = key_of(asked.endpoint)
    host = urlsplit(asked.endpoint).hostname or ""
    if not key and host in VENDOR_KEYS:
        hint = f"set the environment variable {VENDOR_KEYS[host]}"
        raise UsageError(f"there is no key for {host}", hint)
    place = (os.getpid(), asked.kind, asked.endpoint, key, settings.concurrency, settings.connect,
             settings.stall, settings.total)  # fmt: skip
    if place not in _endpoints:
        client = _client(asked, key, settings)
        background.close_at_exit(client.close)
        _endpoints[place] = Endpoint(client, Pace(settings.concurrency))
    return _endpoints[place]


def _client(asked: Spec, key: Secret, settings: Settings) -> Client:
    try:
        if asked.kind == "anthropic":
            from surefoot.models.anthropic_sdk import connected
        else:
            from surefoot.models.openai_sdk import connected
    except ImportError as error:
        raise Incomplete("asking a model needs more packages", "pip install 'surefoot[llm]'") from error
    return Client(connected(asked.endpoint, key, settings), key, settings)


def _cache(path: Path | None) -> Cache | None:
    if path is None:
        return None
    place = (os.getpid(), path.expanduser().absolute())  # a connection does not survive a fork
    if place not in _caches:
        _caches[place] = Cache(place[1])
    return _caches[place]
