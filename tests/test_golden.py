"""Whole reports, compared with files that a person has looked at."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from rich.console import Console
from rich.terminal_theme import MONOKAI

from surefoot import ScoreResult, score
from surefoot.core.records import fingerprint, timestamp
from surefoot.core.types import Evidence, Passage, Question, Retrieved, Trace, Verdict
from surefoot.gate.decide import Request
from surefoot.gate.metrics import Rule
from surefoot.jobs.gate import GateResult, compare
from surefoot.jobs.runs import read_run
from surefoot.jobs.settings import load_gate
from surefoot.report import comparison as comparison_report
from surefoot.report import html, junit, markdown, of, terminal
from surefoot.store import Manifest, Project, Run

from .golden_files import ROOT, check

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ScoreResult:
    with as_file(files("surefoot") / "examples") as folder:
        monkeypatch.chdir(folder)
        return score("questions.json", "traces.jsonl", by=["stratum"])


@pytest.fixture
def trouble() -> ScoreResult:
    """Missing, doubled, broken and unknown, in one run."""
    questions = [
        {"qid": "a|b", "q": "A?", "answerable": True, "gold_ids": ["x"], "stratum": "<b>"},
        {"qid": "double", "q": "B?", "answerable": True, "gold_ids": ["y"]},
        {"qid": "missing", "q": "C?", "answerable": False},
    ]
    traces: list[dict[str, object]] = [
        {"qid": "a|b", "answer": "I don’t know.", "chunks": ["x"]},
        {"qid": "double", "answer": "So [y]."},
        {"qid": "double", "answer": "So [z1]."},
        {"q": "Never asked?", "answer": "So."},
        {"answer": "nobody's"},
    ]
    return score(questions, traces, by=["stratum"], rules=["precision >= 0.8", "wrong <= baseline", "coverage >= 1"])


@pytest.mark.parametrize("name", ["example", "trouble"])
def test_markdown_and_junit(name: str, request: pytest.FixtureRequest) -> None:
    result: ScoreResult = request.getfixturevalue(name)
    report = of(result)
    check(GOLDEN / f"{name}.md", "".join(f"{line}\n" for line in markdown.lines(report)))
    check(GOLDEN / f"{name}.xml", "\n".join(junit.of(result)) + "\n")


def test_the_picture_in_the_readme_is_what_the_terminal_shows(example: ScoreResult) -> None:
    console = Console(record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False)
    terminal.show(of(example, with_rows=False), console)
    svg = console.export_svg(title="surefoot score", theme=MONOKAI, unique_id="surefoot")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no fonts from elsewhere
    svg = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    check(ROOT / "docs" / "images" / "score.svg", svg)


ASKED = [
    Question("fee", "What is the fee?", "answer", stratum="easy"),
    Question("rent", "What is the rent?", "answer", stratum="easy"),
    Question("owner", "Who owns the house?", "refusal", stratum="hard"),
    Question("pet", "May I keep a pet?", "refusal", stratum="hard"),
]
FOUND = Retrieved([Passage("lease#1", "The fee is EUR 5. The rent is EUR 900.", "Lease", 2)])
# question: answer, bucket, reason
BEFORE = {
    "fee": ("The fee is EUR 5 [lease#1].", "correct", "correct"),
    "rent": ("The rent is EUR 900 [lease#1].", "correct", "correct"),
    "owner": ("The documents do not say who owns the house.", "refused", "refused"),
    "pet": ("I could not find whether you may keep a pet.", "refused", "refused"),
}
AFTER = {
    **BEFORE,
    "rent": ("The rent is EUR 700 [lease#1].", "wrong", "contradicted"),
    "owner": ("Mr <b>Kern</b> owns | the house.\x1b[31m", "unsupported", "no_evidence"),
    "pet": ("", None, "empty"),
}


def graded_run(project: Project, name: str, answers: Mapping[str, tuple[str, str | None, str]]) -> Run:
    """A run as `surefoot grade` leaves it, by a grader that does not change."""
    manifest = Manifest(
        id=name, version=name, pipeline="p", repeats=1, questions_sha256=fingerprint(ASKED), question_count=len(ASKED),
        question_notes=("1 question is not as it was locked",), created=timestamp(),
    )  # fmt: skip
    run = project.create(manifest, ASKED)
    verdicts: list[Verdict] = []
    for question, (answer, bucket, reason) in answers.items():
        run.keep([Trace(question, answer=answer, retrieved=FOUND, citations=("lease#1",))])
        evidence = (Evidence(answer, "lease#1", "The rent is EUR 900."),) if bucket == "wrong" else ()
        verdicts.append(Verdict(question, "factuality", bucket, "fixed/1", reason=reason, evidence=evidence))
        if bucket == "refused":
            verdicts.append(Verdict(question, "refusal_quality", 1, "fixed/1"))
        elif bucket:
            verdicts.append(Verdict(question, "extra_claim_count", int(bucket == "unsupported"), "fixed/1"))
    run.add_verdicts("fixed/1", verdicts)
    run.amend(rubric_sha256="r", grader="fixed/1")
    return run


@pytest.fixture
def comparison(tmp_path: Path) -> GateResult:
    """A candidate that turned wrong, made something up, and said nothing at all."""
    rules = [Rule.parse(text, name) for name, text in load_gate("ship").items()]
    with Project.open(tmp_path / "surefoot.db") as project:
        base, cand = (read_run(graded_run(project, *one)) for one in (("base", BEFORE), ("cand", AFTER)))
    return compare([base], [cand], rules, Request(called=("base", "cand"), waivers={"extra_claims": "a known gap"}))


def test_comparison_reports(comparison: GateResult) -> None:
    report = comparison_report.report
    check(GOLDEN / "comparison.md", "".join(f"{line}\n" for line in markdown.lines(report(comparison))))
    check(GOLDEN / "comparison.html", html.page(report(comparison)))


@pytest.mark.parametrize(("name", "width", "is_terminal"), [("comparison", 140, False), ("comparison-80", 80, True)])
def test_comparison_on_a_terminal(comparison: GateResult, name: str, width: int, is_terminal: bool) -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=width, highlight=False, force_terminal=is_terminal, color_system=None)
    terminal.show(comparison_report.report(comparison), console)
    lines = [line.rstrip() for line in shown.getvalue().splitlines()]
    check(GOLDEN / f"{name}.txt", "".join(f"{line}\n" for line in lines))
    assert not is_terminal or max(map(len, lines)) <= width
