"""Invented names, places, sums and dates."""

from __future__ import annotations

import random

from training.english.lists import listed
from training.english.numbers import MONTHS

_FIRST = listed("""Alder Brant Corvin Dunmore Elvar Fenwick Gorlan Harrow Ilmen Jorvik Keld Lantis Morrow Nordal Ostrava
    Pellam Quillon Rasmin Selvar Tarnow Umbria Vantor Wexley Yarrow Zelland Arbex Bolder Cavin Drayton
    Esker""")  # fmt: skip
_SECOND = listed(
    "Foods/Energy/Logistics/Chemicals/Bank/Textiles/Rail/Software/Partners/Holdings/Marine/Steel/Media", "/"
)
_END = listed("Ltd/Inc./GmbH/plc/LLC/Group/AG/", "/")
_GIVEN = listed("""Ada Boris Carla Deniz Edith Farid Greta Hugo Irene Jonas Katya Luis Mara Nils Olga Pavel Ruth Samir
    Tessa Viktor Wanda Yusuf Anneke Bruno Celia Dario Elin Felix""")  # fmt: skip
_FAMILY = listed("""Abbott Brandt Castell Dreyer Engel Farrow Garrick Holm Ivers Jansen Kovac Lindt Marsh Novak Ortega
    Pryce Quist Rowe Strand Tolland Ulrich Varga Whelan Yates Zeman Okafor Demir Silva""")  # fmt: skip
_PLACES = listed("Leeds/Ghent/Tampere/Graz/Cork/Bilbao/Gdansk/Malmo/Turin/Halifax/Omaha/Perth/Dover/Basel/Lyon", "/")
_ROLES = listed(
    "the Supplier/the Purchaser|the Lessor/the Lessee|the Agency/the Contractor|the Bank/the Company|"
    "the Licensor/the Licensee|the Owner/the Operator|the Parent/the Subsidiary|the Trust/the Foundation",
    "|",
)


def firm(rng: random.Random) -> str:
    draw, name = rng.random(), rng.choice(_FIRST)
    if draw < 0.35:
        return name
    second = f"{name} {rng.choice(_SECOND)}"
    return second if draw < 0.7 else f"{second} {rng.choice(_END)}".strip()


def person(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.2:
        return rng.choice(_GIVEN)
    title = rng.choice(("Mr ", "Ms ", "Dr ")) if draw < 0.4 else f"{rng.choice(_GIVEN)} "
    return title + rng.choice(_FAMILY)


def three(between: str, rng: random.Random) -> tuple[str, str, str]:
    """Three parties whose names share no word."""
    if between == "firms" and rng.random() < 0.2:
        one, other = rng.choice(_ROLES).split("/")
        return (one, other, firm(rng)) if rng.random() < 0.5 else (other, one, firm(rng))
    found: list[str] = []
    while len(found) < 3:
        name = firm(rng) if between == "firms" else person(rng)
        used = {word for party in found for word in party.split()}
        if name.split()[0 if between == "firms" else -1] not in used:
            found.append(name)
    return found[0], found[1], found[2]


def place(rng: random.Random) -> str:
    return rng.choice(_PLACES)


def money(rng: random.Random) -> str:
    amount = rng.choice((1, 2, 3, 4, 5, 6, 8, 12, 15, 18, 24, 30, 45, 60, 75, 90))
    return f"{rng.choice('$€£')}{amount}{rng.choice((',000', ',500', '0,000', ' million', '.4 million'))}"


def day(rng: random.Random, years: tuple[int, int] = (2009, 2026)) -> str:
    return f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(*years)}"
