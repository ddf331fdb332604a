"""The words of talk: what is said to the reader, about the answer, about what sources cover, and where to look further.

Tables of patterns, one a row; <NAME> stands for a part. Rows that begin with four spaces go on from the row before.
"""

from __future__ import annotations

import re

from surefoot.text.terms import stem

_PARTS = {
    "SOURCE": r"(?:documents?|passages?|sources?|contexts?|excerpts?|extracts?|texts?|materials?|search results?|"
    r"corpus|"
    r"retrieval|snippets?|pages?|sections?|clauses?|articles?|paragraphs?|chapters?|annex(?:es)?|wording)",
    "PAPER": r"(?:guides?|manuals?|reports?|polic(?:y|ies)|leases?|agreements?|contracts?|bulletins?|rules?|points?|"
    r"conditions?|plans?|statutes?|leaflets?|instructions|ordinances?|call|terms|reviews?|sheets?|regulations?|"
    r"handbooks?|"
    r"booklets?)",
    "ANSWER": r"(?:answers?|reply|response|summary|overview|explanation|translation|quotes?|quotations?|citations?)",
    "ASK": r"(?:contact|ask|consult|check|refer|see|look|search|verify|try|reach out|call|ring|visit|speak|talk|review|"
    r"double-check|clarify|rephrase|specify|share|send|upload|paste|attach|forward|tell|let|consider|compare|seek|find|"
    r"put|write to|get in touch|do not hesitate|don't hesitate|don't forget|feel free|know|want|wish|like|be aware)",
    "MAY": r"(?:may|might|can|could|should|would|will|'d|'ll|must)",
    "MODAL": r"(?:\b|(?<=\w))(?:may|might|could|should|would|can|will|ought to|must|'d|'ll|probably|likely|"
    r"presumably|surely|"
    r"perhaps|maybe|possibly|seems?|usually|normally|typically|generally|often)\b",
    "BE": r"(?:is|are|was|were|'s|'re|be|seems?)",
    "IS": r"(?:is|are|was|were)",
    "WH": r"(?:how|what|when|whether|who|which|where|for how)",
    "NEAR": r"[^.;]{0,120}\b",
}
# Openings of talk: courtesy, requests and offers, the answer itself, what the sources cover
_OPENINGS = r"""
thank|welcome|hello\b|hi\b|hey\b|dear\b|good (?:luck|question|morning|day)|best\b|(?:kind )?regards|yours\b|sincerely
cheers|sorry\b|congrat|apolog|(?:we )?(?:really |do )?hop(?:e|ing|efully)|wish|happy\b|glad\b|have an?\b|enjoy\b
take (?:care|your time)|no (?:need|worries)|you (?:\w+ly )?(?:should|could) have\b|this (?:cannot|can't) wait
note\b|be aware|remember|keep in mind|bear in mind|rest assured|be (?:careful|sure)|make sure|not sure\b|anything\b
why not\b|as an? (?:ai|assistant|language)|let's\b|you <BE> welcome|(?:a )?next steps?\b|here(?:'s| <BE>| you)\b
we (?:have |'ve |only |also )*(?:looked|searched|checked|reviewed|recommend|suggest|could|would|can)\b
(?:would|do|did|are|were|have|can|could|will|shall|should|may|is|isn't|aren't|don't) (?:you|i|we|there|it)\b
(?:(?:please|kindly|do|just|simply|always|also|then) )*(?:please\b|<ASK>\b)
you(?: <MAY>|<MAY>)? (?:also |always |then |still |perhaps |either )*(?:(?:want|wish|like|need|have) to )?<ASK>\b
your (?:\w+ ){1,3}<MAY> (?:\w+ )?(?:tell|help|know|confirm|advise|able|have)\b
for (?:more|further|any|additional|other|full|details)\b|more (?:on|about|details)\b
(?:the |my |a )?(?:closest|nearest|most relevant|best matching)\b
(?:it|that|this)(?: ?<MAY>)?(?: <BE>|<BE>) (?:also |always |not )*(?:worth|best|wise|helpful|useful|sensible|advisable|
    better|recommended|safest|legal|medical|tax|financial)\b
(?:they|it|both|those|these|one|the (?:\w+ ){0,3}?(?:first|second|other|others|<SOURCE>|<PAPER>)|
    [\w ]{3,30} (?:is|are) all (?:they|it))(?:[^.,;]|\.\d){0,30}? (?:all |both |only )?(?:deals?|concerns?|relates?|
    focus(?:es)?|concentrates?|<IS> (?:about|on|limited)|(?:says?|tells?|explains?|states?|sets? out|regulates?|
    governs?)
     (?:you |us )?<WH>)\b
(?:this|that|it|these|those|the above|all (?:of )?(?:this|that)|everything)\b[^.;:]{0,30}\b(?:<SOURCE>|<ANSWER>|
    advice)\b
(?:only |this |the |my |these |all |both |above |those |any |each )*<ANSWER>\b
(?:only |the |these |those |this |your |both |all |none of the |neither |retrieved |provided |given |available |cited |
    supplied |relevant |other |remaining |two |three |first |second )*<SOURCE>\b(?:[^.]|\.\d){0,40}\b(?:(?:do|does|
    did)\b
    (?! also)|<IS> (?:\w+ly |only |all |both |also )*(?:not|about|on|silent|limited|confined|from|relevant|un\w+|
    irrelevant|
    clear|quite|very|too|in\w*|available|here|attached|dated|the|an?|my|your)|contains?|mentions?|covers?|
    address(?:es)?|
    deals?|discuss(?:es)?|relates?|concerns?|provides?|includes?|only|focus(?:es)?|lists?|describes?)\b
"""
# Who may know, where it may be found, what it would take, and that something else is not the same
_LEADS_ON = r"""
\b(?:(?<!must )ask(?:s|ed|ing)?|tells?|knows?|helps?|inform|advises?|clarif\w+|explain|clear(?:s)? (?:this|that|
    it) up)\b
\b(?:confirm|contact|consult\w*|check\w*|look(?:ed|ing)?|hotline|website|elsewhere|somewhere|guess(?:ing|work))\b
\b(?:speculat\w*|infer\w*|unrelated|irrelevant|carried over|rely|relied|settles?|bet|worth\w*|information|questions?)\b
\b(?:person|place|where|examin\w*|unanswered|starting point|first stop|next step|tip|a matter for|is needed)\b
\b(?:another|other|different|separate|something) (?:sections?|chapters?|parts?|pages?|documents?|matters?|questions?|
    things?|topics?|issues?|else)\b
\bappl(?:y|ies) (?:here|to (?:you|your)\b)|\bhas? the figures?\b|\bcovers?\b<NEAR>only\b|\bonly covers?\b
(?:would|'d) need\b|\b(?:remains?|stays?|leaves? (?:\w+ ){1,3})(?:open|unresolved)\b
<MODAL><NEAR>(?:regulates?|lists?|have (?:it|that|this|more|one)|contains?|says?|states?|mentions?|deals?|shows?|names?|
    specif(?:y|ies)|exists?|attached|posts?|found|go into|available|annex|section|page|decide|there <IS>|does|sort|
    resolve|carr(?:y|ies)|answer)\b
<MODAL> (?:be|stand|appear|find one|find it) (?:in|on|found|listed|somewhere|at)\b
\b(?:usually|normally|typically|generally|often) (?:gives?|has|have) (?:it|this|that)\b
\b(?:one|i) (?:could|might) imagine\b|\b<IS> (?:only )?(?:mentioned|listed|described|announced|touched|named)\b
\b(?:may|might|could|should|is|are|isn't|aren't|does|do|doesn't|don't)\W*$
\bwithout (?:saying|stating|mentioning|giving|naming|specifying)\b
"""
# Words of conversation: who uses no others says nothing about the documents' subject.
_CONVERSATION = """
answer question reply response summary overview explanation explain detail information point topic passage excerpt
extract document source text material section clause page article paragraph chapter wording context quote quotation
citation cite reference mention say show give find found read see look check search ask tell know understand
understood note clear unclear explicit help need want like happy glad hope sorry thank welcome please luck wish best
good great nice interesting relevant other more further else everything anything nothing something thing way word
base provide share send short brief full whole complete exact direct knowledge use outside original act doubt room
leave follow touch deal concern relate discuss address describe contain conclusion moment wait paraphrase above
below got go come well done just here there now that it what is none neither nobody number figure far remain open
basis beside regulate govern different matter separate issue retrieve supply last first second next only always
again let get
"""
# What a statement is told with, before "that" or at once
_TOLD_WITH = """
note noted noting know knows aware remember remind mind say add mention mentioned mentioning confirm advised assured
stress hear learn realise realize notice conclude believe think assume guess suppose suspect reckon expect presume
estimate infer gather understand find found see saw read show says say states state true sure certain fact warn
provides provide explains explain means implies afraid is out you
"""
_TELLING = (
    r"(?:did you know|do you know|tell you|aware|i(?:'d| would) (?:say|guess|think|assume)|i (?:think|believe|guess|"
    r"assume|"
    r"suppose|suspect|reckon)|note|remember|keep in mind|bear in mind)"
)
_NOT_OF = "".join(
    f"(?<! {word})" for word in ("for", "of", "in", "on", "to", "with", "from", "by", "at", "than", "about")
)


def _compiled(table: str, lead: str = "") -> re.Pattern[str]:
    rows = table.strip("\n").replace("\n    ", "").splitlines()
    pattern = lead + "(?:" + "|".join(rows) + ")"
    return re.compile(re.sub(r"<([A-Z]+)>", lambda part: _PARTS[part[1]], pattern), re.IGNORECASE)


TALK = _compiled(_OPENINGS, r"[\W_]*(?:(?:and|or|but|so|then)\s)?")
LEADS_ON = _compiled(_LEADS_ON)
# Of what was asked: who will have it or give it
HOLDS = _compiled(r"<MODAL> (?:\w+ )?(?:have|has|give|gives|hold|holds|provide|provides|supply|set out|bear)\b")
VOCABULARY = frozenset(stem(word + ending) for word in _CONVERSATION.split() for ending in ("", "s", "d", "ed", "ing"))

_NUMERALS = ("Class", "Part", "Annex", "Phase", "Title", "Type", "Grade", "Level", "Tier", "Stage", "War", "Schedule")
FIRST_PERSON = re.compile("".join(rf"(?<!\b{word} )" for word in _NUMERALS) + r"\bI\b(?!\))|\b(?:me|[Mm]y)\b")
PERSON = re.compile(r"\b(?:I|me|my|us|you|your|yours|you'\w+)\b", re.IGNORECASE)
INTERROGATIVE = re.compile(
    r"[\W_]*(?:(?:and|or|but|so) )?(?:who|what|when|where|why|how|which|whose|whether|if|or|without \w+ing)\b",
    re.IGNORECASE,
)
INVERTED = re.compile(
    r"[\W_]*(?:\w+, )?(?:who|what|when|where|why|how|which|whose|is|are|was|were|do|does|did|can|could|may|might|must|"
    r"shall|should|will|would|has|have|had|am)\b",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"[\W_]*(?:(?:and|or|but|so) )?(?:if|in case|should you|when|unless|once|as long as)\b", re.IGNORECASE
)
# Where a part begins that may state something of its own, and whether it hangs on a noun or on a verb of telling
PART = re.compile(
    r"[;:!?…]\s+|[,)]\s+(?!(?:(?:with|without|of|for|in) )?(?:that|which|who|whose|whom|where)\s)|\s[-—–→]+\s|—|\("
    r"|\s(?:but|and|because(?! of)|since|as|so|while|though|although|whereas|however|yet)\s"
    rf"|\b(?P<told>(?:{'|'.join(_TOLD_WITH.split())})(?: also| too| here| though| again)?,? that)\s"
    rf"|\b(?P<telling>{_TELLING})\s(?!to\b|of\b|that\b|about\b|if\b|wh|how\b)"
    rf"|{_NOT_OF},?\s(?P<relative>that|which|who|whose|where)\s",
    re.IGNORECASE,
)
_NO_VERB = (
    "of|in|on|at|to|for|from|by|with|within|without|under|over|about|after|before|during|between|into|as|than|like|"
    "until|"
    "since|and|or|but|nor|that|which|if|not|both|all|only|even|including|regarding|plus|except|when|where|while|the|"
    "a|an|per"
)
# Verbs by themselves, by the article behind them, and by their ending before a preposition
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|shall|must|may|might|can|cannot|could|should|would|does|do|did|needs?|"
    r"pays?|"
    r"paid|gets?|loses?|receives?|keeps?|owes?|holds?|appl(?:y|ies)|runs?|costs?|takes?|lasts?|ends?|starts?|begins?|"
    r"expires?|lapses?|rises?|rose|falls?|fell|stays?|remains?|works?|opens?|closes?|comes?|came|goes|went|gives?|gave|"
    r"makes?|made|means?|\w+n't)\b"
    rf"|\w (?!(?:{_NO_VERB})\b)[a-z]+ (?:the|an?|their|its|his|her|all|any|no|every|each|both|another|only|it|them|"
    r"everything)\b"
    r"|\w [a-z]{2,}(?:ed|es|s) (?:by|to|from|in|on|at|within|after|before|until|for|with|as|\w+ly)\b|\w['’](?:s|re|"
    r"ll) ",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:may|might|can|could) (?:also |well )?(?:vary|change|differ|depend|exist|(?:be|have) (?:different|changed|"
    r"updated|"
    r"outdated|other|more|relevant|available|elsewhere))\b",
    re.IGNORECASE,
)
# Numbers that point at parts of a source, or count them
REFERENCE = re.compile(
    r"\w+#[\w.#-]+|\b(?:the|these|those|other) (?:two|three|four)\b"
    r"|\b(?:sections?|clauses?|articles?|art|paragraphs?|paras?|rules?|points?|pages?|pp?|annex|schedule|table|"
    r"chapters?|§+|"
    r"steps?|parts?|items?|no|question|conditions?|criteri\w+)\b\.? ?\d[\d.]*\w?(?:(?:,| and| or|,? and|-|"
    r"–) ?\d[\d.]*)*"
    rf"|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){{0,2}}?(?:{_PARTS['SOURCE']}|rules|points|"
    r"questions|conditions|things|ways|results|files|options)\b",
    re.IGNORECASE,
)
CONTRACTED = re.compile(r"['’](?:s|re|ve|ll|d|m)\b|\w+n['’]t\b")
