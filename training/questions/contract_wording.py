"""How people word claims and questions about the clauses of a contract, by kind of clause."""

from __future__ import annotations

ASKED = frozenset(["Is", "Does", "Can", "What", "Which", "On", "Are", "Do", "Who", "When"])

# A value stands at {}.
VALUES = {
    "Governing Law": (
        "The governing law is {}.",
        "The agreement is governed by the laws of {}.",
        "The contract shall be interpreted under {} law.",
        "{} law governs the agreement.",
    ),
    "Renewal Term": (
        "The agreement's renewal term is {}.",
        "After the initial term, the agreement renews for {}.",
        "Each renewal period lasts {}.",
    ),
    "Notice Period To Terminate Renewal": (
        "The notice period to stop renewal is {}.",
        "A party that does not want the agreement to renew must give {} notice.",
        "Notice of non-renewal must be given at least {} in advance.",
    ),
    "Agreement Date": (
        "The agreement is dated {}.",
        "The agreement was made on {}.",
        "The date of the contract is {}.",
    ),
    "Effective Date": (
        "The agreement is effective as of {}.",
        "The effective date is {}.",
        "The contract took effect on {}.",
    ),
    "Expiration Date": ("The agreement expires on {}.", "The initial term ends on {}.", "The contract runs until {}."),
    "Document Name": ("The document is titled {}.", "The name of the contract is {}.", "This contract is the {}."),
}

# Wordings when the clause is there, and wordings that deny it.
PRESENCE = {
    "Anti-Assignment": (
        ("A party may not freely assign the contract to a third party.", "Assigning the agreement requires consent or notice.", "The agreement cannot simply be passed on to someone else."),
        ("The agreement may be assigned freely, without any consent or notice.", "No consent is needed to assign the contract."),
    ),
    "Cap On Liability": (
        ("The contract limits a party's liability.", "There is a limitation of liability in the agreement.", "Liability is not unlimited."),
        ("A party's liability is not limited in any way.", "Liability is unlimited in every case.", "The contract contains no limitation of liability."),
    ),
    "License Grant": (
        ("One party grants the other a license.", "The agreement contains a license grant."),
        ("No license is granted to the other party.", "The agreement grants neither party any license."),
    ),
    "Audit Rights": (
        ("A party's records are not closed to the other party's inspection.", "A party has the right to audit or inspect the other party's records or premises.", "The agreement gives a party audit rights."),
        ("Each party's books are closed to the other.", "Neither party may inspect or audit the other's records.", "The agreement gives no right to audit."),
    ),
    "Revenue/Profit Sharing": (
        ("One party has to share revenue or profit with the other.", "The agreement provides for a share of revenue or profit."),
        ("No revenue or profit is shared between the parties.", "Neither party owes the other any part of its revenue."),
    ),
    "Termination For Convenience": (
        ("A party can terminate the contract without cause.", "No cause is needed to end the agreement.", "The agreement may be terminated for convenience by giving notice."),
        ("The contract can be terminated only for cause.", "Neither party may end the agreement without cause."),
    ),
    "Minimum Commitment": (
        ("There is a minimum purchase or a minimum amount that a party must meet.", "A party commits to a minimum."),
        ("There is no minimum commitment.", "A party may order as little as it likes.", "No minimum order or minimum payment is required."),
    ),
    "Insurance": (
        ("A party must maintain insurance.", "The agreement requires insurance coverage."),
        ("No party has to carry insurance.", "Insurance is left to each party's own choice.", "The agreement does not require any insurance."),
    ),
    "Non-Compete": (
        ("A party is restricted from competing with the other.", "The agreement contains a non-compete obligation.", "A party is not free to compete."),
        ("The parties are free to compete with each other.", "The agreement does not restrict competition in any way."),
    ),
    "Non-Transferable License": (
        ("The license may not be transferred to third parties.", "The license is non-transferable or may be transferred only under conditions."),
        ("The licensee may transfer the license to anyone.", "The license is freely transferable."),
    ),
    "Ip Ownership Assignment": (
        ("Intellectual property created by one party becomes the other party's property.", "A party assigns intellectual property rights to the other."),
        ("Each party keeps all intellectual property that it creates, and nothing is assigned.", "No intellectual property passes to the other party."),
    ),
    "No-Solicit Of Employees": (
        ("A party may not solicit or hire the other's employees.", "The agreement restricts soliciting employees."),
        ("Each party may freely hire the other's employees.", "Soliciting the other party's employees is not restricted."),
    ),
    "Non-Disparagement": (
        ("A party must not disparage the other.", "Disparaging the other party is not allowed.", "The agreement forbids disparaging remarks."),
        ("The parties are free to disparage each other.", "Nothing keeps a party from disparaging the other."),
    ),
    "Liquidated Damages": (
        ("The contract provides for liquidated damages or a termination fee.", "A fixed sum is due upon breach or termination."),
        ("No liquidated damages or termination fee are ever due.", "No fixed sum is owed upon breach or termination."),
    ),
    "Warranty Duration": (
        ("The warranty lasts for a stated period.", "There is a time-limited warranty."),
        ("The agreement disclaims any warranty and states no warranty period.", "No warranty of any duration is given."),
    ),
    "Change Of Control": (
        ("A change of control gives rights to the other party or needs its consent.", "The agreement deals with a change of control."),
        ("A change of control has no effect on the agreement whatsoever.", "A change of control needs no consent and gives no right to terminate."),
    ),
    "Irrevocable Or Perpetual License": (
        ("The license is irrevocable or perpetual.", "The license cannot be revoked or has no end.", "A license is granted that does not end or cannot be revoked."),
        ("The license can be revoked at any time.", "The license ends after a fixed time and can be revoked.", "No perpetual or irrevocable license is granted."),
    ),
    "Joint Ip Ownership": (
        ("Some intellectual property is owned jointly.", "The parties share ownership of certain intellectual property."),
        ("No intellectual property is ever jointly owned by the parties.", "Each right belongs to one party alone, and none is shared."),
    ),
    "Source Code Escrow": (
        ("Source code is to be deposited in escrow.", "A party must put its source code in escrow."),
        ("Source code need not be placed in escrow.", "There is no escrow of source code."),
    ),
    "No-Solicit Of Customers": (
        ("A party may not solicit the other's customers.", "Soliciting customers of the other party is restricted."),
        ("Each party may freely solicit the other's customers.", "Soliciting customers is not restricted."),
    ),
}  # fmt: skip

QUESTIONS: dict[str, tuple[str, ...]] = {
    "Document Name": ("What is the name of the contract?", "What is this agreement called?", "What type of agreement is this?"),
    "Parties": ("Who are the parties to the agreement?", "Which parties signed the contract?", "Who entered into the agreement?"),
    "Agreement Date": ("What is the date of the contract?", "When was the agreement made?", "When was the agreement entered into?"),
    "Effective Date": ("When does the agreement become effective?", "What is the effective date of the contract?"),
    "Expiration Date": ("When does the agreement expire?", "How long is the initial term?", "On what date does the initial term end?"),
    "Renewal Term": ("What is the renewal term?", "How does the agreement renew after the initial term?", "Does the contract renew automatically?"),
    "Notice Period To Terminate Renewal": (
        "How much notice must be given to prevent renewal?", "What is the notice period for non-renewal?",
        "How many days before expiry must a party say that it does not want to renew?",
    ),
    "Governing Law": ("Which law governs the agreement?", "What is the governing law?", "Under which state's law is the contract interpreted?"),
    "Anti-Assignment": ("Can the agreement be assigned to a third party without consent?", "May a party assign the contract?"),
    "Cap On Liability": ("Is liability capped?", "What is the limit of liability?", "Is a party's liability limited?"),
    "License Grant": ("Is a license granted?", "What license does one party grant to the other?"),
    "Audit Rights": ("Can a party audit the other's books and records?", "Who may audit the records?"),
    "Exclusivity": ("Is there an exclusive dealing commitment?", "Is the arrangement exclusive?"),
    "Revenue/Profit Sharing": ("Is revenue or profit shared?", "What share of revenue has to be paid to the other party?"),
    "Termination For Convenience": ("Can a party terminate without cause?", "Can the agreement be terminated for convenience?"),
    "Post-Termination Services": ("What has to be done after termination?", "Which obligations remain after the contract ends?"),
    "Minimum Commitment": ("Is there a minimum purchase commitment?", "What minimum amount must be bought or paid?"),
    "Insurance": ("What insurance must be maintained?", "Does the contract require insurance?"),
    "Non-Compete": ("Is there a non-compete clause?", "Is a party restricted from competing?"),
    "Non-Transferable License": ("Can the license be transferred?", "Is the license transferable?"),
    "Ip Ownership Assignment": ("Who owns the intellectual property that is created?", "Is intellectual property assigned to the other party?"),
    "Uncapped Liability": ("For what is liability unlimited?", "Are there exceptions to the limit of liability?"),
    "Change Of Control": ("What happens upon a change of control?", "Can a party terminate if control of the other changes?"),
    "Covenant Not To Sue": ("Is a party kept from contesting the other's intellectual property?", "Is there a covenant not to sue?"),
    "Rofr/Rofo/Rofn": ("Is there a right of first refusal?", "Does a party have a right of first offer or negotiation?"),
    "Warranty Duration": ("How long does the warranty last?", "What is the warranty period?"),
    "Liquidated Damages": ("Are liquidated damages due?", "Is there a fee for early termination?"),
    "No-Solicit Of Employees": ("May a party hire the other's employees?", "Is soliciting employees forbidden?"),
    "Non-Disparagement": ("Is there a non-disparagement clause?", "May a party speak badly of the other?"),
    "Most Favored Nation": ("Is there a most favored nation clause?", "Must a party offer the best terms it gives anyone else?"),
    "Third Party Beneficiary": ("Are there third-party beneficiaries?", "Can a third party enforce the agreement?"),
    "Source Code Escrow": ("Must source code be placed in escrow?", "Is there a source code escrow?"),
    "Irrevocable Or Perpetual License": ("Is the license perpetual or irrevocable?", "Can the license be revoked?"),
    "Joint Ip Ownership": ("Is any intellectual property jointly owned?", "Do the parties share ownership of intellectual property?"),
}  # fmt: skip
