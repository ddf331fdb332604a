"""The pages of reports are read in a real browser."""

from __future__ import annotations

from ..browser import browser, page, window  # noqa: F401 - fixtures
