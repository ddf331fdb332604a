"""Units of measure and money: which one a number or a heading bears, and what one is in terms of another.

Metric units are made by rule, of a prefix and a base unit; capitals tell mW from MW. A number of feet is hardly ever a
round number of metres: what is said in the other system of measures is rounded. The code of a currency counts in
capitals next to a number ("TOP 500" would be Tongan, "top 500" is not); the usual ones in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from surefoot.text.normal import late, word_set

_CODES = word_set(
    """AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF
    CLP CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
    HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
    RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH
    UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL"""
)
_ANY_CASE = frozenset(
    {"EUR", "USD", "GBP", "CHF", "NOK", "SEK", "DKK", "JPY", "CNY", "INR", "AUD", "NZD", "SGD", "HKD"}
)
_SIGNS = {
    "$": "USD", "us$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD", "nz$": "NZD", "hk$": "HKD",
    "s$": "SGD", "nt$": "TWD", "r$": "BRL", "mx$": "MXN", "€": "EUR", "£": "GBP", "¥": "JPY", "cn¥": "CNY", "₹": "INR",
    "₽": "RUB", "₩": "KRW", "₺": "TRY", "₫": "VND", "₦": "NGN", "₱": "PHP", "฿": "THB", "₪": "ILS", "₴": "UAH",
    "₸": "KZT", "₡": "CRC", "₲": "PYG", "₵": "GHS", "元": "CNY", "円": "JPY",
}  # fmt: skip
# Letters that stand for a currency only where a number is beside them.
_SHORT = {
    "rmb": "CNY", "rs": "INR", "rs.": "INR", "kr": "kr", "kr.": "kr", "sfr": "CHF", "sfr.": "CHF",
    "fr.": "CHF", "rm": "MYR", "rp": "IDR", "zł": "PLN", "zl": "PLN", "kč": "CZK", "lei": "RON",
    "tl": "TRY", "dhs": "AED",
}  # fmt: skip
_NAMES = {
    "euro": "EUR", "dollar": "USD", "pound": "GBP", "sterling": "GBP", "yuan": "CNY", "renminbi": "CNY", "rupee": "INR",
    "franc": "CHF", "krone": "kr", "kroner": "kr", "krona": "kr", "kronor": "kr", "yen": "JPY", "zloty": "PLN",
    "złoty": "PLN", "złotych": "PLN", "forint": "HUF", "koruna": "CZK", "rand": "ZAR", "reais": "BRL",
    "rouble": "RUB", "ruble": "RUB", "baht": "THB", "shekel": "ILS", "ringgit": "MYR", "rupiah": "IDR", "naira": "NGN",
    "hryvnia": "UAH", "dirham": "AED", "riyal": "SAR", "lira": "TRY",
}  # fmt: skip
CURRENCIES = _CODES | {"kr"}
_CROWNS = frozenset({"kr", "NOK", "SEK", "DKK", "ISK"})


def _any_of(words: Iterable[str]) -> str:
    """Any of them, the longest first; what several begin with is written once, and so read once."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    is_word = bool(rests.pop("", None))
    ways = [re.escape(first) + _any_of(rest) for first, rest in sorted(rests.items())]
    any_way = f"(?:{'|'.join(ways)})" if is_word or len(ways) > 1 else "".join(ways)
    return f"{any_way}?" if is_word and ways else any_way if ways else ""


# In lowered text, in front of a number; letters must not go on to the left.
BEFORE = (
    rf"(?<![^\W_])(?:{_any_of((*map(str.lower, _CODES), *_SHORT, *(sign for sign in _SIGNS if sign[0].isalpha())))})"
    rf"|{_any_of(sign for sign in _SIGNS if not sign[0].isalpha())}"
)
SIGN = "[" + "".join(sign for sign in _SIGNS if len(sign) == 1) + "]"


def currency_of(written: str) -> str | None:
    """The currency that a word or sign beside a number stands for."""
    lowered, code = written.lower(), written.upper()
    if code in _CODES and (written == code or code in _ANY_CASE):
        return code
    known = _SIGNS.get(lowered) or _SHORT.get(lowered)
    return known or _NAMES.get(lowered) or _NAMES.get(lowered.removesuffix("s"))


def same_currency(one: str, other: str) -> bool:
    """ "kr" may be any crown."""
    return one == other or ("kr" in (one, other) and {one, other} <= _CROWNS)


UNKNOWN = "?"  # there is a unit, but not one that is known
METRES_OR_MILLIONS = "m?"
POINTS, BASIS_POINTS = "percentage points", "basis points"
# What a span of time counts as a quantity, and how many of these it is; a month is not a number of days.
PERIODS = {
    "day": ("days", 1), "week": ("days", 7), "fortnight": ("days", 14), "hour": ("hours", 1), "minute": ("minutes", 1),
    "second": ("seconds", 1), "month": ("months", 1), "quarter": ("months", 3), "year": ("months", 12),
    "annum": ("months", 12), "decade": ("months", 120),
}  # fmt: skip
SPANS = {f"{name}s": span for name, span in PERIODS.items()}
_PREFIXES = {
    "n": ("nano", 1e-9), "µ": ("micro", 1e-6), "m": ("milli", 1e-3), "c": ("centi", 1e-2), "d": ("deci", 1e-1),
    "h": ("hecto", 1e2), "k": ("kilo", 1e3), "M": ("mega", 1e6), "G": ("giga", 1e9), "T": ("tera", 1e12),
}  # fmt: skip


class _Base(NamedTuple):
    symbol: str
    names: str
    family: str
    size: float
    prefixes: str = ""


_BASES = (
    _Base("m", "metre meter", "length", 1.0, "nµmcdk"), _Base("g", "gram gramme", "mass", 1.0, "nµmkM"),
    _Base("t", "tonne", "mass", 1e6, "kM"), _Base("l", "litre liter", "volume", 1.0, "nµmcdhkM"),
    _Base("W", "watt", "power", 1.0, "nµmkMGT"), _Base("Wh", "watt-hour", "energy", 3_600.0, "kMGT"),
    _Base("J", "joule", "energy", 1.0, "mkMGT"), _Base("cal", "calorie", "energy", 4.184, "k"),
    _Base("V", "volt", "voltage", 1.0, "nµmkM"), _Base("A", "ampere amp", "current", 1.0, "nµmk"),
    _Base("Ω", "ohm", "resistance", 1.0, "mkM"), _Base("Ah", "ampere-hour", "charge", 1.0, "m"),
    _Base("VA", "volt-ampere", "apparent power", 1.0, "kM"), _Base("Hz", "hertz", "frequency", 1.0, "kMGT"),
    _Base("Pa", "pascal", "pressure", 1.0, "mhkMG"), _Base("bar", "bar", "pressure", 1e5, "m"),
    _Base("N", "newton", "force", 1.0, "mkM"), _Base("Nm", "newton-metre newton-meter", "torque", 1.0, "k"),
    _Base("s", "second sec", "time", 1.0, "nµm"), _Base("mol", "mole", "amount of substance", 1.0, "nµm"),
    _Base("Bq", "becquerel", "activity", 1.0, "kMGT"), _Base("Sv", "sievert", "dose", 1.0, "nµm"),
    _Base("B", "byte", "data", 8.0, "kMGT"), _Base("bit", "bit", "data", 1.0, "kMGT"),
)  # fmt: skip
# Names have an "s" or none; "_" is a space. A size of 0: nothing else is an exact number of them.
_OTHERS = {
    "minutes": ("min minute", "time", 60.0), "hours": ("h hr hour", "time", 3_600.0), "days": ("day", "time", 86_400.0),
    "weeks": ("week", "time", 604_800.0), "months": ("month", "calendar", 1.0), "years": ("year yr", "calendar", 12.0),
    "hectares": ("ha hectare", "area", 1e4), "pence": ("p pence penny", "pounds", 0.01), "cents": ("cent ct", "", 0.0),
    "°c": ("°c °_c celsius degrees_c degrees_celsius degree_celsius", "temperature", 0.0),
    "°f": ("°f °_f fahrenheit degrees_f degrees_fahrenheit degree_fahrenheit", "temperature", 0.0),
    "km/h": ("km/h kph kmh", "speed", 1.0), "mph": ("mph", "speed", 1.609344), "yards": ("yard", "length", 0.9144),
    "feet": ("ft feet foot", "length", 0.3048), "inches": ("inch inche", "length", 0.0254),
    "miles": ("mile", "length", 1_609.344),
    "lb": ("lb", "mass", 453.59237), "oz": ("oz ounce", "mass", 28.349523125), "tons": ("ton", "mass", 0.0),
    "stone": ("stone", "mass", 6_350.29318), "gallons": ("gallon", "volume", 0.0), "pints": ("pint", "volume", 0.0),
    "acres": ("acre", "area", 4_046.8564224), "psi": ("psi", "pressure", 6_894.757), "rpm": ("rpm", "rotation", 0.0),
    "dozen": ("dozen", "", 0.0), POINTS: ("percentage_point percent_point pp", "share", 0.0),
    BASIS_POINTS: ("basis_point bp", "", 0.0),
    "EUR": ("eur euro €", "", 0.0), "USD": ("usd dollar us$ $", "", 0.0),
    "GBP": ("gbp pound sterling £", "pounds", 1.0),
    "CHF": ("chf", "", 0.0), "NOK": ("nok", "", 0.0), "SEK": ("sek", "", 0.0), "DKK": ("dkk", "", 0.0),
    "JPY": ("jpy ¥", "", 0.0),
}  # fmt: skip
_IMPERIAL = frozenset({"mph", "feet", "inches", "yards", "miles", "lb", "oz", "stone", "acres", "psi", "°f"})
_SLOPPY = {"mw": "MW", "mpa": "MPa", "KB": "kB", "sqm": "m²", "cbm": "m³", "kilo": "kg", "kilos": "kg"}
_IS_SPAN = {"s": "seconds"}


class _Unit(NamedTuple):
    name: str
    symbols: tuple[str, ...]
    words: tuple[str, ...]
    family: str
    size: float


def _made(base: _Base, prefix: str) -> _Unit:
    word, size = _PREFIXES.get(prefix, ("", 1.0))
    symbol = f"{prefix}{base.symbol}"
    names = [name for long in base.names.split() for name in {long, long.replace("-", " "), long.replace("-", "")}]
    words = tuple(f"{word}{name}{s}" for name in names if name != base.symbol for s in ("", "s"))
    symbols = (symbol, f"{prefix}L") if base.symbol == "l" else (symbol,) if symbol != "B" else ()
    return _Unit(_IS_SPAN.get(symbol, symbol), symbols, words, base.family, size * base.size)


def _raised(unit: _Unit) -> list[_Unit]:
    """The squares and cubes of a length; a cubic metre is a thousand litres."""
    symbol = unit.symbols[0]
    squares = tuple(f"{lead}{word}" for lead in ("square ", "sq ", "sq. ") for word in (*unit.words, symbol))
    cubes = tuple(f"{lead}{word}" for lead in ("cubic ", "cu ") for word in (*unit.words, symbol))
    return [
        _Unit(f"{symbol}²", (f"{symbol}²", f"{symbol}2"), squares, "area", unit.size**2),
        _Unit(f"{symbol}³", (f"{symbol}³", f"{symbol}3"), cubes, "volume", 1_000 * unit.size**3),
    ]


def _other(name: str) -> _Unit:
    written, family, size = _OTHERS[name]
    ways = [way.replace("_", " ") for way in written.split()]
    words = tuple(f"{way}{s}" for way in ways if len(way) > 1 for s in ("", "s"))
    return _Unit(name, tuple(way for way in ways if len(way) == 1), words, family, size)


_METRIC = [_made(base, prefix) for base in _BASES for prefix in ("", *base.prefixes)]
_UNITS = [
    *_METRIC,
    *(raised for unit in _METRIC if unit.family == "length" for raised in _raised(unit)),
    *(_other(name) for name in _OTHERS),
]
_UNIT = {unit.name: unit for unit in _UNITS}
_BY_SYMBOL = {symbol: unit.name for unit in _UNITS for symbol in unit.symbols} | _SLOPPY
_BY_WORD: dict[str, str] = {word.lower(): unit.name for unit in _UNITS for word in unit.words}
_LOWERED: dict[str, set[str]] = {}
for _symbol, _name in _BY_SYMBOL.items():
    _LOWERED.setdefault(_symbol.lower(), set()).add(_name)
for _symbol, _same in _LOWERED.items():  # in other capitals, where they tell nothing apart
    if len(_symbol) > 1 and len(_same) == 1:
        _BY_WORD.setdefault(_symbol, _same.pop())
_CENTS = frozenset({"EUR", "USD"})
_UNITS_OF_MONEY = CURRENCIES | {"pence", "cents"}


_WORD = f"(?i:{_any_of(_BY_WORD)})"
_ANY_WAY = f"(?:{_WORD}|{_any_of(_BY_SYMBOL)})(?![\\w²³])"
_BEHIND = late(rf"[ \u00a0-]?(?P<unit>{_ANY_WAY})")
_PER = late(
    rf"(?:\s?/\s?|\sper\s|\san?\s(?=(?:second|minute|hour|day|week|month|year|head|person)\b))(?P<unit>{_ANY_WAY})?"
)
_GLUED = re.compile(r"[^\W\d_]|[ \u00a0]?[^\W\d_]{1,4}[/²³]")
_WORDS = (
    "hours minutes seconds days weeks months pounds pence euros cents dollars tonnes litres liters hectares kilometres "
    "kilometers metres meters grams kilograms eur usd gbp chf nok sek dkk jpy kwh mwh"
)
_IN_LABEL = late(
    rf"(?<![\w.])(?P<lead>per |[/\d] ?)?(?:(?P<word>{'|'.join(_WORDS.split())})\b|(?P<sign>us\$|[$€£¥])(?! ?\d))",
    re.IGNORECASE,
)
_AT_EDGE = late(
    rf"(?:[(\[]|,\s|\b[iI]n\s)\s*(?:in |all in )?(?P<unit>{_ANY_WAY})(?=\s*(?:[)\]]|$))|"
    rf"\b[iI]n (?P<said>{_ANY_WAY})(?!/)"
)
_HOW_MANY = late(rf"(?i:\bhow many|\bnumber of) (?P<unit>{_WORD}\b)")
_MICRO = str.maketrans("μ", "µ")


def ratio(one: str, other: str) -> float | None:
    """How many of the other make one of the first; None where they do not convert."""
    if one == other:
        return 1.0
    if one == "cents" and other in _CENTS:
        return 0.01
    if other == "cents" and one in _CENTS:
        return 100.0
    if "/" in one and "/" in other:
        return _ratio_of_rates(one, other)
    a, b = _UNIT.get(one), _UNIT.get(other)
    if a is None or b is None or not a.size or not b.size or a.family != b.family:
        return None
    return a.size / b.size


def _ratio_of_rates(one: str, other: str) -> float | None:
    (top, _, below), (other_top, _, other_below) = (
        ("km/hours" if unit == "km/h" else unit).partition("/") for unit in (one, other)
    )
    above, under = ratio(top, other_top), 1.0 if UNKNOWN in (below, other_below) else ratio(below, other_below)
    return None if above is None or under is None else above / under


def conversion(one: str, other: str) -> float | None:
    """As `ratio`, and 1 where either is not said or not known: "5 mg" may be per day."""
    if not one or not other or {one, other} & {UNKNOWN, METRES_OR_MILLIONS}:
        return 1.0
    if ("/" in one) != ("/" in other):
        one, other = one.partition("/")[0], other.partition("/")[0]
    return ratio(one, other)


def in_other_system(one: str, other: str) -> bool:
    """Of measures: what is a round number of the one is hardly ever a round number of the other."""
    return (one in _IMPERIAL) != (other in _IMPERIAL)


def family(unit: str) -> str:
    """What is measured: feet and metres are lengths."""
    known = _UNIT.get(unit) or _UNIT.get(unit.partition("/")[0])
    return known.family if known else ""


def is_length(unit: str) -> bool:
    return family(unit) == "length" and "/" not in unit and bool(_UNIT[unit].size)


def is_measured(unit: str) -> bool:
    """Of a measure, other than money."""
    return bool(unit) and unit not in _UNITS_OF_MONEY


def unit_behind(text: str, end: int) -> tuple[str, int]:
    """The unit of the bare number that ends there, and where it ends; empty where a thing or nothing is counted."""
    match = _BEHIND.match(text, end)
    if match is None:
        return UNKNOWN if _GLUED.match(text, end) else "", end
    unit, per = _named(match["unit"]), _PER.match(text, match.end())
    if per is None or unit in _UNITS_OF_MONEY:
        return UNKNOWN if per else unit, match.end()
    rate = f"{unit}/{_named(per['unit']) if per['unit'] else UNKNOWN}"
    return "km/h" if rate == "km/hours" else rate, per.end() if per["unit"] else match.end()


@lru_cache(maxsize=5_000)
def unit_in(label: str) -> str:
    """The unit that a heading gives what stands below it; unknown where it gives several."""
    in_label = (_named(match["word"] or match["sign"]) for match in _IN_LABEL.finditer(label) if not match["lead"])
    return only_unit({*_at_edge(label), *in_label})


def only_unit(found: set[str]) -> str:
    return found.pop() if len(found) == 1 else UNKNOWN if found else ""


def unit_asked(question: str) -> str:
    """The unit of measure that a question wants its figure in: "in MPa", "(kg)", "how many hours"; empty if none."""
    how_many = (_named(match["unit"]) for match in _HOW_MANY.finditer(question))
    known = {unit for unit in (*_at_edge(question), *how_many) if is_measured(unit)}
    return known.pop() if len(known) == 1 else ""


def _at_edge(text: str) -> Iterator[str]:
    return (_named(match["unit"] or match["said"]) for match in _AT_EDGE.finditer(text))


def _named(written: str) -> str:
    plain = written.translate(_MICRO)
    return _BY_SYMBOL.get(plain) or _BY_WORD[" ".join(plain.lower().split())]
