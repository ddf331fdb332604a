"""The same amount, period or date written another way."""

from __future__ import annotations

import random
import re

from training.english.numbers import MONTHS, WORD_VALUES, grouped, ordinal, spelled
from training.english.rewriting import spliced

_PERIOD = r"(?:business |calendar |working )?(?:hours?|days?|weeks?|months?|years?)"
_WORD = "|".join(sorted(WORD_VALUES, key=len, reverse=True))
_BOTH = re.compile(rf"\b(?P<w>{_WORD}) \((?P<n>\d+)\)", re.IGNORECASE)
_FIGURE_PERIOD = re.compile(rf"(?<![\d.,$-])\b(?P<n>\d{{1,3}})(?= {_PERIOD}\b)")
_WORD_PERIOD = re.compile(rf"(?<![-\w])(?P<w>{_WORD})(?= {_PERIOD}\b)", re.IGNORECASE)
_PERCENT = re.compile(r"(?<![\d.,-])(?P<n>\d{1,3}(?:\.\d+)?)(?: ?%| per ?cent\b)(?! points?)")
_SCALED = re.compile(r"(?P<sign>US\$|[$€£])?(?P<n>(?<![\d.,])\d{1,3}(?:\.\d{1,2})?) (?P<scale>million|billion)\b")
_PLAIN = re.compile(
    r"(?P<sign>US\$|[$€£])?(?P<n>(?<![\d.,])\d{1,3}(?:,\d{3})+)(?![\d.,]*\d)(?! ?(?:million|billion|%|\())"
)
_CODES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP"}
_DATE = re.compile(
    rf"\b(?P<m>{'|'.join(MONTHS)}) (?P<d>\d{{1,2}}), (?P<y>\d{{4}})\b|\b(?P<d2>\d{{1,2}}) "
    rf"(?P<m2>{'|'.join(MONTHS)}) (?P<y2>\d{{4}})\b"
)


def number_forms(sentence: str, rng: random.Random) -> str | None:
    """One quantity of the sentence in another form, or None where there is none to rewrite."""
    ways = [_both, _figure_period, _word_period, _percent, _scaled, _plain, _date]
    rng.shuffle(ways)
    return next((new for way in ways if (new := way(sentence, rng))), None)


def _both(sentence: str, rng: random.Random) -> str | None:
    match = _BOTH.search(sentence)
    if not match or WORD_VALUES[match["w"].lower()] != int(match["n"]):
        return None
    return spliced(sentence, *match.span(), rng.choice((match["n"], match["w"].lower())))


def _figure_period(sentence: str, rng: random.Random) -> str | None:
    match = _FIGURE_PERIOD.search(sentence)
    word = spelled(int(match["n"])) if match else None
    if not match or not word or int(match["n"]) == 0:
        return None
    return spliced(sentence, *match.span(), rng.choice((word, f"{word} ({match['n']})")))


def _word_period(sentence: str, rng: random.Random) -> str | None:
    match = _WORD_PERIOD.search(sentence)
    if not match or match["w"].lower() in ("one", "zero"):
        return None
    value = WORD_VALUES[match["w"].lower()]
    return spliced(sentence, *match.span(), rng.choice((str(value), f"{match['w'].lower()} ({value})")))


def _percent(sentence: str, rng: random.Random) -> str | None:
    match = _PERCENT.search(sentence)
    if not match:
        return None
    word = spelled(int(match["n"])) if match["n"].isdigit() else None
    options = [f"{match['n']} percent", f"{match['n']} per cent", f"{match['n']}%"] + (
        [f"{word} percent"] if word else []
    )
    return spliced(sentence, *match.span(), rng.choice([option for option in options if option != match[0]]))


def _scaled(sentence: str, rng: random.Random) -> str | None:
    match = _SCALED.search(sentence)
    if not match:
        return None
    factor = 1_000_000 if match["scale"] == "million" else 1_000_000_000
    full, sign = grouped(round(float(match["n"]) * factor)), match["sign"] or ""
    code = _CODES.get(sign, "")
    short = "m" if factor == 1_000_000 else "bn"
    options = [sign + full, f"{sign}{match['n']}{short}"]
    if code:
        options += [f"{code} {full}", f"{code} {match['n']} {match['scale']}"]
    return spliced(sentence, *match.span(), rng.choice(options))


def _plain(sentence: str, rng: random.Random) -> str | None:
    match = _PLAIN.search(sentence)
    if not match:
        return None
    value, sign = int(match["n"].replace(",", "")), match["sign"] or ""
    options = [sign + str(value)] if value < 1_000_000 else []
    for factor, name in ((1_000_000_000, "billion"), (1_000_000, "million")):
        if value >= factor and value % (factor // 100) == 0:
            options.append(f"{sign}{value / factor:g} {name}")
            break
    if sign:
        options.append(f"{_CODES[sign]} {match['n']}")
    return spliced(sentence, *match.span(), rng.choice(options)) if options else None


def _date(sentence: str, rng: random.Random) -> str | None:
    match = _DATE.search(sentence)
    if not match:
        return None
    month, day, year = match["m"] or match["m2"], int(match["d"] or match["d2"]), match["y"] or match["y2"]
    iso = f"{year}-{MONTHS.index(month) + 1:02d}-{day:02d}"
    options = [f"{month} {day}, {year}", f"{day} {month} {year}", f"the {ordinal(day)} of {month} {year}", iso]
    new = rng.choice([option for option in options if option != match[0]])
    comma = sentence[match.end() : match.end() + 1] == "," and match["m"] and rng.random() < 0.5
    return spliced(sentence, match.start(), match.end() + (1 if comma else 0), new)
