"""When somebody looked at their inbox, so that it can list what has finished since."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import F

from annotator.models import User

# Who comes back within this is still at the same visit: reading a report must not empty the list.
SAME_VISIT: Final = timedelta(minutes=30)
# One write in so long at most.
NOTED_EVERY: Final = timedelta(minutes=5)


def last_visit_of(user: User, now: datetime) -> datetime | None:
    """Return when the person looked at the inbox in the visit before this one, if ever."""
    if user.visit_at is not None and now - user.visit_at >= SAME_VISIT:
        return user.visit_at
    return user.earlier_visit_at


def note_visit(*, user: User, now: datetime) -> None:
    """Note that the person looks at the inbox; after a pause the last time becomes the earlier."""
    at = user.visit_at
    if at is not None and now - at < NOTED_EVERY:
        return
    # As the row was read: of two pages at once the first one is noted.
    rows = User.objects.filter(pk=user.pk, visit_at=at)
    if at is not None and now - at >= SAME_VISIT:
        rows.update(visit_at=now, earlier_visit_at=F("visit_at"))
    else:
        rows.update(visit_at=now)
