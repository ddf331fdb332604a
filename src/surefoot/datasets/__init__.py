"""Keeping question sets honest: locks, differences, new versions, checks."""
