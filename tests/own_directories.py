"""Gives each process of a run its own places, so that none meets another's or anybody's endpoint.

A plugin rather than a fixture: the settings are read before any test is collected. One would clear
the other's files, and take messages about rows that its database does not hold.
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


def give_own_broker(process: str, environment: dict[str, str] | os._Environ[str]) -> None:
    """Point CELERY_BROKER_URL at a database of Redis for the process: 1 for gw0, and so on."""
    address, _, number = environment.get("CELERY_BROKER_URL", "").rpartition("/")
    if address.startswith("redis://") and number.isdigit():
        environment["CELERY_BROKER_URL"] = f"{address}/{int(process.removeprefix('gw')) + 1}"


def take_the_metrics_places(environment: dict[str, str] | os._Environ[str]) -> None:
    """Take away the endpoint and the weights of whoever runs the tests: one costs, both differ."""
    for name in [name for name in environment if name.startswith("METRIC_")]:
        del environment[name]


take_the_metrics_places(os.environ)
if "PYTEST_XDIST_WORKER" in os.environ:
    give_own_directory(os.environ["PYTEST_XDIST_WORKER"], os.environ)
    give_own_broker(os.environ["PYTEST_XDIST_WORKER"], os.environ)
