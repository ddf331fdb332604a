"""Score traces against a question set: the whole deterministic tier behind one function."""

from surefoot.scoring.result import ScoreResult
from surefoot.scoring.run import score

__all__ = ["ScoreResult", "score"]
