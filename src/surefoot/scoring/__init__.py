"""Score traces against a question set: the whole deterministic tier behind one function."""

from surefoot.scoring.run import ScoreResult, score

__all__ = ["ScoreResult", "score"]
