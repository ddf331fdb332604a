"""What refusals are made of: the words and patterns that `refusals` looks for, in named groups.

All of it meets folded text: lower case, plain quotes. A rule is written `NAME -> pattern` and may go on in
the next line; in a pattern <NAME> stands for a part and a blank for white space or markdown emphasis. A
repeat is bounded by its own limit or by the short windows that `refusals` reads.
"""

import functools
import re

# Words that open a cue, by class. A cue is tried only where one of its openers stands: that keeps it cheap.
_OPENERS = {
    "I": "i i'm i've i'd i'll",
    "WE": "we we're",
    "IT": "it it's they",
    "THAT": "that that's this question query request topic",
    "BE": "is are was were remains it's",
    "NOT": "not isn't aren't wasn't weren't don't doesn't",
    "CANNOT": "cannot can't couldn't unable not",
    "DOC": "context contexts document documents passage passages text texts excerpt excerpts source "
    "sources snippet snippets results base corpus",
    "GIVEN": "provided given available retrieved supplied",
    "DATA": "information data material materials file files documentation records evidence",
    # One document by its kind: what it lacks is often the answer itself, so fewer verbs count.
    "DEED": "agreement contract policy manual handbook lease letter section clause guide filing report "
    "material materials amendment schedule exhibit appendix instructions terms statement memo minutes file "
    "files records documentation paragraph paragraphs article articles",
}

_PARTS = r"""
W ->(?:[\w'-]+ ){0,3}?
ADV ->(?:(?:also|just|yet|even|\w+ly|further|in good conscience) ){0,2}
DONT ->(?:do|does|did)(?: not|n'?t)
BEEN ->(?:(?<=is\snot)|(?<=are\snot)|(?<=was\snot)|(?<=were\snot)|(?<=been\snot)|(?<=n't))
CANT ->(?:can ?not|can'?t|(?:am |was )?(?:not able|unable|not in a position) to|wasn't able to|decline to|
    refuse to|(?:must|have to|need to) (?:\w+ly )?(?:decline|refuse|refrain)(?: to| from)?|
    (?:am )?not (?:allowed|permitted|authorized|comfortable|programmed|designed|going) (?:to|with))
THE ->(?:(?:the|this|that|these|those|any|your|my|our|all|of|given|provided|supplied|retrieved|available|
    above|attached|uploaded|cited|source|reference|search|relevant|current|text) ){0,4}
DOC ->(?:contexts?|documents?|passages?|texts?|excerpts?|sources?|snippets?|search results|knowledge base|
    corpus|(?:provided|given|retrieved|available|supplied) <DATA>|<DATA> (?:provided|given|available|
    supplied|i have|above))\b
DATA ->(?:information|data|materials?|files?|documentation|records?|evidence)
SAY ->(?:mention|state|specify|say|address|indicate|discuss|disclose|reveal|explain|clarify|describe|
    identify|tell|speak|answer|refer)
LACK -><DONT> <ADV>(?:seem to |appear to )?(?:<SAY>|contain|include|provide(?! for\b)|cover|give|have|
    support|offer|show|touch|relate|pertain|deal|establish|confirm|define|list|name)\b
SAID ->(?:mentioned|stated|specified|addressed|indicated|discussed|disclosed|explained|described|
    identified|found|referenced|answered|named|documented|detailed)
INFO ->(?:information|info|data|details?|knowledge|context|answers?|insights?|specifics|statistics|figures|
    tips|references?|mention|indication|documentation|instructions|guidance|documents?|measurements|
    sources?)\b
HELP ->(?:answer|assist|help(?! (?:but|it|\w+ing)\b)|provide|give|offer|share|find|locate|determine|
    confirm|verify|tell|say|comment|respond|comply|fulfill?|engage|discuss|do (?:that|this|so|it)|create|
    generate|write|advise|suggest|speculate|explain|identify|complete|see any|access|support|promote|
    condone|encourage|endorse|participate|disclose|reveal|address|make|satisfy|describe|continue|proceed|
    process|produce|guide|teach|recommend(?! it| this| them)|express|predict|list|name|quote|reproduce|
    draft|plan|calculate|conclude|be of)\b
FAIR ->(?:appropriate|ethical|respectful|acceptable|okay|fair|right)
WH ->(?:whether|what|how|who|which|why|when|where|if)\b
"""

# Cues by group: `openers -> what follows them`, the openers a class or plain words.
_CUES = {
    # I cannot help with that
    "unable": r"""
I -> <ADV><CANT> <ADV><HELP>
I -> (?:could|wo|will|would)(?: not|n't) <ADV>(?:answer|help|assist|comply|provide|engage|be able|
    determine|confirm|verify|identify)\b(?! (?:but|it)\b)
WE -> <CANT> <ADV>(?:answer|help|assist|comply|respond)(?: to)?(?: with)? (?:you|your|that|this)\b
I -> (?:must|have to) (?:\w+ly )?(?:decline|refuse)\b
CANNOT ->(?: to)? (?:answer|help|assist|comply)(?: you)?(?: with)? (?:this|that|your|the) (?:question|
    request|query)
NOT -> something (?:that )?i (?:can|am able|will|could|have|know)\b
against violates violate outside beyond within ->(?: of)? my <W>(?:guidelines|programming|principles|
    polic(?:y|ies)|capabilities|abilit(?:y|ies)|scope|knowledge|expertise|training)
i and -> <DONT> <ADV>(?:feel comfortable|condone|support|promote|endorse|(?:hold|have) personal)\b
""",
    # I do not know
    "unknown": r"""
I -> <ADV>do(?: not|n'?t) <ADV>(?:know(?! about)|(?:have|possess|see|find|recall)(?! to\b) <W>(?:<INFO>|
    access\b|the ability))
i we -> (?:<CANT>|<DONT>|could(?: not|n't)|(?:are|were) unable to) <ADV>(?:find|locate|see|
    retrieve) (?:<W>(?:<INFO>|<DOC>)|anything|it\b|that\b|where|what|the\b|an?\b)
i we -> (?:found|see|located|retrieved) (?:no|nothing) <W>(?:<INFO>|<DOC>|about|on|in|that)\b
I ->(?: am)? (?:not (?:aware of|familiar with)|unaware)
I ->(?: have)? no (?:\w+ )?(?:idea|clue|information|knowledge|data|way of|access|record)
""",
    # The documents do not say
    "absent": r"""
DOC ->(?: (?:i (?:have|was given)|you (?:gave|provided|shared)|provided|given|available|above|retrieved|
    here)){0,2} <LACK>
GIVEN -> <DATA>(?: (?:here|above))? <LACK>
DATA -> (?:provided|given|available|supplied|i have|above|retrieved) <LACK>
none no neither ->(?: of)? <THE><DOC> <ADV>(?:<SAY>|contain|include|provide|cover|give|support|offer)(?:s|
    es)?\b
DEED -> <DONT> <ADV>(?:<SAY>\b|(?:provide|contain|give|include|offer) <W><INFO>)
it they -> <DONT> <ADV>(?:mention|state|specify|say(?! that)|(?:provide|contain|give|include|
    offer) <W><INFO>)
NOT nowhere -> <ADV>(?:<SAID>|provided|given|covered|available|included|contained|present|listed|defined|
    shown|supported|part of|clear|known|possible to \w+) (?:anywhere )?(?:(?:in|by|within|from|on|
    based on) )?<THE><DOC>
NOT nowhere -><BEEN> <ADV><SAID> (?:anywhere )?(?:in|by|within) <THE><W><DEED>
NOT -> (?:in|within|part of) <THE><DOC>(?! (?:where|of|in which|when))
no -> <W>(?:<INFO>|evidence|passages?|provision|clause|section|statement|basis)(?: [\w'\"-]+){0,8}? (?:in|
    within|from) <THE><DOC>
DOC DEED -> (?:contains?|ha(?:s|ve)|provides?|gives?|offers?|makes?|includes?) no <W><INFO>
DOC -> (?:is|are) silent
nothing -> in <THE>(?:<DOC>|<DEED>) <ADV>(?:<SAY>|suggest|about|cover|relat|answer|support)
""",
    # No information was found
    "none": r"""
there there's ->(?: (?:is|are|was|were|seems to be|appears to be))? no <W>(?:information|info|mention|
    details)\b
no -> <W>(?:information|info|evidence|passages?|documents?|results?|answer|data|mention|details?|sources?|
    records?|match(?:es)?)(?: (?:on|about|for|of|regarding|to)(?: [\w'-]+){1,8}?)? (?:was|were|is|are|
    has been|have been|could be|can be) (?:found|available|provided|given|located|identified|returned|
    retrieved|made)
CANNOT -> be <ADV>(?:answered|(?:determined|found|established|confirmed|verified|inferred) (?:from|
    based on|with|in|using|given|by) (?:what|<THE>(?:<DOC>|<DEED>)))
THAT ->(?: (?:is|falls|lies|seems|appears))?(?: to be)? (?:out of|outside|beyond|not within|not in|
    not covered|not related|unrelated|unanswerable)(?: of| by| to)?(?: the| my)? (?:scope(?! of (?:this |
    the )?(?:agreement|contract))|<THE><DOC>|what)
information answer detail -> (?:is|was) (?:not available|unavailable|missing|not provided|not included|
    not present)
""",
    # It is not clear; could you clarify?
    "vague": r"""
NOT -><BEEN> <ADV>(?:stated|specified|mentioned|indicated|documented|disclosed)(?= ?(?:[.!;:,\[]|$|<WH>|
    anywhere|here))
BE -> <ADV>un(?:known|clear|specified|stated)(?= ?(?:[.!;:,\[]|$|<WH>|from|based))
IT ->(?: is| was| remains)? not (?:\w+ly )?(?:clear|specified|stated|known|mentioned|indicated|
    possible (?:for me )?to (?:determine|answer|say|tell|give|provide|confirm|identify|specify|find|
    conclude))
NOT ->(?:(?<=do\snot)|(?<=does\snot)|(?<=n't)) seem (?:like|that|to (?:mention|have|be|relate|contain|
    provide|address))
insufficient -> <W>(?:information|context|data|evidence|details?|documentation)\b
NOT too without -> (?:enough|little|more|additional|further) (?:\w+ )?(?:information|context|data|evidence|
    details?)\b
I ->(?: would| will)? need (?:more|additional|further|to know|you to|to see|the) <W>(?:context|information|
    details?|documents?|provide|specify|clarify|which|what)\b
need -> more (?:context|information|details) (?:to|about|before)\b
could can would will -> you (?:please |kindly )?(?:clarify|specify|provide|share|tell me|rephrase|give me|
    upload|paste|send|elaborate|confirm which|attach|be more specific)
please -> (?:clarify|specify|rephrase|(?:provide|share|give)(?: me)? (?:more|additional|
    further) (?:context|information|details)|(?:provide|share|upload|paste|send|
    attach)(?: me)? <W>(?:context|information|details|document|text|passages?|question|contract|
    file) (?:so|you|and i|about what|in question|or|if)\b)
which what -> <W>(?:are you|do you|did you) (?:referring to|asking about|mean|have in mind|talking about)
I ->(?: am)? afraid (?:not\b|(?:that )?(?:i|we|this|that|there|it|no|the <THE>(?:<DOC>|
    answer))\b(?: [\w']+){0,12}?(?: (?:not|no|nothing|unable|unavailable|beyond|outside|unknown|cannot)\b|
    n't\b))
I ->(?: am)? (?:not (?:\w+ )?(?:sure|certain)|unsure|uncertain)\b
unanswerable ->
""",
    # As an AI, I do not ...
    "ai": r"""
as I ->(?: am)?(?: just| only)? an? (?:[\w-]+ ){0,2}(?:ai|language model|chatbot|
    assistant)\b[^.!?\n]{0,120}?(?:not|n't|cannot|unable|never)\b
""",
    # It is not appropriate to ask that
    "objects": r"""
IT THAT ->(?: is)? (?:not|never|neither) (?:\w+ (?:or|nor) )?(?:an? )?<FAIR>(?: (?:or|
    nor) \w+)? (?:for me )?to (?:ask|answer|discuss|suggest|make (?:\w+ ){0,2}?(?:assumption|generali|joke|
    judg|comment)\w*|provide|promote|speculate|say|encourage|engage|try|assign)
i -> <DONT> (?:think|believe) (?:it's|it is|that's|that is) (?:\w+ )?(?:<FAIR>|a valid)
question -> (?:\w+ ){0,3}?(?:is not|isn't|contains?|promotes?|implies) (?:\w+ ){0,3}?(?:appropriate|
    harmful|offensive)
""",
    # German, French, Spanish: the plain forms
    "foreign": r"""
ich -> (?:wei(?:ß|ss) (?:es |das |leider )?nicht|kann (?:\w+ ){0,4}?nicht (?:beantworten|helfen|sagen|
    finden))
nicht -> (?:in den|im|in der|in diesen) (?:\w+en )?(?:dokument(?:en)?|kontext|text|unterlagen|quellen?)
dokument dokumente kontext text unterlagen quelle quellen -> (?:enthält|enthalten|erwähn(?:t|en)|nenn(?:t|
    en)) (?:\w+ ){0,5}?(?:keine?|nichts?)\b
keine -> (?:informationen|angaben|antwort)\b
je -> ne (?:sais pas|peux pas (?:répondre|vous aider|aider)|trouve (?:pas|aucune)|dispose (?:pas|d'aucune))
document documents contexte texte textes source sources -> ne (?:\w+ ){1,2}?(?:pas|aucune?|rien)\b
aucune -> information
pas -> (?:\w+ )?dans (?:le|les|ces) (?:contexte|documents?|textes?|sources?)
no -> (?:lo )?sé\b| puedo (?:responder|contestar|ayudar)
no -> (?:tengo|dispongo de|hay|encuentro|encontré) (?:\w+ )?(?:información|datos|respuesta)
no -> (?:está|aparece|figura|se (?:menciona|indica|especifica|encuentra))n? en (?:el|los|este|
    estos) (?:contexto|documentos?|textos?|fuentes?)
documento documentos contexto texto textos fuente fuentes -> no (?:\w+ )?(?:menciona|contiene|indica|
    proporciona|especifica|incluye)n?
""",
}
# Ordinary phrases: they count only while no content came before.
LEADING = frozenset({"vague", "ai", "objects"})
# What follows these is mostly the reason for declining, not an answer.
REASONED = frozenset({"unable", "ai", "objects"})


def _read(table: str) -> list[tuple[str, str]]:
    """The rules of a table; a line without an arrow continues the one before."""
    rules: list[tuple[str, str]] = []
    for line in table.strip().splitlines():
        name, arrow, pattern = line.partition(" ->")
        if arrow:
            rules.append((name, pattern))
        else:
            rules[-1] = (rules[-1][0], rules[-1][1] + line.strip())
    return rules


_PART = dict(_read(_PARTS)) | {"DEED": "(?:" + _OPENERS["DEED"].replace(" ", "|") + r")\b"}


def _expand(pattern: str) -> str:
    for _ in range(3):  # parts may name parts
        pattern = re.sub(r"<([A-Z]+)>", lambda m: _PART[m[1]], pattern)
    return pattern.replace(" ", r"(?:[\s*_]{1,9})")


def _sources() -> dict[str, str]:
    """For each opening word the pattern of all its cues; words with the same cues share one."""
    by_word: dict[str, dict[str, list[str]]] = {}
    for group, rows in _CUES.items():
        for openers, rest in _read(rows):
            for name in openers.split():
                for word in _OPENERS.get(name, name).split():
                    by_word.setdefault(word, {}).setdefault(group, []).append(rest)
    return {
        word: "[a-z']+(?:" + "|".join(f"(?P<{group}>{'|'.join(rests)})" for group, rests in groups.items()) + ")"
        for word, groups in by_word.items()
    }


OPENERS = _sources()


@functools.cache
def compiled(source: str) -> re.Pattern[str]:
    """Compile on first use: most runs meet few of the openers, and all of them would slow every start."""
    return re.compile(_expand(source))


# Each cue holds one of these. Plain substring tests settle most answers without any regular expression.
_HINTS = """
not .n't .cannot.dont . no .nothing.none of.neither.unable.decline.refuse.against my.violates my.never.missing
insufficient.without .too little.silent.unaware.unknown.unclear.unsure.uncertain.unspecified.unstated.afraid
unavailable.unrelated.unanswerable.outside.beyond.out of.i need.need more.d need.ll need.please.you please
you clarify.you specify.you provide.you share.you tell.you rephrase.you give.you upload.you mean.you kindly
you paste.you send.you elab.you att.are you .do you.did you.harmful.offensive.nicht.keine.aucun. pas. rien
"""
HINTS = tuple(hint for line in _HINTS.strip("\n").splitlines() for hint in line.split("."))
TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?")
# A segment ends at white space after punctuation or before a turn. Only white space is tried: fast to find.
BREAK = re.compile(
    r"\s(?:(?<=\n)(?=\s{0,8}[-*•\d#>|\[{\"\n])|(?<=[.!?…;:]\s)|(?<=[.!?…][\"')\]*]\s)|"
    r"(?<=[.!?…][*\"')\]][*\"')\]]\s)|(?<!help\s)(?="
    r"(?:but(?!\s(?:also|it\s(?:is\s)?also)\b)|however|though|although|nevertheless|yet|while|whereas)\b))"
)
# A cue after these is a condition or somebody else's words, not the answer's own.
SUBORDINATE = re.compile(
    r"\b(?:if|unless|until|in case|whether|in the event|to the extent|where|whenever|when|because|since|"
    r"as long as)\b[^,:]*$|\b(?:says?|said|stat(?:es?|ed)|wrote|replie[sd]|answer(?:s|ed)|respond(?:s|ed)|"
    r"claim(?:s|ed))(?: that)?\W*$|\b(?:which|who)(?: \w+)? $"
)

_FILLERS = r"""
OPENING ->(?:\W|_)*(?:(?:but|however|though|although|so|therefore|instead|and|also|
    additionally) ?,? ?)?(?:sorry|unfortunately|i(?:'m| am) (?:\w+ly )?(?:sorry|happy|here|just|only|
    afraid|glad)|i(?:'d| would) (?:be|need|recommend|suggest|advise|encourage)|i (?:apologi[sz]e|
    understand|hope|can(?! confirm)|could|recommend|suggest|searched|looked|reviewed|checked|must|strongly|
    encourage|urge|only)|my (?:apologies|purpose|goal|role|training)|please|perhaps|thank|if (?:you|there|
    that|this|it)|feel free|let me|try|check|consult|contact|refer to|see|for (?:more|further)|is there|
    can i|would you|could you|do you|what|which|as an ai|based on|according to <THE><DOC> ?,|it(?:'s|
    is) (?:always |also |generally )?(?:important|recommended|best|advisable|worth|crucial|essential|
    illegal|unethical|never|not (?:<FAIR>|clear|possible|known|specified)|possible|likely|better|
    necessary))\b
ANYWHERE ->\b(?:you (?:may|might|can|could|should|would|will)(?: also| always| either)?(?: (?:want|need|
    wish|try|have) to| try)? (?:check|contact|consult|refer|ask|try|visit|look|search|reach|see|review|
    share|provide|upload|rephrase|seek|speak|call|find more|verify)|(?:closest|nearest|feel free|
    let me know|happy to (?:help|assist)|deals? with|next steps?)\b|only (?:\w+ ){0,2}?(?:mention|provid|
    discuss|cover|stat|address|talk|describ|contain|refer|includ|explain)|<DOC>(?: \w+){0,2}? (?:mention|
    discuss|cover|deal|focus|describe|talk|refer|concern|pertain|relate)(?:e?s)?\b|(?:recommend(?:ed)?|
    suggest(?:ed)?|advis(?:ed?|able)|best) (?:to|that|you|contacting|checking|consulting)\b)
"""
OPENING_FILLER, FILLER = (re.compile(_expand(pattern)) for _, pattern in _read(_FILLERS))
# Marks of an answer among reasons: a turn, a figure, a citation.
PIVOT = re.compile(
    r"(?:\W|_)*(?:but|however|though|although|while|whereas|that said|in general|generally|here)\b|.*[\d\[]"
)
MARK = re.compile(r"\[[^\[\]\n]{0,80}\]")
WORD = re.compile(r"[^\W_]+")

# Answers that are nothing but a token, by their words; a key before and citations behind are let go.
_WHOLE = """
not in context.not in the context.n a.not applicable.unanswerable.not answerable.no answer.no answer found
insufficient information.insufficient context.insufficient evidence.not enough information.not enough context
unknown.idk.i dont know.not found.not mentioned.not stated.not specified.not provided.not available.no comment
not in the documents.not in document.no information.no information found.no evidence.no evidence found.no data
no relevant information.no relevant passages.no results.none found.information not available.answer not found
cannot answer.can t answer.cannot say.out of scope.out of context
"""
WHOLE = frozenset(words for line in _WHOLE.split("\n") for words in line.split(".") if words)
KEYS = frozenset({"claim", "claims", "answer", "response", "text", "output", "final", "verdict", "result"})
EMPTY = frozenset({"citations", "citation", "sources", "source", "none", "null", "nil"})
PLAIN = (("’", "'"), ("‘", "'"), ("ʼ", "'"), ("“", '"'), ("”", '"'), ("\u200b", " "), ("\ufeff", " "))
# The opening of a quoted or JSON-like answer, let go so that its refusal does not read as a quotation.
WRAPPER = re.compile(r"[{\[\s]{0,9}[\"']?(?:claim|answer|response|text|output)s?[\"']?\s?:[{\[\s]{0,9}[\"']?")
CONCEDE = ("while ", "although ", "though ", "even though ", "whereas ")
