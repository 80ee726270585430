"""The planner of references: it agrees with fresh draws, and says so where it cannot tell."""

import numpy as np
import pytest

from scoring.agreement.correlation import tau_b
from scoring.agreement.figures import Sample, make_sample_from_arrays
from scoring.agreement.items import Floats
from scoring.agreement.needed_references import FEWEST, SIZES, needed_sentence, references_needed

ITEMS_A_REFERENCE = 6


def drawn(references: int, worse: float, seed: int) -> tuple[Sample, Floats, Floats]:
    """Return labels with two scorers that see them through noise, the second through more."""
    rng = np.random.default_rng(seed)
    n = references * ITEMS_A_REFERENCE
    truth = rng.normal(size=n)
    y = np.where(np.abs(truth) < 0.4, 0, np.sign(truth)).astype(int)
    clusters = np.repeat(np.arange(references), ITEMS_A_REFERENCE)
    # What is hard for one scorer is hard for the other: references have noise of their own.
    shared = np.repeat(rng.normal(scale=0.3, size=references), ITEMS_A_REFERENCE)
    first = truth + shared + rng.normal(scale=1.0, size=n)
    second = truth + shared + rng.normal(scale=worse, size=n)
    return make_sample_from_arrays(y.tolist(), clusters, 0, 0), first, second


def test_as_many_fresh_references_show_the_lead_in_about_as_many_draws() -> None:
    sample, first, second = drawn(60, 2.0, 1)
    (found,) = references_needed(sample, first, {"other": second})
    needed = found["as_seen"]
    assert needed is not None

    leads: list[float] = []
    for seed in range(100, 160):
        fresh, one, other = drawn(needed, 2.0, seed)
        own, theirs = tau_b(one, fresh.y).value, tau_b(other, fresh.y).value
        assert own is not None and theirs is not None
        leads.append(own - theirs)
    shown = float(np.mean(np.array(leads) > 1.96 * np.std(leads)))
    # The lead of the sample is one draw itself, so the share is near 80 % and not at it.
    assert 0.5 < shown <= 1.0
    assert found["lead"] == pytest.approx(np.mean(leads), abs=0.1)


def test_half_a_lead_takes_more_and_a_small_lead_more_than_a_large_one() -> None:
    sample, first, second = drawn(30, 3.0, 2)
    _, _, close = drawn(30, 1.5, 2)
    far, near = references_needed(sample, first, {"far": second, "near": close})
    assert far["lead"] > near["lead"]
    for one in (far, near):
        assert one["half"] is None or one["half"] > one["as_seen"]
    assert (near["as_seen"] or SIZES[-1] + 1) > far["as_seen"]


def test_a_scorer_that_leads_us_is_left_out_and_equal_scores_too() -> None:
    sample, first, second = drawn(20, 3.0, 3)
    found = references_needed(sample, second, {"better": first, "same": second.copy()})
    assert found == []


def test_a_lead_that_rests_on_chance_takes_more_references_than_are_promised() -> None:
    sample, first, second = drawn(40, 1.02, 4)
    own, theirs = tau_b(first, sample.y).value, tau_b(second, sample.y).value
    assert own is not None and theirs is not None
    ahead, behind = (first, second) if own > theirs else (second, first)
    (one,) = references_needed(sample, ahead, {"almost us": behind})
    assert one["half"] is None
    assert f"more than {SIZES[-1]:,}" in needed_sentence("us", [one], {})


def test_the_same_sample_gives_the_same_numbers_and_few_references_give_none() -> None:
    sample, first, second = drawn(FEWEST, 2.0, 6)
    other = {"other": second}
    assert references_needed(sample, first, other) == references_needed(sample, first, other)
    sample, first, second = drawn(FEWEST - 1, 2.0, 6)
    assert references_needed(sample, first, {"other": second}) == []
