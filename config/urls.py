"""The map of every address."""

from django.urls import URLPattern, URLResolver, include, path

handler400 = "annotator.site.errors.bad_request"
handler403 = "annotator.site.errors.forbidden"
handler404 = "annotator.site.errors.not_found"
handler500 = "annotator.site.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    # First: no call is compared with the addresses of all pages.
    path("api/v1/", include("annotator.site.api_urls")),
    path("", include("annotator.site.urls")),
    # By name only: a package does not know what the other one holds.
    path("", include("scoring.urls")),
]
