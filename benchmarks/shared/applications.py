"""This application and its peers, as each is started on loopback; peers are installed on demand."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from shared import ROOT
from shared.processes import HOST, Application, clean_environment, free_port

PINS = {
    # doccano's own requirements allow versions of these with which it does not start.
    "doccano": ("doccano==1.8.4", "marshmallow==3.26.1", "numpy==1.26.4"),
    "label-studio": ("label-studio==1.23.2",),
}


def ours(data_dir: Path, settings: Mapping[str, str], checkout: Path = ROOT) -> Application:
    """Return this application; the command is what `make run` runs once packages are there."""
    port = free_port()
    own = {"DATA_DIR": str(data_dir), "PORT": str(port)} | settings
    django = {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(ROOT)}
    environment, python = clean_environment(own), Path(sys.executable)
    command = [str(python), "-m", "scripts.supervise"]
    return Application("ours", command, checkout, "/login/", port, environment, python, django)


def label_studio(data_dir: Path, peers: Path) -> Application:
    """Return Label Studio as its own command starts it: SQLite, and no worker."""
    home, port = installed("label-studio", peers), free_port()
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(data_dir),
        # Nothing leaves this machine: no usage figures, error reports or version look-ups.
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    }
    command = [str(home / "bin" / "label-studio"), "start", "--no-browser"]
    command += ["--internal-host", HOST, "--port", str(port)]
    package = next(home.glob("lib/python3*/site-packages/label_studio"))
    django = {"DJANGO_SETTINGS_MODULE": "core.settings.label_studio", "PYTHONPATH": str(package)}
    environment, python = clean_environment(settings), home / "bin" / "python"
    name, page = "Label Studio 1.23.2", "/user/login/"
    return Application(name, command, data_dir, page, port, environment, python, django)


def doccano(data_dir: Path, peers: Path) -> Application:
    """Return doccano on SQLite with the server and the options of its own command."""
    home, port = installed("doccano", peers), free_port()
    backend = next(home.glob("lib/python3*/site-packages/backend"))
    settings = {
        "DOCCANO_HOME": str(data_dir),
        "DATABASE_URL": f"sqlite:///{data_dir / 'db.sqlite3'}",
        "MEDIA_ROOT": str(data_dir / "media"),
        "STANDALONE": "True",
        "DEBUG": "False",
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "PYTHONPATH": str(backend),
    }
    python = home / "bin" / "python"
    # On loopback; `doccano webserver` would serve the whole network.
    command = [str(python), "-m", "gunicorn", "config.wsgi", "--chdir", str(backend)]
    command += ["--bind", f"{HOST}:{port}", "--workers", str(2 * (os.cpu_count() or 1) + 1)]
    environment, page = clean_environment(settings), "/api-auth/login/"
    return Application("doccano 1.8.4", command, data_dir, page, port, environment, python, {})


def installed(name: str, peers: Path) -> Path:
    """Return the virtual environment of a peer; install it when it is missing."""
    home, pins = peers.resolve() / name, "\n".join(PINS[name])
    done = home / "installed"
    if not done.exists():
        print(f"installing {' '.join(PINS[name])} into {home} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        pip = [str(home / "bin" / "pip"), "install", "--quiet"]
        subprocess.run([*pip, *PINS[name]], check=True)
        done.write_text(pins, encoding="utf-8")
    elif done.read_text(encoding="utf-8") != pins:
        raise RuntimeError(f"{home} has other versions than {' '.join(PINS[name])}; remove it")
    return home
