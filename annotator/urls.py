"""The map of every address."""

from django.urls import URLPattern, URLResolver, include, path

handler400 = "annotator.views.errors.bad_request"
handler403 = "annotator.views.errors.forbidden"
handler404 = "annotator.views.errors.not_found"
handler500 = "annotator.views.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("annotator.views.urls")),
    path("api/v1/", include("annotator.api.urls")),
    # By name only: this house does not know what the other one holds.
    path("", include("scoring.urls")),
]
