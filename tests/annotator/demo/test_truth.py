"""Tests of the rule from known damage to true scores."""

import pytest

from annotator.claims.damage import Damage
from annotator.demo import true_scores
from annotator.rubric import CRITERIA

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


def test_harmless_rewording_lowers_nothing():
    truth = true_scores([Damage("reword_harmlessly", None, 6, "")], 20, 8)
    assert truth == dict.fromkeys(CRITERIA, 10.0)


def test_the_rule_gives_the_numbers_worked_out_by_hand():
    applied = [
        Damage("drop_feature", "feature_completeness", 5, ""),
        Damage("narrow_scope", "feature_completeness", 2, ""),
        Damage("delete_antecedent", "conceptual_clarity", 1, ""),
        Damage("muddle_clause", "conceptual_clarity", 3, ""),
        Damage("rename_term", "terminology_consistency", 5, ""),
        Damage("break_dependency", "logical_linkage", 2, ""),
    ]
    assert true_scores(applied, 20, 8) == {
        "feature_completeness": 4.9,
        "conceptual_clarity": 6.4,
        "terminology_consistency": 5.5,
        "logical_linkage": 7.75,
    }


def test_scores_stop_at_nought_and_empty_texts_do_no_harm():
    truth = true_scores([Damage("drop_feature", "feature_completeness", 50, "")], 0, 0)
    assert truth["feature_completeness"] == 0.0
