"""Writes of licences: what others may do with a dataset version, as an admin says."""

from typing import Final

from django.db import transaction

from annotator.formats.free_text import says_something
from annotator.models import User
from annotator.refusals import Refused
from annotator.services import audit
from scoring.models import DatasetVersion

LONGEST: Final = 200


@transaction.atomic
def set_licence(*, version: DatasetVersion, licence: str, set_by: User | None) -> DatasetVersion:
    """Say what others may do with a version; its rows and their digest stay as they are.

    Raises Refused for a licence that is blank, too long or not on one line. The same licence
    again changes nothing.
    """
    said = licence.strip()
    if not says_something(said) or len(said) > LONGEST or not said.isprintable():
        why = f"Name the licence on one line of at most {LONGEST} characters, such as CC BY 4.0."
        raise Refused(why, {"licence": [why]})
    row = DatasetVersion.objects.select_for_update(no_key=True).get(pk=version.pk)
    if row.licence != said:
        audit.record(
            actor=set_by,
            campaign=row.dataset.campaign,
            action="dataset.licence_set",
            object_type="dataset_version",
            object_id=row.pk,
            details={"dataset": str(row), "licence": said, "earlier": row.licence},
        )
        row.licence = said
        row.save(update_fields=["licence"])
    return row
