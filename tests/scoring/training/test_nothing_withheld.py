"""The default recipe learns from the validation split too, and measures itself left out."""

import pytest

from core.jobs.rows import JobStatus
from scoring.models import ModelVersion, TrainingRun
from scoring.training.model_versions.card import headline
from scoring.training.runs.work import carry_out_training
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.training.test_training import request

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_default_recipe_withholds_nothing_but_the_test_split(data_directory, cast) -> None:
    # Of seven references one is for validation and one for test.
    version = imported("seven", dataset_rows(7))
    assert version.card["splits"] == {"train": 15, "validation": 3, "test": 3}
    run = request(version)
    carry_out_training(run.pk)
    row = TrainingRun.objects.get(pk=run.pk)
    assert row.status == JobStatus.SUCCEEDED
    card = ModelVersion.objects.get().card
    assert (card["n_training"], card["n_validation"]) == (18, 0)
    seen = card["seen_in_training"]
    assert (seen["train"]["items"], seen["validation"]["items"]) == (18, 0)
    assert seen["test"]["references"] == {"of": 1, "seen": 0}
    found = headline(card)
    assert (found.is_left_out, found.n, found.references) == (True, 18, 6)
    assert row.validation_tau == found.value
