from __future__ import annotations

import time

import pytest

from surefoot.text.language import unreadable

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


def test_a_huge_text_takes_no_time() -> None:
    start = time.perf_counter()
    assert unreadable("The fee is due. " * 300_000) is None
    assert time.perf_counter() - start < 1
