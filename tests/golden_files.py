"""Files that are compared as a whole; `make golden` accepts what is there now."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).parent.parent


def check(path: Path, text: str) -> None:
    if os.environ.get("SUREFOOT_ACCEPT"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    expected = path.read_text(encoding="utf-8")
    changed = "\n".join(unified_diff(expected.splitlines(), text.splitlines(), lineterm="", n=0))
    assert expected == text, f"{path} is out of date: `make golden` accepts the new one\n{changed}"
