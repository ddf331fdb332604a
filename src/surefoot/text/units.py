"""Units of measure and money: which one a number or a heading bears, and what one is in terms of another.

Only units that convert exactly share a dimension; feet and metres are no more comparable here than feet and hours.
"""

from __future__ import annotations

import re
from functools import lru_cache

from surefoot.text.quantities import CURRENCIES

UNKNOWN = "?"  # there is a unit, but not one that is known
METRES_OR_MILLIONS = "m?"
_DIMENSIONS: dict[str, dict[str, float]] = {
    "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    "mass": {"mg": 1e-3, "g": 1.0, "kg": 1e3, "tonnes": 1e6},
    "volume": {"ml": 1e-3, "cl": 1e-2, "dl": 1e-1, "l": 1.0, "hl": 100.0},
    "area": {"m²": 1.0, "hectares": 1e4, "km²": 1e6},
    "time": {"seconds": 1.0, "minutes": 60.0, "hours": 3_600.0, "days": 86_400.0, "weeks": 604_800.0},
    "calendar": {"months": 1.0, "years": 12.0},
    "power": {"kw": 1.0, "mw": 1e3, "gw": 1e6},
    "energy": {"kwh": 1.0, "mwh": 1e3, "gwh": 1e6, "twh": 1e9},
    "pounds": {"pence": 0.01, "GBP": 1.0},
}
_DIMENSION_OF = {unit: dimension for dimension, units in _DIMENSIONS.items() for unit in units}
_SIZE_OF = {unit: size for units in _DIMENSIONS.values() for unit, size in units.items()}
_CENTS = frozenset({"EUR", "USD"})
_WAYS = {
    "mm": "mm millimetres? millimeters?", "cm": "cm centimetres? centimeters?", "m": "m metres? meters?",
    "km": "km kms kilometres? kilometers?", "mg": "mg milligrams?", "g": "g grams? grammes?",
    "kg": "kg kgs kilos? kilograms? kilogrammes?", "tonnes": "t tonnes?", "ml": "ml millilitres? milliliters?",
    "cl": "cl centilitres?", "dl": "dl", "l": "l litres? liters?", "hl": "hl hectolitres?",
    "m²": "m² m2 sqm sq\\.?\\sm square\\smet(?:re|er)s?", "hectares": "ha hectares?",
    "km²": "km² km2 sq\\.?\\skm square\\skilomet(?:re|er)s?", "m³": "m³ m3 cubic\\smet(?:re|er)s?",
    "seconds": "s secs? seconds?", "minutes": "mins? minutes?", "hours": "h hrs? hours?", "days": "days?",
    "weeks": "weeks?", "months": "months?", "years": "years? yrs?", "kw": "kw kilowatts?", "mw": "mw megawatts?",
    "gw": "gw gigawatts?", "w": "w watts?", "kwh": "kwh", "mwh": "mwh", "gwh": "gwh", "twh": "twh",
    "pence": "p pence penny", "cents": "cents? ct", "°c": "°\\s?c celsius degrees\\s(?:c|celsius)\\b",
    "°f": "°\\s?f fahrenheit degrees\\s(?:f|fahrenheit)\\b", "km/h": "km/h kph kmh", "mph": "mph",
    "feet": "ft feet foot", "inches": "inch inches", "miles": "miles?", "yards": "yards?", "lb": "lbs?",
    "oz": "oz ounces?", "gallons": "gallons?", "pints": "pints?", "acres": "acres?", "dozen": "dozens?",
    "tons": "tons?", "stone": "stones?",
    "EUR": "eur euros? €", "USD": "usd dollars? us\\$ \\$", "GBP": "gbp pounds? sterling £",
    "CHF": "chf", "NOK": "nok", "SEK": "sek", "DKK": "dkk", "JPY": "jpy ¥",
}  # fmt: skip
_WAY = {unit: re.compile("|".join(ways.split(" ")), re.IGNORECASE) for unit, ways in _WAYS.items()}
_ANY_WAY = "|".join(sorted((way for ways in _WAYS.values() for way in ways.split(" ")), key=len, reverse=True))
_BEHIND = re.compile(rf"[ \u00a0-]?(?P<unit>{_ANY_WAY})(?![\w²³/])", re.IGNORECASE)
_RATE = re.compile(r"\s?(?:/|per\b|an? (?:hour|day|week|month|year|head|person)\b)", re.IGNORECASE)
_GLUED = re.compile(r"[^\W\d_]|[ \u00a0]?[^\W\d_]{1,4}[/²³]")
_WORDS = (
    "hours minutes seconds days weeks months pounds pence euros cents dollars tonnes litres liters hectares kilometres "
    "kilometers metres meters grams kilograms eur usd gbp chf nok sek dkk jpy kwh mwh"
)
_IN_LABEL = re.compile(
    rf"(?<![\w.])(?P<lead>per |[/\d] ?)?(?:(?P<word>{'|'.join(_WORDS.split())})\b|(?P<sign>us\$|[$€£¥])(?! ?\d))",
    re.IGNORECASE,
)
_AT_EDGE = re.compile(
    rf"(?:[(\[]|,\s|\bin\s)\s*(?:in |all in )?(?P<unit>{_ANY_WAY})(?=\s*(?:[)\]]|$))|"
    rf"\bin (?P<said>{_ANY_WAY})(?![\w²³/])",
    re.IGNORECASE,
)


def ratio(one: str, other: str) -> float | None:
    """How many of the other make one of the first; None where they do not convert."""
    if one == other:
        return 1.0
    if one == "cents" and other in _CENTS:
        return 0.01
    if other == "cents" and one in _CENTS:
        return 100.0
    if _DIMENSION_OF.get(one) is None or _DIMENSION_OF.get(one) != _DIMENSION_OF.get(other):
        return None
    return _SIZE_OF[one] / _SIZE_OF[other]


def is_length(unit: str) -> bool:
    return _DIMENSION_OF.get(unit) == "length"


def is_measured(unit: str) -> bool:
    """Of a measure, other than money."""
    return bool(unit) and unit not in CURRENCIES and unit not in ("pence", "cents")


def unit_behind(text: str, end: int) -> str:
    """The unit of the bare number that ends there; empty where a thing or nothing is counted."""
    match = _BEHIND.match(text, end)
    if match is None:
        return UNKNOWN if _GLUED.match(text, end) else ""
    if match["unit"] == "P" or _RATE.match(text, match.end()):
        return UNKNOWN
    return _named(match["unit"])


@lru_cache(maxsize=5_000)
def unit_in(label: str) -> str:
    """The unit that a heading gives what stands below it; unknown where it gives several."""
    found = {_named(match["unit"] or match["said"]) for match in _AT_EDGE.finditer(label)}
    found |= {_named(match["word"] or match["sign"]) for match in _IN_LABEL.finditer(label) if not match["lead"]}
    return found.pop() if len(found) == 1 else UNKNOWN if found else ""


def _named(written: str) -> str:
    return next(unit for unit, ways in _WAY.items() if ways.fullmatch(written))
