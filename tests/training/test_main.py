"""The one command: every step finds what it needs, what is there is not made again, what broke off is."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from training.__main__ import OUT, main, steps


class Machine:
    """Makes empty files and folders where a step would make real ones."""

    def __init__(self, work: Path, breaks_at: str = "") -> None:
        self.work, self.breaks_at, self.ran = work, breaks_at, list[str]()

    def __call__(self, command: list[str]) -> None:
        module, arguments = command[2], command[3:]
        inside = [Path(argument) for argument in arguments if argument.startswith(str(self.work))]
        (out,) = [path for path in inside if path.name.startswith("part-")]
        assert all(path.exists() for path in inside if path != out), f"{module} lacks an input"
        self.ran.append(out.name.removeprefix("part-"))
        if self.ran[-1] == self.breaks_at:
            out.mkdir()
            raise KeyboardInterrupt
        if out.suffix:
            out.write_text(out.name)
        else:
            out.mkdir()
            (out / f"{out.name.removeprefix('part-')}.txt").write_text("made")


def _given(tmp_path: Path) -> list[str]:
    return ["data", str(tmp_path / "work"), "--quick-base", "small", "--strong-base", "large"]


def test_every_step_has_its_inputs_and_the_weights_are_gathered(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "work")
    main([*_given(tmp_path), "--seeds", "2"], machine)
    assert machine.ran[:5] == ["rows.jsonl.gz", "cases.jsonl.gz", "strong-1", "strong-2", "strong"]
    assert {path.name for path in (tmp_path / "work" / "weights").iterdir()} == {
        "SHA256SUMS", "calibration.json", "quick-onnx.txt", "strong-onnx.txt",
    }  # fmt: skip


def test_what_is_there_is_not_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*_given(tmp_path), "--seeds", "2"], Machine(tmp_path / "work"))
    again = Machine(tmp_path / "work")
    main([*_given(tmp_path), "--seeds", "2"], again)
    assert again.ran == []
    assert "there already" in capsys.readouterr().out


def test_a_step_that_broke_off_is_done_again(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        main([*_given(tmp_path), "--seeds", "2"], Machine(tmp_path / "work", breaks_at="strong-2"))
    assert not (tmp_path / "work" / "strong-2").exists()
    again = Machine(tmp_path / "work")
    main([*_given(tmp_path), "--seeds", "2"], again)
    assert again.ran[0] == "strong-2"


def test_two_machines_share_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path / "work")
    main([*_given(tmp_path), "--until", "cases.jsonl.gz"], machine)
    assert machine.ran == ["rows.jsonl.gz", "cases.jsonl.gz"]
    main([*_given(tmp_path), "--until", "quick", "--seeds", "1"], machine)
    assert machine.ran[2:] == ["strong-1", "strong", "taught.npy", "quick"]
    main([*_given(tmp_path), "--seeds", "1"], machine)
    read = ["quick-onnx", "quick-cases.npy", "strong-onnx", "strong-cases.npy"]
    assert machine.ran[6:] == [*read, "calibration.json"]
    with pytest.raises(SystemExit):
        main([*_given(tmp_path), "--until", "nothing"], machine)
    assert "no step makes nothing" in capsys.readouterr().err


def test_steps_name_modules_that_exist_and_what_they_make() -> None:
    for step in steps(Path("data"), Path("work"), Path("small"), Path("large")):
        assert importlib.util.find_spec(f"training.{step.module}")
        assert step.arguments.count(OUT) == 1
