"""Rows made from documents by edits and paraphrases."""
