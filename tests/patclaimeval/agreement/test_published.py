"""Published figures are complete for the five criteria and carry their source."""

import pytest

from patclaimeval.agreement.report import published_figures
from patclaimeval.rubric import ALL_CRITERIA


@pytest.mark.parametrize("criterion", ALL_CRITERIA)
def test_each_criterion_has_fourteen_scorers_with_shares_and_source(criterion) -> None:
    figures = published_figures(criterion)
    assert len(figures) == 14
    for row in figures.values():
        assert 0 < row["tau_paper"] < row["spearman"] < 1
        assert 0 < row["f1_weighted"] < 1
        assert 0 < row["accuracy"] < 1
        assert "ACL 2025" in row["source"]


def test_rows_of_overall_quality() -> None:
    figures = published_figures("overall_quality")
    row = figures["bleu-1"]
    assert (row["tau_paper"], row["spearman"]) == (0.326, 0.369)
    assert (row["accuracy"], row["f1_weighted"], row["comparable"]) == (0.522, 0.443, True)
    # Measured over other items.
    assert [name for name, row in figures.items() if not row["comparable"]] == ["g-eval"]
    assert published_figures("novelty") == {}
