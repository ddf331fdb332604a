"""Relations in several wordings of one direction: {a} and {b} are the parties, {t} what it is about."""

from __future__ import annotations

from msgspec import Struct


class Relation(Struct, frozen=True):
    between: str  # "firms" or "people"
    things: tuple[str, ...]  # one of them is {t}
    wordings: tuple[str, ...]  # all say the same, so each supports each; with the parties exchanged, each contradicts


def _relation(between: str, things: str, wordings: str) -> Relation:
    lines = (line.strip() for line in wordings.strip().splitlines())
    return Relation(between, tuple(thing.strip() for thing in things.split("/")), tuple(lines))


RELATIONS = (
    _relation("firms", "the {place} plant/its port terminal/the packaging division/a depot in {place}/the brand", """
        {a} sold {t} to {b}
        {b} bought {t} from {a}
        {t} was sold to {b} by {a}
        {b} acquired {t} from {a}
        {a} was the seller of {t} and {b} the buyer
        {a} disposed of {t}, which went to {b}
        {t} passed from {a} to {b}"""),
    _relation("firms", "all shares/a controlling stake/the remaining shares", """
        {a} acquired {b}
        {b} was acquired by {a}
        {a} took over {b}
        {b} was bought by {a}
        {b} became a subsidiary of {a}
        {a} became the parent company of {b}
        the owners of {b} sold it to {a}"""),
    _relation("firms", "the coating process/the right to use the software/the trade mark/a family of patents", """
        {a} licenses {t} to {b}
        {b} holds {t} under licence from {a}
        {t} is licensed by {a} to {b}
        {a} is the licensor of {t} and {b} the licensee
        {b} pays royalties to {a} for {t}
        {a} receives royalties from {b} for {t}
        {b} uses {t} with the permission of {a}"""),
    _relation("firms", "the offices in {place}/a depot near {place}/two floors of the tower/the cold store", """
        {a} leases {t} to {b}
        {b} rents {t} from {a}
        {b} is the tenant of {t}, and {a} is its landlord
        {a} lets {t} to {b}
        {b} pays {a} rent for {t}
        {t} is owned by {a} and let to {b}"""),
    _relation("firms", "a loan of {sum}/a bridge loan of {sum}/a credit line of {sum}", """
        {a} granted {b} {t}
        {b} received {t} from {a}
        {a} lent money to {b} in the form of {t}
        {b} borrowed from {a} through {t}
        {b} owes {a} the repayment of {t}
        {t} was extended to {b} by {a}
        {a} is the lender and {b} the borrower of {t}"""),
    _relation("firms", "steel pipes/sensors/ready meals/cement/medical gloves/spare parts", """
        {a} supplies {b} with {t}
        {b} buys {t} from {a}
        {b} is supplied with {t} by {a}
        {a} delivers {t} to {b}
        {b} is a customer of {a} for {t}
        {a} is the supplier of {t} to {b}"""),
    _relation("firms", "third-party claims/losses from late delivery/any breach of data protection law", """
        {a} shall indemnify {b} against {t}
        {b} is entitled to be indemnified by {a} against {t}
        {a} must hold {b} harmless from {t}
        {b} can recover from {a} what it loses through {t}
        the indemnity for {t} is given by {a} to {b}
        {b} is to be compensated by {a} for {t}"""),
    _relation("firms", "any defect/a change of control/an outage/every accident on site", """
        {a} must notify {b} of {t}
        {b} must be notified of {t} by {a}
        it is for {a} to tell {b} about {t}
        {b} is entitled to notice of {t} from {a}
        {a} has to inform {b} of {t}
        notice of {t} goes from {a} to {b}"""),
    _relation("firms", "patent infringement/breach of contract/unpaid invoices/misleading advertising", """
        {a} sued {b} over {t}
        {b} was sued by {a} over {t}
        {a} brought an action against {b} for {t}
        {b} is the defendant and {a} the plaintiff in the case about {t}
        {a} took {b} to court because of {t}
        {b} has to defend a claim by {a} about {t}"""),
    _relation("firms", "the bonds of 2031/the rent/the bank loan/payment for the turbines", """
        {a} guarantees {t} owed by {b}
        {t} owed by {b} is backed by a guarantee of {a}
        {a} stands surety for {b} in respect of {t}
        if {b} does not pay {t}, {a} must
        {b} is the debtor of {t} and {a} the guarantor
        should {b} default on {t}, {a} steps in"""),
    _relation("firms", "the accounts/the annual report/the safety records/compliance with the code", """
        {a} audits {t} of {b}
        {a} checks {t} of {b}
        {b} is audited by {a} as to {t}
        {a} is the one that reviews {t} of {b}
        the auditor of {b} as to {t} is {a}"""),
    _relation("firms", "the bridge works/the new clinic/the tunnel/the software project", """
        {a} engaged {b} as subcontractor for {t}
        {b} was hired by {a} as subcontractor for {t}
        {b} works for {a} on {t}
        {a} passed part of {t} on to {b}
        on {t}, {b} is the subcontractor and {a} the main contractor
        for {t}, {b} takes its orders from {a}"""),
    _relation("firms", "the patent/the claim for damages/the lease/the domain name", """
        {a} assigned {t} to {b}
        {b} took over {t} from {a}
        {t} was transferred by {a} to {b}
        {a} is the assignor of {t}, {b} the assignee
        {b} now holds {t}, which used to belong to {a}
        {a} gave up {t} in favour of {b}"""),
    _relation("firms", "market share/sales/passenger numbers", """
        {a} overtook {b} in {t}
        {b} was overtaken by {a} in {t}
        {b} fell behind {a} in {t}
        {a} moved ahead of {b} in {t}
        in {t}, {b} lost its lead to {a}"""),
    _relation("firms", "{sum}/a penalty of {sum}/a deposit of {sum}/{sum} in damages", """
        {a} paid {b} {t}
        {b} received {t} from {a}
        {t} was paid by {a} to {b}
        {b} got {t} from {a}
        {a} made a payment to {b}, namely {t}
        {b} collected {t} from {a}"""),
    _relation("firms", "the merger plan/a joint bid/a supply deal/the rescue package", """
        {a} rejected {t} proposed by {b}
        {t} proposed by {b} was turned down by {a}
        {b} put forward {t}, but {a} said no
        {a} refused to accept {t} that {b} had offered
        {b} failed to win {a} over to {t}"""),
    _relation("people", "the {place} office/the design team/the night shift/the research group", """
        {a} reports to {b} in {t}
        {b} is the superior of {a} in {t}
        in {t}, {b} is in charge of {a}
        {a} works under {b} in {t}
        {b} supervises {a} in {t}
        in {t}, {a} takes instructions from {b}"""),
    _relation("people", "mayor of {place}/head of the institute/chief engineer/chair of the board", """
        {a} succeeded {b} as {t}
        {b} was succeeded by {a} as {t}
        {a} followed {b} as {t}
        {b} was {t} before {a}
        {a} became {t} after {b}
        {b} handed the post of {t} over to {a}
        {b} preceded {a} as {t}"""),
    _relation("people", "the final/the election in {place}/the semi-final/the vote for the chair", """
        {a} defeated {b} in {t}
        {b} lost to {a} in {t}
        {a} beat {b} in {t}
        {b} was beaten by {a} in {t}
        {a} won {t} against {b}
        {t} ended in a defeat of {b} by {a}"""),
    _relation("people", "the violin/bookkeeping/Latin/welding/chess", """
        {a} taught {b} {t}
        {b} learned {t} from {a}
        {b} was taught {t} by {a}
        {a} gave {b} lessons in {t}
        {b} was a pupil of {a} in {t}
        {a} was the teacher of {b} in {t}"""),
    _relation("people", "director of sales/site manager/treasurer/deputy editor", """
        {a} appointed {b} as {t}
        {b} was appointed {t} by {a}
        {a} made {b} {t}
        {b} owes the post of {t} to {a}
        it was {a} who named {b} {t}
        the appointment of {b} as {t} was made by {a}"""),
    _relation("people", "a job/the prize/early retirement/the scholarship", """
        {a} recommended {b} for {t}
        {b} was recommended for {t} by {a}
        {a} put in a word for {b} for {t}
        {b} had the backing of {a} for {t}
        the recommendation of {b} for {t} came from {a}"""),
    _relation("people", "fraud/negligence/bullying/breach of trust", """
        {a} accused {b} of {t}
        {b} was accused of {t} by {a}
        {a} charged {b} with {t}
        according to {a}, {b} is guilty of {t}
        the accusation of {t} was made by {a} against {b}
        {b} faces an allegation of {t} from {a}"""),
    _relation("people", "the house in {place}/the farm/a collection of prints/half of the business", """
        {a} inherited {t} from {b}
        {b} left {t} to {a}
        {t} was left to {a} by {b}
        {a} is the heir of {b} as to {t}
        in the will of {b}, {t} goes to {a}
        {t} came to {a} on the death of {b}"""),
    _relation("people", "{sum}/a boat/the deposit of {sum}", """
        {a} lent {b} {t}
        {b} borrowed {t} from {a}
        {t} was lent by {a} to {b}
        {b} has to give {t} back to {a}
        {a} is owed {t} by {b}"""),
    _relation("people", "the flat in {place}/a studio/the garage", """
        {a} rents {t} from {b}
        {b} lets {t} to {a}
        {b} is the landlord of {a} in {t}
        {a} is the tenant of {b} in {t}
        {a} pays rent to {b} for {t}"""),
    _relation("people", "the committee/the club/the orchestra/the company", """
        {a} joined {t} earlier than {b}
        {b} joined {t} later than {a}
        when {b} came to {t}, {a} was already there
        {a} had been in {t} for a while when {b} entered
        {b} is the newer member of {t}, {a} the older"""),
    _relation("people", "by two years/by a few months/by nine years", """
        {a} is older than {b} {t}
        {b} is younger than {a} {t}
        {a} was born before {b}
        {b} was born after {a}
        of the two, {a} is the elder and {b} the younger"""),
)  # fmt: skip
