"""Claims, comments and reasons go where they belong, and into no log, message, title or temp file.

A campaign is imported, rated, adjudicated, frozen, trained on, reported on and scored with by real
programs; then every place that is not theirs is searched for the canaries in its texts.
"""

import base64
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings as django_settings

from annotator.models import Campaign, Conflict
from core.jobs.rows import JobStatus
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, ScoreRequest, TrainingRun
from tests.conftest import grant, make_user
from tests.flows.programs import LONGEST_WAIT_SECONDS, Programs, wait_until
from tests.promises.harness import Caller, Tab, make_callers, rating_body
from tests.scoring.model_builders import promote

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
# Letters only: no escaping hides them. Each stands for one kind of text.
CANARIES: Final = tuple(
    f"zqcanary{kind}" for kind in ("reference", "candidate", "comment", "reason", "pasted", "bad")
)
PASSWORD: Final = "a password of this test"
# Unlike enough that each stays a reference of its own in a split.
THINGS: Final = (
    ("pump", "valve", "housing of cast iron", "moves water"),
    ("lens", "aperture", "ring of polymer", "bends light"),
    ("loom", "shuttle", "frame made of beech", "weaves thread"),
    ("antenna", "reflector", "mast that folds", "receives waves"),
    ("kettle", "spout", "lid with a whistle", "boils milk"),
    ("bicycle", "pedal", "chain without links", "carries riders"),
    ("printer", "nozzle", "tray for paper", "draws letters"),
    ("scalpel", "blade", "grip of rubber", "cuts tissue"),
)
THINGS_DO: Final = re.compile("|".join(does for *_, does in THINGS))
CRITERION: Final = "feature_completeness"
# Where the texts belong: the database, and datasets by their digest.
AT_HOME: Final = ("db.sqlite3", "test.sqlite3", "datasets")


@pytest.fixture
def programs(tmp_path: Path, settings: Any) -> Iterator[Programs]:
    (tmp_path / "logs").mkdir()
    (tmp_path / "temp").mkdir()
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir(mode=0o700)
    more = {"TMPDIR": str(tmp_path / "temp"), "DATA_DIR": str(tmp_path / "data")}
    found = Programs(tmp_path / "logs", LOG_FORMAT="json", **more)
    yield found
    found.end()


def claims_file(folder: Path) -> Path:
    lines = [
        {
            "reference_id": f"r-{thing}",
            "reference_claims": f"1. A {thing} with a {part}, a {CANARIES[0]} and a {more}, "
            f"which {does}.",
            "candidates": [
                {"candidate_id": "c0", "claims": f"1. A {thing} with a {CANARIES[1]} that {does}."},
                {"candidate_id": "c1", "claims": f"1. A {CANARIES[1]} seal and a {more}."},
                {"candidate_id": "c2", "claims": f"1. A {part} with a {CANARIES[1]}, {more}."},
            ],
        }
        for thing, part, more, does in THINGS
    ]
    path = folder / "claims.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def rate_all(callers: list[Caller], campaign: Campaign) -> None:
    """Both annotators rate everything; they disagree on one candidate of the first reference."""
    for number, caller in enumerate(callers):
        while (given := caller.take_next(campaign)).status == 200:
            is_poor = "seal" in given.body["candidate"]["claims"]
            apart = 5 * number if THINGS[0][0] in given.body["reference"]["claims"] else 0
            is_good = THINGS_DO.search(given.body["candidate"]["claims"])
            scores = [9, 8, 9, 8] if is_good else [6, 5, 6, 5]
            scores = [2 + apart, 3, 2, 3] if is_poor else scores
            body = rating_body(given.body["id"], scores, f"This {CANARIES[2]} is missing.")
            assert caller.submit(body, f"key-{given.body['id']}").status == 201


def rule(port: int, adjudicator: Any) -> None:
    tab, conflict = Tab(adjudicator, port), Conflict.objects.order_by("pk")[0]
    assert tab.post(f"/adjudication/{conflict.pk}/take/", {}).status in (302, 303)
    body = {"decision": "mean", "reason_code": "overlooked", "reason": f"The {CANARIES[3]}."}
    answer = tab.post(f"/adjudication/{conflict.pk}/", body | {"password": PASSWORD})
    assert answer.status in (302, 303), answer.body


def is_done(row: Any) -> bool:
    row.refresh_from_db()
    assert row.status not in (JobStatus.FAILED, JobStatus.CANCELLED), row.message
    return bool(row.status == JobStatus.SUCCEEDED)


def train_and_report(port: int, rita: Any) -> ModelVersion:
    tab, version = Tab(rita, port), DatasetVersion.objects.get()
    numbers = {"margin": "0.2", "tolerance": "0.05", "seed": "0"}
    asked = {"version": str(version.pk), "criterion": CRITERION}
    answer = tab.post("/runs/", asked | numbers)
    assert answer.status == 302, re.findall(r'class="error".*', answer.body)
    run = TrainingRun.objects.get()
    wait_until(lambda: is_done(run), "training")
    report = {"split": "train", "scorers": "rouge-1", "tie_threshold": "0.0001"}
    answer = tab.post("/reports/", asked | report)
    assert answer.status == 302, re.findall(r'class="error".*', answer.body)
    row = AgreementReport.objects.get()
    wait_until(lambda: is_done(row), "report")
    return ModelVersion.objects.get()


def score(port: int, rita: Any) -> None:
    texts = {"reference": f"1. A {CANARIES[4]}.", "candidate_1": f"1. A cup, {CANARIES[4]}."}
    assert Tab(rita, port).post("/score/", texts).status == 302
    request = ScoreRequest.objects.get()
    wait_until(lambda: is_done(request), "scores")


class Broker:
    """Every command that Redis gets meanwhile; messages are taken within milliseconds."""

    def __init__(self) -> None:
        import redis

        self.commands: list[str] = []
        self.client = redis.Redis.from_url(
            django_settings.CELERY_BROKER_URL, socket_timeout=LONGEST_WAIT_SECONDS
        )
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def _listen(self) -> None:
        with self.client.monitor() as monitor:
            while not self._over.is_set():
                self.commands.append(str(monitor.next_command()))

    def __enter__(self) -> "Broker":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.client.ping()
        self._thread.join(timeout=10)


def unpacked(commands: str) -> str:
    """Return the bodies of the messages, which Celery packs as base64."""
    bodies = re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", commands)
    return "\n".join(
        base64.b64decode(body, validate=False).decode("latin-1")
        for body in bodies
        if len(body) % 4 == 0
    )


def found_in(text: str) -> list[str]:
    return [canary for canary in CANARIES if canary in text]


def files_with_canaries(folder: Path) -> dict[str, list[str]]:
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and (hits := found_in(path.read_bytes().decode("latin-1"))):
            found[str(path.relative_to(folder))] = hits
    return found


def titles(pids: list[int]) -> str:
    """Return the command lines and titles of the programs and of their children."""
    parts = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            group = int((folder / "stat").read_text().rpartition(")")[2].split()[2])
            if group in pids:
                parts += [(folder / "cmdline").read_text(), (folder / "comm").read_text()]
        except (OSError, ValueError):
            continue
    return "\n".join(parts)


@pytest.mark.skipif(
    not django_settings.CELERY_BROKER_URL.startswith("redis:"), reason="listens to Redis"
)
def test_no_text_leaves_its_place_from_import_to_scores(programs: Programs, tmp_path: Path) -> None:
    campaign = Campaign.objects.create(slug="pumps", name="Pumps")
    rita = grant(make_user("rita"), campaign, "researcher")
    carol = grant(make_user("carol"), campaign, "adjudicator")
    carol.set_password(PASSWORD)
    carol.save()
    path = claims_file(tmp_path)
    with Broker() as broker:
        programs.run("import", "import_claims", str(path), "--campaign", "pumps", "--may-train=yes")
        path.unlink()
        port = programs.start_web("web")
        programs.start_worker("worker-web", "web")
        programs.start_worker("worker-gpu", "gpu")
        programs.start_sweeper()
        callers = make_callers(campaign, 2, port)
        rate_all(callers, campaign)
        # A mistake is logged, too.
        assert callers[0].call("POST", "/api/v1/ratings/", {"comment": CANARIES[5]}).status == 400
        rule(port, carol)
        programs.run("freeze", "freeze_dataset", "pumps", "--include-unlocked")
        model = train_and_report(port, rita)
        promote(model, rita)
        score(port, rita)
        shown = titles(programs.pids())
    assert "celery" in shown
    assert not found_in(shown)
    sent = "\n".join(broker.commands)
    assert "argsrepr" in sent
    assert '"chord": null' in unpacked(sent)
    assert not found_in(sent + unpacked(sent))
    assert '"route": "api:ratings"' in programs.log("web")
    assert files_with_canaries(programs.folder) == {}
    assert files_with_canaries(tmp_path / "temp") == {}
    stored = files_with_canaries(tmp_path / "data")
    elsewhere = {name for name in stored if name.partition("/")[0] not in AT_HOME}
    assert not elsewhere
    # The search finds what is there: the dataset holds the texts.
    assert any(name.startswith("datasets/") for name in stored)
