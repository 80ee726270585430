"""The addresses of the REST API, and its OpenAPI schema."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from annotator.access.api import MatrixPermission
from annotator.adjudication.rulings import api as rulings_api
from annotator.campaigns import api as campaigns_api
from annotator.campaigns.members import api as members_api
from annotator.entry import api as entry_api
from annotator.imports import api as imports_api
from annotator.planning import api as planning_api
from annotator.rating import api as rating_api
from annotator.reliability import api as reliability_api


class Schema(SpectacularAPIView):
    """The schema as YAML or JSON, by Accept or `?format=`."""

    permission_classes = (MatrixPermission,)
    parameters = frozenset({"format", "lang", "version"})


app_name = "api"

OF_CAMPAIGN = [
    path("", campaigns_api.CampaignDetail.as_view(), name="campaign"),
    path("rules/", campaigns_api.Rules.as_view(), name="campaign_rules"),
    path("close/", campaigns_api.Close.as_view(), name="close_campaign"),
    path("reopen/", campaigns_api.Reopen.as_view(), name="reopen_campaign"),
    path("members/", members_api.Members.as_view(), name="members"),
    path("invitations/", members_api.Invitations.as_view(), name="invitations"),
    path("plan/", planning_api.Plan.as_view(), name="plan"),
    path("progress/", campaigns_api.Progress.as_view(), name="campaign_progress"),
    path("agreement/", reliability_api.Agreement.as_view(), name="agreement"),
    path("claim-sets/import/", imports_api.Imports.as_view(), name="import_claims"),
    path("claim-sets/imports/<uuid:pk>/", imports_api.Import.as_view(), name="claim_import"),
    path(
        "claim-sets/imports/<uuid:pk>/confirm/",
        imports_api.Confirm.as_view(),
        name="confirm_import",
    ),
    path(
        "claim-sets/imports/<uuid:pk>/cancel/", imports_api.Cancel.as_view(), name="cancel_import"
    ),
    path(
        "claim-sets/imports/<uuid:pk>/answer/", imports_api.Answer.as_view(), name="answer_import"
    ),
    path(
        "claim-sets/imports/<uuid:pk>/claim-sets/<int:number>/",
        imports_api.ReadSet.as_view(),
        name="read_claim_set",
    ),
    path("assignments/next/", rating_api.NextAssignment.as_view(), name="take_next"),
]
urlpatterns = [
    path("campaigns/", campaigns_api.Campaigns.as_view(), name="campaigns"),
    path("campaigns/<slug:slug>/", include(OF_CAMPAIGN)),
    path("group-roles/", entry_api.GroupRoles.as_view(), name="group_roles"),
    path("group-roles/<uuid:pk>/", entry_api.OneGroupRole.as_view(), name="group_role"),
    path("invitations/join/", members_api.Join.as_view(), name="join"),
    path("ratings/", rating_api.Ratings.as_view(), name="ratings"),
    path("ratings/<uuid:pk>/", rating_api.RatingDetail.as_view(), name="rating"),
    path("conflicts/", rulings_api.Conflicts.as_view(), name="conflicts"),
    path("conflicts/<uuid:pk>/take/", rulings_api.TakeTurn.as_view(), name="take_turn"),
    path("conflicts/<uuid:pk>/give-back/", rulings_api.GiveBack.as_view(), name="give_back"),
    path("conflicts/<uuid:pk>/send-back/", rulings_api.SendBack.as_view(), name="send_back"),
    path("conflicts/<uuid:pk>/call-back/", rulings_api.CallBack.as_view(), name="call_back"),
    path("adjudications/", rulings_api.Adjudications.as_view(), name="adjudications"),
    path("schema/", Schema.as_view(), name="schema"),
]
