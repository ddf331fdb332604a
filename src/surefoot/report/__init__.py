"""Showing a scorecard: Markdown, a terminal, JUnit. Nothing is computed here that a decision rests on."""
