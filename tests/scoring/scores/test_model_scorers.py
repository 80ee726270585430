"""Model versions that score."""

from uuid import UUID

import pytest

from annotator.rubric import ALL_CRITERIA, OVERALL
from core.errors import Refused
from scoring.models import ModelVersion
from scoring.patclaimeval.prior import NAME as PRIOR_NAME
from scoring.patclaimeval.prior import load_prior, prior_tie_threshold
from scoring.patclaimeval.stream import ModelDetails
from scoring.scores.scorers import ScoringModel, cached_scorer, promoted_or_prior, scoring_model
from tests.scoring.model_builders import CRITERION, make_model, promote

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_model_is_found_by_its_id_with_and_without_its_prefix(version) -> None:
    model = make_model(version)
    found = scoring_model(str(model.pk))
    assert found == scoring_model(f"model:{model.pk}") == ScoringModel(CRITERION, model)
    assert found.details == ModelDetails(str(model.pk), CRITERION, 0.1)


def test_a_criterion_names_its_promoted_model_or_patclaimeval_0(version, cast) -> None:
    model = make_model(version)
    prior = scoring_model(CRITERION)
    assert (prior.version, prior.id) == (None, PRIOR_NAME)
    assert prior.tie_threshold == prior_tie_threshold(CRITERION) > 0
    promote(model, cast.ada)
    found = scoring_model(CRITERION)
    assert found == scoring_model(CRITERION, cast.rita) == ScoringModel(CRITERION, model)
    expected = {key: found if key == CRITERION else ScoringModel(key) for key in ALL_CRITERIA}
    assert promoted_or_prior(cast.rita) == expected
    assert list(promoted_or_prior(cast.rita)) == list(ALL_CRITERIA)


def test_patclaimeval_0_scores_by_itself_and_is_cached_by_criterion(data_directory) -> None:
    pairs = [("1. A housing, a pump.", "1. A pump.")]
    one, other = (ScoringModel(criterion) for criterion in (CRITERION, OVERALL))
    (score,) = cached_scorer(one).score(pairs)
    assert [score.value] == load_prior(CRITERION).score(pairs)
    assert cached_scorer(one).known(pairs) == [score]
    assert cached_scorer(other).known(pairs) is None


@pytest.mark.parametrize("name", ["", "7", "bleu-1", str(UUID(int=7))])
def test_what_is_no_model_is_refused_in_a_line(version, name) -> None:
    with pytest.raises(Refused):
        scoring_model(name)
    assert not ModelVersion.objects.exists()
