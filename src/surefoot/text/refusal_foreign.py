"""German, French and Spanish for `refusal_words` and `refusal_rules`: word classes and rules of the same kind."""

CLASSES = {
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
RULES = """
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
"""
