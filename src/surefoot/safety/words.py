"""The words around an act, by role: how instructions begin, who is meant, what denies, forbids or only reports.

A word may play several roles; a word in none of them is just a word. The words of the acts are in harmful.py.
"""

from __future__ import annotations

import re

from surefoot.safety.harmful import THINGS, TRACES, VERBS

_AROUND: dict[str, str] = {
    # How instructions begin
    "HOW": "how howto",
    "TO": "to",
    "PERSONAL": "i you we one someone anyone somebody u",
    "YOU": "you u ya",
    "I": "i we",
    "ME": "me us",
    "MODAL": "can could do should would may might must does",
    "URGE": "should must ought need gotta",
    "WANT": "want need wanna plan intend wish like i'd going",
    "HELP": "help teach let show assist",
    "WAYS": "way ways step steps method methods instruction instructions guide guides tutorial tutorials recipe "
    "recipes directions blueprint blueprints procedure procedures technique techniques tip tips trick tricks "
    "walkthrough formula schematics",
    "LINK": "for of on to about",
    "ADV": "first firstly then next now just simply easily quickly please finally also actually go and best safely "
    "secretly step own either really always so secondly lastly second third remotely effectively successfully legally "
    "properly painlessly quietly correctly cheaply covertly begin start by anonymously illegally",
    "ONE": "one we let's lets",
    "IF": "if whether unless suspect",
    "EASY": "easy easier easiest simple simpler straightforward quick quicker quickest cheap fun sensible choice "
    "best effective safest minutes less child's",
    "TAKES": "takes needs requires works",
    "POINT": "trick tricks way secret key thing idea plan best point knack goal aim rest easiest next",
    "KEEPON": "keep try consider start begin practise practice recommend suggest",
    # Words that may open a sentence and are no verb in the imperative
    "FUNCTION": "the a an this that these those such each every any all some no his her their its my our your i you "
    "he she it we they who whoever whose which what when where why how if unless whether while whilst although though "
    "because since until till after before during under over in on at by for from to of with without within between "
    "among against about as than and or but nor so yet not never is are was were be been being am has have had do "
    "does did will would shall should can could may might must there here however therefore thus also only even both "
    "either neither one two three four five ten many most few several other another more less according upon per via "
    "despite except like unlike well yes sure sorry please dear mr mrs ms dr section clause article step part",
    # What follows a verb in the imperative: its object, or the particle that belongs to it
    "OBJECT": "the a an this that these those each every any all some his her their its my our your him them it me "
    "us someone somebody anyone everyone yourself one two three four five six ten twenty another up off out down away "
    "back enough plenty whatever nothing something anything to into whoever",
    # Verbs that tell the reader to take care, and words with which help is offered
    "CARE": "contact seek report notify inform evacuate ensure wear check avoid consult forward remember talk speak",
    "SEEK": "call talk tell contact seek get please reach ask speak text ring see consult stop report notify inform "
    "evacuate ensure wear store check avoid forward change use you there remember do it we i",
    "GO": "go get getting",
    "HAVE": "have got",
    "ABOUT": "about",
    "BY": "by via",
    "OFF": "off",
    # What stands between a verb and its object only if the object is not its own
    "PREP": "about on for against from to with by in into over regarding concerning under after before during than "
    "as at if that which who because when where while whether is are was were be been isn't aren't sure certain",
    "OF": "of",
    "KIND": "version kind type sort batch form piece pound gram lot amount couple bunch few pair bit handful "
    "spoonful dose dozen bottle bag group number",
    "DET": "a an some another",
    # What makes the word behind it harmless: a toy gun, a glue gun, a bath bomb
    "FAKE": "anti toy fake dummy mock pretend inert virtual lego cardboard wooden paper papier origami chocolate "
    "prop pixel minecraft fortnite roblox model replica harmless",
    "TOOL": "nail glue heat grease spray staple caulk massage radar tattoo tshirt paintball paint potato cap "
    "soldering squirt water nerf bubble confetti lego cleaning",
    "BATH": "bath seed photo glitter confetti cherry jager cocoa bubble water paint stink smoke love",
    # What makes the word before it harmless: a gun safe, a malware scanner
    "HEAD": "safe safes cabinet rack racks case cases holster shelter shelters detector detectors detection "
    "disposal squad cyclone calorimeter show range control law laws licence license permit store shop club collection "
    "owner owners model models replica emoji costume cake drawing sketch game games character scene proof resistant "
    "free farm analysis analyst removal remover scanner scanners protection prevention defense defence defenses "
    "defences policy policies safety awareness training education museum response report reports vaccine vaccines "
    "research researcher researchers sample samples signature signatures definition definitions checker filter "
    "filters blocker cleaner sandbox classifier dataset database violence incident incidents insurance claim claims "
    "inspection screening alarm barrel bag belt cleaning oil shy dog dogs sniffing ivy oak pill pills center centre "
    "helpline hotline test tests testing exercise drill drills simulation simulations simulator reset resets wash "
    "storage magazine magazines handling transport process processes scan scans programme symptom symptoms risk risks "
    "treatment management deaths patients program licensing inventory register team locker maker",
    # Persons
    "PERSON": "person people human humans someone somebody anyone man men woman women child children kid kids wife "
    "husband girlfriend boyfriend neighbor neighbour neighbors neighbours boss coworker coworkers colleague mother "
    "father mom dad parents brother sister roommate baby teacher student students politician president spouse family "
    "jews muslims christians immigrants guy guys girl girls boy boys lady victim victims ex landlord partner friend "
    "friends classmate classmates guard guards clerk officer officers cop cops stranger strangers grandmother grandma "
    "gran grandfather grandpa uncle aunt cousin daughter son stepson roommates flatmate flatmates date passenger "
    "passengers driver pensioner pensioners witness witnesses rival judge mayor senator celebrity journalist toddler "
    "infant teenager teen teens tenant tenants parent bully stepfather stepmother nurse hostage hostages worshippers "
    "protesters bystanders customer customers employee employees staff colleagues manager senior seniors",
    "HIM": "him em",
    "THEM": "them everyone everybody him",
    "HER": "her",
    "HE": "he she they it police cops someone anyone somebody nobody neighbours neighbors parents staff guards "
    "antivirus bank insurer customs victim everyone owner teacher company hr boss manager",
    "ANYONE": "anyone anybody they he she somebody someone police everyone staff owner bank",
    "NOBODY": "nobody noone",
    "OWNER": "his her their else's",
    "SELF": "yourself myself oneself ourselves themselves himself herself yourselves",
    "MINE": "your my own their one's ones his her",
    # Words that govern what follows: they turn a match into a report, a refusal or a defence
    "NEG": "not can't cannot cant won't wont never no don't dont doesn't didn't couldn't wouldn't shouldn't mustn't "
    "isn't aren't without unable refuse refuses refused decline declines declined nor neither nobody sorry "
    "inappropriate unethical irresponsible nothing none refusing declining",
    "NO": "no",
    # "Why not ...", "it is not hard to ..." deny nothing
    "WHY": "why",
    "TOUGH": "hard difficult complicated rocket",
    "MAY": "can could may might",
    "HARD": "hard difficult only just merely problem problems worry worries complicated secret wait wonder doubt "
    "rocket",
    "COND": "if when because while",
    "AND": "and or so then",
    "TELL": "provide providing help assist give giving share sharing explain explaining describe describing tell "
    "telling show showing teach teaching discuss support answer answering offer offering create write generate walk "
    "comply fulfil fulfill engage say instruct guide advise recommend encourage supply post posts publish upload "
    "search distribute seek contain contains include includes including learn know disclose detail outline list "
    "instructions do produce respond able comfortable information cover covers covered mention mentioned state says "
    "specify address provided shared given explained described disclosed discussed found published teaches look "
    "google ask promote promotes facilitate request accept allow allows host link read",
    "PREVENT": "prevent prevents preventing prevented avoid avoids avoiding stop stops stopping block blocks "
    "blocking blocked detect detects detecting protect protects protecting defend defending mitigate mitigating "
    "combat counter countering reporting remove removes removing removed filter filters filtering moderate deter "
    "thwart against flag flags flagging flagged refuse refuses reject rejects delete deletes ban bans banned",
    "NOTBE": "isn't aren't wasn't weren't",
    "VIOLATE": "violates violate violating breaches breach",
    "REPORT": "report",
    "ILLEGAL": "illegal unlawful crime felony offence offense",
    "VILLAIN": "attacker attackers fraudster fraudsters scammer scammers criminal criminals hacker hackers thief "
    "thieves intruder intruders caller callers abuser abusers terrorist terrorists defendant perpetrator perpetrators "
    "offender offenders suspect suspects burglar burglars swindlers cybercriminals adversary adversaries impostor "
    "impostors predators traffickers dealers smugglers",
    "LAW": "prohibit prohibits prohibited prohibiting forbid forbids forbidden criminalizes criminalises outlaws "
    "outlawed convicted charged accused arrested prosecuted sentenced indicted alleged alleges allegedly suspected "
    "guilty offence offense violates violate violation violations restricts liable banned blocked removed refused "
    "misuse",
    "ASKED": "ask asks asked asking asker requests requested requesting query queries searched searches googled "
    "wondered",
    "PAST": "learned learnt knew taught explained described showed posted published searched discussed downloaded "
    "shared watched studied demonstrated revealed discovered researched uploaded contained circulated investigated "
    "examines examined took taken",
    "INSTEAD": "instead rather",
    "FINE": "ethical appropriate responsible acceptable legal lawful something allowed permitted possible ok okay "
    "right advisable recommended",
    # Where violence is pretended; the name of a game is known or it is not
    "GAME": "game games videogame minecraft fortnite roblox skyrim witcher zelda gta pubg chess overwatch checkers "
    "poker monopoly scrabble tennis cards laser paintball",
    "CALL": "call",
    "DUTY": "duty",
    "HERE": "here",
    "HERES": "here's heres",
    "BUT": "but however yet although nevertheless nonetheless anyway regardless still okay ok sure",
    "CONCEDE": "although though while despite whilst",
    "PRONOUN": "they it you this these that we i let",
    "BE": "is are was were be being it's that's",
}

ROLES = {**_AROUND, **THINGS, **TRACES}

_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$|(?:kidnap|begin|program)$")


def gerund(verb: str) -> str:
    """make -> making, cut -> cutting, die -> dying"""
    if _DOUBLES.search(verb):
        verb += verb[-1]
    elif verb.endswith("ie"):
        verb = verb[:-2] + "y"
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    return verb + "ing"


def verb_forms() -> dict[str, str]:
    forms = VERBS | {"VERB": " ".join(VERBS.values())}
    for role, verbs in VERBS.items():
        forms[role + "ING"] = " ".join(gerund(verb) for verb in verbs.split())
    return forms


def all_roles() -> dict[str, str]:
    """Every role with its words: what is listed, the forms of verbs, and the genitive of every person."""
    genitives = " ".join(f"{person}'s" for person in ROLES["PERSON"].split())
    return ROLES | {"OWNER": f"{ROLES['OWNER']} {genitives}"} | verb_forms()
