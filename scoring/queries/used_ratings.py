"""How many ratings of each annotator went into a version; nobody is told apart among few."""

from django.db.models import Count

from annotator.queries.annotator_names import LEAST_TOLD_APART, pseudonyms
from scoring.models import DatasetVersion, UsedRating


def ratings_by_annotator(version: DatasetVersion) -> tuple[tuple[str, int], ...]:
    """Return pseudonyms of this version only with how many ratings, in the pseudonyms' order.

    Empty where fewer than three annotators gave them, and where none are on record.
    """
    rows = UsedRating.objects.filter(version=version).values_list("rating__annotator")
    counts = {str(pk): count for pk, count in rows.annotate(count=Count("pk")).order_by()}
    if len(counts) < LEAST_TOLD_APART:
        return ()
    names = pseudonyms(counts, f"{version.pk} ratings")
    return tuple((name, counts[pk]) for pk, name in names.items())
