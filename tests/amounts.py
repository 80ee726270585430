"""How much of what it could try a test tries: all of it in `make test-all`, else a share.

What is drawn at random is a sample either way: a fifth of the draws finds each planted fault, and
whoever wants to know more runs everything.
"""

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

IS_THOROUGH: Final = os.environ.get("THOROUGH") == "1"
SHARE: Final = 5


def tries(whole: int, share: int = SHARE) -> int:
    """Return how many of `whole` random tries are made in this run: all, or one of `share`."""
    return whole if IS_THOROUGH else max(1, whole // share)


def choose_examples() -> None:
    """Have Hypothesis try as many examples; how long one takes is the machine's affair."""
    settings.register_profile("share", deadline=None, max_examples=tries(settings().max_examples))
    settings.load_profile("share")


def few(cases: Iterable[Any], always: int = 1) -> list[ParameterSet]:
    """Return all cases for `parametrize`; those after the first `always` run in `make test-all`."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if number < always else pytest.mark.exhaustive,
        )
        for number, case in enumerate(cases)
    ]
