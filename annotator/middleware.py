"""Response headers that every page of ours carries."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers, patch_vary_headers

View = Callable[[HttpRequest], HttpResponse]


def no_store(get_response: View) -> View:
    """Keep claim drafts out of browser and proxy caches; static files are not served here."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        add_never_cache_headers(response)
        patch_vary_headers(response, ["HX-Request"])
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return handle
