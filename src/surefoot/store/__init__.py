"""The project: one database of runs, answers, verdicts, decisions and paid replies."""

from surefoot.store.project import BadRow as BadRow
from surefoot.store.project import Key as Key
from surefoot.store.project import Manifest as Manifest
from surefoot.store.project import Project as Project
from surefoot.store.project import Run as Run
