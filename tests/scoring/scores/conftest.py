"""A promoted model for the tests of scores."""

import pytest

from scoring.models import DatasetVersion, ModelVersion
from tests.conftest import Cast
from tests.scoring.model_builders import make_model, promote


@pytest.fixture
def model(version: DatasetVersion, cast: Cast) -> ModelVersion:
    """A promoted model that has only a manifest: it scores from the cache or not at all."""
    found = make_model(version)
    promote(found, cast.ada)
    return found
