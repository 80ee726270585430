from uuid import UUID

import pytest

from core.errors import Refused
from patclaimeval.models.prior import load_prior, prior_tie_threshold
from patclaimeval.rubric import ALL_CRITERIA
from scoring.models import ModelVersion, PromotionAct
from scoring.scores.scorers import ScoringModel, cached_scorer, promoted_or_prior, scoring_model
from tests.scoring.model_builders import CRITERION, make_model, promote

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_model_is_found_by_its_id_with_and_without_its_prefix(version) -> None:
    model = make_model(version)
    found = scoring_model(str(model.pk))
    assert found == scoring_model(f"model:{model.pk}") == ScoringModel(CRITERION, model)
    assert (found.id, found.tie_threshold) == (str(model.pk), 0.1)
    assert found.details.model == str(model.pk)


def test_a_criterion_names_its_promoted_model_or_else_patclaimeval_0(version, cast) -> None:
    model = make_model(version)
    prior = ScoringModel(CRITERION)
    assert scoring_model(CRITERION) == scoring_model(CRITERION, cast.rita) == prior
    assert (prior.id, prior.tie_threshold) == ("patclaimeval-0", prior_tie_threshold(CRITERION))
    promote(model, cast.ada)
    promoted = ScoringModel(CRITERION, model)
    assert scoring_model(CRITERION) == scoring_model(CRITERION, cast.rita) == promoted
    promote(model, cast.ada, PromotionAct.WITHDRAWN)
    assert scoring_model(CRITERION, cast.rita) == prior


def test_each_criterion_has_what_scores_it_in_the_order_of_the_rubric(version, cast) -> None:
    model = make_model(version, "logical_linkage")
    promote(model, cast.ada)
    found = promoted_or_prior(cast.rita)
    assert list(found) == list(ALL_CRITERIA)
    assert {key: one.version for key, one in found.items() if one.version} == {
        "logical_linkage": model
    }


@pytest.mark.parametrize("criterion", ALL_CRITERIA)
def test_patclaimeval_0_scores_through_the_cache_as_the_library_does(
    data_directory, criterion
) -> None:
    pairs = [("1. A housing, a pump.", "1. A pump."), ("1. A housing.", "1. A lever.")]
    scorer = cached_scorer(ScoringModel(criterion))
    assert scorer.known(pairs) is None
    scored = scorer.score(pairs)
    assert [one.value for one in scored] == load_prior(criterion).score(pairs)
    assert cached_scorer(ScoringModel(criterion)).known(pairs) == scored
    others = set(ALL_CRITERIA) - {criterion}
    assert not any(cached_scorer(ScoringModel(other)).known(pairs) for other in others)


@pytest.mark.parametrize("name", ["", "7", "bleu-1", "patclaimeval-0", str(UUID(int=7))])
def test_what_is_no_model_is_refused_in_a_line(version, name) -> None:
    with pytest.raises(Refused):
        scoring_model(name)
    assert not ModelVersion.objects.exists()
