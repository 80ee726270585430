"""Where the site keeps what metrics need: weights in a directory, an endpoint in its settings."""

from pathlib import Path

from django.conf import settings

from scoring.metrics.base import Places


def metric_places() -> Places:
    """Return the places that the settings name."""
    directory = getattr(settings, "METRIC_MODELS_DIR", None)
    return Places(Path(directory) if directory else None, None)
