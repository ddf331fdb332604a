"""A run to label, and the desk at which it is labelled."""

from __future__ import annotations

import pytest

from surefoot.label.desk import Desk
from surefoot.label.form import fields_of
from surefoot.services.label_queue import label_queue
from surefoot.store import Project

from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures
from .page import REFUSAL, Sit, make_run, trace


@pytest.fixture
def mill() -> str:
    return make_run("mill", [trace(number) for number in range(40)])


@pytest.fixture
def sit(mill: str) -> Sit:
    """Each time it is called it is a server that is started."""

    def sat(run: str = mill, target: int = 50, overlap: float = 0.2, only_gate: bool = False) -> Desk:
        queue = label_queue(run, target=target, overlap=overlap, only_gate=only_gate)
        return Desk(queue, REFUSAL, fields_of(REFUSAL), Project.existing())

    return sat
