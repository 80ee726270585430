"""Erased matters: is one of them back, as after a restore of an older backup?"""

from collections.abc import Iterable, Iterator
from typing import Final

from annotator.backups.erasure_record import record_path, recorded_erasures
from annotator.health.findings import Finding, missing, ok, warning
from annotator.models import Reference
from annotator.refusals import Refused

PART: Final = "erasures"
MATTERS_NAMED: Final = 20


def look_at_erasures() -> Iterator[Finding]:
    """Compare the record of erasures with the database."""
    if not record_path().exists():
        yield ok(PART, "None is on record.")
        return
    try:
        recorded = recorded_erasures(record_path())
    except Refused as refusal:
        yield warning(PART, refusal.sentence, "A restore of an older backup is refused until then.")
        return
    back = _back(recorded)
    if back:
        more = f" and {len(back) - MATTERS_NAMED:,} more" if len(back) > MATTERS_NAMED else ""
        yield missing(
            PART,
            f"{len(back)} that were erased are back: {', '.join(back[:MATTERS_NAMED])}{more}.",
            "Erase them again: an admin of the campaign asks on the page of the matter, a site "
            "admin agrees on Erasures.",
        )
    else:
        yield ok(PART, f"{len(recorded)} are on record; none of them is back.")


def _back(recorded: Iterable[str]) -> list[str]:
    rows = Reference.objects.filter(pk__in=list(recorded), erased_at=None).order_by("pk")
    return [str(pk) for pk in rows.values_list("pk", flat=True)]
