"""Language models behind one small seam: a prompt and the shape of the reply in, a reply out, whoever serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    seconds: float = 0.0
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
