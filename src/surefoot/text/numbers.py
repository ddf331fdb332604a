"""Numbers in a text with what they count: money, measures, shares, spans of time, dates, times of day.

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

from surefoot.text.normal import late, rows, spelled, word_set, words_of

_TABLE = words_of("units")
_MONEY, _MEASURES, _WORDS = _TABLE["money"], _TABLE["measures"], _TABLE["numbers"]
_CODES, _ANY_CASE, _CROWNS = (word_set(_MONEY[name]) for name in ("codes", "any_case", "crowns"))


def _pairs(written: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in written.split())


_SIGNS, _NAMES_OF_MONEY = _pairs(_MONEY["signs"]), _pairs(_MONEY["names"])
CURRENCIES = _CODES | {"kr"}


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


# In lowered text, in front of a number; letters must not go on to the left.
BEFORE = (
    rf"(?<![^\W_])(?:{_any_of((*map(str.lower, _CODES), *(sign for sign in _SIGNS if sign[0].isalpha())))})"
    rf"|(?:{_any_of(sign for sign in _SIGNS if not sign[0].isalpha())})"
)
SIGN = "[" + "".join(sign for sign in _SIGNS if len(sign) == 1) + "]"


def currency_of(written: str) -> str | None:
    """The currency that a word or sign beside a number stands for."""
    lowered, code = written.lower(), written.upper()
    if code in _CODES and (written == code or code in _ANY_CASE):
        return code
    return _SIGNS.get(lowered) or _NAMES_OF_MONEY.get(lowered) or _NAMES_OF_MONEY.get(lowered.removesuffix("s"))


UNKNOWN = "?"  # there is a unit, but not one that is known
POINTS, BASIS_POINTS = "percentage points", "basis points"
PERIODS = {name: (kind, int(size)) for name, kind, size in map(str.split, _MEASURES["periods"].split(";"))}
_PREFIXES = {letter: (name, float(size)) for letter, name, size in map(str.split, _MEASURES["prefixes"].split(";"))}


def _units() -> tuple[dict[str, tuple[str, float]], dict[str, str], dict[str, str]]:
    """Family and size of each unit; units by their symbols, in which capitals count, and by lowered words."""
    sizes: dict[str, tuple[str, float]] = {}
    symbols, words = _pairs(_MEASURES["sloppy"]), dict[str, str]()

    def add(name: str, family: str, size: float, short: Iterable[str], long: Iterable[str]) -> None:
        sizes[name] = family, size
        symbols.update(dict.fromkeys(short, name))
        words.update({f"{way}{s}".lower(): name for way in long for s in ("", "s")})

    for line in _MEASURES["metric"].split(";"):
        base, family, one, prefixes, *names = line.split()
        for prefix in ("", *prefixes):
            spoken, times = _PREFIXES.get(prefix, ("", 1.0))
            symbol, size = f"{prefix}{base}", times * float(one)
            long = {f"{spoken}{way}" for name in names for way in (name, name.replace("-", " "), name.replace("-", ""))}
            short = {symbol, f"{prefix}L"} if base == "l" else {symbol} - {"B"}
            add("seconds" if symbol == "s" else symbol, family, size, short, long)
            if family == "length":  # a cubic metre is a thousand litres
                for sign, power, leads in (("²", 2, ("square", "sq", "sq.")), ("³", 3, ("cubic", "cu"))):
                    raised, marks = size**power * (1, 1_000)[power == 3], (f"{symbol}{sign}", f"{symbol}{power}")
                    ways = {f"{lead} {way}" for lead in leads for way in (*long, symbol)}
                    add(marks[0], "area" if power == 2 else "volume", raised, marks, ways)
    for line in _MEASURES["other"].split(";"):
        name, family, one, *written = (part.replace("_", " ") for part in line.split())
        short = {way for way in written if len(way) == 1}
        add(name, family.strip("-"), float(one), short, {*written} - short)
    for symbol, name in symbols.items():  # in other capitals, where they tell nothing apart
        if len(symbol) > 1 and {name} == {of for other, of in symbols.items() if other.lower() == symbol.lower()}:
            words.setdefault(symbol.lower(), name)
    return sizes, symbols, words


_SIZES, _BY_SYMBOL, _BY_WORD = _units()
_UNIT = r"(?:us\$|[$€£¥]|sq\.|°(?:[CcFf](?!\w))?|[^\W\d_]++(?:/h)?[²³23]?)(?![\w²³])"
_BEHIND = re.compile(rf"[ \u00a0-]?(?=(?P<both>{_UNIT}[ \u00a0-]{_UNIT})?)(?P<one>{_UNIT})")
_GLUED = re.compile(r"[^\W\d_]|[ \u00a0]?[^\W\d_]{1,4}[/²³]")
_HEADED = "|".join(_MEASURES["headed"].split())
_IN_LABEL = re.compile(
    rf"(?<![\w.])(?P<lead>per |[/\d] ?)?(?:(?P<word>{_HEADED})\b|(?P<sign>us\$|[$€£¥])(?! ?\d))",
    re.IGNORECASE,
)
_AT_EDGE = re.compile(
    rf"(?P<lead>[(\[]|,\s|\b[iI]n\s)\s*(?:in |all in )?(?=(?P<both>{_UNIT}[ -]{_UNIT})?)(?P<one>{_UNIT})"
)


def ratio(one: str, other: str) -> float | None:
    """How many of the other make one of the first; None where they do not convert."""
    if one == other:
        return 1.0
    if "cents" in (one, other) and {one, other} & {"EUR", "USD"}:
        return 0.01 if one == "cents" else 100.0
    (family, size), (other_family, unit) = _SIZES.get(one, ("", 0.0)), _SIZES.get(other, ("", 0.0))
    return size / unit if size and unit and family == other_family else None


def conversion(one: str, other: str) -> float | None:
    """As `ratio`, and 1 where either is not said or not known."""
    return 1.0 if not one or not other or UNKNOWN in (one, other) else ratio(one, other)


def family(unit: str) -> str:
    """What is measured: feet and metres are lengths."""
    return _SIZES.get(unit, ("", 0))[0]


def is_measured(unit: str) -> bool:
    """Of a measure, other than money."""
    return bool(unit) and unit not in CURRENCIES and unit not in ("pence", "cents")


def unit_behind(text: str, end: int) -> tuple[str, int]:
    """The unit of the bare number that ends there, and where it ends; empty where a thing or nothing is counted."""
    match = _BEHIND.match(text, end)
    for part in ("both", "one") if match else ():
        if match and (unit := _named(match[part])):
            return unit, match.end(part)
    return UNKNOWN if _GLUED.match(text, end) else "", end


@lru_cache(maxsize=5_000)
def unit_in(label: str) -> str:
    """The unit that a heading gives what stands below it; unknown where it gives several."""
    found = {_named(match["word"] or match["sign"]) for match in _IN_LABEL.finditer(label) if not match["lead"]}
    for match in _AT_EDGE.finditer(label):
        part = "both" if _named(match["both"]) else "one"
        behind = label[match.end(part) :].lstrip()[:1]
        if behind in ("", ")", "]") or (match["lead"].strip() in ("in", "In") and behind != "/"):
            found.add(_named(match[part]))
    return only_unit(found - {""})


def only_unit(found: set[str]) -> str:
    return found.pop() if len(found) == 1 else UNKNOWN if found else ""


def _named(written: str | None) -> str:
    plain = (written or "").replace("μ", "µ")
    return _BY_SYMBOL.get(plain) or _BY_WORD.get(" ".join(plain.lower().split()), "")


MONTHS = {long[:size].lower(): number for number, long in enumerate(month_name) if long for size in (3, 9)} | {
    "sept": 9
}
_ONES, _TENS, _ORDINALS = (_WORDS[name].split() for name in ("ones", "tens", "ordinals"))
NUMBER_WORDS = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
ORDINALS = {word: value for value, word in enumerate(_ORDINALS, 1)}
_LONG_SCALES = {name: float(size) for name, size in _pairs(_WORDS["scales"]).items()}
SCALES = _LONG_SCALES | {name: float(size) for name, size in _pairs(_WORDS["short_scales"]).items()}
_SCALE, _SHORT_SCALE = "|".join(_LONG_SCALES), "k|m|b| ?(?:mn|mio|bn)"  # the short ones behind digits
_PARTS = {name: "|".join(rows(table)) for name, table in _TABLE["parts"].items()} | {
    "BEFORE": BEFORE, "SIGN": SIGN, "SCALE": _SCALE, "SHORT": _SHORT_SCALE, "PERIOD": "|".join(PERIODS),
    "MONTH": _any_of(MONTHS), "WORD": "|".join([*_TENS, *sorted(_ONES, key=len, reverse=True), "hundred"]),
}  # fmt: skip
_FORMS = {name: late(spelled("|".join(rows(table)), _PARTS)) for name, table in _TABLE["forms"].items()}
THOUSANDS = (1.0, 1e3, 1e6, 1e9)  # the scales in which a table or statement may be
_FRACTIONS = {"¼": 0.25, "½": 0.5, "¾": 0.75}
_WIDE = str.maketrans("％．，＄", "%.,$")


def _plain(text: str) -> str:
    """Lowered, of the same length."""
    lowered = text.lower()
    return (lowered if len(lowered) == len(text) else text).translate(_WIDE)


def _from_digits(text: str) -> float:
    return float(re.sub(r"[, \u00a0\u202f']", "", text))


def _from_words(text: str) -> float:
    """ "two hundred forty-five" """
    total = 0.0
    for word in re.split(r"[- ]", text):
        total = total * 100 if word == "hundred" else total + NUMBER_WORDS[word]
    return total


_LABEL = re.compile(r"(?<![\w.,#/@-])(?P<letters>[^\W\d_]{1,4})(?P<number>\d+(?:\.\d+)*[a-z]?)(?![\w/@-])")
_NO_LABELS = frozenset({"q", "h", "fy", "cy", "v"})


class Numbered(NamedTuple):
    name: str
    number: str


@lru_cache(maxsize=5_000)
def numbered(text: str) -> frozenset[Numbered]:
    """Quarters, versions and what else a number tells apart: "M8"."""
    lowered, found = _plain(text), set[Numbered]()
    if not re.search(r"\d|quarter|half", lowered):
        return frozenset()
    for match in _FORMS["numbered"].finditer(lowered):
        if match["order"]:
            found.add(Numbered(match["part"], str(ORDINALS.get(match["order"]) or match["order"][0])))
        elif match["version"]:
            found.add(Numbered("version", match["version"]))
        else:
            name = "quarter" if "q" in (match["q"], match["q2"]) else "half"
            found.add(Numbered(name, match["of_q"] or match["of_q2"]))
    for match in _LABEL.finditer(lowered):
        if match["letters"] not in _NO_LABELS and not currency_of(text[match.start() : match.end("letters")]):
            found.add(Numbered(match["letters"], match["number"]))
    return frozenset(found)


def placeholder(kind: str, number: int) -> str:
    """What stands for the value of a kind of personal data, by number: EMAIL-1."""
    return f"{kind.upper()}-{number}"


@lru_cache(maxsize=5_000)
def placeholders(text: str) -> frozenset[Numbered]:
    return frozenset(Numbered(match["kind"], match["number"]) for match in _FORMS["placeholder"].finditer(text))


AS_WRITTEN = "written "  # the kind of a number that can only be taken as it is written: "written 4o0"
MOMENTS = frozenset({"date", "year", "time of day"})  # kinds
PERIOD_KINDS = frozenset(kind for kind, _ in PERIODS.values())
TIMES = MOMENTS | PERIOD_KINDS
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
        kinds = {self.kind, other.kind}
        if self.kind.startswith(AS_WRITTEN):
            return self.kind == other.kind
        if other.kind.startswith(AS_WRITTEN):
            return self.kind != "date" and _equal(self.value, other.value)
        if kinds == {"date"}:
            return dates_agree(self.value, other.value)
        if kinds == {"date", "year"}:
            date, year = sorted((self.value, other.value), reverse=True)
            return int(date // 10_000) == year
        if kinds == {"days", "months"}:
            days, months = (self, other) if self.kind == "days" else (other, self)
            return any(days.value * 12 == months.value * year for year in (365, 366))
        if _is_measure(self) and _is_measure(other):
            factor = ratio(self.unit, other.unit)
            return factor is not None and _equal(self.value * factor, other.value)
        if POINTS in (self.unit, other.unit) and "%" in kinds:
            return BASIS_POINTS in (self.unit, other.unit) and _equal(self.value, other.value)
        return same_kind(self.kind, other.kind) and _equal(self.value, other.value)


def same_kind(one: str, other: str) -> bool:
    """Bare numbers may stand for anything but a date or a time; otherwise kinds must be equal, but that "kr" may be any
    crown."""
    if one == other:
        return True
    is_open = "number" in (one, other) and not {"date", "time of day"} & {one, other}
    return is_open or ("kr" in (one, other) and {one, other} <= _CROWNS)


def same_family(one: Quantity, other: Quantity) -> bool:
    """Both are lengths, or spans of time, or shares ...; "hours" and "feet" are not."""
    mine, theirs = ("share" if each.kind == "%" else family(each.unit) for each in (one, other))
    return bool(mine) and mine == theirs


def dates_agree(one: float, other: float) -> bool:
    """Equal in every part that both of them say."""
    parts = ((int(one) // scale % size, int(other) // scale % size) for scale, size in _PARTS_OF_DATE)
    return all(mine == theirs or not (mine and theirs) for mine, theirs in parts)


_PARTS_OF_DATE = ((10_000, 10_000), (100, 100), (1, 100))


def _is_measure(one: Quantity) -> bool:
    """It says in what it is measured, and that is not money."""
    is_known = is_measured(one.unit) and one.unit != UNKNOWN
    return is_known and (one.kind == "number" or one.kind in PERIOD_KINDS)


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * abs(one)


_FISCAL = late(r"\b[fc]y['’]?(?P<year>(?:19|20)?\d\d)\b")


def _moments(lowered: str) -> Iterator[Quantity]:
    """Dates as yyyymmdd, where what is not said is 0; times of day, in minutes; fiscal years; and "a year"."""
    for match in _FORMS["date"].finditer(lowered):
        of_date, day = (match[f"{part}1"] or match[f"{part}2"] or match[f"{part}3"] for part in "yd")
        month = match["m1"] or match["m2"] or match["m3"] or match["m4"]
        number = 100 * (MONTHS.get(month) or int(month)) + int(day or 0)
        yield Quantity(10_000 * int(of_date or match["y4"] or 0) + number, "date", *match.span())
    for match in _FORMS["clock"].finditer(lowered):
        hour, minute, half = int(match["h1"] or match["h2"] or 12), int(match["m1"] or match["m2"] or 0), match["half"]
        if match["word"] or not half or 1 <= hour <= 12:
            hour = hour % 12 + 12 * (half == "p") if half else 0 if match["word"] == "midnight" else hour % 24
            yield Quantity(60 * hour + minute, "time of day", *match.span())
    for match in _FISCAL.finditer(lowered):
        year = int(match["year"])
        yield Quantity(year if year >= 1_900 else 2_000 + year, "year", *match.span())
    for match in _FORMS["one_period"].finditer(lowered):
        kind, size = PERIODS[match["period"]]
        yield Quantity((0.5 if match["part"] else 1.5 if match["more"] else 1.0) * size, kind, *match.span("one"), kind)


_PARTS_OF_ONE = {name: int(size) for name, size in _pairs(_WORDS["parts"]).items()}
_ROUND = re.compile(r"\d[oli]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BASIS_POINT = 0.01
_SHARES_BEHIND = (
    (re.compile("(?:%|per ?cent)(?!.*point)"), 1.0),
    (re.compile(r"‰|per ?mill?e?\b"), 0.1),
    (re.compile("basis points?|bps"), _BASIS_POINT),
)
_DECADE = late(r"\b(?:(?:the|his|her|their|our|my|mid|early|late)[ -]\d0|(?:1[5-9]|20)\d0)$")
_BEFORE = late(rf"(?:{BEFORE})[ \u00a0]?$")
_LONGEST_BEFORE = 6


@lru_cache(maxsize=20_000)
def quantities(text: str) -> tuple[Quantity, ...]:
    """In the order of the text, none inside another; what is longer than a number comes before the numbers in it."""
    lowered = _plain(text)
    if not _FORMS["any"].search(lowered):
        return ()
    read = (*_moments(lowered), *_as_written(lowered), *_shares(lowered), *_counted(lowered, text))
    found: list[Quantity] = []
    for quantity in sorted(read, key=lambda one: one.start):
        if not found or quantity.start >= found[-1].end:
            found.append(quantity)
    return tuple(found)


def _as_written(lowered: str) -> Iterator[Quantity]:
    """ "4o0" with a letter, "6⁵": a reader may take them for 400 and 65, and they are not."""
    for match in _FORMS["look_alike"].finditer(lowered) if not lowered.isascii() or _ROUND.search(lowered) else ():
        number = re.search(_PARTS["NUMBER"], match.group())
        yield Quantity(_from_digits(number.group()) if number else 0.0, f"{AS_WRITTEN}{match.group()}", *match.span())


def _shares(lowered: str) -> Iterator[Quantity]:
    """ "Half of", "two thirds of", "one in five" """
    for match in _FORMS["share"].finditer(lowered):
        count = NUMBER_WORDS.get(match["of"] or match["some"] or "", 1)
        yield Quantity(
            float(round(100 * count / _PARTS_OF_ONE[match["part"] or match["all"] or "half"])), "%", *match.span()
        )


def _counted(lowered: str, text: str) -> Iterator[Quantity]:
    """Numbers with the currency before them, or what they count behind; not those of clauses and pages."""
    for match in _FORMS["quantity"].finditer(lowered):
        digits, words, scale = match["digits"], match["words"], match["scale"] or match["short"]
        at = next(match.start(part) for part in ("digits", "words", "article", "nothing") if match[part])
        before = _BEFORE.search(lowered, max(0, at - _LONGEST_BEFORE), at) if digits else None
        kind = currency_of(text[before.start() : before.end()].strip()) if before else None
        is_glued = digits and at > 0 and lowered[at - 1].isalpha() and not kind
        if is_glued or _FORMS["reference"].search(lowered[max(0, at - 24) : at]):
            continue
        value = _from_words(words) if words else float(bool(match["article"]))
        if digits:
            value = _from_digits(digits.lstrip(".") if kind else digits)  # "Rs.500"
        value += _FRACTIONS.get(match["fraction"] or "", 0.5 if match["half"] else 0.0)
        value *= SCALES.get((scale or "").strip(), 1)
        parts = ("digits", "words", "article", "nothing", "fraction", "half", "short", "scale")
        factor, unit, end = 1.0, "", max(match.end(part) for part in parts)
        if not kind:
            kind, factor, unit, used = _kind(text[match.start("after") : match.end("after")] if match["after"] else "")
            end = match.start("after") + used if used else end
        if kind == "number":
            kind, factor, unit, end = _measured(text, at, end, match["short"])
        if kind == "number" and not unit and not match["scale"]:
            if words in ("one", "zero"):
                continue  # "one of the parties" counts nothing
            kind = "year" if digits and _YEAR.fullmatch(digits) else kind
        yield Quantity(value * factor, kind, at, end, unit)


def _kind(after: str) -> tuple[str, float, str, int]:
    """The kind, what the number is multiplied by, its unit, and how many of the characters behind it belong to it."""
    for pattern, factor in _SHARES_BEHIND:
        if share := pattern.match(_plain(after)):
            return "%", factor, BASIS_POINTS if factor == _BASIS_POINT else "", share.end()
    first, _, second = after.partition(" ")
    for word, used in ((first, len(first)), (second, len(after))):
        if currency := currency_of(word):
            return currency, 1, "", used
        if period := PERIODS.get(word.lower().rstrip("s")):
            return *period, period[0], used
    return "number", 1, "", 0


def _measured(text: str, at: int, end: int, short: str | None) -> tuple[str, float, str, int]:
    """As what a number counts that has no kind yet, and where it ends."""
    if short == "m":  # metres or millions
        return "number", 1.0, UNKNOWN, end
    if text[end : end + 1] == "s" and _DECADE.search(text[max(0, at - 6) : end].lower()):
        return "number", 1.0, "", end
    unit, behind = unit_behind(text, end)
    if period := PERIODS.get(unit.removesuffix("s")):
        return *period, period[0], behind
    return "number", 1.0, unit, behind


_ABOUT, _ONE_WAY, _BOUND = (
    re.compile(rf"{'|'.join(rows(_WORDS[name]))}\s*{'(?:the |a |an )?' * (name == 'bound')}(?:{BEFORE})?\s*$")
    for name in ("about", "one_way", "bound")
)
_DIGITS = re.compile(r"\d[\d, \u00a0\u202f']*(?:\.\d+)?|\.\d+")
_NEGATIVE = re.compile(rf"(?:(?<![^\s(:])[-–−]|\bminus\s)(?:(?:{BEFORE})\s?)?$")
_IN_BRACKETS = re.compile(rf"\(\s?(?:(?:{BEFORE})\s?)?$")
_COUNTS = re.compile(rf"[ -](?!(?:{'|'.join(_WORDS['no_things'].split())})\b)[^\W\d]", re.IGNORECASE)
_SCALED = re.compile(rf"(?:thousand|lakh|million|crore|billion|trillion|\d(?:{_SHORT_SCALE}))$", re.IGNORECASE)
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
    if quantity.kind != "date" and (written := _FORMS["written"].match(text, quantity.start)):
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
