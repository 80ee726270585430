"""Tests of the demo annotators."""

from datetime import timedelta
from statistics import fmean

from annotator.rubric import CRITERIA, is_score


def pairs(plan):
    one = [rating for rating in plan.ratings if rating.annotator == "demo-1"]
    two = [rating for rating in plan.ratings if rating.annotator == "demo-2"]
    return list(zip(one, two, strict=True))


def test_all_scores_are_whole_numbers_on_the_scale(plan):
    assert all(is_score(rating.scores[key]) for rating in plan.ratings for key in CRITERIA)


def test_ratings_are_at_least_two_days_old_and_rate_one_after_another(plan):
    assert all(rating.before_now >= timedelta(days=2) for rating in plan.ratings)
    ages = [rating.before_now for rating in plan.ratings if rating.annotator == "demo-1"]
    assert ages == sorted(ages, reverse=True)
    assert len(set(ages)) == len(ages)


def test_the_annotators_differ_by_three_points_exactly_where_planned(plan):
    wide = {
        (one.reference_id, one.label, key)
        for one, two in pairs(plan)
        for key in CRITERIA
        if abs(one.scores[key] - two.scores[key]) >= 3
    }
    assert wide == {(d.reference_id, d.label, d.criterion) for d in plan.discrepancies}
    assert 4 <= len({place[:2] for place in wide}) <= 6


def test_ratings_follow_the_truth_and_the_second_annotator_is_stricter(plan):
    truths = {
        (reference.source.reference_id, item.label): item.truth
        for reference in plan.references
        for item in reference.candidates
    }
    errors: dict[str, list[float]] = {"demo-1": [], "demo-2": []}
    for rating in plan.ratings:
        truth = truths[rating.reference_id, rating.label]
        # At the ends of the scale a score cannot fall to both sides of the truth.
        errors[rating.annotator] += [
            rating.scores[key] - truth[key] for key in CRITERIA if 2 < truth[key] < 8
        ]
    assert abs(fmean(errors["demo-1"])) < 0.25
    assert -0.8 < fmean(errors["demo-2"]) - fmean(errors["demo-1"]) < -0.1
    assert 0.4 < fmean(error**2 for error in errors["demo-1"]) < 1.0
