"""The pages of reports are read in a real browser."""

from __future__ import annotations

from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures
