"""The local grader fitted to labels: two numbers, shrunk towards those it is shipped with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from surefoot.cli.grade import calibrate
from surefoot.core.errors import ExitCode, Incomplete, SurefootError, UsageError
from surefoot.core.records import is_called_like_a_grader
from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.judges import Judgement, Pair, log_odds
from surefoot.graders.local import LocalJudge
from surefoot.graders.refit import SHIFTS, Fitted, RefitJudge, fit, refit_judge
from surefoot.jobs.calibrate import refit
from surefoot.jobs.grade import grade, open_grader
from surefoot.jobs.settings import Settings
from tests.kept import keep_run, kept

STRICT = 0.3  # what the stub below says of claims that people find supported


def row(odds: float) -> list[str]:
    """The buckets of an answer whose one claim is supported at these log-odds."""
    return ["correct" if odds + shift >= 0 else "unsupported" for shift in SHIFTS]


def even(count: int) -> list[float]:
    return [1.0] * count


def test_a_grader_that_is_too_strict_is_shifted() -> None:
    odds = [-0.8, -0.6, -0.7, -0.9, -3.0, -2.8, -3.2, 1.0, 2.0, 1.5] * 4
    labels = ["unsupported" if one < -2 else "correct" for one in odds]
    found = fit([row(one) for one in odds], labels, even(40))
    assert 0.8 < found.shift <= 2 and found.labels == 40 and found.agreement == pytest.approx(0.6)
    assert found.gain == pytest.approx(0.4) and 0.2 < found.low < 0.4 < found.high < 0.6


def test_labels_that_agree_leave_the_shift_where_it_is() -> None:
    odds = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0] * 6
    found = fit([row(one) for one in odds], ["correct" if one > 0 else "unsupported" for one in odds], even(36))
    assert abs(found.shift) < 0.3 and found.scale >= 1 and found.gain == 0 and found.agreement == 1


def test_one_more_label_that_agrees_is_chance() -> None:
    one, two = (Fitted(0.5, 1.0, labels=40, agreement=0.8, gain=n / 40, low=0.0, high=0.1) for n in (1, 2))
    assert two.is_better and not one.is_better


def test_what_no_odds_change_teaches_nothing() -> None:
    found = fit([["refused"] * len(SHIFTS)] * 25, ["correct"] * 25, even(25))
    assert (found.shift, found.scale, found.gain) == (0, 1, 0)


def test_few_labels_move_less_than_many() -> None:
    def shift(times: int) -> float:
        return fit([row(-0.7), row(1.0)] * times, ["correct"] * 2 * times, even(2 * times)).shift

    assert 0 <= shift(1) < shift(30)


def test_a_label_weighs_as_many_answers_as_it_stands_for() -> None:
    rows, labels = [row(-0.5), row(0.5)] * 10, ["correct", "unsupported"] * 10
    assert fit(rows, labels, [9.0, 1.0] * 10).shift > 0 > fit(rows, labels, [1.0, 9.0] * 10).shift


class Strict:
    """Stands for the local judge: it doubts what is so."""

    name = "local@3+00000000"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        likely = [STRICT if "EUR 5" in pair.claim else 0.02 for pair in pairs]
        return [Judgement("not_enough", 0.9 * (1 - p), probabilities=(p, 0.1 * (1 - p), 0.9 * (1 - p))) for p in likely]

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return [0.9] * len(asked)


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("surefoot.jobs.calibrate", "surefoot.graders.refit"):
        monkeypatch.setattr(f"{place}.LocalJudge", Strict)


def run_of(tmp_path: Path, count: int = 30) -> tuple[str, Path]:
    """A run with as many answers, two in three of them right, and a file of labels."""
    questions = [Question(f"q{n}", f"What is fee {n}?", "answer") for n in range(count)]
    said = ["EUR 9" if n % 3 == 0 else "EUR 5" for n in range(count)]
    traces = [
        Trace(f"q{n}", answer=f"Fee {n} is {fee} [p].",
              retrieved=Retrieved([Passage("p", f"Fee {n} of the annex is EUR 5.")]))
        for n, fee in enumerate(said)
    ]  # fmt: skip
    run = keep_run("run", questions, traces)
    grade(run, grader=FindingsGrader(Strict()))
    labels = tmp_path / "labels.csv"
    rows = [f"q{n},{'unsupported' if fee == 'EUR 9' else 'correct'},ana,sample" for n, fee in enumerate(said)]
    labels.write_text("\n".join(["question_id,factuality,annotator,drawn", *rows]) + "\n")
    return run, labels


def invoke(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(calibrate, [str(one) for one in arguments], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.return_value, done.stdout


def test_the_new_grader_is_a_file_with_a_name_of_its_own(strict: None, tmp_path: Path) -> None:
    run, labels = run_of(tmp_path)
    out = tmp_path / "ours.json"
    code, said = invoke(run, "--labels", labels, "--refit", out)
    assert code == ExitCode.OK and "33.3% before, 100.0% after (gain +66.7 points," in said
    assert said.rstrip().endswith(f"--grader local@{out}")
    grader = open_grader(f"local@{out}", Settings())
    assert grader.name.startswith("local@3+00000000+refit+") and is_called_like_a_grader(grader.name)
    found = grade(run, grader=grader)
    assert found["buckets"] == {"correct": 20, "wrong": 0, "unsupported": 10, "refused": 0}
    assert kept(run).manifest.grader == grader.name
    with pytest.raises(UsageError, match="the verdicts are by local@3"):
        refit(run, out=out)
    code, said = invoke(run, "--json", "--details")  # the labels count for the new grader too
    assert code == ExitCode.OK and json.loads(said)["grader"] == grader.name


def test_a_refitted_grader_may_be_first_in_a_cascade(strict: None, tmp_path: Path) -> None:
    run, labels = run_of(tmp_path)
    made = refit(run, out=tmp_path / "ours.json", labels=labels)
    cascade = open_grader(f"local@{made.file},llm:m@http://localhost:1/v1", Settings(cache=str(tmp_path / "c.sqlite")))
    assert "+refit+" in cascade.name and "<0.8+llm:m@" in cascade.name


def test_too_few_labels_are_refused(strict: None, tmp_path: Path) -> None:
    run, labels = run_of(tmp_path, 19)
    with pytest.raises(Incomplete, match=r"19 labels .* too few") as refused:
        refit(run, out=tmp_path / "ours.json", labels=labels)
    assert "it takes 20" in refused.value.hint and not (tmp_path / "ours.json").exists()


def test_a_fit_without_a_gain_is_refused(strict: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Strict, "judge", lambda _, pairs: [Judgement("supported", 0.9)] * len(pairs))
    run, labels = run_of(tmp_path)
    labels.write_text(labels.read_text().replace("unsupported", "correct"))
    with pytest.raises(Incomplete, match=r"no gain beyond chance: gain \+0.0 points"):
        refit(run, out=tmp_path / "ours.json", labels=labels)
    assert not (tmp_path / "ours.json").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read"),
        ("{}", "is not a refitted grader"),
        ("no", "is not a refitted grader"),
        ('{"grader": "local@1+1", "fitted": {}}', "is not a refitted grader"),
    ],
)
def test_what_is_no_refitted_grader_is_refused(text: str | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=words):
        open_grader(f"local@{path}", Settings())


def test_a_grader_that_was_fitted_to_other_weights_is_refused(strict: None, tmp_path: Path) -> None:
    run, labels = run_of(tmp_path)
    made = refit(run, out=tmp_path / "ours.json", labels=labels)
    path = Path(made.file)
    path.write_text(path.read_text().replace("local@3+00000000", "local@2+ffffffff"))
    with pytest.raises(UsageError, match=r"was fitted to local@2\+ffffffff, and this is local@3"):
        refit_judge(path)


@pytest.mark.parametrize("more", [("--verdicts", "v.jsonl"), ("--details",), ("--grader", "x"), ()])
def test_refit_goes_with_a_run_alone(more: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(SurefootError):
        invoke(*more, "--refit", tmp_path / "ours.json")


def test_the_real_judge_is_moved_too() -> None:
    pair = Pair("The fee for the annual review of the accounts is EUR 5.", "The annual review costs EUR 5.")
    fitted = Fitted(shift=-2, scale=1, labels=30, agreement=0.5, gain=0.1, low=0, high=0.2)
    (before,), (after,) = (judge.judge([pair]) for judge in (LocalJudge(), RefitJudge(LocalJudge(), fitted)))
    assert before.probabilities is not None and after.probabilities is not None
    expected = log_odds(before.probabilities[0]) - 2
    assert log_odds(after.probabilities[0]) == pytest.approx(expected, abs=1e-3)
