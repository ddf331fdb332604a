from __future__ import annotations

import pytest

from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures
from .page import make_run, trace


@pytest.fixture
def mill() -> str:
    """One run, of which the grader calls every fourth answer wrong."""
    return make_run("mill", [trace(number) for number in range(40)], flagged=range(0, 40, 4))
