"""Faithful rewrites of a sentence."""

from training.paraphrases.every_kind import paraphrase, paraphrases, without_opening

__all__ = ["paraphrase", "paraphrases", "without_opening"]
