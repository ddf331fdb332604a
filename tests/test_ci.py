"""What build servers run: `surefoot.sh` in a repository of its own, from the first job to the decision."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from surefoot import look_list

from .golden_files import ROOT
from .in_process import surefoot

QUIET = ("-c", "user.email=a@example.org", "-c", "user.name=a", "-c", "commit.gpgsign=false")


class Repository:
    """A checkout of what `surefoot init` writes; each job has a machine of its own and keeps only what is cached."""

    def __init__(self, root: Path, shell_path: str) -> None:
        self.root, self.path = root, shell_path
        assert surefoot("init", root).code == 0
        script = root / "surefoot.sh"
        script.write_text(script.read_text().replace("--grader local", "--grader rules"))
        (root / ".gitignore").write_text("surefoot.db*\nsurefoot-out/\n__pycache__/\nasked\n")
        program = root / "pipeline.py"
        program.write_text(f"{program.read_text()}\nopen('asked', 'a').write('x')\n")
        self.git("init", "-q")
        self.commit("first")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *QUIET, *words], cwd=self.root, check=True, capture_output=True)

    def commit(self, why: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", why)

    def edit(self, before: str, after: str) -> None:
        program = self.root / "pipeline.py"
        text = program.read_text()
        assert before in text
        program.write_text(text.replace(before, after))
        self.commit("a change")

    def job(self, *words: str, keep: bool = True) -> subprocess.CompletedProcess[str]:
        for file in self.root.glob("surefoot.db*"):
            file.unlink()
        if not keep:
            shutil.rmtree(self.root / "surefoot-out", ignore_errors=True)
        environment = {**os.environ, "PATH": self.path, "GITHUB_STEP_SUMMARY": str(self.root / "../summary")}
        environment.pop("SUREFOOT_DB", None)
        script = ["bash", "surefoot.sh", *words]
        return subprocess.run(script, cwd=self.root, env=environment, capture_output=True, text=True, timeout=300)

    @property
    def version(self) -> str:
        return self.job("version").stdout.strip()

    @property
    def comment(self) -> str:
        return (self.root / "surefoot-out/summary.md").read_text("utf-8")


@pytest.fixture
def repository(tmp_path: Path, shell_path: str, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.delenv("SUREFOOT_DB", raising=False)
    made = Repository(tmp_path / "repo", shell_path)
    assert made.job().returncode == 4
    version = subprocess.run(["bash", "surefoot.sh", "version"], cwd=made.root, capture_output=True, text=True)
    done = surefoot("baseline", version.stdout.strip(), cwd=made.root)
    assert done.code == 0, done.err
    (made.root / "eval").mkdir()
    assert surefoot("export", "eval/baseline.jsonl", version.stdout.strip(), cwd=made.root).code == 0
    made.commit("the baseline")
    return made


def label(repository: Repository, desk: Path, bucket: str) -> None:
    """Look at the artifact at a desk, and commit the labels."""
    desk.mkdir()
    shutil.copy(repository.root / "surefoot-out/decision.jsonl", desk)
    assert surefoot("import", "decision.jsonl", cwd=desk).code == 0
    assert len(look_list(desk / "decision.jsonl", db=desk / "surefoot.db").names) == 2
    of_one = look_list(repository.root / "eval/baseline.jsonl", db=desk / "surefoot.db")
    assert len(of_one.names) == 1, "a file that makes a version the baseline is no pair"
    last = surefoot("gate", "--history", "--json", cwd=desk).json["decisions"][-1]
    for version, word in ((last["reference"], "refused"), (last["release"], bucket)):
        (desk / "mine.jsonl").write_text(
            f'{{"question_id": "q3", "axis": "factuality", "value": "{word}", "annotator": "ann"}}\n'
        )
        assert surefoot("import", "mine.jsonl", "--run", version, cwd=desk).code == 0
    assert surefoot("export", repository.root / "eval/labels.jsonl", "--labels", cwd=desk).code == 0
    repository.commit("looked at")


def test_the_loop_is_closed_without_asking_again(repository: Repository, tmp_path: Path) -> None:
    repository.edit("score >= 1", "score >= 0")
    before = repository.version
    opened = repository.job(keep=False)
    assert opened.returncode == 1 and repository.comment.startswith("**BLOCK** - the score gate: "), "the worse of both"
    assert repository.comment.splitlines()[2].startswith("INCONCLUSIVE - against the baseline: Leaning BLOCK")
    assert repository.comment.count("Leaning BLOCK") == 1 and "surefoot label" in repository.comment
    assert {"page.html", "score.md", "gate.xml", "score.xml"} <= {
        one.name for one in (repository.root / "surefoot-out").iterdir()
    }
    script = repository.root / "surefoot.sh"
    script.write_text(script.read_text().replace("score=$?", "score=0"))  # as with looser limits in gate.toml
    repository.commit("looser")
    assert repository.version != before, "another code"
    opened = repository.job(keep=False)
    assert opened.returncode == 3 and repository.comment.count("\n- ") <= 10, opened.stderr
    asked = len((repository.root / "asked").read_text())
    label(repository, tmp_path / "desk", "unsupported")
    decided = repository.job()
    assert decided.returncode == 1 and "1 question newly unsupported for good (q3)" in repository.comment
    assert len((repository.root / "asked").read_text()) <= asked + 1, "loaded, and not asked"
    assert "3 answers" in decided.stdout
    again = repository.job()
    assert again.returncode == 1, "and stays so"


def test_an_unchanged_pipeline_ships_at_once(repository: Repository) -> None:
    repository.edit("open('asked'", "# a comment\nopen('asked'")
    done = repository.job(keep=False)
    assert done.returncode == 0 and "nothing changed" in repository.comment, done.stderr
    assert (repository.root / "../summary").read_text().endswith(repository.comment)


def test_the_workflow_and_the_job_for_gitlab_call_the_script() -> None:
    workflow = yaml.safe_load((ROOT / "src/surefoot/starter/workflow.yml").read_text("utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["gate"]["steps"]]
    assert "bash surefoot.sh" in steps
    kept = next(one for one in workflow["jobs"]["gate"]["steps"] if "cache/save" in one.get("uses", ""))
    assert kept["if"] == "${{ !cancelled() }}", "a job that waits for looks ends red, and is not asked again"
    assert all("${{" not in run for run in steps), "what comes from outside reaches a shell by its environment alone"
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    block = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0])["surefoot"]
    assert block["script"][-1] == "bash surefoot.sh" and block["allow_failure"] == {"exit_codes": 3}
