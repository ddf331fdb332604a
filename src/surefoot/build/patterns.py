"""How numbers, periods, money, shares and dates are written, and what binding documents are called, for patterns."""

from __future__ import annotations

import re

from surefoot.text.normal import words_of

NUMBER = (
    r"(?:(?:[a-z]+(?:-[a-z]+)?\s+)?\(\s*\d[\d,.]*\s*\)|\d[\d,]*(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|fourteen|fifteen|eighteen|twenty(?:-four|-one)?|thirty|forty(?:-five)?|sixty|ninety)"
)
UNIT = (
    r"(?P<unit>(?:business |calendar |working |consecutive |full )?"
    r"(?:second|minute|hour|day|week|month|quarter|year))s?"
)
MONEY = (
    r"(?:(?:US|U\.S\.|CA?|AU?|HK|NZ) ?)?[$€£]\s?\d[\d,]*(?:\.\d+)?(?: (?:million|billion|thousand))?"
    r"|\b\d[\d,]*(?:\.\d+)? (?:euros?|pounds|dollars|pence|cents)\b"
    r"|\b(?:USD|EUR|GBP|CHF|NOK|SEK|DKK|CAD|AUD) ?\d[\d,]*(?:\.\d+)?(?: (?:million|billion|thousand))?"
)
MEASURE = (
    r"\d[\d,]*(?:\.\d+)? ?(?:kg|g|mg|km|m|cm|mm|metres|meters|kilometres|miles|feet|litres|liters|ml|°C|°F|dB|"
    r"[kMG]?Hz|k?W|kWh|V|bar|MB|GB|TB|pages|people|points)(?![\w°])"
)
SHARE = rf"(?:\d[\d,]*(?:\.\d+)?\s?%|{NUMBER}(?: hundred)? (?:percent|per cent)\b)"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = rf"(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? (?:19|20)\d\d)"
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
SIGNED = "agreement|contract|lease|licen[cs]e|nda|deed|addendum|amendment|undertaking|covenant"
BINDING = (
    "agreement|contract|lease|licen[cs]e|policy|terms|nda|deed|plan|addendum|amendment|charter|undertaking|covenant"
)
ABOUT = (
    r"(?:approximately |about |over |more than |at least |up to |a total of |an aggregate of |not more than |"
    r"no more than )?"
)
BE = frozenset({"is", "are", "was", "were"})
HAVE = {"has": "does", "have": "do", "had": "did"}
STATED = frozenset({"do", "does", "should"})  # what has no auxiliary of its own (clauses.py)


def patterns_of(names: str) -> list[re.Pattern[str]]:
    """Those of `words/documents.toml`, in which <NUMBER> stands for the pattern of that name here."""
    texts = ("".join(words_of("documents")[name]) for name in names.split())
    return [re.compile(re.sub("<([A-Z]+)>", lambda found: str(globals()[found[1]]), text)) for text in texts]
