"""How an answer came before a person is kept with the label: only what was drawn by chance speaks for the others."""

from __future__ import annotations

import pytest

from surefoot.web.desk import Desk
from surefoot.web.offers import Offers, cookie_of, key_of, proofs_in

from .labelling import Sit, next_of, sent


def drawn(desk: Desk) -> list[str]:
    return [row.drawn for row in desk.ledger.labels()]


def by_address(desk: Desk, person: str) -> int:
    """An answer that does not come next."""
    return next(number for number in range(1, 40) if number != next_of(desk, person))


def test_what_was_chosen_stays_chosen_when_it_is_changed_noted_or_taken_back(sit: Sit) -> None:
    desk = sit()
    number = by_address(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    desk.save("Ana", sent(desk, number, "b", factuality="correct"))
    again = sit()
    again.save("Ana", sent(again, number, "c", note="a typo", factuality="correct"))
    again.undo("Ana", "c" * 32)
    assert drawn(desk) == ["chosen"] * 4


def test_what_was_drawn_stays_drawn_when_it_is_changed(sit: Sit) -> None:
    desk = sit()
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    sit().save("Ana", sent(desk, number, "b", factuality="correct", citation_exists="yes"))
    assert drawn(desk) == ["flagged"] * 3


def test_an_answer_is_drawn_for_one_person_and_chosen_by_another(sit: Sit) -> None:
    desk = sit(overlap=0.0)
    number = next_of(desk, "Ana")
    desk.save("Ana", sent(desk, number, "a", factuality="wrong"))
    desk.save("Ben", sent(desk, number, "b", factuality="wrong"))
    assert drawn(desk) == ["flagged", "chosen"]


@pytest.mark.parametrize("person", ["Ana", "Ben"])
def test_a_browser_can_prove_its_offers_after_a_restart(sit: Sit, person: str) -> None:
    desk = sit(overlap=0.0)
    numbers = {name: next_of(desk, name) for name in ("Ana", "Ben")}
    page = desk.page(numbers["Ben"], "Ben")
    assert page is not None and page.proof
    assert desk.page(numbers["Ben"], "Ana").proof == ""  # type: ignore[union-attr]
    again = sit(overlap=0.0)  # Ben's is not the next one there: Ana has not been seen yet
    assert again.page(numbers["Ben"], "Ben").proof == ""  # type: ignore[union-attr]
    assert again.page(numbers["Ben"], "Ben", [page.proof]).proof == page.proof  # type: ignore[union-attr]  # a reload
    again.save(person, sent(again, numbers["Ben"], factuality="wrong"), [page.proof])
    assert drawn(again) == ["flagged" if person == "Ben" else "chosen"]  # a proof is of use to nobody else


def test_the_key_is_the_ledgers_own_and_not_known_from_the_run(sit: Sit) -> None:
    desk = sit()
    assert key_of(desk.ledger, desk.pile.run) == key_of(desk.ledger, desk.pile.run)
    assert key_of(desk.ledger, "unknown") != key_of(desk.ledger, "unknown")


def test_a_cookie_holds_the_latest_proofs_and_nothing_else() -> None:
    offers = Offers(b"key")
    proofs = [offers._proof("Ana", str(number)) for number in range(50)]
    assert proofs_in(cookie_of(proofs)) == proofs[-20:]
    assert len(cookie_of(proofs)) < 1_000 and proofs_in("") == proofs_in("<script>") == []
