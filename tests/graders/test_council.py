"""A council of graders: more than half decide, nobody alone can spoil it, every ballot is kept."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from surefoot.graders.council import CouncilGrader
from surefoot.graders.grader import FOR_A_PERSON, Graded
from surefoot.table import BUCKETS, Bucket, Findings
from surefoot.types import Item, Question, Trace, Verdict

ITEMS = [Item(Question("q1", "How long?", "answer"), Trace("q1", answer="Ten days."))]


class Fixed:
    """Grades everything alike."""

    def __init__(self, name: str, bucket: Bucket | None, uncited: int = 0) -> None:
        self.name, self._bucket, self._uncited = name, bucket, uncited

    def read(self, items: Sequence[Item]) -> list[Graded]:
        reason = self._bucket or "unreadable"
        return [
            Graded(item, Findings(None, "answered", "answer"), None, self._bucket, reason, self._verdicts(item, reason))
            for item in items
        ]

    def _verdicts(self, item: Item, reason: str) -> tuple[Verdict, ...]:
        found = Verdict(item.question.id, "factuality", self._bucket, self.name, reason=reason, confidence=0.9)
        return (found, Verdict(item.question.id, "extra_claim_count", self._uncited, self.name))


def council(*buckets: Bucket | None) -> CouncilGrader:
    return CouncilGrader([Fixed(f"m{number}", bucket, number) for number, bucket in enumerate(buckets)])


def test_more_than_half_decide_and_every_ballot_is_kept() -> None:
    grader = council("wrong", "correct", "wrong")
    (graded,) = grader.read(ITEMS)
    assert graded.bucket == "wrong"
    assert [(v.axis, v.value, v.grader, v.via) for v in graded.verdicts] == [
        ("factuality", "wrong", grader.name, "1 correct, 2 wrong"),
        ("extra_claim_count", 0, grader.name, "1 correct, 2 wrong"),
    ]
    assert [(name, [v.value for v in rows]) for name, rows in grader.ballots.items()] == [
        ("m0", ["wrong", 0]), ("m1", ["correct", 1]), ("m2", ["wrong", 2]),
    ]  # fmt: skip


def test_a_split_council_leaves_the_answer_to_a_person() -> None:
    (graded,) = council("correct", "wrong").read(ITEMS)
    assert (graded.bucket, graded.reason) == (None, FOR_A_PERSON)
    assert graded.findings.detail == "no bucket has more than half of the votes (1 correct, 1 wrong)"
    assert [verdict.value for verdict in graded.verdicts] == [None]


def test_who_leaves_an_answer_open_abstains() -> None:
    assert council(None, "refused", None).read(ITEMS)[0].bucket == "refused"
    (graded,) = council(None, None).read(ITEMS)
    assert (graded.bucket, graded.reason) == (None, "unreadable")


def test_another_member_is_another_council() -> None:
    assert council("wrong").name != council("wrong", "wrong").name
    one, other = (CouncilGrader([Fixed(name, "wrong") for name in names]) for names in (("a", "b"), ("b", "a")))
    assert one.name == other.name


@given(st.lists(st.sampled_from([*BUCKETS, None]), min_size=1, max_size=7), st.randoms())
def test_the_order_of_members_does_not_matter(buckets: list[Bucket | None], chance: object) -> None:
    shuffled = list(buckets)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert council(*buckets).read(ITEMS)[0].bucket == council(*shuffled).read(ITEMS)[0].bucket
