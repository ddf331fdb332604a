"""The gate: may a candidate ship? An answer goes down this list, and never back up.

sides.py       the two versions that are compared, and their answers with labels in place
metrics.py     everything that is measured, each thing under one name
rules.py       a rule, what came of it, and the decision that all rules lead to
belief.py      what may be true of each answer, given its verdict and the labels
change.py      the change of a metric between the versions, with its interval
counts.py      answers counted as they stand, and which moved
judge.py       a rule against the answers of both sides
trust.py       how far the verdicts can be believed
queue.py       the order in which answers come before people
next_steps.py  what would decide an open rule, and what that costs
decide.py      all rules, and the decision
"""
