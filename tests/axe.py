"""Whether a page can be used by everyone, as far as axe-core can tell."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """What is wrong, each with the element; in a page whose policy forbids foreign scripts too."""
    module: Any = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = module.Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
