"""A block stands: another reference, other limits or fewer rules do not lift it, only labels or a new version do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import log

from surefoot.gate import Check, Rule
from surefoot.judging import Judged
from surefoot.records import Discordant
from surefoot.sequential.counting import ALWAYS_COUNTED, added, failing, is_chance, key_of
from surefoot.sequential.history import Block
from surefoot.stats.sequential import log_e_value

_RULE = Rule("not_blocked_before", "no block of this release stands", "not_blocked_before", None, None, "<=",
             Fraction(0), on_baseline=True)  # fmt: skip
_NEW_RELEASE = "a changed candidate is a new release: name it with --version"


def standing_blocks(
    judged: Sequence[Judged], counts: Mapping[str, Discordant], blocks: Sequence[Block], waivers: Mapping[str, str]
) -> list[Judged]:
    """A failed rule where the release was blocked before; waived when all that blocked it is waived."""
    stand = standing(blocks, counts, failing(judged))
    if not stand:
        return []
    reasons: dict[str, list[str | None]] = {}
    for rule in filter(is_chance, (one.check.rule for one in judged)):
        reasons.setdefault(key_of(rule), []).append(waivers.get(rule.name))
    waived = [reason for block in stand for reason in reasons.get(block.rule, [None])]
    waiver = None if None in waived else "; ".join(dict.fromkeys(filter(None, waived)))
    return [Judged(check_of(stand, counts), waiver=waiver)]


def standing(blocks: Sequence[Block], counts: Mapping[str, Discordant], failed: Collection[str]) -> list[Block]:
    """The blocks that the counts still bear out, those of the two runs at hand as people's labels have them now.

    `failed` are the rules that fail today anyway: they need no reminder.
    """
    return [
        block for block in blocks if block.rule not in failed and _log_e(block, counts) >= log(block.blocks_from)
    ]  # fmt: skip


def check_of(blocks: Sequence[Block], counts: Mapping[str, Discordant]) -> Check:
    """The standing blocks as a rule that fails; it names the first."""
    first = min(blocks, key=lambda block: (block.at, block.rule not in ALWAYS_COUNTED))
    e = 10 ** min(12.0, _log_e(first, counts) / log(10))
    told = f"blocked on {first.at[:10]} by {first.cand_name} against {first.base_name}: {first.rule}, e = {e:.3g}"
    return Check(_RULE, "fail", reason=f"{told}; {_NEW_RELEASE}")


def _log_e(block: Block, counts: Mapping[str, Discordant]) -> float:
    total = block.others
    if block.again is not None:
        total = added((total, counts.get(block.rule, block.again)))
    return log_e_value(total.worse, total.better)
