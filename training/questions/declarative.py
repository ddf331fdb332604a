"""A question and its short answer as one statement: `declare("Who wrote it?", "Ann")` is "Ann wrote it."

Rules only, no tagger: where the rules are not sure of the subject, the verb or the kind of the answer, there is no
statement (None), and callers put question and answer side by side instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from training.english import grammar as en
from training.english.inflection import past
from training.english.lists import words
from training.questions.answer_places import clean_answer, fits, inner, slot_of, timed, without_double
from training.questions.question_parts import (
    QUESTION_WORDS,
    Question,
    adjective_at,
    base_verb_at,
    is_adverb,
    opens_predicate,
    parse,
    plain_question,
    predicate_at,
)

_FINITE_FORMS: dict[str, Callable[[str], str]] = {"did": past, "does": en.third_person, "do": str}
_PLACE_WORDS = en.PREPOSITIONS | {"here", "there", "where", "nowhere", "everywhere", "online", "abroad"}
_TAKES_CLAUSE = words("think feel say look try want attempt need plan hope decide expect")


def declare(question: str, answer: str) -> str | None:
    """The statement that the answer makes as an answer to the question, or None when the rules are not sure."""
    answer = clean_answer(answer)
    text = plain_question(question)
    if not answer or not text or len(answer.split()) > 10 or len(text.split()) > 40:
        return None
    made = _yes_no(text, answer) or _trailing(text, answer)
    if made is None:
        parts = parse(text)
        made = _statement(parts, answer) if parts else None
        made = parts.lead + made if parts and made else None
    return _sentence(made) if made else None


def _statement(question: Question, answer: str) -> str | None:
    if not fits(question, answer) or "n't" in question.rest[0]:
        return None
    auxiliary = question.rest[0].lower()
    if auxiliary not in en.AUXILIARIES:
        return _as_subject(question, answer)
    if auxiliary in en.DO:
        return _with_do(question, answer)
    return _with_auxiliary(question, answer)


def _as_subject(question: Question, answer: str) -> str | None:
    """ "Who wrote it" as "Ann wrote it"."""
    if question.preposition or question.word in ("when", "where", "why", "how", "how long", "how old"):
        return None
    if question.rest[0].lower() in ("happened", "happens", "made", "makes", "caused") and question.word == "what":
        return None if question.rest[0].lower().startswith("happen") else f"{answer} {' '.join(question.rest)}"
    return f"{slot_of(question, answer)} {' '.join(question.rest)}"


def _with_do(question: Question, answer: str) -> str | None:
    auxiliary, rest = question.rest[0].lower(), question.rest[1:]
    at = base_verb_at(rest)
    if at is None or (rest[at].lower() == "do" and question.word in ("what", "how")):
        return None
    if rest[at] in _TAKES_CLAUSE and len(rest) > at + 2 and rest[-1].lower() not in en.PREPOSITIONS:
        return None
    subject, verb, tail = rest[:at], rest[at].lower(), rest[at + 1 :]
    finite = _FINITE_FORMS[auxiliary](verb)
    return _placed(question, answer, " ".join(subject), finite, tail)


def _placed(question: Question, answer: str, subject: str, verb: str, tail: list[str]) -> str | None:
    slot = slot_of(question, answer)
    if question.word in ("when", "where", "why", "how", "how long", "how often", "how old", "how far"):
        return _with_adverbial(question, slot, f"{subject} {verb}", tail)
    if question.preposition:
        body = " ".join([subject, verb, *tail])
        opened = slot if slot.split()[0].lower() in en.PREPOSITIONS else f"{question.preposition} {inner(slot)}"
        return f"{body} {opened}"
    asks_time = question.noun and question.noun[-1].lower() in (
        "year",
        "month",
        "day",
        "date",
        "century",
        "decade",
        "season",
    )
    if asks_time and not (tail and tail[-1].lower() in en.PREPOSITIONS) and not (verb in ("was", "is") and not tail):
        return f"{' '.join([subject, verb, *tail])} {timed(slot)}"
    if not tail or tail[-1].lower() in en.PREPOSITIONS:
        return f"{' '.join([subject, verb, *tail])} {without_double(inner(slot), tail)}"
    if "to" in tail and tail[-1] in en.BASE_VERBS | {"be", "do"}:
        return None if tail[-1] == "do" else f"{' '.join([subject, verb, *tail])} {inner(slot)}"
    if tail[0].lower() in en.PREPOSITIONS and tail[1].lower() in en.PREPOSITIONS - {"to"}:
        return f"{subject} {verb} {tail[0]} {inner(slot)} {' '.join(tail[1:])}"
    if tail[0].lower() in en.PREPOSITIONS | {"that", "when", "because", "while"} or tail[0][0].isdigit():
        return f"{subject} {verb} {inner(slot)} {' '.join(tail)}"
    return None


def _with_adverbial(question: Question, slot: str, head: str, tail: list[str]) -> str | None:
    body = " ".join([head, *tail])
    if question.word == "when":
        return f"{body} {timed(slot)}"
    if question.word == "where":
        if slot.split()[0].lower() in _PLACE_WORDS or (tail and tail[-1].lower() in en.PREPOSITIONS):
            return f"{body} {without_double(slot, tail)}"
        return f"{body} in {inner(slot)}"
    if question.word == "how long":
        opened = slot.split()[0].lower() in en.PREPOSITIONS | {"about", "nearly", "almost"}
        stative = head.split()[-1] in ("took", "takes", "take", "lasted", "lasts", "is", "was", "last")
        return f"{body} {slot}" if opened or stative else f"{body} for {slot}"
    return f"{body} {inner(slot)}"


def _with_auxiliary(question: Question, answer: str) -> str | None:
    auxiliary, rest = question.rest[0], question.rest[1:]
    if not rest:
        return None
    adverbial = question.word in ("when", "where", "why", "how", "how long", "how often", "how old", "how far")
    if not adverbial and not question.preposition and opens_predicate(auxiliary.lower(), rest):
        return f"{slot_of(question, answer)} {_agreeing(auxiliary, answer)} {' '.join(rest)}"
    at = predicate_at(auxiliary.lower(), rest, nominal=not adverbial)
    if at is not None and not adverbial and not question.noun and auxiliary.lower() in en.BE:
        stranded = at == len(rest) - 1 or rest[-1].lower() in en.PREPOSITIONS or rest[-1] in en.BASE_VERBS
        if not stranded and rest[0].lower() in en.DETERMINERS and rest[at].endswith("ing"):
            return None
        if not stranded and not rest[at].endswith("ing"):
            return _copula(question, answer, auxiliary, rest) if rest[0].lower() in ("the", "a", "an") else None
    if at is not None:
        subject, adverb = (
            (rest[:at], "") if not is_adverb(rest[at - 1]) or at < 2 else (rest[: at - 1], rest[at - 1] + " ")
        )
        return _placed(question, answer, " ".join(subject), f"{auxiliary} {adverb}{rest[at]}", rest[at + 1 :])
    if auxiliary.lower() not in en.BE:
        return None
    return _copula(question, answer, auxiliary, rest)


def _agreeing(auxiliary: str, answer: str) -> str:
    """The auxiliary in the number of an answer that is plainly a plural."""
    plural = " and " in answer or (answer[0].islower() and re.search(r"[a-z]{3}[^su]s$", answer))
    return {"is": "are", "was": "were", "has": "have"}.get(auxiliary, auxiliary) if plural else auxiliary


def _copula(question: Question, answer: str, auxiliary: str, rest: list[str]) -> str | None:
    subject = " ".join(rest)
    if rest[0].lower() == "there":
        return f"there {auxiliary} {' '.join([inner(slot_of(question, answer)), *rest[1:]])}"
    if question.word in ("when", "where"):
        return _with_adverbial(question, answer, f"{subject} {auxiliary}", [])
    if question.word == "how old":
        return f"{subject} {auxiliary} {answer}" if len(rest) < 6 and "when" not in rest else None
    if question.word.startswith("how") or question.word == "why":
        return f"{subject} {auxiliary} {answer}" if question.word == "how much" and not question.noun else None
    if rest[-1].lower() in en.PREPOSITIONS:
        plain = rest[-1].lower() in ("from", "about", "like", "in", "on", "at") and len(rest) < 6
        return f"{' '.join([*rest[:-1], auxiliary, rest[-1]])} {inner(answer)}" if plain else None
    if question.preposition or (question.noun and question.word == "whose") or rest[-1].endswith("ing"):
        return None
    if question.noun:
        opens_noun = rest[0].lower() in en.DETERMINERS or rest[0][0].isupper()
        return f"{slot_of(question, answer)} {auxiliary} {subject}" if len(rest) > 1 and opens_noun else None
    return f"{subject} {auxiliary} {inner(answer)}"


def _yes_no(text: str, answer: str) -> str | None:
    """ "Is the fee due" with "no" as "The fee is not due"; only for a bare yes or no."""
    first, *rest = text.split()
    verdict = answer.lower().strip(".,!")
    if first.lower() not in en.AUXILIARIES or verdict not in ("yes", "no") or len(rest) < 2:
        return None
    negation = [] if verdict == "yes" else ["not"]
    auxiliary = first.lower()
    if auxiliary in en.DO:
        at = base_verb_at(rest)
        if at is None:
            return None
        verb = [auxiliary, "not", rest[at]] if negation else [_FINITE_FORMS[auxiliary](rest[at])]
        return " ".join([*rest[:at], *verb, *rest[at + 1 :]])
    if rest[0].lower() == "there":
        return " ".join(["there", auxiliary, *negation, *rest[1:]])
    at = predicate_at(auxiliary, rest) or adjective_at(rest)
    return " ".join([*rest[:at], auxiliary, *negation, *rest[at:]]) if at else None


def _trailing(text: str, answer: str) -> str | None:
    """ "The senator represents which state" with the answer in place of "which state"."""
    match = re.match(r"(.*\s)(?:what|which|who|whom|when|where|how many)((?: [a-z]+){0,3})$", text)
    if not match or text.split()[0].lower() in QUESTION_WORDS | en.AUXILIARIES or len(match[1].split()) < 3:
        return None
    if any(word in en.AUXILIARIES or en.is_past(word) for word in match[2].split()):
        return None
    if re.search(r"\b(?:what|which|who|when|where|how)\b", match[1], re.IGNORECASE):
        return None
    last = match[1].split()[-1].lower()
    return match[1] + without_double(inner(answer), [last])


def _sentence(text: str) -> str:
    text = re.sub(r"\s+([,.;:])", r"\1", " ".join(text.split()))
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!")) else text + "."


def render(question: str, answer: str, rng: Random) -> str:
    """A claim of question and answer: mostly a statement, at times the two side by side or in an assistant's words."""
    question, answer = " ".join(question.split()), clean_answer(answer)
    draw = rng.random()
    statement = declare(question, answer)
    if statement and draw < 0.68:
        return statement
    if statement and draw < 0.76:
        return attributed(statement)
    if draw < 0.94:
        return beside(question, answer)
    return f"{question} The answer is {inner(answer)}."


def beside(question: str, answer: str) -> str:
    """How the grader words a claim that is hardly more than a word."""
    return f"{question} {answer}"


def attributed(statement: str) -> str:
    first, _, others = statement.partition(" ")
    plain = first.lower() in en.DETERMINERS | en.PRONOUNS | en.PREPOSITIONS and first != "I"
    return f"According to the document, {first.lower() if plain else first} {others}"
