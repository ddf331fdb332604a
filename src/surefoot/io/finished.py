"""The parts of a large piece of work that are done, each in a file of its own, so that a restart goes on from there.

A part is named by what was to be done with what, and its file takes its place in one step: it is whole, or not there.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

from surefoot.core.errors import Incomplete
from surefoot.core.files import LOCK, holding, printable, replace_file

_SUFFIX = ".part"


class Finished:
    """The finished parts of one plan. Only one process at a time works on it."""

    def __init__(self, folder: Path, plan: str, *, stays: bool) -> None:
        self.folder = folder / sha256(plan.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._stays = stays  # for the next time, where a person named the folder
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            hint = "set another folder as `work` in surefoot.toml"
            raise Incomplete(f"{printable(folder)} cannot be written to: {error.strerror}", hint) from error
        taken = Incomplete(
            f"another process is writing to {self.folder}", "wait for it to end, or choose another folder"
        )
        self._held = ExitStack()
        self._held.enter_context(holding(self.folder / LOCK, taken))

    def name_of(self, part: object) -> str:
        return sha256(repr(part).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def __contains__(self, name: str) -> bool:
        return (self.folder / f"{name}{_SUFFIX}").exists()

    def read(self, name: str) -> bytes:
        return (self.folder / f"{name}{_SUFFIX}").read_bytes()

    def keep(self, name: str, result: bytes) -> None:
        try:
            replace_file(self.folder / f"{name}{_SUFFIX}", result)
        except OSError as error:
            message = f"a finished part cannot be kept in {printable(self.folder)}: {error.strerror}"
            raise Incomplete(message, f"make room there; {self.hint}") from error

    @property
    def hint(self) -> str:
        return f"the parts that are done are kept in {printable(self.folder)}: the same command goes on from there"

    def close(self, *, whole: bool) -> None:
        """`whole`: all parts were used, and need not be kept."""
        self._held.close()
        if whole and not self._stays:
            shutil.rmtree(self.folder, ignore_errors=True)
