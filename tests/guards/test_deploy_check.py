"""Production settings: good ones pass Django's deployment check, unsafe ones are refused."""

import os
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.environment import NUMBERS
from tests.guards.conftest import ROOT

GOOD = {
    "SECRET_KEY": "9vXq2-LrT8_mWz5YkB1nHsD7cJfGpE4uAa6RiVoKxN3eQtMbZyCjS0hPwUgFdIlO",
    "ALLOWED_HOSTS": "claims.example.org",
    "DATABASE_URL": "postgres://workbench:k3Jw-92hQzT@db.example.org:5432/workbench",
}

ReadSettings = Callable[..., dict[str, Any]]


@pytest.fixture
def read_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ReadSettings]:
    """Give a function that reads the settings from nothing but what it is given."""
    umask = os.umask(0o077)

    def read(**given: str) -> dict[str, Any]:
        for name in (*os.environ,):
            monkeypatch.delenv(name)
        for name, value in (given | {"DATA_DIR": str(tmp_path / "var")}).items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(ROOT / "config" / "settings.py"))

    yield read
    os.umask(umask)


def test_good_production_settings_pass_the_deployment_check(run_python) -> None:
    for strictness in ([], ["--tag", "security", "--fail-level", "WARNING"]):
        done = run_python("manage.py", "check", "--deploy", *strictness, **GOOD)
        assert done.returncode == 0, done.stderr


UNSAFE = {
    "SECRET_KEY": (
        *("", "short", "a" * 64, "abcde" * 11, "k3Jw92hQzT" * 6),
        "django-insecure-9vXq2-LrT8_mWz5YkB1nHsD7cJfGpE4uAa6RiVoKxN3eQtMbZyCjS0h",
    ),
    "SECRET_KEY_FALLBACKS": ("short",),
    "ALLOWED_HOSTS": (
        *("", "*", ".com", "claims.example.org,.example.org", "https://claims.example.org"),
    ),
    "DEBUG": ("1",),
    "DATABASE_URL": (
        "nonsense",
        "postgres://workbench:postgres@db.example.org/workbench",
        "postgres://workbench:workbench@db.example.org/workbench",
        "postgres://workbench:k3Jw-92hQzT@db.example.org/workbench?sslmode=disable",
        "postgres://workbench:k3Jw-92hQzT@db.example.org/workbench?sslmode=prefer",
        "postgres:///workbench?host=db.example.org&sslmode=allow",
        "postgres://workbench:k3Jw-92hQzT@db.example.org/workbench?sslmode=bogus",
    ),
    "ALLOW_INSECURE_HTTP": ("1",),
    "CELERY_BROKER_URL": (
        "redis://broker.example.org:6379/0",
        "redis://:changeme@broker.example.org:6379/0",
        "rediss://:guest@broker.example.org:6379/0",
        "redis://:k3Jw-92hQzT@broker.example.org:6379/0",
        "rediss://:k3Jw-92hQzT@broker.example.org/0?ssl_cert_reqs=CERT_NONE",
        "rediss://:k3Jw-92hQzT@broker.example.org/0?ssl_cert_reqs=optional",
        "rediss://:k3Jw-92hQzT@broker.example.org/0?ssl_cert_reqs=",
        "rediss://:k3Jw-92hQzT@broker.example.org/0?ssl_check_hostname=false",
        "redis://:k3Jw-92hQzT@127.0.0.1/0;redis://broker.example.org/0",
        "amqp://guest:guest@broker.example.org//",
        "redis://[broker",
    ),
    "BEHIND_PROXY": ("-1",),
    "WEBHOOK_NETWORKS": ("0.0.0.0/0",),
    "SESSION_IDLE_MINUTES": ("0", "abc", "100000"),
    "BACKUP_KEEP_DAYS": ("1e9",),
    "JOB_LEASE_SECONDS": ("١٢",),
    "TRAINING_STATE_SECONDS": ("nan",),
    "REQUIRE_SECOND_FACTOR": ("enabled",),
    "LOG_FORMAT": ("xml",),
    "METRICS_TOKEN": ("x",),
    "DATABASE_SERVING_ROLE": ("serving; DROP",),
    "SECRET_KEY_FALLBACKS_FILE": ("/nowhere",),
    "METRICS_TOKEN_FILE": ("/etc/hostname",),
    "SECRET_KEY_FILE": ("/etc/hostname",),
}


@pytest.mark.parametrize(
    ("setting", "value"), [(name, value) for name, values in UNSAFE.items() for value in values]
)
def test_unsafe_production_setting_is_refused_with_one_line(read_settings, setting, value) -> None:
    with pytest.raises(SystemExit) as refusal:
        read_settings(**(GOOD | {setting: value}))
    message = str(refusal.value)
    assert "\n" not in message
    assert setting in message
    assert GOOD["SECRET_KEY"] not in message
    assert "k3Jw-92hQzT" not in message


def test_a_refusal_ends_any_program_with_one_line(run_python) -> None:
    # Any command will do: the refusal is the settings' own, not one of Django's checks.
    done = run_python("manage.py", "sweep", **(GOOD | {"SESSION_IDLE_MINUTES": "abc"}))
    assert done.returncode == 1
    assert done.stderr.startswith("settings refused: SESSION_IDLE_MINUTES must be a whole number")
    assert done.stderr.strip().count("\n") == 0, done.stderr


@pytest.mark.parametrize(
    ("setting", "value", "private"),
    [
        ("CELERY_BROKER_URL", "rediss://:k3Jw-92hQzT@broker.example.org:6379/0", ""),
        (
            "CELERY_BROKER_URL",
            "rediss://:k3Jw-92hQzT@broker.example.org/0?ssl_cert_reqs=required",
            "",
        ),
        ("CELERY_BROKER_URL", "redis://:k3Jw-92hQzT@redis:6379/0", "postgres,redis"),
        ("CELERY_BROKER_URL", "redis://127.0.0.1:6379/0", ""),
        ("DATABASE_URL", "postgres://workbench:k3Jw-92hQzT@postgres/w?sslmode=disable", "postgres"),
        ("DATABASE_URL", "postgres://workbench:k3Jw-92hQzT@127.0.0.1/w?sslmode=disable", ""),
        ("ALLOWED_HOSTS", "claims,claims.example.org,10.0.0.7,[::1]", ""),
        ("METRICS_TOKEN", "k3Jw92hQzT-scraper-token-of-a-test", ""),
    ],
)
def test_what_is_safe_or_declared_private_is_taken(read_settings, setting, value, private) -> None:
    assert read_settings(**(GOOD | {setting: value, "PRIVATE_HOSTS": private}))["IS_LOCAL"] is False


def test_every_number_is_documented_with_its_range() -> None:
    documented = (ROOT / "docs" / "admin.md").read_text()
    for name, (_, lowest, highest) in NUMBERS.items():
        row = next(row for row in documented.splitlines() if row.startswith("| ") and name in row)
        assert f"{lowest:,} to {highest:,}" in row, name


def test_secrets_in_files_are_taken_and_open_ones_refused(read_settings, tmp_path) -> None:
    files = {}
    for name in ("SECRET_KEY", "DATABASE_URL"):
        path = tmp_path / name
        path.write_text(f"{GOOD[name]}\n")
        path.chmod(0o400)
        files[f"{name}_FILE"] = str(path)
    more = {"ALLOWED_HOSTS": GOOD["ALLOWED_HOSTS"], **files}
    found = read_settings(**more)
    assert found["SECRET_KEY"] == GOOD["SECRET_KEY"]
    assert found["DATABASES"]["default"]["HOST"] == "db.example.org"
    (tmp_path / "SECRET_KEY").chmod(0o444)
    with pytest.raises(SystemExit, match=r"SECRET_KEY_FILE .*chmod"):
        read_settings(**more)


def test_local_mode_makes_a_private_secret_and_stores_it(run_python, tmp_path_factory) -> None:
    data_dir = tmp_path_factory.mktemp("local") / "var"
    keys = set()
    for _ in range(2):
        done = run_python("manage.py", "check", DATA_DIR=str(data_dir))
        assert done.returncode == 0, done.stderr
        keys.add((data_dir / "secret_key").read_text())
    assert len(keys) == 1
    assert (data_dir / "secret_key").stat().st_mode & 0o777 == 0o600
    assert data_dir.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "__Host-sessionid __Host-csrftoken True True True 31536000 require False"),
        (
            {"DATABASE_URL": GOOD["DATABASE_URL"] + "?sslmode=verify-full"},
            "__Host-sessionid __Host-csrftoken True True True 31536000 verify-full False",
        ),
        (
            {
                "ALLOW_INSECURE_HTTP": "1",
                "ALLOWED_HOSTS": "127.0.0.1,localhost,[::1]",
                "DATABASE_URL": "postgres://workbench:k3Jw-92hQzT@127.0.0.1/workbench",
            },
            "sessionid None False False False 0 None False",
        ),
    ],
)
def test_production_asks_for_tls_on_every_way_that_leaves_the_machine(
    read_settings, more, expected
) -> None:
    found = read_settings(**(GOOD | more))
    # Django's own names where the settings hold nothing.
    names = (found.get("SESSION_COOKIE_NAME", "sessionid"), found.get("CSRF_COOKIE_NAME"))
    given = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    found_values = [*names, *(found[name] for name in (*given, "SECURE_HSTS_SECONDS"))]
    found_values += [found["DATABASES"]["default"]["OPTIONS"].get("sslmode"), found["DEBUG"]]
    assert " ".join(map(str, found_values)) == expected
