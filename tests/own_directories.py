"""Gives each process of a run its own data directory, so that none clears another's files.

A plugin rather than a fixture: the settings are read before any test is collected.
"""

import os
from pathlib import Path

VAR = Path(__file__).resolve().parent.parent / "var"


def give_own_directory(process: str, environment: dict[str, str] | os._Environ[str]) -> None:
    """Point DATA_DIR at a folder of the process, with the collected static files linked in."""
    common = Path(environment.get("DATA_DIR") or VAR)
    own = common / "processes" / process
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    static = own / "static"
    if (common / "static").is_dir() and not static.is_symlink():
        static.symlink_to(common / "static", target_is_directory=True)
    environment["DATA_DIR"] = str(own)


if "PYTEST_XDIST_WORKER" in os.environ:
    give_own_directory(os.environ["PYTEST_XDIST_WORKER"], os.environ)
