from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.planning.rules import (
    NO_QUOTA,
    NOBODY_LEFT,
    Plan,
    PlanAnnotator,
    PlanCandidate,
    PlanReference,
    make_plan,
)
from tests.amounts import tries

NAMES = ("ann", "ben", "cid", "dan", "eve", "fay")


def reference(key: str, size: int = 3, free: int = 2) -> PlanReference:
    rows = (PlanCandidate(f"{key}c{n}", f"system {n}", free) for n in range(size))
    return PlanReference(key, tuple(rows))


def people(count: int, **more: object) -> list[PlanAnnotator]:
    return [PlanAnnotator(name, **more) for name in NAMES[:count]]


def loads(plan: Plan) -> Counter[str]:
    return Counter(share.annotator for share in plan.shares for _ in share.candidates)


def meetings(plan: Plan) -> Counter[tuple[str, ...]]:
    by_reference: dict[str, list[str]] = {}
    for share in plan.shares:
        by_reference.setdefault(share.reference, []).append(share.annotator)
    return Counter(
        pair for members in by_reference.values() for pair in combinations(sorted(members), 2)
    )


@st.composite
def situations(draw) -> tuple[list[PlanReference], list[PlanAnnotator]]:
    """Any state of a campaign: some candidates are held, left or full, some people recused."""
    annotators = [
        PlanAnnotator(
            name,
            draw(st.none() | st.integers(0, 12)),
            draw(st.integers(0, 9)),
            frozenset(draw(st.sets(st.sampled_from(["r0", "r1", "r2"]), max_size=1))),
        )
        for name in NAMES[: draw(st.integers(1, 5))]
    ]
    some = st.frozensets(st.sampled_from(NAMES), max_size=2)
    references = [
        PlanReference(
            f"r{r}",
            tuple(
                PlanCandidate(
                    f"r{r}c{c}",
                    draw(st.sampled_from("xyz")),
                    draw(st.integers(0, 3)),
                    draw(some),
                    draw(some),
                )
                for c in range(draw(st.integers(1, 4)))
            ),
        )
        for r in range(draw(st.integers(0, 6)))
    ]
    return references, annotators


@settings(max_examples=tries(1000))
@given(situations(), st.integers())
def test_nobody_is_given_too_much_or_what_is_not_for_them(situation, seed) -> None:
    references, annotators = situation
    plan = make_plan(references, annotators, seed)
    candidates = {row.key: row for entry in references for row in entry.candidates}
    person = {row.key: row for row in annotators}
    given_to = Counter(key for share in plan.shares for key in share.candidates)
    assert all(times <= candidates[key].free for key, times in given_to.items())
    for share in plan.shares:
        assert share.candidates
        assert share.reference not in person[share.annotator].recused
        for key in share.candidates:
            assert share.annotator not in candidates[key].holders | candidates[key].barred
    whole = Counter((share.annotator, key) for share in plan.shares for key in share.candidates)
    assert set(whole.values()) <= {1}
    for name, count in loads(plan).items():
        assert person[name].quota is None or count <= person[name].quota


@settings(max_examples=tries(1000))
@given(situations(), st.integers())
def test_every_place_is_taken_or_left_with_a_true_reason(situation, seed) -> None:
    references, annotators = situation
    plan = make_plan(references, annotators, seed)
    given_to = Counter(key for share in plan.shares for key in share.candidates)
    left = {row.candidate: row for row in plan.unplaced}
    taken = {(share.annotator, key) for share in plan.shares for key in share.candidates}
    used = loads(plan)
    for entry in references:
        rest = [row for row in entry.candidates if row.key in left]
        for row in entry.candidates:
            missing = left[row.key].places if row.key in left else 0
            assert given_to[row.key] + missing == row.free
        for person in annotators:
            mine = [
                row
                for row in rest
                if person.key not in row.holders | row.barred
                and (person.key, row.key) not in taken
                and entry.key not in person.recused
            ]
            has_share = any((person.key, row.key) in taken for row in entry.candidates)
            if mine and not has_share:
                assert all(left[row.key].reason == NO_QUOTA for row in mine)
                assert person.quota is not None and person.quota - used[person.key] < len(mine)
    for row in plan.unplaced:
        assert row.reason in (NO_QUOTA, NOBODY_LEFT)


@given(situations(), st.integers(), st.randoms())
def test_a_seed_gives_the_same_plan_whatever_the_order_of_the_annotators(situation, seed, chance):
    references, annotators = situation
    other = list(annotators)
    chance.shuffle(other)
    assert make_plan(references, annotators, seed) == make_plan(references, other, seed)


@given(st.integers(1, 6), st.integers(1, 20), st.integers(1, 3), st.integers(1, 4), st.integers())
def test_references_stay_whole_and_loads_differ_by_one_at_most(count, number, free, size, seed):
    references = [reference(f"r{n}", size, free) for n in range(number)]
    plan = make_plan(references, people(count), seed)
    assert all(len(share.candidates) == size for share in plan.shares)
    counts = [loads(plan)[name] for name in NAMES[:count]]
    assert max(counts) - min(counts) <= size
    assert sum(counts) == number * size * min(free, count)


@given(st.lists(st.integers(1, 5), max_size=15), st.integers(2, 6), st.integers(1, 3))
def test_loads_differ_by_the_largest_reference_at_most_when_sizes_differ(sizes, count, free):
    references = [reference(f"r{n}", size, free) for n, size in enumerate(sizes)]
    plan = make_plan(references, people(count), 0)
    counts = [loads(plan)[name] for name in NAMES[:count]]
    assert max(counts) - min(counts) <= max(sizes, default=0)


def assert_linked(count: int, number: int, free: int, seed: int) -> None:
    plan = make_plan([reference(f"r{n}", 2, free) for n in range(number)], people(count), seed)
    near: dict[str, set[str]] = {name: {name} for name in loads(plan)}
    for one, other in meetings(plan):
        joint = near[one] | near[other]
        for name in joint:
            near[name] = joint
    if number * (min(free, count) - 1) >= len(near) - 1:
        assert all(len(group) == len(near) for group in near.values())


@given(st.integers(2, 6), st.integers(1, 20), st.integers(2, 3), st.integers())
def test_annotators_are_linked_whenever_there_are_references_enough(count, number, free, seed):
    assert_linked(count, number, free, seed)


@pytest.mark.parametrize(("count", "number", "free"), [(6, 5, 2), (6, 6, 2), (5, 2, 3), (6, 4, 3)])
def test_annotators_are_linked_with_hardly_any_references(count, number, free) -> None:
    for seed in range(tries(40)):
        assert_linked(count, number, free, seed)


@pytest.mark.parametrize(("count", "number", "free"), [(4, 12, 2), (5, 20, 2), (6, 40, 3)])
def test_pairs_meet_equally_often(count, number, free) -> None:
    for seed in range(tries(5)):
        met = meetings(
            make_plan([reference(f"r{n}", 3, free) for n in range(number)], people(count), seed)
        )
        times = [met[pair] for pair in combinations(NAMES[:count], 2)]
        assert max(times) - min(times) <= 1


def test_systems_are_seen_equally_often_where_references_hold_different_ones() -> None:
    references = [
        PlanReference(f"r{n}", (PlanCandidate(f"r{n}c", f"system {n % 3}", 2),)) for n in range(24)
    ]
    plan = make_plan(references, people(4), 5)
    seen = Counter((s.annotator, f"system {int(s.reference[1:]) % 3}") for s in plan.shares)
    assert len(seen) == 12
    assert max(seen.values()) - min(seen.values()) <= 1


def test_who_has_begun_a_reference_gets_the_rest_of_it() -> None:
    one = PlanCandidate("one", "x", 1, frozenset({"ben"}))
    begun = PlanReference("r", (one, PlanCandidate("two", "y", 2), PlanCandidate("three", "z", 2)))
    plan = make_plan([begun], [PlanAnnotator("ann"), PlanAnnotator("ben", load=30)], 0)
    given = {share.annotator: share.candidates for share in plan.shares}
    assert given == {"ben": ("two", "three"), "ann": ("one", "two", "three")}
    assert plan.unplaced == ()


def test_quotas_that_differ_and_just_suffice_leave_no_place() -> None:
    annotators = [
        PlanAnnotator("ann", quota=10),
        PlanAnnotator("ben", quota=5),
        PlanAnnotator("cid", quota=5),
    ]
    for seed in range(10):
        plan = make_plan([reference(f"r{n}", 1, 2) for n in range(10)], annotators, seed)
        assert plan.unplaced == ()
        assert loads(plan) == {"ann": 10, "ben": 5, "cid": 5}


def test_what_finds_nobody_is_left_with_its_reason() -> None:
    plan = make_plan([reference("r", 3, 1)], [PlanAnnotator("ann", quota=2)], 0)
    assert plan.shares == ()
    assert {row.reason for row in plan.unplaced} == {NO_QUOTA}
    left = PlanReference("r", (PlanCandidate("c", "x", 2, barred=frozenset({"ann"})),))
    (row,) = make_plan([left], people(1), 0).unplaced
    assert (row.candidate, row.places, row.reason) == ("c", 2, NOBODY_LEFT)


def test_loads_that_differ_at_first_are_evened_out() -> None:
    annotators = [PlanAnnotator("ann", load=12), PlanAnnotator("ben"), PlanAnnotator("cid")]
    plan = make_plan([reference(f"r{n}", 3, 1) for n in range(8)], annotators, 3)
    assert loads(plan) == {"ben": 12, "cid": 12}


@settings(max_examples=tries(5))
@given(st.integers())
def test_a_plan_of_a_thousand_references_is_even_too(seed) -> None:
    plan = make_plan([reference(f"r{n}", 5, 3) for n in range(1000)], people(6), seed)
    assert set(loads(plan).values()) == {2500}
    assert plan.unplaced == ()
