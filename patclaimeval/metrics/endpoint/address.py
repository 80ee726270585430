"""An OpenAI-compatible endpoint as the site has set it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, which model, how often, and what it costs.

    url: up to and without '/chat/completions'; https, or http on this machine.
    model: the model's name there. A dated name repeats; an alias may be another model next month.
    api_key: sent as a bearer token; None where the endpoint wants none. Never shown.
    requests_per_minute: at most so many requests are begun within a minute, retries included.
    price_in, price_out: money for 1,000,000 tokens sent and received, in whatever unit the site
        uses; 0 where no price is set.
    cache_directory: where answers are stored; None stores nothing.
    timeout: seconds until a request is given up, from its first byte to its last.
    core.endpoint has checked what the site has set.
    """

    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    requests_per_minute: int = 60
    price_in: float = 0.0
    price_out: float = 0.0
    cache_directory: Path | None = None
    timeout: float = 60.0

    @property
    def host(self) -> str:
        """The host, with its port where one is named: what a person is shown."""
        return urlsplit(self.url).netloc

    @property
    def address(self) -> str:
        """The url without its scheme: what stands in a scorer's version, and so in reports."""
        return self.url.partition("://")[2]


def missing_setting(name: str) -> str:
    """Return the sentence that says what to set so that the metric `name` can ask."""
    return (
        f"{name} needs an endpoint: set METRIC_ENDPOINT_URL to an OpenAI-compatible address and "
        "METRIC_ENDPOINT_MODEL to a model there. The claims are then sent to it, so ask their "
        "owners first."
    )
