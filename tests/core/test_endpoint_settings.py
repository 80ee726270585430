import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.endpoint import read

RIGHT = {
    "METRIC_ENDPOINT_URL": "https://api.example.org/v1/",
    "METRIC_ENDPOINT_MODEL": "m-2026-01-01",
    "METRIC_ENDPOINT_KEY": "$sesame",
    "METRIC_ENDPOINT_REQUESTS_PER_MINUTE": "30",
    "METRIC_ENDPOINT_PRICE_IN": "2.5",
    "METRIC_ENDPOINT_PRICE_OUT": "10",
    "METRIC_ENDPOINT_TIMEOUT": "12.5",
}


def test_nothing_set_means_no_address() -> None:
    settings = read({})
    assert (settings.url, settings.model, settings.key) == ("", "", "")
    assert settings.requests_per_minute >= 1
    assert (settings.price_in, settings.price_out) == (0.0, 0.0)
    assert settings.timeout > 0


def test_all_is_taken_as_it_stands_and_the_key_is_not_shown() -> None:
    settings = read(RIGHT)
    assert (settings.url, settings.model) == ("https://api.example.org/v1", "m-2026-01-01")
    assert (settings.key, settings.requests_per_minute) == ("$sesame", 30)
    assert (settings.price_in, settings.price_out) == (2.5, 10.0)
    assert settings.timeout == 12.5
    assert "sesame" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("URL", f"{wrong}api.example.org/v1") for wrong in ("http://", "https://me:sesame@")),
        *(("KEY", wrong) for wrong in ("sesame open", "sesame\r\nHost: elsewhere")),
        *(("MODEL", wrong) for wrong in ("", "  ")),
        *(("REQUESTS_PER_MINUTE", wrong) for wrong in ("0", "sesame", "1.5", "-3", "9" * 5000)),
        *(("PRICE_IN", wrong) for wrong in ("-1", "nan")),
        *(("PRICE_OUT", wrong) for wrong in ("inf", "sesame")),
        *(("TIMEOUT", wrong) for wrong in ("0", "3601", "sesame")),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(name, value) -> None:
    with pytest.raises(ValueError, match=f"METRIC_ENDPOINT_{name}") as refusal:
        read(RIGHT | {f"METRIC_ENDPOINT_{name}": value})
    assert "sesame" not in str(refusal.value)


def _settings_in_a_new_process(tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("METRIC_")}
    program = (
        "from config import settings as s; print(repr((s.METRIC_ENDPOINT_URL, "
        "s.METRIC_ENDPOINT_KEY, str(s.METRIC_MODELS_DIR), str(s.DATA_DIR))))"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        env=clean | {"DATA_DIR": str(tmp_path)} | more,
        capture_output=True,
        text=True,
    )


def test_the_project_starts_without_an_endpoint_and_looks_for_weights_in_its_data(tmp_path) -> None:
    run = _settings_in_a_new_process(tmp_path)
    data = str(tmp_path.resolve())
    assert run.stdout.strip() == repr(("", "", f"{data}/metric_models", data))


def test_the_project_takes_what_is_set(tmp_path) -> None:
    run = _settings_in_a_new_process(tmp_path, METRIC_MODELS_DIR=str(tmp_path / "w"), **RIGHT)
    assert "https://api.example.org/v1" in run.stdout
    assert "$sesame" in run.stdout
    assert str(tmp_path.resolve() / "w") in run.stdout


def test_the_project_does_not_start_with_claims_going_over_plain_http(tmp_path) -> None:
    wrong = RIGHT | {"METRIC_ENDPOINT_URL": "http://me:sesame@api.example.org/v1"}
    run = _settings_in_a_new_process(tmp_path, **wrong)
    assert run.returncode == 1
    assert run.stderr.startswith("settings refused: METRIC_ENDPOINT_URL")
    assert len(run.stderr.splitlines()) == 1
    assert "sesame" not in run.stdout + run.stderr
