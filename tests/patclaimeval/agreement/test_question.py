"""A question refuses numbers that no report can be made with."""

import pytest

from patclaimeval.agreement.items import AgreementError, Question


def test_the_defaults_are_those_of_the_papers_text() -> None:
    question = Question("overall_quality")
    assert (question.tie_threshold, question.split, question.resamples) == (1e-4, "test", 1000)


@pytest.mark.parametrize("threshold", [-1e-9, float("nan"), float("inf")])
def test_a_threshold_that_is_no_size_is_refused(threshold) -> None:
    with pytest.raises(AgreementError, match="tie threshold must be 0 or more"):
        Question("overall_quality", tie_threshold=threshold)


def test_too_few_resamples_and_a_seed_below_zero_are_refused() -> None:
    with pytest.raises(AgreementError, match="at least 100 resamples, not 99"):
        Question("overall_quality", resamples=99)
    with pytest.raises(AgreementError, match="seed must be 0 or more"):
        Question("overall_quality", seed=-1)
