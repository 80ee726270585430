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
from annotator.webhooks import api as webhooks_api
from annotator.word_files import api as word_files_api


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
    path("pending-roles/", entry_api.PendingRoles.as_view(), name="pending_roles"),
    path("pending-roles/<uuid:pk>/", entry_api.OnePendingRole.as_view(), name="pending_role"),
    path("plan/", planning_api.Plan.as_view(), name="plan"),
    path("progress/", campaigns_api.Progress.as_view(), name="campaign_progress"),
    path("agreement/", reliability_api.Agreement.as_view(), name="agreement"),
    path("claim-sets/docx/", word_files_api.ClaimsDocx.as_view(), name="claims_docx"),
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
        "claim-sets/imports/<uuid:pk>/source/", imports_api.Source.as_view(), name="import_source"
    ),
    path(
        "claim-sets/imports/<uuid:pk>/claim-sets/<int:number>/",
        imports_api.ReadSet.as_view(),
        name="read_claim_set",
    ),
    path("webhooks/", webhooks_api.Webhooks.as_view(), name="webhooks"),
    path("webhooks/<uuid:pk>/", webhooks_api.OneWebhook.as_view(), name="webhook"),
    path("webhooks/<uuid:pk>/test/", webhooks_api.WebhookTest.as_view(), name="try_webhook"),
    path(
        "webhooks/<uuid:pk>/secret/",
        webhooks_api.WebhookSecret.as_view(),
        name="rotate_webhook_secret",
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
    path("ratings/<uuid:pk>/docx/", word_files_api.RatingDocx.as_view(), name="rating_docx"),
    path("conflicts/", rulings_api.Conflicts.as_view(), name="conflicts"),
    path(
        "assignments/<uuid:pk>/context/",
        rating_api.AssignmentContext.as_view(),
        name="assignment_context",
    ),
    path(
        "assignments/<uuid:pk>/context/<int:number>/",
        rating_api.AssignmentDrawing.as_view(),
        name="assignment_drawing",
    ),
    path(
        "conflicts/<uuid:pk>/context/",
        rulings_api.ConflictContext.as_view(),
        name="conflict_context",
    ),
    path(
        "conflicts/<uuid:pk>/context/<int:number>/",
        rulings_api.ConflictDrawing.as_view(),
        name="conflict_drawing",
    ),
    path("conflicts/<uuid:pk>/take/", rulings_api.TakeTurn.as_view(), name="take_turn"),
    path("conflicts/<uuid:pk>/give-back/", rulings_api.GiveBack.as_view(), name="give_back"),
    path("conflicts/<uuid:pk>/send-back/", rulings_api.SendBack.as_view(), name="send_back"),
    path("conflicts/<uuid:pk>/call-back/", rulings_api.CallBack.as_view(), name="call_back"),
    path("conflicts/<uuid:pk>/docx/", word_files_api.RulingDocx.as_view(), name="ruling_docx"),
    path("adjudications/", rulings_api.Adjudications.as_view(), name="adjudications"),
    path("schema/", Schema.as_view(), name="schema"),
]
