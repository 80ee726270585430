"""Noticed damage, drops on the aimed criterion and elsewhere, by annotator and criterion."""

import pytest

from annotator.reliability.rules import NO_SENTINELS, ONE_CRITERION, Sensitivity, sensitivity
from core.statistics.tables import ReliabilityError, Sentinel

SENTINELS = [
    Sentinel("alice", "r", "x", {"x": 9, "y": 8, "z": 7}, {"x": 5, "y": 8, "z": 6}),
    Sentinel("alice", "s", "y", {"x": 9, "y": 8, "z": 7}, {"x": 9, "y": 9, "z": 7}),
    Sentinel("bob", "r", "x", {"x": 6, "y": 6, "z": 6}, {"x": 4, "y": 2, "z": 3}),
]


def chosen(found: tuple[Sensitivity, ...], person: str | None, key: str | None) -> Sensitivity:
    return next(one for one in found if (one.annotator, one.criterion) == (person, key))


def test_sensitivity_by_hand() -> None:
    found = sensitivity(SENTINELS)
    everything = chosen(found, None, None)
    assert everything.detected.value == pytest.approx(2 / 3)
    assert everything.drop_aimed.value == pytest.approx((4 - 1 + 2) / 3)
    assert everything.drop_elsewhere.value == pytest.approx((0 + 1 + 0 + 0 + 4 + 3) / 6)
    alice = chosen(found, "alice", None)
    assert (alice.detected.value, alice.detected.n) == (0.5, 2)
    assert chosen(found, None, "y").drop_aimed.value == -1
    assert chosen(found, "bob", "x").drop_elsewhere.value == 3.5


def test_every_annotator_meets_every_criterion_in_the_list() -> None:
    kinds = [(one.annotator, one.criterion) for one in sensitivity(SENTINELS)]
    assert len(kinds) == len(set(kinds)) == 1 + 2 + 2 + 4


def test_a_criterion_that_was_not_damaged_for_an_annotator_has_its_message() -> None:
    missing = chosen(sensitivity(SENTINELS), "bob", "y")
    assert (missing.detected.value, missing.detected.reason) == (None, NO_SENTINELS)


def test_the_smallest_drop_that_counts_can_be_set() -> None:
    shares = [
        chosen(sensitivity(SENTINELS, least_drop=least), None, None).detected.value
        for least in (2, 3, 5)
    ]
    assert shares == pytest.approx([2 / 3, 1 / 3, 0])


def test_no_sentinels_have_their_message() -> None:
    (everything,) = sensitivity([])
    assert (everything.detected.value, everything.detected.reason) == (None, NO_SENTINELS)


def test_one_criterion_alone_leaves_nothing_elsewhere() -> None:
    (everything, *_) = sensitivity([Sentinel("alice", "r", "x", {"x": 9}, {"x": 5})])
    assert everything.drop_aimed.value == 4
    assert (everything.drop_elsewhere.value, everything.drop_elsewhere.reason) == (
        None, ONE_CRITERION,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("criterion", "damaged"), [("x", {"y": 1}), ("w", {"x": 1})], ids=["other", "unknown"]
)
def test_ratings_that_do_not_fit_are_refused(criterion: str, damaged: dict[str, float]) -> None:
    with pytest.raises(ReliabilityError):
        sensitivity([Sentinel("alice", "r", criterion, {"x": 9}, damaged)])
