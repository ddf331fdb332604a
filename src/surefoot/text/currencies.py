"""Currencies as they are written beside a number: codes, signs, abbreviations and names.

A code counts in capitals next to a number ("TOP 500" would be Tongan, "top 500" is not); the usual ones in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_CODES = frozenset(
    re.findall(
        "[A-Z]{3}",
        """AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
        CDF CHF CLP CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
        GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP
        LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB
        PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
        THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL""",
    )
)
_ANY_CASE = frozenset(
    {"EUR", "USD", "GBP", "CHF", "NOK", "SEK", "DKK", "JPY", "CNY", "INR", "AUD", "NZD", "SGD", "HKD"}
)
_SIGNS = {
    "$": "USD", "us$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD", "nz$": "NZD", "hk$": "HKD",
    "s$": "SGD", "nt$": "TWD", "r$": "BRL", "mx$": "MXN", "€": "EUR", "£": "GBP", "¥": "JPY", "cn¥": "CNY", "₹": "INR",
    "₽": "RUB", "₩": "KRW", "₺": "TRY", "₫": "VND", "₦": "NGN", "₱": "PHP", "฿": "THB", "₪": "ILS", "₴": "UAH",
    "₸": "KZT", "₡": "CRC", "₲": "PYG", "₵": "GHS", "元": "CNY", "円": "JPY",
}  # fmt: skip
# Letters that stand for a currency only where a number is beside them.
_SHORT = {
    "rmb": "CNY", "rs": "INR", "rs.": "INR", "kr": "kr", "kr.": "kr", "sfr": "CHF", "sfr.": "CHF",
    "fr.": "CHF", "rm": "MYR", "rp": "IDR", "zł": "PLN", "zl": "PLN", "kč": "CZK", "lei": "RON",
    "tl": "TRY", "dhs": "AED",
}  # fmt: skip
_NAMES = {
    "euro": "EUR", "dollar": "USD", "pound": "GBP", "sterling": "GBP", "yuan": "CNY", "renminbi": "CNY", "rupee": "INR",
    "franc": "CHF", "krone": "kr", "kroner": "kr", "krona": "kr", "kronor": "kr", "yen": "JPY", "zloty": "PLN",
    "złoty": "PLN", "złotych": "PLN", "forint": "HUF", "koruna": "CZK", "rand": "ZAR", "reais": "BRL",
    "rouble": "RUB", "ruble": "RUB", "baht": "THB", "shekel": "ILS", "ringgit": "MYR", "rupiah": "IDR", "naira": "NGN",
    "hryvnia": "UAH", "dirham": "AED", "riyal": "SAR", "lira": "TRY",
}  # fmt: skip
CURRENCIES = _CODES | {"kr"}
_CROWNS = frozenset({"kr", "NOK", "SEK", "DKK", "ISK"})


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


# In lowered text, in front of a number; letters must not go on to the left.
BEFORE = (
    rf"(?<![^\W_])(?:{_any_of((*map(str.lower, _CODES), *_SHORT, *(sign for sign in _SIGNS if sign[0].isalpha())))})"
    rf"|{_any_of(sign for sign in _SIGNS if not sign[0].isalpha())}"
)
SIGN = "[" + "".join(sign for sign in _SIGNS if len(sign) == 1) + "]"


def currency_of(written: str) -> str | None:
    """The currency that a word or sign beside a number stands for."""
    lowered, code = written.lower(), written.upper()
    if code in _CODES and (written == code or code in _ANY_CASE):
        return code
    known = _SIGNS.get(lowered) or _SHORT.get(lowered)
    return known or _NAMES.get(lowered) or _NAMES.get(lowered.removesuffix("s"))


def same_currency(one: str, other: str) -> bool:
    """ "kr" may be any crown."""
    return one == other or ("kr" in (one, other) and {one, other} <= _CROWNS)
