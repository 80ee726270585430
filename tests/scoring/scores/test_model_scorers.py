"""Model versions that score."""

from uuid import UUID

import pytest

from core.errors import Refused
from scoring.models import ModelVersion
from scoring.scores.scorers import model_details, scoring_model
from tests.scoring.model_builders import CRITERION, make_model, promote

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_model_is_found_by_its_id_with_and_without_its_prefix(version) -> None:
    model = make_model(version)
    assert scoring_model(str(model.pk)) == scoring_model(f"model:{model.pk}") == model
    assert model_details(model).tie_threshold == 0.1


def test_a_criterion_names_its_promoted_model(version, cast) -> None:
    model = make_model(version)
    with pytest.raises(Refused, match="No model is promoted"):
        scoring_model(CRITERION)
    promote(model, cast.ada)
    assert scoring_model(CRITERION) == scoring_model(CRITERION, cast.rita) == model


@pytest.mark.parametrize("name", ["", "7", "bleu-1", str(UUID(int=7))])
def test_what_is_no_model_is_refused_in_a_line(version, name) -> None:
    with pytest.raises(Refused):
        scoring_model(name)
    assert not ModelVersion.objects.exists()
