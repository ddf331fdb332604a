"""What build servers are given: the steps of action.yml, of the workflow and of the GitLab job are run for real.

Of what they call, only pip and GitHub's own command are stand-ins, which note what they were asked.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from surefoot.cli.main import cli

from .golden_files import ROOT
from .in_process import surefoot

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
GATE = "--gate ship.toml --uncalibrated"
STAND_IN = """#!/bin/bash
printf '%s\\n' "$*" >> "$CALLS/{name}"
for word in "$@"; do if [[ $word = body=@* ]]; then cp "${{word#body=@}}" "$CALLS/body"; fi; done
if [[ $* = *--paginate* ]]; then cat "$CALLS/comments" 2>/dev/null; fi
exit "$(cat "$CALLS/{name}-exits" 2>/dev/null || echo 0)"
"""


class Job:
    """A runner with one checkout. The cache outlives a job if it was saved; contexts are those of the workflow."""

    def __init__(self, root: Path, path: str, **inputs: str) -> None:
        self.path = f"{root / 'bin'}{os.pathsep}{path}"
        self.root, self.cache, self.calls = root, root / "cache", root / "calls"
        self.repo, self.sha, self.number = root / "repo", "", 100 * self.cache.exists()
        self.inputs = {key: str(value.get("default", "")) for key, value in ACTION["inputs"].items()} | inputs
        self.calls.mkdir()
        (root / "bin").mkdir()
        for name in ("python", "gh"):
            program = root / "bin" / name
            program.write_text(STAND_IN.format(name=name))
            program.chmod(0o755)

    def run(self, sha: str, event: str = "push", ref: str = "main") -> dict[str, Any]:
        """All steps of the action in order; what each shell step came to."""
        self.number += 1
        self.sha = sha
        temp, project = self.root / f"temp{self.number}", self.repo / "surefoot.db"
        temp.mkdir()
        project.unlink(missing_ok=True)
        if self.cache.exists():
            shutil.copy(self.cache, project)
        known = {"github.event.repository.default_branch": "main", "github.event.pull_request.number": "7",
                 "steps.upload.outputs.artifact-url": "https://example.org/page"}  # fmt: skip
        known |= {f"inputs.{name}": value for name, value in self.inputs.items()}
        found: dict[str, Any] = {"temp": temp}
        for step in STEPS:
            if "run" in step and self._is_due(step, event, found):
                done = self._shell(step, known, event, ref, temp)
                name = step.get("id", step["name"])
                found[name] = done
                known |= {f"steps.{name}.outputs.{key}": value for key, value in done["outputs"].items()}
                known[f"steps.{name}.outcome"] = "failure" if done["code"] else "success"
        if found.get("gate", {}).get("outputs", {}).get("moved") == "true":
            shutil.copy(project, self.cache)
        return found

    def comment(self, temp: Path) -> dict[str, Any]:
        known = {"github.event.pull_request.number": "7", "inputs.name": self.inputs["name"]}
        return self._shell(STEPS[-1], known, "pull_request", "7/merge", temp)

    def _is_due(self, step: dict[str, Any], event: str, found: dict[str, Any]) -> bool:
        if step.get("id") == "score":
            return bool(self.inputs["score"]) and found["run"]["code"] == 0
        if step["name"] == "Comment on the pull request":
            return event == "pull_request" and found["run"]["code"] == 0
        return step.get("id") != "gate" or found["run"]["code"] == 0

    def _shell(self, step: dict[str, Any], known: dict[str, str], event: str, ref: str, temp: Path) -> dict[str, Any]:
        output, summary = temp / "output", temp / f"summary-{step['name']}"
        output.write_text("")
        summary.write_text("")
        given = {
            key: EXPRESSION.sub(lambda one: known.get(one[1], ""), value) for key, value in step.get("env", {}).items()
        }
        environment = {
            **os.environ, "PATH": self.path,
            "CALLS": str(self.calls), "RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": "/the/action",
            "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_SHA": self.sha * 8,
            "GITHUB_RUN_ID": str(self.number), "GITHUB_RUN_ATTEMPT": "1", "GITHUB_EVENT_NAME": event,
            "GITHUB_REF_NAME": ref, "GITHUB_REPOSITORY": "me/mine", **given,
        }  # fmt: skip
        environment.pop("SUREFOOT_DB", None)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.repo, env=environment,
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr, "outputs": outputs}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory, shell_path: str) -> tuple[Path, dict[str, Any]]:
    """A repository as `surefoot init` writes it, after the first job on its default branch."""
    root = tmp_path_factory.mktemp("ci")
    assert surefoot("init", root / "repo").code == 0
    return root, new_job(root, shell_path).run("aaaa")


def new_job(root: Path, path: str) -> Job:
    """The action with the options of the workflow."""
    workflow = yaml.safe_load((root / "repo/.github/workflows/surefoot.yml").read_text("utf-8"))
    given = workflow["jobs"]["gate"]["steps"][-1]["with"]
    assert given["gate"] == GATE and set(given) <= set(ACTION["inputs"])
    return Job(root, path, **given, grade="--grader rules")


@pytest.fixture
def job(shipped: tuple[Path, dict[str, Any]], shell_path: str, tmp_path: Path) -> Job:
    shutil.copytree(shipped[0] / "repo", tmp_path / "repo")
    shutil.copy(shipped[0] / "cache", tmp_path / "cache")
    return new_job(tmp_path, shell_path)


def never_refuse(job: Job) -> None:
    program = job.repo / "pipeline.py"
    program.write_text(program.read_text().replace("score >= 1", "score >= 0"))


def test_the_first_run_on_the_default_branch_becomes_the_baseline(shipped: tuple[Path, dict[str, Any]]) -> None:
    root, first = shipped
    assert first["score"]["code"] == 0 and first["gate"]["code"] == 0
    assert first["gate"]["outputs"] == {"exit-code": "0", "moved": "true"}
    assert "::notice title=surefoot%3A SHIP::" in first["gate"]["out"]
    assert "The baseline is now aaaaaaaaaaaa-" in first["gate"]["out"]
    asked = (root / "calls" / "python").read_text()
    assert asked.endswith("install --quiet --disable-pip-version-check /the/action\n")


def test_a_change_for_the_worse_is_stopped_and_does_not_become_the_baseline(job: Job) -> None:
    never_refuse(job)
    blocked = job.run("bbbb", "pull_request", "7/merge")
    assert blocked["score"]["code"] == 1 and blocked["gate"]["code"] == 1
    assert blocked["gate"]["outputs"] == {"exit-code": "1"}
    assert "::error title=surefoot%3A unsupported::" in blocked["gate"]["out"]
    kept = {str(path.relative_to(blocked["temp"] / "surefoot")) for path in (blocked["temp"] / "surefoot").iterdir()}
    assert kept == {"page.html", "gate.xml", "score.xml", "summary.md", "comment.md", "project.jsonl.gz"}
    gate = "--uncalibrated --waive unsupported --reason 'a $(touch x) gap' --waive acceptable --reason \"it's known\""
    job.inputs |= {"gate": gate, "install": "'a b' c"}
    on_main = job.run("cccc")
    assert on_main["gate"]["code"] == 0 and "moved" not in on_main["gate"]["outputs"], "the score was red"
    assert "Waived: unsupported, acceptable." in on_main["gate"]["out"] and not (job.repo / "x").exists()
    assert (job.calls / "python").read_text().endswith("/the/action a b c\n")


def test_a_pull_request_has_one_comment_of_ten_lines(job: Job) -> None:
    done = job.run("bbbb", "pull_request", "7/merge")
    assert done["gate"]["code"] == 0 and "moved" not in done["gate"]["outputs"]
    body = (job.calls / "body").read_text().splitlines()
    assert (
        body[0] == "<!-- surefoot surefoot -->" and body[3].startswith("**SHIP** - ") and "ll 8 rules hold." in body[3]
    )
    assert "https://example.org/page" in body[-1] and sum(bool(line) for line in body[1:]) <= 10
    asked = (job.calls / "gh").read_text().splitlines()
    assert asked[1] == "api --silent repos/me/mine/issues/7/comments -F body=@comment.md"
    (job.calls / "comments").write_text("41\n42\n")
    assert job.comment(done["temp"])["code"] == 0
    asked = (job.calls / "gh").read_text().splitlines()
    assert asked[-1] == "api --silent --method PATCH repos/me/mine/issues/comments/41 -F body=@comment.md"
    (job.calls / "gh-exits").write_text("1")
    again = job.comment(done["temp"])
    assert again["code"] == 0 and "::notice title=surefoot::No comment was written" in again["out"]


def test_without_a_baseline_a_pull_request_does_not_pass(job: Job) -> None:
    job.cache.unlink()
    job.inputs["score"] = ""
    done = job.run("aaaa", "pull_request", "7/merge")["gate"]
    assert done["code"] == 2 and "there is no baseline yet" in done["err"] and "surefoot baseline update" in done["err"]


def test_a_pipeline_that_fails_in_part_is_gated_and_one_that_is_missing_is_not(job: Job) -> None:
    program = job.repo / "pipeline.py"
    whole = program.read_text()
    program.write_text(whole.replace('    # "null"', "    if 'rent' in ask.text: raise ValueError\n    # \"null\""))
    job.inputs["score"] = ""
    done = job.run("bbbb", "pull_request", "7/merge")
    assert done["run"]["code"] == 0 and done["gate"]["code"] == 4 and "INCONCLUSIVE" in done["gate"]["out"]
    program.unlink()
    done = job.run("cccc")
    assert done["run"]["code"] != 0 and "gate" not in done


def test_labels_of_a_file_count(job: Job) -> None:
    job.cache.unlink()
    job.inputs |= {"score": "", "gate": "", "labels": "labels.jsonl"}
    (job.repo / "surefoot.db").unlink()
    surefoot("run", "-p", "pipeline:answer", "-q", "questions.json", "--version", "mine", cwd=job.repo)
    rows = [{"question_id": q, "axis": axis, "value": value, "annotator": "ann"}
            for q, bucket in (("q1", "correct"), ("q2", "correct"), ("q3", "refused"))
            for axis, value in (("factuality", bucket), ("extra_claim_count", 0), ("refusal_quality", 0))
            if axis != "refusal_quality" or bucket == "refused"]  # fmt: skip
    (job.repo / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert surefoot("import", "mine.jsonl", "--run", "mine", cwd=job.repo).code == 0
    assert surefoot("export", "labels.jsonl", "--labels", cwd=job.repo).code == 0
    done = job.run("bbbb")["gate"]
    assert done["code"] == 0 and "--uncalibrated" not in done["out"], done["out"] + done["err"]


def test_the_action_is_whole() -> None:
    assert ACTION["runs"]["using"] == "composite" and ACTION["name"] and ACTION["description"]
    identifiers = {step["id"] for step in STEPS if "id" in step}
    for step in STEPS:
        assert ("uses" in step) != ("run" in step)
        assert "run" not in step or step["shell"] == "bash"
        assert "${{" not in step.get("run", ""), "what comes from outside reaches a shell by its environment alone"
    text = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    assert set(re.findall(r"steps\.([\w-]+)\.", text)) <= identifiers
    for command in re.findall(r"^ +surefoot (\w+)", text, re.MULTILINE):
        assert command in cli.list_commands(None)  # type: ignore[arg-type]


def test_the_job_for_gitlab_runs(shell_path: str, tmp_path: Path) -> None:
    """As the documentation has it, once on the default branch and once for a merge request."""
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    block = next(text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "CI_COMMIT_SHORT_SHA" in text)
    made = yaml.safe_load(block)["surefoot"]
    assert surefoot("init", tmp_path / "repo").code == 0
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pip").symlink_to("/bin/true")
    codes = []
    for number, rule in enumerate(made["rules"]):
        environment = {
            **os.environ, **rule["variables"], "CI_COMMIT_SHORT_SHA": f"v{number}",
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{shell_path}",
        }  # fmt: skip
        environment.pop("SUREFOOT_DB", None)
        script = ["bash", "-eo", "pipefail", "-c", "\n".join(made["script"])]
        done = subprocess.run(script, cwd=tmp_path / "repo", env=environment, capture_output=True, text=True)
        codes.append(done.returncode)
        assert (tmp_path / "repo" / made["artifacts"]["reports"]["junit"]).is_file(), done.stdout + done.stderr
        program = tmp_path / "repo/pipeline.py"
        program.write_text(program.read_text().replace("score >= 1", "score >= 0"))
    assert codes == [0, 1]
