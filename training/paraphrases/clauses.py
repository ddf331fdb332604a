"""Faithful rewrites of a sentence's shape: voice, order, what is left out, what is said more weakly."""

from __future__ import annotations

import random
import re

from training.english.inflection import be, forms, is_plural
from training.english.lists import listed
from training.english.rewriting import CONDITIONAL, NEGATIVE, lowered, raised, tidy

_FRONTED = re.compile(
    r"^(?P<front>(?:In|On|During|After|Before|Since|By|Until|If|Unless|Upon|When|Because|Although|As of|Prior to|"
    r"Following|Under|At)\b[^,;:]{3,90}), (?P<rest>[^:;]{15,220})\.$"
)
_TRAILING = re.compile(
    r"^(?P<rest>[^,;:]{15,160}) (?P<tail>(?:if|unless|because|when|before|after|until) [^,;:]{8,90})\.$"
)
_PARENTHESIS = re.compile(r" \((?!\d+\)|[ivxa-h]{1,4}\)|s\))[^()]{2,120}\)")
_RESTRICTING = re.compile(
    r"\b(?:except|other than|excluding|if|unless|not|but|only|subject|provided|without|until|to the extent)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r", (?:which|who|including|such as|as amended|as applicable|as well as|together with|a|an|the)(?: [^,;:.]{3,90}), "
    r"(?=(?:is|are|was|were|shall|will|may|must|has|have|had|can|[a-z]+ed)\b)"
)
_TAIL = re.compile(
    r", (?:which|who|including|such as|as well as|among others|resulting in|while|although|where) [^;:]{5,160}\.$"
)
_CLAUSE_START = (
    r"(?:the|this|these|such|we|he|she|it|they|our|its|[A-Z][\w-]+)(?: [\w'-]+){0,4}? "
    r"(?:shall|will|must|may|is|are|was|were|has|have|had|agrees|cannot|can)\b"
)
_COORDINATED = re.compile(rf"(?:,|;) (?:and|but) (?={_CLAUSE_START})")
_FINITE = re.compile(
    r"\b(?:shall|will|must|may|is|are|was|were|has|have|had|agrees?|cannot|can|did|does|[a-z]{3,}ed)\b"
)
_VOICE_VERBS = listed(
    "acquire found publish release direct produce write design build sign sell buy develop approve reject adopt create "
    "record host defeat launch introduce establish own manage review amend disclose return destroy protect indemnify "
    "reimburse notify deliver terminate maintain keep use assign transfer promote supply manufacture operate"
)
_PAST = "|".join(forms(verb)[2] for verb in _VOICE_VERBS)
_PARTICIPLE = {forms(verb)[2]: forms(verb)[3] for verb in _VOICE_VERBS}
_PAST_OF = {forms(verb)[3]: forms(verb)[2] for verb in _VOICE_VERBS}
_NOUN_PHRASE = (
    r"(?:(?:[Tt]he|[Aa]n?|[Ii]ts|[Ee]ach|[Tt]his) (?:[A-Za-z'-]+ ){0,2}[A-Za-z'-]+|"
    r"[A-Z][\w&.'-]+(?: [A-Z][\w&.'-]+){0,3})"
)
_ENDING = r"(?P<end>(?: (?:in|on|for|at|from|under|during|within|after|before|pursuant to|promptly|to) [^;]{3,140})?)\."
_ACTIVE = re.compile(rf"^(?P<a>{_NOUN_PHRASE}) (?P<v>{_PAST}) (?P<b>{_NOUN_PHRASE}){_ENDING}$")
_ACTIVE_MODAL = re.compile(
    rf"^(?P<a>{_NOUN_PHRASE}) (?P<m>shall|will|must|may) (?P<v>{'|'.join(_VOICE_VERBS)}) "
    rf"(?P<b>{_NOUN_PHRASE}){_ENDING}$"
)
_PASSIVE = re.compile(
    rf"^(?P<b>{_NOUN_PHRASE}) (?:was|were) (?P<v>{'|'.join(_PAST_OF)}) by (?P<a>{_NOUN_PHRASE}){_ENDING}$"
)
_BOUNDED = re.compile(
    r"\b(?P<before>of|was|were|is|are|by|to|had|has|have|totaled|employed|sold|reached|received|contains?|with) "
    r"(?P<sign>[$€£]?)(?P<n>\d{1,3}(?:,\d{3})*(?:\.\d+)?)(?P<unit>%| percent| million| billion| (?!of\b|and\b|"
    r"or\b|to\b|per\b)[a-z]{3,}s\b)"
)


def voice(sentence: str, rng: random.Random) -> str | None:  # noqa: ARG001
    if NEGATIVE.search(sentence) or re.match(r"(?:We|He|She|They|I|You|It|This|There)\b", sentence):
        return None
    active, modal, passive = _ACTIVE.match(sentence), _ACTIVE_MODAL.match(sentence), _PASSIVE.match(sentence)
    if active:
        was = "were" if is_plural(active["b"]) else "was"
        return f"{raised(active['b'])} {was} {_PARTICIPLE[active['v']]} by {lowered(active['a'])}{active['end']}."
    if modal:
        done = forms(modal["v"])[3]
        return f"{raised(modal['b'])} {modal['m']} be {done} by {lowered(modal['a'])}{modal['end']}."
    if passive:
        return f"{raised(passive['a'])} {_PAST_OF[passive['v']]} {lowered(passive['b'])}{passive['end']}."
    return None


def moved_adverbial(sentence: str, rng: random.Random) -> str | None:  # noqa: ARG001
    match = _FRONTED.match(sentence)
    if (
        match
        and "," not in match["rest"]
        and _FINITE.search(match["rest"])
        and not re.search(r"\b(?:and|but|or)$", match["front"])
    ):
        if re.match(r"(?:and|or|but|then)\b", match["rest"]):
            return None
        return f"{raised(match['rest'])} {match['front'][0].lower()}{match['front'][1:]}."
    match = _TRAILING.match(sentence)
    if (
        match
        and _FINITE.search(match["rest"])
        and not re.search(r"\b(?:only|or|and|even|not|shortly|\w+ly|days|months|years|that|whether)$", match["rest"])
    ):
        if re.search(r"\b(?:that|which|who|whether|if|unless|and|or)\b", match["rest"]) or NEGATIVE.search(
            match["rest"]
        ):
            return None
        return f"{raised(match['tail'])}, {lowered(match['rest'])}."
    return None


def without_aside(sentence: str, rng: random.Random) -> str | None:
    """The sentence without a parenthesis or an aside: it says less."""
    options = []
    parentheses = _PARENTHESIS.findall(sentence)
    if parentheses and not any(_RESTRICTING.search(text) for text in parentheses):
        options.append(_PARENTHESIS.sub("", sentence))
    if _ASIDE.search(sentence) and not _listing(sentence):
        options.append(_ASIDE.sub(" ", sentence, count=1))
    tail = _TAIL.search(sentence)
    if tail and _FINITE.search(sentence[: tail.start()]) and not CONDITIONAL.search(tail[0]):
        options.append(sentence[: tail.start()] + ".")
    options = [tidy(option) for option in options if len(option.split()) >= 6]
    return rng.choice(options) if options else None


def _listing(sentence: str) -> bool:
    return re.search(r", (?:and|or) \w+", sentence) is not None


def one_conjunct(sentence: str, rng: random.Random) -> str | None:
    """One of two joined statements. The second may lean on a condition before the first, so then only the first."""
    match = _COORDINATED.search(sentence)
    if not match or re.search(r"\b(?:either|both|neither|unless|not only|that|provided)\b", sentence[: match.start()]):
        return None
    first, second = sentence[: match.start()] + ".", raised(sentence[match.end() :])
    options = [first] if _FINITE.search(first) and len(first.split()) > 4 else []
    if (
        not CONDITIONAL.search(first)
        and len(second.split()) > 4
        and not re.match(r"(?:It|They|He|She|Such|This|These)\b", second)
    ):
        options.append(second)
    return tidy(rng.choice(options)) if options else None


def weakened(sentence: str, rng: random.Random) -> str | None:
    """An amount becomes a bound that it meets."""
    if (
        NEGATIVE.search(sentence)
        or CONDITIONAL.search(sentence)
        or re.search(r"\bmay|shall|must|respectively|from\b", sentence)
    ):
        return None
    found = [m for m in _BOUNDED.finditer(sentence) if float(m["n"].replace(",", "")) >= 4]
    if not found:
        return None
    match = rng.choice(found)
    value, decimals = float(match["n"].replace(",", "")), "." in match["n"]
    step = 10 ** (len(str(int(value))) - 1)
    lower = [bound for bound in (step * int(value // step), value * 0.8, value - step / 2) if 1 < bound < value]
    upper = [bound for bound in (step * (int(value // step) + 1), value * 1.25) if bound > value]
    above = rng.random() < 0.6 and lower
    bound = rng.choice(lower if above else upper)
    shown = f"{bound:,.1f}" if decimals and bound % 1 else f"{round(bound):,}"
    if (
        float(shown.replace(",", "")) == value
        or (above and round(bound) >= value)
        or (not above and round(bound) <= value)
    ):
        return None
    words: tuple[str, ...] = ("more than", "over") if above else ("less than", "under")
    if match["unit"].startswith(" ") and match["unit"].endswith("s") and not above:
        words = ("fewer than",)
    amount = f"{match['sign']}{shown}{match['unit']}"
    return f"{sentence[: match.end('before')]} {rng.choice(words)} {amount}{sentence[match.end() :]}"


def may_and_must(sentence: str, rng: random.Random, person: str) -> str | None:
    """Duties, liberties and bans in other words that mean the same."""
    match = re.search(
        rf"\b(?P<who>{person}) (?P<m>shall|must|will|may)(?P<no> not)? (?P<v>[a-z]+)\b", sentence, re.IGNORECASE
    )
    if not match or re.search(r"\b(?:neither|nor|no|if|when|only)\b", sentence[: match.end()], re.IGNORECASE):
        return None
    who, verb, modal = match["who"], match["v"], match["m"].lower()
    is_, doing = be(sentence[: match.end("who")]), forms(verb)[4]
    if (
        verb in ("not", "only", "also", "be", "have", "in", "at", "from", "promptly", "continue")
        or verb.endswith("ly")
        or modal == "will"
    ):
        return None
    if match["no"]:
        new = [f"must not {verb}", f"{is_} not allowed to {verb}", f"may not {verb}", f"{is_} not permitted to {verb}"]
        new += [f"{is_} prohibited from {doing}", f"{is_} forbidden to {verb}"]
    elif modal == "may":
        new = [
            f"{is_} allowed to {verb}",
            f"{is_} permitted to {verb}",
            f"can {verb}",
            f"{'have' if is_ == 'are' else 'has'} the right to {verb}",
        ]
    else:
        new = [
            f"must {verb}",
            f"{is_} required to {verb}",
            f"{'have' if is_ == 'are' else 'has'} to {verb}",
            f"{is_} obliged to {verb}",
        ]
    return tidy(f"{sentence[: match.start()]}{who} {rng.choice(new)}{sentence[match.end() :]}")
