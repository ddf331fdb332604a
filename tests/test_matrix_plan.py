from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.errors import UsageError
from surefoot.pipelines.asker import refuse_too_many
from surefoot.pipelines.specs import Cell, Plan, read_plan

CHAT = '[[pipeline]]\nname = "rag"\nspec = "chat"\n'
MODEL = '[[model]]\nname = "{0}"\nspec = "llm:{0}@http://localhost:1/v1"\n'
PROMPT = '[[prompt]]\nname = "{0}"\nbundled = "{0}"\n'
WHOLE = CHAT + MODEL.format("a") + MODEL.format("b") + PROMPT.format("with_licence") + PROMPT.format("without_licence")


def plan_of(text: str) -> tuple[Plan, list[Cell]]:
    with TemporaryDirectory() as folder:
        (file := Path(folder, "m.toml")).write_bytes(text.encode("utf-8", "replace"))
        Path(folder, "p.md").write_text("{passages} {question}")
        return read_plan(file)


def test_a_chat_pipeline_is_crossed_and_others_are_one_cell() -> None:
    text = 'questions = "q.json"\ncorpus = "c.json"\n[[pipeline]]\nname = "plain"\nspec = "reference"\n' + WHOLE
    plan, cells = plan_of(text + '[[pipeline]]\nname = "own"\nspec = "chat:c@http://localhost:2/v1"\n')
    assert [cell.name for cell in cells] == [
        "plain",
        *(f"rag / {model} / {prompt}" for model in "ab" for prompt in ("with_licence", "without_licence")),
        "own / with_licence",
        "own / without_licence",
    ]
    assert cells[0] == Cell({"pipeline": "plain"}, "reference")
    assert cells[2].spec == "chat:a@http://localhost:1/v1" and cells[2].prompt == "without_licence"
    assert cells[2].folder == "rag--a--without_licence"
    assert (plan.name, plan.grader) == ("m", "local")
    assert [Path(str(one)).name for one in (plan.questions, plan.corpus)] == ["q.json", "c.json"]


def test_a_prompt_may_be_a_file_beside_the_matrix() -> None:
    _, cells = plan_of(CHAT + MODEL.format("a") + '[[prompt]]\nname = "ours"\nfile = "p.md"\n')
    assert Path(str(cells[0].prompt)).is_absolute() and Path(str(cells[0].prompt)).name == "p.md"


def test_a_model_of_a_vendor_needs_no_address() -> None:
    models = "".join(f'[[model]]\nname = "{kind}"\nspec = "{kind}:a"\n' for kind in ("llm", "anthropic"))
    _, cells = plan_of(CHAT + models + PROMPT.format("with_licence"))
    assert [cell.spec for cell in cells] == [
        "chat:a@https://api.openai.com/v1",
        "chat:anthropic:a@https://api.anthropic.com",
    ]


def test_without_a_prompt_models_get_the_usual_one() -> None:
    _, cells = plan_of(CHAT + MODEL.format("a"))
    assert [(cell.values, cell.prompt) for cell in cells] == [({"pipeline": "rag", "model": "a"}, None)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = [", "not valid TOML"),
        ("", "no [[pipeline]]"),
        ("pipelines = []", "there is no key 'pipelines': did you mean pipeline?"),
        ('[[pipeline]]\nname = "a"\nsepc = "reference"', "there is no key 'sepc' in pipeline[0]: did you mean spec?"),
        ('[[pipeline]]\nname = "a"', "it has no 'spec' in pipeline[0]"),
        ('[pipeline]\nname = "a"', "pipeline must be a list, not an object"),
        ('[[pipeline]]\nname = ""\nspec = "reference"', "pipeline[0].name must be a text of length >= 1"),
        (WHOLE + MODEL.format("A"), "two cells would have the name rag--a--with_licence"),
        (CHAT, "takes a model, but there is no [[model]]"),
        ("model = []\nprompt = []\n" + CHAT, "no [[model]]"),
        ('[[pipeline]]\nname = "a"\nspec = "reference"\n' + MODEL.format("a"), "no pipeline takes a model"),
        (
            '[[pipeline]]\nname = "a"\nspec = "reference"\n' + PROMPT.format("with_licence"),
            "no pipeline takes a prompt",
        ),
        (CHAT + PROMPT.format("none") + MODEL.format("a"), "it cannot be 'none' in prompt[0].bundled"),
        (CHAT + MODEL.format("a") + '[[prompt]]\nname = "x"\n', "either `bundled` or `file`"),
        (CHAT + '[[model]]\nname = "a"\nspec = "a"\n' + PROMPT.format("with_licence"), "names no model"),
        ("repeats = 100000000\n" + WHOLE, "more than 1,000,000 answers"),
        ('name = ""\n' + WHOLE, "name must be a text of length >= 1"),
        ("repeats = 0\n" + WHOLE, "repeats"),
        ("repeats = true\n" + WHOLE, "repeats"),
        ('corpus = "c"\n' + WHOLE, "`corpus` without `questions`"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(text: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        plan_of(text)
    assert says in raised.value.message and "m.toml" in raised.value.message and raised.value.hint


@pytest.mark.parametrize("url", ["me:secret@host/v1", "host/v1?api_key=secret", "host:secret/v1", "secret@[::1/v1"])
def test_a_password_is_refused_and_does_not_come_back_in_a_message(url: str) -> None:
    for text in (
        CHAT + f'[[model]]\nname = "a"\nspec = "llm:a@http://{url}"\n' + PROMPT.format("with_licence"),
        f'[[pipeline]]\nname = "a"\nspec = "chat:a@http://{url}"\n',
    ):
        with pytest.raises(UsageError) as raised:
            plan_of(text)
        assert "m.toml" in raised.value.message and "secret" not in str(raised.value)


def test_the_number_of_questions_counts_too() -> None:
    refuse_too_many("m.toml", 10, 10, 10_000)
    with pytest.raises(UsageError, match=r"m\.toml"):
        refuse_too_many("m.toml", 10, 10, 10_001)


@given(st.text(max_size=300))
def test_any_text_is_a_plan_or_one_clear_error(text: str) -> None:
    try:
        plan_of(text)
    except UsageError as error:
        assert "m.toml" in error.message


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=5, unique=True))
def test_cells_never_share_a_folder(names: list[str]) -> None:
    text = "".join(f'[[pipeline]]\nname = {json.dumps(name)}\nspec = "reference"\n' for name in names)
    try:
        _, cells = plan_of(text)
    except UsageError:
        return
    folders = [cell.folder.casefold() for cell in cells]
    assert len(set(folders)) == len(folders) and not any({"/", "\\", "\0"} & set(folder) for folder in folders)
