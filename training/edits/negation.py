"""Edits that put a negation in or take one out, and that turn duties into liberties and back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from training.edits.change import Change
from training.english.inflection import be, forms, is_plural
from training.english.lists import listed
from training.english.rewriting import NEGATIVE, spliced

_AUXILIARY = re.compile(
    r"\b(shall|will|must|can|should|would|is|are|was|were|has|have|had|does|did|may)\b(?! not\b|n't)"
)
_SUBORDINATE = re.compile(
    r"\b(?:if|when|which|that|who|whom|whose|unless|because|as|where|whether|although|while|until|before|after|"
    r"since|than|what|how|though|provided)\b[^,;]*$",
    re.IGNORECASE,
)
PERSON = (
    r"(?:part(?:y|ies)|licens(?:or|ee)s?|company|buyer|seller|purchaser|supplier|customer|client|contractor|"
    r"consultant|distributor|agent|landlord|tenant|lender|borrower|recipient|discloser|employee|employer|executive|"
    r"franchisee|franchisor|provider|user|users|affiliate|manufacturer|owner|vendor|reseller|sponsor|bank|holder|"
    r"trustee|shareholders?|member|members|contributor|participant|operator|director|directors|committee|court|"
    r"secretary|agency|commission|board|president|state|states|you|representatives?)"
)
_DEONTIC_MAY = re.compile(
    rf"\b{PERSON}('s)? may(?= (?!only\b|be\b|have\b|not\b|also\b|become\b|contain\b|result\b))", re.IGNORECASE
)
_NOT_MOVABLE = re.compile(
    r"not (?:only|limited|later|less|more|to exceed|exceed|withstanding|necessarily|yet|all|every|any|always|just|"
    r"merely|otherwise|so |be limited|be unreasonably)|whether or not|or not\b|if not\b|but "
    r"not", re.IGNORECASE)  # fmt: skip
_REMOVALS = (
    (
        re.compile(r"\b(shall|will|must|should|would|is|are|was|were|has|have|had|did|does|do|can)( ?not|n't|n’t)\b"),
        r"\1",
    ),
    (re.compile(r"\bno longer\b"), "still"),
    (re.compile(r"\b(has|have|had|was|were|is) never\b"), r"\1"),
    (re.compile(r"\bNeither (?=[Pp]arty\b)"), "Either "),
    (re.compile(r"\b(has|have|had) no\b(?= [a-z]+)(?! (?:more|less|longer|fewer))"), r"\1 some"),
    (re.compile(r"\bthere (is|are|was|were) no\b"), r"there \1 indeed"),
    (re.compile(r"\b(failed|fails|fail) to\b(?= [a-z]+)"), "managed to"),
)
_WITHOUT = re.compile(
    r"\bwithout(?= (?:the |any |its |prior |such |first |further )*(?:prior |express |written |advance )*"
    r"(?:consent|approval|notice|permission|authorization|cause|charge|cost|penalty|interest|assistance|"
    r"success|merit|recourse))", re.IGNORECASE)  # fmt: skip
_WITH = re.compile(
    r"\bwith (?=(?:the |its )?(?:prior )?(?:express )?(?:written )?(?:consent|approval|permission|notice))"
)
_LEGAL_NOT = re.compile(rf"\b{PERSON} (?:shall|will|must|may) not\b", re.IGNORECASE)
_PAST_VERBS = {
    forms(verb)[2]: verb
    for verb in listed(
        "acquire win lose found publish release receive sign sell buy complete approve adopt announce reject release "
        "establish open close join leave pay issue grant enter agree begin launch return serve direct produce write "
        "play score marry die attend record perform include develop build host defeat represent report recognize "
        "record repay repurchase declare terminate amend settle file elect appoint become make give move take lead"
    )
}
_PAST = re.compile(rf"\b({'|'.join(sorted(_PAST_VERBS, key=len, reverse=True))})\b")


def negation_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:  # noqa: ARG001
    if not NEGATIVE.search(sentence):
        inserted = _inserted(sentence, rng) or _past_negated(sentence)
        if inserted:
            yield "negation", inserted
    elif not _NOT_MOVABLE.search(sentence):
        yield from _removed(sentence, rng)
    without = _WITHOUT.search(sentence)
    if without:
        yield "without", spliced(sentence, *without.span(), "with")
    granted = _WITH.search(sentence)
    if granted and not NEGATIVE.search(sentence):
        yield "without", spliced(sentence, *granted.span(), "without ")


def _inserted(sentence: str, rng: random.Random) -> str | None:
    match = _main_auxiliary(sentence)
    if match is None:
        return None
    word, rest = match[1], sentence[match.end() :]
    options = ["cannot" if word == "can" else f"{word} not"]
    if word in ("has", "have", "had") and not re.match(r" \w+(?:ed|en|wn|ne|ade|been)\b", rest):
        if not re.match(r" (?:a|an|the) ", rest):
            return None
        options = [f"{word} no"]
        rest = re.sub(r"^ (?:a|an|the) ", " ", rest)
    elif word in ("has", "have", "had", "was", "were"):
        options.append(f"{word} never")
    elif word in ("is", "are"):
        options.append(f"{word} no longer")
    elif word in ("will", "shall", "must"):
        options.append(f"{word} under no circumstances")
    return spliced(sentence[: match.end()] + rest, *match.span(), rng.choice(options))


def _main_auxiliary(sentence: str) -> re.Match[str] | None:
    for match in _AUXILIARY.finditer(sentence):
        before = sentence[: match.start()]
        if (
            _SUBORDINATE.search(before)
            or not before.strip()
            or re.search(r"\b(?:each|any|all|every|both|most|some|only)\b", before.lower())
        ):
            continue
        if match[1] == "may" and not _DEONTIC_MAY.search(sentence[: match.end() + 12]):
            continue
        if re.match(r" (?:also|only|solely|just)\b", sentence[match.end() :]):
            continue
        return match
    return None


def _past_negated(sentence: str) -> str | None:
    for match in _PAST.finditer(sentence):
        before = sentence[: match.start()]
        subject = re.search(r"(?:^|, )(?:The |He|She|It|We|[A-Z][\w.&'-]+)(?:[ \w.&'-]*)$", before)
        if (
            subject
            and not _SUBORDINATE.search(before)
            and not re.search(
                r"\b(?:been|was|were|is|are|be|has|have|had|being|to|and|or|a|an|the|of|by|all|each|both|newly|"
                r"recently|its|his)\s$",
                before,
            )
        ):
            if re.match(r" (?:by|in the|as|per|under|from|and|or)\b", sentence[match.end() :]):
                continue
            return spliced(sentence, *match.span(), f"did not {_PAST_VERBS[match[0]]}")
    return None


def _removed(sentence: str, rng: random.Random) -> Iterator[Change]:
    found = [(m, new) for pattern, new in _REMOVALS for m in pattern.finditer(sentence)]
    found = [(m, new) for m, new in found if not _SUBORDINATE.search(sentence[: m.start()])]
    if found:
        match, new = rng.choice(found)
        rest = re.sub(r"\bany\b", "some", sentence[match.end() :], count=1)
        yield "negation_removed", spliced(sentence[: match.end()] + rest, *match.span(), match.expand(new))
    legal = _LEGAL_NOT.search(sentence)
    if legal:
        new = rng.choice(("may", "may freely"))
        yield "negation_removed", spliced(sentence, legal.start(), legal.end(), re.sub(r"\w+ not$", new, legal[0]))


def modality_edits(sentence: str, passage: str, rng: random.Random) -> Iterator[Change]:
    duty = re.search(
        rf"\b(?P<who>{PERSON}) (?:shall|must|will)(?= (?!not\b|be deemed|mean\b|have\b|survive\b|remain\b|be\b))",
        sentence,
        re.I,
    )
    if (
        duty
        and (not duty[0].endswith("will") or "greement" in passage)
        and not re.search(r"\b(?:no|neither|nor|only)\b", sentence[: duty.end() + 20], re.IGNORECASE)
    ):
        who = duty["who"]
        new = rng.choice(("may, but need not,", f"{be(who)} free, but not obliged, to", f"{be(who)} not required to"))
        yield "modality", spliced(sentence, *duty.span(), f"{who} {new}")
    liberty = _DEONTIC_MAY.search(sentence)
    if liberty and not NEGATIVE.search(sentence):
        who = liberty[0][:-4]
        new = rng.choice(("must", f"{be(who)} required to", f"{be(who)} obliged to", f"{be(who)} not allowed to"))
        yield "modality", spliced(sentence, *liberty.span(), f"{who} {new}")
    yield from _phrases(sentence, rng)


_PHRASES = (
    ("is required to", ("is not required to", "is free to choose whether to")),
    ("are required to", ("are not required to", "are free to choose whether to")),
    ("is entitled to", ("is obliged to give up", "has no right to")),
    ("are not required to", ("are required to",)), ("is not required to", ("is required to",)),
    ("has the right to", ("has no right to", "has a duty to")), ("have the right to", ("have no right to",)),
    ("is obligated to", ("is not obligated to",)), ("is obliged to", ("is not obliged to",)),
    ("has no obligation to", ("has an obligation to",)), ("have no obligation to", ("have an obligation to",)),
    ("at its sole discretion", ("only with the consent of the other party",)),
    ("in its sole discretion", ("only with the consent of the other party",)),
    ("at its sole cost", ("at the other party's cost",)), ("at its own expense", ("at the other party's expense",)),
    ("is permitted to", ("is not permitted to", "is required to")),
    ("are permitted to", ("are not permitted to", "are required to")),
    ("are prohibited from", ("are free to engage in",)), ("is responsible for", ("is not responsible for",)),
    ("is liable for", ("is not liable for",)), ("agrees to", ("refuses to",)), ("agreed to", ("refused to",)),
    ("agree to", ("refuse to",)),
)  # fmt: skip


def _phrases(sentence: str, rng: random.Random) -> Iterator[Change]:
    found = [(sentence.find(old), old, new) for old, new in _PHRASES]
    found = [(at, old, new) for at, old, new in found if at > 0 and not sentence[at + len(old) :].startswith(" not")]
    if found and not re.search(r"\b(?:if|unless|when|where|not)\b[^,]*$", sentence[: found[0][0]], re.IGNORECASE):
        at, old, options = found[0]
        new = rng.choice(options)
        if is_plural(sentence[:at]) == (old.split()[0] in ("are", "have", "agree")) or old.startswith(("at", "in")):
            yield "modality", spliced(sentence, at, at + len(old), new)
