"""The map of the measuring house."""

from django.urls import include, path, register_converter
from django.urls.converters import SlugConverter

from scoring.queries.datasets import FULL_NAME
from scoring.views import (
    comparisons,
    datasets,
    erasures,
    exports,
    freezes,
    lineage,
    models,
    promotions,
    quadruplets,
    rankings,
    report_comparisons,
    report_files,
    reports,
    runs,
    scores,
)

app_name = "scoring"


class _FullName(SlugConverter):
    regex = FULL_NAME


# For `scoring.api.urls` too, which is loaded below.
register_converter(_FullName, "dataset")

urlpatterns = [
    path("api/v1/", include("scoring.api.urls")),
    path("datasets/", freezes.dataset_list, name="datasets"),
    path("datasets/freeze/", freezes.freeze, name="freeze"),
    path("datasets/freezes/<uuid:pk>/", freezes.freeze_page, name="freeze_page"),
    path("datasets/freezes/<uuid:pk>/progress/", freezes.progress, name="freeze_progress"),
    path("datasets/freezes/<uuid:pk>/cancel/", freezes.cancel, name="cancel_freeze"),
    path("datasets/compare/", comparisons.compare, name="compare_versions"),
    path("datasets/ratings/<uuid:pk>/", lineage.rating_uses, name="rating_uses"),
    path("datasets/references/<uuid:pk>/", lineage.reference_uses, name="reference_uses"),
    path("datasets/references/<uuid:pk>/erase/", erasures.ask, name="ask_erasure"),
    path("erasures/", erasures.erasures, name="erasures"),
    path("erasures/<uuid:pk>/agree/", erasures.agree, name="agree_erasure"),
    path("erasures/<uuid:pk>/decline/", erasures.decline, name="decline_erasure"),
    path("datasets/<dataset:name>/<int:number>/", datasets.version, name="dataset_version"),
    path("datasets/<dataset:name>/<int:number>/licence/", datasets.licence, name="set_licence"),
    path("datasets/<dataset:name>/<int:number>/export/", exports.export, name="export"),
    path("datasets/<dataset:name>/<int:number>/card/", exports.data_card, name="data_card"),
    path(
        "datasets/<dataset:name>/<int:number>/quadruplets/",
        quadruplets.quadruplets,
        name="quadruplets",
    ),
    path(
        "datasets/<dataset:name>/<int:number>/quadruplets/<int:place>/",
        quadruplets.quadruplet,
        name="quadruplet",
    ),
    path("datasets/<dataset:name>/<int:number>/ranking/", rankings.ranking, name="ranking"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/<uuid:pk>/", runs.run, name="run"),
    path("runs/<uuid:pk>/progress/", runs.progress, name="run_progress"),
    path("runs/<uuid:pk>/cancel/", runs.cancel, name="cancel_run"),
    path("runs/<uuid:pk>/again/", runs.again, name="train_again"),
    path("models/", models.model_list, name="models"),
    path("models/<uuid:pk>/", models.model, name="model"),
    path("models/<uuid:pk>/download/", models.download, name="download_model"),
    path("models/<uuid:pk>/promotion/", promotions.promotion, name="promotion"),
    path("score/", scores.score, name="score"),
    path("score/<uuid:pk>/", scores.scored, name="scored"),
    path("score/<uuid:pk>/progress/", scores.progress, name="score_progress"),
    path("score/<uuid:pk>/delete/", scores.delete, name="delete_scores"),
    path("reports/", reports.report_list, name="reports"),
    path("reports/compare/", report_comparisons.compare, name="compare_reports"),
    path("reports/<uuid:pk>/", reports.report, name="report"),
    path("reports/<uuid:pk>/download/", report_files.download, name="download_report"),
    path("reports/<uuid:pk>/progress/", reports.progress, name="report_progress"),
    path("reports/<uuid:pk>/cancel/", reports.cancel, name="cancel_report"),
]
