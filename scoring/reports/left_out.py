"""The default recipe on references it never saw: trained on all others of a version, each in turn.

What it is worth shows on every label of a small version, not only on those of its test split.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from patclaimeval.metrics.base import MetricUnavailable, Pair, Score
from patclaimeval.models.config import STRENGTH
from patclaimeval.models.data import Quadruplet, distinct_pairs
from scoring.reports.inputs import ReportRow
from scoring.reports.scorers import MANY, Check, ReportScorer, left_out_version
from scoring.scores.scorers import LEFT_OUT_NAME

MOST_PAIRS: Final = 20_000
FEWEST_REFERENCES: Final = 4
TOO_FEW: Final = (
    f"Fewer than {FEWEST_REFERENCES} references have labels: too few to learn from the others."
)
TOO_MANY: Final = (
    f"The version has more than {MOST_PAIRS:,} pairs: the figures of a trained model on the test "
    "split say as much, sooner."
)


def load_left_out(
    rows: Sequence[ReportRow], criterion: str, check: Callable[[], None]
) -> ReportScorer:
    """Train a model without each reference and score the pairs of that reference with it.

    `rows` are all labelled ones of the version; references of the same text are left out together.
    `check` may raise LostLease to stop. Raises MetricUnavailable where there are too few or too
    many of them.
    """
    items = [
        Quadruplet(row.reference.folded, row.reference.content, row.b.content, row.c.content, y)
        for row in rows
        for y in (row.y[criterion],)
    ]
    if len({item.reference_id for item in items}) < FEWEST_REFERENCES:
        raise MetricUnavailable(TOO_FEW)
    if len(distinct_pairs(items)) > MOST_PAIRS:
        raise MetricUnavailable(TOO_MANY)
    known = _scores(items, criterion, check)

    def score(pairs: Sequence[Pair], check: Check) -> list[Score]:
        return [known[pair.reference, pair.candidate] for pair in pairs]

    return ReportScorer(
        name=LEFT_OUT_NAME,
        version_in=lambda languages: left_out_version(),
        key=lambda language: "",
        reads_drafts=False,
        is_repeatable=True,
        at_once=MANY,
        score=score,
    )


def _scores(
    items: Sequence[Quadruplet], criterion: str, check: Callable[[], None]
) -> dict[tuple[str, str], float]:
    from patclaimeval.models.prior import prior_of
    from patclaimeval.models.ridge_training import compare, models_without

    data = compare(items, lambda done, total: check())
    scores = np.zeros(len(data.features))
    for seen, model in models_without(data, prior_of(criterion), STRENGTH):
        check()
        at = np.unique(np.concatenate([data.b[seen], data.c[seen]]))
        scores[at] = model.scores(data.features[at])
    return dict(zip(distinct_pairs(items), scores.tolist(), strict=True))
