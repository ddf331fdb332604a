"""The local grader with its last step fitted to labels of a user's own: what `surefoot calibrate --refit` writes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.calibration.refit import Fitted
from surefoot.core.errors import UsageError
from surefoot.graders.judges import Asked, Judge, Judgement, Pair, moved
from surefoot.graders.local import LocalJudge

_AGAIN = "make it again with surefoot calibrate RUN --refit FILE"


class RefitFile(Struct, frozen=True, forbid_unknown_fields=True):
    """`grader` is the one it was fitted to: with other weights it means nothing."""

    grader: str
    fitted: Fitted


class RefitJudge:
    """Reads like the local judge, and moves the odds of support."""

    def __init__(self, judge: Judge, fitted: Fitted) -> None:
        self._judge, self._fitted = judge, fitted
        digest = hashlib.sha256(f"{fitted.shift} {fitted.scale}".encode()).hexdigest()
        self.name = f"{judge.name}+refit+{digest[:8]}"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [moved(one, self._fitted.shift, self._fitted.scale) for one in self._judge.judge(pairs)]

    def answering(self, asked: Sequence[Asked]) -> list[float | None]:
        return self._judge.answering(asked)


def refit_judge(path: str | Path) -> RefitJudge:
    """The judge that a file makes of the local one."""
    judge = LocalJudge()
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=RefitFile)
    except OSError as error:
        raise UsageError(f"{path}: the refitted grader cannot be read: {error.strerror}", _AGAIN) from error
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path} is not a refitted grader: {error}", _AGAIN) from error
    if found.grader != judge.name:
        raise UsageError(f"{path} was fitted to {found.grader}, and this is {judge.name}", _AGAIN)
    return RefitJudge(judge, found.fitted)
