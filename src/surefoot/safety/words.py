"""The words that the harm rules know, by role. A word may play several; a word in none of them is just a word.

Verbs are listed in their base form; `verb_forms` adds the form in -ing, which is the other one that instructions use.
"""

from __future__ import annotations

ROLES: dict[str, str] = {
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
    "RECIPE": "instructions guide tutorial recipe recipes directions blueprint blueprints formula schematics",
    "LINK": "for of on to about",
    "ADV": "first firstly then next now just simply easily quickly please finally also actually go and best safely "
    "secretly step own either really always so secondly lastly second third remotely effectively successfully legally "
    "properly painlessly quietly correctly cheaply covertly begin start by anonymously illegally",
    "GO": "go",
    "ABOUT": "about",
    "BY": "by with using from at like via without in as inside",
    "BETTER": "better",
    "OFF": "off",
    "DEAD": "dead",
    "DESERVE": "deserve",
    "DIE": "die",
    # What stands between a verb and its object only if the object is not its own
    "PREP": "about on for against from to with by in into over regarding concerning under after before during than as "
    "at if that which who because when where while whether is are was were be been isn't aren't sure certain",
    "OF": "of",
    "KIND": "version kind type sort batch form piece pound gram lot amount",
    "DET": "a an some another",
    # Explosives, poisons, hard drugs
    "BOMB": "bomb bombs explosive explosives ied ieds pipebomb pipebombs carbomb nailbomb grenade grenades detonator "
    "detonators dynamite c4 tnt anfo tatp petn rdx semtex thermite nitroglycerin nitroglycerine napalm molotov "
    "molotovs landmine boobytrap poison poisons ricin sarin vx novichok anthrax nerveagent bioweapon bioweapons "
    "cyanide meth methamphetamine heroin lsd ecstasy ghb cocaine mdma nuke nukes warhead phosgene flamethrower "
    "firebomb",
    "NOXIOUS": "toxic poison poisonous chlorine mustard nerve deadly lethal",
    "AGENT": "gas agent agents fumes substance substances virus pathogen",
    "MASS": "chemical biological nuclear radiological",
    "ARMS": "weapon weapons warheads",
    "GUN": "gun guns firearm firearms rifle rifles pistol pistols handgun handguns shotgun shotguns silencer "
    "silencers suppressor suppressors ghostgun ghostguns revolver ak47 ar15 machinegun glock ammo ammunition "
    "submachine weapon weapons",
    "LOWER": "lower",
    "RECEIVER": "receiver receivers",
    "SYSTEM": "system systems platform platforms",
    "PLACE": "building school bridge plane airplane train church mosque synagogue hospital stadium house car mall "
    "courthouse station embassy",
    "UP": "up",
    # What makes the word behind it harmless: a toy gun, a glue gun, a bath bomb
    "FAKE": "anti toy fake dummy mock pretend inert virtual lego cardboard wooden paper papier origami chocolate "
    "prop pixel minecraft fortnite roblox model replica harmless",
    "TOOL": "nail glue heat grease spray staple caulk massage radar tattoo tshirt paintball paint potato cap "
    "soldering squirt water nerf bubble confetti lego cleaning",
    "BATH": "bath seed photo glitter confetti cherry jager cocoa bubble water paint stink smoke love",
    # What makes the word before it harmless: a gun safe, a malware scanner
    "HEAD": "safe safes cabinet rack racks case cases holster shelter shelters detector detectors detection "
    "disposal squad cyclone calorimeter show range control law laws licence license permit store shop club "
    "collection owner owners model models replica emoji costume cake drawing sketch game games character scene "
    "proof resistant free farm analysis analyst removal remover scanner scanners protection prevention defense "
    "defence defenses defences policy policies safety awareness training education museum response report reports "
    "vaccine vaccines research researcher researchers sample samples signature signatures definition definitions "
    "checker filter filters blocker cleaner sandbox classifier dataset database violence incident incidents "
    "insurance claim claims inspection screening alarm barrel bag belt cleaning oil shy dog dogs sniffing ivy oak "
    "pill pills center centre helpline hotline test tests testing exercise drill drills simulation simulations "
    "simulator reset resets wash storage magazine magazines handling transport process processes scan scans "
    "programme program licensing inventory register team locker maker",
    # Machines, accounts and what breaks into them
    "HACKABLE": "account accounts computer computers system systems network networks server servers phone phones "
    "iphone website websites site email emails gmail facebook instagram snapchat whatsapp twitter bank banks wifi "
    "router database databases camera cameras webcam laptop device devices mailbox grid atm atms firewall "
    "infrastructure mainframe pc android cloud tesla paypal netflix icloud traffic",
    "CREDENTIAL": "password passwords passcode pin pins login logins credential credentials identity identities "
    "authentication 2fa mfa captcha credit card cards wallet wallets ssn data passphrase cookies cookie",
    "AUTH": "authentication 2fa mfa captcha password passwords",
    "MALWARE": "malware ransomware virus viruses trojan trojans keylogger keyloggers botnet botnets rootkit rootkits "
    "spyware exploit exploits backdoor backdoors stalkerware cryptolocker adware",
    "ATTACK": "attack attacks campaign email emails page site scam message messages kit website",
    "PHISHING": "phishing ddos dos malware ransomware spearphishing",
    "INTO": "into",
    "ON": "on",
    # Persons
    "PERSON": "person people human humans someone somebody anyone man men woman women child children kid kids wife "
    "husband girlfriend boyfriend neighbor neighbour neighbors neighbours boss coworker coworkers colleague mother "
    "father mom dad parents brother sister roommate baby teacher student students politician president spouse family "
    "jews muslims christians immigrants",
    "SELF": "yourself myself oneself ourselves themselves himself herself yourselves",
    "LIFE": "life lives",
    "SUICIDE": "suicide",
    "WRISTS": "wrist wrists",
    "OWN": "own",
    "MINE": "your my own their one's ones his her",
    "FIGURE": "foot laughing short slack flowers up down out off back",
    # Words that govern what follows: they turn a match into a report, a refusal or a defence
    "NEG": "not can't cannot cant won't wont never no don't dont doesn't didn't couldn't wouldn't shouldn't mustn't "
    "isn't aren't without unable refuse refuses refused decline declines declined nor neither nobody sorry "
    "inappropriate unethical irresponsible nothing none refusing declining",
    "NO": "no",
    # "Why not ...", "it is not hard to ..." deny nothing
    "WHY": "why",
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
    "PREVENT": "prevent prevents preventing prevented avoid avoids avoiding stop stops stopping block blocks blocking "
    "blocked detect detects detecting protect protects protecting defend defending mitigate mitigating combat counter "
    "countering reporting remove removes removing removed filter filters filtering moderate deter "
    "thwart against flag flags flagging flagged refuse refuses reject rejects delete deletes ban bans banned",
    "NOTBE": "isn't aren't wasn't weren't",
    "VIOLATE": "violates violate violating breaches breach",
    "REPORT": "report",
    "ILLEGAL": "illegal unlawful crime felony offence offense",
    "LAW": "prohibit prohibits prohibited prohibiting forbid forbids forbidden criminalizes "
    "criminalises outlaws outlawed convicted charged accused arrested prosecuted sentenced indicted alleged alleges "
    "allegedly suspected guilty offence offense violates violate violation violations restricts liable banned blocked "
    "removed refused misuse",
    "ASKED": "ask asks asked asking asker requests requested requesting query queries searched searches googled "
    "wondered",
    "PAST": "learned learnt knew taught explained described showed posted published searched discussed downloaded "
    "shared watched studied demonstrated revealed discovered researched uploaded contained circulated investigated "
    "examines examined",
    "INSTEAD": "instead rather",
    "FINE": "ethical appropriate responsible acceptable legal lawful something allowed permitted possible ok okay "
    "right advisable recommended",
    # Where violence is pretended; the name of a game is known or it is not
    "GAME": "game games videogame minecraft fortnite roblox skyrim witcher zelda gta pubg chess overwatch",
    "CALL": "call",
    "DUTY": "duty",
    "HERE": "here",
    "HERES": "here's heres",
    "BUT": "but however yet although nevertheless nonetheless anyway regardless still okay ok sure",
    "CONCEDE": "although though while despite whilst",
    "PRONOUN": "they it you this these that we i let",
    "BE": "is are was were be being it's that's",
}

VERBS: dict[str, str] = {
    "MAKE": "make build construct assemble create produce manufacture craft synthesize synthesise cook brew prepare "
    "print 3dprint concoct extract detonate plant develop design engineer smuggle acquire fabricate set",
    "GUNMAKE": "make build construct assemble create produce manufacture craft print 3dprint fabricate convert modify "
    "smuggle design forge finish",
    "MACHINE": "machine mill",
    "KILL": "kill murder poison stab strangle kidnap torture assassinate rape drug suffocate behead blackmail stalk "
    "assault shoot choke butcher annihilate",
    "BLOW": "blow bomb",
    "HACK": "hack crack ddos phish hijack infiltrate",
    "HACKIN": "hack",
    "BREAK": "break hack tap sneak",
    "SPY": "spy",
    "STEAL": "steal crack guess phish skim hack bruteforce",
    "BYPASS": "bypass circumvent",
    "WRITE": "make write create build code develop deploy spread install distribute program launch inject send design "
    "release craft plant use conduct run perform execute",
    "HURT": "hurt kill cut harm hang shoot drown starve poison burn asphyxiate suffocate off strangle",
    "END": "end",
    "TAKE": "take end",
    "COMMIT": "commit attempt",
    "SELFHARM": "selfharm overdose",
    "SLIT": "slit cut slash",
    "STEP": "mix combine take get gather obtain use start begin fill pour drill buy download attach connect heat cut "
    "place put add find open run collect pack wrap dissolve solder grind install",
}

_DOUBLED = {
    "get",
    "put",
    "cut",
    "stab",
    "slit",
    "set",
    "begin",
    "program",
    "run",
    "plan",
    "kidnap",
    "drug",
    "skim",
    "wrap",
}


def gerund(verb: str) -> str:
    """make -> making, cut -> cutting, die -> dying"""
    if verb in _DOUBLED:
        verb += verb[-1]
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    return verb + "ing"


def verb_forms() -> dict[str, str]:
    forms = dict(VERBS)
    for role, verbs in VERBS.items():
        forms[role + "ING"] = " ".join(gerund(verb) for verb in verbs.split())
    return forms
