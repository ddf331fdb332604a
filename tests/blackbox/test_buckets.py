"""`grade`: which bucket an answer gets and why, what its citations cover, and the other axes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.blackbox.facts import Facts, Project, expect
from tests.blackbox.town import FIRST, PASSAGES, logged

POOL = {
    "pool#1": "The indoor pool opens at 7 a.m. on weekdays. Swimming caps are compulsory in the large basin.",
    "pool#2": "An adult ticket for the pool costs EUR 6. Children under six swim free of charge.",
    "pool#3": "The sauna is closed in July for repairs.",
    "rink#1": "The ice rink is open from October to March. Skates can be hired for EUR 4.",
}
WHEN = "When does the indoor pool open on weekdays?"
PRICE = "How much does an adult ticket for the pool cost?"
CLOSED = "When is the sauna closed?"


class Case(NamedTuple):
    """An answer with what is known about its question, and the facts that follow."""

    id: str
    question: str
    answer: object
    facts: dict[str, Any]
    more: Mapping[str, Any] = MappingProxyType({})  # gold_claims, gold_ids, expects, citations, passages, error
    grader: str = "rules"

    @property
    def row(self) -> dict[str, Any]:
        passages = [{"id": name, "text": text} for name, text in POOL.items()]
        return {"id": self.id, "question": self.question, "answer": self.answer, "passages": passages, **self.more}


def decided(bucket: str | None, reason: str, **more: object) -> dict[str, Any]:
    return {"bucket": bucket, "reason": reason, **more}


AT_SEVEN = {"gold_claims": ["7 a.m."], "gold_ids": ["pool#1"]}
SIX = {"gold_claims": ["EUR 6"], "gold_ids": ["pool#2"]}
REFUSE = {"expects": "refusal"}

TABLE = [
    # Ungraded: there is nothing to read.
    Case("no-answer", WHEN, None, decided(None, "missing", extra=None)),
    Case("failed", WHEN, None, decided(None, "error"), {"error": "timeout"}),
    Case("failed-with-text", WHEN, "It opens at 7 a.m. [pool#1].", decided(None, "error"), {"error": "timeout"}),
    Case("blank", WHEN, "   \n", decided(None, "empty")),
    Case("symbols", WHEN, "- ... -", decided(None, "empty")),
    Case("german", WHEN, "Das Hallenbad öffnet werktags um sieben Uhr morgens für alle Besucher der Stadt [pool#1].",
         decided(None, "language")),
    Case("no-texts", WHEN, "It opens at 7 a.m. [pool#1].", decided(None, "unreadable"),
         {"passages": [{"id": "pool#1"}]}),
    # Refused, whether it should or not.
    Case("refuses", "Is there a diving board?", "The documents do not mention a diving board.",
         decided("refused", "refused", refusal="refused", extra=0), REFUSE),
    Case("refuses-needlessly", WHEN, "I could not find the opening hours.", decided("refused", "refused"), AT_SEVEN),
    Case("german-refusal", "Is there a diving board?", "Dazu steht nichts in den Dokumenten.",
         decided("refused", "refused"), REFUSE),
    Case("asks-back", PRICE, "Which ticket do you mean, the adult ticket or the one for children?",
         decided("refused", "refused", flags=("asks_back",)), SIX),
    # Wrong.
    Case("other-figure", PRICE, "An adult ticket for the pool costs EUR 9 [pool#2].",
         decided("wrong", "contradicted", supports="no", exists="yes")),
    Case("other-figure-uncited", PRICE, "An adult ticket for the pool costs EUR 9.", decided("wrong", "contradicted")),
    Case("negated", "Are swimming caps compulsory?", "Swimming caps are not compulsory in the large basin [pool#1].",
         decided("wrong", "contradicted", supports="no")),
    Case("against-gold", PRICE, "An adult ticket for the pool costs EUR 6 [pool#2].",
         decided("wrong", "conflicts_gold", supports="yes"), {"gold_claims": ["EUR 7"]}),
    Case("of-something-else", "What does it cost to hire a towel?", "It costs EUR 4 [rink#1].",
         decided("wrong", "misattributed"), REFUSE),
    # Unsupported.
    Case("from-nowhere", "Who designed the pool?", "The pool was designed by Marta Lindqvist in 1974 [pool#1].",
         decided("unsupported", "no_evidence", supports="no")),
    Case("half-from-nowhere", CLOSED, "The sauna is closed in July for repairs [pool#3]. Its stove was built by monks "
         "from Bergen [pool#3].", decided("unsupported", "no_evidence", supports="partly")),
    Case("no-retrieval", WHEN, "The pool opens at 7 a.m. on weekdays.", decided("unsupported", "no_evidence"),
         {"passages": []}),
    Case("uncited", WHEN, "The indoor pool opens at 7 a.m. on weekdays.",
         decided("unsupported", "uncited", exists=None, extra=1), AT_SEVEN),
    Case("cites-beside-the-point", PRICE, "The sauna is closed in July for repairs [pool#3].\n\nAn adult ticket for "
         "the pool costs EUR 6.", decided("unsupported", "uncited", extra=1), SIX),
    Case("unknown-source", PRICE, "An adult ticket for the pool costs EUR 6 [pool#2] [pool#9].",
         decided("unsupported", "unknown_source", exists="no"), SIX),
    Case("misquoted", PRICE, 'The rules say "an adult ticket for the pool costs only EUR 6 today" [pool#2].',
         decided("unsupported", "misquoted"), SIX),
    Case("miscited", PRICE, "An adult ticket for the pool costs EUR 6 [pool#3].",
         decided("unsupported", "miscited", supports="no", exists="yes"), SIX),
    Case("true-but-unasked", PRICE, "The sauna is closed in July for repairs [pool#3].",
         decided("unsupported", "off_target", supports="yes"), SIX),
    Case("of-another-place", PRICE, "An adult ticket costs EUR 6 [rink#2].",
         decided("unsupported", "off_target", exists="yes"),
         {**SIX, "passages": [{"id": "pool#2", "text": POOL["pool#2"]},
                              {"id": "rink#2", "text": "An adult ticket for the ice rink costs EUR 6."}]}),
    Case("true-where-silent", "Is there a diving board?", "The sauna is closed in July for repairs [pool#3].",
         decided("unsupported", "off_target"), REFUSE),
    Case("answers-where-silent", CLOSED, "The sauna is closed in July for repairs [pool#3].",
         decided("unsupported", "off_target", supports="yes"), REFUSE),
    Case("range-around-gold", PRICE, "An adult ticket costs between EUR 4 and EUR 6 [pool#2].",
         decided("wrong", "contradicted"), SIX),
    # Correct.
    Case("right", WHEN, "The indoor pool opens at 7 a.m. on weekdays [pool#1].",
         decided("correct", "correct", exists="yes", supports="yes", extra=0), AT_SEVEN),
    Case("right-without-gold", WHEN, "The indoor pool opens at 7 a.m. on weekdays [pool#1].",
         decided("correct", "correct", supports="yes")),
    Case("right-quotation", PRICE, 'The rules say "an adult ticket for the pool costs EUR 6" [pool#2].',
         decided("correct", "correct"), SIX),
    Case("further-claim", PRICE, "An adult ticket for the pool costs EUR 6 [pool#2].\n\nThe sauna is closed in July "
         "for repairs.", decided("correct", "correct", extra=1), SIX),
    Case("one-source-of-two", PRICE, "An adult ticket for the pool costs EUR 6 [pool#2] [pool#3].",
         decided("correct", "correct", supports="partly"), SIX),
    Case("same-text-elsewhere", PRICE, "An adult ticket for the pool costs EUR 6 [copy].",
         decided("correct", "correct"),
         {**SIX, "passages": [{"id": "pool#2", "text": POOL["pool#2"]}, {"id": "copy", "text": POOL["pool#2"]}]}),
    Case("old-version-beside", PRICE, "An adult ticket for the pool costs EUR 6 [new].", decided("correct", "correct"),
         {"gold_claims": ["EUR 6"], "passages": [{"id": "old", "text": "An adult ticket for the pool costs EUR 5."},
                                                 {"id": "new", "text": "An adult ticket for the pool costs EUR 6."}]}),
    Case("both-versions-told", PRICE, "An adult ticket costs EUR 6 by the price list [new], whereas the old poster "
         "says EUR 5 [old].", decided("correct", "correct", flags=("conflicting_sources",)),
         {"gold_claims": ["EUR 6"], "passages": [{"id": "old", "text": "Old poster: an adult ticket costs EUR 5."},
                                                 {"id": "new", "text": "Price list: an adult ticket costs EUR 6."}]}),
    # Partly refused: what it claims decides.
    Case("partly-right", "What do an adult ticket and a locker cost?", "The documents do not say what a locker costs. "
         "An adult ticket for the pool costs EUR 6 [pool#2].",
         decided("correct", "correct", refusal="partial", flags=("partial refusal",)), {"gold_claims": ["EUR 6"]}),
    Case("partly-invented", "Is there a diving board?", "The documents do not mention a diving board. The tower in "
         "Holm is ten metres high.", decided("unsupported", "no_evidence", refusal="partial"), REFUSE),
    # The quality of a refusal.
    Case("flat", "Is there a diving board?", "I don't know.", decided("refused", "refused", quality=0), REFUSE),
    Case("says-what", "Is there a diving board?", "The rules do not say whether there is a diving board.",
         decided("refused", "refused", quality=1), REFUSE),
    Case("says-where", "Is there a diving board?", "The rules do not say whether there is a diving board. Please ask "
         "at the ticket desk.", decided("refused", "refused", quality=2), REFUSE),
    # By the model: words of its own.
    Case("reworded", CLOSED, "You cannot use the sauna in July, as it is being repaired [pool#3].",
         decided("correct", "correct", supports="yes"), {}, "local"),
    Case("reworded-wrongly", "Do children pay?", "Every child has to buy a ticket, whatever its age [pool#2].",
         decided("wrong", "contradicted"), {"gold_claims": ["children under six swim free"]}, "local"),
    Case("invented", "Who designed the pool?", "The pool was designed by Marta Lindqvist in 1974 [pool#1].",
         decided("unsupported", "no_evidence", exists="yes"), {}, "local"),
    Case("cited-elsewhere", CLOSED, "The sauna is closed in July [rink#1].", decided("unsupported", "miscited"),
         {}, "local"),
    Case("read-and-right", PRICE, "An adult ticket for the pool costs EUR 6 [pool#2].", decided("correct", "correct"),
         {}, "local"),
]  # fmt: skip

SAUNA, TICKET, CAPS = "The sauna is closed in July for repairs", "an adult ticket costs EUR 6", "Caps are compulsory"
WAYS = [
    Case("own-sentence", CLOSED, f"{SAUNA} [pool#3]. An {TICKET[3:]} [pool#2].", {"attached": ("pool#3", "pool#2")}),
    Case("sentences-before", CLOSED, f"{SAUNA}. Then, {TICKET} [pool#2].", {"attached": ("pool#2", "pool#2")}),
    Case("not-the-next", CLOSED, f"{SAUNA} [pool#3]. Then, {TICKET}.", {"attached": ("pool#3", ""), "extra": 1}),
    Case("behind-the-stop", CLOSED, f"{SAUNA}. [pool#3] Then, {TICKET}. [pool#2]", {"attached": ("pool#3", "pool#2")}),
    Case("other-paragraph", CLOSED, f"{SAUNA}.\n\nThen, {TICKET} [pool#2].", {"attached": ("", "pool#2"), "extra": 1}),
    Case("leading", CLOSED, f"[pool#3] {SAUNA}. Guests may use the steam bath instead. [pool#2] Then, {TICKET}.",
         {"attached": ("pool#3", "pool#3", "pool#2")}),
    Case("leading-items", CLOSED, f"- [pool#3] {SAUNA}.\n- [pool#2] Then, {TICKET}.",
         {"attached": ("pool#3", "pool#2")}),
    Case("items", CLOSED, f"- {SAUNA} [pool#3].\n- Then, {TICKET} [pool#2].", {"attached": ("pool#3", "pool#2")}),
    Case("named-in-words", CLOSED, f"Passage [pool#3] says that {SAUNA[0].lower()}{SAUNA[1:]}.",
         {"attached": ("pool#3",), "exists": "yes"}),
    Case("list-at-the-end", CLOSED, f"{SAUNA}. Then, {TICKET}.\n\nSources: [pool#3, pool#2]",
         {"attached": ("pool#3,pool#2", "pool#3,pool#2"), "extra": 0}),
    Case("a-field", CLOSED, f"{SAUNA}. Then, {TICKET}.", {"attached": ("pool#3,pool#2",) * 2},
         {"citations": ["pool#3", "pool#2"]}),
    Case("a-field-of-objects", CLOSED, f"{SAUNA}.", {"attached": ("pool#3",)},
         {"citations": [{"document_id": "pool#3", "start": 0, "end": 20}]}),
    Case("an-empty-field", CLOSED, f"{SAUNA}.", {"attached": ("",), "reason": "uncited", "exists": None},
         {"citations": []}),
    Case("two-in-one", CLOSED, f"{SAUNA} [pool#3; pool#1].", {"attached": ("pool#3,pool#1",), "supports": "partly"}),
    Case("by-place", CLOSED, f"{SAUNA} [3].", {"attached": ("pool#3",), "exists": "yes"}),
    Case("a-range", CLOSED, f"{SAUNA} [2-3].", {"attached": ("pool#2,pool#3",)}),
    Case("place-beyond", CLOSED, f"{SAUNA} [7].", {"attached": ("7",), "exists": "no", "reason": "unknown_source"}),
    Case("footnotes", CLOSED, f"{SAUNA}[^1].\n\n[^1]: pool#3", {"attached": ("pool#3",), "exists": "yes"}),
    Case("as-json", CLOSED, json.dumps({"answer": f"{SAUNA}.", "citations": ["pool#3"]}), {"attached": ("pool#3",)}),
    Case("not-a-citation", CLOSED, f"{SAUNA} [sic].", {"attached": ("",), "exists": None, "extra": 1}),
    Case("two-parts", CLOSED, f"{SAUNA} [pool#3], and {TICKET} [pool#2].", {"attached": ("pool#3", "pool#2")}),
    Case("vouched-for", CLOSED, f"{SAUNA}.\n\nThis is stated in [pool#3].", {"attached": ("pool#3",), "extra": 0}),
    Case("only-talk", CLOSED, f"Here is what I found. {SAUNA} [pool#3]. Do you need anything else?",
         {"attached": ("pool#3",), "extra": 0}),
    Case("headings", CLOSED, f"## Sauna\n\n{SAUNA} [pool#3].", {"attached": ("pool#3",), "extra": 0}),
]  # fmt: skip


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Facts]:
    """All cases graded, in one command for each grader."""
    project = Project(tmp_path_factory.mktemp("items"))
    found = {}
    for grader in ("rules", "local"):
        rows = [case.row for case in (*TABLE, *WAYS) if case.grader == grader]
        found[grader] = project.grade_items(project.write(f"{grader}.jsonl", rows), grader)
        assert found[grader]["given"] == len(rows), found[grader].output
    return found


@pytest.mark.parametrize("case", [*TABLE, *WAYS], ids=lambda case: case.id)
def test_the_bucket_its_reason_and_what_citations_cover(case: Case, verdicts: dict[str, Facts]) -> None:
    expect(verdicts[case.grader], **{fact: {case.id: value} for fact, value in case.facts.items()})


def test_exit_codes_tell_whether_all_was_graded(verdicts: dict[str, Facts], project: Project) -> None:
    expect(verdicts["local"], exit=0, graded=verdicts["local"]["given"])
    expect(verdicts["rules"], exit=4, buckets={"ungraded": 7})
    right = next(case for case in TABLE if case.id == "right")
    expect(project.grade_items("-", stdin=json.dumps(right.row).encode()), exit=0, bucket={"right": "correct"}, given=1)


def test_answers_that_need_not_cite(project: Project) -> None:
    wanted = ("uncited", "right", "from-nowhere", "other-figure", "unknown-source")
    rows = [case.row for case in TABLE if case.id in wanted]
    facts = project.grade_items(project.write("free.jsonl", rows), citations="optional")
    expect(facts, bucket={"uncited": "correct", "right": "correct", "from-nowhere": "unsupported",
                          "other-figure": "wrong", "unknown-source": "correct"}, exit=0)  # fmt: skip


BAD_ITEMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "no id of its own": ({"question": WHEN, "answer": "No.", "passages": []}, {"exit": 0, "given": 1}),
    "no question": ({"id": "x", "answer": "No.", "passages": []}, {"exit": 4, "graded": 0}),
    "answer is a number": ({"id": "x", "question": WHEN, "answer": 7, "passages": []}, {"exit": 4, "graded": 0}),
    "passages are no list": ({"id": "x", "question": WHEN, "answer": "No.", "passages": "none"}, {"exit": 4}),
    "citation is a list": ({"id": "x", "question": WHEN, "answer": "No.", "passages": [], "citations": [[1]]},
                           {"exit": 4}),
    "expects something else": ({"id": "x", "question": WHEN, "answer": "No.", "passages": [], "expects": "luck"},
                               {"exit": 4, "graded": 0}),
    "broken": ('{"id": "x", ', {"exit": 4, "graded": 0, "given": 1}),
    "empty": ("", {"exit": 4, "message": "other", "hint": True}),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_ITEMS)
def test_an_item_that_cannot_be_read_is_not_graded(name: str, shared: Project) -> None:
    row, facts = BAD_ITEMS[name]
    file = shared.write(f"items/{name}.jsonl", row if isinstance(row, str) else [row])
    expect(shared.grade_items(file), **{"message": None, **facts})


def test_logs_of_other_shapes_are_graded(shared: Project) -> None:
    ragas = [{"user_input": WHEN, "response": "The indoor pool opens at 7 a.m. on weekdays [1].",
              "retrieved_contexts": [POOL["pool#1"]], "reference": "At 7 a.m."}]  # fmt: skip
    expect(shared.grade_items(shared.write("ragas-items.jsonl", ragas)), exit=0, bucket={"1": "correct"}, given=1)
    own = [{"ask": CLOSED, "said": f"{SAUNA} [1].", "hits": [{"body": POOL["pool#3"]}]}]
    mapping = {"question": "ask", "answer": "said", "contexts": "hits"}
    facts = shared.grade_items(shared.write("own-items.jsonl", own), mapping=mapping)
    expect(facts, exit=0, reason={"1": "correct"}, attached={"1": ("1",)})


def test_a_log_becomes_a_run_and_ids_alone_need_a_corpus(project: Project) -> None:
    rows = [{**logged(one), "question": one.question} for one in FIRST]
    log = project.write("log.jsonl", rows)
    expect(project.grade_log(log, "bare"), exit=4, buckets={"ungraded": 4, "refused": 2})
    facts = project.grade_log(log, "full", corpus="passages.jsonl")
    expect(facts, exit=0, graded=6, bucket={"ferry": "correct", "ticket": "wrong", "books": "unsupported"})
    again = project.grade_log(log, "full", corpus="passages.jsonl")
    expect(again, exit=0, given=6, buckets=facts["buckets"])


def test_pairs_refusals_and_questions_are_read_by_themselves(project: Project) -> None:
    passage = PASSAGES["garden#1"]
    pairs = [{"id": "yes", "context": passage, "claim": "A garden costs EUR 95 a year."},
             {"id": "no", "context": passage, "claim": "A garden costs EUR 80 a year."},
             {"id": "open", "context": passage, "claim": "The mayor plays the cello."}]  # fmt: skip
    expect(project.grade_texts("pairs", project.write("pairs.jsonl", pairs)), exit=0, says={
        "yes": "supported", "no": "contradicted", "open": "not_enough"})  # fmt: skip
    texts = [{"id": "1", "text": "I cannot tell."}, {"id": "2", "text": "Dogs may not board the ferry."}, {"id": "3"}]
    expect(project.grade_texts("refusals", project.write("texts.jsonl", texts)), exit=4, says={
        "1": "refused", "2": "answered", "3": None})  # fmt: skip
