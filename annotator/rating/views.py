"""The rate page: show, submit, revise, leave, store a draft, go on to the next candidate."""

from collections.abc import Callable
from functools import partial
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.timezone import localtime
from django.views.decorators.http import require_http_methods, require_POST

from annotator.access.gate import SignedInRequest
from annotator.access.scopes import assignments_for, campaigns_for
from annotator.assignments.queries import next_assignment
from annotator.assignments.services import take_next
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Draft,
    Membership,
    Rating,
    ReferenceNote,
    Role,
    User,
)
from annotator.rating.all_candidates import comparable_references
from annotator.rating.calibration.queries import CALIBRATE_FIRST, first_due
from annotator.rating.drafts import discard_draft, record_ping, save_draft, save_refused
from annotator.rating.forms import RatingForm, RecusalForm, SkipForm
from annotator.rating.leaving import MINUTES, about_discarding, about_recusal, about_skip
from annotator.rating.own_notes import NoteMoved, save_note
from annotator.rating.page import overall_context, page_context
from annotator.rating.queries import RatePage, own_rating, rate_page
from annotator.rating.services import (
    flag_candidate,
    recuse,
    return_to,
    revise_rating,
    skip_assignment,
    submit_rating,
    take_recusal_back,
)
from annotator.rating_values import TEXT_FIELDS, rating_digest, texts_of
from annotator.typed_drafts import DraftMoved, same_text
from core.confirmation import Confirmation, ask, asked_form, is_confirmed
from core.errors import OutOfDate, Refused
from core.http import SeeOther
from patclaimeval.plurals import counted
from patclaimeval.rubric import overall_text

NOTHING_BACK: Final = (
    "Nothing came back: other annotators have these candidates by now. You stay recused."
)
# The button that leaves a candidate for later sends this name.
LATER = "later"


def own_page(request: SignedInRequest, pk: UUID) -> RatePage:
    """Return the page of the person's own assignment, or 404."""
    page = rate_page(request.user, pk)
    if page is None:
        raise Http404
    return page


def own_assignment(request: SignedInRequest, pk: UUID) -> Assignment:
    """Return the person's own assignment, or 404; the texts follow when they are asked for."""
    rows = assignments_for(request.user).select_related(None).select_related("campaign")
    return get_object_or_404(rows, pk=pk)


def save_posted(request: SignedInRequest, page: RatePage) -> HttpResponse | None:
    """Save the posted form as a draft; return the page with the reason when it cannot be.

    Nothing is saved when nothing differs from what is stored, or when the form came without
    fields, as from the small forms of a page that saves its drafts by itself.
    """
    form = posted_form(request)
    try:
        keep_note(form, page.assignment)
    except Refused as refusal:
        return show_again(request, page.assignment.pk, form, refusal)
    if "draft_version" not in request.POST or not page.is_writable:
        return None
    shown = page_context(page)["sent"]
    if all(same_text(form.typed(name), shown[name]) for name in form.as_entered):
        return None
    try:
        keep_draft(page.assignment, form)
    except Refused as refusal:
        return show_again(request, page.assignment.pk, form, refusal)
    return None


def posted_form(request: SignedInRequest) -> RatingForm:
    """Return what was sent, right or wrong."""
    form = RatingForm(request.POST)
    form.is_valid()
    return form


def keep_note(form: RatingForm, assignment: Assignment) -> ReferenceNote | None:
    """Store the own note that came with a form; return what is stored, None for nothing.

    Raises Refused where it cannot be stored.
    """
    if form.own_note is None:
        return None
    return save_note(
        assignment=assignment,
        text=form.own_note,
        version=form.cleaned_data.get("note_version") or 0,
    )


def keep_draft(assignment: Assignment, form: RatingForm, **changed: str) -> Draft:
    """Keep what a form holds as the draft of its assignment, some of it changed."""
    return save_draft(
        assignment=assignment,
        typed=form.as_entered | changed,
        version=form.draft_version_seen or 0,
        rating_version=form.version_seen,
    )


def show_again(
    request: SignedInRequest, pk: UUID, form: RatingForm, refusal: Refused
) -> HttpResponse:
    """Show the page once more with everything that was typed, and why it was not stored.

    Only that is reported: a score that is missing is no fault of a skip.
    """
    page = own_page(request, pk)
    if page.is_recused:
        return show_recused(request, page, form, refusal)
    form.is_valid()
    form.errors.clear()
    form.take_refusal(refusal)
    is_conflict = refusal.status == OutOfDate.status
    context = page_context(page, form, is_conflict=is_conflict)
    return render(request, "annotator/rating/rate.html", context, status=refusal.status)


def show_recused(
    request: SignedInRequest,
    page: RatePage,
    form: RatingForm | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    """Show what is left to somebody who recused themselves: own scores, and what they just typed.

    `refusal` is why that was not stored.
    """
    context = {
        "page": page,
        "sentence": refusal.sentence if refusal else page.closed_because,
        "typed": [(field, form.typed(field.name)) for field in TEXT_FIELDS] if form else [],
        "overall": overall_text(page.rating.overall_numerator) if page.rating else "",
    }
    status = refusal.status if refusal else 200
    return render(request, "annotator/rating/recused.html", context, status=status)


def back_to(page: RatePage) -> HttpResponse:
    """Send the browser to the page again."""
    return SeeOther(resolve_url("annotator:rate", page.assignment.pk))


def following(user: User, done: Assignment) -> Assignment | None:
    """Return what comes next; who works on demand is given the next candidate at once."""
    row = next_assignment(user, done)
    if row or not done.lease_expires_at:
        return row
    try:
        return take_next(slug=done.campaign.slug, annotator=user, beside=done)
    except (OutOfDate, Membership.DoesNotExist):
        return None


@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show an assignment; store what is posted and go on to the next.

    The page's script asks for the next address instead of a redirect, so that a server that is
    away costs nothing that was typed; what is refused it sends again as a plain form.
    """
    if request.method != "POST":
        page = own_page(request, pk)
        if item := first_due(page.assignment.campaign, request.user):
            messages.info(request, CALIBRATE_FIRST)
            return SeeOther(resolve_url("annotator:calibrate", item.pk))
        return _show(request, page)
    form = posted_form(request)
    if form.own_note is not None:
        try:
            keep_note(form, own_assignment(request, pk))
        except Refused as refusal:
            return show_again(request, pk, form, refusal)
    if not form.is_valid():
        return _show(request, own_page(request, pk), form)
    try:
        done = _store(pk, form, request.user).assignment
    except Refused as refusal:
        # What the page's script is refused it sends again as a page: that one counts.
        if refusal.status == OutOfDate.status and not request.headers.get("HX-Request"):
            save_refused(
                assignment=own_assignment(request, pk),
                typed=form.as_entered,
                version=form.draft_version_seen or 0,
            )
        return show_again(request, pk, form, refusal)
    except Assignment.DoesNotExist as error:
        raise Http404 from error
    _confirm(request, done)
    row = following(request.user, done)
    target = resolve_url("annotator:rate", row.pk) if row else "/"
    if request.headers.get("HX-Request"):
        return JsonResponse({"location": target})
    return SeeOther(target)


def _show(request: SignedInRequest, page: RatePage, form: RatingForm | None = None) -> HttpResponse:
    """Show a page, with the mistakes of what was sent."""
    if page.is_recused:
        refusal = OutOfDate(page.closed_because) if form else None
        return show_recused(request, page, form, refusal)
    status = form.status if form else 200
    context = page_context(page, form)
    return render(request, "annotator/rating/rate.html", context, status=status)


def _confirm(request: SignedInRequest, done: Assignment) -> None:
    """Say that the rating is stored, and show the way to compare once all of a reference are in."""
    reference = done.candidate.reference_id
    if reference in comparable_references(request.user, [reference]):
        messages.success(
            request,
            format_html(
                '{}: rating stored. <a href="{}">All candidates side by side</a>',
                *(done.label, resolve_url("annotator:all_candidates", done.pk)),
            ),
        )
    else:
        messages.success(request, f"{done.label}: rating stored.")


@require_POST
def overall(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer with the overall that the chosen scores give; nothing is stored."""
    own_assignment(request, pk)
    context = overall_context(posted_form(request).scores)
    return render(request, "annotator/rating/_overall.html", context)


@require_POST
def take_next_candidate(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give the annotator their next candidate of a campaign that assigns on demand."""
    user = request.user
    campaign = get_object_or_404(campaigns_for(user, (Role.ANNOTATOR,)), slug=slug)
    if item := first_due(campaign, user):
        return SeeOther(resolve_url("annotator:calibrate", item.pk))
    try:
        assignment = take_next(slug=campaign.slug, annotator=user)
    except OutOfDate as refusal:
        messages.error(request, refusal.sentence)
        return SeeOther("/")
    if assignment is None:
        messages.info(request, f"Nothing is left to rate in {campaign.name}.")
        return SeeOther("/")
    return SeeOther(resolve_url("annotator:rate", assignment.pk))


def _store(pk: UUID, form: RatingForm, user: User) -> Rating:
    """Submit, or revise what the page had seen. Raises Assignment.DoesNotExist if not theirs."""
    given = form.given
    stored = own_rating(user, pk) if form.version_seen else None
    if stored is None:
        return submit_rating(
            assignment_id=pk,
            annotator=user,
            shown=form.aids,
            draft_version=form.draft_version_seen,
            idempotency_key=form.cleaned_data["key"],
            request_sha256=rating_digest(pk, given),
            **given,
        )
    texts = {name: getattr(stored, name) for name in texts_of({})}
    is_next = stored.version == form.version_seen + 1
    if is_next and texts == texts_of(given) and stored.scores == form.scores:
        return stored  # this form, sent twice, has made it already
    return revise_rating(
        rating_id=stored.pk,
        annotator=user,
        version=form.version_seen,
        shown=form.aids,
        draft_version=form.draft_version_seen,
        **given,
    )


@require_POST
def skip(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Go on with the next candidate: this one stays theirs, or is given free once confirmed."""
    if LATER in request.POST:
        return _done(request, pk, partial(_set_aside, request), goes_on=True)
    form = asked_form(SkipForm, request)

    def act(assignment: Assignment) -> None:
        skip_assignment(assignment=assignment, **form.given)
        back = resolve_url("annotator:rate", pk)
        told = '{} is skipped. <a href="{}">Take it back</a> while nobody else has taken it.'
        messages.success(request, format_html(told, assignment.label, back))

    return _leave(request, pk, form, about_skip, act)


def _set_aside(request: SignedInRequest, assignment: Assignment) -> None:
    ends = assignment.lease_expires_at
    until = f" until {date_format(localtime(ends), 'TIME_FORMAT')}" if ends else ""
    messages.success(request, f"{assignment.label} stays yours{until}, with what you typed.")


@require_POST
def recuse_oneself(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Leave the reference for a conflict of interest, once confirmed."""
    form = asked_form(RecusalForm, request)

    def act(assignment: Assignment) -> None:
        left = recuse(assignment=assignment, reason=form.cleaned_data["leave_reason"])
        messages.success(
            request,
            format_html(
                "You are recused from this reference; {} went back. "
                '<a href="{}">Take it back</a> within {} minutes.',
                *(counted(len(left), "candidate"), resolve_url("annotator:rate", pk), MINUTES),
            ),
        )

    return _leave(request, pk, form, about_recusal, act)


def _leave(
    request: SignedInRequest,
    pk: UUID,
    form: SkipForm | RecusalForm,
    about: Callable[[Assignment], Confirmation],
    act: Callable[[Assignment], None],
) -> HttpResponse:
    """Store what is typed and say what leaving would do; once confirmed, leave and go on."""
    page = own_page(request, pk)
    if refused := save_posted(request, page):
        return refused
    try:
        asks = about(page.assignment)
    except Refused as refusal:
        return show_again(request, pk, RatingForm(request.POST), refusal)
    if not is_confirmed(request) or not form.is_valid():
        return ask(request, asks, form)
    with form.refusals():
        act(page.assignment)
        return _next(request, page)
    return ask(request, asks, form)


@require_POST
def take_back(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Take a skipped candidate back, or a recusal and with it all candidates of the reference."""

    def act(assignment: Assignment) -> None:
        if assignment.status != AssignmentStatus.RECUSED:
            return_to(assignment=assignment)
            return
        back, gone = take_recusal_back(assignment=assignment)
        if not back:
            raise OutOfDate(NOTHING_BACK)
        rest = f"; {gone} {'is' if gone == 1 else 'are'} with somebody else by now" if gone else ""
        again = f"{counted(back, 'candidate')} {'is' if back == 1 else 'are'} yours again"
        messages.success(request, f"The recusal is undone: {again}{rest}.")

    return _done(request, pk, act, goes_on=False)


@require_POST
def flag(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Report to the admin that something is wrong, and stay."""

    def act(assignment: Assignment) -> None:
        reason = str(request.POST.get("flag_reason", "")).replace("\r\n", "\n").strip()
        code = str(request.POST.get("flag_code", ""))
        flag_candidate(assignment=assignment, reason_code=code, reason=reason)
        messages.success(request, f"{assignment.label}: flagged for the campaign's admin.")

    return _done(request, pk, act, goes_on=False)


def _done(
    request: SignedInRequest, pk: UUID, act: Callable[[Assignment], None], *, goes_on: bool
) -> HttpResponse:
    """Store what is typed, act, and go to the next candidate or stay."""
    page: RatePage = own_page(request, pk)
    if refused := save_posted(request, page):
        return refused
    try:
        act(page.assignment)
    except Refused as refusal:
        return show_again(request, pk, RatingForm(request.POST), refusal)
    return _next(request, page) if goes_on else back_to(page)


def _next(request: SignedInRequest, page: RatePage) -> HttpResponse:
    row = following(request.user, page.assignment)
    return SeeOther(resolve_url("annotator:rate", row.pk) if row else "/")


@require_POST
def draft(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Store what is typed: JSON for the page's script, a redirect for its button."""
    if not request.headers.get("HX-Request"):
        page = own_page(request, pk)
        if refused := save_posted(request, page):
            return refused
        messages.success(request, "Draft saved.")
        return back_to(page)
    assignment = own_assignment(request, pk)
    try:
        row = keep_draft(assignment, posted_form(request))
    except DraftMoved as moved:
        return JsonResponse(moved.as_json, status=moved.status)
    except Refused as refusal:
        return JsonResponse({"sentence": refusal.sentence}, status=refusal.status)
    return JsonResponse({"version": row.version, "saved_at": row.saved_at.isoformat()})


@require_POST
def own_note(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Store the own note on the reference: JSON for the page's script, a redirect for its button.

    What came with it is stored as a draft, as with every button of the form.
    """
    if not request.headers.get("HX-Request"):
        page = own_page(request, pk)
        if refused := save_posted(request, page):
            return refused
        messages.success(request, "Your note is saved.")
        return back_to(page)
    assignment = own_assignment(request, pk)
    try:
        note = keep_note(posted_form(request), assignment)
    except NoteMoved as moved:
        said = {"sentence": moved.sentence, "text": moved.note.text, "version": moved.note.version}
        return JsonResponse(said, status=moved.status)
    except Refused as refusal:
        return JsonResponse({"sentence": refusal.sentence}, status=refusal.status)
    return JsonResponse(
        {"version": note.version, "saved_at": note.saved_at.isoformat()} if note else {"version": 0}
    )


@require_POST
def discard(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Forget the draft, once confirmed; the page then shows what was submitted, or nothing."""
    page = own_page(request, pk)
    form = posted_form(request)
    if page.is_recused:
        return show_recused(request, page, form, OutOfDate(page.closed_because))
    if page.draft and not is_confirmed(request):
        return ask(request, about_discarding(page.assignment, page.draft, form.draft_version_seen))
    try:
        discard_draft(assignment=page.assignment, version=form.draft_version_seen)
    except DraftMoved as moved:
        return show_again(request, pk, form, moved)
    messages.success(request, "Draft discarded.")
    return back_to(page)


@require_POST
def ping(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Count active time; the answer holds how long the lease runs now."""
    assignment = own_assignment(request, pk)
    record_ping(assignment=assignment)
    ends = assignment.lease_expires_at
    return JsonResponse({"lease_expires_at": ends.isoformat() if ends else None})
