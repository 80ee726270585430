"""An endpoint of this machine that answers every question well."""

from collections.abc import Iterator

import pytest

from tests.patclaimeval.metrics.endpoint.inquiries import GOOD
from tests.patclaimeval.metrics.endpoint.local_endpoint import LocalEndpoint, local_endpoint


@pytest.fixture
def good() -> Iterator[LocalEndpoint]:
    with local_endpoint(lambda received, number: GOOD) as place:
        yield place
