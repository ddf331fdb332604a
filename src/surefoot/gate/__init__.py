"""The gate: may a candidate ship? An answer goes down this list, and never back up.

sides.py       the two versions that are compared, and their answers with labels in place
metrics.py     everything that is measured, each thing under one name; rules on it, and what came of them
looks.py       what differs between them, what people saw of it, and how far a count may have changed
calibrate.py   how far the grader can be trusted, by people's labels
effects.py     what each axis of a matrix changes
decide.py      all rules, and the decision

The package is called like the public function `surefoot.gate`, so it can be called as that.
"""

from __future__ import annotations

import sys
from importlib import import_module  # noqa: TID251 - the function is of a layer above
from types import ModuleType
from typing import Any


class _Gate(ModuleType):
    def __call__(self, *runs: Any, **options: Any) -> Any:  # noqa: ANN401 - as `jobs.gate` has them
        return import_module("surefoot.jobs.gate").gate(*runs, **options)


sys.modules[__name__].__class__ = _Gate
