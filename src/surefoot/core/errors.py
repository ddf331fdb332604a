"""What can go wrong for a user, each with a hint and the exit code it leads to.

SurefootError
├── UsageError        the command line, a gate file or a mapping cannot be understood   exit 2
│   └── OtherRun      a run that is to go on was made with something else
└── Incomplete        the work could not be finished: nothing readable, missing extra   exit 4
    └── Unreachable   what is to be read lies elsewhere, and does not answer
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum

_FEW = 8  # words that a hint lists beside the nearest
INTERRUPTED = 130  # the exit code after Ctrl-C, as shells have it


class ExitCode(IntEnum):
    OK = 0
    BLOCKED = 1
    USAGE = 2
    INCONCLUSIVE = 3
    INCOMPLETE = 4


# Of several exit codes, the first in this order counts.
WORST_FIRST = (ExitCode.USAGE, ExitCode.BLOCKED, ExitCode.INCOMPLETE, ExitCode.INCONCLUSIVE, ExitCode.OK)


class SurefootError(Exception):
    """One clear sentence, and a hint at what to do about it."""

    exit_code = ExitCode.INCOMPLETE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} (hint: {self.hint})" if self.hint else self.message


class UsageError(SurefootError):
    exit_code = ExitCode.USAGE


class OtherRun(UsageError):
    """A run cannot be gone on with: it was made with something else than what is given now."""


class Incomplete(SurefootError):
    exit_code = ExitCode.INCOMPLETE


class Unreachable(Incomplete):
    """Nothing is wrong with what is to be read: the same work can be done later."""


class TransientError(Exception):
    """A pipeline or a grader failed in a way that may pass: ask again, after `retry_after` seconds if it said so."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def check_number(name: str, value: float | None, low: float, high: float | None = None) -> None:
    """Of what callers from Python pass; the command line has ranges of its own."""
    if value is not None and not low <= value <= (value if high is None else high):
        choice = f"choose a number from {low:,}" + (" on" if high is None else f" to {high:,}".removesuffix(".0"))
        raise UsageError(f"{name} is {value:,}", choice)


def nearest(given: str, known: Iterable[str]) -> str:
    """A hint at the known word that is nearest to one that is not; "" where none is near."""
    names = {one.lower(): one for one in known}
    near = sorted((one for one in names if len(given) > 2 and given.lower() in one), key=len)
    near += difflib.get_close_matches(given.lower(), names, 1)
    return f"did you mean {names[near[0]]}?" if near else ""


def unknown(message: str, given: str, known: Iterable[str], otherwise: str = "") -> UsageError:
    """A word that nobody knows, with a hint at the nearest known one; if none is near, `otherwise` or all of them."""
    there = list(known)
    near, listed = nearest(given, there), f"there are {', '.join(there)}"
    few = listed if near and len(there) <= _FEW and not otherwise else ""
    return UsageError(message, f"{near} {few}".strip() or otherwise or listed)


def words_of(error: BaseException) -> str:
    """What an error says: ours as they are, others with their kind in front."""
    try:
        if isinstance(error, (SurefootError, TransientError)):
            return str(error)
        return f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # noqa: BLE001 - an exception of the user's own may not even be able to say what it is
        return type(error).__name__
