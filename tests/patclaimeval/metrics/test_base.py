"""What metrics share."""

import numpy

from patclaimeval.metrics.base import library_version


def test_a_library_is_named_with_its_version() -> None:
    assert library_version("numpy") == f"numpy {numpy.__version__}"
