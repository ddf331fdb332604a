"""The alert rules, as Prometheus itself tries them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.golden_files import ROOT

RULES = ROOT / "docs/monitor/alerts.yml"
ONE, OTHER = 'instance="a",job="surefoot"', 'instance="b",job="surefoot"'


def fires(
    name: str, minutes: int, labels: dict[str, str], summary: str, is_on: bool, /, **series: str
) -> dict[str, object]:
    """Whether an alert fires at a minute. Series are named by their metric and hold a value a minute."""
    alert = {"exp_labels": labels, "exp_annotations": {"summary": summary}}
    return {
        "interval": "1m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "alert_rule_test": [
            {"eval_time": f"{minutes}m", "alertname": name, "exp_alerts": [alert] if is_on else []},
        ],
    }


@pytest.mark.skipif(shutil.which("promtool") is None, reason="Prometheus is not installed")
def test_alerts_fire_when_they_say(tmp_path: Path) -> None:
    page, ticket = {"severity": "page"}, {"severity": "ticket", "instance": "a", "job": "surefoot"}
    gone = "A monitor is not running, or Prometheus cannot reach it"
    silent, refusing = (
        "No answer has come in for half an hour",
        "Traces were lost, as they cannot be read: the exporter's log says why",
    )
    running = {f"up{{{ONE}}}": "1x60", f"surefoot_ready{{{ONE}}}": "1x60"}
    refused = {f"surefoot_refused_bodies_total{{{ONE}}}": "0x29 1x60"}
    seen = {f"surefoot_seen_total{{{ONE}}}": "0+10x30 300x60"}
    tests = [
        fires("SurefootGone", 40, page, gone, False, **running),
        fires("SurefootGone", 40, {**page, "instance": "b", "job": "surefoot"}, gone, True, **running,
              **{f"up{{{OTHER}}}": "1x5 0x55", f"surefoot_ready{{{OTHER}}}": "1x5 _x55"}),
        fires("SurefootGone", 40, page, gone, True, **{f"surefoot_ready{{{ONE}}}": "1x5 _x55"}),
        fires("SurefootSilent", 58, ticket, silent, False, **seen),
        fires("SurefootSilent", 61, ticket, silent, True, **seen),
        fires("SurefootRefusing", 35, ticket, refusing, True, **refused),
    ]  # fmt: skip
    file = tmp_path / "tests.yml"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
