"""How large a freeze may become, counted without reading a text or a score."""

from collections import Counter
from typing import Final

from django.db.models import Exists, OuterRef

from annotator.models import GENUINE, Campaign, Candidate, Rating

# A preview is worked out while the browser waits; of more comparisons it is not.
MOST_PREVIEWED: Final = 5_000


def comparisons_of(campaign: Campaign) -> int:
    """Return how many pairs the rated candidates of each reference make: n (n - 1) / 2."""
    rated = Candidate.objects.filter(
        Exists(Rating.objects.filter(candidate=OuterRef("pk"))),
        campaign=campaign,
        purpose__in=GENUINE,
    )
    found = Counter(rated.values_list("reference_id", flat=True))
    return sum(n * (n - 1) // 2 for n in found.values())
