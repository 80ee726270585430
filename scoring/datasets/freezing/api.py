"""Datasets over REST: list, freeze, one version."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.access.visibility import withheld_campaigns
from core.rest.bodies import body, cleaned
from core.rest.paging import PAGED, PARAMETERS, page_of
from scoring.access.api import PermittedView, VersionSerializer, person, version_json
from scoring.access.scopes import version_or_404, versions_for
from scoring.datasets.freezing.forms import DEFAULTS, FreezeForm
from scoring.datasets.freezing.services import freeze_dataset

FIELDS = set(FreezeForm.base_fields)


class Datasets(PermittedView):
    """The dataset versions that the caller may see; a POST freezes a campaign.

    A freeze that would give the same as an earlier one answers with that version and 200.
    """

    parameters = PARAMETERS

    @extend_schema(
        operation_id="datasets_list", parameters=PAGED, responses=VersionSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        user = person(request)
        withheld = withheld_campaigns(user)
        page = page_of(request, versions_for(user))
        versions = [version_json(row, withheld) for row in page.rows]
        return Response(versions, headers=page.headers)

    @extend_schema(
        request=OpenApiTypes.OBJECT,
        responses={200: VersionSerializer, 201: VersionSerializer},
    )
    def post(self, request: Request) -> Response:
        user = person(request)
        form = FreezeForm(user, DEFAULTS | body(request, FIELDS))
        campaign = cleaned(form)["campaign"]
        frozen = freeze_dataset(campaign=campaign, created_by=user, **form.settings)
        document = version_json(frozen.version, withheld_campaigns(user))
        return Response(document, status=201 if frozen.is_new else 200)


class Version(PermittedView):
    """One dataset version."""

    @extend_schema(responses=VersionSerializer)
    def get(self, request: Request, name: str, number: int) -> Response:
        user = person(request)
        row = version_or_404(user, name, number)
        return Response(version_json(row, withheld_campaigns(user)))
