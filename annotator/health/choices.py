"""Settings that are allowed, but that an administrator should know of."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings

from annotator.configuration.production import is_loopback
from annotator.health.findings import Finding, ok, warning


def look_at_choices() -> Iterator[Finding]:
    """Say which mode holds, and which choices weaken it."""
    if settings.IS_LOCAL:
        yield warning(
            "settings",
            "Local mode: loopback only, demo logins, plain HTTP.",
            "For a firm set SECRET_KEY, ALLOWED_HOSTS and DATABASE_URL (docs/install.md).",
        )
    else:
        yield ok("settings", "Production checks hold.")
    if settings.DEBUG:
        yield warning("settings", "DEBUG=1: error pages show claims.", "Remove DEBUG.")
    if settings.INSECURE_HTTP and not settings.IS_LOCAL:
        yield warning(
            "settings",
            "ALLOW_INSECURE_HTTP=1: passwords and claims travel readable on this machine.",
            "Remove it, and put TLS in front (deploy/).",
        )
    broker = urlsplit(settings.CELERY_BROKER_URL)
    if broker.scheme == "redis" and not is_loopback(broker.hostname or ""):
        yield warning(
            "settings",
            "The way to the broker is plain text.",
            "Use rediss://, unless both ends lie on one machine's own network.",
        )
    if settings.METRIC_ENDPOINT_URL:
        yield warning(
            "settings",
            "METRIC_ENDPOINT_URL is set: claims leave for a language model when a report asks it.",
            "Remove it, if nothing is to leave (docs/adr/0015).",
        )
