"""From what a user writes to a model that can be asked."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from surefoot.errors import Incomplete, UsageError
from surefoot.models import background
from surefoot.models.asking import Endpoint, Terms
from surefoot.models.budget import Budget
from surefoot.models.cache import Cache, Shelf
from surefoot.models.calls import EndpointModel
from surefoot.models.clients import Client
from surefoot.models.dialects import Manner
from surefoot.models.keys import VENDOR_KEYS, Secret, key_of
from surefoot.models.pace import Pace
from surefoot.models.prices import price_of
from surefoot.models.recorded import RecordedModel
from surefoot.models.settings import Settings, checked
from surefoot.text.endpoints import VENDORS, Spec, parsed

OpenedModel = EndpointModel | RecordedModel  # both are a Model that can say beforehand what asking would cost
_endpoints: dict[tuple[object, ...], Endpoint] = {}
_caches: dict[tuple[int, Path | Shelf], Cache] = {}


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


def _cache(place: Path | Shelf | None) -> Cache | None:
    if place is None:
        return None
    where = place.expanduser().absolute() if isinstance(place, Path) else place
    kept = (os.getpid(), where)  # a connection does not survive a fork
    if kept not in _caches:
        _caches[kept] = Cache(where)
    return _caches[kept]
