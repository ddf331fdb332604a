"""An answer that no grader should decide: it has no value, and a reason."""

from __future__ import annotations

from msgspec.structs import replace

from surefoot import table
from surefoot.graders.findings import Graded
from surefoot.table import Findings

FOR_A_PERSON = "for a person"


def left_open(graded: Graded, reason: str, why: str) -> Graded:
    """Without a value, whatever it looked like."""
    was = graded.findings
    findings = Findings("unreadable", was.refusal, was.expects, detail=why)
    bucket, _ = table.decide(findings)
    factuality = replace(graded.verdicts[0], value=bucket, reason=reason, evidence=(), confidence=None)
    return replace(graded, findings=findings, bucket=bucket, reason=reason, verdicts=(factuality,))
