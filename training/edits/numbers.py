"""Edits that give a sentence another number, date, period, unit, currency or scale."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise

from surefoot.text.numbers import Quantity, quantities
from training.edits.change import Change
from training.english.numbers import FIGURE, MONTHS, ORDINALS, WORD_VALUES, grouped, ordinal, spelled
from training.english.rewriting import NEGATIVE, spliced

_DIGITS = re.compile(FIGURE)
_WORD_NUMBER = re.compile(
    r"\b(" + "|".join(sorted((w for w in WORD_VALUES if WORD_VALUES[w] > 1), key=len, reverse=True)) + r")\b",
    re.IGNORECASE,
)
_BOTH_FORMS = re.compile(r"\b([A-Za-z]+(?:[- ][a-z]+)?) \((\d+)\)")
_FLOOR = re.compile(
    r"(?:at least|more than|over|exceed\w*|greater than|minimum of|no (?:fewer|less) than|not less than|above|"
    r"in excess of|a minimum|fewer than not|longer than) (?:us ?)?[$€£]?\s?$", re.IGNORECASE)  # fmt: skip
_CEILING = re.compile(
    r"(?:at most|less than|fewer than|under|up to|maximum of|no more than|not more than|not to exceed|not exceed\w*|"
    r"below|within|no later than|not later than|nearly|almost) (?:us ?)?[$€£]?\s?$", re.IGNORECASE)  # fmt: skip
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b(?= \d|,? of \d{{4}}|\.$|,)")
_DAY = re.compile(
    rf"(?<=\b)(?:(?P<m>{'|'.join(MONTHS)}) (?P<d>\d{{1,2}})\b(?!\d)|(?P<d2>\d{{1,2}}) (?:{'|'.join(MONTHS)})\b)"
)
_YEAR = re.compile(
    r"(?<![\d.,/$€£-])\b((?:1[5-9]|20)\d\d)\b(?![\d,]*\d)(?!-\d| (?:million|shares|square|people|employees))"
)
_NOT_A_COUNT = re.compile(
    r"(?:section|sections|article|clause|paragraph|rule|no\.|number|exhibit|item|note|form|page|chapter|schedule|"
    r"annex|appendix|part|act of|title|§|version|level|phase|type|topic|asu|asc|sfas|fas|ias|ifrs|fin|suite|box|"
    r"highway|route|windows|hours? of|\d[-–/.:]|[a-z]-|#|\() ?$"
    r"|\b(?:section|article|clause|paragraph|rule|note|item|exhibit|table|chapter)s? [\d.,()a-z "
    r"]{1,25}$", re.IGNORECASE)  # fmt: skip


def number_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    for edit in (_figure, _word_figure, _both_forms, _swapped_figures, _passage_figure):
        changed = edit(sentence, passage, rng)
        if changed:
            yield "number", changed


def date_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    for edit in (_year, _month, _day):
        changed = edit(sentence, passage, rng)
        if changed:
            yield "date", changed


def _counts(sentence: str) -> list[re.Match[str]]:
    """The figures that count or measure something: no years, dates, references or list marks."""
    taken = [m.span() for m in _DAY.finditer(sentence)] + [m.span() for m in _YEAR.finditer(sentence)]
    found = []
    for match in _DIGITS.finditer(sentence):
        at, end = match.span()
        if any(start < end and at < stop for start, stop in taken) or _NOT_A_COUNT.search(sentence[:at]):
            continue
        neighbour = sentence[end : end + 1]
        if (at and sentence[at - 1].isalpha()) or neighbour.isalpha() or neighbour in ("/", ":", "-", ")", "–"):
            continue
        if at == 0 or re.match(r"\.\d|,\d", sentence[end:]):
            continue
        found.append(match)
    return found


def _figure(sentence: str, passage: str, rng: random.Random) -> str | None:
    found = _counts(sentence)
    if not found:
        return None
    match = rng.choice(found)
    new = _other_figure(match[0], sentence[: match.start()], rng)
    if new is None or _same_number_elsewhere(match[0], new, passage):
        return None
    return spliced(sentence, *match.span(), new)


def _same_number_elsewhere(old: str, new: str, passage: str) -> bool:
    return old == new or re.search(rf"(?<![\d.,]){re.escape(new)}(?![\d.,]*\d)", passage) is not None


def _other_figure(text: str, before: str, rng: random.Random) -> str | None:
    value = float(text.replace(",", ""))
    decimals = len(text.partition(".")[2])
    options = [o for o in _near_and_far(value, decimals, rng) if o > 0 and round(o, decimals) != value]
    if _FLOOR.search(before):
        options = [option for option in options if option > value]
    elif _CEILING.search(before):
        options = [option for option in options if option < value]
    if not options:
        return None
    new = rng.choice(options)
    return grouped(new, decimals) if "," in text or new >= 10_000 else f"{new:.{decimals}f}"


def _near_and_far(value: float, decimals: int, rng: random.Random) -> list[float]:
    step = 10.0**-decimals
    round_steps = [10.0**power for power in range(12, 0, -1)] + [5.0]
    round_step = next((s for s in round_steps if value >= 2 * s and value % s == 0), step)
    near = [value + rng.choice((-3, -2, -1, 1, 2, 3)) * round_step, value + rng.choice((-1, 1)) * round_step]
    far = [value * rng.choice((2, 3, 0.5, 10, 0.1, 1.5))]
    digits = re.sub(r"\D", "", f"{value:.{decimals}f}")
    places = [i for i in range(len(digits) - 1) if digits[i] != digits[i + 1] and not (i == 0 and digits[1] == "0")]
    turned = []
    if places:
        i = rng.choice(places)
        turned = [int(digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :]) * step]
    whole = [round(option, decimals) for option in near + far + turned]
    return [option for option in whole if option >= step]


def _word_figure(sentence: str, passage: str, rng: random.Random) -> str | None:
    if NEGATIVE.search(sentence):
        return None
    found = [m for m in _WORD_NUMBER.finditer(sentence) if not re.match(r"[- ](?:\(|of the)", sentence[m.end() :])]
    if not found:
        return None
    match = rng.choice(found)
    value = WORD_VALUES[match[0].lower()]
    new = spelled(int(_round_like(value, rng)))
    before = sentence[: match.start()]
    wrong_way = new and ((_FLOOR.search(before) and WORD_VALUES[new] < value)
                         or (_CEILING.search(before) and WORD_VALUES[new] > value))  # fmt: skip
    if not new or wrong_way or new == match[0].lower() or new in passage.lower():
        return None
    return spliced(sentence, *match.span(), new)


def _round_like(value: int, rng: random.Random) -> int:
    if value >= 20 and value % 10 == 0:
        return max(10, value + 10 * rng.choice((-3, -2, -1, 1, 2, 3)))
    if value >= 20 and value % 5 == 0:
        return value + 15 * rng.choice((-1, 1))
    return max(2, value + rng.choice((-2, -1, 1, 2, 3)))


def _both_forms(sentence: str, passage: str, rng: random.Random) -> str | None:
    found = [m for m in _BOTH_FORMS.finditer(sentence) if WORD_VALUES.get(m[1].lower()) == int(m[2])]
    if not found:
        return None
    match = rng.choice(found)
    value = _round_like(int(match[2]), rng)
    before, word = sentence[: match.start()], spelled(value)
    wrong_way = (_FLOOR.search(before) and value < int(match[2])) or (_CEILING.search(before) and value > int(match[2]))
    if wrong_way or word is None or value == int(match[2]) or re.search(rf"\b{value}\b", passage):
        return None
    return spliced(sentence, *match.span(), rng.choice((f"{word} ({value})", word, str(value))))


def _swapped_figures(sentence: str, passage: str, rng: random.Random) -> str | None:  # noqa: ARG001
    """Two amounts of the same kind change places, unless they stand in a range or an unordered list."""
    found = [q for q in quantities(sentence) if q.kind not in ("date", "year")]
    pairs = [(a, b) for a, b in pairwise(found) if a.kind == b.kind and a.value != b.value]
    pairs = [(a, b) for a, b in pairs if _apart(sentence, a, b)]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    first, second = sentence[one.start : one.end], sentence[other.start : other.end]
    return sentence[: one.start] + second + sentence[one.end : other.start] + first + sentence[other.end :]


def _apart(sentence: str, one: Quantity, other: Quantity) -> bool:
    between = sentence[one.end : other.start]
    listed = re.fullmatch(r"[\s$€£,]*(?:and|or|to|plus|x|by)?[\s$€£,]*", between)
    if _NOT_A_COUNT.search(sentence[: one.start]) or _NOT_A_COUNT.search(sentence[: other.start]):
        return False
    return (not listed or "respectively" in sentence) and len(between) < 120 and "(" not in between


def _passage_figure(sentence: str, passage: str, rng: random.Random) -> str | None:
    """An amount of the sentence gives way to another amount of its kind from elsewhere in the passage."""
    found = [q for q in quantities(sentence) if q.kind not in ("date", "year", "number")]
    if not found:
        return None
    one = rng.choice(found)
    before = sentence[: one.start]
    if _NOT_A_COUNT.search(before) or _FLOOR.search(before) or _CEILING.search(before):
        return None
    inside = {q.value for q in found}
    others = [q for q in quantities(passage) if q.kind == one.kind and q.value not in inside and q.value > 1]
    if not others:
        return None
    other = rng.choice(others)
    new = passage[other.start : other.end]
    return spliced(sentence, one.start, one.end, new) if len(new) < 25 else None


def _year(sentence: str, passage: str, rng: random.Random) -> str | None:
    found = list(_YEAR.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    years = [y for y in _YEAR.findall(passage) if y not in sentence] if rng.random() < 0.3 else []
    shift = rng.choice((-10, -5, -3, -2, -1, 1, 2, 3, 5, 10))
    new = rng.choice(years) if years else str(int(match[0]) + shift)
    if new in sentence or re.search(r"\b(?:act|code|plan|notes due|due) (?:of )?$", sentence[: match.start()].lower()):
        return None
    return sentence[: match.start()] + new + sentence[match.end() :]


def _month(sentence: str, passage: str, rng: random.Random) -> str | None:
    found = list(_MONTH.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    new = rng.choice([month for month in MONTHS if month not in passage] or MONTHS)
    day = re.match(r" (\d{1,2})\b", sentence[match.end() :])
    if new == match[0] or (day and int(day[1]) > 28):
        new = "May" if match[0] != "May" else "July"
    return sentence[: match.start()] + new + sentence[match.end() :]


def _day(sentence: str, passage: str, rng: random.Random) -> str | None:
    found = list(_DAY.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    group = "d" if match["d"] else "d2"
    new = str(rng.choice([day for day in range(1, 29) if day != int(match[group])]))
    changed = sentence[: match.start(group)] + new + sentence[match.end(group) :]
    return None if re.search(rf"\b{new} {match['m'] or ''}|{match['m'] or '#'} {new}\b", passage) else changed


def ordinal_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    words = [m for m in re.finditer(r"\b(?:" + "|".join(ORDINALS) + r")\b", sentence) if m[0] not in ("first", "second")
             or sentence[: m.start()].endswith(("the ", "a ", "his ", "her ", "its ", "their "))]  # fmt: skip
    figures = list(re.finditer(r"\b(\d{1,2})(?:st|nd|rd|th)\b", sentence))
    if words:
        match = rng.choice(words)
        new = rng.choice([word for word in ORDINALS[:8] if word != match[0]])
        if new not in passage and not re.match(r" (?:party|parties)", sentence[match.end() :]):
            yield "ordinal", spliced(sentence, *match.span(), new)
    if figures:
        match = rng.choice(figures)
        new = ordinal(max(1, int(match[1]) + rng.choice((-3, -2, -1, 1, 2, 3))))
        if new not in passage:
            yield "ordinal", spliced(sentence, *match.span(), new)
