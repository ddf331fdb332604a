"""A run to label, and the desk at which it is labelled."""

from __future__ import annotations

from pathlib import Path

import pytest
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of

from surefoot.label.desk import Desk
from surefoot.label.form import fields_of
from surefoot.services.label_queue import label_queue
from surefoot.store import RunStore

from ..browser import _watched, browser, console, page, window  # noqa: F401 - fixtures
from .page import REFUSAL, Sit, make_run, trace


@pytest.fixture
def mill(tmp_path: Path) -> Path:
    return make_run(tmp_path / "runs" / "mill", [trace(number) for number in range(40)])


@pytest.fixture
def sit(mill: Path) -> Sit:
    """Each time it is called it is a server that is started, on the ledger beside the run."""

    def sat(run: Path = mill, target: int = 50, overlap: float = 0.2, only_gate: bool = False) -> Desk:
        queue = label_queue(run, target=target, overlap=overlap, only_gate=only_gate)
        ledger = Ledger.open(run.parent / "surefoot.db")
        ledger.add_run(entry_of(RunStore.open(run)))
        return Desk(queue, REFUSAL, fields_of(REFUSAL), ledger)

    return sat
