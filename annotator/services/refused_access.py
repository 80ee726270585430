"""Writes down who was refused a page or a call, and does not let a flood fill the trail."""

from typing import Final

from annotator.models import Campaign, User
from annotator.queries.access import campaigns_for
from annotator.services import audit
from annotator.services.guessing import network_of
from annotator.services.pace import Pace, take

# Of one person, or of one address where nobody is signed in; and of all together.
OF_ONE: Final = Pace("refusals of one", 20, 60)
OF_ALL: Final = Pace("refusals", 300, 10)
# That there were more is said once in ten minutes.
OF_MORE: Final = Pace("more refusals of one", 1, 600)
OF_ALL_MORE: Final = Pace("more refusals", 10, 60)
LONGEST_ID: Final = 40


def record_refusal(
    *, actor: User | None, address: str, route: str, method: str, status: int, slug: str = ""
) -> None:
    """Write down a refusal: the route and never what was sent or which row was meant.

    Of more than 20 at once, and one a minute after that, only that there were more. To be called
    outside of a transaction.
    """
    subject = str(actor.pk) if actor else network_of(address)
    action = "access.refused"
    if take([(OF_ONE, subject), (OF_ALL, "")]):
        if take([(OF_MORE, subject), (OF_ALL_MORE, "")]):
            return
        action = "access.refused_often"
    audit.record(
        action=action,
        actor=actor,
        campaign=_campaign(actor, slug),
        object_type="route",
        object_id=route[:LONGEST_ID],
        details={"route": route, "method": method, "status": status},
    )


def _campaign(actor: User | None, slug: str) -> Campaign | None:
    """Return the campaign in which it was, for its admins to read; none for an outsider."""
    return campaigns_for(actor).filter(slug=slug).first() if actor and slug else None
