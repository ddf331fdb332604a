"""Two things that have changed places, and claims that only sound like it."""

from __future__ import annotations

import time

import pytest

from surefoot.graders.deeds import told_otherwise
from surefoot.graders.features import veto
from surefoot.graders.swaps import swapped

LEASE = """Halden Properties (the "Landlord") and Brix Foods (the "Tenant") sign this lease. The Tenant shall pay the
Landlord a deposit of EUR 4,000 before the keys are handed over. The Landlord was sued by the Tenant in 2019."""
SALE = "In March Valdoura sold its plant in Evora to Henriksen Glass. Henriksen lent Valdoura nine million."
FIGURES = "Sales rose by 40 % in Berlin and by 30 % in Paris; the Berlin office has 12 staff."


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (LEASE, "The Landlord shall pay the Tenant a deposit of EUR 4,000 before the keys are handed over."),
        (LEASE, "The Landlord sued the Tenant."),
        (LEASE, "Halden sued Brix in 2019."),
        (LEASE, "The Tenant was sued by the Landlord in 2019."),
        (SALE, "Henriksen Glass sold its plant in Evora to Valdoura in March."),
        (SALE, "Valdoura bought the plant in Evora from Henriksen."),
        (SALE, "Henriksen borrowed nine million from Valdoura."),
        (FIGURES, "Sales rose by 30 % in Berlin and by 40 % in Paris."),
        (FIGURES, "Sales rose by 40 % in Paris and by 30 % in Berlin."),
        ("Nolan knocked out Dunya, who had beaten Zhou.", "Zhou had beaten Dunya."),
        ("The gateway polls the sensor once a minute.", "The sensor polls the gateway once a minute."),
        ("Ms Ott succeeded Mr Etter as chair in 2011.", "Mr Etter succeeded Ms Ott as chair in 2011."),
    ],
)
def test_what_has_changed_places_is_seen(passage: str, claim: str) -> None:
    assert swapped(passage, claim)
    assert veto(passage, claim) == "against"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (LEASE, "The Tenant shall pay the Landlord a deposit of EUR 4,000 before the keys are handed over."),
        (LEASE, "Before the keys are handed over, a deposit of EUR 4,000 is paid to the Landlord by the Tenant."),
        (LEASE, "The Tenant sued the Landlord in 2019."),
        (LEASE, "Brix Foods and Halden Properties sign this lease."),
        (SALE, "Henriksen bought the plant in Evora from Valdoura."),
        (SALE, "The plant in Evora was sold to Henriksen Glass by Valdoura."),
        (SALE, "Valdoura borrowed nine million from Henriksen."),
        (FIGURES, "Sales rose by 30 % in Paris and by 40 % in Berlin."),
        ("Varga met Lindholm in the final.", "Lindholm met Varga in the final."),
        ("Varga beat Lindholm in May. Lindholm beat Varga in June.", "Lindholm beat Varga."),
        ("The seller's agent paid the buyer.", "The buyer paid the seller."),
        ("Kip did not sue Ashgrove.", "Ashgrove sued Kip."),
        ("Revenue rose to 1,667 from 1,541.", "Revenue rose from 1,541 to 1,667."),
        ("Revenue was 1,541 in 2022 and 1,667 in 2023.", "In 2023 revenue was 1,667 and in 2022 it was 1,541."),
        ("Soraya Haddad beat Kirra Nolan, who had beaten Dunya Haddad.", "Dunya Haddad lost to Kirra Nolan."),
        ("", "B paid A the whole sum."),
        (LEASE, ""),
    ],
)
def test_the_same_in_another_order_is_not(passage: str, claim: str) -> None:
    assert not swapped(passage, claim)


def test_a_deed_is_one_in_either_voice_and_from_either_end() -> None:
    for told in ("Ott sold the mill to Brandl.", "Brandl bought the mill from Ott."):
        assert told_otherwise(told, "Ott purchased the mill from Brandl.")
        assert not told_otherwise(told, "Brandl purchased the mill from Ott.")


def test_a_long_hostile_text_is_read_in_no_time() -> None:
    start = time.process_time()
    assert not swapped("A paid B " * 20_000, "B paid A " * 4 + "the sum")
    assert not swapped("Ab Cd (" * 20_000, "Ab sold it to Cd " * 300)
    assert time.process_time() - start < 20
