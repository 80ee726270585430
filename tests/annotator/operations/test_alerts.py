"""Each alert of deploy/monitoring fires by its fault alone; the dashboard asks for what is there.

Prometheus' own tool works them out, for figures as the site gives them.
"""

import json
import re
import shutil
import subprocess
from collections import namedtuple
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from annotator.models import SWEEPER, Backup, Presence, ReliabilityReport, User
from annotator.operations.health import checks
from annotator.operations.presences import report_presence
from core.jobs.queues import Queues
from tests.conftest import signed_in

MONITORING: Final = Path(__file__).parents[3] / "deploy" / "monitoring"
RULES: Final = MONITORING / "alerts.yaml"
PROMTOOL: Final = shutil.which("promtool")
# As `make test` runs it beside services, and has apt install what is missing.
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgres,
    pytest.mark.skipif(PROMTOOL is None, reason="no promtool (apt-get install prometheus)"),
]
MINUTES: Final = 120
Disk = namedtuple("Disk", "total used free")
Figures = Callable[[], dict[str, float]]


@pytest.fixture
def scrape(db: None) -> Figures:
    """Return the figures by name with labels, as Prometheus writes a series."""
    boss = signed_in(User.objects.create(username="boss", is_superuser=True))

    def found() -> dict[str, float]:
        text = boss.get("/metrics").content.decode()
        families = text_string_to_metric_families(text)
        return {
            f"{sample.name}{{{_labels(sample.labels)}}}": sample.value
            for family in families
            for sample in family.samples
        }

    return found


def _labels(labels: dict[str, str]) -> str:
    return ",".join(f"{name}={json.dumps(value)}" for name, value in labels.items())


@pytest.fixture
def well(monkeypatch: Any) -> None:
    """Have everything as it should be."""
    use_disk(monkeypatch, free=50)
    report_presence(name="all", works=[*Queues, SWEEPER])
    back_up(hours=25)


def use_disk(monkeypatch: Any, *, free: float, total: float = 100) -> None:
    disk = Disk(int(total * 2**30), int((total - free) * 2**30), int(free * 2**30))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)


def back_up(*, hours: float) -> None:
    made_at = timezone.now() - timedelta(hours=hours)
    Backup.objects.all().delete()
    Backup.objects.create(
        made_at=made_at, delete_by=made_at.date(), file_sha256="0" * 64, file_bytes=1
    )


def series(first: dict[str, float], last: dict[str, float] | None = None) -> list[dict[str, str]]:
    """Return two hours in which each figure stays, or grows each minute by what it grew."""
    found = []
    for name, value in (last or first).items():
        text = "Inf " * MINUTES if value == float("inf") else None
        growth = value - first.get(name, 0)
        found.append({"series": name, "values": text or f"{value:f}+{growth:f}x{MINUTES}"})
    return found


def promtool(folder: Path, *rest: str) -> None:
    done = subprocess.run(
        [str(PROMTOOL), *rest], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def assert_fires(folder: Path, given: list[dict[str, str]], *alerts: str) -> None:
    """Have exactly these fire in the last minute of the series."""
    asked = {
        "expr": 'group by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": f"{MINUTES - 1}m",
        "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in alerts],
    }
    case = {"interval": "1m", "input_series": given, "promql_expr_test": [asked]}
    test = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [case]}
    (folder / "test.yaml").write_text(yaml.safe_dump(test))
    promtool(folder, "test", "rules", "test.yaml")


def test_a_site_that_is_well_raises_no_alert(well, scrape, tmp_path) -> None:
    assert_fires(tmp_path, series(scrape()))


def test_no_figures_raise_an_alert(tmp_path) -> None:
    assert_fires(tmp_path, [], "WorkbenchUnseen")


@pytest.mark.parametrize("work", [*Queues, SWEEPER])
def test_a_program_that_does_not_live_raises_an_alert(well, scrape, tmp_path, work) -> None:
    Presence.objects.filter(work=str(work)).delete()
    assert_fires(tmp_path, series(scrape()), "WorkbenchNoWorker")


def test_a_broker_that_is_away_raises_an_alert(well, scrape, tmp_path, monkeypatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr("config.celery.app.connection_for_write", away)
    assert_fires(tmp_path, series(scrape()), "WorkbenchBrokerAway")


@pytest.mark.parametrize(("minutes", "alerts"), [(55, []), (70, ["WorkbenchQueueOld"])])
def test_a_job_that_waits_for_too_long_raises_an_alert(
    well, cast, scrape, tmp_path, minutes, alerts
) -> None:
    since = timezone.now() - timedelta(minutes=minutes)
    ReliabilityReport.objects.create(campaign=cast.campaign, due_at=since)
    assert_fires(tmp_path, series(scrape()), *alerts)


@pytest.mark.parametrize("changed", [{"attempt": 2}, {"lease_until": timezone.now()}])
def test_a_job_that_its_worker_lost_raises_an_alert(well, cast, scrape, tmp_path, changed) -> None:
    given = {"status": "running", "attempt": 1, "lease_until": timezone.now() + timedelta(hours=1)}
    ReliabilityReport.objects.create(campaign=cast.campaign, **given | changed)
    assert_fires(tmp_path, series(scrape()), "WorkbenchLeaseLapsed")


@pytest.mark.parametrize(("free", "total"), [(0.9, 10), (40, 1000)])
def test_a_disk_that_is_nearly_full_raises_an_alert(
    well, scrape, tmp_path, monkeypatch, free, total
) -> None:
    use_disk(monkeypatch, free=free, total=total)
    assert_fires(tmp_path, series(scrape()), "WorkbenchDiskFull")


def test_disk_alerts_begin_where_the_doctor_warns() -> None:
    expression = next(rule["expr"] for rule in rules() if rule["alert"] == "WorkbenchDiskFull")
    limits = re.findall(r"< ([\d.]+)", expression)
    assert limits == [str(checks.LEAST_FREE), str(checks.LEAST_SHARE)]


@pytest.mark.parametrize("hours", [27, None])
def test_a_backup_that_is_old_or_was_never_made_raises_an_alert(
    well, scrape, tmp_path, hours
) -> None:
    Backup.objects.all().delete()
    if hours:
        back_up(hours=hours)
    assert_fires(tmp_path, series(scrape()), "WorkbenchBackupOld")


def test_errors_of_the_server_raise_an_alert(well, scrape, tmp_path, monkeypatch) -> None:
    before = scrape()
    client = Client(raise_request_exception=False)
    target = "annotator.operations.health.views.waiting_migrations"
    with monkeypatch.context() as broken:
        broken.setattr(target, lambda: 1 // 0)
        assert client.get("/readyz").status_code == 500
    assert client.get("/readyz").status_code == 200
    assert_fires(tmp_path, series(before, scrape()), "WorkbenchErrors")


def rules() -> list[dict[str, Any]]:
    return [
        rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
    ]


def test_every_alert_is_tried_by_a_fault_and_says_what_to_do() -> None:
    tried = set(re.findall(r'"(Workbench[A-Z]\w+)"', Path(__file__).read_text()))
    assert tried == {rule["alert"] for rule in rules()}
    for rule in rules():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def test_the_guide_names_each_alert() -> None:
    guide = (MONITORING.parents[1] / "docs" / "admin.md").read_text()
    assert re.findall(r"^\| `(Workbench\w+)` \|", guide, re.M) == [
        rule["alert"] for rule in rules()
    ]


def test_the_dashboard_asks_for_figures_that_the_site_gives(well, scrape, tmp_path) -> None:
    board = json.loads((MONITORING / "dashboard.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    given = {name.partition("{")[0] for name in scrape()}
    named = {name for query in asked for name in re.findall(r"workbench_\w+", query)}
    assert named <= given
    # Every figure of the site has its place, but for when its counting began.
    assert {name for name in given if not name.endswith("_created")} - named == set()
    # Grafana puts a time in; Prometheus reads each as the rule of a new figure.
    written = [query.replace("$__rate_interval", "5m") for query in asked]
    recorded = [{"record": f"asked:{at}", "expr": query} for at, query in enumerate(written)]
    groups = {"groups": [{"name": "asked", "rules": recorded}]}
    (tmp_path / "asked.yaml").write_text(yaml.safe_dump(groups))
    promtool(tmp_path, "check", "rules", "asked.yaml")
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
