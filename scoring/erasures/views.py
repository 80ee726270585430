"""Erasures and, for admins, what a rating went into."""

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.access.visibility import COUNTS_WITHHELD, counts_withheld
from annotator.adjudication.settled.queries import names_for
from annotator.imports.draft_claims import edits_of
from annotator.imports.read_sets import documents_of
from annotator.models import Reference
from core.errors import Forbidden, Refused
from core.forms import ReasonForm
from core.http import SeeOther
from patclaimeval.text_io.text import text_sha256
from scoring.datasets.versions.lineage import (
    ratings_for,
    references_for,
    touched_by_erasure,
    uses_of_rating,
)
from scoring.erasures.forms import DraftForm, SoughtReferences
from scoring.erasures.queries import (
    aftermath,
    erasures_for,
    listed_erasures,
    listed_references,
    own_candidates,
)
from scoring.erasures.services import (
    answer_erasure,
    ask_erasure,
    edit_unfrozen_draft,
    is_frozen,
)

ASKED = "Requested. A site admin has to agree; nothing is erased before."
AGREED = "Agreed. It is erased within a minute or so, and cannot be brought back."
DECLINED = "Declined. Nothing was erased."
DRAFT_CHANGED = "The draft was changed; the earlier one stays below."
UNAWARE = "Tick that you know it cannot be brought back, then agree. Nothing was erased."


@require_POST
def ask(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Ask that a reference be erased."""
    row = get_object_or_404(references_for(request.user), pk=pk)
    form = ReasonForm(request.POST)
    with form.refusals():
        ask_erasure(reference=row, asked_by=request.user, reason=form.reason_sent)
        messages.success(request, ASKED)
        return SeeOther(resolve_url("scoring:reference_uses", pk))
    form.focus_error()
    return reference_page(request, row, form)


@require_POST
def edit_draft(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Change the draft of a reference for a reason."""
    row = get_object_or_404(references_for(request.user), pk=pk)
    form = DraftForm(request.POST)
    if form.is_valid():
        with form.refusals():
            edit_unfrozen_draft(reference=row, edited_by=request.user, **form.cleaned_data)
            messages.success(request, DRAFT_CHANGED)
            return SeeOther(resolve_url("scoring:reference_uses", pk))
    form.focus_error()
    return reference_page(request, row, ReasonForm(), form)


@require_safe
def erasures(request: SignedInRequest) -> HttpResponse:
    """List the erasures with ids and counts, never a text: site admins read no claims."""
    return _page(request)


@require_POST
def agree(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Agree to an erasure, for good; one press is not enough."""
    if "is_aware" not in request.POST:
        get_object_or_404(erasures_for(request.user), pk=pk)
        messages.error(request, UNAWARE)
        return _page(request, Refused.status)
    return _answer(request, pk, agrees=True)


@require_POST
def decline(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Decline an erasure."""
    return _answer(request, pk, agrees=False)


def _answer(request: SignedInRequest, pk: UUID, *, agrees: bool) -> HttpResponse:
    row = get_object_or_404(erasures_for(request.user), pk=pk)
    try:
        answer_erasure(erasure=row, answered_by=request.user, agrees=agrees)
    except Forbidden as refusal:
        raise PermissionDenied(refusal.sentence) from refusal
    except Refused as refusal:
        messages.error(request, refusal.sentence)
        return _page(request, refusal.status)
    messages.success(request, AGREED if agrees else DECLINED)
    return SeeOther(resolve_url("scoring:erasures"))


def _page(request: SignedInRequest, status: int = 200) -> HttpResponse:
    context = {"erasures": listed_erasures(request.user)}
    return render(request, "scoring/erasures/erasures.html", context, status=status)


@require_safe
def rating_uses(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """List the versions, models and reports that used a rating."""
    row = get_object_or_404(ratings_for(request.user), pk=pk)
    campaign = row.candidate.campaign
    names = names_for(request.user, campaign, campaign.pk, is_admin=True)
    context = {
        "rating": row,
        "campaign": campaign,
        "annotator": names.get(str(row.annotator_id), "an annotator"),
        "uses": uses_of_rating(row),
    }
    return render(request, "scoring/erasures/rating_uses.html", context)


REFERENCES_A_PAGE: Final = 100


@require_safe
def references(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the references of a campaign, each with the way to request its erasure."""
    campaign = own_campaign(request, slug)
    form = SoughtReferences(request.GET)
    rows = listed_references(campaign, form.sought) if form.is_valid() else Reference.objects.none()
    context = {
        "campaign": campaign,
        "form": form,
        "page": Paginator(rows, REFERENCES_A_PAGE).get_page(request.GET.get("page", "")),
        "is_withheld": counts_withheld(campaign, request.user),
    }
    status = 200 if form.is_valid() else Refused.status
    return render(request, "scoring/erasures/references.html", context, status=status)


@require_safe
def reference_uses(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """List what an erasure of a reference would touch; erases nothing."""
    row = get_object_or_404(references_for(request.user), pk=pk)
    return reference_page(request, row, ReasonForm())


def reference_page(
    request: SignedInRequest, row: Reference, form: ReasonForm, draft: DraftForm | None = None
) -> HttpResponse:
    """Show a reference, what an erasure would touch or has left, and the form that asks for one.

    `draft` is the form of its draft where that was refused.
    """
    row.refresh_from_db(fields=["draft_claims"])
    seen = {"draft_claims": row.draft_claims, "seen": text_sha256(row.draft_claims)}
    is_withheld = counts_withheld(row.campaign, request.user)
    context = {
        "reference": row,
        "campaign": row.campaign,
        "withheld": COUNTS_WITHHELD if is_withheld else "",
        "touched": None if is_withheld else touched_by_erasure(row),
        "aftermath": aftermath(row),
        "documents": documents_of(row),
        "candidates": own_candidates(row),
        "form": form,
        "draft": draft or DraftForm(initial=seen),
        "draft_edits": edits_of(row),
        "draft_seen": seen["seen"],
        "is_frozen": is_frozen(row),
    }
    status = draft.status if draft else form.status
    return render(request, "scoring/erasures/reference_uses.html", context, status=status)
