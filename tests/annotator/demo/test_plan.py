from dataclasses import replace
from datetime import timedelta
from statistics import fmean

import pytest

from annotator import demo as module
from annotator.demo import (
    LABELS,
    SYSTEMS,
    build_demo_plan,
    make_candidates,
    read_sources,
    true_scores,
)
from patclaimeval.claims.damage import Damage
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.rubric import CRITERIA, is_score
from tests.annotator.demo.conftest import DEMO


def places(reference):
    return {(reference.source.reference_id, item.label) for item in reference.candidates}


@pytest.mark.parametrize("references", [2, pytest.param(18, marks=pytest.mark.exhaustive)])
def test_two_builds_are_equal_and_another_seed_is_not(monkeypatch, references):
    source = read_sources(DEMO)
    some = replace(source, references=source.references[:references])
    monkeypatch.setattr(module, "read_sources", lambda directory: some)
    plan = build_demo_plan(DEMO)
    assert len(plan.references) == references
    assert build_demo_plan(DEMO) == plan
    other = build_demo_plan(DEMO, seed=1)
    assert (other.references != plan.references, other.ratings != plan.ratings) == (True, True)


def test_every_candidate_text_differs_from_every_other_text(plan):
    texts = [reference.source.text for reference in plan.references]
    texts += [item.text for reference in plan.references for item in reference.candidates]
    assert len(texts) == 18 * 6
    assert len(set(texts)) == len(texts)


def test_fourteen_references_are_rated_by_both_but_for_one_candidate(plan):
    expected = set().union(*(places(reference) for reference in plan.references[:14]))
    expected.remove((plan.references[13].source.reference_id, "c5"))
    for annotator in ("demo-1", "demo-2"):
        rated = [(r.reference_id, r.label) for r in plan.ratings if r.annotator == annotator]
        assert len(rated) == len(set(rated)) == 69
        assert set(rated) == expected
    assert {rating.annotator for rating in plan.ratings} == {"demo-1", "demo-2"}


def test_alice_and_bob_are_assigned_what_nobody_has_rated(plan):
    everything = set().union(*(places(reference) for reference in plan.references))
    unrated = everything - {(rating.reference_id, rating.label) for rating in plan.ratings}
    assert len(unrated) == 21
    for annotator in ("alice", "bob"):
        mine = [(a.reference_id, a.label) for a in plan.assignments if a.annotator == annotator]
        assert len(mine) == 21
        assert set(mine) == unrated


def test_known_damage_can_be_found_in_the_texts(plan):
    found = total = 0
    for reference in plan.references:
        for one in reference.candidates:
            for two in reference.candidates:
                truth = one.truth["feature_completeness"] - two.truth["feature_completeness"]
                if truth > 0:
                    total += 1
                    found += len(one.text.split()) > len(two.text.split())
    # Ordering by length alone has tau 2 * share - 1: well above what chance gives.
    assert found / total > 0.8


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


def test_candidates_have_labels_in_order_and_systems_out_of_order(plan):
    drawn = [reference.candidates for reference in plan.references]
    assert all(tuple(item.label for item in five) == LABELS for five in drawn)
    assert all({item.system for item in five} == set(SYSTEMS) for five in drawn)
    assert len({tuple(item.system for item in five) for five in drawn}) > 5


def test_candidates_are_the_same_for_a_seed_and_differ_between_seeds(plan):
    first = plan.references[0]
    assert make_candidates(first.source, 0) == first.candidates
    assert make_candidates(first.source, 4) != first.candidates


def test_siblings_differ_on_every_criterion_which_is_full_where_nothing_lowered_it(plan):
    for reference in plan.references:
        for criterion in CRITERIA:
            truths = {item.truth[criterion] for item in reference.candidates}
            assert len(truths) >= 4, (reference.source.reference_id, criterion)
            assert max(truths) == 10.0, (reference.source.reference_id, criterion)
    for reference in plan.references:
        for item in reference.candidates:
            lowered = {damage.criterion for damage in item.applied} - {None}
            assert lowered == {key for key in CRITERIA if item.truth[key] < 10.0}


def test_eighteen_different_references_of_both_offices_are_read():
    source = read_sources(DEMO)
    assert source.slug == "demo"
    assert len({item.reference_id for item in source.references}) == 18
    assert len({item.text for item in source.references}) == 18
    assert {item.office for item in source.references} == {"USPTO", "EPO"}
    assert len(list((DEMO / "references").glob("*.txt"))) == 18
    assert all(3 <= len(parse_claims(item.text)) <= 15 for item in source.references)


def test_every_word_pair_has_its_place_in_the_text_and_no_wrong_name_stands_there():
    for item in read_sources(DEMO).references:
        for old, _new in (*item.renamings, *item.narrowings, *item.rewordings):
            assert old in item.text, (item.reference_id, old)
        for _term, name in item.renamings:
            assert f"the {name}" not in item.text, (item.reference_id, name)


KINDS = {
    "drop_feature": "feature_completeness",
    "narrow_scope": "feature_completeness",
    "rename_term": "terminology_consistency",
    "delete_antecedent": "conceptual_clarity",
    "muddle_clause": "conceptual_clarity",
    "break_dependency": "logical_linkage",
}


@pytest.mark.parametrize(("kind", "lowered"), KINDS.items())
def test_each_kind_of_damage_lowers_its_criterion_only(kind, lowered):
    truth = true_scores([Damage(kind, lowered, 2, "")], 20, 8)
    assert truth[lowered] < 10
    assert [truth[key] for key in CRITERIA if key != lowered] == [10.0, 10.0, 10.0]
    worse = true_scores([Damage(kind, lowered, 3, "")], 20, 8)
    assert worse[lowered] < truth[lowered]


def test_harmless_rewording_lowers_nothing_and_scores_stop_at_nought():
    truth = true_scores([Damage("reword_harmlessly", None, 6, "")], 20, 8)
    assert truth == dict.fromkeys(CRITERIA, 10.0)
    truth = true_scores([Damage("drop_feature", "feature_completeness", 50, "")], 0, 0)
    assert truth["feature_completeness"] == 0.0


def test_the_rule_gives_the_numbers_worked_out_by_hand():
    applied = [
        Damage("drop_feature", "feature_completeness", 5, ""),
        Damage("narrow_scope", "feature_completeness", 2, ""),
        Damage("delete_antecedent", "conceptual_clarity", 1, ""),
        Damage("muddle_clause", "conceptual_clarity", 3, ""),
        Damage("rename_term", "terminology_consistency", 5, ""),
        Damage("break_dependency", "logical_linkage", 2, ""),
    ]
    worked_out = dict(zip(CRITERIA, (4.9, 6.4, 5.5, 7.75), strict=True))
    assert true_scores(applied, 20, 8) == worked_out
