"""Routes of the scoring package."""

from django.urls import include, path, register_converter
from django.urls.converters import SlugConverter

from scoring.access.scopes import FULL_NAME
from scoring.datasets.exports import views as exports_views
from scoring.datasets.freezing import views as freezing_views
from scoring.datasets.versions import views as versions_views
from scoring.erasures import views as erasures_views
from scoring.reports import views as reports_views
from scoring.reports.browsing import context_views as browsing_context_views
from scoring.reports.browsing import views as browsing_views
from scoring.scores import views as scores_views
from scoring.training.model_versions import views as model_versions_views
from scoring.training.runs import views as runs_views

app_name = "scoring"


class _FullName(SlugConverter):
    regex = FULL_NAME


# For `scoring.api_urls` too, which is loaded below.
register_converter(_FullName, "dataset")

OF_A_VERSION = [
    path("", versions_views.version, name="dataset_version"),
    path("licence/", versions_views.licence, name="set_licence"),
    path("texts/", versions_views.permit, name="permit_texts"),
    path("export/", exports_views.export, name="export"),
    path("card/", exports_views.data_card, name="data_card"),
    path("quadruplets/", versions_views.quadruplets, name="quadruplets"),
    path("quadruplets/<int:place>/", versions_views.quadruplet, name="quadruplet"),
    path("ranking/", versions_views.ranking, name="ranking"),
]
urlpatterns = [
    path("api/v1/", include("scoring.api_urls")),
    path("datasets/", freezing_views.dataset_list, name="datasets"),
    path("datasets/freeze/", freezing_views.freeze, name="freeze"),
    path("datasets/freezes/<uuid:pk>/", freezing_views.freeze_page, name="freeze_page"),
    path("datasets/freezes/<uuid:pk>/progress/", freezing_views.progress, name="freeze_progress"),
    path("datasets/freezes/<uuid:pk>/cancel/", freezing_views.cancel, name="cancel_freeze"),
    path("datasets/compare/", versions_views.compare, name="compare_versions"),
    path("datasets/ratings/<uuid:pk>/", erasures_views.rating_uses, name="rating_uses"),
    path("datasets/references/<uuid:pk>/", erasures_views.reference_uses, name="reference_uses"),
    path("datasets/references/<uuid:pk>/erase/", erasures_views.ask, name="ask_erasure"),
    path("datasets/references/<uuid:pk>/draft/", erasures_views.edit_draft, name="edit_draft"),
    path("datasets/texts/<uuid:pk>/revoke/", versions_views.revoke, name="revoke_texts"),
    path("campaigns/<slug:slug>/references/", erasures_views.references, name="references"),
    path("erasures/", erasures_views.erasures, name="erasures"),
    path("erasures/<uuid:pk>/agree/", erasures_views.agree, name="agree_erasure"),
    path("erasures/<uuid:pk>/decline/", erasures_views.decline, name="decline_erasure"),
    path("datasets/<dataset:name>/<int:number>/", include(OF_A_VERSION)),
    path("runs/", runs_views.run_list, name="runs"),
    path("runs/compare/", runs_views.compare, name="compare_runs"),
    path("runs/<uuid:pk>/", runs_views.run, name="run"),
    path("runs/<uuid:pk>/about/", runs_views.describe, name="describe_run"),
    path("runs/<uuid:pk>/progress/", runs_views.progress, name="run_progress"),
    path("runs/<uuid:pk>/cancel/", runs_views.cancel, name="cancel_run"),
    path("runs/<uuid:pk>/again/", runs_views.again, name="train_again"),
    path("models/", model_versions_views.model_list, name="models"),
    path("models/<uuid:pk>/", model_versions_views.model, name="model"),
    path("models/<uuid:pk>/download/", model_versions_views.download, name="download_model"),
    path("models/<uuid:pk>/promotion/", model_versions_views.promotion, name="promotion"),
    path("score/", scores_views.score, name="score"),
    path("score/<uuid:pk>/", scores_views.scored, name="scored"),
    path("score/<uuid:pk>/reading/", scores_views.reading, name="scored_reading"),
    path("score/<uuid:pk>/progress/", scores_views.progress, name="score_progress"),
    path("score/<uuid:pk>/delete/", scores_views.delete, name="delete_scores"),
    path("reports/", reports_views.report_list, name="reports"),
    path("reports/compare/", reports_views.compare, name="compare_reports"),
    path("reports/<uuid:pk>/", reports_views.report, name="report"),
    path("reports/<uuid:pk>/items/", browsing_views.items, name="report_items"),
    path("reports/<uuid:pk>/items/export/", browsing_views.export, name="export_items"),
    path("reports/<uuid:pk>/items/<int:place>/", browsing_views.item, name="report_item"),
    path(
        "reports/<uuid:pk>/items/<int:place>/reading/",
        browsing_views.item_reading,
        name="item_reading",
    ),
    path("reports/<uuid:pk>/items/<int:place>/why/", browsing_views.item_why, name="item_why"),
    path(
        "reports/<uuid:pk>/items/<int:place>/chart/",
        browsing_context_views.item_chart,
        name="item_chart",
    ),
    path(
        "reports/<uuid:pk>/items/<int:place>/context/",
        browsing_context_views.item_context,
        name="item_context",
    ),
    path(
        "reports/<uuid:pk>/items/<int:place>/context/<int:number>/",
        browsing_context_views.item_drawing,
        name="item_drawing",
    ),
    path("reports/<uuid:pk>/download/", reports_views.download, name="download_report"),
    path("reports/<uuid:pk>/progress/", reports_views.progress, name="report_progress"),
    path("reports/<uuid:pk>/cancel/", reports_views.cancel, name="cancel_report"),
]
