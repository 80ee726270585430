"""The map of the REST door."""

from django.urls import path

from annotator.api import adjudication, agreement, campaigns, imports, ratings, schema

app_name = "api"

urlpatterns = [
    path("campaigns/", campaigns.Campaigns.as_view(), name="campaigns"),
    path("campaigns/<slug:slug>/", campaigns.CampaignDetail.as_view(), name="campaign"),
    path(
        "campaigns/<slug:slug>/progress/",
        campaigns.Progress.as_view(),
        name="campaign_progress",
    ),
    path(
        "campaigns/<slug:slug>/agreement/",
        agreement.Agreement.as_view(),
        name="agreement",
    ),
    path(
        "campaigns/<slug:slug>/claim-sets/import/",
        imports.Imports.as_view(),
        name="import_claims",
    ),
    path(
        "campaigns/<slug:slug>/claim-sets/imports/<uuid:pk>/",
        imports.Import.as_view(),
        name="claim_import",
    ),
    path(
        "campaigns/<slug:slug>/claim-sets/imports/<uuid:pk>/confirm/",
        imports.Confirm.as_view(),
        name="confirm_import",
    ),
    path(
        "campaigns/<slug:slug>/claim-sets/imports/<uuid:pk>/cancel/",
        imports.Cancel.as_view(),
        name="cancel_import",
    ),
    path(
        "campaigns/<slug:slug>/assignments/next/",
        ratings.NextAssignment.as_view(),
        name="take_next",
    ),
    path("ratings/", ratings.Ratings.as_view(), name="ratings"),
    path("ratings/<uuid:pk>/", ratings.RatingDetail.as_view(), name="rating"),
    path("conflicts/", adjudication.Conflicts.as_view(), name="conflicts"),
    path("conflicts/<uuid:pk>/take/", adjudication.TakeTurn.as_view(), name="take_turn"),
    path("conflicts/<uuid:pk>/give-back/", adjudication.GiveBack.as_view(), name="give_back"),
    path("conflicts/<uuid:pk>/send-back/", adjudication.SendBack.as_view(), name="send_back"),
    path("conflicts/<uuid:pk>/call-back/", adjudication.CallBack.as_view(), name="call_back"),
    path("adjudications/", adjudication.Adjudications.as_view(), name="adjudications"),
    path(
        "schema/",
        schema.Schema.as_view(),
        name="schema",
    ),
]
