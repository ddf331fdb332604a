"""What a person sees while models are asked."""

from __future__ import annotations

import threading
import time

import pytest

from surefoot.cli.output import Progress
from surefoot.models.seam import Reply


def test_slow_replies_show_a_sign_of_life_and_seconds_per_reply(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(threading.Thread, "start", lambda _: None)
    progress = Progress(5, "replies")
    now[0] = 61
    progress._show(60)
    now[0] = 120
    progress.count(Reply())
    progress.close()
    progress._show(0)
    assert capsys.readouterr().err.splitlines() == [
        "0/5 replies, 0 errors, 61 s",
        "1/5 replies, 0 errors, 120.0 s per reply, 480 s left",
    ]
