"""The reading of a pair of claim sets, worked out once and kept while it is in use."""

from functools import lru_cache

from annotator.claims.reading import Reading, read_pair
from annotator.models import ReadingPreference, User

# Pairs kept per process. The texts themselves are the key: equal texts read alike, whatever row
# they come from, and nothing is written to disk or to a shared cache.
MOST_KEPT = 128
# A reading takes some 30 times the memory of its text: large ones are worked out each time.
LARGEST_KEPT = 100_000


def reading_of(reference: str, candidate: str) -> Reading:
    """Return the reading of a reference and a candidate."""
    if len(reference) + len(candidate) > LARGEST_KEPT:
        return read_pair(reference, candidate)
    return _kept(reference, candidate)


@lru_cache(maxsize=MOST_KEPT)
def _kept(reference: str, candidate: str) -> Reading:
    return read_pair(reference, candidate)


def reading_preference(user: User) -> ReadingPreference:
    """Return how the user likes to read; the defaults when they never said."""
    return ReadingPreference.objects.filter(user=user).first() or ReadingPreference(user=user)
