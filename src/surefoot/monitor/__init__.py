"""Watching production: which answers are graded, without personal data, how often they are bad, and when to raise an
alarm. The files here are pure but for `state`, which keeps one file."""
