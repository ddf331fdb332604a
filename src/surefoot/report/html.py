"""A report as one HTML page that needs nothing else: no script, no font, no other file.

The templates write it. Every text on it is escaped, without characters that steer the display, and isolated, so that a
right-to-left answer cannot rearrange what stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from unicodedata import category

from jinja2 import Environment, PackageLoader, StrictUndefined

from surefoot.gate.metrics import UNGRADED
from surefoot.gate.rules import Change
from surefoot.report.blocks import STRONG, Bars, Decision, Plot, Report, shown, spans, unshown
from surefoot.report.words import counted

_STEERING = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
# Acceptable on the left in blues, unacceptable on the right in striped oranges: told apart by place, stripes and
# words as well as by colours that colour-blind readers can distinguish (Okabe and Ito).
_FILLS = {
    "correct": "#0072b2",
    "refused": "#8fd0f5",
    "unsupported": "url(#stripes-unsupported)",
    "wrong": "url(#stripes-wrong)",
    UNGRADED: "#c9c9c9",
}
_BAR_WIDTH, _BAR_STEP, _LETTER_WIDTH, _LONGEST_NAME = 640, 32, 7.5, 60
_PLOT_SIZE, _PLOT_LEFT, _PLOT_TOP = 260, 46, 10
_LARGEST_DOT, _SMALLEST_DOT = 9.0, 3.0


def page(report: Report) -> str:
    outcome = next((block.outcome for block in report.summary if isinstance(block, Decision)), "")
    return _templates().get_template("report.html").render(report=report, outcome=outcome)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("surefoot.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    made.globals["STRONG"] = STRONG
    made.filters |= {
        "visible": visible, "spans": spans, "kind": lambda block: type(block).__name__, "figures": _figures,
        "points": _points, "positions": _positions, "shown": lambda block: shown(block, "page"),
        "unshown": lambda block: unshown(block, "page"),
    }  # fmt: skip
    return made


def visible(text: str, longest: int) -> str:
    """Control, direction-changing and unassigned characters become visible; a long text is cut, and says so."""
    lines = text[:longest].replace("\r\n", "\n").replace("\t", " ")
    kept = "".join("\ufffd" if char != "\n" and category(char) in _STEERING else char for char in lines)
    return kept + (f" ... ({len(text) - longest} more characters)" if len(text) > longest else "")


def _figures(block: Bars) -> Iterator[dict[str, Any]]:
    """Each group as a drawing, in which the largest bar has the whole width."""
    for group, bars in block.groups:
        left = round(min(max((len(name) for name, _ in bars), default=0), _LONGEST_NAME) * _LETTER_WIDTH) + 10
        largest = max((sum(counts.values()) for _, counts in bars), default=0) or 1
        yield {
            "caption": group, "width": left + _BAR_WIDTH + 55, "height": len(bars) * _BAR_STEP,
            "spoken": "; ".join(f"{name}: {_spoken(counts)}" for name, counts in bars),
            "bars": [_bar(name, counts, left, row, largest) for row, (name, counts) in enumerate(bars)],
        }  # fmt: skip


def _spoken(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{bucket} {counts[bucket]}" for bucket in _FILLS) if counts else "no verdicts"


def _bar(name: str, counts: Mapping[str, int], left: float, row: int, largest: int) -> dict[str, Any]:
    segments = []
    for bucket, fill in _FILLS.items():
        if count := counts.get(bucket, 0):
            width = _BAR_WIDTH * count / largest
            segments.append(_segment(bucket, count, left, width, fill))
            left += width
    top, total = row * _BAR_STEP, sum(counts.values())
    return {"name": name, "top": top, "middle": top + 17.5, "segments": segments, "end": _px(left + 8), "total": total}


def _segment(bucket: str, count: int, left: float, width: float, fill: str) -> dict[str, Any]:
    """With the bucket's name and count where they fit, else what of them fits."""
    tries = (f"{bucket} {count}", f"{bucket[0].upper()} {count}", f"{count}")
    words = next((words for words in tries if len(words) * _LETTER_WIDTH + 6 <= width), "")
    centre, half = left + width / 2, len(words) * _LETTER_WIDTH / 2 + 3
    return {
        "bucket": bucket, "count": count, "left": _px(left), "width": _px(width), "fill": fill, "words": words,
        "striped": fill.startswith("url"), "ground_left": _px(centre - half), "ground": _px(2 * half),
        "centre": _px(centre), "ink": "#ffffff" if bucket == "correct" else "#111111",
    }  # fmt: skip


def _positions(change: Change) -> dict[str, str]:
    """On a number line: zero, what would be allowed, and between what the change lies."""
    ends = [change.limit - change.margin, change.limit + change.margin]
    least, most = min(change.low, ends[0], 0.0), max(change.high, ends[1], 0.0)
    scale = 112 / (most - least or 1.0)
    zero, start, end, low, high = (4 + scale * (at - least) for at in (0.0, *ends, change.low, change.high))
    return {
        "zero": _px(zero), "allowed": _px(start), "allowance": _px(end - start), "low": _px(low - 1),
        "width": _px(max(high - low, 0) + 2),
    }  # fmt: skip


def _points(block: Plot) -> dict[str, Any]:
    """Stated confidence to the right, agreement upwards; on the diagonal both are the same."""
    largest = max(one.n for one in block.found.bins)
    dots = [
        {
            "title": f"{counted(one.n, 'verdict')}: stated {one.confidence:.1%}, labels agree with {one.agreed:.1%}",
            "x": _px(_x(one.confidence)), "y": _px(_y(one.agreed)), "low": _px(_y(one.agreed_low)),
            "high": _px(_y(one.agreed_high)),
            "radius": _px(max(_SMALLEST_DOT, _LARGEST_DOT * (one.n / largest) ** 0.5)),
        }
        for one in block.found.bins
    ]  # fmt: skip
    return {"dots": dots, "marks": [{"x": _x(at), "y": _y(at), "label": f"{at:.0%}"} for at in (0, 0.5, 1)]}


def _x(share: float) -> float:
    return _PLOT_LEFT + _PLOT_SIZE * share


def _y(share: float) -> float:
    return _PLOT_TOP + _PLOT_SIZE * (1 - share)


def _px(value: float) -> str:
    return f"{value:.1f}"
