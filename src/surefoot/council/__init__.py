"""The council: reviewers score answers by a rubric, and we count what they say.

prompts.py    the settings, what models are asked, and how they are asked at once
ballots.py    a reviewer's raw text as a ballot, or why it is none
ranking.py    ballots as votes under ceilings and the safety gate, and the order of the answers
rows.py       scores as verdict rows of runs, and what they come to for each run
evaluate.py   what reviewers' scores are worth: bias, independence, agreement with people
tune.py       people's preferences, and weights fitted to them

The package is called like the public function `surefoot.council`, so it can be called as that.
"""

from __future__ import annotations

import sys
from importlib import import_module  # noqa: TID251 - the function is of a layer above
from types import ModuleType
from typing import Any


class _Council(ModuleType):
    def __call__(self, question: str, **options: Any) -> Any:  # noqa: ANN401 - as `jobs.council` has them
        return import_module("surefoot.jobs.council").council(question, **options)


sys.modules[__name__].__class__ = _Council
