"""The settings of a language model's endpoint, as the environment gives them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from annotator.configuration.endpoint_address import checked_address, checked_key
from annotator.configuration.reading import whole_number

PREFIX = "METRIC_ENDPOINT_"
LONGEST_TIMEOUT = 3600
MOST_CONCURRENCY = 16
MOST_REQUESTS = 100_000


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What is set; without an address nothing is ever sent. The key is not shown."""

    url: str
    model: str
    key: str = field(repr=False)
    requests_per_minute: int
    price_in: float
    price_out: float
    timeout: float
    concurrency: int


def read(environment: Mapping[str, str]) -> EndpointSettings:
    """Return the settings, or raise ValueError that names the one that is wrong, never its value.

    Values are taken as they stand: a key may begin with a dollar sign.
    """
    url = _checked(environment, "URL", checked_address)
    model = environment.get(f"{PREFIX}MODEL", "").strip()
    if url and not model:
        raise ValueError("METRIC_ENDPOINT_MODEL must name a model of METRIC_ENDPOINT_URL")
    return EndpointSettings(
        url=url,
        model=model,
        key=_checked(environment, "KEY", checked_key),
        requests_per_minute=whole_number(
            environment, f"{PREFIX}REQUESTS_PER_MINUTE", 60, 1, MOST_REQUESTS
        ),
        price_in=_number(environment, "PRICE_IN", 0.0),
        price_out=_number(environment, "PRICE_OUT", 0.0),
        timeout=_timeout(environment),
        concurrency=whole_number(environment, f"{PREFIX}CONCURRENCY", 2, 1, MOST_CONCURRENCY),
    )


def _checked(environment: Mapping[str, str], name: str, check: Callable[[str], str]) -> str:
    text = environment.get(PREFIX + name, "")
    try:
        return check(text) if text else ""
    except ValueError as error:
        raise ValueError(f"{PREFIX}{name}: {error}") from None


def _number(environment: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(environment.get(PREFIX + name, "") or default)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{PREFIX}{name} must be a number, 0 or more")
    return value


def _timeout(environment: Mapping[str, str]) -> float:
    value = _number(environment, "TIMEOUT", 60.0)
    if not 0 < value <= LONGEST_TIMEOUT:
        raise ValueError(f"{PREFIX}TIMEOUT must be above 0 and at most {LONGEST_TIMEOUT} seconds")
    return value
