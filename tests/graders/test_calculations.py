from __future__ import annotations

import pytest

from surefoot.graders.figures import VIA, sums_of, worked_out
from tests.growth import grows_evenly

BALANCE = """Balance sheet
(in thousands)
2021
2020
Cash
381,603
352,118
Receivables
204,417
198,620
Liabilities
426,880"""


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("155 / 7,017 = 2.21 %", 2.21),
        ("Ratio = ($4,258 million + $56 million) / $10,936 million\n= $4,314 million / $10,936 million\n= 0.39", 0.39),
        ("[(1,493,602 - 903,095) / 903,095] * 100% = 65.4%", 65.4),
        ("365 * ($29,962.5 / ($111,934 + $4,586)) = 93.86 days", 93.86),
        ("-($546 million) / $35,663 million = -0.0153", 0.0153),
        ("**Net**: 7,838 − 442 ≈ $7,396 million", 7_396e6),
        ("12 divided by 5 equals 2.4", 2.4),
    ],
)  # fmt: skip
def test_a_sum_that_is_right(text: str, result: float) -> None:
    found = sums_of(text)
    assert [one.is_right for one in found] == [True]
    assert found[0].results[-1].value == pytest.approx(result)


@pytest.mark.parametrize(
    "text",
    ["155 / 7,017 = 3.21 %", "155 / 7,017 = 22.1 %", "$1,196 million + $636 million = $1,732 million", "2 * 3 = 7"],
)
def test_a_sum_that_is_wrong(text: str) -> None:
    assert [one.off > 0.01 for one in sums_of(text)] == [True]


@pytest.mark.parametrize(
    "text",
    ["open 24/7", "10/12/2023", "2018 - 2020", "pages 3-5", "x = y / z", "1 / 0 = 5", "(((1 + 2 = 3", "A: 5\n= 3 + 4"],
)  # fmt: skip
def test_what_is_no_sum(text: str) -> None:
    assert not sums_of(text)


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        (("Ratio = ($381,603 + $204,417) / $426,880 = 1.37.",), "supported"),
        (("Ratio = ($381,603 + $204,417) / $426,880 = 1.47.",), "contradicted"),
        (("Ratio = ($391,603 + $204,417) / $426,880 = 1.40.",), None),
        (("($381,603 + $204,417) / $426,880 = 1.37", "Therefore, the quick ratio was 1.37."), "supported"),
        (("($381,603 + $204,417) / $426,880 = 1.37", "Therefore, the quick ratio was 1.73."), None),
        (("The average is ($381,603 + $352,118) / 2 = $366,861 thousand.", "$366,861 / $426,880 = 0.86."), "supported"),
    ],
)  # fmt: skip
def test_a_figure_is_borne_out_by_its_sum_and_what_goes_into_it(texts: tuple[str, ...], label: str | None) -> None:
    found = worked_out("What was the quick ratio?", "\n".join(texts), texts[-1], BALANCE)
    assert (found.label if found else None) == label
    assert found is None or found.via == VIA


def test_no_fee_follows_from_a_rent() -> None:
    rent = "The annual rent is EUR 48,000."
    for text in ("The exit fee is 48,000 / 4 = EUR 12,000.", "The fine is 100 * 365 = EUR 36,500."):
        assert worked_out("What does leaving cost?", text, text, rent) is None


def test_long_answers_take_no_longer_per_sum() -> None:
    assert grows_evenly(lambda times: sums_of("(1 + 2) / 3 = 1.\n" * times), 30)
    assert grows_evenly(lambda times: sums_of("1(" * times), 500)


def test_a_result_behind_or_roughly_is_a_result() -> None:
    (found,) = sums_of("DPO is 365 × 655 / 4,380, or roughly 54.6 days.")
    assert [one.value for one in found.results] == [54.6] and found.is_right
    assert not any(one.off > 0.01 for one in sums_of("Take 1/2 tablet every 12, or about 24 hours."))
