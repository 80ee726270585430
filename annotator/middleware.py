"""Response headers that every page of ours carries."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers, patch_vary_headers

View = Callable[[HttpRequest], HttpResponse]


# What a page may ask of the browser beside showing itself: nothing.
NO_FEATURES: Final = ", ".join(
    f"{name}=()"
    for name in ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
)


def keep_secret(get_response: View) -> View:
    """Keep drafts out of caches, search engines and other sites; static files are not served here.

    The policy of the content, the referrer's and that of openers come from middleware before.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        add_never_cache_headers(response)
        patch_vary_headers(response, ["HX-Request"])
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        response["Permissions-Policy"] = NO_FEATURES
        return response

    return handle
