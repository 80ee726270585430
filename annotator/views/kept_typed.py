"""A rating from somebody who may not rate here any more: what they typed stays their draft."""

from uuid import UUID

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError

from annotator.forms.rating import RatingForm
from annotator.gate import DRAFT_FIELD
from annotator.models import User
from annotator.queries.access import ever_assigned
from annotator.services.drafts import keep_refused


def keep_unrated(request: HttpRequest) -> bool:
    """Keep the posted rate form of an assignment that was theirs; say whether it is kept.

    The role may have gone between the page and its submit; the draft is there when it comes back.
    """
    match, user = request.resolver_match, request.user
    if request.method != "POST" or match is None or not isinstance(user, User):
        return False
    try:
        if DRAFT_FIELD not in request.POST:
            return False
        pk = match.kwargs.get("pk")
        row = ever_assigned(user).filter(pk=pk).first() if isinstance(pk, UUID) else None
        if row is None:
            return False
        form = RatingForm(request.POST)
        form.is_valid()
        version = form.draft_version_seen or 0
        return keep_refused(assignment=row, typed=form.as_typed, version=version) is not None
    except (SuspiciousOperation, MultiPartParserError, OSError):
        return False  # what cannot be read cannot be kept
