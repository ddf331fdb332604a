"""A comparison as one HTML page that needs nothing else: no script, no font, no other file.

Every text that is not ours passes through `text` or `block`: escaped, without characters that steer the display,
and isolated so that a right-to-left answer cannot rearrange what stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from unicodedata import category

from surefoot.gate.counts import Counted, Pair
from surefoot.gate.decide import Comparison
from surefoot.gate.metrics import METRICS, UNGRADED
from surefoot.gate.rules import Change, Check
from surefoot.gate.sides import SIDES, Said, SideName
from surefoot.records import whose_by_name
from surefoot.report.comparison_words import (
    ABOUT_CHANGES,
    allowed,
    asked_in,
    background,
    change_words,
    cited_by,
    group_rows,
    groups,
    mcnemar_line,
    number,
    reason_of,
    status,
    verdict_line,
    why,
)
from surefoot.types import Evidence

_LONGEST_TEXT = 4_000
_LONGEST_SUMMARY = 120
_MOVED_SHOWN = 500
_PASSAGES_SHOWN = 10
_PROBLEMS_SHOWN = 50
_STEERING = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_SIDE_WORDS: dict[SideName, str] = {"base": "baseline", "cand": "candidate"}
# Acceptable on the left in blues, unacceptable on the right in striped oranges: told apart by place, stripes and
# words as well as by colours that colour-blind readers can distinguish (Okabe and Ito).
SEGMENTS = ("correct", "refused", "unsupported", "wrong", UNGRADED)
FILLS = {
    "correct": "#0072b2",
    "refused": "#8fd0f5",
    "unsupported": "url(#stripes-unsupported)",
    "wrong": "url(#stripes-wrong)",
    UNGRADED: "#c9c9c9",
}
_BAR_WIDTH, _BAR_HEIGHT, _LETTER_WIDTH = 640, 26, 7.5

_STYLE = """
:root { color-scheme: light dark;
  --ink: #1b1b1b; --paper: #ffffff; --line: #d0d0d0; --quiet: #5c5c5c; --panel: #f5f6f8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181c; --line: #3c4048; --quiet: #a5a9b0; --panel: #20242a } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } .scroll { overflow-x: auto }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top }
th { font-weight: 600 } td { overflow-wrap: break-word } td:first-child { white-space: nowrap }
td:last-child { overflow-wrap: anywhere } code { white-space: nowrap }
.decision { border: 2px solid; border-radius: .4rem; padding: .6rem 1rem; background: var(--panel) }
.status { font-weight: 600; white-space: nowrap } .quiet { color: var(--quiet) }
figure { margin: 1rem 0 } figcaption { font-weight: 600 } svg { max-width: 100%; height: auto; display: block }
svg .side { fill: var(--ink) } svg .total { fill: var(--quiet) } svg text { font: 13px system-ui, sans-serif }
details { border-bottom: 1px solid var(--line); padding: .4rem 0 } summary { cursor: pointer }
.both { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem } .both > div { min-width: 0 }
@media (max-width: 48rem) { .both { grid-template-columns: 1fr } }
pre { white-space: pre-wrap; overflow-wrap: anywhere; overflow: auto; max-height: 24rem; margin: .3rem 0;
  padding: .6rem; background: var(--panel); border-radius: .3rem; font: inherit; unicode-bidi: isolate; contain: paint }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Surefoot {title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
_DEFS = """<svg width="0" height="0" aria-hidden="true"><defs>
<pattern id="stripes-unsupported" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="8" height="8" fill="#f0b429"/><rect width="1.5" height="8" fill="#8a5a00"/></pattern>
<pattern id="stripes-wrong" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
<rect width="6" height="6" fill="#e8702a"/><rect width="1.5" height="6" fill="#7a2500"/></pattern>
</defs></svg>"""

_NAMED = 16  # question ids beside a rule


def render(comparison: Comparison) -> str:
    body = "\n".join(
        (*_decision(comparison), *_bars(comparison), *_rules(comparison), *_measures(comparison), *_moved(comparison),
         *_problems(comparison))
    )  # fmt: skip
    return document(f"comparison: {comparison.decision.outcome}", body)


def document(title: str, body: str) -> str:
    """A page that stands alone: no script, no font, no other file."""
    return _PAGE.format(title=title, style=_STYLE, body=f"{_DEFS}\n{body}")


def text(foreign: str, longest: int = 300) -> str:
    """Foreign words on one line."""
    return f"<bdi>{escape(_harmless(' '.join(foreign.split()), longest))}</bdi>"


def block(foreign: str) -> str:
    """Foreign words with their line breaks."""
    return f'<pre dir="auto">{escape(_harmless(foreign, _LONGEST_TEXT))}</pre>'


def _harmless(foreign: str, longest: int) -> str:
    """Control, direction-changing and unassigned characters become visible; a long text is cut, and says so."""
    lines = foreign[:longest].replace("\r\n", "\n").replace("\t", " ")
    kept = "".join("\ufffd" if char != "\n" and category(char) in _STEERING else char for char in lines)
    return kept + (f" ... ({len(foreign) - longest} more characters)" if len(foreign) > longest else "")


def _decision(comparison: Comparison) -> Iterator[str]:
    outcome = comparison.decision.outcome
    yield "<h1>Surefoot comparison</h1>"
    yield f'<p class="decision"><strong>{outcome}</strong> &ndash; {text(verdict_line(comparison), 1000)}</p>'
    yield '<p class="quiet">'
    for side in SIDES:
        graders = ", ".join(filter(None, comparison.graders[side])) or "not named"
        yield f"{_SIDE_WORDS[side]}: {text(comparison.names[side])}, graded by {text(graders)}<br>"
    yield "</p>"
    yield from (f"<p>{text(line, 1000)}</p>" for line in background(comparison))
    yield from (f"<p><strong>next:</strong> {text(line, 1000)}</p>" for line in comparison.next_steps)


def _bars(comparison: Comparison) -> Iterator[str]:
    yield "<h2>Buckets</h2>"
    for label, sides in groups(comparison):
        largest = max(sum(counts.values()) for counts in sides.values())
        yield f"<figure><figcaption>{text(label)}</figcaption>"
        width, height = _BAR_WIDTH + 130, 2 * _BAR_HEIGHT + 12
        yield f'<svg width="{width}" viewBox="0 0 {width} {height}" role="img" aria-label="{_spoken(sides)}">'
        for row, side in enumerate(SIDES):
            yield from _bar(side, sides[side], largest, row * (_BAR_HEIGHT + 6))
        yield "</svg></figure>"
    yield f'<p class="quiet">wrong: {text(mcnemar_line(comparison))}</p>'


def _spoken(sides: dict[SideName, Counted]) -> str:
    return "; ".join(
        f"{_SIDE_WORDS[side]}: " + ", ".join(f"{bucket} {sides[side][bucket]}" for bucket in SEGMENTS) for side in SIDES
    )


def _bar(side: SideName, counts: Counted, largest: int, top: int) -> Iterator[str]:
    middle = top + _BAR_HEIGHT / 2 + 4.5
    yield f'<text class="side" x="0" y="{middle:g}">{_SIDE_WORDS[side]}</text>'
    left = 76.0
    for bucket in SEGMENTS:
        count = counts[bucket]
        width = _BAR_WIDTH * count / largest if largest else 0.0
        if not count:
            continue
        yield (
            f'<g><title>{bucket}: {count}</title><rect x="{left:.1f}" y="{top}" width="{width:.1f}"'
            f' height="{_BAR_HEIGHT}" fill="{FILLS[bucket]}" stroke="#ffffff" stroke-width="1"/>'
            f"{label(bucket, count, left, middle, width)}</g>"
        )
        left += width
    yield f'<text class="total" x="{left + 8:.1f}" y="{middle:g}">{sum(counts.values())}</text>'


def label(bucket: str, count: int, left: float, middle: float, width: float) -> str:
    """The bucket's name and count where they fit, else what of them fits."""
    tries = (f"{bucket} {count}", f"{bucket[0].upper()} {count}", f"{count}")
    words = next((words for words in tries if len(words) * _LETTER_WIDTH + 6 <= width), "")
    if not words:
        return ""
    at, half = left + width / 2, len(words) * _LETTER_WIDTH / 2 + 3
    # A plain ground under the words: stripes must not cross them.
    ground = "" if not FILLS[bucket].startswith("url") else (
        f'<rect x="{at - half:.1f}" y="{middle - 13:g}" width="{2 * half:.1f}" height="17" rx="3" fill="#ffffff"/>'
    )  # fmt: skip
    ink = "#ffffff" if bucket == "correct" else "#111111"
    return f'{ground}<text x="{at:.1f}" y="{middle:g}" text-anchor="middle" fill="{ink}">{words}</text>'


def _rules(comparison: Comparison) -> Iterator[str]:
    yield "<h2>Rules</h2>"
    heads = ("rule", "result", "baseline", "candidate", "change", "allowed", "why", "questions behind it")
    yield from table(heads, map(_rule_cells, comparison.decision.checks))
    yield from (f"<p>incomplete: {text(reason)}</p>" for reason in comparison.decision.incomplete)


def _rule_cells(check: Check) -> tuple[str, ...]:
    rule = check.rule
    named = "" if rule.name == rule.text else f"{text(rule.name)}<br>"
    more = check.question_count - len(check.questions[:_NAMED])
    return (
        f"{named}<code>{text(rule.text)}</code>",
        f'<span class="status">{_MARKS.get(status(check), "")} {status(check)}</span>',
        number(rule.metric, check.before),
        number(rule.metric, check.seen),
        change_words(rule.metric, check.change) + number_line(check.change),
        allowed(check),
        text(why(check)),
        ", ".join(map(text, check.questions[:_NAMED])) + (f" and {more} more" if more > 0 else ""),
    )


_MARKS = {"pass": "&#10003;", "FAIL": "&#10007;", "waived": "&#9873;"}


def _measures(comparison: Comparison) -> Iterator[str]:
    base, cand = comparison.measures["base"], comparison.measures["cand"]
    rows = (
        (name, number(name, base[name]), number(name, cand[name]), change_words(name, comparison.changes.get(name)),
         METRICS[name].unit)
        for name in base
    )  # fmt: skip
    yield f"<h2>Metrics</h2><p>{ABOUT_CHANGES}</p>"
    yield from table(("metric", "baseline", "candidate", "change", "over"), rows)
    for field, values in comparison.by_group.items():
        if values:
            yield f"<details><summary>Changes by {text(field)}</summary>"
            cells = ((text(value), *rest) for value, *rest in group_rows(values))
            yield from table((text(field), "metric", "baseline", "candidate", "change"), cells)
            yield "</details>"


def number_line(change: Change | None) -> str:
    """Zero, what would be borne, and between what the change lies."""
    if change is None:
        return ""
    bears = [change.limit - change.margin, change.limit + change.margin]
    least, most = min(change.low, bears[0], 0.0), max(change.high, bears[1], 0.0)
    width = most - least or 1.0

    def at(value: float) -> float:
        return 4 + 112 * (value - least) / width

    low, high = at(change.low), at(change.high)
    return (
        '<svg width="120" height="18" viewBox="0 0 120 18" role="img" aria-label="the interval, zero and the margin">'
        f'<rect x="{at(bears[0]):.1f}" y="3" width="{at(bears[1]) - at(bears[0]):.1f}" height="12" fill="#8884"/>'
        f'<line x1="{at(0):.1f}" x2="{at(0):.1f}" y1="1" y2="17" stroke="currentColor"/>'
        f'<rect x="{low - 1:.1f}" y="7" width="{max(high - low, 0) + 2:.1f}" height="4" fill="#b3450b"/></svg>'
    )


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """`rows` are ready HTML."""
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(f'<th scope="col">{head}</th>' for head in heads) + "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{item}</td>" for item in row) + "</tr>"
    yield "</tbody></table></div>"


def _moved(comparison: Comparison) -> Iterator[str]:
    yield f"<h2>Moved ({len(comparison.moved)})</h2>"
    if not comparison.moved:
        yield "<p>No answer changed its bucket.</p>"
    for pair in comparison.moved[:_MOVED_SHOWN]:
        yield from _moved_pair(pair)
    if len(comparison.moved) > _MOVED_SHOWN:
        yield f"<p>And {len(comparison.moved) - _MOVED_SHOWN} more, all of them in --json.</p>"


def _moved_pair(pair: Pair) -> Iterator[str]:
    attempt = f" (attempt {pair.attempt})" if pair.attempt > 1 else ""
    beside = [part for part in (asked_in(pair), pair.stratum) if part]
    stratum = "".join(f' <span class="quiet">{text(part, _LONGEST_SUMMARY)}</span>' for part in beside)
    change = f"{pair.base.bucket or UNGRADED} &rarr; <strong>{pair.cand.bucket or UNGRADED}</strong>"
    yield f"<details><summary>{text(pair.question_id)}{attempt}: {change}{stratum}</summary>"
    if pair.question:
        yield f'<p class="quiet">question, expects {pair.question.expects}</p>{block(pair.question.text)}'
    yield '<div class="both">'
    for side in SIDES:
        yield f"<div>{''.join(_said(_SIDE_WORDS[side], pair.side(side)))}</div>"
    yield "</div></details>"


def _said(side: str, said: Said) -> Iterator[str]:
    verdict = said.verdicts.get("factuality")
    by = f" (labelled by {text(whose_by_name([verdict.grader]))})" if verdict and said.is_labelled("factuality") else ""
    yield f"<strong>{side}: {said.bucket or UNGRADED}</strong>{by} {text(reason_of(said))}"
    if said.trace is None:
        yield '<p class="quiet">the answer itself is not known</p>'
    else:
        yield block(said.trace.answer or "") if said.trace.answer else '<p class="quiet">no answer</p>'
        yield f"<p>error: {text(said.trace.error)}</p>" if said.trace.error else ""
    for axis in ("factuality", "refusal_quality"):
        verdict = said.verdicts.get(axis)
        if verdict and axis == "refusal_quality":
            yield f"<p>refusal quality {text(str(verdict.value))} {text(verdict.reason)}</p>"
        yield from (_evidence(evidence) for evidence in (verdict.evidence if verdict else ())[:_PASSAGES_SHOWN])
    for passage in cited_by(said)[:_PASSAGES_SHOWN]:
        yield f"<details><summary>cites {text(passage.id)} {text(passage.doc)}</summary>{block(passage.text)}</details>"


def _evidence(evidence: Evidence) -> str:
    claim = f"<p>claim: {text(evidence.claim)}</p>" if evidence.claim else ""
    held = f"<p>against {text(evidence.passage)}</p>" if evidence.passage else ""
    return (
        f"<details><summary>evidence</summary>{claim}{held}{block(evidence.quote) if evidence.quote else ''}</details>"
    )


def _problems(comparison: Comparison) -> Iterator[str]:
    if comparison.problems:
        yield f"<h2>Problems and notes ({len(comparison.problems)})</h2><ul>"
        yield from (f"<li>{text(str(problem))}</li>" for problem in comparison.problems[:_PROBLEMS_SHOWN])
        more = len(comparison.problems) - _PROBLEMS_SHOWN
        yield f"</ul><p>And {more} more, all of them in --json.</p>" if more > 0 else "</ul>"
