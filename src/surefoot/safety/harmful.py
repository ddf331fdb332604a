"""Words of harm that several rules share, by role: what is done, with what, to whom. None of them is a finding alone.

Verbs are listed in their base form; `words.verb_forms` adds the form in -ing, the other one that instructions use.
"""

from __future__ import annotations

THINGS: dict[str, str] = {
    "BOMB": "bomb bombs explosive explosives ied ieds pipebomb pipebombs carbomb nailbomb grenade grenades "
    "detonator detonators dynamite c4 tnt anfo tatp petn rdx semtex thermite nitroglycerin nitroglycerine napalm "
    "molotov molotovs landmine boobytrap poison poisons ricin sarin vx novichok anthrax nerveagent bioweapon "
    "bioweapons cyanide nuke nukes warhead phosgene flamethrower firebomb gunpowder guncotton petrolbomb botulinum",
    "NOXIOUS": "toxic poison poisonous chlorine mustard nerve deadly lethal nasty contagious infectious",
    "AGENT": "gas agent agents fumes substance substances virus pathogen pathogens germ germs spores bacteria bug "
    "toxin",
    "BLAST": "blasting explosive incendiary demolition",
    "STUFF": "powder mixture charge charges device devices material materials paste gel compound liquid",
    "CROWD": "crowd crowds crowded subway metro platform concourse stadium concert parade congregation "
    "ventilation reservoir rush packed congregants worshippers shoppers commuters",
    "PLACE": "building school bridge plane airplane train church mosque synagogue hospital stadium house car mall "
    "courthouse station embassy tower power grid dam pipeline reservoir plant substation pylon transformer airport "
    "tunnel railway refinery mast parliament headquarters barn garage shop store office supply flat apartment "
    "warehouse",
    "GUN": "gun guns firearm firearms rifle rifles pistol pistols handgun handguns shotgun shotguns silencer "
    "silencers suppressor suppressors ghostgun ghostguns revolver ak47 ar15 machinegun glock ammo ammunition "
    "submachine weapon weapons",
    "SYSTEM": "system systems platform platforms",
    "SERIAL": "serial number numbers serials markings engraving",
    "DRUG": "meth methamphetamine methamphetamines heroin lsd ecstasy ghb cocaine crack mdma fentanyl ketamine "
    "opium amphetamine amphetamines dmt pcp coke rohypnol roofies carfentanil",
    "HARDDRUG": "meth methamphetamine methamphetamines heroin lsd ghb cocaine mdma fentanyl ketamine opium "
    "roofies rohypnol carfentanil",
    "DRUGS": "drugs pills dope weed gear product stash narcotics",
    "PILL": "pill pills painkiller painkillers tablet tablets opioid opioids oxycodone oxycontin xanax valium "
    "codeine morphine paracetamol acetaminophen tylenol ibuprofen aspirin benzos sedatives barbiturates "
    "antidepressants medication meds capsules insulin ritalin adderall percocet vicodin tramadol",
    "DRINK": "drink drinks glass coffee tea food meal beer wine cup cocktail juice soup water bottle",
    "HACKABLE": "account accounts computer computers system systems network networks server servers phone phones "
    "iphone website websites site email emails e-mail gmail facebook instagram snapchat whatsapp twitter bank banks "
    "wifi router database databases camera cameras webcam laptop device devices mailbox grid atm atms firewall "
    "infrastructure mainframe pc android cloud tesla paypal netflix icloud traffic inbox portal tablet machine "
    "machines vpn hotspot voicemail messages texts chats chat profile calendar files records",
    "OWNABLE": "phone phones iphone laptop computer tablet account accounts inbox mailbox email emails e-mail "
    "mail messages texts chats webcam wifi router bank password passwords passcode pin login logins pc machine "
    "icloud whatsapp facebook instagram snapchat gmail location calls voicemail device identity card cards sim "
    "savings signature ssn",
    "CREDENTIAL": "password passwords passcode passcodes pin pins login logins credential credentials identity "
    "identities authentication 2fa mfa captcha credit card cards wallet wallets ssn data passphrase cookies cookie "
    "keystrokes tokens codes accounts logons money savings",
    "SECRET": "password passwords passcode passcodes pin pins login logins credential credentials code codes "
    "keystrokes passphrase otp token tokens",
    "AUTH": "authentication 2fa mfa captcha password passwords login logins firewall firewalls verification "
    "two-factor twofactor lock locks alarm alarms antivirus filter filters guard guards security checks paywall "
    "safeguards encryption passcode activation drm immobiliser immobilizer watchdog monitoring detector detectors",
    "MALWARE": "malware ransomware virus viruses trojan trojans keylogger keyloggers botnet botnets rootkit "
    "rootkits spyware exploit exploits backdoor backdoors stalkerware cryptolocker adware worm worms payload "
    "payloads rat shellcode cryptominer infostealer stealer dropper logger",
    "ATTACK": "attack attacks campaign email emails page pages site scam message messages kit website mail mails "
    "link links text texts",
    "PHISHING": "phishing ddos dos malware ransomware spearphishing smishing vishing injection bruteforce spam",
    "SPYING": "hidden spy tracking monitoring stalking surveillance secret spying listening stalkerware invisible "
    "covert concealed",
    "FAKED": "fake forged counterfeit bogus phony phoney falsified fabricated stolen cloned sham spoofed made-up "
    "fictitious nonexistent invented bought look-alike lookalike doctored false altered photoshopped borrowed",
    "PAPER": "passport passports id ids licence license document documents papers receipt receipts payslip "
    "payslips paystub paystubs invoice invoices certificate certificates diploma degree diplomas reference "
    "references visa prescription prescriptions ticket tickets cheque cheques check checks note notes bill bills "
    "banknote banknotes currency money card cards statement statements review reviews signature signatures claim "
    "claims letterhead voucher vouchers coupon coupons badge plates plate proof records report reports letter "
    "letters will deed contract identity identities name names profile profiles account accounts website page pages "
    "login store shop shipment charity company companies address domain goods listing listings hallmark stamp seal",
    "MONEYED": "money cash funds proceeds profits income takings drugmoney",
    "INVESTOR": "investor investors victim victims sucker suckers pensioner pensioners donors widow elderly "
    "retirees grandparents seniors buyer buyers punters lonely",
    "BODY": "finger fingers arm arms leg legs neck skull throat nose rib ribs kneecap kneecaps knees face head "
    "teeth jaw hand hands wrist wrists bone bones eye eyes thigh thighs ankle ankles stomach skin elbow vein veins "
    "artery spine temple temples chest back windpipe",
    "LEDGE": "bridge roof balcony ledge cliff train tracks building window platform overpass tower car truck traffic",
    "MEALS": "meal meals dinner lunch breakfast food eating",
}

VERBS: dict[str, str] = {
    "MAKE": "make build construct assemble create produce manufacture craft synthesize synthesise cook brew "
    "prepare print 3dprint concoct extract detonate plant develop design engineer smuggle acquire fabricate set "
    "refine grow purify distil distill boil collect scrape mix formulate rig wire culture cultivate weaponize "
    "weaponise",
    "GUNMAKE": "make build construct assemble create produce manufacture craft print 3dprint fabricate convert "
    "modify smuggle design forge finish sneak",
    "FILE": "file grind scratch sand scrape drill remove burn etch",
    "MAIM": "break smash crush cut slit slash burn twist snap stab sever crack fracture gouge slice squeeze bash "
    "shatter hit beat",
    "TRADE": "buy order sell deal smuggle ship traffic supply score import export mail obtain get peddle push "
    "distribute traffick have resell cut",
    "DOWN": "take swallow down gulp ingest drink eat chase wash pop",
    "INSTALL": "install put plant hide slip place fit attach load drop sideload set mount conceal tape stick",
    "ALLEGE": "claim say tell swear insist",
    "ACCIDENT": "hurt cut burn injure harm choke drown electrocute",
    "STEP": "mix combine take get gather obtain use start begin fill pour drill buy download attach connect heat "
    "cut place put add find open run collect pack wrap dissolve solder grind install keep wait leave go hide let "
    "send call ring tell lie walk stay have sell boil stir order try pay grab push pull press hold set wire scan say "
    "aim sit park stand look come drive fly climb listen log sign register apply ask text mail write print copy "
    "follow carry bring make give show plug crush swallow smoke inject slip drop throw light burn double cook grow "
    "rent claim",
}

# Harmful acts leave traces in how they are told: what is kept from whom, who is deceived
TRACES: dict[str, str] = {
    "WONT": "won't wont can't cannot cant wouldn't couldn't never neither",
    "WILL": "will would can could",
    "NOTICE": "notice suspect detect trace traced catch caught realise realize spot spotted noticed suspected "
    "detected identify link linked recognise recognize wonder complain complains notices suspects realises realizes "
    "catches spots traces links wise missing tracked",
    "SEE": "see hear know check ask asks find look seen heard found knows sees hears checks finds looks question "
    "questions tell",
    "TRACE": "trace traces evidence marks mark prints fingerprints track tracks trail logs log witnesses dna footage",
    "WITH": "with",
    "IT": "it that this them",
    "WHILE": "when while until after once till whenever",
    "WEAK": "elderly pensioner pensioners lonely drunk tourist tourists kids teenager teenagers widow girl girls "
    "neighbour neighbor neighbours boss ex girlfriend boyfriend wife husband roommate flatmate teacher stranger "
    "strangers victim victims target owner clerk cashier bouncers colleague granny grandma gran lady",
    "SEEM": "look looks looking seem seems appear appears sound sounds pass passes sell",
    "INTO": "into",
    "IN": "in",
    "UP": "up",
    "OUT": "out",
    "OVER": "over",
    "HOME": "home house apartment flat car shop store garage office room shed van",
    "ALLOF": "all whole every entire rest handful more double triple dozens twenty thirty forty fifty everything",
    "HURTS": "hurt hurts injure harm",
    "NEVER": "never don't dont doesn't didn't doesnt didnt not",
}
