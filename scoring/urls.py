"""The map of the measuring house."""

from django.urls import include, path

from scoring.views import datasets, models, reports, runs

app_name = "scoring"

urlpatterns = [
    path("api/v1/", include("scoring.api.urls")),
    path("datasets/", datasets.dataset_list, name="datasets"),
    path("datasets/freeze/", datasets.freeze, name="freeze"),
    path("datasets/<slug:name>/<int:number>/", datasets.version, name="dataset_version"),
    path("datasets/<slug:name>/<int:number>/export/", datasets.export, name="export"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/<uuid:pk>/", runs.run, name="run"),
    path("runs/<uuid:pk>/progress/", runs.progress, name="run_progress"),
    path("runs/<uuid:pk>/cancel/", runs.cancel, name="cancel_run"),
    path("models/", models.model_list, name="models"),
    path("models/<uuid:pk>/", models.model, name="model"),
    path("reports/", reports.report_list, name="reports"),
    path("reports/<uuid:pk>/", reports.report, name="report"),
    path("reports/<uuid:pk>/progress/", reports.progress, name="report_progress"),
    path("reports/<uuid:pk>/cancel/", reports.cancel, name="cancel_report"),
]
