"""Is a text one that an English reader can grade? Told by its letters and its function words.

Only text that plainly is something else is turned away: names, tables, numbers, headings and short texts pass.
"""

from __future__ import annotations

import re
from typing import Literal
from unicodedata import normalize

from surefoot.text.normal import is_empty, word_set

# At home nowhere else; "in", "of", "was", "me", "over", "at", "do" are words of other languages too.
ENGLISH = word_set(
    """the and are were been being that this these those it its with by from not which who whom whose what when
    where why how has having she they them their his our you your would shall should may might must could does did
    if than then there here into about after before between during without within each every some such other
    another more only because while until against through upon both either neither out said says him any"""
)
# English, and at home elsewhere too, or in names and terms that English documents use: no sign of either.
SHARED = word_set(
    """a ab ad al ale ali all also am an as at au be bet but can care co com come con contra cum de den die din do
    dont door e em en er est et ex fi for ha had hat have hay he her i im in is la lo loin ma mag man mars me med
    men met mint mis most my na nav ne ng no non o of off om on or over par pay per plus pot pour prima pro sa se
    see sense si sin so son sub ta ten till tin to um un under up us ut van var ve vice von wake war was we will y"""
)

_BY_LANGUAGE = {
    "German": """der und von zu mit sich des auf für ist im dem nicht ein eine eines einem einen als auch werden
        aus hat dass sie nach wird bei einer sind noch wie über zum zur oder kann wurde durch vom muss müssen darf
        sein wenn nur haben diese dieser dieses jede jedes keine kein bis gegen ohne unter zwischen jeder vor ab
        innerhalb ihre seine""",
    "French": """le les une du et est que qui dans pas sur au avec ce il elle sont par ne se leur aux cette ces ont
        été être mais ou nous vous pour doit peut son ses après avant sans chaque tout tous plus moins entre selon
        sous jusqu dès lors ainsi dont où fait""",
    "Spanish": """el los las una del por su para es al lo como más pero sus este esta entre cuando muy sobre
        también desde donde durante todos uno ni contra otros fue que en se con debe puede ser está están hasta
        según sin cada hay son tiene ha han después antes dentro""",
    "Italian": """gli di della dei delle che è un non sono si dal dalla nel nella alla al il lo più anche come
        questo questa ma per con una essere deve può entro ogni dopo prima senza sulla del degli stato stata hanno
        viene fino""",
    "Portuguese": """uma um da dos das em nas nos não mais foi ao aos ele seu sua ou quando muito já os com para
        por pela pelo que se são ser deve pode até após antes cada este esta isso também como entre sem tem à às
        sobre""",
    "Dutch": """het een te dat niet zijn op aan met voor er maar hem zou wat mijn wordt worden naar ook bij werd
        deze dit en geen moet moeten kan mag heeft hebben na tot uit door binnen om hun zij elke nog wel dan als of
        die""",
    "Polish": """się nie że jest jak po tak za od przez dla są jego jej przy lub oraz które który która to do na w
        z być może musi przed każdy ich ten ta tego był była było ale ze tym tej tych tylko""",
    "Czech and Slovak": """je si byl byla bylo jako jsou nebo podle se na že pro od za musí může být do po před
        každý ale který která které jeho sa nie alebo ako bol musia môže byť pri podľa ktorý z v s k ve ze""",
    "Swedish": """och att det som på är av inte till för har ett hade jag var från vid ska eller den de med kan
        måste inom efter före utan om i en under mellan varje sin blir denna detta""",
    "Danish and Norwegian": """og ikke jeg et være blir skal også etter det som på er av til fra kan må eller den
        med af ved efter uden inden om bliver blev har at en der for i mellem hver sin denne dette innen uten mot""",
    "Turkish": """ve bir bu için ile çok daha olarak gibi olan kadar ancak sonra değil her veya ise içinde göre
        tarafından önce olmak edilir olur vardır ama de da en tüm""",
    "Finnish": """ja ei että hän oli joka mutta ovat sekä on se tai myös kuin kun jos ole jälkeen ennen mukaan voi
        kuluessa saa niin jotka eivät kanssa""",
    "Estonian": """ja ei et ta oli mis kuid või ka kui on see pärast enne jooksul võib peab tema nende ning""",
    "Hungarian": """és hogy nem az egy meg volt csak mint a kell lehet után előtt vagy van belül minden ezt ez is
        nélkül között""",
    "Romanian": """și nu este în cu pe sau din de la care se sunt fi trebuie poate după înainte fără pentru al ale
        ei lui a fost mai prin între fiecare un o""",
    "Croatian and Slovene": """je se na da su od za koji koja koje i u nije može mora biti prije nakon ili sa po
        svaki bez in ni ki so pri lahko pred vsak ali""",
    "Lithuanian and Latvian": """ir yra ne kad su į iš per po iki turi gali būti arba kaip nuo bet un nav no ar ka
        pēc līdz vai jābūt var kas bez""",
    "Indonesian and Malay": """yang dan di dari untuk dengan ini itu tidak pada adalah dalam akan ke oleh atau
        dapat telah harus setelah sebelum setiap sebagai juga bahwa tersebut karena tanpa kepada ialah boleh""",
    "Tagalog": """ang ng mga sa na ay at ito hindi para kung ni si o may dapat bago loob ayon""",
    "Vietnamese": """và của là không được trong có cho các một những với đã phải này khi từ đến sau trước theo để
        hoặc vào bị ngày""",
    "Swahili": """ya wa na kwa ni katika za la cha hii kwamba lakini yake kama au pia baada kabla wake hiyo kila
        vya ndani bila huyo kuhusu hilo""",
    "Catalan": """els les amb per que és una un dels ha no es al són però més com entre cada després abans sense
        pot haver""",
    "Latin": """quod sed qui sunt autem enim atque esse""",
    # Months and spans of time are in most claims about contracts.
    "dates": """janvier février avril mai juin juillet août septembre octobre novembre décembre enero febrero marzo
        abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro março maio junho
        julho setembro outubro novembro dezembro gennaio febbraio aprile maggio giugno luglio settembre ottobre
        dicembre januari februari maart mei juni juli augustus oktober januar februar marts mars maj stycznia
        lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia jour jours mois
        année días meses año años dias mês anos giorno giorni mesi anni dagen maand maanden jaar dagar månad år
        dage måned dager gün yıl päivän päivää kuukauden vuoden toukokuuta siku mwezi mwaka tarehe dni dnia
        miesiąca roku dnů dne zile hari bulan tahun tanggal""",
}
# These stand in names, wherever the name is from; only beside other words do they tell a language.
PARTICLES = word_set(
    "da das de del della den der des di die dos du e el en et het il la las le los te ter und van von y zu"
)
FOREIGN = frozenset(
    word for words in _BY_LANGUAGE.values() for word in words.split() if len(word) > 1 or not word.isascii()
).difference(ENGLISH, SHARED, PARTICLES)
# Known to any reader of English, with their marks.
BORROWED = word_set(
    """attaché brûlée café cafés cliché clichés communiqué coöperation crème décor déjà détente entrée exposé
    façade façades fiancé fiancée jalapeño naïve naïveté né née passé piñata première protégé protégés résumé
    résumés rôle sauté soirée touché voilà à élite émigré émigrés über"""
)


Unreadable = Literal["empty", "not text", "not English"]

_SAMPLE = 20_000  # characters of a longer text that are looked at, from both of its ends and its middle
_MOST_CONTROL, _MOST_FOREIGN_LETTERS, _MOST_FOREIGN_WORDS = 0.02, 0.4, 0.7
_FEWEST_WORDS, _FEWEST_FOREIGN = 3, 2
_LEAST_SHARE, _LEAST_SHARE_OF_ONE = 1 / 8, 1 / 4
_SHOUTED = 0.8  # with as many words in capitals, case tells nothing
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff\ue000-\uf8ff]")
_LETTER = re.compile(r"[^\W\d_]")
# Greek letters stand in English formulas, so they count as Latin unless they make whole words.
_LATIN = r"a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5aµα-ωΑ-Ω"
_FOREIGN_RUN = re.compile(rf"[\u0370-\u03ff\u1f00-\u1fff]{{3,}}|(?:(?![{_LATIN}])[^\W\d_])+")
_LATIN_WORD = re.compile(rf"[{_LATIN}]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MARKED = re.compile(r"[à-öø-ÿāăąćčďđēėęěğģīįıķļłńņňōőœřśşšţťūůűųźżžơưșț\u1ea0-\u1eff]")


def unreadable(text: str) -> Unreadable | None:
    """Why a text cannot be graded, or None."""
    if is_empty(text):
        return "empty"
    seen = normalize("NFC", sample(text))
    if len(_CONTROL.findall(seen)) > max(1, _MOST_CONTROL * len(seen)):
        return "not text"
    return "not English" if _in_another_script(seen) or _in_another_language(seen) else None


def sample(text: str) -> str:
    """Enough of a text to tell what it is made of."""
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 3, len(text) // 2
    return f"{text[:part]} {text[middle : middle + part]} {text[-part:]}"


def _in_another_script(text: str) -> bool:
    """Counted in words, so that an English sentence about long foreign names stays one."""
    if text.isascii():
        return False
    letters, foreign = len(_LETTER.findall(text)), _FOREIGN_RUN.findall(text)
    if sum(map(len, foreign)) <= _MOST_FOREIGN_LETTERS * letters:
        return False
    words = [word.lower() for word in _LATIN_WORD.findall(text)]
    if not any(word in ENGLISH or word in SHARED for word in words):
        return True
    others = sum(-(-len(run) // 2) if _UNSPACED.match(run) else 1 for run in foreign)
    return others > _MOST_FOREIGN_WORDS * (others + len(words))


def _in_another_language(text: str) -> bool:
    """Hardly a word that only English has, but several that it has not."""
    words = _WORD.findall(text)
    if len(words) < _FEWEST_WORDS:
        return False
    asked = _no_names(words)
    telling = [word for word in asked if word in FOREIGN or _is_marked(word)]
    found = len(telling) + sum(word in PARTICLES for word in asked)
    english = sum(word.lower() in ENGLISH for word in words)
    shared = sum(word in SHARED for word in asked if word not in PARTICLES) if english else 0
    if len(set(telling)) >= _FEWEST_FOREIGN:
        return found > 2 * english + shared and found >= len(words) * _LEAST_SHARE
    if english or FOREIGN.isdisjoint(telling) or len(words) <= _FEWEST_WORDS:
        return False
    return found >= max(_FEWEST_FOREIGN, len(words) * _LEAST_SHARE_OF_ONE)


def _no_names(words: list[str]) -> list[str]:
    """A capital may mean a name, unless it is that of a small word at the beginning, or everything is in capitals."""
    small = [word for word in words if word.islower()]
    if sum(word.isupper() for word in words) >= _SHOUTED * len(words):
        return [word.lower() for word in words]
    first = words[0].lower()
    return [*small, *[first] * (words[0][0].isupper() and (first in FOREIGN or first in PARTICLES))]


def _is_marked(word: str) -> bool:
    """Written with letters that English lacks; names, which have capitals, are not asked."""
    return not word.isascii() and word not in BORROWED and _MARKED.search(word) is not None
