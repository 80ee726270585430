"""An endpoint is checked when it is made, and shows its key to nobody."""

from dataclasses import replace

import pytest

from scoring.metrics.endpoint import Endpoint, missing_setting

ENDPOINT = Endpoint("https://api.example.org/v1/", "m-2026-01-01", api_key="sesame-open")


def test_its_text_does_not_show_the_key() -> None:
    assert "sesame" not in f"{ENDPOINT} {ENDPOINT!r}"


def test_the_address_loses_its_closing_slash_and_the_host_is_named() -> None:
    assert ENDPOINT.url == "https://api.example.org/v1"
    assert ENDPOINT.host == "api.example.org"
    assert ENDPOINT.address == "api.example.org/v1"
    assert Endpoint("http://127.0.0.1:81", "m-1").host == "127.0.0.1:81"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"url": "http://api.example.org/v1"}, "https://"),
        ({"api_key": "sesame\r\nHost: elsewhere"}, "key of the endpoint"),
        ({"model": "  "}, "name of a model"),
        ({"requests_per_minute": 0}, "request a minute"),
        *(({"timeout": float(value)}, "timeout") for value in (0, "nan", "inf")),
        ({"price_in": -1.0}, "prices"),
        *(({"price_out": float(value)}, "prices") for value in ("nan", "inf")),
    ],
)
def test_what_cannot_be_right_is_refused_with_a_message(wrong, words) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        replace(ENDPOINT, **wrong)
    assert "sesame" not in str(refusal.value)


def test_without_an_endpoint_a_metric_says_what_to_set() -> None:
    words = missing_setting("g-eval")
    assert words.startswith("g-eval needs an endpoint: set METRIC_ENDPOINT_URL ")
    assert "METRIC_ENDPOINT_MODEL" in words
