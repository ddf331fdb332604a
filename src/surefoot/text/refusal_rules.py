"""The grammar of declining: rules over the word classes of `refusal_words`; `refusal_grammar` compiles them.

A rule is a row of class names (capitals), words and groups as in regular expressions; <NAME> stands for a part.
W is any word and G any but relatives, conditions and duties ("that", "if", "shall"), which change who speaks;
`~` skips up to three G, `~~` up to nine, `-` up to three inside a noun phrase. `^` is the start of a clause, `=`
of a sentence, `#` of a headline, and `$` the end of a clause. Nothing crosses punctuation.
"""

# By family. The order matters: the first family that matches at a word names the decline.
RULES = {
    # The answer as a whole is withheld, whatever else was said
    "whole": """
(i|we) (must|WILL)? ~ leave (this|that|it|question|matter|point) (REQUEST|point)? (open|unanswered|blank|there|
    unresolved)
(i|we) ~ (withholding|withhold) (one|answer|it)
(this|question|matter|questions|parts|sides) REMAIN (open|unanswered|unresolved)
(i|we) <CANT> (give|offer|provide|supply|reach|venture|form) (you|to)? (reliable|definite|clear|firm|confident|proper|
    useful|meaningful|grounded|definitive|full|good|sound|safe)? (answer|conclusion)
(i|we) <CANT> answer (this|that|it|question|your|$)
""",
    # I cannot say; that is not something I do
    "unable": """
i (?!would NOT (?!know|be|want|like|feel|care)) <CANT> ~ (TELL|COMPLY|do|be) (?!but|it enough|enough|agree)
i WILL NOT help (?!but)
i <CANT> help (?!but) (with|you|this|that|COMPLY|TELL|$)
i ((must|WILL|HAVE to|WILL HAVE to)? AVOID|WILL (rather|prefer) NOT|BE NOT (in|at) (position|liberty))
(this|our|your|as|BOT) BOT <CANT> (TELL|do|HOLD)
we <CANT> (answer|say|tell|comment|respond|comply|assist|help|advise) (on|to|with|you|this|that|WH|REQUEST|from|$)
= (CAN NOT|UNABLE to|NOT able to) (JUDGE|comment|help|assist|advise|specify) (?!by)
NOT something (that|these|those|this)? (i|we|<ANY>)
i HAVE? G{1,12} (and|but|yet) (<CANT>|DO NOT) ~ TELL
something (that)? i (<CANT>|NOT)
i wish (that)? i CAN (?!NOT)
(against|violates|violate|outside|beyond|within) (of)? my W? (guidelines|programming|principles|policy|policies|
    capabilities|capability|ability|abilities|scope|knowledge|expertise|training|remit|role|reach|competence)
(outside|beyond|exceeds|past) (of)? what (i|we|this|BOT)
i DO NOT (condone|support|promote|endorse|encourage|feel|hold) (?!it|them)
i (offer|give|express|take|make|HAVE) (no|NOT) (opinion|opinions|view|views|comment|feelings|beliefs|personal)
""",
    # I do not know, have or find it
    "unknown": """
i DO NOT (know|see|find|recall|detect|spot|locate) (?!about it)
i DO NOT (have|possess|hold) (?!to)
i HAVE NOT (got|seen|found|located|come|been|had|access|read)
i BE NOT (SENT|SAID|trained|told|aware|familiar|privy|sent|handed)
i HAVE? G{1,12} (and|but) (found|find|see|saw) (no|nothing)
i HAVE got? (no|nothing|neither|little|NOT enough|FEW|trouble)
(i|we) lack
i CAN neither
i BE (struggling|failing|at loss)
i BE NOT (comfortable|willing|prepared)
i HAVE? (found|find|see|saw|seen|located|identified|spotted) (no|nothing|neither|none|little)
i HAVE? (came|come) (up|back|away)? (with|across)? (empty|blank|nothing|no)
i BE (unaware|unfamiliar)
i (BE|HAVE been) NOT successful
i DO NOT (manage|succeed) (to|in)
i HAVE? no (luck|success)
i HAVE? (fail|failed) to (find|locate|see|spot|identify)
i BE (missing|drawing blank|in dark|NOT (seeing|finding))
(i|we) (come|coming|came|came away|BE coming) (up)? (short|empty)
i HAVE? (looked|searched) ~~ in vain
(i|we) (HAVE to|WILL HAVE to|CAN only) (guess|leave you)
i HAVE NOT (spotted|noticed|managed)
(answer|it|this|that) WILL (need|require|take) (- (TEXT|PAPER|NORM)|full|complete|whole|rest)
no answer BE? possible
i CAN only (guess|speculate|help|assist|answer)
i (must|WILL|HAVE to|WILL HAVE to) pass (on|$)
one CAN NOT (say|tell|know) (WH|from|if)
you (CAN|WILL) NOT find W{0,3} (in|among) ~ <ANY>
(i|search) HAVE? (drew|drawn|draw) blank
= (found|find|see) (no|nothing)
i HAVE NOT (INFO|PIECE)
we found nothing (?!to|wrong|else)
i HAVE? (read|searched|looked|checked|been|went|gone) ~~ (no|without) (mention|sign|trace|luck|success|result|finding)
i ~~ without success
(search|i) ~~ unsuccessful
i BE afraid W{0,12} (NOT|no|nothing|UNABLE|ABSENT|beyond|outside)
i WILL (need|require|have to (see|know|have|look)|want to (see|know))
we DO NOT (know|see|find|HAVE|possess|hold) ~ (INFO|access|enough|sufficient)
we HAVE? (found|find|see|have|located) (no - (INFO|record)|nothing (about|on|in|regarding))
we (<CANT>|DO NOT) (find|locate|see|retrieve|identify|trace) W{1,12} (in|within|among|from) ~ <SOURCE>
we (<CANT>|DO NOT) (find|locate|see|retrieve|trace) ~ (INFO|PIECE) (SAYING|ABOUT|in|$)
without finding
^ no (idea|clue|luck) (?!that)
= none (found|SAID|GIVEN) $
= DO you mean
= NOT answerable
= NOT that (i|we) CAN (find|see|tell)
= (unknown|unavailable|UNSAID) $
you HAVE NOT (told|said|SENT|SAID)
^ DO NOT (know|HAVE) (INFO|that|it|$|WH|enough|about)
(search|searches|lookup|look|retrieval|query|index) ~~ HAVE? (returned|found|gave|yielded|produced|turned|came) (up|
    back)? ((no|zero) - (INFO|PIECE)|nothing|empty|blank)
(unknown|unclear|unavailable|NOT (known|clear|available|visible)) to $
""",
    # The source does not tell
    "silent": """
(no|none|NOT one|nothing) (of|in|here|there)? G{0,4} (concerns|concern|deals|relates|bears|points|sets|gives|
    answers|lets)
nothing (there|here|i|we|in it|in them) G{0,4} (SAYS|SPEAK|gives|sets|about|on|lets|points)
no (mention|answer|word|hint|statement|sign|trace|indication) (to|of|on|about|regarding)? (that|this|
    it)? G{0,5} (<WHERE>|in <ANY>|there $)
(get|gets|find|finds|got) no mention
(PAPER|EXCERPT) <MODS> BE (no help|NOT (clear|explicit|specific|about|of help))
(PAPER|TEXT) <MODS> (sets|has|have|quotes|sets out) no (FACT|INFO|such) (?!limit)
(PAPER|TEXT) <MODS> <DONT> (bring up|have ~ (FACT|INFO)|let on)
(TEXT|search results) <MODS> <DONT> ~ (SAY|HOLD)
(information|data|evidence|details) (GIVEN|SENT|i|you) <MODS> <DONT> (SAY|HOLD)
(GIVEN|SENT) (information|data|evidence|details) <DONT> (SAY|HOLD)
PAPER <MODS> <DONT> (REMAIN to)? (SAY|cover|contain|include|feature|HOLD ~ INFO|offer|provide|extend)
record <DONT> SPEAK
<ANY> G{1,12} (and|but|yet) <DONT> SPEAK
<SOURCE> G{1,12} (and|but|yet) SAYS (no|nothing)
no (point|place|stage) DO ~~ SAY
no (part|PIECE|page) of - <ANY> ~ (SAYS|SPEAK)
NORM <MODS> <DONT> (REMAIN to)? (SPEAK|HOLD ~ INFO|give (?!rise|right|rights|W right|effect))
(it|they|which|neither|none) (one|of them)? <DONT> (REMAIN to)? (SPEAK|give - INFO|HOLD ~ INFO)
<ANY> <MODS> (BE|HAVE been|REMAIN) (SILENT|vague|UNSAID)
<SOURCE> G{1,8} but (no|nothing) (?!longer)
NORM as (GIVEN|SENT|excerpted|TOLD) (SPEAK|give|gives|HOLD) (no|nothing|neither)
<SOURCE> <MODS> BE confined to
EXCERPT <MODS> BE (limited|restricted) to
(part|parts|bit|bits) <MODS> <DONT> (SPEAK|HOLD)
(information|data|details|material) <MODS> <ISNT> (enough|sufficient|there $)
EXCERPT <MODS> <DONT> (?!RULE) W
EXCERPT <MODS> <ISNT> (?!RULED) W
EXCERPT G{1,12} rather than
(i|we) ((was|were|HAVE been) (given|shown|handed|sent|SENT)|HAVE|CAN see|see|read|reviewed|received) <DONT> (SAY|HOLD)
EXCERPT <MODS> (?!RULE|BE|say|says|state|states) W (no|nothing|neither|little)
TEXT <MODS> BE (unrelated|of no (help|use)|NOT relevant|irrelevant)
(<ANY> <MODS>|it|they) (keep|keeps) SILENT
NOT word (about|on|of)
(EXCERPT|<SOURCE>) <MODS> only? (SAY|HOLD|concern) G{0,12} (but|and) NOT W
<ISNT> INFO ~ <ANY>
REMAIN open (question|point|issue|matter)
<ANY> <MODS> (SPEAK|SAY|HOLD|made|gave|said) (nothing|no ~ (INFO|PIECE (ABOUT|SAYING|$)))
<ANY> <MODS> (shed|sheds|throws|throw|casts) (no|little)
afraid that? ~ <SOURCE> only (SAY|HOLD)
nothing (i|we|you) G{1,4} (SAYS|SPEAK)
<SOURCE> <MODS> (?!show|shows) (SPEAK|gives|give|gave) (no|neither|little)
<SOURCE> <MODS> (show|shows) no - (INFO|FACT)
TEXT <MODS> (HOLD) (no|neither|little|FEW)
PAPER <MODS> (contains|contain|provides|includes|offers|carries|holds) (no|neither|FEW)
<ANY> <MODS> (omits|omit|lacks|lack|skips|skip|lacked)
<ANY> <MODS> OMIT (short|out|to (SAY|HOLD)|W{1,5} (out|blank|open|unanswered|UNSAID)|UNSAID|open|blank|undefined)
<SOURCE> <MODS> (stops|stop|ends|end|breaks|cuts) (at|before|after|off|short|in)
<SOURCE> <MODS> (begins|starts) (only|after|in)
(it|they) (SPEAK|SAYS|HOLD|make|makes) (nothing|no - (INFO|PIECE))
(it|they) (omits|omit|lacks|lack|leaves W{1,3} out|stops short)
(says|say|mentions) nothing (about|of|on|regarding|concerning|as|$)
<ANY> <MODS> BE missing
neither ~ SAYS
neither ~~ nor ~~ (?!TEXT|PAPER|INFO) (SPEAK|SAYS)
what (i|we|you) G{1,5} <DONT> (SAY|HOLD)
^ none (gives|mentions|says|states|names|covers|contains|addresses)
(none|neither) of? - (TEXT|PAPER|NORM|them|these|those|that|this|it|which) ~ (BE about|BE on|BE relevant|(has|
    have) (on|about)|concerns|SAY|helps|help|contains|contain|covers|cover|provides|provide)
no W? (TEXT|PIECE|PAPER) ~ (SAYS|SPEAK)
nothing <IN> of? - (<SOURCE>|what W{1,5}) (<MODS> (SAY|HOLD)|about|on|relevant)
nothing <IN> - NORM (<MODS> SPEAK|about|on)
nothing <IN> of? - <SOURCE> $
^ nothing (about|on|regarding|concerning|SAID|GIVEN) (?!W? NORM) W{0,8} $
there BE nothing (<IN>|about|here|that|regarding|concerning|to (go|base|work|TELL))
nothing BE (SAID|GIVEN) (about|on|in|regarding|concerning|as|$)
""",
    # It is not told in the source
    "untold": """
<ISNT> TOLD (out|on|upon|up|down|to|over|with|into)? ($|there|elsewhere|<WHERE>|WH|for|separately|beyond|SAID)
<ISNT> (SAID|clear) (out|on|upon|up|down|to|over)? (<WHERE>|WH|separately|beyond)
<ISNT> (GIVEN|SAID) (to W)? <HERE>
<ISNT> (part of|<IN>) of? - (<SOURCE>|record|there $) (?!of)
<ISNT> among ~ (GIVEN|SENT)
<ISNT> to be (found|seen|had|JUDGED) (<WHERE>|$)
nowhere to be (found|seen)
<ISNT> (?!RULED) W (with|to|out|on|for|off|down)? (<IN>|by) of? - EXCERPT
(no|nothing|none) G{0,8} (in|among|from|across|within) (- EXCERPT|(these|this|your) TEXT|G{1,4} (?=i|we|you) <SHOWN>)
CAN NOT be W (out|up)? (from|off) (what|- (<SOURCE>))
too (thin|little|vague|short|few|sparse) ~ to (reach|say|tell|answer|draw|form|determine|judge)
(BE|REMAIN) (left)? (open|unresolved|unsettled) (in|by|on) ~ <ANY>
no - (PIECE|INFO|FACT|rule) ~~ <GOT> (SENT|among)
<ISNT> (among|one of) ~ (topics|points|items|subjects|matters|figures|numbers|questions|things|them|$)
<ISNT> (topic|subject|matter|question) (in|these|those|<ANY>)
<ISNT> (broken|laid|set) (down|out|up) (by|<WHERE>|$)
<ISNT> <IN> (what (i|we|you)|(my|our) W{0,2} <ANY>)
HAVE NOT been possible (for W?)? to
HAVE NOT (turned|come|shown|cropped) up
DO NOT (emerge|follow|transpire|result) from ~ <ANY>
<ISNT> (apparent|evident|noted|referred|hinted|visible|obvious) (to|at)? ($|from|<WHERE>)
<ISNT> (taken|treated|raised|tackled|picked|handled|brought|settled|fixed|covered) (up|with)? (<IN>|
    by) of? - (PAPER|TEXT|there $)
<ISNT> (there|in there|in my W{1,2}) $
there BE no W{1,3} (to be found|that i CAN|as far as i|in there $|in it $)
(question|point|topic|issue|subject|matter|what you ask) <ISNT> (covered|answered|settled|SAID)
no mention BE made
<ISNT> W (with|for|on|down|out)? (in|by|among|within|on|of) G{0,6} <SHOWN>
<ISNT> (SAID|regulated|reproduced) (out|on|with)? here
# NOT (SAID (out|on|up|down)? <WHERE>|GIVEN <HERE>) (?!W{0,4} (BE|WILL|CAN|HAVE|BARRED))
# NOT TOLD (out|on|up|down)? $
(INFO|PIECE) ~~ <ISNT> (GIVEN|SAID) ($|<HERE>)
# INFO G{0,4} NOT (GIVEN|SAID) ($|<WHERE>) (?!W{0,4} (BE|WILL|CAN|HAVE|BARRED))
# NOT <IN> of? - <SOURCE> (?!of|WH)
<ANY> W? <ISNT> (SENT|among|part of) (?!W)
<ISNT> (indexed|uploaded|ingested|loaded) $
no ~~ <GOT> (TOLD|on file|<IN> - <SOURCE>) (out|on|up|for)? ($|<WHERE>|WH|as far)
no ~~ <GOT> (SAID|GIVEN) <HERE>
no (?!assurance|assurances|guarantee) - CAN be (found|located|identified|determined|established|given|traced|inferred)
no - (INFO|PIECE) ~~ <GOT> (GIVEN|TOLD) (?!to|by)
(none|neither) ~~ <GOT> (TOLD|GIVEN <HERE>|<IN> - <ANY>)
DO NOT (feature|appear|come|show|figure|crop|turn|surface|occur|arise) (up)? (<WHERE>|in $|$)
(no|neither) ~~ (turns|turn|comes|come|shows|show|crops|appears|appear|features) (up $|(up)? <WHERE>)
(appears|appear|BE|features|SAID) nowhere (in|within|to|SAID|$)
nowhere (BE|DO|<IN>|SAID) ~ (SAID|SPEAK|<ANY>)
(BE|REMAIN|HAVE been) UNSAID ($|WH|if|<WHERE>|to|as|on)
(BE|HAVE been) left UNSAID
(BE|REMAIN|HAVE been) ABSENT (in|from|by) ~ <ANY>
(BE|HAVE been) left (out|off|blank|open) (of|in|by|from)? ~ <ANY>
(INFO|PIECE|TEXT|FACT) ~~ (BE|REMAIN) (missing|absent|unavailable|unknown|lacking|illegible) ($|(in|from) ~ <ANY>)
# (UNSAID|ABSENT) <WHERE>
# UNSAID $
# INFO G{0,4} ABSENT $
FACT ~~ <ISNT> (provided|supplied|available|found|included) $
""",
    # There is no information
    "none": """
there (REMAIN to)? BE (no|NOT|FEW|too little) - INFO (?!that|to be)
there (REMAIN to)? BE (no|NOT) - evidence <HERE>
there (REMAIN to)? BE (no|NOT) - PIECE (about|on|regarding|concerning|relating|SAYING|which SPEAK|that SPEAK)
there (REMAIN to)? BE (NOT enough|NOT sufficient|too little|FEW) (here|to)
there (REMAIN to)? BE no (way (of|to) ~ (TELL|SAYING|knowing)|telling|knowing|saying)
there DO NOT REMAIN to be - (INFO|PIECE)
there (REMAIN to)? BE (no|NOT) ~~ (in|among|within) (what|~ (GIVEN|SENT) TEXT|~ TEXT (GIVEN|SENT|i|you|above))
^ no - INFO (ABOUT G{0,10})? $
^ no - (INFO|PIECE) (on|about|regarding|concerning|for) W{1,10} <WHERE>
^ no - <HERE> $
^ no - INFO (SAID|GIVEN) $
no (TEXT|PAPER) (came|arrived|BE (SENT|attached)|reached)
CAN NOT be answered
CAN NOT be JUDGED (out|up|down)? ($|from|on|with W{0,2} (INFO|TEXT)|using|in|based|here|WH|given)
(BE|WILL be|REMAIN) (NOT possible|impossible) (for W?)? to (say|tell|find|locate|answer|determine|establish|confirm|
    give|provide|
    identify|verify|know|conclude|infer|specify)
(BE|REMAIN|WILL be) HARD <TO> (say|tell|answer|judge|know|work|determine) ($|from|WH|based|on|without|out)
^ (HARD|NOT possible) (for W?)? to (say|tell|answer|know|determine|establish|judge|give|confirm|be)
(this|question|query|topic|it|REQUEST|^ that) (BE|falls|lies|goes|sits)? (outside|beyond|NOT within|NOT covered|
    unrelated|
    out of|NOT related|NOT answerable) (of|by|to)? (scope (?!of W? NORM)|remit|~ <SOURCE>|what)
(BE|falls|fall|lies|lie|goes|go) (outside|beyond) (of)? ~ (TEXT|PAPER|what)
(FEW|NOT enough|too little|NOT sufficient) W? (INFO|PIECE) (?!that)
(FEW|NOT enough|too little) (here|to (answer|say|tell|go))
^ (answer|question) (is|BE)? (NOT <IN>|ABSENT|UNSAID)
so no (INFO|W) $
<ANY> ~ (BE|HAVE been) (truncated|cut off|illegible|corrupted) (CONJ|$)
""",
    # It is unclear; which one is meant? These are ordinary words, so they count only where an answer opens.
    "vague": """
it BE NOT (SAID|clear|obvious|apparent) ($|WH|if|from|to|based)
WILL only? be ~ GUESS
i (need|require) (more|additional|to (know|see|have|look)|you|your|W{0,4} (INFO|TEXT|PAPER|NORM|of))
<SOURCE> <MODS> DO NOT $
need (more|additional) - INFO (to|about|before|$)
(CAN|WILL) you (kindly|please)? (ASK|be more|let)
please ASK with? - (TEXT|PAPER|NORM|INFO|question|WH|link|it) (so|you|and|about|in|or|if|to|$)
(which|what) ~ (BE|DO) you (referring|asking|mean|have|talking|interested|looking|thinking)
i BE (NOT ~ (sure|certain|confident)|unsure|uncertain)
DO NOT REMAIN (like|that)
(attachment|file|upload|document|link|pdf|image) ~ (DO NOT|CAN NOT|failed|HAVE NOT|BE|REMAIN to be) (upload|come|
    arrive|load|open|
    attach|through|empty|blank|missing|corrupt|uploaded|be|to)
unanswerable
""",
    "ai": """
(as|i) BE? only? W{0,3} BOT W{0,3} ,? W{0,9} (NOT|UNABLE)
""",
    # It is not right to ask that
    "objects": """
(it|that|this) BE (NOT|neither) (W (or|nor))? FAIR (or W)? <TO> (ask|TELL|COMPLY|encourage|assign|try)
i DO NOT (think|believe) (it|that) BE W? FAIR
question ~ (BE NOT|contains|promotes|implies|assumes) ~ (FAIR|harmful|offensive)
""",
    # German, French and Spanish
    "foreign": """
(weiß|weiss|finde|sehe) (ich|wir) ~ DE_NOT
(ich|wir) ~~ (weiß|weiss|wissen|finde|habe|kenne|sehe) ~~ DE_NOT
(ich|wir) ~ DE_CAN ~~ DE_NOT ~~ DE_TELL
(kann|darf|möchte|will|konnte|werde) (ich|wir) ~~ DE_NOT ~~ DE_TELL
DE_CAN (sich|ich)? ~~ nicht ~~ (DE_TELL|DE_SAID) (werden|worden)? (?!,)
(geht|gehen|ergibt) ~~ nicht ~~ (hervor|$)
(liegt|liegen) ~~ DE_NOT ~~ vor
(wird|werden|wurde|wurden|ist|sind) ~~ DE_NOT ~~ DE_SAID
(steht|stehen|findet|finden) ~~ DE_NOT ~ (in|im|auf|zu|$)
(nicht|nichts) (in|im|aus) ~ DE_SRC
DE_SRC ~ DE_SAY ~~ DE_NOT
(keine|keinerlei|kein|keinen) W? DE_INFO
(fehlt|fehlen) ~ (in|im|jede|jegliche) ~ (DE_SRC|DE_INFO)
(nicht|nichts) (DE_SAID|gefunden) (in|im|$)
FR_I FR_NE W? FR_CAN W{0,4} FR_PAS
(ne|n') ~ FR_CAN pas
FR_SRC ~ FR_NE W? FR_SAY ~ FR_PAS
(il|elle|ils|elles|ce|cela|qui) FR_NE W? FR_SAY ~ FR_PAS
FR_NE (figure|figurent|apparaît|apparaissent|ressort) pas
FR_NE (est|sont|ont|était) pas (été)? W? (FR_SAID|possible|dans)
FR_NE permet pas
impossible de ~ FR_TELL
(aucun|aucune|pas de|pas d'|peu de) ~ FR_INFO
(FR_INFO|FR_SRC) ~ (absente|absent|absents|absentes|manquante|manquantes|introuvable|insuffisantes|insuffisants)
(absent|absente|absents|absentes) (du|de|des|dans) ~ FR_SRC
^ W{0,4} non FR_SAID
rien ~ (dans|sur|concernant|à)
pas ~ dans ~ FR_SRC
no ES_I
no (he|hemos) (encontrado|podido|localizado|hallado)
no (es|resulta|fue) posible
(no|ni) W{0,2} ES_SAY ~ (en|$|de)
no se W? (ES_SAY|puede ES_TELL|ha ~ (encontrado|especificado|indicado))
ES_SRC ~ no W{0,2} ES_SAY
no (hay|existe|existen|consta) W? ES_INFO
(ninguno|ninguna) ~ ES_SRC ~ (ES_SAY|no)
imposible ES_TELL
(falta|faltan) ~ (en|ES_INFO)
(desconozco|desconocemos|ignoro|desconoce)
sin ES_INFO (sobre|en|de|$)
""",
}
# Ordinary phrases: they count only while no content came before.
LEADING = frozenset({"vague", "ai", "objects"})
# What follows these is mostly the reason for declining, not an answer.
REASONED = frozenset({"whole", "unable", "ai", "objects"})
# Families where the absence may itself be what was asked ("No, it is not mentioned"), or somebody else's words.
ABSENCE = frozenset({"silent", "untold", "none"})

# Every decline holds one of these: texts without them need no rules.
HINTS = (
    "NOT no nothing none neither nowhere FEW too UNABLE AVOID UNSAID ABSENT OMIT SILENT HARD GUESS outside "
    "beyond against violates violate rather prefer unaware unfamiliar wish without withhold withholding stops "
    "ends begins starts breaks cuts confined limited restricted leave REMAIN empty lack afraid zero struggling "
    "unsuccessful unrelated irrelevant pass failing loss need require you please unsure DE_NOT fehlt fehlen FR_NE "
    "aucun "
    "aucune pas rien non "
    "impossible absent absente manquante manquantes introuvable ni ninguno ninguna imposible falta faltan "
    "desconozco desconocemos ignoro desconoce sin"
)
