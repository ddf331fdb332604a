"""Put one fault at a time into a copy of the source, and see whether the cases notice.

python -m tests.blackbox.mutants                all of mutants.toml
python -m tests.blackbox.mutants 'table.*' ...  those whose names fit
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
_AT_ONCE = 2
# Which cases are likely to notice a kind of fault: to run these first only saves time.
_FIRST = {"table": "buckets", "citations": "buckets", "joins": "logs", "metrics": "logs", "store": "runs",
          "gate": "runs"}  # fmt: skip


def main(wanted: list[str]) -> int:
    """Try all faults whose names fit; the number of those that nobody noticed."""
    kinds: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "mutants.toml").read_text("utf-8"))
    every = {f"{kind}.{name}": fault for kind, faults in kinds.items() for name, fault in faults.items()}
    chosen = [name for name in every if not wanted or any(fnmatch.fnmatch(name, one) for one in wanted)]
    noticed = 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        tried = pool.map(lambda name: noticing(*every[name], first=_FIRST[name.partition(".")[0]]), chosen)
        for name, case in zip(chosen, tried, strict=True):
            noticed += bool(case)
            sys.stdout.write(f"{'killed  ' if case else 'SURVIVED'} {name}  {case}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{noticed} of {len(chosen)} killed\n")
    return len(chosen) - noticed


def noticing(file: str, before: str, after: str, *, first: str) -> str:
    """The case that fails on the source with this fault in it; empty if none does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy)
        path = copy / "surefoot" / file
        text = path.read_text("utf-8")
        if text.count(before) != 1:
            raise SystemExit(f"{file} does not have this once: {before}")
        path.write_text(text.replace(before, after), "utf-8")
        tests = sorted(HERE.glob("test_*.py"), key=lambda test: (first not in test.name, test.name))
        done = subprocess.run(
            [sys.executable, *_PYTEST, *map(str, tests)], cwd=ROOT, capture_output=True,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        if done.returncode not in (0, 1, 2):
            raise SystemExit(done.stdout.decode() + done.stderr.decode())
        failed = (line for line in done.stdout.decode().splitlines() if line.startswith(("FAILED", "ERROR")))
        return next(failed, "an error") if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
