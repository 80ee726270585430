"""What a person rates next."""

from annotator.models import Assignment, Membership, User
from annotator.queries.queue import next_assignment
from annotator.refusals import OutOfDate
from annotator.services.assignments import take_next


def following(user: User, done: Assignment) -> Assignment | None:
    """Return what comes next; who works on demand is given the next candidate at once."""
    row = next_assignment(user, done)
    if row or not done.lease_expires_at:
        return row
    try:
        return take_next(slug=done.campaign.slug, annotator=user)
    except (OutOfDate, Membership.DoesNotExist):
        return None
