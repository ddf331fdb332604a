"""What stands beside a decline without answering: apologies, next steps, what the sources do cover.

Also the tokens that machines write for "no answer". All patterns meet folded text: lower case, plain quotes.
"""

import re

_PARTS = {
    "SOURCE": r"(?:contexts?|documents?|passages?|texts?|excerpts?|extracts?|sources?|snippets?|materials?|files?|"
    r"sections?|chapters?|pages?|reports?|manuals?|guides?|leaflet|brochure|handbook|clauses?|articles?|paragraphs?|"
    r"tables?|summary|minutes|memo|letter|filing|annex|bulletin|one|ones|it|they|results?|information)",
    "COVER": r"(?:mention|discuss|cover|deal|focus|describe|talk|refer|concern|pertain|relate|address|list|speak|"
    r"touch|run|treat|give|name|contain|appear|note|provide|include|show|explain|state)(?:e?s|ed)?",
    "LEAD": r"(?:(?:but|however|though|although|so|therefore|instead|and|also|hence|as|since|which|that said|while)"
    r" ?,? ?)?",
}
_OPENING = r"""
sorry|apolog\w+|unfortunately|regrettabl[ey]|thanks?|hello|hi|hey|ooh?|good question|great question|sure|okay|ok
i(?:'m| am) (?:\w+ly )?(?:sorry|happy|here|just|only|afraid|glad|not an?)
i(?:'d| would) (?:be|need|recommend|suggest|advise|encourage|love|happily)
i(?:'ve| have)? (?:apologi[sz]e|understand|hope|can(?! confirm)|could|recommend|suggest|searched|
    looked|reviewed|checked|went)
i (?:must|strongly|encourage|urge|only|see only|read|went|wish|work|was|am|have|will|therefore|realise|realize)\b
i'll|i've (?:only|been|read|gone)|we(?:'ve| have)? (?:only|searched|looked|checked|reviewed)|we(?:'re| are) sorry
my (?:apologies|purpose|goal|role|training|access|knowledge)|please|perhaps|maybe|feel free|let me|try|check|consult
contact|refer to|see\b|for (?:more|further|details)|is there|can (?:i|you)|would you|could you|do you|what|which
if (?:you|there|that|this|it|so)\b|as an ai|based on|from the|to (?:answer|work|determine|tell|establish)
it(?:'s| is) (?:always |also |generally )?(?:important|recommended|best|advisable|worth|crucial|essential|illegal|
    unethical|never|possible|likely|better|necessary)|without|ask|send|the (?:only|closest|nearest|sole)|only|general
a (?:human|colleague|specialist|lawyer|doctor|member|qualified|separate)|someone|anyone|your (?:\w+ ){1,2}(?:may|might|
    can|could|should|will|would)|consider|anything|any (?:answer|figure|number)|es tut|tut mir|bitte|leider|lo siento
far as|by itself|on its own|on (?:the|this) (?:face|basis)|given (?:that|the)
(?:the|this|your) (?:\w+ )?(?:text|extract|excerpt|document|page|letter|report|file|copy|scan|transcript|
    table) (?:is|are|was|were|has|ends?|stops?|begins?)\b
lamento|por favor|je suis désol|désolé|veuillez|merci|gracias
that (?:would|depends)|whether|one would|this would
"""
_ANYWHERE = r"""
\b(?:you|they|one) (?:may|might|can|could|should|would|will|'ll)(?: \w+){0,2}? (?:check|contact|consult|refer|ask|try|
    visit|look|search|reach|see|review|share|provide|upload|rephrase|seek|speak|call|find|verify|request|want|need|wish)
\b(?:closest|nearest|sole|feel free|let me know|happy to|next steps?|elsewhere|unrelated|follow up|reach out)\b
\b(?:not the same|another (?:matter|question|story)|different (?:question|matter|thing|issue|topic|from))\b
\b(?:only|merely|solely|just|simply) (?:\w+ ){0,3}?<COVER>\b
\b<COVER> (?:\w+ ){0,4}?only\b|\bonly (?:the|one|a|up|that|about|for|to)\b
\b<SOURCE>(?: [\w.#-]+){0,3}? (?:mention|discuss|cover|deal|focus|describe|talk|refer|concern|pertain|relate|address|
    appear|stop|touch)(?:e?s|ed)?\b
\b(?:recommend(?:ed)?|suggest(?:ed)?|advis(?:ed?|able)|best) (?:to|that|you|contacting|checking|consulting)\b
\b(?:does|do|did)(?:n't| not) (?:establish|prove|mean|settle|amount|equate|imply|tell|say|
    necessarily|by itself|answer)\b
\b(?:able|best placed|happy|well placed) to (?:tell|help|confirm|advise|answer|assist)\b
\bappears? (?:on|in|under|at)\b|\bmay (?:well )?(?:be|supply|exist|appear|contain|hold|have)\b
"""


def _compiled(table: str, lead: str = "") -> re.Pattern[str]:
    rows = table.strip("\n").replace("\n    ", "").splitlines()
    pattern = lead + "(?:" + "|".join(rows) + ")" + (r"\b" if lead else "")
    return re.compile(re.sub(r"<([A-Z]+)>", lambda part: _PARTS[part[1]], pattern))


OPENING = _compiled(_OPENING, r"(?:\W|_)*<LEAD>")
ANYWHERE = _compiled(_ANYWHERE)
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

# A refusal is explained by what the sources do say; only a statement about the thing asked makes it partial.
_REPORTS = re.compile(
    r"\W*(?!according|per |as (?:per|stated))(?:[\w'%$.#-]+\W+){0,6}?"
    r"(?:contexts?|documents?|passages?|texts?|excerpts?|extracts?|sources?|snippets?|materials?|files?|sections?|"
    r"chapters?|pages?|reports?|manuals?|guides?|leaflets?|brochures?|handbooks?|clauses?|paragraphs?|tables?|"
    r"summary|minutes|memos?|letters?|filings?|annex(?:es)?|bulletins?|logs?|records?|terms|schedules?|polic(?:y|ies)|"
    r"agreement|contract|prospectus|datasheet|references?|notices?|slides?|transcripts?|statements?)\b"
    r"(?:\W+[\w'.#-]+){0,3}?\W+(?:says?|said|states?|mentions?|gives?|gave|counts?|lists?|records?|shows?|notes?|"
    r"covers?|"
    r"concerns?|deals?|seems?|came|tests?|asks?|refers?|contains?|discuss(?:es)?|describes?|speaks?|talks?|"
    r"ends?|stops?|begins?|quotes?|sticks?|goes|offers?|address(?:es)?|relates?|is about|are about|"
    r"is (?:a|an|cut|left)|was (?:cut|left)|would)\b"
)
_IT_REPORTS = re.compile(
    r"\W*(?:and |but )?(?:it|they|one|both|these|those|the (?:first|second|other|others|former|"
    r"latter))\b(?: \w+){0,2}? "
    r"(?:notes?|says?|mentions?|records?|concerns?|deals? with|relates?|describes?|(?:is|are) (?:about|on)|"
    r"explains?|reports?|"
    r"names?|talks?)\b"
)
_ASIDE = re.compile(
    r"\W*(?:and |but |so |yet |while |though |although )*(?:(?:that|this|those|these)(?='| (?:is|are|was|were|would|"
    r"does|do|did|"
    r"has|have|covers?|leaves?|settles?|means?|goes)\b)|i|we|my|nothing|none|neither|it's (?:a|not)|it is (?:a|not)|"
    r"there|here|"
    r"what|which|whatever|without|to)\b"
)
_BESIDE = re.compile(
    r"\b(?:is|are|was|were) (?:for|about|on) |\b(?:concern|relat|pertain|belong|appl)\w* to\b|\bonly\b|\bneither\b"
)
_TURN = re.compile(r"(?:\W|_)*(?:but|however|though|that said|in general|generally|nevertheless|nonetheless|still)\b")


def answers(clause: str, before_decline: bool, apart: bool) -> bool:
    """Whether a clause beside a decline says something substantive about the thing asked; `apart` from the sentence
    that declines it needs neither a turn nor a figure to do so."""
    if _REPORTS.match(clause) or _IT_REPORTS.match(clause):
        return False
    told = _TURN.sub("", clause, count=1)
    if _ASIDE.match(told):
        return False
    if before_decline:
        return WORD.search(told) is not None
    return bool(apart or _TURN.match(clause) or FIGURE.search(told)) and not _BESIDE.search(told)
