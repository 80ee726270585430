"""What a report would send to a language model, and cost, before it is asked for."""

from collections.abc import Sequence

from scoring.metrics.base import Pair
from scoring.metrics.costs import estimate_cost
from scoring.models import DatasetVersion
from scoring.queries.datasets import labelled_rows
from scoring.queries.metric_places import metric_places


def sending_cost(
    version: DatasetVersion, criterion: str, split: str, scorers: Sequence[str]
) -> str:
    """Return the sentence that a person must read before claims leave this machine.

    "" where nothing would be sent: no scorer asks a language model, there is no endpoint, or every
    answer is kept from before.
    """
    endpoint = metric_places().endpoint
    if endpoint is None or not scorers:
        return ""
    rows = [row for row in labelled_rows(version, criterion) if split in ("all", row.split)]
    texts = {(row.reference, text) for row in rows for text in (row.b, row.c)}
    pairs = [Pair(reference, text) for reference, text in sorted(texts)]
    return estimate_cost(scorers, pairs, endpoint).sentence
