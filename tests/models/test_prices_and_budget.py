from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.errors import UsageError
from surefoot.jobs.settings import settings_from
from surefoot.models.budget import Budget, Estimate, money, price_of, tokens_of
from surefoot.models.seam import Price, Prompt

OPENAI, ANTHROPIC = "https://api.openai.com/v1", "https://api.anthropic.com"


def test_the_table_in_the_box_holds_at_the_vendors_alone() -> None:
    assert price_of("gpt-4o", OPENAI) == Price(2.5, 10.0)
    assert price_of("gpt-4o-2024-08-06", OPENAI) == price_of("gpt-4o", OPENAI)
    assert price_of("claude-sonnet-4-5-20250929", ANTHROPIC) == Price(3, 15)
    assert price_of("gpt-4o", "http://localhost:8000/v1") is None
    assert price_of("gpt-4o", ANTHROPIC) is None
    assert price_of("gpt-99", OPENAI) is None


def test_a_users_prices_go_first() -> None:
    own = {"gpt-4o": Price(1, 2), "own@http://localhost:1/v1": Price(0, 0)}
    assert price_of("gpt-4o", OPENAI, own) == Price(1, 2)
    assert price_of("own", "http://localhost:1/v1", own) == Price(0, 0)
    assert price_of("own", "http://localhost:2/v1", own) is None
    assert price_of("gpt-4o-mini", OPENAI, own) == Price(0.15, 0.6)


@pytest.mark.parametrize(
    "price",
    ["1", "{in = -1, out = 0}", "{in = nan, out = 0}", "{in = 0, out = 1e7}", '{in = "a", out = 0}', "{in = 1}"],
)
def test_what_is_no_price_is_refused(tmp_path: Path, price: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "surefoot.toml").write_text(f"[prices]\nx = {price}\n")
    with pytest.raises(UsageError, match=r"surefoot\.toml: prices cannot be"):
        settings_from()


@given(st.floats(0, 10), st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1)), max_size=20))
def test_a_budget_is_never_exceeded_when_calls_cost_no_more_than_was_set_aside(
    most: float, calls: list[tuple[float, float]]
) -> None:
    budget = Budget(most)
    for usd, share in calls:
        if budget.set_aside(usd):
            budget.settle(usd, usd * share)
        assert budget.spent_usd <= most * (1 + 1e-9)


def test_what_is_under_way_counts() -> None:
    budget = Budget(1.0)
    assert budget.set_aside(0.6) and not budget.set_aside(0.6)
    budget.settle(0.6, 0.1)
    assert budget.set_aside(0.6) and budget.spent_usd == 0.1


@pytest.mark.parametrize("most", [float("nan"), float("inf"), -1.0])
def test_a_limit_must_be_an_amount(most: float) -> None:
    with pytest.raises(UsageError, match="max_cost cannot be"):
        settings_from({"max_cost": most})


def test_estimates_say_what_is_known() -> None:
    assert "at most $1.50" in Estimate("llm:m", 3, 0, 10, 20, 1.5).sentence
    assert "price is not known" in Estimate("llm:m", 3, 2, 10, 20, None).sentence
    local = Estimate("llm:m@http://127.0.0.1:8080/v1", 3, 0, 10, 20, None, 99).sentence
    assert local == (
        "3 calls to llm:m@http://127.0.0.1:8080/v1: about 10 tokens in, at most 20 out if no reply has "
        "to be asked for again; a model that thinks first may add up to 99 tokens."
    )
    assert "costs nothing" in Estimate("llm:m", 0, 2, 0, 0, None).sentence
    assert "at most $0.000123 if" in Estimate("llm:m", 3, 0, 10, 20, 0.000123).sentence
    assert [money(usd) for usd in (0, 0.002, 0.5, 1234.5)] == ["0.00", "0.002", "0.50", "1,234.50"]
    assert "1 call to" in Estimate("llm:m", 1, 0, 10, 20, 1.5).sentence


@given(st.text(), st.text())
def test_tokens_are_never_guessed_low_for_plain_text(text: str, system: str) -> None:
    assert tokens_of(Prompt(text, system)) >= (len(text) + len(system)) / 4
