"""Which layer an answer points to."""

from __future__ import annotations

import pytest

from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.gate.sides import Said, cited_in
from surefoot.jobs.overview import cause_of, faults

ASKED = Question("q", "What is the fee?", "answer", gold_ids=("lease#1",))
NAMELESS = Question("q", "What is the fee?", "answer", gold_claims=("EUR 5.",))
SILENT = Question("q", "Who owns it?", "refusal")


def said(
    bucket: str | None, reason: str = "", found: tuple[str, ...] = ("lease#1",), *, label: str = "",
    answer: str = "So [lease#1].", **axes: str,
) -> Said:  # fmt: skip
    """An answer with its verdicts; a label stands in for the bucket where there is one."""
    verdicts = {axis: Verdict("q", axis, value, "g") for axis, value in axes.items()}
    graded = {"factuality": Verdict("q", "factuality", bucket, "g", reason=reason), **verdicts}
    labels = {"factuality": Verdict("q", "factuality", label, "human/a")} if label else {}
    trace = Trace("q", answer=answer, retrieved=Retrieved([Passage(id, "text") for id in found]))
    return Said("q", 1, "run", graded | labels, graded, trace)


@pytest.mark.parametrize(
    ("answer", "question", "layer"),
    [
        (said("unsupported", "unknown_source", citation_exists="no"), ASKED, "prompt"),
        (said("unsupported", "miscited", citation_exists="yes", citation_supports="no"), ASKED, "generation"),
        (said("unsupported", "no_evidence", citation_supports="partly"), ASKED, "generation"),
        (said("wrong", "contradicted", ("lease#7",), citation_supports="no"), ASKED, "retrieval"),
        (said("wrong", "contradicted", citation_supports="no"), ASKED, "generation"),
        (said("wrong", "contradicted, partial refusal"), ASKED, "generation"),
        (said("wrong", "conflicts_gold", citation_supports="yes"), ASKED, "generation"),
        (said("wrong", "conflicts_gold", citation_supports="yes"), NAMELESS, "question set"),
        (said("wrong", "conflicts_gold", citation_supports="no"), ASKED, "generation"),
        (said("unsupported", "uncited"), ASKED, "prompt"),
        (said("unsupported", "off_target", citation_supports="yes"), SILENT, "prompt"),
        (said("wrong", "misattributed", citation_supports="yes"), SILENT, "prompt"),
        (said("refused", "refused"), ASKED, "prompt"),
        (said("refused", "refused", ("lease#7",)), ASKED, "retrieval"),
        (said("unsupported", "off_target", citation_supports="yes"), ASKED, "generation"),
        (said("correct", "correct", label="wrong", citation_supports="yes"), ASKED, "generation"),
        (said("wrong", "conflicts_gold", label="unsupported", citation_supports="no"), ASKED, "generation"),
        (said("wrong", "contradicted"), None, "generation"),
    ],
)
def test_the_layer_that_an_answer_points_to(answer: Said, question: Question | None, layer: str) -> None:
    cause = cause_of(answer, question)
    assert cause is not None and cause.layer == layer


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        (said("correct", "correct"), ASKED),
        (said("refused", "refused"), SILENT),
        (said("refused", "refused"), None),
        (said(None, "empty"), ASKED),
        (said("wrong", "contradicted", label="correct"), ASKED),
    ],
)
def test_an_answer_as_it_should_be_points_nowhere(answer: Said, question: Question | None) -> None:
    assert cause_of(answer, question) is None


def test_what_was_retrieved_is_blamed_only_where_it_is_known() -> None:
    unknown = Said("q", 1, "", said("wrong", "contradicted").verdicts, trace=Trace("q", answer="So."))
    cause = cause_of(unknown, ASKED)
    assert cause is not None and cause.layer == "generation"


def test_the_most_frequent_cause_comes_first_and_names_each_question_once() -> None:
    wrong, uncited = said("wrong", "contradicted"), said("unsupported", "uncited")
    found = faults([(uncited, ASKED), (wrong, ASKED), (wrong, ASKED)])
    told = [(one.layer, one.answers, one.questions) for one in found]
    assert told == [("generation", 2, ("q",)), ("prompt", 1, ("q",))]


@pytest.mark.parametrize("reason", ["conflicts_gold", "contradicted", "miscited", "off_target"])
def test_the_layer_is_told_by_where_the_gold_passage_is(reason: str) -> None:
    found = ("lease#1", "old-lease#1")
    for answer, retrieved, layer in (
        ("So [lease#1].", found, "generation"), ("So [old-lease#1].", found, "reranking"),
        ("So [old-lease#1].", found[1:], "retrieval"),
    ):  # fmt: skip
        cause = cause_of(said("wrong", reason, retrieved, answer=answer, citation_supports="yes"), ASKED)
        assert cause is not None and cause.layer == layer


def test_citations_are_read_in_their_field_and_in_the_text() -> None:
    found = Retrieved([Passage("a#1", "x"), Passage("a#2", "y"), Passage("a#3", "z")])
    assert cited_in(Trace("q", answer="So [a#3].", retrieved=found, citations=("2",)), None) == ("a#2", "a#3")
