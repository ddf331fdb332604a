"""Pipelines x models x prompts over one question set: the plan of the cells, and what each factor changes."""
