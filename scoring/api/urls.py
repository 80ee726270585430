"""The map of the REST doors of the measuring house, below /api/v1/."""

from django.urls import path

from scoring.api import datasets, exports, models, promotions, reports, runs, scores

app_name = "api"

urlpatterns = [
    path("datasets/", datasets.Datasets.as_view(), name="datasets"),
    path(
        "datasets/<dataset:name>/versions/<int:number>/",
        datasets.Version.as_view(),
        name="dataset_version",
    ),
    path(
        "datasets/<dataset:name>/versions/<int:number>/export/",
        exports.Export.as_view(),
        name="export",
    ),
    path(
        "datasets/<dataset:name>/versions/<int:number>/card/",
        exports.DataCard.as_view(),
        name="data_card",
    ),
    path("training-runs/", runs.Runs.as_view(), name="runs"),
    path("training-runs/<uuid:pk>/", runs.Run.as_view(), name="run"),
    path("training-runs/<uuid:pk>/cancel/", runs.Cancel.as_view(), name="cancel_run"),
    path("training-runs/<uuid:pk>/again/", runs.Again.as_view(), name="train_again"),
    path("models/", models.Models.as_view(), name="models"),
    path("models/<uuid:pk>/", models.Model.as_view(), name="model"),
    path("models/<uuid:pk>/promote/", promotions.Promote.as_view(), name="promote"),
    path("score/", scores.Scores.as_view(), name="scores"),
    path("score/<uuid:pk>/", scores.Score.as_view(), name="score"),
    path("reports/", reports.Reports.as_view(), name="reports"),
    path("reports/<uuid:pk>/", reports.Report.as_view(), name="report"),
    path("reports/<uuid:pk>/cancel/", reports.Cancel.as_view(), name="cancel_report"),
]
