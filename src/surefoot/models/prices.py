"""What tokens cost. An unknown price is None, never nought."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from surefoot.errors import UsageError

_VENDORS = {"api.openai.com": "openai", "api.anthropic.com": "anthropic"}
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")  # vendors date the versions of one model
_MOST_USD = 1e6  # for a million tokens; what is more is a slip
_SHAPE = 'a price file holds lines like "gpt-4o" = { in = 2.50, out = 10.00 } under [models]'


class Price(Struct, frozen=True, rename={"tokens_in": "in", "tokens_out": "out"}, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


class _File(Struct, forbid_unknown_fields=True):
    models: dict[str, Price] = {}
    openai: dict[str, Price] = {}
    anthropic: dict[str, Price] = {}
    as_of: str = ""


def price_of(model: str, endpoint: str, own: Path | None = None) -> Price | None:
    """The user's file first, by MODEL@ENDPOINT or MODEL; ours holds only at the vendors themselves."""
    if own is not None:
        mine = _read(own)
        models = {**mine.openai, **mine.anthropic, **mine.models}
        if found := models.get(f"{model}@{endpoint}") or _match(model, models):
            return found
    vendor = _VENDORS.get(urlsplit(endpoint).hostname or "")
    table = _read(Path(str(files("surefoot.models") / "prices.toml")))
    return _match(model, getattr(table, vendor)) if vendor else None


def as_of() -> str:
    """When the table in the box was true."""
    return _read(Path(str(files("surefoot.models") / "prices.toml"))).as_of


def _match(model: str, prices: dict[str, Price]) -> Price | None:
    return prices.get(model) or prices.get(_SNAPSHOT.sub("", model))


def _read(path: Path) -> _File:
    try:
        found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except OSError as error:
        raise UsageError(f"{path}: the prices cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: these are no prices: {error}", _SHAPE) from error
    for name, price in {**found.models, **found.openai, **found.anthropic}.items():
        if not (0 <= price.tokens_in <= _MOST_USD and 0 <= price.tokens_out <= _MOST_USD):
            raise UsageError(f"{path}: the price of {name} is no amount of money", _SHAPE)
    return found
