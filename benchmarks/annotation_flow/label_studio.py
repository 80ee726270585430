"""Measures Label Studio: the next task of the project, and one annotation with four ratings."""

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


class LabelStudioInterface:
    """The calls that its own pages make for one task."""

    def take(self, wire: Wire) -> tuple[str, Any] | None:
        # It answers 404 when it finds no task, which is also its answer while others hold the rest.
        status, task = wire.call("GET", "/api/projects/1/next", fine=(404,))
        return (str(task["id"]), task["id"]) if status == 200 else None

    def submit(self, wire: Wire, item: Any, scores: Mapping[str, int]) -> bool:
        result = [
            {
                "from_name": criterion,
                "to_name": "candidate",
                "type": "rating",
                "value": {"rating": score},
            }
            for criterion, score in scores.items()
        ]
        body = {"result": result, "lead_time": 60.0}
        return wire.call("POST", f"/api/tasks/{item}/annotations/?project=1", body)[0] == 201


def environment_in(folder: Path) -> dict[str, str]:
    """Return the settings with which it keeps its data in a folder."""
    return {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "data"),
        # Nothing leaves this machine: no usage figures, no error reports, no version look-up.
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    }


def command_of(peers: Path, port: int) -> list[str]:
    """Return the command that serves it, installed now when it is not there."""
    program = environment_of("label-studio", peers) / "bin" / "label-studio"
    command = [str(program), "start", "--no-browser"]
    return [*command, "--internal-host", HOST, "--port", str(port)]


def measure_label_studio(scale: Scale, folder: Path, peers: Path) -> Figures:
    """Fill a fresh SQLite database, serve it with `label-studio start`, and drive it."""
    home = environment_of("label-studio", peers)
    package = next(home.glob("lib/python3*/site-packages/label_studio"))
    environment = clean_environment(environment_in(folder))
    inside = {"DJANGO_SETTINGS_MODULE": "core.settings.label_studio", "PYTHONPATH": str(package)}
    beside = helper(str(home / "bin" / "python"), "label_studio_database")
    tokens = ask(beside, environment | inside, "fill", *scale.arguments())["tokens"]
    port = free_port()
    with running(
        command_of(peers, port),
        is_ready=lambda: answers(port, "/health"),
        log=folder / "label-studio.log",
        environment=environment,
        folder=folder,
    ) as server:
        return drive(
            "Label Studio 1.23.2, SQLite",
            scale,
            server,
            [LabelStudioInterface() for _ in tokens],
            [Wire(port, {"Authorization": f"Token {token}"}) for token in tokens],
            warm_path="/api/projects/1/",
            count=lambda: Counted(**ask(beside, environment | inside, "count")),
        )
