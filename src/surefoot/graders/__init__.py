"""Graders: from an answer to findings, and from findings to verdicts."""
