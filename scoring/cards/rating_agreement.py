"""How far the annotators agree on the ratings that a dataset follows from, as its card says it.

numpy and scipy load when it is measured, which a worker or a command does.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from annotator.rubric import HIGHEST, OVERALL, TOTAL_WEIGHT

# A tenth of what the reliability report draws: a card's interval need not have its third digit.
DRAWS: Final = 200
SEED: Final = 0


class Given(Protocol):
    """A rating: scores by criterion, the overall as its numerator over 11."""

    @property
    def candidate(self) -> str: ...

    @property
    def reference(self) -> str: ...

    @property
    def annotator(self) -> str: ...

    @property
    def scores(self) -> dict[str, int]: ...


def measure_agreement(ratings: Iterable[Given], criteria: Sequence[str]) -> dict[str, Any]:
    """Measure agreement on each criterion.

    Input: ratings, each of one candidate by one annotator; criteria. Output: by criterion
    Krippendorff's alpha (interval) as annotator.reliability.plain gives it: value and 95 % interval
    clustered by reference, `n` candidates with two or more ratings, or None with the reason; beside
    it `draws`, how many resamples the interval rests on at most, and under `others` the figures
    ac2, exact and within_one.
    """
    from annotator.reliability.ac2 import gwet_ac2
    from annotator.reliability.alpha import krippendorff_alpha
    from annotator.reliability.plain import plain_estimate
    from annotator.reliability.raw_agreement import raw_agreement
    from annotator.reliability.tables import table_of

    rows = list(ratings)
    found: dict[str, Any] = {}
    for criterion in criteria:
        unit = TOTAL_WEIGHT if criterion == OVERALL else 1
        table = table_of(
            (row.candidate, row.reference, row.annotator, row.scores[criterion]) for row in rows
        )
        raw = raw_agreement(table, unit, DRAWS, SEED)
        alpha = krippendorff_alpha(table, "interval", DRAWS, SEED)
        others = (
            ("ac2", gwet_ac2(table, "quadratic", HIGHEST * unit, DRAWS, SEED)),
            ("exact", raw.exact),
            ("within_one", raw.within),
        )
        found[criterion] = plain_estimate("alpha_interval", alpha) | {
            "draws": DRAWS,
            "others": [plain_estimate(key, estimate) for key, estimate in others],
        }
    return found
