"""Anthropic's SDK. It takes seconds to import, so this module is imported where a model is opened."""

from __future__ import annotations

from anthropic import AsyncAnthropic, DefaultAioHttpClient, Timeout, transform_schema

from surefoot.models.clients import Connected
from surefoot.models.dialects import AnthropicDialect
from surefoot.models.keys import Secret
from surefoot.models.settings import Settings


def connected(endpoint: str, key: Secret, settings: Settings) -> Connected:
    timeout = Timeout(connect=settings.connect, read=settings.stall, write=settings.stall, pool=None)
    http = DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
    sdk = AsyncAnthropic(api_key=key.reveal() or "none", base_url=endpoint, max_retries=0, http_client=http)
    version = {"anthropic-version": str(sdk.default_headers["anthropic-version"])}
    headers = {"user-agent": str(sdk.user_agent), **version, **(sdk.auth_headers if key else {})}
    # Servers reject keywords that their grammars do not know; the SDK puts these into descriptions instead.
    return Connected(http, endpoint, headers, AnthropicDialect(transform_schema))
