"""The Helm chart in deploy/ renders what Kubernetes accepts, closed where it has to be."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import pytest
import yaml

from core.environment import SECRETS
from core.jobs.queues import Queues
from tests.guards.conftest import ROOT

CHART: Final = ROOT / "deploy" / "chart"
# The oldest that the chart says it runs on, and the newest whose schema is there.
VERSIONS: Final = ("1.27", kubernetes_validate.latest_version())
PROGRAMS: Final = ("web", *(f"worker-{queue.value}" for queue in Queues), "sweeper")
DIGEST: Final = "@sha256:" + "a" * 64
PROXY: Final = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "proxy"}}}


def address(last: int) -> dict[str, Any]:
    return {"peers": [{"ipBlock": {"cidr": f"10.1.2.{last}/32"}}]}


LEAST: Final[dict[str, Any]] = {
    "images": {name: f"images.example.org/{name}{DIGEST}" for name in ("web", "models")},
    "siteNames": ["claims.example.org"],
    "network": {"from": [PROXY], "to": {"database": address(3), "broker": address(4)}},
}
MAIL: Final = address(5) | {"ports": [587], "programs": ["worker-web"]}
FULL: Final[dict[str, Any]] = LEAST | {
    "imagePullSecrets": ["images"],
    "settings": {"ARTEFACT_STORE": "s3://claims/site", "PRIVATE_HOSTS": "db,redis", "PORT": 1},
    "secretFiles": {"ARTEFACT_STORE_SECRET": "store_secret"},
    "network": {"from": [PROXY], "to": LEAST["network"]["to"] | {"mail": MAIL}},
    "workers": {
        "web": {"replicas": 2, "most": 6},
        "gpu": {"most": 3, "gpus": 1, "placement": {"nodeSelector": {"card": "yes"}}},
    },
    "backup": {"recipient": "age1qqqq"},
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "site-tls"},
    "monitoring": {"enabled": True, "labels": {"release": "prometheus"}},
}
Objects = dict[tuple[str, str], dict[str, Any]]


def answers(*values: dict[str, Any]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("rendered_chart.py")), str(CHART)],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == len(values)
    return found


@pytest.fixture(scope="module")
def rendered() -> list[dict[str, Any]]:
    return answers(LEAST, FULL)


def objects(answer: dict[str, Any]) -> Objects:
    documents = (
        document
        for name, text in answer["files"].items()
        if not name.endswith(".txt")
        for document in yaml.safe_load_all(text)
        if document
    )
    return {(one["kind"], one["metadata"]["name"]): one for one in documents}


@pytest.fixture(scope="module")
def least(rendered) -> Objects:
    return objects(rendered[0])


@pytest.fixture(scope="module")
def full(rendered) -> Objects:
    return objects(rendered[1])


def pods(found: Objects) -> Iterator[tuple[str, dict[str, Any]]]:
    for (kind, name), one in found.items():
        if kind in ("Deployment", "Job", "CronJob"):
            spec = one["spec"]["jobTemplate"]["spec"] if kind == "CronJob" else one["spec"]
            yield name.removeprefix("site-"), spec["template"]


def containers(found: Objects) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for name, pod in pods(found):
        (container,) = pod["spec"]["containers"]
        yield name, container, pod["spec"]


@pytest.mark.parametrize("version", VERSIONS)
def test_helm_has_no_fault_to_find_and_kubernetes_accepts_all(rendered, version) -> None:
    for answer in rendered:
        assert answer["faults"] == []
        for (kind, _), document in objects(answer).items():
            if kind not in ("ServiceMonitor", "PrometheusRule"):  # of Prometheus' operator
                kubernetes_validate.validate(document, version, strict=True)


def test_the_chart_asks_for_the_oldest_version_that_it_is_tried_with() -> None:
    asked = yaml.safe_load((CHART / "Chart.yaml").read_text())["kubeVersion"]
    assert asked == f">={VERSIONS[0]}.0-0"


def test_every_program_runs_as_compose_runs_it(least) -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    commands = {name: container["command"] for name, container, _ in containers(least)}
    assert set(commands) == {*PROGRAMS, "migrate"}
    for name in PROGRAMS:
        assert commands[name] == services[name]["command"], name


def test_every_container_is_without_rights_and_within_limits(full) -> None:
    found = list(containers(full))
    assert {name for name, *_ in found} == {*PROGRAMS, "migrate", "backup"}
    for name, container, pod in found:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        assert container["resources"]["limits"]["memory"], name
        assert container["image"].endswith(DIGEST), name
        lives = {"startupProbe", "livenessProbe"} <= set(container)
        assert lives == (name in PROGRAMS), name
        assert "hostPath" not in str(pod["volumes"]), name


def test_the_user_is_that_of_the_image(least) -> None:
    users = re.findall(r"--uid (\d+)", (ROOT / "deploy" / "Dockerfile").read_text())
    of_pods = {str(pod["securityContext"]["runAsUser"]) for *_, pod in containers(least)}
    assert of_pods == set(users)


def test_secrets_are_files_and_the_owners_address_is_for_its_programs(full) -> None:
    for name, container, pod in containers(full):
        given = {entry["name"]: entry.get("value") for entry in container["env"]}
        assert not set(SECRETS) & set(given), name
        files = {
            n.removesuffix("_FILE"): value for n, value in given.items() if n.endswith("_FILE")
        }
        del files["SIGN_OF_LIFE"]
        assert {"SECRET_KEY", "DATABASE_URL", "ARTEFACT_STORE_SECRET"} <= set(files)
        (secret,) = (one["secret"] for one in pod["volumes"] if one["name"] == "secrets")
        assert secret["defaultMode"] == 0o440
        keys = {item["path"]: item["key"] for item in secret["items"]}
        assert set(files.values()) == {f"/run/secrets/workbench/{path}" for path in keys}
        owner = name in ("migrate", "sweeper")
        assert keys["database_url"] == ("database_owner_url" if owner else "database_url"), name
        written = "chown 10001 secret_key metrics_token database_url database_owner_url broker_url"
        assert written in (ROOT / "deploy" / "make-secrets").read_text()


def test_nothing_is_reached_but_what_is_named_and_by_whom_it_is_named_for(full) -> None:
    policies = {name: one["spec"] for (kind, name), one in full.items() if kind == "NetworkPolicy"}
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(full)}
    assert set(policies) == {f"site-{name}" for name in labels}
    for name, of_pod in labels.items():
        policy = policies[f"site-{name}"]
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        assert policy["podSelector"]["matchLabels"].items() <= of_pod.items()
        ways = {
            (port["port"], str(peer)) for way in policy["egress"] for port in way["ports"]
            for peer in way["to"]
        }  # fmt: skip
        assert {port for port, _ in ways} == {53, 5432, 6379} | (
            {587} if name == "worker-web" else set()
        )
        assert (5432, str(address(3)["peers"][0])) in ways
        assert policy.get("ingress") == (
            [{"from": [PROXY], "ports": [{"port": 8000, "protocol": "TCP"}]}]
            if name == "web"
            else None
        )


def test_tables_are_migrated_before_anything_of_a_release_starts(least) -> None:
    hooks = {
        key: one["metadata"]["annotations"]["helm.sh/hook"]
        for key, one in least.items()
        if "helm.sh/hook" in one["metadata"].get("annotations", {})
    }
    # Its way to the database is opened first.
    assert set(hooks) == {("Job", "site-migrate"), ("NetworkPolicy", "site-migrate")}
    assert set(hooks.values()) == {"pre-install,pre-upgrade"}
    (job,) = (pod["spec"] for name, pod in pods(least) if name == "migrate")
    assert "persistentVolumeClaim" not in str(job["volumes"])


def test_one_sweeper_at_a_time_and_always_a_web_server(least) -> None:
    sweeper = least["Deployment", "site-sweeper"]["spec"]
    assert (sweeper["replicas"], sweeper["strategy"]) == (1, {"type": "Recreate"})
    web = least["Deployment", "site-web"]["spec"]
    assert web["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    budget = least["PodDisruptionBudget", "site-web"]["spec"]
    assert budget["maxUnavailable"] < web["replicas"]
    assert budget["selector"] == web["selector"]


def test_workers_follow_the_figure_of_their_queue_and_else_their_number(least, full) -> None:
    scalers = {
        name: one["spec"] for (kind, name), one in full.items() if kind == "HorizontalPodAutoscaler"
    }
    assert set(scalers) == {f"site-worker-{queue.value}" for queue in Queues}
    for queue in Queues:
        name = f"site-worker-{queue.value}"
        metric = scalers[name]["metrics"][0]["external"]["metric"]
        assert metric == {
            "name": "workbench_unfinished_jobs",
            "selector": {"matchLabels": {"queue": queue.value}},
        }
        # A number there would undo at each upgrade what the scaler chose.
        assert "replicas" not in full["Deployment", name]["spec"]
        assert least["Deployment", name]["spec"]["replicas"] == 1
    assert (
        scalers["site-worker-web"]["minReplicas"],
        scalers["site-worker-web"]["maxReplicas"],
    ) == (
        2,
        6,
    )
    assert not [kind for kind, _ in least if kind == "HorizontalPodAutoscaler"]
    (gpu,) = (one for name, one, _ in containers(full) if name == "worker-gpu")
    assert gpu["resources"]["limits"]["nvidia.com/gpu"] == 1


def test_files_lie_in_one_volume_or_in_a_store_with_a_cache_each(least, full) -> None:
    def data(found: Objects, program: str) -> dict[str, Any]:
        (pod,) = (one["spec"] for name, one in pods(found) if name == program)
        return next(volume for volume in pod["volumes"] if volume["name"] == "data")

    for program in PROGRAMS:
        assert data(least, program)["persistentVolumeClaim"] == {"claimName": "site-data"}
        assert data(full, program)["emptyDir"] == {"sizeLimit": "40Gi"}
    claim = least["PersistentVolumeClaim", "site-data"]
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert ("PersistentVolumeClaim", "site-data") not in full
    (web,) = (one for name, one, _ in containers(full) if name == "web")
    cache = next(one["value"] for one in web["env"] if one["name"] == "ARTEFACT_CACHE_BYTES")
    assert cache == str(20 * 2**30)


def test_the_backup_does_what_systemd_has_it_do(full, tmp_path) -> None:
    (backup,) = (one for name, one, _ in containers(full) if name == "backup")
    shell, option, script, recipient = backup["command"]
    assert (shell, recipient) == ("sh", "age1qqqq")
    unit = (ROOT / "deploy" / "systemd" / "workbench-backup.service").read_text()
    assert "-delete" in script
    assert "-delete" in unit
    (tmp_path / "python").write_text('#!/bin/sh\nprintf "%s " "$@" > asked\n')
    (tmp_path / "python").chmod(0o700)
    (tmp_path / "old.backup").touch()
    subprocess.run(["touch", "-d", "91 days ago", tmp_path / "old.backup"], check=True)
    (tmp_path / "new.backup").touch()
    subprocess.run(
        [shell, option, script.replace("/backups", "."), recipient],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "BACKUP_KEEP_DAYS": "90"},
        cwd=tmp_path,
        check=True,
    )
    asked = (tmp_path / "asked").read_text()
    assert re.fullmatch(
        r"manage.py backup \./[-0-9]{10}T[0-9]{6}Z\.backup --recipient age1qqqq ", asked
    )
    assert {path.name for path in tmp_path.glob("*.backup")} == {"new.backup"}


def test_alerts_and_dashboard_are_those_of_the_files(full, least) -> None:
    alerts = yaml.safe_load((ROOT / "deploy" / "monitoring" / "alerts.yaml").read_text())
    rule = full["PrometheusRule", "site"]
    assert rule["spec"] == alerts
    assert rule["metadata"]["labels"]["release"] == "prometheus"
    board = full["ConfigMap", "site-dashboard"]["data"]["workbench.json"]
    assert board == (ROOT / "deploy" / "monitoring" / "dashboard.json").read_text()
    assert full["ServiceMonitor", "site"]["spec"]["endpoints"][0]["path"] == "/metrics"
    assert not {"PrometheusRule", "ServiceMonitor", "ConfigMap", "Ingress"} & {k for k, _ in least}


WRONG: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "a tag, which may be another image tomorrow": (
        {"images": {"web": "workbench:latest"}},
        "at '/images/web': 'workbench:latest' does not match pattern",
    ),
    "no name": ({"siteNames": []}, "at '/siteNames': minItems: got 0, want 1"),
    "nobody who may come": (
        {"network": {"from": []}},
        "at '/network/from': minItems: got 0, want 1",
    ),
    "a database that may be anywhere": (
        {"network": {"to": {"database": {"peers": []}}}},
        "at '/network/to/database/peers': minItems: got 0, want 1",
    ),
    "no worker": (
        {"workers": {"gpu": {"replicas": 0}}},
        "at '/workers/gpu/replicas': minimum: got 0, want 1",
    ),
    "a number in words": ({"web": {"replicas": "two"}}, "got string, want integer"),
    "a misspelt key": ({"sweper": {}}, "additional properties 'sweper' not allowed"),
    "a queue of their own": (
        {"workers": {"more": {}}},
        "at '/workers': additional properties 'more' not allowed",
    ),
    "no limit": (
        {"sweeper": {"resources": {"limits": {"memory": None}}}},
        "at '/sweeper/resources/limits': missing property 'memory'",
    ),
    "a store that is none": (
        {"settings": {"ARTEFACT_STORE": "https://store"}},
        "at '/settings/ARTEFACT_STORE': 'https://store' does not match pattern '^s3://.'",
    ),
    "a page without TLS": (
        {"ingress": {"enabled": True}},
        "at '/ingress/tlsSecret': '' does not match pattern",
    ),
    "a secret among the settings": (
        {"settings": {"METRICS_TOKEN": "x"}},
        "settings.METRICS_TOKEN is a secret: put it into the Secret workbench, and its key there "
        "under secretFiles.METRICS_TOKEN",
    ),
}


def merged(values: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return values | {
        name: merged(values.get(name, {}), value) if isinstance(value, dict) else value
        for name, value in more.items()
    }


def test_a_wrong_value_is_refused_by_a_sentence_that_says_where() -> None:
    found = answers(*(merged(LEAST, values) for values, _ in WRONG.values()))
    for (about, (_, sentence)), answer in zip(WRONG.items(), found, strict=True):
        assert sentence in answer.get("refused", ""), about


def test_no_secret_of_the_project_passes_as_a_setting() -> None:
    names = sorted({*SECRETS, "OIDC_ENTRA_CLIENT_SECRET", "BACKUP_PASSPHRASE"})
    for name, answer in zip(
        names, answers(*(merged(LEAST, {"settings": {name: "x"}}) for name in names)), strict=True
    ):
        assert f"settings.{name} is a secret" in answer.get("refused", ""), name


def test_values_that_are_not_filled_in_are_refused_all_at_once() -> None:
    (answer,) = answers({})
    for place in ("images/web", "images/models", "siteNames", "network/from"):
        assert f"at '/{place}'" in answer["refused"]
