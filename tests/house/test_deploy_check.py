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
        ("ALLOWED_HOSTS", ""),
        ("ALLOWED_HOSTS", "*"),
        ("DEBUG", "1"),
        ("DATABASE_URL", "postgres://workbench:postgres@db.example.org/workbench"),
        ("DATABASE_URL", "nonsense"),
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
