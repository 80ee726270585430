"""Owns the rule that turns known damage into the true scores of a demo candidate."""

from collections import Counter
from collections.abc import Iterable

from annotator.claims.damage import Damage

# Losing 5/9 of the features, or every dependency, brings a criterion to 0 or next to it.
POINTS_PER_FEATURE_SHARE = 18.0
POINTS_PER_DEPENDENCY_SHARE = 9.0
POINTS_PER_NARROWING = 0.3
POINTS_PER_PLACE = 0.9


def true_scores(
    applied: Iterable[Damage], element_count: int, dependent_count: int
) -> dict[str, float]:
    """Return the four true scores, floats from 0 to 10, that follow from known damage.

    Inputs: the damage done; the number of listed elements of the reference; the number of
    dependent claims that could be broken. Formulas, each cut to 0..10:
    feature_completeness = 10 - 18 dropped / elements - 0.3 narrowed;
    conceptual_clarity = 10 - 0.9 (antecedents deleted + clauses muddled);
    terminology_consistency = 10 - 0.9 places renamed;
    logical_linkage = 10 - 9 broken / dependents.
    Source: a rule of this project, chosen so that full damage spans the bands of the rubric.
    """
    places: Counter[str] = Counter()
    for damage in applied:
        places[damage.kind] += damage.severity
    losses = {
        "feature_completeness": POINTS_PER_FEATURE_SHARE
        * places["drop_feature"]
        / max(1, element_count)
        + POINTS_PER_NARROWING * places["narrow_scope"],
        "conceptual_clarity": POINTS_PER_PLACE
        * (places["delete_antecedent"] + places["muddle_clause"]),
        "terminology_consistency": POINTS_PER_PLACE * places["rename_term"],
        "logical_linkage": POINTS_PER_DEPENDENCY_SHARE
        * places["break_dependency"]
        / max(1, dependent_count),
    }
    return {criterion: round(max(0.0, 10.0 - loss), 4) for criterion, loss in losses.items()}
