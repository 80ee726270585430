"""Verdicts of both orders become one preference, which turns with the candidates."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.agreement.ceiling import Evidence
from patclaimeval.agreement.items import (
    NO_SCORE,
    AgreementError,
    Item,
    Question,
    ScorerScores,
    comparable_items,
    score_differences,
)
from patclaimeval.agreement.preferences import METHOD, order_consistency, preferences
from patclaimeval.agreement.report import build_report

QUESTION = Question("overall_quality", resamples=100)
Judge = Callable[[str, str], float]


def by_number(first: str, second: str) -> float:
    """Prefer the higher number, whichever comes first."""
    return float(np.sign(int(first[1:]) - int(second[1:])))


def made(count: int = 24) -> list[Item]:
    pairs = [(n % 6, f"b{n}", f"c{n * 7 % count}") for n in range(count)]
    return [Item(f"r{r}", f"R{r}", b, c, int(by_number(b, c))) for r, b, c in pairs]


def judged(items: list[Item], judge: Judge = by_number, name: str = "judge") -> ScorerScores:
    orders = [(i.reference, *two) for i in items for two in ((i.b, i.c), (i.c, i.b))]
    return ScorerScores(name, "1", {}, verdicts={one: judge(*one[1:]) for one in orders})


@pytest.mark.parametrize(
    ("b_first", "c_first", "preference", "agrees"),
    [
        (1, -1, 1, True),
        (-1, 1, -1, True),
        (0, 0, 0, True),
        # Whatever comes first, or whatever comes second: the orders contradict.
        (1, 1, 0, False),
        (-1, -1, 0, False),
        # One order sees a difference, the other none.
        (1, 0, 0.5, False),
        (0, 1, -0.5, False),
        # Weighted verdicts: the mean of 7/11 and 3/11 for B; 7/11 for B against 1/11 for C.
        (7 / 11, -3 / 11, 5 / 11, True),
        (7 / 11, 1 / 11, 0, False),
    ],
)
def test_a_preference_is_the_mean_of_both_orders_and_none_where_they_contradict(
    b_first, c_first, preference, agrees
) -> None:
    one, other = np.array([float(b_first)]), np.array([float(c_first)])
    assert preferences(one, other)[0] == pytest.approx(preference, abs=1e-15)
    assert order_consistency(one, other) == {"value": float(agrees), "n": 1}


VERDICTS = st.integers(-11, 11).map(lambda number: number / 11)


@given(st.lists(st.tuples(VERDICTS, VERDICTS), min_size=1))
def test_swapping_the_candidates_turns_the_sign_and_nothing_else(given) -> None:
    one, other = np.array(given).T
    there, back = preferences(one, other), preferences(other, one)
    assert (there == -back).all()
    assert (np.abs(there) <= 1).all()
    assert order_consistency(one, other) == order_consistency(other, one)


def test_an_item_and_its_mirror_image_differ_in_sign_alone() -> None:
    items = made()
    mirrored = [Item(i.reference_id, i.reference, i.c, i.b, -i.y) for i in items]
    scorer = judged(items)
    found = score_differences(items, scorer)
    assert found.tolist() == [float(item.y) for item in items]
    assert score_differences(mirrored, scorer).tolist() == (-found).tolist()


def test_a_judge_of_places_prefers_nothing_and_is_never_consistent() -> None:
    items = [item for item in made() if item.y]
    scorer = judged(items, lambda first, second: 1.0)
    assert not score_differences(items, scorer).any()
    entry = build_report(QUESTION, items, [scorer])["scorers"]["judge"]
    assert entry["order_consistency"] == {"value": 0.0, "n": len(items)}
    assert entry["tau_b"]["value"] is None


def test_the_share_of_consistent_items_is_counted_over_what_is_compared() -> None:
    items = made()
    # Two items are told by their place, and one has no verdict in its second order.
    by_place = {(i.reference, *two) for i in items[:2] for two in ((i.b, i.c), (i.c, i.b))}
    scorer = judged(items)
    assert scorer.verdicts is not None
    verdicts = {key: 1.0 if key in by_place else value for key, value in scorer.verdicts.items()}
    last = items[-1]
    lost = (last.reference, last.c, last.b)
    del verdicts[lost]
    scorer = ScorerScores("judge", "1", {}, {lost: "No idea."}, verdicts)
    report = build_report(QUESTION, items, [scorer])
    consistency = report["scorers"]["judge"]["order_consistency"]
    assert consistency == {"value": pytest.approx(21 / 23), "n": 23}
    assert report["dropped"]["scorers"]["judge"]["reasons"] == {"No idea.": 1}
    assert report["method"]["order_consistency"] == METHOD


@pytest.mark.parametrize("lost", [0, 1])
def test_an_item_counts_only_where_both_orders_have_a_verdict(lost) -> None:
    items = made()
    one = items[3]
    order = ((one.reference, one.b, one.c), (one.reference, one.c, one.b))[lost]
    verdicts = dict(judged(items).verdicts or {})
    del verdicts[order]
    scorer = ScorerScores("judge", "1", {}, verdicts=verdicts)
    left = comparable_items(items, [scorer])
    assert left.positions.tolist() == [n for n in range(len(items)) if n != 3]
    assert left.dropped["scorers"]["judge"]["reasons"] == {NO_SCORE: 1}
    with pytest.raises(AgreementError, match="judge gave no score"):
        score_differences(items, scorer)


def test_scorers_of_single_candidates_stay_as_they_are_beside_a_judge() -> None:
    items = made()
    scores = {(i.reference, text): float(text[1:]) for i in items for text in (i.b, i.c)}
    points = {key: value % 11 for key, value in scores.items()}
    plain = ScorerScores("plain", "1", scores)
    alone = build_report(QUESTION, items, [plain])
    both = build_report(QUESTION, items, [plain, judged(items)])
    assert both["scorers"]["plain"] == alone["scorers"]["plain"]
    assert "order_consistency" not in both["scorers"]["plain"]
    assert "order_consistency" not in alone["method"]
    # Ratings are of one candidate: a judge's differences stand against labels.
    drawn = build_report(QUESTION, items, [plain, judged(items)], evidence=Evidence(points=points))
    kinds = {name: one["kind"] for name, one in drawn["scatter"].items()}
    assert kinds == {"plain": "ratings", "judge": "differences"}
    assert drawn["scatter"]["judge"]["n"] == len(items)
