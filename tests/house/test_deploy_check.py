"""Production settings: good ones pass Django's deployment check, unsafe ones are refused."""

import re

import pytest

from tests.house.conftest import RunPython

GOOD = {
    "SECRET_KEY": "9vXq2-LrT8_mWz5YkB1nHsD7cJfGpE4uAa6RiVoKxN3eQtMbZyCjS0hPwUgFdIlO",
    "ALLOWED_HOSTS": "claims.example.org",
    "DATABASE_URL": "postgres://workbench:k3Jw-92hQzT@db.example.org:5432/workbench",
}


def test_good_production_settings_pass_the_deployment_check(run_python: RunPython) -> None:
    for strictness in ([], ["--tag", "security", "--fail-level", "WARNING"]):
        done = run_python("manage.py", "check", "--deploy", *strictness, **GOOD)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SECRET_KEY", ""),
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", "a" * 64),
        ("SECRET_KEY", "django-insecure-9vXq2-LrT8_mWz5YkB1nHsD7cJfGpE4uAa6RiVoKxN3eQtMbZyCjS0h"),
        ("SECRET_KEY_FALLBACKS", "short"),
        ("ALLOWED_HOSTS", ""),
        ("ALLOWED_HOSTS", "*"),
        ("DEBUG", "1"),
        ("DATABASE_URL", "postgres://workbench:postgres@db.example.org/workbench"),
        ("DATABASE_URL", "postgres://workbench:workbench@db.example.org/workbench"),
        ("DATABASE_URL", "nonsense"),
        ("ALLOW_INSECURE_HTTP", "1"),
        ("CELERY_BROKER_URL", "redis://broker.example.org:6379/0"),
        ("CELERY_BROKER_URL", "redis://:changeme@broker.example.org:6379/0"),
    ],
)
def test_unsafe_production_setting_is_refused_with_one_line(
    run_python: RunPython, setting: str, value: str
) -> None:
    # Any command will do: the refusal is the settings' own, not one of Django's checks.
    done = run_python("manage.py", "sweep", **(GOOD | {setting: value}))
    assert done.returncode != 0
    assert done.stderr.strip().count("\n") == 0, done.stderr
    assert setting in done.stderr
    assert GOOD["SECRET_KEY"] not in done.stderr
    assert re.search(r"k3Jw-92hQzT", done.stderr) is None


def test_local_mode_makes_a_private_secret_and_keeps_it(
    run_python: RunPython, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data_dir = tmp_path_factory.mktemp("local") / "var"
    keys = set()
    for _ in range(2):
        done = run_python("manage.py", "check", DATA_DIR=str(data_dir))
        assert done.returncode == 0, done.stderr
        keys.add((data_dir / "secret_key").read_text())
    assert len(keys) == 1
    assert (data_dir / "secret_key").stat().st_mode & 0o777 == 0o600
    assert data_dir.stat().st_mode & 0o077 == 0


WHAT_HOLDS = """
from django.conf import settings
print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.SESSION_COOKIE_SECURE,
      settings.CSRF_COOKIE_SECURE, settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS,
      settings.DATABASES["default"]["OPTIONS"].get("sslmode"), settings.DEBUG)
"""


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
            "sessionid csrftoken False False False 0 None False",
        ),
    ],
)
def test_production_asks_for_tls_on_every_way_that_leaves_the_machine(
    run_python: RunPython, more: dict[str, str], expected: str
) -> None:
    done = run_python("manage.py", "shell", "--no-imports", "-c", WHAT_HOLDS, **(GOOD | more))
    assert done.stdout.strip() == expected, done.stderr
