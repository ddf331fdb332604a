"""Word classes for `refusals`: every known word becomes a character that stands for all its classes.

"report" is a source and a verb of telling at once. Words with the same set of classes share one character, so
an answer turns into a short string, and a rule of `refusal_rules` into a regular expression on that string.
"""

from collections.abc import Iterable

# Verbs that tell of information and little else, and verbs that may but need not
_STRICT = """mention state specify say disclose indicate discuss describe identify name explain tell reveal clarify
detail document reference report answer elaborate comment quote cite acknowledge quantify itemise itemize
outline articulate stipulate spell address list record touch speak refer publish show enumerate log"""
_TOLD = """mention state specify say disclose indicate discuss describe explain reveal clarify detail document reference
elaborate quote cite outline articulate stipulate spell address list touch show name give answer report deal"""
_LOOSE = """give define confirm establish deal relate pertain bear concern suggest account supply present settle
resolve regulate govern go get delve dwell break attribute point express talk expand set make rule pinpoint"""
# What a text does with its content, and what a reader does with a text
_HOLD = """contain include provide cover offer carry feature hold support permit allow let help enable extend yield
display reach have"""
_JUDGE = """determine establish confirm verify infer ascertain compute calculate derive deduce supply give provide
identify tell judge assess compare say state report locate find resolve settle conclude glean gather draw read see
make work answer discern gauge pinpoint evaluate trace extract substantiate know"""
_TELL = """estimate speculate guess advise assist share respond reply view summarise summarize translate vouch commit
decide pin opine detect rank predict forecast look piece deliver produce search check put call return furnish pronounce
extrapolate hazard invent shed spot access open retrieve break match comment recommend"""
# What a refusal on grounds of safety adds
_COMPLY = """comply fulfill fulfil engage create generate write support promote condone encourage endorse participate
reproduce draft plan guide teach process continue proceed express satisfy complete perform facilitate enable design
devise prepare release divulge diagnose prescribe contribute suggest recommend"""
# Participles said of what a source does not tell, and those said of goods and services as well
_SAID = "given defined set broken attributed clear evident spelt legible visible noted"
_GIVEN = """supplied found located available present part considered assigned retrieved confirmed verified established
determined"""
_FORMS = {  # irregular participles, and verbs that double a consonant
    "say": "said", "tell": "told", "give": "given", "show": "shown", "find": "found", "set": "set",
    "spell": "spelled", "speak": "spoken", "break": "broken", "deal": "dealt", "make": "made", "know": "known",
    "hold": "held", "go": "gone", "get": "got", "write": "written", "see": "seen", "read": "read", "put": "put",
    "draw": "drawn", "bear": "borne", "refer": "referred", "infer": "inferred", "permit": "permitted",
    "commit": "committed", "let": "let", "log": "logged", "have": "had", "omit": "omitted", "leave": "left",
}  # fmt: skip


def _third(verb: str) -> str:
    if verb[-1] == "y" and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return {"have": "has"}.get(verb) or verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "go")) else "s")


def _past(verb: str) -> str:
    if verb in _FORMS:
        return _FORMS[verb]
    if verb[-1] == "y" and verb[-2] not in "aeou":
        return verb[:-1] + "ied"
    return verb + ("d" if verb[-1] == "e" else "ed")


def _ing(verb: str) -> str:
    if verb in {"refer", "permit", "commit", "set", "get", "let", "log", "put", "pin"}:
        return verb + verb[-1] + "ing"
    return (verb[:-1] if verb[-1] == "e" and verb != "see" else verb) + "ing"


def _verbs(*lists: str) -> list[str]:
    return [verb for verbs in lists for verb in verbs.split()]


def _present(*lists: str) -> list[str]:
    return _verbs(*lists) + [_third(verb) for verb in _verbs(*lists)]


def _participles(*lists: str) -> list[str]:
    return [_past(verb) for verb in _verbs(*lists)]


CLASSES: dict[str, list[str]] = {
    "SPEAK": _present(_STRICT),
    "SAY": _present(_STRICT, _LOOSE),
    "HOLD": _present(_HOLD),
    "HELD": _participles(_HOLD),
    "TELL": _verbs(_STRICT, _LOOSE, _JUDGE, _TELL),
    "JUDGE": _verbs(_JUDGE),
    "JUDGED": _participles(_JUDGE),
    "COMPLY": _verbs(_COMPLY),
    "SAID": [*_participles(_STRICT), *_SAID.split()],
    "GIVEN": [*_participles(_HOLD), *_GIVEN.split()],
    "SAYS": [_third(verb) for verb in [*_verbs(_STRICT), "give", "cover", "contain", "provide", "include", "deal"]],
    "TOLD": _participles(_TOLD),
    "SAYING": [_ing(verb) for verb in _verbs(_STRICT, _LOOSE, _HOLD)],
} | {
    name: listed.split()
    for name, listed in {
        "BE": "is are was were be been being am ai",
        "REMAIN": "remain remains remained stay stays stayed seem seems seemed appear appears appeared stand stands",
        "HAVE": "have has had having",
        "DO": "do does did",
        "CAN": "can ca could",
        "WILL": "will wo would",
        "NOT": "not never",
        "FEW": "insufficient inadequate scant",
        "WH": "whether what how who whom whose which why when where",
        "PREP": "of to in for on with by from at about as under than",
        # What else may open the complement of a noun, and what cannot stand inside one
        "LINK": "between among within against per via during after before through throughout regarding concerning "
        "covering governing relating pertaining dealing dated signed countersigned concluded made executed entered "
        "issued drafted drawn written prepared agreed sent received published adopted approved filed cited quoted "
        "listed named entitled titled called amended renewed attached submitted",
        "PRONOUN": "i we you they it he she there",
        "PARTY": "supplier suppliers tenant tenants landlord landlords lessee lessor buyer buyers seller sellers "
        "purchaser vendor vendors customer customers client clients employee employees employer contractor "
        "contractors subcontractor party parties borrower lender insurer insured licensee licensor provider "
        "guarantor owner agent trustee company bank notices payments claims obligations",
        "BARRED": "shall may must should might will would wo longer later whether need",
        "START": "so but hence thus therefore however though although because since as sorry nope then",
        "AFTER": "so but hence thus therefore however though although while whereas because since",
        "LEGAL": "shall herein hereof hereto hereby hereunder hereinafter thereof thereto therein thereunder pursuant "
        "notwithstanding foregoing deemed construed undersigned aforesaid confidential intentionally registrant",
        "CONJ": "and so but or hence thus therefore however though although while whereas yet because since as "
        "sorry nope then",
        "RELATIVE": "that who",
        "TURN": "but however though although while whereas nevertheless nonetheless",
        "COND": "if unless until when whenever where wherever once because since event extent circumstances wenn "
        "falls sofern lorsque cuando si",
        "QUOTING": "said says say stated states replied replies wrote writes told noted notes argued argues claimed "
        "claims warned warns held finds found concluded concludes admitted explained reported reports complained "
        "pointed observed remarked objected",
        "UNABLE": "unable incapable reluctant hesitant unwilling powerless unqualified",
        "WILLING": "able allowed permitted authorised authorized prepared willing comfortable going equipped designed "
        "trained qualified programmed inclined ready supposed configured",
        "AVOID": "decline refuse refrain abstain avoid",
        "BOT": "assistant bot chatbot model tool ai",
        "REQUEST": "question request query questions one",
        "UNSAID": "unclear unspecified unstated undisclosed unreported undocumented unmentioned unaddressed "
        "unanswered unanswerable undetermined unrecorded unquantified unexplained unidentified inconclusive "
        "indeterminate",
        "ABSENT": "missing absent omitted unavailable unknown lacking blank redacted truncated inaccessible "
        "illegible uncertain unreadable unnamed undefined",
        "OMIT": "omits omit omitted lacks lack lacked skips skip leaves leave left stops stop fails fail failed "
        "neglects ignores excludes",
        "SILENT": "silent mute mum quiet blank",
        "SENT": "included attached uploaded indexed supplied shared provided loaded ingested retrieved reproduced "
        "enclosed produced given scanned",
        # Texts at hand; documents that inform; documents that rule, where an absence may itself be the answer
        "TEXT": "context contexts document documents passage passages text texts excerpt excerpts extract extracts "
        "source sources snippet snippets materials file files corpus doc docs bundle papers page pages "
        "readme documentation workspace index database dataset collection repository upload attachment attachments "
        "content wiki pdf scan chunk chunks library archive paragraphs input inputs base kb pack packet "
        "folder here version portion body rest",
        # Texts that do nothing but tell; what rules do, and what is done by rules
        "EXCERPT": "passages excerpts excerpt extracts snippets",
        "RULE": "apply require allow permit prohibit affect restrict limit prevent bind need oblige entitle mean",
        "RULED": "allowed permitted required needed entitled obliged liable responsible valid applicable binding due "
        "payable charged refundable paid exempt excluded insured bound subject",
        "PAPER": "report reports manual manuals guide guides leaflet brochure memo memos memorandum minutes filing "
        "filings handbook factsheet datasheet sheet table tables chart section sections chapter chapters summary "
        "summaries article articles bulletin letter letters email emails log logs prospectus "
        "study survey appendix annex exhibit invoice notice form questionnaire certificate profile register "
        "presentation slide slides deck footnote footnotes note notes abstract newsletter faq website listing "
        "catalogue catalog specification spec instructions label budget ledger circular briefing dossier review "
        "inventory release announcement entry proposal tender brief judgment ruling opinion timetable publication "
        "story post thread booklet pamphlet paragraph fragment portion wording transcript transcripts changelog "
        "handout flyer poster syllabus textbook novel blog essay recipe diagram screenshot spreadsheet agenda "
        "itinerary "
        "roster biography interview testimony affidavit petition verdict worksheet dashboard "
        "ticket statement paper records quote quotes quotation quotations",
        "NORM": "contract contracts agreement agreements policy policies lease clause clauses plan warranty licence "
        "license terms conditions deed law act regulation regulations guarantee schedule schedules amendment "
        "amendments rules "
        "code statute statutes ordinance points call facts decree convention protocol sla eula dpa guideline programme "
        "strategy roadmap tariff audit inquiry assessment evaluation analysis checklist outline insert overview "
        "bylaws constitution treaty directive charter provision provisions scheme offer order rider "
        "addendum standard guidelines rulebook procedure nda ndas leases sublease subcontract",
        # What an answer would consist of, and the pieces of text that would hold it
        "INFO": "information info data detail details figure figures mention mentions reference references "
        "indication answer answers specifics documentation guidance breakdown explanation description word "
        "clue hint statistics insight insights instructions results result hits "
        "context particulars discussion match matches confirmation trace",
        "FACT": "list date dates name names amount amounts number numbers total value values breakdown rate reason "
        "reasons cause count address size weight length figure price",
        "PIECE": "passage passages sentence sentences line lines clause clauses provision provisions section sections "
        "paragraph paragraphs document documents text texts page pages file files record records "
        "article articles excerpt excerpts row rows basis evidence chapter snippet snippets",
        "ABOUT": "about on for regarding concerning relating related addressing describing dealing covering that "
        "which pertaining touching relevant to of",
        "FAIR": "appropriate ethical respectful acceptable okay fair right responsible",
        "HARD": "impossible hard difficult tricky tough",
        "GUESS": "guess guesswork speculation speculative speculating guessing conjecture irresponsible misleading",
        "ASK": "clarify specify provide share rephrase upload paste send resend elaborate attach forward supply "
        "narrow confirm tell give point",
    }.items()
}
_FOREIGN = {  # German, French and Spanish
    "DE_NOT": "nicht nichts kein keine keinen keiner keinerlei nirgends",
    "DE_CAN": "kann können konnte konnten darf dürfen möchte werde könnte lässt lassen ließ ist sind",
    "DE_TELL": "beantworten sagen geben helfen finden nennen feststellen bestätigen beurteilen angeben ermitteln "
    "mitteilen machen treffen weiterhelfen entnehmen bestimmen ableiten beantwortet ermittelt entnommen bestimmt "
    "festgestellt beziffern einschätzen äußern möglich erkennbar ersichtlich erkennen gefunden belegen berechnen",
    "DE_SAID": "erwähnt genannt angegeben aufgeführt beschrieben enthalten dokumentiert behandelt ersichtlich "
    "vermerkt ausgewiesen festgehalten thematisiert spezifiziert beantwortet angesprochen beziffert erläutert "
    "aufgelistet mitgeteilt erfasst benannt definiert hinterlegt",
    "DE_SAY": "enthält enthalten erwähnt erwähnen nennt nennen sagt sagen gibt geben macht machen liefert liefern "
    "behandelt behandeln beschreibt beschreiben schweigt schweigen äußert bietet bieten führt beziffert listet geht",
    "DE_SRC": "dokument dokumente dokumenten kontext text texte texten unterlagen quelle quellen bericht berichte "
    "vertrag auszug auszüge auszügen handbuch anleitung abschnitt abschnitte abschnitten tabelle datei dateien akten "
    "protokoll broschüre merkblatt geschäftsbericht textstelle passagen material materialien police bedingungen "
    "satzung prospekt ausschnitt seiten seite datenblatt packungsbeilage gutachten schreiben anlage anhang richtlinie",
    "DE_INFO": "angabe angaben information informationen hinweis hinweise daten aussage aussagen antwort auskunft "
    "zahlen erwähnung details einzelheiten belege",
    "FR_NE": "ne n'",
    "FR_PAS": "pas rien aucun aucune guère nulle ni que qu'",
    "FR_I": "je j' nous",
    "FR_SRC": "document documents contexte texte textes source sources extrait extraits rapport rapports contrat "
    "contrats notice manuel guide passage passages dossier tableau article articles section fichier fichiers brochure "
    "bail accord politique règlement prospectus page pages annexe fiche éléments informations données convention étude",
    "FR_SAY": "mentionne mentionnent précise précisent indique indiquent contient contiennent dit disent donne donnent "
    "fournit fournissent aborde abordent traite traitent comporte comportent spécifie spécifient évoque évoquent parle "
    "parlent figure figurent permet permettent révèle décrit décrivent apporte renseigne nomme cite détaille apparaît "
    "apparaissent ressort répond répondent inclut identifie",
    "FR_SAID": "mentionné mentionnée mentionnés mentionnées précisé précisée précisés précisées indiqué indiquée "
    "indiqués indiquées fourni fournie fournis fournies donné donnée donnés abordé abordée communiqué communiquée "
    "spécifié spécifiée disponible disponibles renseigné renseignée évoqué évoquée trouvé trouvée traité traitée "
    "documenté documentée détaillé détaillée cité citée décrit décrite",
    "FR_INFO": "information informations mention donnée données précision précisions indication indications élément "
    "éléments réponse détail détails référence passage document renseignement renseignements trace chiffre",
    "FR_TELL": "répondre dire déterminer savoir trouver confirmer préciser établir vérifier donner fournir aider "
    "indiquer identifier prononcer conclure calculer évaluer communiquer",
    "FR_CAN": "sais peux puis suis dispose trouve ai vois connais saurais pouvons avons disposons trouvons savons",
    "ES_SRC": "documento documentos contexto texto textos fuente fuentes informe informes contrato contratos manual "
    "guía extracto extractos fragmento fragmentos archivo archivos página páginas acta folleto sección secciones tabla "
    "póliza acuerdo artículo anexo prospecto pasaje pasajes expediente material documentación información memoria",
    "ES_SAY": "menciona mencionan contiene contienen indica indican proporciona proporcionan especifica especifican "
    "incluye incluyen dice dicen aparece aparecen figura figuran consta constan detalla detallan recoge recogen aborda "
    "abordan trata tratan señala señalan precisa precisan ofrece ofrecen describe describen encuentra encuentran "
    "facilita revela aclara explica desprende identifica nombra da dan está están viene vienen hace",
    "ES_I": "puedo podemos sé sabemos tengo tenemos dispongo disponemos encuentro encontré encontramos cuento contamos "
    "conozco veo pude pudimos podría",
    "ES_INFO": "información datos dato mención referencia referencias detalles respuesta indicación cifras constancia "
    "elementos",
    "ES_TELL": "responder contestar decir determinar saber encontrar confirmar precisar establecer verificar dar "
    "proporcionar ayudar indicar identificar concluir calcular",
}
CLASSES |= {name: listed.split() for name, listed in _FOREIGN.items()}
# Verbs in a form that is hardly a noun: "states", but not "reports"
_NOUNS = """documents details references reports answers comments quotes addresses lists records logs names accounts
points sets breaks rules covers offers features supports permits helps holds displays"""
CLASSES["FINITE"] = sorted({*map(_third, _verbs(_STRICT, _LOOSE, _HOLD))} - {*_NOUNS.split()})

# Words without weight here: rules need not allow for them.
_DROPPED = (
    "the a an any all also just even still very quite really anywhere such either both own me us too anything alas "
    "much l' d' c' s' m' leider hier dazu darüber el la le les los las un une una lo mir yet further"
)
_SHORT = {"m": "am", "re": "are", "ve": "have", "d": "would", "ll": "will", "nt": "not"}
_IS = "it that there what this he she who which here how where nothing everything one"  # their 's is a verb
_PRONOUNS = frozenset(_IS.split())
_NEGATED = "do does did is are was were ca could wo would has have had"
_ELISIONS = frozenset(("n", "l", "d", "j", "c", "s", "m", "qu"))
_LETTERS = [chr(code) for code in (*range(0x41, 0x5B), *range(0x61, 0x7B), *range(0xC0, 0x800))]
BREAKS = ".!?;:|\n"
PUNCTUATION = BREAKS + ',()"'
OTHER, NUMBER = "_", "0"


class Tags(dict[str, str]):
    """Characters by word; words outside the table are taken apart (contractions, elisions) or are OTHER or NUMBER."""

    def __missing__(self, word: str) -> str:
        if word[-2:] == "ly":
            return ""
        head, mark, tail = word.rpartition("'")
        if mark and head.count("'") < 2:
            if tail == "t" and head[-1:] == "n":
                return self[head[:-1]] + self["not"]
            if tail in _SHORT:
                return self[head] + self[_SHORT[tail]]
            if tail in ("s", ""):
                return self[head] + (self["is"] if head in _PRONOUNS else "")
            if head in _ELISIONS:
                return self[head + "'"] + self[tail]
        if word[:1].isdigit() or (len(word) == 1 and word.isalpha()):
            return NUMBER
        return {"[": "", "<": "."}.get(word[:1], OTHER)


def tag_table(literals: Iterable[str]) -> tuple[Tags, dict[str, str]]:
    """The character of each word, and the characters that belong to each class or literal word."""
    names: dict[str, set[str]] = {word: {word} for word in sorted(literals)}
    for name, listed in CLASSES.items():
        for word in listed:
            names.setdefault(word, set()).add(name)
    tags, members, known = Tags(), {"OTHER": OTHER, "NUMBER": NUMBER}, dict[frozenset[str], str]()
    for word, of in names.items():
        signature = frozenset(of)
        if signature not in known:
            known[signature] = _LETTERS[len(known)]
            for name in sorted(of):
                members[name] = members.get(name, "") + known[signature]
        tags[word] = known[signature]
    for word in _DROPPED.split():
        tags.setdefault(word, "")
    for verb in _NEGATED.split():
        tags[verb + "nt"] = tags[verb] + tags["not"]
    tags["cannot"] = tags["ca"] + tags["not"]
    tags |= {mark: mark for mark in PUNCTUATION} | dict.fromkeys("—–…", ",") | {'"': ""}
    return tags, members
