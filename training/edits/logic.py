"""Edits of quantifiers, bounds, conditions, order in time, cause, status and certainty: tables of rewrites."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from training.edits.change import Change
from training.english.rewriting import CONDITIONAL, NEGATIVE, raised, spliced, tidy

_CONTRADICTING = {
    "bound": """\\bat least(?= \\S*\\d| [a-z]+ \\()=>at most|\\bat most=>at least|\\bmore than(?= [$€£]?\\d)=>less than
        \\bless than(?= [$€£]?\\d)=>more than|\\bfewer than=>more than|\\bup to(?= [$€£]?\\d)=>at least
        \\bno more than=>no less than|\\bnot exceed=>exceed|\\bno less than=>no more than
        \\bnot less than=>not more than|\\bnot more than=>not less than|\\bin excess of=>of less than
        \\bexceeding=>below|\\bover(?= [$€£]?\\d)=>under|\\bminimum of=>maximum of|\\bmaximum of=>minimum of
        \\bunder(?= [$€£]\\d)=>over|\\babove(?= \\d)=>below""",
    "quantifier": """^All (?=of the |the |[a-z]+s\\b)=>Not all
        ^All (?!such|of|other|the)=>None of the|^Each of the=>Only one of the
        ^Any (?=[a-z]+ (?:shall|may|must|will))=>No|\\bmajority of=>minority of|\\bnone of the=>all of the
        ^Most =>Hardly any|\\bmost of(?= the| our)=>only a few of|\\bmay only=>may also, but not only,
        \\bonly(?= (?:for|to|in|by|with|on|upon)\\b(?! have| be | find| see))=>not only
        \\bsolely(?= (?:for|to|in|by|with)\\b)=>not only|\\bexclusively(?= (?:for|to|in|by)\\b)=>not only
        \\bthe only\\b=>one of several|\\bsubstantially all=>hardly any
        ^No (?=[a-z]+ (?:shall|may|will|has|is|was)\\b)=>Any|^Both (?=\\w+s\\b)=>Neither of the|^Many =>Very few
        \\bthe entire=>only part of the|\\bnearly all=>hardly any|\\balmost all=>hardly any
        \\bseveral(?= [a-z]+s\\b)=>no""",
    "condition": """\\bunless (?!otherwise)=>even if|\\bUnless (?!otherwise)=>Even if|\\bexcept for=>including
        \\bonly if=>regardless of whether|\\bprovided that=>regardless of whether
        \\bprovided, however, that=>regardless of whether|^Subject to =>Notwithstanding
        (?<!be )(?<!is )(?<!are )\\bsubject to the=>regardless of the
        ^Notwithstanding (?!the foregoing|anything)=>Subject to
        ^If (?!any|not|you)=>Unless|\\bin the event of=>except in the event of|\\bexcept as=>including as
        \\bto the extent permitted=>even where not permitted|\\bregardless of=>depending on
        \\birrespective of=>depending on|\\bso long as=>even where not
        \\bincluding, without limitation,=>with the exception of
        \\bincluding but not limited to=>with the exception of|\\bexcluding=>including
        \\bwhether or not=>only if""",
    "time_order": """\\bprior to=>after|\\bbefore(?= (?:the|its|his|any|such|a|\\d|being|[A-Z]))=>after
        \\bafter(?= (?:the|its|his|any|such|a|\\d|being|[A-Z]))=>before|\\bno later than=>no earlier than
        \\bon or before=>only after|\\bnot later than=>not earlier than
        \\buntil(?= (?:the|its|such|\\d|[A-Z]))=>only after
        \\bfollowing(?= (?:the|such|termination|completion|receipt))=>prior to|\\bsubsequent to=>prior to
        \\bprior written=>subsequent written|\\bupon(?= (?:termination|expiration|completion|receipt))=>prior to
        \\bbeginning on=>ending on|\\bcommencing on=>ending on|\\beffective (?=on |as of )=>expiring""",
    "status": """\\bhas been=>has not yet been|\\bhave been=>have not yet been|\\bhad been=>had not yet been
        \\bwill be(?= [a-z]+ed\\b)=>will never be|\\bproposed=>rejected
        \\bwas adopted=>was proposed but not adopted|\\bformer =>current|\\bpreviously=>for the first time
        \\bcurrently=>formerly|\\bhas (?=acquired|sold|completed|signed|issued)=>has not yet
        \\bis expected to=>is not expected to|\\bare expected to=>are not expected to
        \\bplans to=>no longer plans to|\\bintends to=>does not intend to|\\bintend to=>do not intend to
        \\bwe expect=>we do not expect|\\bWe expect=>We do not expect|\\bwe believe=>we do not believe
        \\bWe believe=>We do not believe|\\bdraft\\b=>final|\\bpreliminary=>final|\\binterim=>final
        \\bremains in effect=>has expired|\\bpredecessor=>successor|\\bsuccessor(?! and| or)=>predecessor
        \\bdebut(?= (?:studio |solo |feature )?(?:album|single|novel|film|season))=>final""",
    "cause": """\\bbecause of=>despite|\\bbecause(?! of)=>even though|\\bdue to=>despite|\\bas a result of=>in spite of
        \\bowing to=>despite|\\bresulted in=>prevented|\\bresulting from=>unrelated to|\\bled to=>prevented
        \\bcaused by=>unrelated to|\\battributable to=>unrelated to|\\barising out of=>unrelated to
        \\bprimarily as a result of=>despite|\\bdespite=>because of""",
}  # fmt: skip
_OPEN = {
    "hedge": """\\bmay have(?= been| had| [a-z]+ed\\b)=>undoubtedly had
        \\bmay(?= adversely| materially| harm| affect| cause| result| reduce| suffer)=>will
        \\bcould(?= adversely| materially| harm| affect| cause| result| reduce| be| have| suffer)=>will certainly
        \\bmight(?= be| have| not)=>will|\\bis likely to=>is certain to|\\bare likely to=>are certain to
        \\bapproximately (?=[$€£]?\\d)=>exactly|\\babout (?=[$€£]?\\d)=>exactly
        \\bestimated (?=to|at|that)=>confirmed|\\balleged(?! to)=>proven|\\ballegedly=>demonstrably
        \\bis believed to=>is known to|\\bwas reportedly=>was demonstrably|\\bpotential(?= [a-z]+)=>actual
        \\bappears to be=>is proven to be|\\bsuggests that=>proves that|\\bsuggested that=>proved that
        \\bmay be(?= [a-z]+ed\\b)=>always will be|\\bmay contain=>always contain|\\bseeks to=>always manages to
        \\battempts to=>always manages to""",
    "over_general": """\\bmaterial breach=>breach of any kind|\\bin the United States(?! [A-Z]| and)=>worldwide
        \\bin the Territory=>worldwide|\\bgenerally=>in every case|\\btypically=>in every case
        \\busually=>in every case|\\bsome of (?=our|the|its)=>all of|\\bSome of (?=our|the|its)=>All of
        \\bsome (?=[a-z]+s\\b)=>all|^Some (?=[a-z]+s\\b)=>All|\\bcertain of our=>all of our
        ^Certain (?=[a-z]+s\\b)=>All|\\bcertain (?=[a-z]+s (?:may|are|will|have)\\b)=>all
        \\bmany (?=[a-z]+s\\b)=>all|^Many (?=[a-z]+s\\b)=>All|\\breasonable efforts=>best efforts
        \\bcommercially reasonable efforts=>every possible effort|\\bsometimes=>always|\\bfrequently=>always
        \\boften=>always|\\bin part=>entirely|\\bsubstantially(?! all)=>completely
        \\bat least one of(?= the)=>every one of|\\bpart of the=>the whole of the|\\bprimarily=>exclusively
        \\bmainly=>exclusively""",
}  # fmt: skip


def _table(text: str) -> list[tuple[str, re.Pattern[str], str]]:
    """Rules as (a word that must occur, pattern, replacement)."""
    rules = [
        rule.partition("=>") for line in text.splitlines() for rule in re.split(r"\|(?=\\b|\^|\(\?<)", line.lstrip())
    ]
    return [(_first_word(pattern), re.compile(pattern), new) for pattern, _, new in rules if pattern.strip()]


def _first_word(pattern: str) -> str:
    match = re.match(r"(?:\(\?<![a-z ]+\))*(?:\\b|\^)([A-Za-z]+)", pattern)
    return match[1] if match else ""


_RULES = [
    (kind, label, _table(text))
    for label, group in (("contradicted", _CONTRADICTING), ("not_enough", _OPEN))
    for kind, text in group.items()
]
_UNSAFE = re.compile(
    r"\bone or more|more or less|before or after|prior to or|on or after|if any|with or without|or resulting|or "
    r"relating",
    re.IGNORECASE,
)


def logic_edits(sentence: str, rng: random.Random) -> Iterator[tuple[str, str, str]]:
    """(kind, label, text) by the tables above."""
    if _UNSAFE.search(sentence):
        return
    negative = NEGATIVE.search(sentence)
    for kind, label, rules in _RULES:
        if negative and (label == "not_enough" or kind == "quantifier"):
            continue  # widening under a negation may still follow from the passage
        possible = [(pattern.search(sentence), new) for word, pattern, new in rules if word in sentence]
        found = [(match, new) for match, new in possible if match]
        if kind == "status" or kind == "time_order":
            found = [(m, new) for m, new in found if not _in_condition(sentence, m.start())]
        if found:
            match, new = rng.choice(found)
            new += " " if match[0].endswith(" ") else ""
            yield kind, label, spliced(sentence, *match.span(), new)


def _in_condition(sentence: str, at: int) -> bool:
    return (
        re.search(r"\b(?:if|unless|that|which|who|when|whether|once)\b[^,;]*$", sentence[:at], re.IGNORECASE)
        is not None
    )


_TAIL = re.compile(
    r",? (?:unless|except that|except as|except where|except to the extent|provided that|provided, however, "
    r"that|if|only if|subject to|so long as) [^,;]+\.$"
)
_HEAD = re.compile(
    r"^(?:If|Unless|Subject to|Provided that|Except as|Except for|In the event (?:that|of)) [^,;]{10,140}, "
    r"(?!or |and |but |then )(?=[a-z]+ |[A-Z])"
)


def dropped_condition(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    """The statement without the condition it depends on: more than the passage says."""
    if CONDITIONAL.search(_TAIL.sub("", _HEAD.sub("", sentence))):
        return
    head, tail = _HEAD.search(sentence), _TAIL.search(sentence)
    options = []
    if head and re.search(r"\b(?:shall|may|must|will|can|is|are)\b", sentence[head.end() :]):
        options.append(raised(sentence[head.end() :]))
    if (
        tail
        and len(sentence[: tail.start()].split()) > 6
        and not re.search(r"\b(?:and|or|as|determine)$", sentence[: tail.start()])
    ):
        options.append(sentence[: tail.start()] + ".")
    options = [tidy(option) for option in options if option[:-1] not in passage.replace(sentence, "")]
    if options and not re.match(r"(?:then|such|the same)\b", options[0], re.IGNORECASE):
        yield "condition_dropped", rng.choice(options)


_CAUSAL = re.compile(
    r"^(?P<a>(?:The |An? )?[\w' -]{4,70}?) (?P<v>resulted in|led to|caused) (?!by\b)(?P<b>(?:the |an? )?[\w' "
    r"-]{4,70}?)(?P<end>\.|,.*\.)$"
)


def reversed_cause(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:  # noqa: ARG001
    match = _CAUSAL.match(sentence)
    if (
        match
        and not NEGATIVE.search(sentence)
        and not re.search(
            r"^(?:when|as|if|while|by|in|on|after|during)\b|\b(?:this|it|that|which|also|has|have|and)\b",
            match["a"].lower(),
        )
    ):
        first = match["a"][0].lower() + match["a"][1:] if match["a"].startswith(("The ", "A ", "An ")) else match["a"]
        yield "cause_reversed", f"{raised(match['b'])} {match['v']} {first}."
