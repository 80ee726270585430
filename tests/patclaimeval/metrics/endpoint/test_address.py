"""An endpoint names its host, and shows its key to nobody."""

from patclaimeval.metrics.endpoint import Endpoint, missing_setting

ENDPOINT = Endpoint("https://api.example.org/v1", "m-2026-01-01", api_key="sesame-open")


def test_its_text_does_not_show_the_key() -> None:
    assert "sesame" not in f"{ENDPOINT} {ENDPOINT!r}"


def test_the_host_and_the_address_are_named() -> None:
    assert ENDPOINT.host == "api.example.org"
    assert ENDPOINT.address == "api.example.org/v1"
    assert Endpoint("http://127.0.0.1:81", "m-1").host == "127.0.0.1:81"


def test_without_an_endpoint_a_metric_says_what_to_set() -> None:
    words = missing_setting("g-eval")
    assert words.startswith("g-eval needs an endpoint: set METRIC_ENDPOINT_URL ")
    assert "METRIC_ENDPOINT_MODEL" in words
