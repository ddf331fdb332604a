"""Packages that come with extras of ours."""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 - of extras
from types import ModuleType

from surefoot.errors import Incomplete


def library(name: str, extra: str, what: str = "this file") -> ModuleType:
    """A package that comes with an extra of ours, and what needs it."""
    try:
        return import_module(name)
    except ImportError as error:
        hint = f"install surefoot with its extra `{extra}`: pip install '/path/to/surefoot[{extra}]'"
        raise Incomplete(f"{what} needs the package {name.partition('.')[0]}", hint) from error
