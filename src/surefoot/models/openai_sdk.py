"""OpenAI's SDK. It takes a second to import, so this module is imported where a model is opened."""

from __future__ import annotations

from openai import AsyncOpenAI, DefaultAioHttpClient, Timeout

from surefoot.models.clients import Connected
from surefoot.models.dialects import OpenAiDialect
from surefoot.models.keys import Secret
from surefoot.models.settings import Settings


def connected(endpoint: str, key: Secret, settings: Settings) -> Connected:
    timeout = Timeout(connect=settings.connect, read=settings.stall, write=settings.stall, pool=None)
    http = DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
    sdk = AsyncOpenAI(api_key=key.reveal() or "none", base_url=endpoint, max_retries=0, http_client=http)
    headers = {"user-agent": str(sdk.user_agent), **(sdk.auth_headers if key else {})}
    return Connected(http, endpoint, headers, OpenAiDialect())
