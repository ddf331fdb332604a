from __future__ import annotations

import pytest

from surefoot.text.normal import unreadable
from tests.growth import grows_evenly

FOREIGN = [
    "Die Rechnung ist innerhalb von vierzig Tagen nach Erhalt zu bezahlen, sonst werden Zinsen fällig.",
    "La facture est payable dans les quarante jours suivant sa réception, et des intérêts sont dus.",
    "La factura se paga en los cuarenta días siguientes a su recepción, pero no se cobran intereses.",
    "La fattura è pagabile entro quaranta giorni dalla data di ricezione e non sono dovuti interessi.",
    "A fatura deve ser paga em quarenta dias após o recebimento, mas não são cobrados juros da empresa.",
    "De factuur moet binnen veertig dagen na ontvangst worden betaald, maar er wordt geen rente op berekend.",
    "Faktura jest płatna w ciągu czterdziestu dni od otrzymania, a odsetki nie są naliczane przez bank.",
    "Fakturan ska betalas inom fyrtio dagar från det att den har mottagits, och ränta är inte aktuell.",
    "Fatura, alındıktan sonra kırk gün içinde ödenir ve bu süre için faiz daha sonra hesaplanır.",
    "Счёт подлежит оплате в течение сорока дней с момента получения.",
    "请在收到发票后四十天内付款。",
    "يجب دفع الفاتورة خلال أربعين يوما من استلامها.",
    "Το τιμολόγιο πληρώνεται εντός σαράντα ημερών από την παραλαβή του.",
    "請求書は受領後四十日以内に支払われます。",
    "O inquilino paga a renda no primeiro dia útil de cada mês.",
    "O contrato termina em 31 de maio de 2027.",
    "De huurder betaalt de huur op de eerste werkdag van elke maand.",
    "Het contract eindigt op 31 mei 2027.",
    "Hyresgästen betalar hyran den första vardagen i varje månad.",
    "Fakturaer skal betales inden for fyrre dage efter modtagelsen.",
    "Avtalen utløper 31. mai 2027 og kan ikke forlenges.",
    "Kiracı kirayı her ayın ilk iş günü öder.",
    "Vuokralainen maksaa vuokran kunkin kuukauden ensimmäisenä arkipäivänä.",
    "Yhtiö voi periä korkoa 12 prosenttia vuodessa.",
    "Hợp đồng kết thúc vào ngày 31 tháng 5 năm 2027.",
    "Kampuni inaweza kutoza riba ya asilimia 12 kwa mwaka.",
    "Mpangaji hulipa kodi siku ya kwanza ya kazi ya kila mwezi.",
    "Umowa wygasa 31 maja 2027 roku.",
    "Nájemce platí nájem první pracovní den každého měsíce.",
    "Facturile se achita in termen de patruzeci de zile de la primire.",
    "Faktur harus dibayar dalam empat puluh hari setelah diterima.",
    "Il contratto scade il 31 maggio 2027.",
    "El contrato termina el 31 de mayo de 2027.",
    "Le contrat prend fin le 31 mai 2027.",
    "Rechnungen sind innerhalb von vierzig Tagen zahlbar.",
    "RECHNUNGEN SIND INNERHALB VON VIERZIG TAGEN NACH ERHALT ZAHLBAR.",
    "A bérlő minden hónap első munkanapján fizeti a bérleti díjat.",
    "Ugovor prestaje 31. svibnja 2027. i ne može se produžiti.",
    "Üürnik maksab üüri iga kuu esimesel tööpäeval.",
    "Ang nangungupahan ay nagbabayad ng upa sa unang araw ng bawat buwan.",
    "किरायेदार हर महीने के पहले दिन किराया देता है।",
    "ผู้เช่าจ่ายค่าเช่าในวันแรกของทุกเดือน",
    "Tôi không biết.",
]
ENGLISH = [
    "8 hours.",
    "EUR 4,250",
    "Berlin, München, Zürich, São Paulo, Kraków, Besançon, Île-de-France",
    "| Produit | Fee (EUR) |\n|---|---|\n| Routing | EUR 4,250 |\n| Customs filing | EUR 3,180 |",
    "NOTWITHSTANDING SECTION 4.2, LICENSEE SHALL INDEMNIFY LICENSOR.",
    "The German word Rechnung, as in 'die Rechnung ist zu bezahlen', means invoice in the contract.",
    "Société Générale and Banco do Brasil signed the agreement with Deutsche Bank AG in May 2021.",
    "1. Scope\n2. Definitions\n3. Term and termination\n4. Governing law",
    "Revenue 2021: 1,204.5; 2022: 1,377.0; 2023: 1,401.2 (EUR m)",
    "Dan Orlovsky: Bucs sign QB Dan Orlovsky",
    "Juan Carlos de la Cruz, Ludwig van Beethoven, Leonardo da Vinci, Charles de Gaulle",
    "The decay constant λ and the angle θ are related by λ = sin θ / μ.",
    "The Ukrainian name of the city, Київ, is written Kyiv in the report.",
    "Владимир Кузнецов and Александра Морозова signed.",
    "上海 and 北京 are cities.",
    "Robin van der Berg, Marco del Piero, Luigi di Maio, Ana dos Santos, Zoë de la Tour",
    "The seat is at Calle de los Olivos 14, 28004 Madrid, and at Straße des 17. Juni 5, Berlin.",
    "Fees accrue pro rata, mutatis mutandis, pari passu with senior notes, inter alia per annum.",
    "Notice under Clause 4 et seq. is a condition sine qua non of the force majeure clause.",
    "Société Anonyme des Eaux et de l'Électricité du Rhône pays Compagnie du Nord EUR 5 per unit.",
    "IN NO EVENT SHALL BUYER BE LIABLE FOR ANY LOSS OF PROFIT.",
    "Revenue rose 5 % on strong demand",
    "Née Müller, she opened a café with a view of the façade.",
    "John Smith",
    "Ile de Ré",
    "Les Deux Magots",
    "München, Zürich, Köln, Besançon, Kraków, Málaga",
    "Clause 4: 'Force majeure' means événement de force majeure.",
    "The company is a société à responsabilité limitée.",
    "R v Secretary of State, ex parte Fire Brigades Union; Van der Merwe et al. v De Beers",
    "Rua das Flores 12, 1200-195 Lisboa; 8 rue du Faubourg Saint-Honoré, Paris; via della Pace 4, Roma",
    "Los Angeles, Las Vegas, El Paso, San Juan, La Paz, Le Havre, Den Haag, Des Moines",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_other_languages_are_told(text: str) -> None:
    assert unreadable(text) == "not English"


@pytest.mark.parametrize("text", ENGLISH)
def test_english_of_every_kind_passes(text: str) -> None:
    assert unreadable(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), (" \n\t", "empty"), ("--- !!! ***", "empty"), ("a\x00\x01\x02\x03b\x1f" * 9, "not text")],
)
def test_what_is_no_text_at_all(text: str, reason: str) -> None:
    assert unreadable(text) == reason


def test_a_huge_text_is_not_slow() -> None:
    assert unreadable("The fee is due. " * 300_000) is None
    assert grows_evenly(lambda times: unreadable("The fee is due. " * times), 50_000)
