"""The project's ledger: runs, labels, scores, certificates, gate history and paid replies, in a file or on PostgreSQL.

Rows are added and never changed, so it can always be said who labelled what, when, and on which version.
"""

from surefoot.ledger.book import Ledger as Ledger
from surefoot.ledger.schema import Conflict as Conflict
