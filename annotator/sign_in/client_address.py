"""From which address a request came, believing no more of its headers than the settings allow."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address of who asks: the one that the outermost trusted proxy saw.

    Each proxy adds at the end whom it heard; what stands further left anybody can write.
    """
    count = settings.TRUSTED_PROXIES
    heard = request.headers.get("X-Forwarded-For", "").split(",") if count else []
    if len(heard) < count or not count:
        return str(request.META.get("REMOTE_ADDR", ""))
    return heard[-count].strip()
