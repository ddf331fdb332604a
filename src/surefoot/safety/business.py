"""Whose a number or an address is: an organisation's is not personal data, however it is written."""

from __future__ import annotations

import re

_FORMS = (
    r"Inc|INC|LLC|LLP|LP|Ltd|LTD|Limited|LIMITED|PLC|plc|Corp|Corporation|CORPORATION|Company|COMPANY|GmbH|AG|KG|SE|SA|"
    r"SAS|SARL|SRL|SpA|BV|NV|AB|ApS|Pty"
)
_ORGANISATION = re.compile(
    rf"\b(?:(?:{_FORMS})\b|(?:S\.A|L\.L\.C|N\.A|B\.V|N\.V)\.)|\b(?:SEC|Suite|SUITE|Floor|FLOOR|Attention|ATTENTION|Attn|ATTN|(?i:university|college|school|"
    r"departments?|offices?|agency|commission|council|ministry|hospital|clinic|surgery|pharmacy|institute|authority|"
    r"association|cent(?:er|re)|foundation|courts?|registry|secretariat|reception|front desk|headquarters|registrant|"
    r"hotline|helpline|company's|hotel|museum|library|restaurant|station|embassy|consulate|town hall|box office|"
    r"switchboard|charity|(?:city|town|municipality) of|customer service|press team|duty manager|"
    r"control room|emergency line))\b"
)
NOTICE = re.compile(r"\b(?:attention|attn|facsimile|fax)\b[.:]", re.IGNORECASE)
# Words for a person take it back, and so does a name right before the number
_PERSON = re.compile(
    r"\b(?:he|she|him|her|his|mobile|cell|cellphone|home|private|privately|personal|lives?|whatsapp|mr|mrs|ms|tenant|"
    r"patient|customer|employee|witness|borrower|applicant|guest|student)\b(?!'| service)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<!Attention: )(?<!Attn: )\b[A-Z][a-z]+ (?:[A-Z]\. )?(?!Street|Road|Avenue|Secretary|Counsel|Officer|Director|"
    r"Manager|Department|Office|Service|Services|Relations|Desk|Team)[A-Z][a-z]+,? "
    r"\(?(?:(?:tel|telephone|phone)\b[.:]? )?"
    r"(?:at |on |is |: )?$"
)
_SENTENCE = re.compile(r"(?<!Inc)(?<!Ltd)(?<!Corp)(?<![A-Z])[.!?]\s+(?=[A-Z])|\n\n")
_BLOCK = 200  # characters of an address block


def is_business(text: str, place: int, sign: re.Pattern[str] = _ORGANISATION) -> bool:
    """Whether an organisation is named before a place, in its sentence or block, and no person after it."""
    before = _SENTENCE.split(text[max(0, place - _BLOCK) : place])[-1]
    named = [match.end() for match in sign.finditer(before)]
    return bool(named) and not _PERSON.search(before, named[-1]) and not _NAMED.search(before)
