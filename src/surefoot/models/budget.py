"""What asking will cost at most, a limit that holds before the money is spent, and what was."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Mapping, Sequence
from importlib.resources import files
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.models.seam import Price, Prompt, Reply

_CHARACTERS_PER_TOKEN = 3.5  # of English; less is safer
_OVERHEAD = 16  # tokens that a chat template adds
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")  # vendors date the versions of one model
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]+")
_LOCAL = re.compile(r"@https?://(?:127(?:\.\d+){3}|localhost|\[::1\])(?=[:/]|$)")


IF_NONE_AGAIN = "if no reply has to be asked for again"


class Budget:
    """Shared by all models of a command. What calls under way may cost at most is set aside until it is known."""

    def __init__(self, most_usd: float | None = None) -> None:
        self.most_usd = most_usd
        self.spent_usd = 0.0
        self._set_aside, self._under_way = 0.0, 0
        self._guard = threading.Lock()

    def set_aside(self, usd: float) -> bool:
        """False: it could go beyond the limit. What is set aside is settled once."""
        with self._guard:
            within = self.most_usd is None or self.spent_usd + self._set_aside + usd <= self.most_usd
            self._set_aside += usd if within else 0.0
            self._under_way += within
            return within

    def settle(self, set_aside: float, spent: float) -> None:
        with self._guard:
            self._under_way -= 1
            self._set_aside = self._set_aside - set_aside if self._under_way else 0.0
            self.spent_usd += spent

    def spend(self, usd: float) -> None:
        """What was paid without being set aside."""
        with self._guard:
            self.spent_usd += usd

    @property
    def left_usd(self) -> float | None:
        """What may still be spent when nothing is under way any more costs nothing."""
        return None if self.most_usd is None else max(0.0, self.most_usd - self.spent_usd)

    @property
    def is_waited_for(self) -> bool:
        """Calls are under way that will most likely cost less than was set aside for them."""
        return self._under_way > 0


def is_paid(model: str) -> bool:
    """True unless its name says that it is on this machine, where it costs nothing but time."""
    return not _LOCAL.search(model)


class Spent(Struct, frozen=True):
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None  # None: the price of a model is not known
    replies: int
    known: int  # replies that were there before: nothing was sent for them


def spent_on(replies: Sequence[Reply]) -> Spent:
    new = [reply for reply in replies if not reply.cached]
    costs = [reply.cost_usd for reply in new if reply.asked or reply.cost_usd is not None]
    return Spent(
        sum(reply.asked for reply in new), sum(reply.tokens_in for reply in new),
        sum(reply.tokens_out for reply in new), None if None in costs else sum(filter(None, costs)), len(replies),
        len(replies) - len(new),
    )  # fmt: skip


class Estimate(Struct, frozen=True):
    """Before a call is made. `usd_most` is None where the price is not known."""

    model: str
    calls: int
    known: int  # replies that are there already, or asked for twice
    tokens_in: int
    tokens_out_most: int
    usd_most: float | None
    thinking_most: int = 0  # tokens on top, of a model that thinks first
    usd_thinking: float | None = None
    among: str = ""  # what some of the calls are, in words

    @property
    def sentence(self) -> str:
        calls = f"{self.calls:,} call{'' if self.calls == 1 else 's'} to {self.model}"
        calls += f", {self.among}" if self.among else ""
        known = f" ({self.known:,} more are answered already)" if self.known else ""
        if not self.calls:
            return f"no calls to {self.model}{known}: this costs nothing."
        most = "" if self.usd_most is None else f", at most ${money(self.usd_most)}"
        tokens = f"about {self.tokens_in:,} tokens in, at most {self.tokens_out_most:,} out{most} {IF_NONE_AGAIN}"
        is_unknown = self.usd_most is None and is_paid(self.model)
        unknown = "; the price is not known, so neither is the cost (surefoot.toml can name it under [prices])"
        return f"{calls}{known}: {tokens}{self._thinking}{unknown * is_unknown}."

    @property
    def _thinking(self) -> str:
        if not self.thinking_most:
            return ""
        usd = "" if self.usd_thinking is None else f", ${money(self.usd_thinking)}"
        return f"; a model that thinks first may add up to {self.thinking_most:,} tokens{usd}"


def money(usd: float) -> str:
    """Two digits behind the point, or as many as a small amount needs."""
    digits = 2 - math.floor(math.log10(usd)) if 0 < usd < 1 else 2
    whole, _, cents = f"{usd:,.{digits}f}".partition(".")
    return f"{whole}.{cents.rstrip('0'):0<2}"


def tokens_of(prompt: Prompt) -> int:
    """An estimate on the high side; outside ASCII a character can be a token."""
    texts = (prompt.text, prompt.system, "" if prompt.schema is None else str(prompt.schema))
    ascii_only = sum(len(text.encode("ascii", "ignore")) for text in texts)
    others = sum(map(len, texts)) - ascii_only
    return math.ceil(ascii_only / _CHARACTERS_PER_TOKEN) + others + _OVERHEAD


def fewest_tokens(prompt: Prompt) -> int:
    """What no model can read the prompt in less than: none has tokens that reach across words and signs."""
    return len(_WORD_OR_SIGN.findall(prompt.text)) + len(_WORD_OR_SIGN.findall(prompt.system))


def most_usd(prompt: Prompt, price: Price | None, density: float) -> float:
    """What one call may cost. Density is by how much prompts have turned out to have more tokens than estimated."""
    return 0.0 if price is None else price.of(math.ceil(tokens_of(prompt) * density), prompt.longest)


def affordable(prompt: Prompt, price: Price | None, density: float, usd: float) -> int:
    """How many tokens a reply may have at this cost."""
    if price is None or not price.tokens_out:
        return prompt.longest
    rest = usd - most_usd(replace(prompt, longest=0), price, density)
    return max(0, math.floor(rest * 1e6 / price.tokens_out))


def price_of(model: str, endpoint: str, own: Mapping[str, Price] | None = None) -> Price | None:
    """The user's own first, by MODEL@ENDPOINT or MODEL; ours holds only at the vendors themselves."""
    if own and (found := own.get(f"{model}@{endpoint}") or _match(model, own)):
        return found
    content = (files("surefoot.models") / "prices.toml").read_text("utf-8")
    by_host = msgspec.toml.decode(content, type=dict[str, dict[str, Price]])
    return _match(model, by_host.get(urlsplit(endpoint).hostname or "", {}))


def _match(model: str, prices: Mapping[str, Price]) -> Price | None:
    return prices.get(model) or prices.get(_SNAPSHOT.sub("", model))
