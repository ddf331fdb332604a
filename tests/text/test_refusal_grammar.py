"""What a sentence states behind talk, and what is nothing but talk."""

from __future__ import annotations

import pytest

from surefoot.text.claims import claims_of
from surefoot.text.refusals import is_absence, leads_on, stated
from tests.growth import grows_evenly

CITED = "Rent is due on the third of each month [a#1]."
WRAPPED = [
    "Please note that tenants forfeit their deposit.",
    "Did you know that early leavers pay nine months' rent?",
    "Did you know early leavers lose the deposit?",
    "Hope this helps: the exit fee is two rents.",
    "I hope this helps, and remember that leaving early costs nine months' rent.",
    "**Exit fee: EUR 500**",
    "## Notice: nine months",
    "Notice: nine months",
    "For more details, see [the exit fee is EUR 500](https://x.example).",
    "See also: https://x.example/help/leaving-early-costs-500-euros",
    "![The exit fee is EUR 500](https://x.example/fee.png)",
    "<details><summary>More</summary>The exit fee is EUR 500.</details>",
    '```json\n{"exit_fee": "500 EUR"}\n```',
    "| Item | Value |\n|---|---|\n| Exit fee | 500 EUR |",
    "If you want to leave earlier, you have to pay EUR 500.",
    "If you need to leave earlier the landlord charges a fee.",
    "Feel free to leave early, but the deposit is lost.",
    "You may want to know that subletting is forbidden.",
    "I can confirm that the landlord pays for repairs.",
    "I can also tell you the landlord pays for repairs.",
    "Let me know if you need help with the exit fee of EUR 500.",
    "Would you like to hear about the EUR 500 bonus?",
    "Isn't it great that parking is free?",
    "Parking is free, isn't it?",
    "Related question: who pays for water? The tenant does.",
    "Of course, pets double the deposit.",
    "Contact the landlord, who must answer within two days.",
    "Ask the caretaker, since the office is closed in August.",
    "Check the notice board (quiet hours start at 9 p.m.).",
    "Please return the keys by 10 a.m.",
    "The document also provides that rent rises every year.",
    "The passages mention a deposit of three rents.",
    "The closest rule is that tenants pay for paint.",
    "By the way, pets are banned.",
    "It is worth noting that pets are banned.",
    "Note: pets are banned.",
    "> Pets are banned.",
    "P.S. Pets are banned.",
    "Thanks for asking, pets are banned.",
    "Unfortunately pets are banned.",
    "I recommend paying by card, as cash is refused.",
    "Why not use the free sauna that opens at noon?",
    "My understanding is that pets are banned.",
    "As an AI, I know that pets are banned.",
    "May I remind you that pets are banned?",
    "I think pets are banned.",
    "Enjoy the pool, which is heated all year.",
    "Have a nice stay, the pool opens at six!",
]
TALK = [
    "Please note that this is based only on the passages.",
    "I've based this solely on the documents you shared.",
    "Let me know if you'd like the full text of the clause.",
    "Just say the word and I'll dig deeper.",
    "Any questions, just ask.",
    "As requested, I've kept it short.",
    "To answer your question:",
    "Was that what you were looking for?",
    "The above is not legal advice.",
    "You'll find the details in the cited passage.",
    "Details can be found in the passage cited above.",
    "If anything is unclear, I'm happy to explain.",
    "If not, tell me which contract you mean.",
    "Safe travels!",
    "Hope you have a lovely stay.",
    "Would you like a summary of the other clauses?",
    "No other passage touches on this.",
    "The other two passages deal with parking and noise.",
    "This is all the excerpts say about it.",
    "(Quoted directly from the text.)",
    "Please double-check with the landlord before relying on this.",
    "It's always best to check with your doctor.",
    "Let's look at the passages.",
    "Yours sincerely, the support team",
    "That's a great question.",
    "Disclaimer: I am not a lawyer.",
    "PS: happy to help with other questions too.",
    "At least that is my reading.",
    "**Summary**",
    "Class I",
]


@pytest.mark.parametrize("sentence", WRAPPED)
def test_a_wrapping_hides_no_claim(sentence: str) -> None:
    found = claims_of(f"{CITED}\n\n{sentence}", ["a#1"]).claims
    assert [claim.text for claim in found if not claim.citations]


@pytest.mark.parametrize("sentence", TALK)
def test_talk_is_no_claim(sentence: str) -> None:
    found = claims_of(f"{CITED} {sentence}", ["a#1"])
    assert [claim.text for claim in found.claims] == [CITED.replace(" [a#1]", "")]


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("Please note that the fee is 5 euros.", "the fee is 5 euros."),
        ("The fee is 5 euros, and I hope that helps.", "The fee is 5 euros"),
        ("If you leave early, you pay 5 euros.", "If you leave early, you pay 5 euros."),
        ("Units of Class I gained 5 percent.", "Units of Class I gained 5 percent."),
    ],
)
def test_the_statement_is_left_without_the_talk(sentence: str, statement: str) -> None:
    assert stated(sentence) == statement


def test_a_figure_in_talk_counts_only_once_given() -> None:
    assert stated("Shall I explain the 30 day limit?", known={30.0}) == ""
    assert stated("Shall I explain the 30 day limit?", known={60.0})


def test_an_aside_behind_a_citation_is_a_claim_of_its_own() -> None:
    found = claims_of("The fee is 5 euros [a#1] - late fees are doubled.", ["a#1"]).claims
    assert [claim.citations for claim in found] == [("a#1",), ()]
    assert len(claims_of("The fee is 5 euros [a#1] (the lowest in years).", ["a#1"]).claims) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The front desk will know.", True),
        ("A call to the museum might settle it.", True),
        ("That is a different matter.", True),
        ("Overtime is paid double.", False),
        ("The museum opens at 9 a.m., as the desk will tell you.", False),
        ("The spec sheet would be the place to look.", True),
        ("The ranger is the person to ask.", True),
        ("It may be in the by-laws.", True),
        ("The full prospectus would list them.", True),
        ("The meeting takes place in Rome.", False),
        ("The person in charge is Ms Ode.", False),
        ("Keys are kept where the guard sits, information desk 3.", False),
        ("You must contact the registrar first.", False),
        ("Contact the registrar within 10 days.", False),
        ("Check with the police, who keep a register of stolen bicycles.", False),
        ("Written consent is needed.", False),
    ],
)
def test_hints_where_to_look_are_told_from_statements(text: str, expected: bool) -> None:
    assert leads_on(text) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Fees are not touched on at all.", True),
        ("The lease is silent on this.", True),
        ("No conclusion on waiting times can be drawn from the text.", True),
        ("Whether poultry is allowed is not stated.", True),
        ("The lease does not allow dogs.", False),
        ("Off-piste accidents are not covered.", False),
        ("Dogs are banned.", False),
        ("There is no time limit.", False),
    ],
)
def test_what_is_not_told_differs_from_what_is_not_allowed(sentence: str, expected: bool) -> None:
    assert is_absence(sentence) == expected


@pytest.mark.parametrize(
    "unit", ["may ", "covers ", "note that ", "is, ", "I hope which ", "the (", "passages ", "5 days, "]
)
def test_time_is_linear(unit: str) -> None:
    assert grows_evenly(lambda size: (stated(unit * size), leads_on(unit * size)), 2_000)
