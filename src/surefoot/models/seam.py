"""Language models behind one small seam: a prompt and the shape of the reply in, a reply out, whoever serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from msgspec import Struct

Schema = dict[str, Any]  # a JSON schema; its "title" names it


class Prompt(Struct, frozen=True):
    """What is asked. `schema` None: plain text is wanted. Prompts with equal content are the same call.

    With a reader of the caller's own, the schema is only what the server is told, and the reply is its text.
    """

    text: str
    system: str = ""
    schema: Schema | None = None
    longest: int = 1_024  # tokens of the reply's text; models that think get more room for that
    attempt: int = 1  # another number asks anew where the cache holds a reply already
    accepts: Callable[[str], str] | None = None  # the caller's own reader: what is wrong with a text, or nothing


class Reply(Struct, frozen=True):
    """What came back. Where nothing usable did, `error` says why, and `value` is None."""

    text: str = ""
    value: Any = None  # the JSON that the schema asked for, checked against it
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None  # None: the price of the model is not known
    cached: bool = False
    asked: int = 0  # calls that were sent for it, failed ones too
    how: str = ""  # what the server took: "json_schema", "json_object" or "text"
    error: str = ""
    hint: str = ""  # what to do about the error, where that is known
    may_pass: bool = False  # the error: asking again later may help
    retry_after: float | None = None  # seconds until then, where the server has named them


class Model(Protocol):
    """`name` says which model at which endpoint, and never holds a key."""

    @property
    def name(self) -> str: ...

    def complete(self, prompt: Prompt) -> Reply: ...

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        """Replies with the place of their prompt, as they come; many are asked at once."""
        ...


class ReplyStore(Protocol):
    """Where replies lie as bytes, by digest."""

    @property
    def name(self) -> str: ...

    def read(self, digest: str) -> bytes | None: ...

    def write(self, digest: str, model: str, reply: bytes, /) -> None: ...


class Price(Struct, frozen=True, rename={"tokens_in": "in", "tokens_out": "out"}, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float

    def __post_init__(self) -> None:
        if not (0 <= self.tokens_in <= 1e6 and 0 <= self.tokens_out <= 1e6):
            raise ValueError("a price is a number of US dollars for a million tokens")

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


class Settings(Struct, frozen=True):
    """How models are asked. All times are in seconds."""

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
    cache: ReplyStore | None = None
    prices: Mapping[str, Price] | None = None  # that go before the table in the box
