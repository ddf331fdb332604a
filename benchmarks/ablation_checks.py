"""The checks that can be switched off one by one: where each stands, and what it is without them."""

# ruff: noqa: ARG001, ARG005 - what stands in for a check takes what the check takes

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefoot.graders.judges import best

Off = Callable[..., Any]


def always(value: Any) -> Off:  # noqa: ANN401
    return lambda before, *given, **named: value


def first(before: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401
    """The text or judgement as it came."""
    return given[0]


def second(before: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401
    return given[1]


G = "graders."
CHECKS: dict[str, list[tuple[str, Off]]] = {
    "cells": [(G + "cells:cell_check", always("silent"))],
    "cells: signs": [(G + "cells:signed", first)],
    "cells: quoted": [(G + "cells:_is_quoted", always(False))],
    "sums": [(G + "figures:worked_out", always(None))],
    "sums: inputs": [(G + "figures:sums_of", always(()))],
    "changes": [(G + "figures:shown_changes", always(()))],
    "ends of ranges": [(G + "figures:_ends", lambda before, one, other, text: (one, other))],
    "rewording": [(G + "figures:worded_as", first)],
    "rounds": [("text.numbers:Amount.rounds", always(False))],
    "sign of temperatures": [("text.numbers:same_sign", always(True))],
    "verbatim": [(G + "local:_verbatim", always(None))],
    "misnumbered": [(G + "rules:_misnumbered", always(False))],
    "parts of year": [("text.numbers:parts_of_year", always([]))],
    "turned round": [(G + "rules:turned_round", always(False))],
    "turned round: opposites": [(G + "rules:_opposite", always(False))],
    "turned round: negation": [(G + "rules:_negated_otherwise", always(False))],
    "gold: one of several": [(G + "gold:_Comparison._is_one_of_several", always(False))],
    "gold: bare": [(G + "gold:_is_bare", always(False))],
    "gold: yes or no": [(G + "gold:_yes_or_no", always(""))],
    "gold: known": [(G + "gold:_is_known", always(False))],
    "gold: differs": [(G + "gold:_differs", always(False))],
    "gold: holding": [(G + "gold:_holding", always([]))],
    "gold: echo": [(G + "gold:_is_echo", always(False))],
    "gold: off target": [(G + "gold:_answers", always(True))],
    "gold: signs": [(G + "gold:_sign", always(0))],
    "gold: scale asked": [(G + "gold:_readings", lambda before, amount, scale: [amount])],
    "context": [(G + "findings:AnswerParts._context", always(""))],
    "joined": [(G + "findings:AnswerParts._together", always([]))],
    "contradiction": [
        (G + "findings:AnswerParts._contradiction", lambda before, self, claim, judged: best(judged, "contradicted"))
    ],
    "reconciled": [(G + "findings:_reconciled", second)],
    "cites gold": [(G + "findings:AnswerParts._cites_gold", always(True))],
    "about another": [(G + "findings:_is_about_another", always(False))],
    "misattributed": [(G + "findings:AnswerParts._is_misattributed", always(False))],
    "own subject": [(G + "findings:AnswerParts._has_own_subject", always(False))],
    "misquoted": [(G + "findings:AnswerParts._is_misquoted", always(False))],
    "answers first": [(G + "findings:AnswerParts._answers_first", always(False))],
    "without source": [(G + "findings:_without_source", first)],
    "yes and no": [("text.normal:spelled_out", always(""))],
    "objection": [(G + "quotes:objection", always(""))],
    "objection: name": [(G + "quotes:name_lacking", always(""))],
    "objection: opposite": [(G + "quotes:opposes", always(False))],
    "refusal: hint": [(G + "refusals:Declining.is_hint", always(False))],
}
