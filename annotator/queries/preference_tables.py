"""The stated preferences of a campaign as tables that coefficients of agreement are taken of.

It brings in numpy: what answers a page never imports it.
"""

from uuid import UUID

from annotator.models import Campaign, Comparison
from annotator.reliability.tables import Table, table_of
from annotator.rubric import ALL_CRITERIA


def preference_table(campaign: Campaign, criterion: str) -> Table:
    """Return what annotators said of one criterion; see `preference_tables`."""
    return preference_tables(campaign)[criterion]


def preference_tables(campaign: Campaign) -> dict[str, Table]:
    """Return one table a criterion: a row is a pair of candidates, a column an annotator.

    Values are 1 (left better), 0 (equal), -1 (right better), NaN where nothing was said; pairs of
    which nobody said anything have no row. Items are named by `Comparison.pair`, annotators and
    references (the clusters) by primary key. Annotators may have seen a pair the other way round,
    and chance agreement depends on which side is called left: every pair is read as the first
    comparison of it was shown, asked or answered, by whomever.
    """
    rows = Comparison.objects.filter(campaign=campaign).order_by("created_at", "position", "pk")
    said: dict[str, list[tuple[str, str, str, float]]] = {name: [] for name in ALL_CRITERIA}
    left_of: dict[str, UUID] = {}
    for pair, left, reference, annotator, *judgements in rows.values_list(
        "pair",
        "left_id",
        "left__reference_id",
        "annotator_id",
        *(f"preference__{name}" for name in ALL_CRITERIA),
    ):
        sign = 1 if left_of.setdefault(pair, left) == left else -1
        for name, value in zip(ALL_CRITERIA, judgements, strict=True):
            if value is not None:
                said[name].append((pair, str(reference), str(annotator), float(sign * value)))
    return {name: table_of(entries) for name, entries in said.items()}
