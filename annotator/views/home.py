"""Home: the queue of an annotator, the places of the others; own ratings."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator import permissions
from annotator.gate import SignedInRequest, principals_of
from annotator.models import Role
from annotator.queries.access import campaigns_for, closed_for, roles_of
from annotator.queries.comparisons import open_comparisons
from annotator.queries.queue import first_assignment, queue_for, ratings_by, second_looks
from annotator.rubric import overall_text

MOST_SHOWN = 500


@require_safe
def home(request: SignedInRequest) -> HttpResponse:
    """Show the queue to annotators and the dashboard to those with other roles; both to both."""
    user = request.user
    roles = roles_of(user)
    is_annotator = Role.ANNOTATOR in roles
    looks = second_looks(user) if is_annotator else ()
    context = {
        "is_annotator": is_annotator,
        "second_looks": looks,
        "queue": queue_for(user) if is_annotator else (),
        "first": next(iter(looks), None) or (first_assignment(user) if is_annotator else None),
        "comparisons": open_comparisons(user) if is_annotator else (),
        "has_dashboard": user.is_superuser or bool(roles - {Role.ANNOTATOR}),
        "roles": sorted(roles),
        "may_create": permissions.may("annotator:new_campaign", principals_of(request)),
        "run_campaigns": campaigns_for(user, (Role.ADMIN,)).order_by("name"),
        "measured_campaigns": campaigns_for(user, (Role.RESEARCHER,)).order_by("name"),
        "closed_campaigns": closed_for(user) if is_annotator else (),
    }
    return render(request, "annotator/home.html", context)


@require_safe
def rated(request: SignedInRequest) -> HttpResponse:
    """List the person's own ratings, so that one can be looked at or revised."""
    ratings = ratings_by(request.user)[:MOST_SHOWN]
    rows = [(rating, overall_text(rating.overall_numerator)) for rating in ratings]
    return render(request, "annotator/rated.html", {"rows": rows})
