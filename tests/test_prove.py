"""What `make prove` does at length, in small; its attacks, pages and secrets are tests of their own."""

from __future__ import annotations

import pytest

from tests.prove import PROOFS

_SMALL = {"bundle": 8, "model": 20, "wheel": 0, "linear": 1, "kills": 2, "fuzz": 400}


@pytest.mark.parametrize("name", _SMALL)
def test_in_small(name: str) -> None:
    print(PROOFS[name][0](_SMALL[name]))
