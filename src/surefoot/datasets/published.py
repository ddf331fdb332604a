"""The public datasets that are read as their authors publish them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from surefoot.datasets import contract_nli, finance_bench, sections, squad
from surefoot.datasets.documents import Document, Origin
from surefoot.errors import UsageError


class Published(Struct, frozen=True):
    origin: Origin
    read: Callable[[Path], Iterator[Document]]


DATASETS = {
    origin.name: Published(origin, read)
    for origin, read in (
        (contract_nli.ORIGIN, contract_nli.read),
        (squad.CUAD, squad.read_cuad),
        (sections.GOV_REPORT, sections.read_gov_report),
        (sections.EDGAR, sections.read_edgar),
        (squad.SQUAD, squad.read_squad),
        (finance_bench.ORIGIN, finance_bench.read),
    )
}


def named(name: str) -> Published:
    if name not in DATASETS:
        raise UsageError(f"there is no public dataset {name!r}", f"choose one of {', '.join(DATASETS)}")
    return DATASETS[name]
