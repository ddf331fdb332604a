"""Rows made from questions that people asked and answered."""
