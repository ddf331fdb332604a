"""Which value holds: values that were replaced, "by" against "to", percent against points, each against all."""

from __future__ import annotations

import random
from collections.abc import Iterator

from training.english.lists import listed
from training.english.rewriting import raised
from training.stated import parties
from training.stated.claims import Claim

_THINGS = {
    "money": "monthly fee/membership fee/daily allowance/excess under the policy/rent/cap on liability/deposit/"
    "fine for late return/price of a day ticket/ceiling for expenses",
    "days": "notice period/period for appeals/payment term/waiting period/trial period/time limit for complaints/"
    "deadline for returns",
    "number": "number of seats on the board/minimum crew/quorum/maximum group size/number of permitted visits a month/"
    "limit of guests",
    "percent": "interest rate/commission/discount for members/contribution of the employer/late payment surcharge/"
    "share of the costs to be repaid",
}  # fmt: skip
_REPLACED = (
    "The {t} is {old}.|By the amendment of {day}, \u201c{old}\u201d is replaced by \u201c{new}\u201d.",
    "Under the original terms the {t} was {old}.|Since {day} it has been {new}.",
    "The {t} was changed from {old} to {new} on {day}.",
    "With effect from {day}, the {t} is {new} (previously {old}).",
    "The {t} is {old}.|Note of {day}: the figure above no longer applies; it is now {new}.",
    "Section 4: The {t} shall be {old}.|Supplement no. 2, {day}: In section 4, the {t} is set at {new}.",
    "Until {day} the {t} was {old}.|It has stood at {new} ever since.",
    "The {t}, once {old}, was reset to {new} on {day}.",
    "As of {day}, {new} applies as the {t} in place of {old}.",
)
_NOW = (
    "The {t} is {value}.", "The {t} is currently {value}.", "Today the {t} amounts to {value}.",
    "The {t} now in force is {value}.", "At present, {value} applies as the {t}.", "The {t} stands at {value}.",
)  # fmt: skip
_ONCE = (
    "Before the change, the {t} was {value}.", "The {t} used to be {value}.", "Originally, the {t} was {value}.",
    "Until it was changed, the {t} stood at {value}.", "The earlier {t} was {value}.",
)  # fmt: skip


def replaced(rng: random.Random) -> tuple[list[str], list[Claim]]:
    unit = rng.choice(sorted(_THINGS))
    thing = rng.choice(_THINGS[unit].split("/"))
    low, high, other = (_value(unit, amount) for amount in _three_amounts(unit, rng))
    raising = rng.random() < 0.5
    old, new = (low, high) if raising else (high, low)
    sentences = rng.choice(_REPLACED).format(t=thing, old=old, new=new, day=parties.day(rng)).split("|")
    made = [
        (rng.choice(_NOW), new, "supported"), (rng.choice(_NOW), old, "contradicted"),
        (rng.choice(_ONCE), old, "supported"), (rng.choice(_ONCE), new, "contradicted"),
        (rng.choice((*_NOW, *_ONCE)), other, "contradicted"),
    ]  # fmt: skip
    claims = [Claim(wording.format(t=thing, value=value), label, "superseded") for wording, value, label in made]
    up = rng.random() < 0.5
    word = rng.choice(("raised", "increased") if up else ("lowered", "reduced", "cut"))
    claims.append(Claim(f"The {thing} was {word}.", "supported" if up == raising else "contradicted", "superseded"))
    return sentences, rng.sample(claims, 4)


def _three_amounts(unit: str, rng: random.Random) -> tuple[int, int, int]:
    least, most, step = {"money": (20, 900, 5), "days": (5, 120, 5), "number": (3, 30, 1), "percent": (2, 40, 1)}[unit]
    found = sorted(rng.sample(range(least, most, step), 3))
    other = found.pop(rng.randrange(3))
    return found[0], found[1], other


def _value(unit: str, amount: int) -> str:
    return {"money": f"${amount}", "days": f"{amount} days", "percent": f"{amount} percent"}.get(unit, str(amount))


_MEASURES = listed(
    "revenue/net income/the number of visitors/exports/operating costs/output/membership/the headcount/water use", "/"
)
_RATES = listed(
    "the unemployment rate/the vacancy rate/the operating margin/the turnout/the recycling rate/the default rate", "/"
)


def moved(rng: random.Random) -> tuple[list[str], list[Claim]]:
    """A measure rose or fell by so many percent to so much, or a rate by so many points."""
    return _rate_moved(rng) if rng.random() < 0.45 else _measure_moved(rng)


def _verbs(up: bool, rng: random.Random) -> tuple[str, str]:
    """What happened, and the opposite."""
    ups, downs = ("rose", "increased", "went up", "grew"), ("fell", "decreased", "went down", "declined")
    one, other = rng.choice(ups), rng.choice(downs)
    return (one, other) if up else (other, one)


def _measure_moved(rng: random.Random) -> tuple[list[str], list[Claim]]:
    what, up, share = rng.choice(_MEASURES), rng.random() < 0.5, rng.randint(3, 45)
    before = rng.randrange(100, 900, 4)
    after = round(before * (1 + (share if up else -share) / 100), 1)
    verb, opposite = _verbs(up, rng)
    again, unit = _verbs(up, rng)[0], rng.choice((" million", ",000", " thousand"))
    if unit == ",000":
        after = float(round(after))
    first, last = f"{before}{unit}", f"{after:g}{unit}"
    sentence = rng.choice((
        f"{what} {verb} by {share} percent to {last}.", f"{what} {verb} from {first} to {last}, that is by {share}%.",
        f"{what} {verb} {share}% and came to {last} at the end of the year.",
    ))  # fmt: skip
    claims = [
        Claim(raised(f"{what} {again} by {share}%."), "supported", "by_and_to"),
        Claim(raised(f"{what} reached {last}."), "supported", "by_and_to") if up
        else Claim(raised(f"{what} dropped to {last}."), "supported", "by_and_to"),
        Claim(raised(f"{what} {again} to {share}%."), "contradicted", "by_and_to"),
        Claim(raised(f"{what} {opposite} by {share} percent."), "contradicted", "direction"),
        Claim(raised(f"{what} {again} by {last}."), "contradicted", "by_and_to"),
        Claim(raised(f"{what} {again} from {last}."), "contradicted", "by_and_to"),
        Claim(raised(f"{what} ended {'higher' if up else 'lower'} than before."), "supported", "direction"),
    ]  # fmt: skip
    return [raised(sentence)], rng.sample(claims, 4)


def _rate_moved(rng: random.Random) -> tuple[list[str], list[Claim]]:
    what, up, points = rng.choice(_RATES), rng.random() < 0.5, rng.randint(2, 9)
    before = rng.randint(12, 70)
    after = before + points if up else before - points
    verb, opposite = _verbs(up, rng)
    again = _verbs(up, rng)[0]
    sentence = rng.choice((
        f"{what} {verb} by {points} percentage points to {after} percent.",
        f"{what} {verb} from {before}% to {after}%.",
        f"{what} {verb} {points} points, from {before} to {after} percent.",
    ))  # fmt: skip
    claims = [
        Claim(raised(f"{what} {again} by {points} percentage points."), "supported", "points"),
        Claim(raised(f"{what} {again} to {after}%."), "supported", "by_and_to"),
        Claim(raised(f"{what} {again} by {points} percent."), "contradicted", "points"),
        Claim(raised(f"{what} {again} by {after} percent."), "contradicted", "by_and_to"),
        Claim(raised(f"{what} {again} to {points}%."), "contradicted", "by_and_to"),
        Claim(raised(f"{what} {opposite} to {after} percent."), "contradicted", "direction"),
        Claim(raised(f"{what} had been {before}% before that."), "supported", "by_and_to"),
        Claim(raised(f"{what} was {before}% in the end."), "contradicted", "by_and_to"),
    ]  # fmt: skip
    return [raised(sentence)], rng.sample(claims, 4)


_UNITS = listed("licence bed vehicle room participant pallet machine visit employee apartment")


def each_or_all(rng: random.Random) -> tuple[list[str], list[Claim]]:
    unit, count, price = rng.choice(_UNITS), rng.choice((3, 4, 5, 8, 10, 12, 20)), rng.randrange(50, 900, 50)
    whole, payer = count * price, parties.firm(rng)
    sentence = rng.choice((
        f"{payer} pays ${price:,} per {unit} for {count} {unit}s.",
        f"{payer} ordered {count} {unit}s at ${price:,} each.",
        f"The price is ${price:,} for each {unit}, and {payer} takes {count} of them.",
    ))  # fmt: skip
    if rng.random() < 0.4:
        sentence = f"{payer} pays ${whole:,} for all {count} {unit}s together, that is ${price:,} for each."
    claims = [
        Claim(f"Each {unit} costs {payer} ${price:,}.", "supported", "each_or_all"),
        Claim(f"In total, {payer} pays ${price:,} for the {count} {unit}s.", "contradicted", "each_or_all"),
        Claim(f"All {count} {unit}s together cost {payer} ${whole:,}.", "supported", "each_or_all"),
        Claim(f"{payer} pays ${whole:,} for every single {unit}.", "contradicted", "each_or_all"),
        Claim(f"The price per {unit} is ${whole:,}.", "contradicted", "each_or_all"),
        Claim(f"The price per {unit} is ${price:,}.", "supported", "each_or_all"),
    ]
    return [sentence], rng.sample(claims, 4)


_DOINGS = listed(
    "approved the plan/did not approve the plan|passed the inspection/failed the inspection|"
    "use the new form/do not use the new form|were closed in winter/stayed open in winter|sent a report/sent no report|"
    "pay the surcharge/pay no surcharge|"
    "are insured against floods/are not insured against floods|offer evening classes/offer no evening classes",
    "|",
)
_GROUPS = listed("sites/branches/member states/schools/clinics/depots/departments/tenants", "/")


def all_or_some(rng: random.Random) -> tuple[list[str], list[Claim]]:
    group, (does, does_not) = rng.choice(_GROUPS), rng.choice(_DOINGS).split("/")
    count, one = rng.randint(5, 24), parties.place(rng)
    other = rng.choice([name for name in (parties.place(rng) for _ in range(20)) if name != one])
    sentence = rng.choice((
        f"All {count} {group} {does} except the one in {one}.",
        f"With the exception of {one}, all {count} {group} {does}.",
        f"Apart from {one}, every one of the {count} {group} is among those that {does}.",
    ))  # fmt: skip
    claims = [
        Claim(f"All {group} without exception {does}.", "contradicted", "all_or_some"),
        Claim(f"Most of the {group} {does}.", "supported", "all_or_some"),
        Claim(f"{count - 1} of the {count} {group} {does}.", "supported", "all_or_some"),
        Claim(f"All but one of the {group} {does}.", "supported", "all_or_some"),
        Claim(f"Only one of the {group}, {one}, is among those that {does}.", "contradicted", "all_or_some"),
        Claim(f"The one in {one} is among the {group} that {does_not}.", "supported", "all_or_some"),
        Claim(f"The one in {one} is among the {group} that {does}.", "contradicted", "all_or_some"),
        Claim(f"None of the {group} {does}.", "contradicted", "all_or_some"),
    ]
    return [sentence, f"The {group} in {other} and elsewhere were asked in writing."], rng.sample(claims, 4)


def passages_on_values(rng: random.Random) -> Iterator[tuple[list[str], list[Claim]]]:
    while True:
        yield rng.choice((replaced, replaced, replaced, moved, moved, each_or_all, all_or_some))(rng)
