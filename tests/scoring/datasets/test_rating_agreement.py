import pytest

from annotator.rating_values import RatedScores
from patclaimeval.rubric import ALL_CRITERIA, OVERALL
from patclaimeval.statistics.coefficients import krippendorff_alpha
from patclaimeval.statistics.tables import table_of
from scoring.datasets.cards import DRAWS, measure_agreement


def row(candidate: int, annotator: str, score: int) -> RatedScores:
    scores = dict.fromkeys(ALL_CRITERIA, score) | {OVERALL: 11 * score}
    return RatedScores(annotator, f"c{candidate}", scores, reference=f"r{candidate // 2}")


ROWS = [
    row(n, who, (3 * n + shift) % 9) for n in range(12) for who, shift in (("a", 0), ("b", n % 2))
]


def test_alpha_is_the_reliability_pages_own_with_n_and_interval() -> None:
    found = measure_agreement(ROWS, ALL_CRITERIA)
    assert list(found) == list(ALL_CRITERIA)
    for key in ALL_CRITERIA:
        table = table_of((r.candidate, r.reference, r.annotator, r.scores[key]) for r in ROWS)
        expected = krippendorff_alpha(table, "interval", DRAWS)
        one = found[key]
        assert one["value"] == expected.value
        assert (one["low"], one["high"]) == (expected.low, expected.high)
        assert (one["n"], one["clusters"], one["draws"]) == (12, 6, DRAWS)
        assert [other["key"] for other in one["others"]] == ["ac2", "exact", "within_one"]


def test_points_and_overall_numerators_agree_alike() -> None:
    found = measure_agreement(ROWS, ALL_CRITERIA)
    points, overall = found["logical_linkage"], found[OVERALL]
    assert overall["value"] == pytest.approx(points["value"])
    assert overall["others"][2]["value"] == points["others"][2]["value"] == 1.0


def test_one_annotator_alone_has_no_agreement_and_the_card_has_the_reason() -> None:
    (found,) = measure_agreement([row(n, "a", n % 5) for n in range(4)], [OVERALL]).values()
    assert found["value"] is None
    assert "one annotator only" in found["reason"]
