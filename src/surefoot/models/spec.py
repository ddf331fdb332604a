"""How a user names a model and its server, and how that is shown without what may be a password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from surefoot.core.errors import UsageError


class Vendor(NamedTuple):
    """What one vendor wants, besides what all servers of its kind do."""

    key: str  # the environment variable that holds it
    always: Mapping[str, object] = {}  # what every request tells it
    limit: str = "max_tokens"  # its name for the most tokens of a reply


VENDORS = {  # by host; prices.toml may have a table of the same name
    "api.openai.com": Vendor("OPENAI_API_KEY", limit="max_completion_tokens"),  # newer models know no other name
    "api.anthropic.com": Vendor("ANTHROPIC_API_KEY"),
    "generativelanguage.googleapis.com": Vendor("GEMINI_API_KEY"),
    # By default OpenRouter takes the middle out of prompts that are too long for a model with a short context.
    "openrouter.ai": Vendor("OPENROUTER_API_KEY", {"plugins": [{"id": "context-compression", "enabled": False}]}),
}
_ADDRESSES = {
    "llm": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com", "ollama": "http://localhost:11434",
}  # fmt: skip
KINDS = ("llm:", "anthropic:", "ollama:")  # what names of models begin with
_SPEC = re.compile(r"(llm|anthropic|ollama):(.*?)(?:@((?i:https?)://.*))?", re.DOTALL)
_HOST_IN_NAME = re.compile(r"@(?:/|localhost\b|[^/@]*[.:]|[^@]*[?#])|[^@]@.*@", re.DOTALL)
_LABEL = r"[A-Za-z0-9_-]{1,63}"
_SERVER = re.compile(rf"(?:(?:{_LABEL}\.)*{_LABEL}\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_NEXT = re.compile(r",(?=\s*(?:llm|anthropic|ollama|recorded|local|rules)\b)")
_PATHS = re.compile("/(?:chat/completions|messages|api/chat)$")  # of single calls, pasted along with the address
_NO_PORT = re.compile(r":(?![0-9]{0,5}(?:/|$))[^/]*")
_FORMS = "write llm:MODEL@http://localhost:8000/v1, llm:MODEL for OpenAI's own, anthropic:MODEL or ollama:MODEL"
AZURE = "for Azure write llm:DEPLOYMENT@https://RESOURCE.openai.azure.com/openai/v1, which needs no api-version"
_KEYS = "keys come from the environment: for llm.example.org, set SUREFOOT_KEY_LLM_EXAMPLE_ORG"


class Spec(NamedTuple):
    kind: str
    model: str
    endpoint: str

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.model}@{self.endpoint}"


def parsed(spec: str) -> Spec:
    match = _SPEC.fullmatch(spec.strip())
    if match is None or not match[2].strip():
        raise UsageError(f"{_shown(spec)} names no model", _FORMS)
    kind, model, endpoint = match[1], match[2], match[3]
    if "://" in model:
        raise UsageError(f"{_shown(spec)} has an address where the name of a model should be", _FORMS)
    if _HOST_IN_NAME.search(model):
        raise UsageError(f"the endpoint in {_shown(spec)} does not begin with http:// or https://", _FORMS)
    if endpoint is None:
        return Spec(kind, model, _ADDRESSES[kind])
    endpoint = _PATHS.sub("", _checked_endpoint(endpoint))
    return Spec(kind, model, endpoint if kind == "llm" else endpoint.removesuffix("/v1"))


def chat_model(named: str) -> Spec:
    """The model of a `chat:` pipeline: one that speaks as OpenAI does, unless it says otherwise."""
    return parsed(named if named.startswith(KINDS) else f"llm:{named}")


def masked(specs: str) -> str:
    """One spec or several between commas, with *** for what may be a secret in those that cannot be used anyway."""
    return ",".join(spec if _is_fine(spec) else _hidden(spec) for spec in _NEXT.split(specs))


def _checked_endpoint(endpoint: str) -> str:
    scheme, _, rest = endpoint.partition("://")
    if re.search("[@?#]", rest):
        hint = AZURE if "api-version" in rest.lower() else _KEYS
        raise UsageError("an endpoint can hold no password and nothing behind ? or #", hint)
    if not names_server(endpoint) or not _SERVER.fullmatch(urlsplit(endpoint).netloc):
        raise UsageError(f"the URL {_shown(endpoint)} names no server", _FORMS)
    return f"{scheme.lower()}://{rest}".rstrip("/")


def names_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0 and url.isprintable() and not re.search(r"\s", url)
    except ValueError:  # a port that is no number, half of an address in brackets
        return False


def _is_fine(spec: str) -> bool:
    try:
        return bool(parsed(spec))
    except UsageError:
        return False


def _shown(spec: str) -> str:
    return repr(_hidden(spec)[:200])


def _hidden(spec: str) -> str:
    """Without what stands before an @, behind ? or #, or in place of a port."""
    start, sign, rest = spec.partition("//")
    if not sign:
        start, sign, rest = spec.partition("@")
        start = re.sub(r"(\w+:[^:]*):.*", r"\1:***", start, flags=re.DOTALL) if sign else start
    start = re.sub("@.*@", "@***@", start, flags=re.DOTALL)
    before, at, server = rest.rpartition("@")
    if re.search("[?#]", before):
        return f"{start}{sign}***"
    server = _NO_PORT.sub(":***", re.sub("[?#].*", "?***", server, flags=re.DOTALL))
    return f"{start}{sign}{'***@' if at else ''}{server}"
