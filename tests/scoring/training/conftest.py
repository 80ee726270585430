"""A model of the cast's campaign."""

import pytest

from scoring.models import DatasetVersion, ModelVersion
from tests.scoring.model_builders import make_model


@pytest.fixture
def model(cups: DatasetVersion) -> ModelVersion:
    return make_model(cups)
