"""Words and their opposites. Verbs are given in base form and inflected; the rest is swapped as written."""

from __future__ import annotations

from functools import cache

from training.english.inflection import forms, plural
from training.english.lists import words

VERBS = """increase/decrease raise/lower include/exclude grant/deny buy/sell import/export accept/reject approve/reject
permit/prohibit allow/forbid require/forbid begin/end commence/terminate start/stop open/close gain/lose
win/lose rise/fall grow/shrink expand/contract improve/worsen strengthen/weaken borrow/lend lease/sell
hire/dismiss appoint/remove join/leave arrive/depart enter/leave attack/defend support/oppose agree/disagree
confirm/deny disclose/conceal retain/return acquire/dispose_of purchase/sell receive/send accelerate/delay
extend/shorten renew/terminate ratify/repeal enact/repeal adopt/reject uphold/overturn affirm/reverse
encourage/discourage enable/prevent succeed/fail add/remove create/destroy build/demolish deposit/withdraw
credit/debit maximize/minimize promote/demote attract/repel admit/deny assume/disclaim accrue/lapse
authorize/prohibit comply_with/violate satisfy/breach fulfil/breach fulfill/breach exceed/fall_below
earn/lose employ/dismiss establish/dissolve merge_with/separate_from invest_in/divest_from praise/criticize
praise/condemn welcome/reject convict/acquit survive/die_in precede/follow upgrade/downgrade
activate/deactivate enforce/waive assert/waive keep/discard launch/discontinue
introduce/withdraw publish/withdraw offer/withdraw declare/revoke"""
NOUNS = """increase/decrease gain/loss profit/loss asset/liability buyer/seller lender/borrower landlord/tenant
lessor/lessee licensor/licensee employer/employee creditor/debtor importer/exporter majority/minority
advantage/disadvantage strength/weakness success/failure victory/defeat surplus/deficit income/expense
inflow/outflow buyer/seller franchisor/franchisee mortgagor/mortgagee assignor/assignee plaintiff/defendant
winner/loser benefit/drawback arrival/departure beginning/end entrance/exit ancestor/descendant
parent/subsidiary supporter/opponent ally/enemy approval/rejection acceptance/rejection inclusion/exclusion
appreciation/depreciation improvement/deterioration expansion/contraction birth/death purchase/sale
import/export supply/demand"""
PLAIN = """higher/lower larger/smaller greater/smaller bigger/smaller longer/shorter better/worse earlier/later
older/younger faster/slower stronger/weaker cheaper/more_expensive highest/lowest largest/smallest
biggest/smallest longest/shortest best/worst oldest/youngest earliest/latest fastest/slowest
strongest/weakest most/least first/last north/south east/west northern/southern eastern/western
northeast/southwest northwest/southeast upper/lower internal/external domestic/foreign public/private
positive/negative favorable/unfavorable favourable/unfavourable able/unable likely/unlikely
successful/unsuccessful authorized/unauthorized written/oral exclusive/non-exclusive binding/non-binding
valid/invalid legal/illegal lawful/unlawful enforceable/unenforceable reasonable/unreasonable
voluntary/mandatory optional/mandatory direct/indirect directly/indirectly temporary/permanent
fixed/variable secured/unsecured taxable/tax-exempt current/former senior/subordinated active/inactive
profitable/unprofitable popular/unpopular common/rare frequently/rarely often/rarely usually/rarely
always/never rich/poor strong/weak high/low    new/old long/short
safe/dangerous male/female son/daughter father/mother brother/sister husband/wife
above/below inside/outside inbound/outbound upstream/downstream forward/backward left/right present/absent
complete/incomplete accurate/inaccurate adequate/inadequate
consistent_with/inconsistent_with material/immaterial revocable/irrevocable
transferable/non-transferable assignable/non-assignable refundable/non-refundable renewable/non-renewable
revocable/irrevocable confidential/public short-term/long-term maximum/minimum primarily/only_marginally
mainly/only_marginally jointly/separately partially/fully partly/wholly entirely/only_partly
fully/only_partly wholly/only_partly unanimously/narrowly subsequent/prior subsequently/previously
previous/subsequent pre-tax/after-tax gross/net effective/ineffective  liable/not_liable
responsible/not_responsible eligible/ineligible entitled/not_entitled prohibited/allowed
dependent/independent visible/invisible known/unknown alive/dead married/unmarried guilty/innocent home/away
winning/losing amateur/professional ancient/modern indoor/outdoor liberal/conservative import/export
warm/cold hot/cold wet/dry"""
# Words with a second reading too common to be sure which one is meant: one direction only, or not at all.
_ONE_WAY = words(
    "last right left end new old long short home high low hot return fail leave die open close minor public "
    "current lower net present known sale wet dry father light"
)

_ALSO_NOUNS = words("support offer lease contract attack delay credit debit hire start stop permit import")


@cache
def opposites() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for one, other in _pairs(VERBS):
        for place, (a, b) in enumerate(zip(forms(one), forms(other), strict=True)):
            if not (one in _ALSO_NOUNS and place < 2):
                _enter(table, one, a, b)
            if not (other in _ALSO_NOUNS and place < 2):
                _enter(table, other, b, a)
    for one, other in _pairs(NOUNS):
        for a, b in ((one, other), (plural(one), plural(other))):
            _enter(table, one, a, b)
            _enter(table, other, b, a)
    for one, other in _pairs(PLAIN):
        _enter(table, one, one, other)
        _enter(table, other, other, one)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = [pair.replace("_", " ").partition("/") for pair in text.split()]
    return [(one, other) for one, _, other in pairs]


def _enter(table: dict[str, list[str]], base: str, word: str, other: str) -> None:
    if base not in _ONE_WAY and " " not in word:
        table.setdefault(word, []).append(other)
