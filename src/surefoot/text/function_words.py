"""The small words that languages in Latin letters cannot do without, and by which a language is told."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# At home nowhere else; "in", "of", "was", "me", "over", "at", "do" are words of other languages too.
ENGLISH = _words(
    """the and are were been being that this these those it its with by from not which who whom whose what when
    where why how has having she they them their his our you your would shall should may might must could does did
    if than then there here into about after before between during without within each every some such other
    another more only because while until against through upon both either neither out said says him any"""
)
# English, and at home elsewhere too, or in names and terms that English documents use: no sign of either.
SHARED = _words(
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
PARTICLES = _words(
    "da das de del della den der des di die dos du e el en et het il la las le los te ter und van von y zu"
)
FOREIGN = frozenset(
    word for words in _BY_LANGUAGE.values() for word in words.split() if len(word) > 1 or not word.isascii()
).difference(ENGLISH, SHARED, PARTICLES)
# Known to any reader of English, with their marks.
BORROWED = _words(
    """attaché brûlée café cafés cliché clichés communiqué coöperation crème décor déjà détente entrée exposé
    façade façades fiancé fiancée jalapeño naïve naïveté né née passé piñata première protégé protégés résumé
    résumés rôle sauté soirée touché voilà à élite émigré émigrés über"""
)
