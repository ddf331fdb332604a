"""Words by which a claim about a table speaks of a change, or of other than a value as it stands."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence
from typing import Literal

from surefoot.text.amounts import Amount
from surefoot.text.normal import word_set

_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten"
_MONTH = "|".join(month_name[1:])
# Words by which a claim speaks of other than a cell's value as it stands: a plan, a denial, a share, a change.
UNSURE = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|none|if|unless|would|could|should|might|(?<!\d )may(?! \d)|"
    r"expect\w*|forecast\w*|target\w*|plan(?:s|ned)?|budget\w*|estimat\w*|project(?:s|ed|ions?)|except|exclud\w*|"
    r"instead|rather|both|each|every|average\w*|mean|median|combined|together|altogether|in all|twice|double[sd]?|half|"
    r"third|triple[sd]?|times|ratio|multipl\w+|than|difference|gap|remaining|other|another|further|additional\w*|extra|"
    r"per|a (?:year|month|week|day|head)|less|plus|minus(?! \d+(?:\.\d+)? ?°)|sum|variation|variance|(?:under|"
    r"over) budget|nobody|nothing|no one|hardly|barely|scarcely|false|untrue|wrong(?:ly)?|incorrect\w*|deny|denie[sd]|"
    r"fail(?:s|ed)? to|short of|fraction|share|proportion|majority|minority|dozens?|pairs?|couple|(?:a|one|two|"
    r"three)[- ]quarters?|(?:two|three|four|five|six|seven|eight|nine)[- ](?:fifth|sixth|seventh|eighth|ninth|tenth)s|"
    r"a (?:fifth|sixth|seventh|eighth|ninth|tenth)|"
    rf"(?:\d+|{_SMALL}) (?:in|out of|of|in every|of every|out of every) "
    rf"(?:{_SMALL}|twenty|(?!(?:19|20)\d\d\b)\d+)(?! (?:{_MONTH})))\b|n't\b|\d ?/ ?\d|\d:\d|[½¼¾⅓⅔]",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|increas\w*|gr(?:ow|ew|own|owth|owing|ows)|gain\w*|climb\w*|jump\w*|surg\w*|improv\w*|"
    r"fall(?:s|en|ing)?|fell|decreas\w*|declin\w*|drop\w*|reduc\w*|shrank|shrunk|lower\w*|rais\w*|cut|chang\w*|slip\w*|"
    r"up|down|added|lost|from(?= (?:[$€£]|about )?\d)|doubl\w*|halv\w*|higher|more|fewer|ahead|behind|above|below|"
    r"recover\w*|compared|smaller|larger|bigger|greater|longer|shorter|taller|heavier|lighter|deeper|wider|older|younger|"
    r"cheaper|dearer|better|worse|faster|slower|warmer|colder|(?:under|over)-?(?:spen|ran|run|shot|shoot|perform)\w*|"
    r"sav(?:ed?|es|ings?)|left|short|shrink\w*|exceed\w*|beat\w*|topp?(?:ed|s)|surpass\w*|outnumber\w*|outsold|trail\w*|led|leads?)\b",
    re.IGNORECASE,
)
Says = Literal["agrees", "conflicts", "silent"]
_RISES = "rose risen increased increase increases grew grown climbed rise"
_FALLS = "fell fallen decreased decrease decreases declined decline declines dropped shrank fall drop"
_UP = re.compile(rf"\b(?:{'|'.join(_RISES.split())}|went up)\b", re.IGNORECASE)
_DOWN = re.compile(rf"\b(?:{'|'.join(_FALLS.split())}|went down)\b", re.IGNORECASE)
DIRECTIONS = word_set(f"{_RISES} {_FALLS} went up down")


def goes_other_way(sentence: str, amounts: Sequence[Amount]) -> bool:
    """ "fell from 5 to 6"."""
    is_up = bool(_UP.search(sentence))
    if len(amounts) != 2 or is_up == bool(_DOWN.search(sentence)):
        return False
    return (amounts[1].value > amounts[0].value) != is_up
