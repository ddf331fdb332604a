"""Words by which a claim speaks of other than a cell's value as it stands: a plan, a denial, a share, a change."""

from __future__ import annotations

import re

_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
UNSURE = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|none|if|unless|would|could|should|might|(?<!\d )may(?! \d)|"
    r"expect\w*|forecast\w*|target\w*|plan(?:s|ned)?|budget\w*|estimat\w*|project(?:s|ed|ions?)|except|exclud\w*|"
    r"instead|rather|both|each|every|average\w*|mean|median|combined|together|altogether|in all|twice|double[sd]?|half|"
    r"third|triple[sd]?|times|ratio|multipl\w+|than|difference|gap|remaining|other|another|further|additional\w*|extra|"
    r"per|a (?:year|month|week|day|head)|less|plus|minus(?! \d+(?:\.\d+)? ?°)|sum|variation|variance|"
    r"(?:under|over) budget|nobody|nothing|no one|hardly|barely|scarcely|"
    r"false|untrue|wrong(?:ly)?|incorrect\w*|deny|denie[sd]|fail(?:s|ed)? to|"
    r"short of|fraction|share|proportion|majority|minority|dozens?|pairs?|couple|(?:a|one|two|three)[- ]quarters?|"
    r"(?:two|three|four|five|six|seven|eight|nine)[- ](?:fifth|sixth|seventh|eighth|ninth|tenth)s|"
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
