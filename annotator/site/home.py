"""Home of each person, and the campaign page of an admin."""

import logging

from django.contrib import messages
from django.db import DatabaseError
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotator.access import matrix
from annotator.access.gate import SignedInRequest, counted_campaign, own_campaign, principals_of
from annotator.access.scopes import campaigns_for, closed_for, recused_references, roles_of
from annotator.access.visibility import COUNTS_WITHHELD, counts_withheld
from annotator.assignments.queries import first_assignment, queue_for, ratings_by, second_looks
from annotator.assignments.queue_page import queue_page
from annotator.assignments.sizes import head_of
from annotator.assignments.work_times import time_text, times_of
from annotator.campaigns.first_steps import first_steps
from annotator.campaigns.queries import campaign_notices, campaign_progress, retention
from annotator.comparisons.forms import AskForm
from annotator.comparisons.queries import open_comparisons
from annotator.comparisons.services import ask_comparisons
from annotator.conflicts.rules import gap_text
from annotator.flags.queries import answers_to
from annotator.imports.preferences.queries import preference_check
from annotator.inbox.queries import Inbox, inbox_of
from annotator.inbox.visits import note_visit
from annotator.models import Campaign, Role, User
from annotator.rating.all_candidates import comparable_references
from annotator.rating.calibration.queries import due_calibrations
from annotator.rating.queries import recent_recusals
from annotator.timesheets.queries import own_days
from core.clock import database_now
from core.http import SeeOther
from patclaimeval.files import is_disk_full
from patclaimeval.rubric import overall_text

logger = logging.getLogger("annotator.requests")


@require_safe
def campaign(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the progress of a campaign to its admins; it is not found by those outside it."""
    return campaign_page(request, own_campaign(request, slug))


@require_safe
def campaign_counts(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the counts alone, for a page that is open."""
    row = counted_campaign(request, slug)
    context = {"campaign": row, "progress": campaign_progress(row)}
    return render(request, "annotator/site/_campaign_counts.html", context)


def campaign_page(
    request: SignedInRequest, row: Campaign, asking: AskForm | None = None
) -> HttpResponse:
    """Show the campaign page, with the form for comparisons as it was sent."""
    context: dict[str, object] = {
        "campaign": row,
        "rules": {
            "criterion_gap": row.criterion_gap,
            "overall_gap": gap_text(row.overall_gap_numerator),
            "flip_gap": gap_text(row.flip_gap_numerator),
        },
        "retention": retention(row, timezone.now().date()),
    }
    if counts_withheld(row, request.user):
        context["withheld"] = COUNTS_WITHHELD
    else:
        progress = campaign_progress(row)
        context |= {
            "progress": progress,
            "steps": first_steps(row, progress),
            "notices": campaign_notices(row),
            "check": preference_check(row),
            "asking": asking or AskForm(),
        }
    status = asking.status if asking else 200
    return render(request, "annotator/site/campaign.html", context, status=status)


@require_POST
def ask(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give out comparisons of a share of all pairs, and go back to the campaign."""
    campaign = counted_campaign(request, slug)
    form = AskForm(request.POST)
    if form.is_valid():
        share, seed = form.exact_share, form.cleaned_data["seed"]
        with form.refusals():
            asked = ask_comparisons(
                campaign=campaign, share=share, seed=seed, asked_by=request.user
            )
            given = f"{asked.pairs} of {asked.of} pairs drawn; {asked.comparisons} comparisons"
            messages.success(request, f"{given} assigned.")
            return SeeOther(resolve_url("annotator:campaign", campaign.slug))
    form.focus_error()
    return campaign_page(request, campaign, form)


MOST_SHOWN = 500


@require_safe
def home(request: SignedInRequest) -> HttpResponse:
    """Show the queue to annotators and the dashboard to those with other roles; both to both."""
    user = request.user
    roles = roles_of(user)
    is_annotator = Role.ANNOTATOR in roles
    has_dashboard = user.is_superuser or bool(roles - {Role.ANNOTATOR})
    looks = second_looks(user) if is_annotator else []
    parts = queue_for(user) if is_annotator else ()
    context = {
        "is_annotator": is_annotator,
        "second_looks": looks,
        "queue": queue_page(
            *(parts, user),
            asked=request.GET.get("show", ""),
            number=request.GET.get("page", ""),
            looks=len(looks),
        )
        if is_annotator
        else None,
        "parts": parts,
        "is_new": is_annotator and not ratings_by(user).exists(),
        "first": next(iter(looks), None) or (first_assignment(user) if is_annotator else None),
        "calibrations": due_calibrations(user) if is_annotator else (),
        "comparisons": open_comparisons(user).annotate(head=head_of("left__reference"))
        if is_annotator
        else (),
        "has_dashboard": has_dashboard,
        "inbox": _inbox(user) if has_dashboard else None,
        "roles": sorted(roles),
        "may_create": matrix.may("annotator:new_campaign", principals_of(request)),
        "run_campaigns": campaigns_for(user, (Role.ADMIN,)).order_by("name"),
        "measured_campaigns": campaigns_for(user, (Role.RESEARCHER,)).order_by("name"),
        "recusals": recent_recusals(user) if is_annotator else (),
        "flag_answers": answers_to(user) if is_annotator else (),
        "closed_campaigns": closed_for(user) if is_annotator else (),
    }
    return render(request, "annotator/site/home.html", context)


def _inbox(user: User) -> Inbox:
    found = inbox_of(user)
    try:
        note_visit(user=user, now=database_now())
    except DatabaseError as error:
        # Pages are read on a full disk too; the same is listed once more at worst.
        if not is_disk_full(error):
            raise
        logger.warning("a visit could not be noted: the disk is full")
    return found


@require_safe
def rated(request: SignedInRequest) -> HttpResponse:
    """Show the person's own active time, and their ratings to be looked at or revised."""
    ratings = ratings_by(request.user).annotate(head=head_of("candidate__reference"))[:MOST_SHOWN]
    rows = [(rating, overall_text(rating.overall_numerator)) for rating in ratings]
    days = [(day, time_text(round(day.seconds))) for day in own_days(request.user)]
    references = {rating.candidate.reference_id for rating, _ in rows}
    context = {
        "rows": rows,
        "times": times_of(request.user),
        "days": days,
        # Their titles and openings are texts, too.
        "recused": {row["candidate__reference"] for row in recused_references(request.user.pk)},
        "comparable": comparable_references(request.user, references),
    }
    return render(request, "annotator/site/rated.html", context)
