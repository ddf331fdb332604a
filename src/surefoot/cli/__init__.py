"""The command line. Data goes to stdout, progress and errors to stderr, and the exit code tells the outcome."""

from surefoot.cli.main import main

__all__ = ["main"]
