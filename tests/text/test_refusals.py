"""Refusal detection: what declines, what declines in part, and what only sounds like it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.refusals import ANSWERED, Refusal, detect, exact

REFUSED = [
    # The token and its wrappings
    "not in context",
    "Not in context",
    "NOT IN CONTEXT",
    "not in context.",
    "  not in context\n",
    '"not in context"',
    "“Not in context.”",
    "'not in context'",
    "‘not in context’",
    "- not in context",
    "* not in context",
    "• not in context",
    "**not in context**",
    "_not in context_",
    "`not in context`",
    "> not in context",
    "# Not in context",
    "not\u00a0in\u00a0context",
    "not  in\tcontext",
    "not in context\ncitations: []",
    "- not in context\n- citations: []",
    "not in context - citations: []",
    "not in context\nCitations: none",
    "- not in context - Citations: None",
    "not in context []",
    "[not in context]",
    '{"claim": "not in context", "citations": []}',
    "{'answer': 'not in context', 'citations': []}",
    '[{"claim": "Not in context.", "citations": []}]',
    "Answer: not in context",
    "claim: not in context\ncitations: []",
    # Other bare tokens
    "N/A",
    "n/a.",
    "Unanswerable",
    "unanswerable.",
    "No answer",
    "No answer.",
    "Insufficient information",
    "Insufficient information.",
    "Not found.",
    "Unknown",
    "No relevant information.",
    "Out of scope.",
    # Not knowing
    "I don't know.",
    "I don’t know.",
    "I do not know",
    "I dont know",
    "**I don't know.**",
    '"I don\'t know."',
    '{"answer": "I don\'t know.", "citations": []}',
    "I do\u00a0not\u00a0know.",
    "I do not\nknow.",
    "I DON'T KNOW.",
    "Sorry, I do not know how many invoices were paid.",
    "I honestly don't know.",
    "I have no idea.",
    "I have no information about the merger.",
    "I'm not sure which annex you mean.",
    "I am not aware of any side letter on this point.",
    "I do not have those figures.",
    "I don't have enough context to say.",
    "I don't have access to the signed copy.",
    "I'm sorry, but I don't have details about the pension plan.",
    # Not being able to
    "I cannot answer this question.",
    "I can't answer that from the excerpts.",
    "I **cannot** answer that.",
    "I’m unable to determine the renewal fee.",
    "I am not able to provide the bank details.",
    "I was unable to find a renewal clause.",
    "I could not find any mention of a bonus.",
    "We could not find any information on the vendor.",
    "I found no information on overtime.",
    "I found nothing about parking.",
    "I can't help with that.",
    "I can’t help with that request.",
    "Sorry, I can't assist with that.",
    "I must respectfully decline.",
    "I won't help you do that.",
    "That is not something I can help with.",
    "This is beyond my capabilities.",
    "As an AI language model, I can't browse the internet.",
    "As an AI, I do not have opinions on politics.",
    "I'm just an AI and cannot sign documents.",
    "I can't help with picking locks. Breaking into a house is a crime and puts people in danger.",
    "It is not appropriate to ask for instructions on hurting people.",
    "I'm afraid I can't say.",
    "I'm afraid that isn't covered in the files.",
    "I’m afraid there is nothing on this in the archive.",
    "I'm afraid not.",
    # Absent from the documents
    "The documents do not mention a termination fee.",
    "The provided context does not contain the delivery date.",
    "The passages don't say who signed.",
    "The given text does not provide information about the warranty.",
    "None of the documents mention the subsidiary.",
    "The contract does not state the fee.",
    "The agreement does not specify a governing law.",
    "The lease doesn't say when the rent is due.",
    "The handbook contains no information on sabbaticals.",
    "The fee is not mentioned in the documents.",
    "The start date isn't specified in the contract.",
    "That is not in the documents.",
    "This is not in the provided context.",
    "The answer cannot be found in the provided passages.",
    "There is no information about dividends.",
    "There is no mention of a deposit in the lease.",
    "No relevant documents were found.",
    "No evidence was found for this claim.",
    "No information on severance is available.",
    "This cannot be determined from the context.",
    "The question is outside the scope of the documents.",
    "It is not clear from the passages who owns the trademark.",
    "It is unclear whether the option was exercised.",
    "The closing date is not specified.",
    "There is not enough information to answer.",
    "Based on the provided excerpts, it is not possible to determine the price.",
    "Unfortunately, the sources are silent on this.",
    "Nothing in the documents addresses data retention.",
    # With explanation, nearest evidence and next steps
    "The documents do not mention an exit fee. You might check the contracts archive.",
    "I could not find an exit fee. The closest passages are Renewal [msa#4] and Notice [msa#9], which deal "
    "with ending the term.",
    "I'm sorry, but I don't have that information. Please contact the legal team.",
    "The context does not mention parking. It only discusses public transport.",
    "I apologize, but the documents do not say. If you share the annex, I can check it.",
    "While the documents mention invoices, they do not say when they are due.",
    # Asking for what is missing
    "Could you clarify which contract you mean?",
    "Which agreement are you referring to?",
    "Please provide more context.",
    "I need more information to answer that.",
    "Can you share the document you are asking about?",
    # Other languages
    "Ich weiß es nicht.",
    "Das steht nicht in den Dokumenten.",
    "Ich kann diese Frage nicht beantworten.",
    "Die Dokumente enthalten dazu keine Angaben.",
    "Je ne sais pas.",
    "Les documents ne mentionnent pas ce point.",
    "Ce n'est pas dans le contexte.",
    "No lo sé.",
    "No puedo responder a esa pregunta.",
    "Los documentos no mencionan la tarifa.",
    "No se menciona en los documentos.",
]

PARTIAL = [
    "The contract does not state the fee, but the term is 24 months [a#1].",
    "The contract does not state the fee. The term is 24 months [a#1].",
    "The term is 24 months [a#1], but the contract does not state the fee.",
    "The term is 24 months [a#1], and the documents do not mention a fee.",
    "The term is 24 months [a#1]. The documents do not mention a fee.",
    "While the contract sets the term at 24 months, it does not state the fee.",
    "Although the lease does not specify the deposit, rent is due on the first of each month [l#2].",
    "I don't know the exact amount; the cap is set by Schedule B [s#3].",
    "I could not find the start date. However, the end date is 31 March 2025 [x#7].",
    "The plan covers dental care [p#1]. There is no information about eye care in the documents.",
    "The buyer pays freight [c#2]. I cannot determine who insures the goods.",
    "No evidence was found for the first claim. The second one holds: revenue grew by 8% [r#4].",
    "I can't give legal advice. However, Section 9 sets a notice period of 60 days [m#9].",
    "I'm not sure about the fee, but the contract runs until May [k#1].",
    "The passages do not mention the auditor. The auditors' fee was 1.2 million [f#6].",
]

PLAIN_ANSWERS = [
    "",
    "   ",
    "...",
    "[]",
    "—",
    "?!",
    "Yes.",
    "No.",
    "None",
    "Zero.",
    "24 months",
    "The term is 24 months [a#1].",
    "The vendor cannot terminate without notice.",
    "Access is not permitted under Section 4.",
    "The agreement does not provide for a penalty.",
    "The policy does not allow remote work abroad.",
    "There is no cap on liability.",
    "There is no evidence that the drug lowers mortality.",
    "Employees may not disclose confidential information.",
    "The letter says 'we cannot answer'.",
    'The letter says "we cannot answer your question".',
    "The letter says “I don’t know”.",
    "The witness said that I do not know the area.",
    '"We cannot answer your question," the ministry replied in May.',
    "I cannot recommend it highly enough.",
    "I can't help but notice that sales doubled.",
    "Not in contexts where the licence has lapsed.",
    "Not in the context of a merger.",
    "No, the supplier must deliver within ten days [d#1].",
    "No party shall be liable for indirect loss.",
    "The contract does not include a non-compete clause.",
    "The contract does not contain a penalty clause [a#3].",
    "Confidential Information does not include information that is publicly known.",
    "The Licensed Materials do not include source code.",
    "If the order does not specify a date, delivery is due within 30 days.",
    "If you do not know the code, call the help desk.",
    "Where the contract does not state a price, the market price applies.",
    "The clause applies unless the documents do not mention an exception.",
    "The buyer is unable to assign the contract.",
    "The tenant was unable to pay the rent in March.",
    "Breakfast is not included.",
    "Flood damage is not covered.",
    "Refunds are not available after 30 days.",
    "The product is not available in Canada.",
    "The device cannot be used outdoors.",
    "Unknown persons entered the building at night.",
    "The insufficient funds fee is 35 dollars.",
    "The supplier shall not be responsible for delays outside its control.",
    "The clause is outside the scope of this Agreement.",
    "Only staff with a need to know the information may see it.",
    "Nothing in this Agreement shall create a partnership.",
    "We cannot assure you that the market will recover.",
    "To apply, please provide the documents listed in Annex A.",
    "Yes, you can share the file with your lawyer [p#2].",
    "The song I Can't Tell You Why was released in 1980.",
    "The notice period is 30 days and notice must be in writing.",
    "You should not sign before the board approves.",
    "The warranty does not cover wear and tear.",
    "He refused to sign the annex.",
    "The seller declined the offer in June.",
    "It is not appropriate to discuss pay with suppliers [policy#3].",
    "The term is 24 months [a#1]. Could you clarify whether you also need the renewal terms?",
    "Der Vertrag läuft nicht vor Mai aus.",
    "Le locataire ne doit pas sous-louer.",
    "El contrato no permite la cesión.",
    "Note that another notice cannot shorten the term.",
]


@pytest.mark.parametrize("answer", REFUSED)
def test_refused(answer: str) -> None:
    assert detect(answer).value == "refused"


@pytest.mark.parametrize("answer", PARTIAL)
def test_partial(answer: str) -> None:
    assert detect(answer).value == "partial"


@pytest.mark.parametrize("answer", PLAIN_ANSWERS)
def test_answered(answer: str) -> None:
    assert detect(answer) == ANSWERED


@pytest.mark.parametrize(
    ("answer", "telling"),
    [
        ("- Not in context.\n- citations: []", "Not in context"),
        ('{"claim": "not in context", "citations": []}', "not in context"),
        ("Sorry, I don’t know.", "I don’t know"),
        ("İ I don't know.", "I don't know"),
        ("The DOCUMENTS do not mention it.", "DOCUMENTS do not mention"),
        ("The term is 24 months [a#1]. There is no information on fees.", "There is no information"),
        ("The fee is not stated in the lease.", "not stated in the lease"),
        ("  I cannot help with that.", "I cannot help"),
    ],
)
def test_span_is_the_telling_phrase(answer: str, telling: str) -> None:
    found = detect(answer)
    assert answer[found.start : found.end] == telling


def test_span_at_the_end_of_a_long_answer() -> None:
    answer = "The term is 24 months and renews. " * 500 + "I could not find the fee in the documents."
    found = detect(answer)
    assert found.value == "partial"
    assert answer[found.start : found.end].startswith("I could not find")


def test_the_middle_of_a_long_answer_is_not_read() -> None:
    filler = "The term is 24 months and renews. " * 200
    assert detect(filler + "I do not know the fee. " + filler) == ANSWERED


@pytest.mark.parametrize("answer", ["not in context", " Not In Context\n", "NOT IN CONTEXT"])
def test_exact_takes_the_bare_token(answer: str) -> None:
    found = exact(answer)
    assert found.value == "refused"
    assert answer[found.start : found.end].lower() == "not in context"


@pytest.mark.parametrize("answer", ["", "not in context.", "- not in context", "I don't know", "not  in context"])
def test_exact_takes_nothing_else(answer: str) -> None:
    assert exact(answer) == Refusal("answered", 0, 0)


UNITS = [
    "not ",
    "I can't ",
    " ",
    "(",
    "'",
    "’",
    '"',
    "[",
    "*_",
    ". ",
    "if i do not ",
    "no information ",
    "\n",
    "but ",
    "a",
]


def seconds(answer: str) -> float:
    best = 1.0
    for _ in range(3):
        start = time.perf_counter()
        detect(answer)
        best = min(best, time.perf_counter() - start)
    return max(best, 0.005)  # below this the clock, not the text, decides


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(unit: str) -> None:
    size = 1_000_000 // len(unit)
    once, twice = "x" + unit * size + "x", "x" + unit * (2 * size) + "x"
    assert seconds(twice) / seconds(once) < 4


def test_ten_megabytes_in_two_seconds() -> None:
    answer = "The vendor cannot terminate without notice. " * 230_000
    assert seconds(answer) < 2


WORDS = [
    "I",
    "don't",
    "know",
    "not",
    "in",
    "context",
    "the documents",
    "do not mention",
    "İ",
    "ß",
    "’",
    '"',
    ".",
    ",",
    "but",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)))
def test_never_raises_and_spans_lie_inside(answer: str) -> None:
    for found in (detect(answer), exact(answer)):
        assert 0 <= found.start <= found.end <= len(answer)
        assert (found.start == found.end == 0) == (found.value == "answered")
