"""Routes of scoring's REST calls, below /api/v1/."""

from django.urls import include, path

from scoring.datasets.exports import api as exports_api
from scoring.datasets.freezing import api as freezing_api
from scoring.erasures import api as erasures_api
from scoring.reports import api as reports_api
from scoring.scores import api as scores_api
from scoring.training.model_versions import api as model_versions_api
from scoring.training.runs import api as runs_api

app_name = "api"

OF_A_VERSION = [
    path("", freezing_api.Version.as_view(), name="dataset_version"),
    path("export/", exports_api.Export.as_view(), name="export"),
    path("card/", exports_api.DataCard.as_view(), name="data_card"),
]
urlpatterns = [
    path("datasets/", freezing_api.Datasets.as_view(), name="datasets"),
    path("datasets/<dataset:name>/versions/<int:number>/", include(OF_A_VERSION)),
    path("campaigns/<slug:slug>/references/", erasures_api.References.as_view(), name="references"),
    path("references/<uuid:pk>/erasures/", erasures_api.Erasures.as_view(), name="erasures"),
    path("training-runs/", runs_api.Runs.as_view(), name="runs"),
    path("training-runs/<uuid:pk>/", runs_api.Run.as_view(), name="run"),
    path("training-runs/<uuid:pk>/cancel/", runs_api.Cancel.as_view(), name="cancel_run"),
    path("training-runs/<uuid:pk>/again/", runs_api.Again.as_view(), name="train_again"),
    path("models/", model_versions_api.Models.as_view(), name="models"),
    path("models/<uuid:pk>/", model_versions_api.Model.as_view(), name="model"),
    path("models/<uuid:pk>/promote/", model_versions_api.Promote.as_view(), name="promote"),
    path("score/", scores_api.Scores.as_view(), name="scores"),
    path("score/<uuid:pk>/", scores_api.Score.as_view(), name="score"),
    path("reports/", reports_api.Reports.as_view(), name="reports"),
    path("reports/<uuid:pk>/", reports_api.Report.as_view(), name="report"),
    path("reports/<uuid:pk>/cancel/", reports_api.Cancel.as_view(), name="cancel_report"),
]
