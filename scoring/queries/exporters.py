"""Who may take what of a dataset version away."""

from typing import Final

from annotator.models import User
from annotator.refusals import Forbidden
from scoring.models import DatasetVersion
from scoring.queries.version_access import VersionReader, version_reader

ONLY_ADMINS: Final = "Only admins of the campaign download claim texts."
WITHHELD: Final = (
    "You rate in this open campaign: labels would tell you what others gave. Ask again once it is "
    "closed."
)


def may_export(reader: VersionReader) -> bool:
    """Say whether the rows of a version are for this reader."""
    return reader.is_admin and not reader.is_withheld


def exporter(user: User, version: DatasetVersion) -> VersionReader:
    """Return a reader who may export the rows of a version; raise Forbidden for any other."""
    reader = version_reader(user, version)
    if not reader.is_admin:
        raise Forbidden(ONLY_ADMINS)
    return card_reader(user, version)


def card_reader(user: User, version: DatasetVersion) -> VersionReader:
    """Return a reader who may have the card of a version; raise Forbidden for any other."""
    reader = version_reader(user, version)
    if reader.is_withheld:
        raise Forbidden(WITHHELD)
    return reader
