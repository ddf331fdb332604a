"""Surefoot, the ship gate for grounded document QA: cite it or refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.scoring import ScoreResult, score

__version__ = "0.1.0"
__all__ = ["ScoreResult", "__version__", "score"]


def __getattr__(name: str) -> object:
    """Public names load on first use, so that importing surefoot stays light."""
    if name in ("score", "ScoreResult"):
        from surefoot import scoring

        return getattr(scoring, name)
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
