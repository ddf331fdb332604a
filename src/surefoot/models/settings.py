"""How models are asked."""

from __future__ import annotations

import math
from pathlib import Path

from msgspec import Struct

from surefoot.errors import UsageError
from surefoot.models.cache import Shelf

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


class Settings(Struct, frozen=True):
    """All times are in seconds."""

    concurrency: int = 16  # calls at once, as long as the server takes them
    temperature: float | None = 0.0  # None: whatever the server does by itself
    thinking: int = 8_192  # tokens of a reply beyond those of its text, for models that think first
    max_tokens: int | None = None  # of any reply, thinking included, in place of what the prompt and thinking need
    effort: str | None = None  # of thinking; None: whatever the server does by itself
    connect: float = 10.0
    stall: float = 300.0  # without a byte: replies are streamed, so a slow server is not silent but while it reads
    total: float = 7_200.0  # one call from its first to its last byte, however steadily these drip
    retries: int = 5  # of a call that failed in a way that may pass
    repairs: int = 2  # further calls where the reply could not be used
    patience: float = 600.0  # with a server that is busy
    grace: float = 5.0  # for the calls under way when stopped: they are paid for
    cache: Path | Shelf | None = None
    prices: Path | None = None  # a TOML file that goes before the table in the box


def checked(settings: Settings) -> Settings:
    times = (settings.connect, settings.stall, settings.total, settings.patience)
    if settings.concurrency < 1:
        raise UsageError("models cannot be asked less than one thing at once", "use a concurrency of 1 or more")
    if settings.retries < 0 or settings.repairs < 0:
        raise UsageError("retries and repairs cannot be negative", "use 0 to ask just once")
    if settings.thinking < 0 or (settings.max_tokens is not None and settings.max_tokens < 1):
        raise UsageError("a reply needs room for at least one token", "use --max-tokens 1 or more")
    if settings.effort not in (None, *EFFORTS):
        raise UsageError(f"there is no effort {settings.effort!r}", f"use one of {', '.join(EFFORTS)}")
    if not all(math.isfinite(time) and time > 0 for time in times) or settings.grace < 0:
        raise UsageError("the time limits for models must be positive numbers of seconds")
    if settings.temperature is not None and not 0 <= settings.temperature <= 2:
        raise UsageError("the temperature of a model must be from 0 to 2")
    return settings
