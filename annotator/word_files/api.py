"""Claims, one's own marks and rulings over REST, as Word documents."""

from typing import cast
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator.access.gate import own_campaign
from annotator.adjudication.rulings.queries import adjudication_page
from annotator.assignments.queries import ratings_by
from annotator.models import User
from annotator.rating.queries import rate_page
from annotator.word_files.forms import ALL, LONGEST_ID, MOST_PARTS, tracked_of
from annotator.word_files.services import take_claims, take_marks, take_ruling
from annotator.word_files.views import as_download
from core.errors import Refused
from core.rest.files import OwnFormats
from patclaimeval.claims.change_classes import Change
from patclaimeval.documents.word_writer import MEDIA_TYPE

_CHANGES = OpenApiParameter(
    "changes",
    description=f"what is tracked beside substance: {ALL}, which is the default, or some of "
    f"{', '.join(one.value for one in Change)}, divided by commas; what is not stands as in the "
    "candidate",
)
_FILE = {
    (200, MEDIA_TYPE): OpenApiTypes.BINARY,
    400: OpenApiTypes.OBJECT,
    409: OpenApiTypes.OBJECT,
}


class WordFileView(APIView):
    """A call that answers with a Word document, whatever form the caller asks for."""

    content_negotiation_class = OwnFormats


class ClaimsDocx(WordFileView):
    """A reference of a campaign, or one of its candidates, as a Word document."""

    parameters = frozenset({"reference_id", "candidate_id"})

    @extend_schema(
        parameters=[
            OpenApiParameter("reference_id", required=True),
            OpenApiParameter("candidate_id"),
        ],
        responses=_FILE,
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        campaign = own_campaign(request, slug)
        names = {name: str(request.query_params.get(name, "")) for name in self.parameters}
        for name, value in names.items():
            if len(value) > LONGEST_ID or "\0" in value:
                raise Refused.at(name, f"Give an id of at most {LONGEST_ID} characters.")
        user = cast(User, request.user)
        return as_download(take_claims(campaign=campaign, taken_by=user, **names), user)


class RatingDocx(WordFileView):
    """One's own rating: differences from the reference tracked, tags and comment beside them."""

    parameters = frozenset({"changes"})

    @extend_schema(parameters=[_CHANGES], responses=_FILE)
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        user = cast(User, request.user)
        rating = get_object_or_404(ratings_by(user), pk=pk)
        page = rate_page(user, rating.assignment_id)
        if page is None:
            raise Http404
        tracked = tracked_of(request.query_params.get("changes"))
        return as_download(take_marks(page=page, tracked=tracked, taken_by=user), user)


class RulingDocx(WordFileView):
    """The ruling on a case: the differences tracked, its reasons and the tags beside them."""

    parameters = frozenset({"changes", "number"})

    @extend_schema(
        parameters=[
            _CHANGES,
            OpenApiParameter("number", enum=["1", "2"], description="which of two candidates"),
        ],
        responses=_FILE,
    )
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        user = cast(User, request.user)
        page = adjudication_page(user, pk)
        if page is None:
            raise Http404
        number = request.query_params.get("number", "1")
        if number not in {str(place) for place in range(1, MOST_PARTS + 1)}:
            raise Refused.at("number", "Give 1, or 2 for the other candidate of a pair.")
        tracked = tracked_of(request.query_params.get("changes"))
        found = take_ruling(page=page, number=int(number), tracked=tracked, taken_by=user)
        return as_download(found, user)
