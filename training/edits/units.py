"""Edits that keep a figure and change what it counts: unit, currency, scale, frequency."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from training.edits.change import Change
from training.english.rewriting import NEGATIVE, spliced

_PERIODS = re.compile(
    r"(?:(?<=\d )|(?<=\d\) )|(?<=\d-)|(?<=\bone )|(?<=two )|(?<=three )|(?<=four )|(?<=five )|(?<=six )|(?<=seven )|"
    r"(?<=eight )|(?<=nine )|(?<=ten )|(?<=twelve )|(?<=fifteen )|(?<=twenty )|(?<=thirty )|(?<=forty-five )|"
    r"(?<=sixty )|(?<=ninety ))(business |working |calendar )?(hour|day|week|month|year)(s?)\b"
)
_SPANS = ("hour", "day", "week", "month", "year")
_UNITS = (
    ("kilometres", "miles"), ("kilometers", "miles"), ("km", "miles"), ("metres", "feet"), ("meters", "feet"),
    ("feet", "metres"), ("miles", "kilometres"), ("kg", "pounds"), ("kilograms", "pounds"), ("acres", "hectares"),
    ("hectares", "acres"), ("tons", "kilograms"), ("tonnes", "kilograms"), ("square feet", "square metres"),
    ("square miles", "square kilometres"), ("barrels", "gallons"), ("gallons", "barrels"), ("inches", "feet"),
    ("MW", "GW"), ("gigabytes", "megabytes"), ("megawatts", "gigawatts"), ("minutes", "hours"), ("seconds", "minutes"),
    ("percentage points", "percent"), ("basis points", "percentage points"),
)  # fmt: skip
_UNIT = re.compile(r"(?<=\d )(" + "|".join(re.escape(one) for one, _ in _UNITS) + r")\b")
_SCALE = re.compile(r"(?<=[\da-z] )(thousand|million|billion|trillion)\b")
_SCALES = ("thousand", "million", "billion", "trillion")
_CURRENCY = re.compile(r"US\$|[$€£](?=\s?\d)|\b(?:USD|EUR|GBP|CHF)\b|\b(?:dollars|euros|pounds sterling)\b")
_ADVERBS = ("daily", "weekly", "monthly", "quarterly", "annually")
_FREQUENCY = re.compile(r"\b(daily|weekly|monthly|quarterly|annually|semi-annually|yearly|bi-weekly)\b", re.IGNORECASE)
_EACH = re.compile(r"\b(per|each|every) (day|week|month|quarter|year|annum)\b", re.IGNORECASE)
_TIMES = re.compile(r"\b(once|twice|three times)(?= (?:a|per|each|every|in)\b)", re.IGNORECASE)
_PERCENT = re.compile(r"(?<=\d)( ?%| percent| per cent)(?! (?:of|owned|interest))(?=\W)")


def unit_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    yield from _period(sentence, passage, rng)
    for match in _pick(_UNIT, sentence, rng):
        yield "unit", spliced(sentence, *match.span(), dict(_UNITS)[match[0]])
    for match in _pick(_SCALE, sentence, rng):
        place = _SCALES.index(match[0])
        new = _SCALES[max(0, place - 1) if place and rng.random() < 0.5 else min(3, place + 1)]
        if new != match[0]:
            yield "scale", spliced(sentence, *match.span(), new)
    if re.search(r"\b(?:by|rose|fell|increased?|decreased?|up|down)\b", sentence):
        for match in _pick(_PERCENT, sentence, rng):
            if not re.search(r"\bby (?:about |approximately )?[\d.]+$", sentence[: match.start()]):
                continue
            yield "percentage_points", spliced(sentence, *match.span(), " percentage points")


def _period(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    for match in _pick(_PERIODS, sentence, rng):
        if _still_true(sentence, match.start()):
            continue
        place = _SPANS.index(match[2])
        bounded = re.search(r"\bwithin [^,;]{1,20}$", sentence[: match.start()])
        options = [_SPANS[i] for i in ((place - 1,) if bounded else (place - 1, place + 1)) if 0 <= i < len(_SPANS)]
        if not options:
            continue
        yield "duration", spliced(sentence, *match.span(), (match[1] or "") + rng.choice(options) + match[3])
        if match[1] in ("business ", "working "):
            yield "day_kind", spliced(sentence, *match.span(), "calendar day" + match[3])
        elif match[1] == "calendar " or (match[2] == "day" and "usiness " not in passage):
            yield "day_kind", spliced(sentence, *match.span(), "business day" + match[3])


def _still_true(sentence: str, at: int) -> bool:
    """A ban or a bound may hold for a shorter or longer period as well."""
    before = sentence[:at]
    if re.search(
        r"\b(?:at least|more than|greater than|over|exceeding|less than|up to|longer than) [^,;]{1,24}$", before
    ):
        return True
    return NEGATIVE.search(sentence) is not None and re.search(
        r"\b(?:within|over|last|next|past|during|for)\b[^,;]{1,30}$", before) is not None  # fmt: skip


def currency_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:  # noqa: ARG001
    for match in _pick(_CURRENCY, sentence, rng):
        old = match[0]
        if len(old) <= 2 and not old.isalpha():
            options = [sign for sign in ("$", "€", "£") if sign != old]
        elif old.islower():
            options = [name for name in ("dollars", "euros", "pounds sterling", "Swiss francs") if name != old]
        else:
            options = [code for code in ("USD ", "EUR ", "GBP ") if code.strip() != old.replace("US$", "USD")]
        new = rng.choice(options)
        new = new.strip() if sentence[match.end() : match.end() + 1] == " " else new
        yield "currency", sentence[: match.start()] + new + sentence[match.end() :]


def frequency_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    for match in _pick(_FREQUENCY, sentence, rng):
        options = [word for word in _ADVERBS if word not in (match[0].lower(), passage) and word not in sentence]
        if match[0].lower() == "yearly":
            options = [word for word in options if word != "annually"]
        if options:
            yield "frequency", spliced(sentence, *match.span(), rng.choice(options))
    for match in _pick(_EACH, sentence, rng):
        span = "year" if match[2].lower() == "annum" else match[2].lower()
        options = [word for word in ("day", "week", "month", "quarter", "year") if word != span]
        yield "frequency", spliced(sentence, *match.span(), f"{match[1]} {rng.choice(options)}")
    for match in _pick(_TIMES, sentence, rng):
        options = [word for word in ("once", "twice", "three times", "four times") if word != match[0].lower()]
        yield "frequency", spliced(sentence, *match.span(), rng.choice(options))


def _pick(pattern: re.Pattern[str], sentence: str, rng: random.Random) -> list[re.Match[str]]:
    found = list(pattern.finditer(sentence))
    return [rng.choice(found)] if found else []
