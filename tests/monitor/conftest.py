"""A monitor in a process of its own, started by the real command, and a client that talks to it over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from surefoot.monitor.otlp import JSON
from tests.monitor.exports import Span, export

_LONGEST_WAIT = 600  # seconds, for a machine that has much else to do


class Live:
    def __init__(self, folder: Path, *words: str) -> None:
        command = [str(Path(sys.executable).parent / "surefoot"), "monitor", "--json", "--grader", "rules", *words]
        environment = {**os.environ, "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.told = json.loads(line)
        url = self.told.get("metrics") or self.told.get("otlp") or ":0"
        self._http = http.client.HTTPConnection("127.0.0.1", int(url.rstrip("/").rpartition(":")[2]), timeout=60)

    def get(self, path: str) -> tuple[int, str]:
        self._http.request("GET", path)
        reply = self._http.getresponse()
        return reply.status, reply.read().decode()

    def post(self, body: bytes, kind: str = JSON, **headers: str) -> tuple[int, bytes]:
        self._http.request("POST", "/v1/traces", body, {"Content-Type": kind, **headers})
        reply = self._http.getresponse()
        return reply.status, reply.read()

    def send(self, spans: list[Span]) -> None:
        assert self.post(export(spans)) == (200, b"{}")

    def metrics(self) -> dict[str, float]:
        """Of one label, the value of which comes behind the name: surefoot_bucket_total/wrong."""
        families = list(text_string_to_metric_families(self.get("/metrics")[1]))
        return {"/".join([one.name, *one.labels.values()]): one.value for found in families for one in found.samples}

    def wait_for(self, name: str, value: float) -> dict[str, float]:
        for _ in range(10 * _LONGEST_WAIT):  # looks, not seconds of a clock: a machine may stand still for a while
            if (found := self.metrics()).get(name, 0) >= value:
                return found
            assert self.process.poll() is None, found
            time.sleep(0.1)
        raise AssertionError(f"{name} never came to {value}: {found}")

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, Any, str]:
        """Its exit code, the result it printed, and what it had to say."""
        self._http.close()
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=_LONGEST_WAIT)
        assert "Traceback" not in err, err
        return self.process.returncode, json.loads(out) if out else None, err


Start = Callable[..., Live]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    begun: list[Live] = []

    def begin(*words: str) -> Live:
        begun.append(Live(tmp_path, *words))
        return begun[-1]

    yield begin
    for live in begun:
        live.process.kill()
        live.process.communicate()
