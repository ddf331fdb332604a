"""Units of measure and money: which one a number or a heading bears, and what one is in terms of another.

Metric units are made by rule, of a prefix and a base unit; capitals tell mW from MW. A number of feet is hardly ever a
round number of metres: what is said in the other system of measures is rounded. The code of a currency counts in
capitals next to a number ("TOP 500" would be Tongan, "top 500" is not); the usual ones in any case.

An amount is a quantity with how exactly it is written, what values can be meant by it, and how a passage words it. A
reader knows that "2 years" and "24 months" are the same; a small model sees other words and another number. It
is put differently only where the passage does not have the claim's own wording, and its value stays what it was, but
for rounding: "about 17 feet" is "about 5.2 metres".
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

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
_NAMES_OF_UNITS = {
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
    return known or _NAMES_OF_UNITS.get(lowered) or _NAMES_OF_UNITS.get(lowered.removesuffix("s"))


def same_currency(one: str, other: str) -> bool:
    """ "kr" may be any crown."""
    return one == other or ("kr" in (one, other) and {one, other} <= _CROWNS)


UNKNOWN = "?"  # there is a unit, but not one that is known
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
    "acres": ("acre", "area", 4_046.8564224), "ft²": ("sq_ft sqft ft2 square_foot square_feet", "area", 0.09290304),
    "psi": ("psi", "pressure", 6_894.757), "rpm": ("rpm", "rotation", 0.0),
    "dozen": ("dozen", "", 0.0), POINTS: ("percentage_point percent_point pp", "share", 0.0),
    BASIS_POINTS: ("basis_point bp", "", 0.0),
    "EUR": ("eur euro €", "", 0.0), "USD": ("usd dollar us$ $", "", 0.0),
    "GBP": ("gbp pound sterling £", "pounds", 1.0),
    "CHF": ("chf", "", 0.0), "NOK": ("nok", "", 0.0), "SEK": ("sek", "", 0.0), "DKK": ("dkk", "", 0.0),
    "JPY": ("jpy ¥", "", 0.0),
}  # fmt: skip
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
_MICRO = str.maketrans("μ", "µ")


def ratio(one: str, other: str) -> float | None:
    """How many of the other make one of the first; None where they do not convert."""
    if one == other:
        return 1.0
    if one == "cents" and other in _CENTS:
        return 0.01
    if other == "cents" and one in _CENTS:
        return 100.0
    a, b = _UNIT.get(one), _UNIT.get(other)
    if a is None or b is None or not a.size or not b.size or a.family != b.family:
        return None
    return a.size / b.size


def conversion(one: str, other: str) -> float | None:
    """As `ratio`, and 1 where either is not said or not known."""
    return 1.0 if not one or not other or UNKNOWN in (one, other) else ratio(one, other)


def family(unit: str) -> str:
    """What is measured: feet and metres are lengths."""
    return _UNIT[unit].family if unit in _UNIT else ""


def is_measured(unit: str) -> bool:
    """Of a measure, other than money."""
    return bool(unit) and unit not in _UNITS_OF_MONEY


def unit_behind(text: str, end: int) -> tuple[str, int]:
    """The unit of the bare number that ends there, and where it ends; empty where a thing or nothing is counted."""
    match = _BEHIND.match(text, end)
    if match is None:
        return UNKNOWN if _GLUED.match(text, end) else "", end
    return _named(match["unit"]), match.end()


@lru_cache(maxsize=5_000)
def unit_in(label: str) -> str:
    """The unit that a heading gives what stands below it; unknown where it gives several."""
    in_label = (_named(match["word"] or match["sign"]) for match in _IN_LABEL.finditer(label) if not match["lead"])
    return only_unit({*_at_edge(label), *in_label})


def only_unit(found: set[str]) -> str:
    return found.pop() if len(found) == 1 else UNKNOWN if found else ""


def _at_edge(text: str) -> Iterator[str]:
    return (_named(match["unit"] or match["said"]) for match in _AT_EDGE.finditer(text))


def _named(written: str) -> str:
    plain = written.translate(_MICRO)
    return _BY_SYMBOL.get(plain) or _BY_WORD[" ".join(plain.lower().split())]


MONTHS = {name.lower(): number for number, long in enumerate(month_name) if long for name in (long, long[:3])} | {
    "sept": 9
}
ONES = re.findall(
    "[a-z]+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS = {word: value for value, word in enumerate(ONES)} | {
    word: 10 * value for value, word in enumerate(TENS, 2)
}
_ORDINALS = re.findall("[a-z]+", "first second third fourth fifth sixth seventh eighth ninth tenth")
ORDINALS = {word: value for value, word in enumerate(_ORDINALS, 1)}
LONG_SCALES = {
    "dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "lakh": 1e5, "million": 1e6, "crore": 1e7, "billion": 1e9,
    "trillion": 1e12,
}  # fmt: skip
SCALES = LONG_SCALES | {"k": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "b": 1e9}
SHORT_SCALE = "k|m|b| ?(?:mn|mio|bn)"  # behind digits
THOUSANDS = (1.0, 1e3, 1e6, 1e9)  # the scales in which a table or statement may be
FRACTIONS = {"¼": 0.25, "½": 0.5, "¾": 0.75}
# Groups of three, the lakhs and crores of India, or none. Behind a letter a space ends the number: "Q3 500".
NUMBER = (
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|(?<![^\W\d_])\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+(?:\.\d+)?|\.\d+"
)
_WIDE = str.maketrans("％．，＄", "%.,$")


def plain_digits(text: str) -> str:
    """Lowered, of the same length."""
    lowered = text.lower()
    lowered = lowered if len(lowered) == len(text) else text
    return lowered.translate(_WIDE)


def from_digits(text: str) -> float:
    return float(re.sub(r"[, \u00a0\u202f']", "", text))


def from_words(text: str) -> float:
    """ "two hundred forty-five" """
    total = 0.0
    for word in re.split(r"[- ]", text):
        total = total * 100 if word == "hundred" else total + NUMBER_WORDS[word]
    return total


_ORDINAL_DIGITS = {
    "first": "1",
    "1st": "1",
    "second": "2",
    "2nd": "2",
    "third": "3",
    "3rd": "3",
    "fourth": "4",
    "4th": "4",
}
_PARTS = {"q": "quarter", "h": "half"}
_PART_OF_YEAR = re.compile(
    rf"\b(?P<order>{'|'.join(_ORDINAL_DIGITS)}) (?:fiscal |financial |calendar )?(?P<part>quarter|half)\b"
    r"(?! of (?:an?|one)\b)"
    r"|\b(?P<letter>[qh])(?P<number>[1-4])(?![^\W_])|\b(?P<lead>[1-4])(?P<behind>[qh])(?:\d\d)?\b"
)
_VERSION = re.compile(r"\b(?:versions?|release|v\.?) ?(?P<number>\d+(?:\.\d+)*)\b")
_LABEL = re.compile(r"(?<![\w.,#/@-])(?P<letters>[^\W\d_]{1,4})(?P<number>\d+(?:\.\d+)*[a-z]?)(?![\w/@-])")
_YEARS = frozenset({"fy", "cy"})
_PLACEHOLDER = re.compile(
    r"(?<![^\W_])(?P<kind>ACCOUNT|ADDRESS|BIRTH|CARD|EMAIL|HOST|IBAN|ID|NAME|PHONE|SSN)-(?P<number>\d+)(?!\w)"
)


class Numbered(NamedTuple):
    name: str
    number: str


@lru_cache(maxsize=5_000)
def numbered(text: str) -> frozenset[Numbered]:
    lowered = plain_digits(text)
    return frozenset(_read(lowered, text) if re.search(r"\d|quarter|half", lowered) else ())


def placeholder(kind: str, number: int) -> str:
    """What stands for the value of a kind of personal data, by number: EMAIL-1."""
    return f"{kind.upper()}-{number}"


@lru_cache(maxsize=5_000)
def placeholders(text: str) -> frozenset[Numbered]:
    return frozenset(Numbered(match["kind"], match["number"]) for match in _PLACEHOLDER.finditer(text))


def parts_of_year(lowered: str) -> Iterator[tuple[Numbered, int, int]]:
    """Quarters and halves, with where they stand."""
    for match in _PART_OF_YEAR.finditer(lowered):
        if match["order"]:
            yield Numbered(match["part"], _ORDINAL_DIGITS[match["order"]]), *match.span()
        else:
            name = _PARTS[match["letter"] or match["behind"]]
            yield Numbered(name, match["number"] or match["lead"]), *match.span()


def _read(lowered: str, text: str) -> Iterator[Numbered]:
    yield from (one for one, _, _ in parts_of_year(lowered))
    yield from (Numbered("version", match["number"]) for match in _VERSION.finditer(lowered))
    for match in _LABEL.finditer(lowered):
        letters = match["letters"]
        is_known = letters in _PARTS or letters in _YEARS or letters == "v"
        if not is_known and not currency_of(text[match.start("letters") : match.end("letters")]):
            yield Numbered(letters, match["number"])


AS_WRITTEN = "written "  # the kind of a number that can only be taken as it is written: "written 4o0"
MOMENTS = frozenset({"date", "year", "time of day"})  # kinds
PERIOD_KINDS = frozenset(kind for kind, _ in PERIODS.values())
TIMES = MOMENTS | PERIOD_KINDS
_YEAR_IN_DAYS = (365, 366)
_CLOSE = 1e-9


class Quantity(Struct, frozen=True):
    """A number in a text with what it counts."""

    value: float
    kind: str  # "EUR", "%", "days", "months", "date", "year", "time of day", or a "number", bare or with a unit
    start: int
    end: int
    unit: str = ""  # of a measure or a span of time, as in units

    @property
    def is_figure(self) -> bool:
        """Can be rounded and reckoned with: neither a moment nor a number that is only taken as written."""
        return self.kind not in MOMENTS and not self.kind.startswith(AS_WRITTEN)

    def times(self, factor: float) -> Self:
        """The same in another unit."""
        return replace(self, value=factor * self.value)

    def agrees(self, other: Quantity) -> bool:
        """A number that can only be taken as written agrees with the very same; it may also agree with its plain part,
        which a footnote mark follows."""
        if self.kind.startswith(AS_WRITTEN):
            return self.kind == other.kind
        if other.kind.startswith(AS_WRITTEN):
            return self.kind != "date" and _equal(self.value, other.value)
        if self.kind == "date" and other.kind == "date":
            return dates_agree(self.value, other.value)
        if "date" in (self.kind, other.kind):
            date, plain = (self, other) if self.kind == "date" else (other, self)
            return plain.kind == "year" and int(date.value // 10_000) == plain.value
        if {self.kind, other.kind} == {"days", "months"}:
            days, months = (self, other) if self.kind == "days" else (other, self)
            return any(days.value * 12 == months.value * year for year in _YEAR_IN_DAYS)
        if _is_measure(self) and _is_measure(other):
            factor = conversion(self.unit, other.unit)
            return factor is not None and _equal(self.value * factor, other.value)
        if POINTS in (self.unit, other.unit) and "%" in (self.kind, other.kind):
            return BASIS_POINTS in (self.unit, other.unit) and _equal(self.value, other.value)
        return same_kind(self.kind, other.kind) and _equal(self.value, other.value)


def same_kind(one: str, other: str) -> bool:
    """Bare numbers may stand for anything but a date or a time; otherwise kinds must be equal."""
    if {"date", "time of day"} & {one, other}:
        return one == other
    return same_currency(one, other) or "number" in (one, other)


def same_family(one: Quantity, other: Quantity) -> bool:
    """Both are lengths, or spans of time, or shares ...; "hours" and "feet" are not."""
    mine, theirs = ("share" if each.kind == "%" else family(each.unit) for each in (one, other))
    return bool(mine) and mine == theirs


def dates_agree(one: float, other: float) -> bool:
    """Equal in every part that both of them say."""
    for scale, size in ((10_000, 10_000), (100, 100), (1, 100)):
        a, b = int(one) // scale % size, int(other) // scale % size
        if a and b and a != b:
            return False
    return True


def _is_measure(one: Quantity) -> bool:
    """It says in what it is measured, and that is not money."""
    is_known = is_measured(one.unit) and one.unit != UNKNOWN
    return is_known and (one.kind == "number" or one.kind in PERIOD_KINDS)


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * abs(one)


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE = late(
    rf"\b(?:(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})\b\.?,? ?(?P<y2>(?:19|20)\d{{2}})?"
    rf"|(?P<m3>{_MONTH})\b\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\.?\d)(?:,? (?P<y3>(?:19|20)\d{{2}}))?"
    rf"|(?P<m4>{_MONTH})\b\.? (?P<y4>(?:19|20)\d{{2}}))\b"
)
_CLOCK = late(
    r"\b(?:(?P<h1>\d{1,2})(?:[:.](?P<m1>[0-5]\d))? ?(?P<half>[ap])(?:m\b|\.m\b\.?)"
    r"|(?<![\d:.])(?P<h2>[01]?\d|2[0-4]):(?P<m2>[0-5]\d)(?![\d:])|(?P<word>(?:12 )?noon|midday|midnight)\b)"
)
_FISCAL = late(r"\b[fc]y['’]?(?P<year>(?:19|20)?\d\d)\b")
# Behind such a word "a year" is a period; in "EUR 500 a year" and "once a year" it says how often.
_ONE_PERIOD = late(
    r"\b(?:for|within|after|of|in|least|most|than|over|under|about|nearly|almost|exactly|to|"
    r"last(?:s|ed|ing)?|is|are|was|be|takes?|runs?) (?P<one>(?P<part>half )?an? (?:full |whole )?"
    r"(?P<period>day|week|fortnight|hour|month|year|decade)(?:'s|’s)?\b(?P<more> and a half\b)?)"
)


def moments(lowered: str) -> Iterator[Quantity]:
    yield from (_date(match) for match in _DATE.finditer(lowered))
    yield from (time for match in _CLOCK.finditer(lowered) for time in _time(match))
    yield from (_fiscal(match) for match in _FISCAL.finditer(lowered))
    yield from (_period(match) for match in _ONE_PERIOD.finditer(lowered))


def _date(match: re.Match[str]) -> Quantity:
    """A date as yyyymmdd; what is not said is 0."""
    year, month, day = (_part(match, letter) for letter in "ymd")
    number = MONTHS[month] if month in MONTHS else int(month or 0)
    return Quantity(int(year or 0) * 10_000 + number * 100 + int(day or 0), "date", match.start(), match.end())


def _part(match: re.Match[str], letter: str) -> str | None:
    parts = match.groupdict()
    return next((parts[f"{letter}{i}"] for i in "1234" if parts.get(f"{letter}{i}")), None)


def _time(match: re.Match[str]) -> Iterator[Quantity]:
    """Of the day, in minutes."""
    if match["word"]:
        yield Quantity(0 if match["word"] == "midnight" else 720, "time of day", *match.span())
        return
    hour, minute, half = int(match["h1"] or match["h2"]), int(match["m1"] or match["m2"] or 0), match["half"]
    if not half or 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half == "p") if half else hour % 24
        yield Quantity(60 * hour + minute, "time of day", *match.span())


def _fiscal(match: re.Match[str]) -> Quantity:
    year = int(match["year"])
    return Quantity(year if year >= 1_900 else 2_000 + year, "year", *match.span())


def _period(match: re.Match[str]) -> Quantity:
    kind, size = PERIODS[match["period"]]
    count = 0.5 if match["part"] else 1.5 if match["more"] else 1.0
    return Quantity(count * size, kind, match.start("one"), match.end("one"), kind)


_SCALE = "|".join(LONG_SCALES)
_SHARES = {"half": 50.0, "a quarter": 25.0, "one quarter": 25.0, "three quarters": 75.0, "a fifth": 20.0,
           "one fifth": 20.0, "two fifths": 40.0, "three fifths": 60.0, "four fifths": 80.0, "a tenth": 10.0,
           "one tenth": 10.0, "one in four": 25.0, "one in five": 20.0, "one in ten": 10.0, "three in four": 75.0,
           "three in five": 60.0, "three in ten": 30.0,
           "a third": 33.0, "one third": 33.0, "two thirds": 67.0}  # fmt: skip

_WORD_NUMBER = "|".join([*TENS, *sorted(ONES, key=len, reverse=True), "hundred"])
_IN_WORDS = "|".join(sorted(_SHARES, key=len, reverse=True)).replace(" ", "[ -]")
_SHARE = late(
    rf"\b(?<!first )(?<!second )(?<!latter )(?<!other )(?:(?:{_IN_WORDS})\b(?= of\b)"
    r"|(?:one|three) in (?:four|five|ten)\b)"
)
# Letters and signs that pass for digits, in a number.
_LOOK_ALIKE = late(
    r"(?<![\w.,])[\w.,]*(?:\d[oοоօ](?![^\W\d_])|\d[liіӏι]\d|\d[⁰¹²³⁴-⁹₀-₉①-⓿])[\w]*(?:[.,]\w+)*", re.IGNORECASE
)
_QUANTITY = late(
    rf"(?:(?<![\d_.,])(?P<digits>{NUMBER})(?P<fraction>[¼½¾])?"
    rf"|\b(?P<words>(?:{_WORD_NUMBER})(?:[- ](?:{_WORD_NUMBER}))*)\b|\b(?P<article>an?)(?= (?:{_SCALE})\b)|"
    rf"\b(?P<nothing>nil)\b)(?: ?\((?:{NUMBER})\))?(?P<half> and a half\b)?(?:(?P<short>{SHORT_SCALE})\b|"
    rf"[ -]?(?P<scale>{_SCALE})\b)?[ -]?(?P<after>%|‰|per ?cent\b|per ?mill?e?\b|percentage points?\b|basis points?\b|"
    rf"bps\b|{SIGN}(?!\d)"
    r"|(?!(?:to|or|and)\b)(?:[^\W\d_]+\b(?: [^\W\d_]+\b)?))?"
)
_QUANTITIES_REFERENCE = late(
    r"\b(?:clauses?|sections?|articles?|art\.|paragraphs?|annex|schedule|table|page|p\.|no\.|number|version|v\.?|§+|"
    r"amendment no\.|form|chapter|item|note|exhibit|rule|recommendation) ?(?:no\. ?)?$"
)


_YEAR = re.compile(r"(?:19|20)\d\d")
_BASIS_POINT = 0.01
_SHARES_BEHIND = (
    (re.compile("(?:%|per ?cent)(?!.*point)"), 1.0),
    (re.compile(r"‰|per ?mill?e?\b"), 0.1),
    (re.compile("basis points?|bps"), _BASIS_POINT),
)
_DECADE = late(r"\b(?:(?:the|his|her|their|our|my|mid|early|late)[ -]\d0|(?:1[5-9]|20)\d0)$")
_ANY = late(
    rf"\d|\b(?:{_WORD_NUMBER}|{_SCALE}|nil|noon|midday|midnight)\b|{_SHARE.pattern}"
    rf"|\ban? (?:full |whole )?(?:{'|'.join(PERIODS)})"
)
_BEFORE = late(rf"(?:{BEFORE})[ \u00a0]?$")
_LONGEST_BEFORE = 6
_ROUND = re.compile(r"\d[oli]")


@lru_cache(maxsize=20_000)
def quantities(text: str) -> tuple[Quantity, ...]:
    """In the order of the text, none inside another; what is longer than a number comes before the numbers in it."""
    lowered = plain_digits(text)
    if not _ANY.search(lowered):
        return ()
    read = (*moments(lowered), *_as_written(lowered), *_shares(lowered), *_plain(lowered, text))
    found: list[Quantity] = []
    for quantity in sorted(read, key=lambda one: one.start):
        if not found or quantity.start >= found[-1].end:
            found.append(quantity)
    return tuple(found)


def _as_written(lowered: str) -> Iterator[Quantity]:
    """ "4o0" with a letter, "6⁵": a reader may take them for 400 and 65, and they are not."""
    for match in _LOOK_ALIKE.finditer(lowered) if not lowered.isascii() or _ROUND.search(lowered) else ():
        number = re.search(NUMBER, match.group())
        yield Quantity(from_digits(number.group()) if number else 0.0, f"{AS_WRITTEN}{match.group()}", *match.span())


def _shares(lowered: str) -> Iterator[Quantity]:
    for match in _SHARE.finditer(lowered):
        yield Quantity(_SHARES[match.group().replace("-", " ")], "%", *match.span())


def _plain(lowered: str, text: str) -> Iterator[Quantity]:
    for match in _QUANTITY.finditer(lowered):
        at = next(match.start(part) for part in ("digits", "words", "article", "nothing") if match[part])
        before = _BEFORE.search(lowered, max(0, at - _LONGEST_BEFORE), at) if match["digits"] else None
        currency = currency_of(text[before.start() : before.end()].strip()) if before else None
        glued = at > 0 and lowered[at - 1].isalpha() and bool(match["digits"])
        if (not glued or currency) and not _QUANTITIES_REFERENCE.search(lowered[max(0, at - 24) : at]):
            yield from _quantity(match, at, currency, text)


def _quantity(match: re.Match[str], at: int, currency: str | None, text: str) -> Iterator[Quantity]:
    digits, words = match["digits"], match["words"]
    if digits and currency and digits.startswith("."):  # "Rs.500"
        digits = digits[1:]
    value = from_digits(digits) if digits else from_words(words) if words else float(bool(match["article"]))
    value += FRACTIONS.get(match["fraction"] or "", 0.5 if match["half"] else 0.0)
    behind = text[match.start("after") : match.end("after")] if match["after"] else ""
    kind, factor, used = (currency, 1.0, 0) if currency else _kind(behind)
    unit = kind if kind in PERIOD_KINDS else BASIS_POINTS if factor == _BASIS_POINT else ""
    value *= SCALES.get((match["scale"] or match["short"] or "").strip(), 1)
    parts = ("digits", "words", "article", "nothing", "fraction", "half", "short", "scale")
    end = match.start("after") + used if used else max(match.end(part) for part in parts)
    if kind == "number":
        kind, factor, unit, end = _measured(text, at, end, match["short"])
    if kind == "number" and not unit and not match["scale"]:
        if words in ("one", "zero"):
            return  # "one of the parties" counts nothing
        kind = "year" if digits and _YEAR.fullmatch(digits) else kind
    yield Quantity(value * factor, kind, at, end, unit)


def _measured(text: str, at: int, end: int, short: str | None) -> tuple[str, float, str, int]:
    """As what a number counts that has no kind yet, and where it ends."""
    if short == "m":
        return "number", 1.0, UNKNOWN, end
    unit, behind = unit_behind(text, end)
    if text[end : end + 1] == "s" and _DECADE.search(text[max(0, at - 6) : end].lower()):
        return "number", 1.0, "", end
    if unit in SPANS:
        kind, factor = SPANS[unit]
        return kind, factor, kind, behind
    is_measure = bool(unit) and unit != UNKNOWN
    return "number", 1.0, unit, behind if is_measure else end


def _kind(after: str) -> tuple[str, float, int]:
    """The kind, what the number is multiplied by, and how many of the characters behind it belong to it."""
    for pattern, factor in _SHARES_BEHIND:
        if share := pattern.match(plain_digits(after)):
            return "%", factor, share.end()
    first, _, second = after.partition(" ")
    for word, used in ((first, len(first)), (second, len(after))):
        if currency := currency_of(word):
            return currency, 1, used
        stem = word.lower().rstrip("s")
        if stem in PERIODS:
            return PERIODS[stem][0], PERIODS[stem][1], used
    return "number", 1, 0


_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|some|close to|circa|ca\.)|~|≈)\s*(?:" + BEFORE + r")?\s*$"
)
_ONE_WAY = re.compile(
    r"\b(?:nearly|almost|just over|just under|slightly (?:over|under|more than|less than)|over|well over)"
    r"\s*(?:" + BEFORE + r")?\s*$"
)
_BOUND = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|better|worse|later|earlier) than|at least|at most|up to|under|below|"
    r"above|beyond|exceed\w*|minimum of|maximum of|between|within|limit of|as (?:much|many|little|few) as|"
    r"by|of up to|not exceeding|first|last|top|past|next|every|each|of the|all|these|"
    r"those|among)\s*(?:the |a |an )?(?:" + BEFORE + r")?\s*$"
)
_DIGITS = re.compile(r"\d[\d, \u00a0\u202f']*(?:\.\d+)?|\.\d+")
_WRITTEN = re.compile(
    r"(?:\d{1,3}(?:[, \u00a0\u202f']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[a-z]+(?:-[a-z]+)*)"
    rf"(?:(?:{SHORT_SCALE})\b|[ -]?(?:{'|'.join(LONG_SCALES)})\b)?(?: ?(?:%|per ?cent\b))?",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(rf"(?:(?<![^\s(:])[-–−]|\bminus\s)(?:(?:{BEFORE})\s?)?$")
_IN_BRACKETS = re.compile(rf"\(\s?(?:(?:{BEFORE})\s?)?$")
_COUNTS = re.compile(
    r"[ -](?!(?:in|for|as|at|of|on|to|by|and|or|from|during|over|under|with|while|but|when|after|before"
    r"|per|long|wide|high|tall|deep|thick|old|net|gross|plus|less|overall|altogether|each)\b)[^\W\d]",
    re.IGNORECASE,
)
_SCALED = re.compile(rf"(?:thousand|lakh|million|crore|billion|trillion|\d(?:{SHORT_SCALE}))$", re.IGNORECASE)
Match = Literal["same", "near", "other"]
_EXACT = 1e-9
# The most that a rounded amount is off by: the last digit of "about 5", the zeros of "about 500".
_ABOUT_BY, _ZEROS_BY = 0.1, 0.05


class Amount(Quantity, frozen=True, kw_only=True):
    """A number of a claim. `place` is the size of its last digit, `round_place` that of its last one but zeros."""

    place: float
    round_place: float
    is_about: bool  # "about 5"
    is_rough: bool  # that, or "nearly 5"
    is_bound: bool  # "at least 5", "by 5", "3 of the 5": not the value itself
    is_negative: bool | None = False  # None for "(5)", which may be an aside
    is_scaled: bool = False  # "5 million", "5k"
    is_counting: bool = False  # "5 visits"

    def times(self, factor: float) -> Self:
        value, place, round_place = (factor * size for size in (self.value, self.place, self.round_place))
        return replace(self, value=value, place=place, round_place=round_place)

    def match(self, value: float, scales: Iterable[float] = (1.0,)) -> Match:
        """Is the value what the amount says, is it too near to tell, or is it another?"""
        found: Match = "other"
        for scale in scales:
            off = abs(self.value - abs(value) * scale)
            unit = self.round_place if self.is_rough else self.place
            slack = _EXACT * abs(self.value)
            if off <= unit / 2 + slack:
                return "same"
            is_rounder = self.round_place >= 100 * self.place and off <= self.round_place / 2
            if off < self.place - slack or is_rounder or (self.is_rough and off <= 0.06 * abs(self.value)):
                found = "near"
        return found

    def into(self, unit: str) -> Amount | None:
        """The same amount in another unit; None where there is no such number."""
        if {self.unit, unit} == {"°c", "°f"}:
            signed = -self.value if self.is_negative else self.value
            factor, value = (1.8, 1.8 * signed + 32) if unit == "°f" else (1 / 1.8, (signed - 32) / 1.8)
            return replace(self.times(factor), value=abs(value), unit=unit, is_negative=value < 0)
        known = ratio(self.unit, unit)
        return None if known is None else replace(self.times(known), unit=unit)

    def rounds(self, other: Amount) -> bool:
        """ "About 17 feet" is 5.2 m: the other is this at the precision in which this is said."""
        is_open = not self.unit and self.kind != other.kind
        found = self.into(other.unit) if self.is_about and self.is_figure and not is_open else None
        if found is None or not same_sign(found, other):
            return False
        off, size = abs(found.value - other.value), other.value
        return off <= min(found.place / 2, _ABOUT_BY * size) or off <= min(found.round_place / 2, _ZEROS_BY * size)


def same_sign(one: Amount, other: Amount) -> bool:
    """Of temperatures: other amounts are often below zero in a table and said without a sign in words."""
    return family(one.unit) != "temperature" or bool(one.is_negative) == bool(other.is_negative)


def amounts_of(text: str) -> list[Amount]:
    return [amount_of(text, quantity) for quantity in quantities(text)]


def amount_of(text: str, quantity: Quantity) -> Amount:
    before = text[max(0, quantity.start - 30) : quantity.start].lower()
    place, round_place = _places(text[quantity.start : quantity.end], quantity.value)
    about = bool(_ABOUT.search(before))
    end = quantity.end
    if quantity.kind != "date" and (written := _WRITTEN.match(text, quantity.start)):
        end = written.end()  # without the words behind it that only tell its kind
    is_kind = quantity.kind in CURRENCIES or quantity.kind == quantity.unit
    unit = quantity.kind if is_kind else quantity.unit
    return Amount(
        quantity.value, quantity.kind, quantity.start, end, unit, place=place,
        round_place=round_place, is_about=about, is_rough=about or bool(_ONE_WAY.search(before)),
        is_bound=bool(_BOUND.search(before)),
        is_negative=None if _IN_BRACKETS.search(before) else bool(_NEGATIVE.search(before)),
        is_scaled=bool(_SCALED.search(text[quantity.start : end])),
        is_counting=bool(_COUNTS.match(text, end)),
    )  # fmt: skip


def _places(written: str, value: float) -> tuple[float, float]:
    match = _DIGITS.match(written)
    if match is None:
        return 1.0, 1.0
    digits = re.sub(r"[^\d.]", "", match.group())
    scale = value / float(digits) if float(digits) else 1.0
    whole, _, decimals = digits.partition(".")
    zeros = len(whole) - len(whole.rstrip("0")) if not decimals else 0
    return 10.0 ** -len(decimals) * scale, 10.0 ** (zeros - len(decimals)) * scale
