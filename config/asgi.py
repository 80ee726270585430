"""The ASGI application of the web server."""

import os
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from annotator.site.whole_requests import WholeRequests


def load() -> "WholeRequests":
    """Load the application, and only then what reads its settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    loaded = get_wsgi_application()
    from annotator.site.whole_requests import WholeRequests

    return WholeRequests(loaded)


application = load()
