"""Whether the artefact store answers, and has what the rows name."""

from collections.abc import Iterator
from typing import Final

from annotator.operations.health.database import Finding, missing, ok
from core.artefacts import bucket
from core.artefacts.bucket import store
from core.artefacts.kinds import missing_files
from core.errors import Unreachable

PART: Final = "artefact store"
MOST_NAMED: Final = 5


def look_at_store() -> Iterator[Finding]:
    """Return whether the store answers, and what rows name that it lacks; nothing without one."""
    of = store()
    if of is None:
        return
    try:
        bucket.probe(of)
        lacking = list(missing_files())
    except Unreachable as error:
        yield unreachable(error)
        return
    if not lacking:
        yield ok(PART, f"{of.address} answers, and has every file that the rows name.")
        return
    named = ", ".join("/".join(names[:2]) for names in lacking[:MOST_NAMED])
    more = f" and {len(lacking) - MOST_NAMED:,} more" if len(lacking) > MOST_NAMED else ""
    yield missing(
        PART,
        f"{of.address} lacks files that the rows name: {named}{more}.",
        "Run `manage.py share_files` on the host that has them; else restore them from a backup.",
    )


def unreachable(error: Unreachable) -> Finding:
    """Return what somebody does about a store that does not answer."""
    return missing(
        PART,
        error.sentence,
        "Rating goes on; jobs that need a file wait. Start the store, and compare ARTEFACT_STORE "
        "and its endpoint, region and credentials with it.",
    )
