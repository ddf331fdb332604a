"""Surefoot, the ship gate for grounded document QA: cite it or refuse."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.scoring import ScoreResult, score
    from surefoot.services.compare import Compared, compare
    from surefoot.services.decisions import Decided, decisions
    from surefoot.services.inputs import Asking
    from surefoot.services.run import Answers, run

__version__ = "0.1.0"
__all__ = [
    "Answers", "Asking", "Compared", "Decided", "ScoreResult", "__version__", "compare", "decisions", "run", "score",
]  # fmt: skip
_HOMES = {
    "Answers": "services.run", "run": "services.run", "Asking": "services.inputs",
    "Compared": "services.compare", "compare": "services.compare",
    "Decided": "services.decisions", "decisions": "services.decisions",
    "ScoreResult": "scoring", "score": "scoring",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Public names load on first use, so that importing surefoot stays light."""
    if name in _HOMES:
        return getattr(import_module(f"surefoot.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
