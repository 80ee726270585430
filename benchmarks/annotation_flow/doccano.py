"""Measures doccano: the first example that one has not confirmed, a label, the confirmation.

doccano has no overlap: by default every member goes through all examples on their own, which is
what is measured. One label stands for the four scores, the least work that counts as annotated.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation_flow.clients import Wire
from annotation_flow.drive import drive
from annotation_flow.figures import Counted, Figures
from annotation_flow.peers import environment_of
from annotation_flow.processes import (
    HOST,
    answers,
    ask,
    clean_environment,
    free_port,
    helper,
    running,
)
from annotation_flow.scale import Scale

PROJECT = "/v1/projects/1"


class DoccanoInterface:
    """The calls that its own pages make for one example."""

    def take(self, wire: Wire) -> tuple[str, Any] | None:
        status, page = wire.call("GET", f"{PROJECT}/examples?limit=1&offset=0&confirmed=false")
        if status != 200 or not page["results"]:
            return None
        example = page["results"][0]
        return str(example["id"]), example["id"]

    def submit(self, wire: Wire, item: Any, scores: Mapping[str, int]) -> bool:
        label = {"label": 1 + scores["feature_completeness"]}
        labelled, _ = wire.call("POST", f"{PROJECT}/examples/{item}/categories", label)
        confirmed, _ = wire.call("POST", f"{PROJECT}/examples/{item}/states", {})
        return labelled == 201 and confirmed == 201


def measure_doccano(scale: Scale, folder: Path, peers: Path) -> Figures:
    """Fill a fresh SQLite database, serve it as `doccano webserver` does, and drive it."""
    home = environment_of("doccano", peers)
    backend = next(home.glob("lib/python3*/site-packages/backend"))
    environment = clean_environment(
        {
            "DOCCANO_HOME": str(folder),
            "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
            "MEDIA_ROOT": str(folder / "media"),
            "STANDALONE": "True",
            "DEBUG": "False",
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "PYTHONPATH": str(backend),
        }
    )
    beside = helper(str(home / "bin" / "python"), "doccano_database")
    tokens = ask(beside, environment, "fill", *scale.arguments())["tokens"]
    port = free_port()
    # The options of its own command, but for the address: it would listen to the whole network.
    workers = str(2 * (os.cpu_count() or 1) + 1)
    command = [str(home / "bin" / "python"), "-m", "gunicorn", "config.wsgi"]
    command += ["--bind", f"{HOST}:{port}", "--workers", workers, "--chdir", str(backend)]
    command += ["--capture-output", "--log-level", "info"]
    with running(
        command,
        is_ready=lambda: answers(port, "/api-auth/login/"),
        log=folder / "doccano.log",
        environment=environment,
        folder=folder,
    ) as server:
        return drive(
            "doccano 1.8.4, SQLite",
            scale,
            server,
            [DoccanoInterface() for _ in tokens],
            [Wire(port, {"Authorization": f"Token {token}"}) for token in tokens],
            warm_path=PROJECT,
            count=lambda: Counted(**ask(beside, environment, "count")),
        )
