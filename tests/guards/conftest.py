"""Fresh interpreters for the guards: what this one has imported or configured must not count."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = (
    "DATABASE_URL",
    "CELERY_BROKER_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "ALLOW_INSECURE_HTTP",
    "BEHIND_PROXY",
    "DEBUG",
    "DEMO_PASSWORD",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
    "DJANGO_SETTINGS_MODULE",
)


RunPython = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Give a function that runs Python with these arguments in local mode plus given settings."""

    def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        rest = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=rest | {"DATA_DIR": str(tmp_path / "var")} | settings,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
