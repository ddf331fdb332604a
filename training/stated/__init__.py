"""Invented passages in which who did what to whom, or which value holds, must be read and cannot be guessed."""
