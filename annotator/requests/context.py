"""What every template may know: where this person can go."""

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from annotator import permissions
from annotator.gate import principals_of

# Routes of the other house stand here as names: this house does not import it.
PLACES: Final = (
    ("annotator:home", "Home", "what is yours to do"),
    ("annotator:adjudication", "Adjudication", "conflicts to rule on, without names"),
    ("annotator:rated", "Rated", "your own ratings, to look at and to revise"),
    ("scoring:datasets", "Datasets", "frozen quadruplets, their cards and splits"),
    ("scoring:runs", "Training runs", "train PatClaimEval and watch it"),
    ("scoring:models", "Model versions", "what training produced"),
    ("scoring:score", "Score", "what the promoted models say of a text"),
    ("scoring:reports", "Reports", "how far scorers agree with people"),
    ("scoring:erasures", "Erasures", "matters to be erased, by id and count"),
    ("annotator:users", "Users", "accounts, invitations, sessions"),
    ("annotator:rubric", "Rubric", "criteria, weights and bands"),
    ("annotator:system_audit", "Audit trail", "what belongs to no campaign"),
    ("annotator:own_acts", "Your acts", "what the audit trail holds of you"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation; `is_around` where the page is one of its own below it."""

    url: str
    name: str
    purpose: str
    is_here: bool
    is_around: bool


def house(request: HttpRequest) -> dict[str, object]:
    """Give the navigation of the signed-in person, worked out only when a page shows it."""
    return {"places": SimpleLazyObject(lambda: places(request))}


def places(request: HttpRequest) -> tuple[Place, ...]:
    """Return the places that the matrix opens to the person."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ()
    principals = principals_of(request)
    match = request.resolver_match
    here = match.view_name if match else ""
    urls = {route: reverse(route) for route, _, _ in PLACES}
    return tuple(
        Place(
            url=urls[route],
            name=name,
            purpose=purpose,
            is_here=route == here,
            # Everything is below the first place, the root.
            is_around=route not in (here, PLACES[0][0]) and request.path.startswith(urls[route]),
        )
        for route, name, purpose in PLACES
        if permissions.may(route, principals)
    )
