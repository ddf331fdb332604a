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
    r"handbooks?|booklets?)",
    "ANSWER": r"(?:answers?|reply|response|summary|overview|explanation|translation|quotes?|quotations?|citations?)",
    "ASK": r"(?:contact|ask|consult|check|refer|see|look|search|verify|try|reach out|call(?! it| them)|ring|visit|"
    r"speak|talk|review|"
    r"double-check|clarify|rephrase|specify|share|send|upload|paste|attach|forward|tell|let|consider|compare|seek|find|"
    r"put|write to|get in touch|do not hesitate|don't hesitate|don't forget|feel free|know|want|wish|like|be aware)",
    "MAY": r"(?:may|might|can|could|should|would|will|'d|'ll)",
    "MODAL": r"(?:\b|(?<=\w))(?:may|might|could|should|would|can|will|ought to|must|'d|'ll|probably|likely|"
    r"presumably|surely|"
    r"perhaps|maybe|possibly|seems?|usually|normally|typically|generally|often)\b",
    "GUESSED": r"\b(?:may|might|could|would|will|probably|presumably|perhaps|maybe|possibly|likely to)",
    "ADV": r"(?:\w+ly |also |well |even |still |then |at least |both )*",
    "DOC": r"(?:<SOURCE>|<PAPER>|websites?|portals?|labels?|memos?|cards?|registers?|lists?|brochures?|intranet|"
    r"data ?sheets?|schedules?|by-?laws?|notices?|prospectus|statements?|accounts|appendix|minutes|letters?|tables?|"
    r"laws?|recitals|specs?|guidelines?|notes?|specifications?|code|files?|documentation|transcripts?|filings?|"
    r"summar(?:y|ies)|tariffs?|key facts)",
    "CAN": r"(?:can|could|may|might|should|would|will|ought to|(?:is|are) likely to)",
    "ASIDE": r"(?: (?:\w+ly|also|then|still|well|first|always|(?:be able|have|need|want|wish|like|do well) to))*",
    "SEEK": r"(?:ask|check|consult|contact|see|try|look|search|call(?! it| them)|phone|ring|e-?mail|write to|message|"
    r"speak|talk|turn to|visit|refer|review|verify|confirm|clarify|raise (?:it|this|that)|approach|inquire|enquire|"
    r"reach out|seek|request|double-check|obtain|get (?:in touch|hold|it|them|one|that|a copy)|go (?:to|through|over|"
    r"back)|find out|put (?:it|this|that|the question)|have <NEAR>(?:review|check|look|go over|point|confirm|advise))",
    "BE": r"(?:is|are|was|were|'s|'re|be|seems?)",
    "IS": r"(?:is|are|was|were)",
    "WH": r"(?:how|what|when|whether|who|which|where|for how)",
    "NEAR": r"[^.;]{0,120}\b",
}
# Openings of talk: courtesy, requests and offers, the answer itself, what the sources cover
_OPENINGS = r"""
thank|welcome|hello\b|hi\b|hey\b|dear\b|good (?:luck|question|morning|day)|best\b|(?:kind )?regards|yours\b|sincerely
cheers|sorry\b|congrat|apolog|(?:we )?(?:really |do )?hop(?:e|ing|efully)|wish|happy\b|glad\b|have an?\b|enjoy\b
take (?:care|your time)|having (?:\w+ )?(?:read|check|look|search|review|gone|been|stud)\w*|based on\b|no (?:need|
    worries)|you (?:\w+ly )?(?:should|could) have\b|this (?:cannot|can't) wait
note\b|be aware|remember|keep in mind|bear in mind|rest assured|be (?:careful|sure)|make sure|not sure\b|anything\b
why not\b|as an? (?:ai|assistant|language)|let's\b|you <BE> welcome|(?:a )?next steps?\b|here(?:'s| <BE>| you)\b
we (?:have |'ve |only |also )*(?:looked|searched|checked|reviewed|recommend|suggest|could|would|can)\b
(?:would|do|did|are|were|have|can|could|will|shall|should|may|is|isn't|aren't|don't) (?:you|i|we|there|it)\b
(?:(?:please|kindly|do|just|simply|always|also|then) )*(?:please\b|<ASK>\b)
you(?: <MAY>|<MAY>) (?:also |always |then |still |perhaps |either )*(?:(?:want|wish|like|need|have) to )?<ASK>\b
you (?:also |always |then |still |perhaps |either )*(?:(?:want|wish|like) to )?<ASK>\b|you (?:\w+ )?(?:need|
    have) to (?:contact|ask|consult|check(?! in (?:with|at)\b)|refer|see|look|search|verify|reach out|speak|talk|
    get in touch)\b
your (?:\w+ ){1,3}<MAY> (?:\w+ )?(?:tell|help|know|confirm|advise|able|have)\b
for (?:more|further|any|additional|other|full|details)\b|more (?:on|about|details)\b
(?:the |my |a |its |their )?(?:closest|nearest|most relevant|best matching)\b
(?:it|that|this)(?: ?<MAY>)?(?: <BE>|<BE>) (?:also |always |not )*(?:worth|best|wise|helpful|useful|sensible|
    advisable|better|recommended|safest|legal|medical|tax|financial)\b
(?:they|it|both|those|these|one|the (?:\w+ ){0,3}?(?:first|second|other|others|<SOURCE>|<PAPER>)|[\w ]{3,30} (?:is|
    are) all (?:they|it))(?:[^.,;]|\.\d){0,30}? (?:all |both |only )?(?:deals?|concerns?|relates?|focus(?:es)?|
    concentrates?|<IS> (?:about|on|limited)|(?:says?|tells?|explains?|states?|sets? out|regulates?|governs?) (?:you |
    us )?<WH>)\b
(?:this|that|it|these|those|the above|all (?:of )?(?:this|that)|everything)\b[^.;:]{0,30}\b(?:<SOURCE>|<ANSWER>|
    advice)\b
(?:only |this |the |my |these |all |both |above |those |any |each )*<ANSWER>\b
(?:only |the |these |those |this |your |both |all |none of the |neither |retrieved |provided |given |available |
    cited |supplied |relevant |other |remaining |two |three |first |second )*<SOURCE>\b(?:[^.]|\.\d){0,40}\b(?:(?:do|
    does|did)\b(?! also)|<IS> (?:\w+ly |only |all |both |also )*(?:not|about|on|silent|limited|confined|from|relevant|
    un\w+|irrelevant|clear|quite|very|too|in\w*|available|here|attached|dated|the|an?|my|your)|contains?|mentions?|
    covers?|address(?:es)?|deals?|discuss(?:es)?|relates?|concerns?|provides?|includes?|only|focus(?:es)?|lists?|
    describes?)\b
"""
# Who may know, where it may be found, what it would take, and that something else is not the same
_POINTERS = r"""
(?:[\w'’)],? |^\W*)(?<!that )(?<!this )(?<!which )<CAN><ASIDE> (?:tell|help|say|show|have(?! to)|hold|
    list|contain|give|supply|quote|clear|confirm|answer|know|advise|provide|explain|point|set|cover|state|settle|clarify|include|specify|carry|
    assist|resolve|spell|reveal|inform|direct|look|be (?:in|on|with|under|at|found|listed|given|set|stated|shown|
    where|there|recorded|happy|best|worth|covered))\b|\bis where\b
<MODAL> <ADV>(?:be (?:able|in a (?:better )?position|willing|happy|placed) to \w+|know|do the trick|
    have the last word|have to (?:decide|come|say)|(?:point|direct|refer|send|put|set|let) (?:you|us)\b|name|regulate|
    enlighten|mention|(?:settle|resolve|clear|sort|post|print|publish|display)\b<NEAR>(?:it|this|that|them|the|
    matters?|up)|(?:give|provide|offer|supply)\b<NEAR>(?:answer|information|advice|details?|clarity|certainty)|
    (?:handle|decide|look after)\b<NEAR>\bsuch (?:cases|requests|questions|matters|details)|bring (?:news|clarity|
    light)|shed (?:\w+ )?light|go into|
    deal with|touch on|speak to|be (?:consulted|asked|contacted|checked|examined))\b
(?:<MODAL> <ADV>|\b(?:usually|probably|maybe|perhaps|presumably|surely|likely|normally|typically)\b<NEAR>|
    <DOC> )(?:be able to )?(?:has?|have|gives?|holds?|contains?|lists?|shows?|names?|states?|mentions?|carr(?:y|ies)|
    suppl(?:y|ies)|provides?|records?|regulates?|sets? out) (?:it|this|that|them|one|these|such|more|(?:(?:the|an?|
    its|full|exact|missing|complete|relevant|further|any) )*(?:\w+ ){0,2}?(?:answers?|information|details?|figures?|
    lines?|<DOC>))\b
<GUESSED> <ADV>be (?:\w+ly )?(?:found|governed|regulated|listed|set out|given|covered|addressed|dealt with|defined|
    specified|stated|published|recorded|reported|laid down|answered|explained|described|documented|mentioned|printed|
    named|attached|appended|there|elsewhere|somewhere)\b
(?:<MODAL> <ADV>be|\b(?:is|are|'s|'re)(?: \w+ly)? (?:found|listed|set out|given|printed|stated|published)|\b(?:it|
    that|this|they|those|these)(?:'s| is|'re| are)(?: \w+ly)?) (?:in|on|with|under|at|
    among) (?:\w+['’]?s? ){0,4}?<DOC>\b
\bthere (?:may|might|could|should|must) <ADV>be\b<NEAR>(?:<DOC>|one)\b|\b(?:perhaps|maybe|
    possibly) there <IS>\b<NEAR><DOC>\b
<DOC>\b<NEAR>is where\b|(?<!\d )<MODAL>\W*$
\b(?:place|person|people|ones?|source|office|contact|team|address|body|department|authority|thing|step|party|
    <DOC>) to (?:<SEEK>|start|begin|turn)\b|\bport of call\b|\bin touch\b|\bworthwhile\b|\bworth (?:a |an )?\w+(?:ing|
    look|call|try|glance|visit|question|shot)?\b
\b(?:best|good|natural|obvious|right|better|sensible|safest) (?:bet|option|address|contact|place|starting point|
    first stop|next step|source|people)\b|\b(?:usual|normal|typical) (?:places?|sources?) (?:for|to)\b|
    \b<DOC>\b<NEAR>(?:usual|normal|typical|right) (?:places?|sources?)\b|\b(?:suggest(?:ed|ion)?|recommend(?:ed|
    ation)?|advise|advisable|best|next steps?|try|would|'d)\b\W+(?:is |be |would be |that you |to |you |having |
    the )*<SEEK>(?:ing)?\b
^\W*(?:(?:so|or|and|then|also|otherwise|instead|perhaps|maybe|please|kindly|just|simply|next step|
    suggest\w*)\W+)*(?:<SEEK>(?:ing)?\b|give <NEAR>a (?:ring|call)\b)
\b(?:you|one|someone|lawyer|counsel|solicitor|doctor|expert|specialist|adviser|advisor|colleague)(?: (?:may|might|can|
    could|should|will|would)|'d|'ll)(?: \w+ly| also| always| then| perhaps| best| just| do well to| want to| wish to|
     need to| have to| like to)* (?:<SEEK>|test|try out)\b|\b(?:somebody|someone|whoever)\b|\byou<NEAR>\bfind (?:it|
    this|that|them|one|more|<NEAR><DOC>)\b
\b(?:would|'d) (?:\w+ )?(?:need|take|require|depend on|call for|have to come)\b|\bneeded (?:to answer|for (?:that|
    this|an answer))\b|\bup to (?:the|your)\b<NEAR>to (?:say|answer|tell)\b|\bturns on\b
\b(?:an?|the|this|that|two|not the same|different|separate|other) (?:\w+ )?(?:matters?|questions?|topics?|issues?|
    stor(?:y|ies)|subjects?)\b|\bdifferent things?\b|\bunrelated\b|\birrelevant\b|\bnot the same\b
\b(?:make|making|made) (?:it |this |something )?up\b|\b(?:transferred|carried over|stretched|generali[sz]ed|
    extrapolated)\b
\b(?:be|is|are|mere|pure|only) (?:\w+ )?(?:rash|guess(?:ing|work)?|speculati(?:on|ve|ng)|conjecture|misleading|
    assumptions?|tempting|premature|risky|leap|stretch|mistake|careless|unwise|irresponsible|(?:fair|safe|wrong|right|
    reasonable) to)\b
\b(?:remains?|stays?|leaves?|left)(?: \w+){0,3} (?:open|unresolved|unanswered|unclear)\b
\bwithout (?:saying|stating|mentioning|giving|naming|specifying)\b
"""
# Somebody is obliged to do it: no pointer, whatever it is.
_BINDING = (
    r"\b(?:must|shall|(?:is|are) (?:obliged|required)|(?<!'d )(?<!would )(?<!will )(?:has|have|need) to)\b"
    r"(?! (?:stay|remain|be left) )"
)
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
again let get near close seem appear specify
"""
# What a statement is told with, before "that" or at once
_TOLD_WITH = """
note noted noting know knows aware remember remind mind say add mention mentioned mentioning confirm advised assured
stress hear learn realise realize notice conclude believe think assume guess suppose suspect reckon expect presume
estimate infer gather understand find found see saw read show says say states state true sure certain fact warn
provides provide explains explain means implies afraid is out you possible
"""
_TELLING = (
    r"(?:did you know|do you know|tell you|aware|i(?:'d| would) (?:say|guess|think|assume)|i (?:think|believe|guess|"
    r"assume|suppose|suspect|reckon)|note|remember|keep in mind|bear in mind)"
)
# What follows these is no relative clause: a preposition's object, or an indirect question.
_NOT_RELATIVE = """
for of in on to with from by at than about is whether if say says state states know tell us specify see check verify
"""
_NOT_OF = "".join(f"(?<! {word})" for word in _NOT_RELATIVE.split())


_NEG = (
    r"(?:\b(?:no|not|none|neither|nor|never|nothing|nowhere|nobody|cannot|without|hardly|absent|absence of|fails? to|"
    r"too (?:little|few)|nicht|nichts|kein\w*|aucune?|ningun[oa]?|ningún|nessun\w*)\b|n['’]t\b)"
)
# By itself; or with a word for telling, for a source, or for what is told
_UNTOLD = r"""
\b(?:lack(?:s|ing|ed)?|missing|omit(?:s|ted)?|stops? short|silent|un(?:clear|known|stated|specified|answered|
    mentioned|addressed|touched|resolved|regulated|settled|reported|named)|in vain|left (?:out|open)|(?:remain|
    stay)s? open|(?:came?|comes) to nothing|to no avail|without (?:success|finding)|drew a blank|
    leaves? (?:\w+ ){0,6}(?:out|open)|gap|in the dark|empty-handed|(?:outside|beyond) (?:of )?(?:the|what|these|this|
    my))\b
"""
_TELLS = r"""
\b(?:mention|discuss|describ|disclos|indicat|identif|explain|reveal|clarif|elaborat|quantif|stipulat|address|touch|
    specif|regulat|announc|publish|conclu|gather|infer|deriv|determin|establish|enlighten|occur|appear|comment|answer|
    question|minut|refer|deal|defin|speak|contain|cover|includ|featur|provid|reproduc|offer|hold|document|distin|
    singl|differentiat|quiet|follow|print|split|separat)\w*
\b(?:says?|said|states?|stated|names?|named|tells?|told|quotes?|quoted|lists?|listed|records?|recorded|reported|
    shows?|shown|found|finds?|given|gives?|set (?:out|down)|laid down|come (?:up|through)|comes up|brought up|raised|
    spell\w*|spoken|goes? into|takes? up|settled?|resolved?|drawn?|known|clear|open|subject|topic|helps?|available|
    supplied|cited|among|part of|seen?|read|located?|count|makes?|apparent|evident|brought|anywhere|goes? (?:there|
    that far)|go there)\b
\b(?:information|info|data|details?|figures?|words?|clues?|hints?|trace|signs?|evidence|basis|statement|scope|
    in (?:there|here|them))\b|\b(?:in|from|on|by|of|within|under|none|neither|nor|either)(?: \w+){0,4}? <DOC>\b|
    <DOC> (?:ha[sd]|have)\b
"""
# What rules do, where it is denied: "the lease does not allow dogs" answers.
_RULED = rf"""
{_NEG}\W+(?!(?:been|named|mentioned|stated|said|specified|addressed|listed)\b)(?:\w+\W+){{0,3}}?(?:allow|permit|
    requir|prohibit|forbid|ban(?!k)|insur|refund|entitl|must|may|shall|oblig|liable|valid|appl|includ|
    exclud|cover|charg|paid|pay|need|owe)\w*\b(?! (?:\w+ )?(?:conclusion|answer|statement|inference))
\b(?:allow|permit|requir|insur|refund|cover|includ|appl|charg)\w*\b<NEAR>(?:is|are|was|were|does|do)(?:n't| not)\W*$
"""
_OF_SOURCE = r"""
\b(?:<SOURCE>|info(?:rmation)?|guides?|manuals?|reports?|leaflets?|handbooks?|sheets?|minutes|bulletins?|notes?|
    prospectus|brochures?|websites?|key facts)\b
"""
# What sources are about
_TOPICS = r"""
^\W*(?:what|all) (?:I\b|we\b|they\b|it\b|is there|(?:\w+ ){1,4}?<SOURCE>)|\b(?:data|things?|information|facts|details|
    points) (?:I|we|they|it|the)\b
\b(?:that|this|it|they|those|these|which)(?:'s|'re| is| are)(?: \w+ly| only| all| not)? (?:about|it\W*$|all\b)
(?:\b(?:it|they|both|these|those|<SOURCE>|<PAPER>|one|(?:first|second|latter|former|others?))\b<NEAR>|
    ^\W*)(?:deals? with|dealing with|concern(?:s|ed|ing)?|(?:sticks? to|(?:stays?|keeps?) (?:to|with)|(?:limits?|
    confines?|restricts?|devotes?) (?:themselves|itself) to)|ends? with|revolves?|cent(?:re|er)s? on|relat(?:es?|
    ing) to|focus(?:es|ed)?|concentrates?|touch(?:es)? on|speaks? of|talks? (?:of|about)|goes? into|mentions?|lists?|
    describes?|discuss(?:es)?|address(?:es)?|regulates?|governs?|names?|(?:is|are) (?:only |all |solely |simply |
    confined |limited |restricted |of )*(?:about|on|to|confined|limited|a \w+ nature|for)|(?:says?|tells?|explains?|
    states?|sets? out|reports?|records?) (?:you |us )?<WH>)\b
(?:\b(?:it|they|both|these|those|<SOURCE>)\b[^.;]{0,40}|^\W*)\bcovers?\b
\b(?:is|are|was|were) (?:only |all |also )*(?:mentioned|listed|described|announced|touched|named|dealt with|addressed|
    discussed|recorded|(?:all|what) (?:they|it|I|the)\b)|\bthere(?:'s| is) (?:talk|mention) of\b|
    \bmakes? an appearance
\bthe only (?:\w+ ){0,2}?(?:parts?|lines?|statements?|mentions?|references?|provisions?|<SOURCE>) (?:retrieved|
    provided|given|supplied|shared|found|(?:I|we|you)\b|(?:in|on|from|among)\b<NEAR><DOC>\b)
"""


def _compiled(table: str, lead: str = "") -> re.Pattern[str]:
    rows = table.strip("\n").replace("\n    ", "").splitlines()
    pattern = lead + "(?:" + "|".join(rows) + ")"
    while "<" in (pattern := re.sub(r"<([A-Z]+)>", lambda part: _PARTS[part[1]], pattern)).replace("?<", ""):
        pass
    return re.compile(pattern, re.IGNORECASE)


TALK = _compiled(_OPENINGS, r"[\W_]*(?:(?:and|or|but|so|then)\s)?")
POINTERS = _compiled(_POINTERS)
DOC = _compiled(r"\b<DOC>\b")
NEGATION, UNTOLD, TELLS, TOPICS = _compiled(_NEG), _compiled(_UNTOLD), _compiled(_TELLS), _compiled(_TOPICS)
RULED, OF_SOURCE = _compiled(_RULED), _compiled(_OF_SOURCE)
BINDING = re.compile(_BINDING, re.IGNORECASE)
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
    r"[;:!?…]\s+|(?<!, however)(?<!, therefore)(?<!, unfortunately)[,)]\s+(?!(?:however|therefore|unfortunately),|"
    r"[^,;.]{0,40}\b(?:is|are|was|were|does|do|did)(?:n't| not)\W*$|(?:(?:with|without|of|for|in) )?(?:that|which|who|"
    r"whose|whom|where)\s)|\s[-—–→]+\s|—|\(|\s(?:but|and|because(?! of)|since|as(?= (?:the|it|they|this|that|you|we|i|"
    r"he|she|these|those|there|no|an?)\b)|so|while|though|although|whereas|however|yet)\s"
    rf"|\b(?P<told>(?:{'|'.join(_TOLD_WITH.split())})(?: also| too| here| though| again)?,? that)\s(?!(?:in|on|at|"
    rf"under|with|from)\b)|\b(?P<telling>{_TELLING})\s(?!to\b|of\b|that\b|about\b|if\b|wh|how\b)|"
    rf"{_NOT_OF},?\s(?P<relative>that|which|who|whose|where)\s(?!(?:of|in|on|at|under|with|from|to)\b)",
    re.IGNORECASE,
)
_NO_VERB = (
    "of|in|on|at|to|for|from|by|with|within|without|under|over|about|after|before|during|between|into|as|than|like|"
    "until|since|and|or|but|nor|that|which|if|not|both|all|only|even|including|regarding|plus|except|when|where|while|"
    "the|a|an|per"
)
# Verbs by themselves, by the article behind them, and by their ending before a preposition
_NOUN_OF = "".join(f"(?<!\\b{word} )" for word in ("a", "the", "any", "no", "of", "its", "for", "and", "their", "your"))
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|shall|must|may|might|can|cannot|could|should|would|does|do|did|paid|gets?|"
    r"loses?|receives?|keeps?|appl(?:y|ies)|begins?|expires?|rose|fell|stays?|remains?|opens?|comes?|came|goes|went|"
    r"gives?|gave|makes?|made|seems?|appears?|\w+n't)\b"
    rf"|(?<=\w ){_NOUN_OF}(?:needs?|pays?|owes?|holds?|runs?|costs?|takes?|ends?|starts?|lapses?|rises?|falls?|"
    rf"works?|closes?|"
    r"lasts?|means?)\b(?!\W*$)"
    rf"|\w (?!(?:{_NO_VERB})\b)[a-z]+ (?:the|an?|their|its|his|her|all|any|no|every|each|both|another|only|it|them|"
    r"everything|that|this|these|those|your|our|my|one)\b"
    rf"|\b(?!(?:{_NO_VERB}|its|their|his|her|your|our|these|those|this|two|three|some|any|no|each|many|\w+ing)\b)"
    r"\w+ [a-z]{2,}(?:ed|es|s) (?:by|to|from|in|on|at|within|after|before|until|for|with|as|out|up|off|over|away|down|"
    r"back|\w+ly)\b|\b(?:it|that|there|he|she|what|who|here|this|\w+one|\w+thing)['’]s |\w['’](?:re|ll) ",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:may|might|can|could) (?:also |well )?(?:vary|change|differ|depend|exist|(?:be|have) (?:different|changed|"
    r"updated|outdated|other|more|relevant|available|elsewhere))\b",
    re.IGNORECASE,
)
# Numbers that point at parts of a source, or count them
REFERENCE = re.compile(
    r"(?<![\w-])[\w-]++#[\w.#-]+|\b(?:the|these|those|other) (?:two|three|four)\b|"
    r"\b(?:sections?|clauses?|articles?|art|"
    r"paragraphs?|paras?|rules?|points?|pages?|pp?|annex|schedule|table|chapters?|§+|steps?|parts?|items?|no|question|"
    r"conditions?|criteri\w+)\b\.? ?\d[\d.]*\w?(?:(?:,| and| or|,? and|-|–) ?\d[\d.]*)*"
    rf"|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){{0,2}}?(?:{_PARTS['SOURCE']}|rules|points|"
    r"questions|conditions|things|ways|results|files|options)\b",
    re.IGNORECASE,
)
CONTRACTED = re.compile(r"['’](?:s|re|ve|ll|d|m)\b|(?<!\w)\w+n['’]t\b")
# What a source says, told as such. "According to the report, ..." is told of the world.
REPORTS = re.compile(
    r"\W*(?!according|per |as (?:per|stated))(?:[\w'%$.#-]+\W+){0,6}?(?:contexts?|documents?|passages?|texts?|"
    r"excerpts?|extracts?|sources?|snippets?|materials?|files?|sections?|chapters?|pages?|reports?|manuals?|guides?|"
    r"leaflets?|brochures?|handbooks?|clauses?|paragraphs?|tables?|summary|minutes|memos?|letters?|filings?|"
    r"annex(?:es)?|bulletins?|logs?|records?|terms|schedules?|polic(?:y|ies)|agreement|contract|prospectus|datasheet|"
    r"references?|notices?(?! periods?)|slides?|transcripts?|statements?|reviews?|booklets?|regulations?|statutes?|"
    r"docs|articles?|archives?)\b(?:\W+[\w'.#-]+){0,3}?\W+(?:says?|said|states?|mentions?|gives?|gave|counts?|lists?|"
    r"records?|shows?|notes?|covers?|concerns?|deals?|seems?|came|tests?|asks?|refers?|contains?|discuss(?:es)?|"
    r"describes?|speaks?|talks?|ends?|stops?|begins?|quotes?|sticks?|goes|offers?|address(?:es)?|relates?|is about|"
    r"are about|is (?:a|an|cut|left)|was (?:cut|left)|would)\b|\W*(?:and |but )?(?:it|they|one|both|these|those|"
    r"the (?:first|second|other|others|former|latter))\b(?: \w+){0,2}? (?:notes?|says?|mentions?|records?|concerns?|"
    r"deals? with|relates?|describes?|(?:is|are) (?:about|on)|explains?|states?|specif(?:y|ies)|tells?|reports?|"
    r"names?|talks?)\b",
    re.IGNORECASE,
)
