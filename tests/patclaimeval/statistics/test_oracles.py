"""The coefficients equal those of independent libraries on random tables with gaps.

krippendorff and pingouin (GPL) are used here only; nothing that is shipped imports them.
"""

import warnings

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest

from patclaimeval.statistics.coefficients import intraclass_correlations, krippendorff_alpha
from tests.amounts import tries
from tests.patclaimeval.statistics.conftest import TABLES, make_table, random_tables, score_lists


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_the_library_on_a_thousand_tables(level) -> None:
    compared = 0
    for table in random_tables():
        ours = krippendorff_alpha(table, level, draws=0)
        is_constant = len({score for scores in score_lists(table) for score in scores}) < 2
        assert (ours.value is None) == is_constant
        if is_constant:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            theirs = krippendorff.alpha(table.values.T, level_of_measurement=level)
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        compared += 1
    assert compared > 0.9 * TABLES


def test_intraclass_correlations_equal_the_library_on_complete_tables() -> None:
    random = np.random.default_rng(5)
    for _ in range(tries(60)):
        items, annotators = int(random.integers(5, 12)), int(random.integers(2, 6))
        truth = random.uniform(0, 10, size=(items, 1)) + random.normal(0, 1, size=annotators)
        values = np.rint(truth + random.normal(0, 1, size=(items, annotators)))
        ours = intraclass_correlations(make_table(values), draws=0)
        rows = pd.DataFrame(
            [(i, j, values[i, j]) for i in range(items) for j in range(annotators)],
            columns=["item", "annotator", "score"],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            theirs = pingouin.intraclass_corr(
                data=rows, targets="item", raters="annotator", ratings="score"
            ).set_index("Type")
        names = theirs.index
        single = next(name for name in names if name in ("ICC2", "ICC(A,1)"))
        mean = next(name for name in names if name in ("ICC2k", "ICC(A,k)"))
        assert ours.single.value == pytest.approx(theirs.loc[single, "ICC"], abs=1e-9)
        assert ours.mean.value == pytest.approx(theirs.loc[mean, "ICC"], abs=1e-9)
