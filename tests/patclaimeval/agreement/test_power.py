"""Power and needed references are those of the planned permutation tests after Holm."""

import numpy as np
import pytest

from patclaimeval.agreement import comparisons, power
from patclaimeval.agreement.comparisons import (
    Compared,
    compare_scorers,
    draw_swaps,
    permutation_p,
)
from patclaimeval.agreement.correlation import tau_b
from patclaimeval.agreement.figures import Sample, make_sample_from_arrays
from patclaimeval.agreement.items import Floats
from patclaimeval.agreement.power import (
    DRAWS,
    FEWEST,
    NO_SPREAD,
    NOTHING_PLANNED,
    SIZES,
    Simulation,
    Spread,
    measure_spread,
    plan_references,
    plan_study,
)

ITEMS_A_REFERENCE = 6
STUDIES = 60


def drawn(references: int, noises: list[float], seed: int) -> tuple[Sample, list[Floats]]:
    """Return labels, and scorers that see the truth behind them through more or less noise."""
    rng = np.random.default_rng(seed)
    n = references * ITEMS_A_REFERENCE
    truth = rng.normal(size=n)
    y = np.where(np.abs(truth) < 0.4, 0, np.sign(truth)).astype(int)
    clusters = np.repeat(np.arange(references), ITEMS_A_REFERENCE)
    # What is hard for one scorer is hard for the other: references have noise of their own.
    shared = np.repeat(rng.normal(scale=0.3, size=references), ITEMS_A_REFERENCE)
    sample = make_sample_from_arrays(y.tolist(), clusters, 0, 0)
    return sample, [truth + shared + rng.normal(scale=noise, size=n) for noise in noises]


def population(noise: float) -> Spread:
    """Return the spread of the lead over so many references that it is known well."""
    sample, (first, second) = drawn(1500, [1.0, noise], 1)
    return measure_spread(sample, first, second)


def studies_that_show(references: int, noise: float, tests: int) -> int:
    """Count the fresh studies in which the permutation test of a report shows the lead."""
    shown = 0
    for seed in range(100, 100 + STUDIES):
        sample, (first, second) = drawn(references, [1.0, noise], seed)
        p = permutation_p(sample, first, second, draw_swaps(sample, tests, seed))
        own, theirs = (tau_b(found, sample.y).value or 0 for found in (first, second))
        shown += p * tests < 0.05 and own > theirs
    return shown


@pytest.mark.parametrize(("references", "tests"), [(8, 1), (12, 1), (12, 4)])
def test_as_many_fresh_studies_show_the_lead_as_the_power_says(references, tests) -> None:
    expected = STUDIES * Simulation(population(3.0), references, tests, 0).power(
        population(3.0).lead
    )
    # Two and a half standard deviations of a count of 60 studies are 10 at most.
    assert abs(studies_that_show(references, 3.0, tests) - expected) <= 10


def test_as_many_references_as_are_asked_for_show_the_lead_four_times_in_five(monkeypatch) -> None:
    monkeypatch.setattr(comparisons, "PERMUTATIONS", 1_999)
    spread, tests = population(3.0), 3
    needed = plan_references(spread, tests, 0, 0)
    shown = studies_that_show(needed["as_seen"], 3.0, tests)
    assert shown >= 0.8 * STUDIES - 10
    fewer = SIZES[SIZES.index(needed["as_seen"]) - 1]
    assert studies_that_show(fewer, 3.0, tests) < shown
    assert needed["half"] > needed["as_seen"]


def test_many_references_are_judged_as_flips_would_judge_them(monkeypatch) -> None:
    spread = population(2.0)
    normal = Simulation(spread, 50, 4, 0).power(0.15)
    monkeypatch.setattr(power, "NORMAL_FROM", 51)
    flipped = Simulation(spread, 50, 4, 0).power(0.15)
    assert abs(normal - flipped) * DRAWS <= 12


def test_the_smallest_difference_is_the_one_with_eighty_per_cent_power() -> None:
    simulation = Simulation(population(2.0), 20, 4, 0)
    smallest = simulation.smallest_difference()
    assert smallest is not None
    assert simulation.power(smallest) >= 0.8 > simulation.power(smallest - 0.01)
    strict = Simulation(population(2.0), 20, 20, 0).smallest_difference()
    many = Simulation(population(2.0), 80, 4, 0).smallest_difference()
    assert many is not None and strict is not None
    assert many < smallest < strict


def test_no_difference_is_found_where_the_test_cannot_reach_five_per_cent() -> None:
    # Five references can be swapped in 32 ways: the smallest two-sided p is 2 / 32 = 0.0625.
    assert Simulation(population(2.0), 5, 1, 0).smallest_difference() is None
    # Eight references: 2 / 256 = 0.0078, and 0.0625 after Holm over eight tests.
    assert Simulation(population(2.0), 8, 8, 0).smallest_difference() is None
    assert Simulation(population(2.0), 8, 6, 0).smallest_difference() is not None


def studied(references: int, noises: list[float], seed: int) -> tuple[dict, dict]:
    """Return the tests and the power of a study with one scorer for each noise."""
    sample, scorers = drawn(references, noises, seed)
    named = {f"s{place}": found for place, found in enumerate(scorers)}
    compared = compare_scorers(Compared(sample, named))
    return compared, plan_study(sample, named, compared, {"s0": "Ours"}, 0)


def test_eight_references_and_eight_tests_say_that_no_lead_can_be_shown() -> None:
    compared, found = studied(8, [1.0] + [3.0] * 8, 3)
    assert compared["smallest_p"] == 2 / 2**8
    assert (compared["tests"], compared["is_reachable"]) == (8, False)
    assert compared["best_sentence"].startswith("No lead can be shown with 8 references")
    assert (
        "0.00781, which is 0.0625 after Holm's correction over 8 tests"
        in (compared["best_sentence"])
    )
    assert (found["sentence"], found["smallest_difference"]) == ("", None)


@pytest.mark.parametrize("references", [6, 8, 12, 20])
def test_no_sentence_contradicts_a_test(references, monkeypatch) -> None:
    monkeypatch.setattr(comparisons, "PERMUTATIONS", 1_999)
    for seed in range(3):
        compared, found = studied(references, [1.0, 1.4, 2.0, 6.0], seed)
        verdicts = {p["second"]: p["verdict"] for p in compared["families"][0]["pairs"]}
        for needed in found["references_needed"]:
            assert verdicts[needed["other"]] != "better"
            assert needed["as_seen"] is None or needed["as_seen"] > references
            assert needed["half"] is None or needed["half"] >= needed["as_seen"]
        assert bool(found["sentence"]) == compared["is_reachable"]
        if not compared["is_reachable"]:
            assert set(verdicts.values()) == {"cannot tell"}


def test_the_sentences_name_the_planned_tests_and_the_scorers() -> None:
    _, found = studied(12, [1.0, 1.2, 2.0], 5)
    assert "With 72 items of 12 references" in found["sentence"]
    assert "after Holm's correction over 2 planned tests" in found["sentence"]
    assert found["plan"].startswith("To show with 80 % power that Ours is better")
    assert {one["other"] for one in found["by_scorer"]} == {"s1", "s2"}
    assert found["smallest_difference"] == max(
        one["smallest_difference"] for one in found["by_scorer"]
    )


def test_one_scorer_plans_nothing_and_equal_scorers_have_no_spread() -> None:
    _, alone = studied(12, [1.0], 0)
    assert alone["sentence"] == NOTHING_PLANNED
    sample, (first,) = drawn(12, [1.0], 0)
    named = {"a": first, "b": first.copy()}
    equal = plan_study(sample, named, compare_scorers(Compared(sample, named)), {})
    assert (equal["sentence"], equal["references_needed"]) == (NO_SPREAD, [])


def test_a_lead_that_rests_on_chance_takes_more_references_than_are_promised() -> None:
    spread = population(1.05)
    assert plan_references(spread, 1, 0, 0)["half"] is None
    _, found = studied(12, [1.0, 1.001], 8)
    assert not found["plan"] or "references" in found["plan"]


def test_the_same_sample_gives_the_same_numbers_and_few_references_give_none() -> None:
    assert studied(12, [1.0, 2.0], 6) == studied(12, [1.0, 2.0], 6)
    _, few = studied(FEWEST - 1, [1.0, 2.0], 6)
    assert (few["references_needed"], few["by_scorer"]) == ([], [])
