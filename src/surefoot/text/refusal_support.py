"""What stands beside a decline without answering: apologies, next steps, what the sources do cover.

Also the tokens that machines write for "no answer". All patterns meet folded text: lower case, plain quotes.
"""

import re

# An opening in another language that only supports a refusal
OPENING = re.compile(
    r"(?:\W|_)*(?:sorry|unfortunately|es tut|tut mir|bitte|leider|lo siento|lamento|por favor|je suis désol|désolé|"
    r"veuillez|merci|gracias)\b"
)
# What is looked for and not found: what follows is no reason for declining, unlike behind "I can't help with that".
SOUGHT = re.compile(
    r"\b(?:find|see|locate|confirm|determine|verify|establish|spot|identify|quote|work out|make out|pin|trace|point|"
    r"tell (?:for|from))\b"
)
# Marks of an answer among reasons: a turn, a figure, a citation.
PIVOT = re.compile(
    r"(?:\W|_)*(?:but(?! (?:also|it'?s? ?(?:is )?also|not)\b)|however|that said|in general|generally|here)\b|.*[\d\[]"
)
# A plan or policy that "covers" something answers; a passage that does only stands near.
FIGURE = re.compile(r"\d|\[")
VALUE = re.compile(r"\d(?![.)]?\s*$)|\d\S")
MARK = re.compile(r"\[[^\[\]\n]{0,80}\]")
WORD = re.compile(r"[^\W_]+")
LONG_WORD = re.compile(r"[^\W\d_]{4,}")
REASONS = frozenset(("so", "because", "since", "as", "hence", "thus", "therefore", "which", "for", "given", "and"))

# Answers that are nothing but a token, by their words; a key before and citations behind are let go.
_WHOLE = """
not in context.not in the context.n a.na.not applicable.unanswerable.not answerable.no answer.no answer found.unanswered
insufficient information.insufficient context.insufficient evidence.not enough information.not enough context
unknown.idk.dunno.i dont know.not found.not mentioned.not stated.not specified.not provided.not available.no comment
not in the documents.not in document.no information.no information found.no evidence.no evidence found.no data
no relevant information.no relevant passages.no results.none found.information not available.answer not found
cannot answer.can t answer.cannot say.out of scope.out of context.no info.no context.not given.not known.no match
no matches.insufficient data.data not available.unavailable.not disclosed.not reported.refused.abstain.declined.tbd
no result.no results found.answer unavailable.not covered.no hit.no hits.unsupported.missing.absent
"""
WHOLE = frozenset(words for line in _WHOLE.split("\n") for words in line.split(".") if words)
KEYS = frozenset(
    {"claim", "claims", "answer", "response", "text", "output", "final", "verdict", "result", "status", "error", "code"}
)
EMPTY = frozenset({"citations", "citation", "sources", "source", "none", "null", "nil", "unanswerable"})
# A field of a machine-written answer that says there is none
_KEY = r"(?:found|answer|answerable|result|results|status|response|output|value|verdict|has_answer|in_context)"
FIELD = re.compile(
    r"[\W_]{0,12}(?:json|yaml|xml)?[\W_]{0,6}(?:response[\W_]{1,6})?"
    + _KEY
    + r"[\"']?\s{0,2}[=:>]\s{0,2}[\"']?(?:none|null|false|no|nil|unanswered|unanswerable|not[_ ]found|no[_ ]answer|n/a|"
    r"unknown|insufficient\w*|not[_ ]available|not[_ ]in[_ ]context|abstain\w*|refus\w+|empty|missing|0)\b(?! ?\w)"
)
PLAIN = (("’", "'"), ("‘", "'"), ("ʼ", "'"), ("“", '"'), ("”", '"'), ("«", '"'), ("»", '"'), ("\u200b", " "))
# A full stop that ends no sentence: "Alder Ltd. does", "No. 7", "Mr. Alder", "8 p.m. on", "non-U.S. sales"
ABBREVIATED = re.compile(
    r"\.(?:(?:(?<=\b(?:Ltd|Inc)\.)|(?<=\bCorp\.)|(?<=\bCo\.))(?= (?:\[[^\[\]\n]{0,80}\] )?[a-z(])|"
    r"(?<=\b[A-Za-z]\.[A-Za-z]\.)(?= [a-z\d(])|(?<=\w [Nn]o\.)(?= \d)|(?:(?<=\b(?:Mr|Ms|Dr)\.)|(?<=\bMrs\.))(?= [A-Z]))"
)
# The opening of a quoted or JSON-like answer, let go so that its refusal does not read as a quotation.
WRAPPER = re.compile(
    r"[{\[\s`]{0,9}(?:json)?[{\[\s]{0,9}[\"']?(?:claim|answer|response|text|output)s?[\"']?\s?:[{\[\s]{0,9}[\"']?"
)
CONCEDE = ("while ", "although ", "though ", "even though ", "whereas ")

# Not about the thing asked, where it stands in the sentence that declines
_ASIDE = re.compile(
    r"\W*(?:and |but |so |yet |while |though |although )*(?:(?:that|this|those|these)(?='| (?:is|are|was|were|would|"
    r"does|do|did|has|have|covers?|leaves?|settles?|means?|goes)\b)|i|we|my|nothing|none|neither|it's (?:a|not)|"
    r"it is (?:a|not)|there|here|what|which|whatever|without|to)\b"
)
BESIDE = re.compile(
    r"\b(?:is|are|was|were) (?:for|about|on) |\b(?:concern|relat|pertain|belong|appl)\w* to\b|\bonly\b|\bneither\b"
)
_TURN = re.compile(r"(?:\W|_)*(?:but|however|though|that said|in general|generally|nevertheless|nonetheless|still)\b")


def answers(clause: str, before_decline: bool) -> bool:
    """Whether a clause beside a decline, in its sentence, says something substantive about the thing asked."""
    told = _TURN.sub("", clause, count=1)
    if _ASIDE.match(told):
        return False
    if before_decline:
        return WORD.search(told) is not None
    return bool(_TURN.match(clause) or FIGURE.search(told)) and not BESIDE.search(told)


NO_VALUE = frozenset({"none", "nothing", "n/a", "unknown", "not found"})
