"""Where the site keeps what metrics need: weights in a directory, an endpoint in its settings."""

from pathlib import Path

from django.conf import settings

from scoring import storage
from scoring.metrics.base import Places
from scoring.metrics.endpoint import Endpoint


def metric_places() -> Places:
    """Return the places that the settings name; nothing is looked at yet."""
    return Places(Path(settings.METRIC_MODELS_DIR), _endpoint())


def _endpoint() -> Endpoint | None:
    if not settings.METRIC_ENDPOINT_URL:
        return None
    return Endpoint(
        url=settings.METRIC_ENDPOINT_URL,
        model=settings.METRIC_ENDPOINT_MODEL,
        api_key=settings.METRIC_ENDPOINT_KEY or None,
        requests_per_minute=settings.METRIC_ENDPOINT_REQUESTS_PER_MINUTE,
        price_in=settings.METRIC_ENDPOINT_PRICE_IN,
        price_out=settings.METRIC_ENDPOINT_PRICE_OUT,
        cache_directory=storage.cache_directory() / "endpoint",
        timeout=settings.METRIC_ENDPOINT_TIMEOUT,
        concurrency=settings.METRIC_ENDPOINT_CONCURRENCY,
    )
