"""A web host and two workers that share PostgreSQL, Redis and a bucket, and no file."""

import json
from pathlib import Path

import pytest

from annotator.models import Reference
from scoring.models import DatasetVersion, Erasure, ErasureStatus
from tests.annotator.operations.conftest import key
from tests.conftest import make_user
from tests.flows.programs import wait_until
from tests.hosts.acts import N_GRAMS, a_large_file, holds, promote, report, scores, train
from tests.hosts.conftest import Install
from tests.hosts.installation import HOSTS, REFERENCES, ends
from tests.promises.fresh_host import fresh_host
from tests.s3_servers import bucket_settings, serving

__all__ = ["key"]
pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SERVERS = [pytest.param("rclone"), pytest.param("moto", marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize("kind", SERVERS)
def test_import_training_report_and_promotion_work_across_three_hosts(
    install: Install, kind: str, key: tuple[str, Path], tmp_path: Path
) -> None:
    with serving(kind, tmp_path / "s3") as s3:
        hosts = install(bucket_settings(s3.make_bucket(), s3.url))
        imported = hosts.client("ada").import_claims("trial", a_large_file())
        assert (imported["status"], Reference.objects.count()) == ("succeeded", REFERENCES + 400)
        version = ends(hosts.freeze()).version
        model = train(hosts, version)
        name = f"model:{model.pk}"
        figures = report(hosts, version, *N_GRAMS, name).result
        assert figures is not None
        assert not any(figures["scorers"][one]["unavailable"] for one in (*N_GRAMS, name))
        promote(hosts, model)
        better, worse = scores(hosts)
        assert better > worse
        # Each host has what it needed, and the bucket all of it.
        assert len({tuple(hosts.files(host)) for host in HOSTS}) == len(HOSTS)
        hosts.run("web", "backup", str(tmp_path / "one.backup"), "--recipient", key[0])


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["rclone", "moto"])
def test_a_backup_of_one_host_has_the_files_of_all_and_fills_another_bucket(
    install: Install, kind: str, key: tuple[str, Path], tmp_path: Path
) -> None:
    with serving(kind, tmp_path / "s3") as s3:
        hosts = install(bucket_settings(s3.make_bucket(), s3.url))
        train(hosts, ends(hosts.freeze()).version)
        sealed, (public, private) = tmp_path / "one.backup", key
        hosts.run("web", "backup", str(sealed), "--recipient", public)
        with fresh_host(tmp_path / "fresh") as fresh:
            fresh.env.update(bucket_settings(s3.make_bucket(), s3.url))
            fresh.restore(sealed, private)
            found = json.loads(fresh.command("doctor", "--json").stdout)["findings"]
        levels = {one["part"]: one["level"] for one in found}
        parts = ("bucket", "model files", "dataset files")
        assert [levels[part] for part in parts] == ["ok", "ok", "ok"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["rclone", "moto"])
def test_an_erased_reference_is_gone_from_the_bucket_and_from_every_host(
    install: Install, kind: str, tmp_path: Path
) -> None:
    canary = "zqcanarywords"
    with serving(kind, tmp_path / "s3") as s3:
        bucket = s3.make_bucket()
        hosts = install(bucket_settings(bucket, s3.url))
        reference = Reference.objects.get(reference_id="r1")
        claims = f"{reference.claims} 2. A {canary}."
        Reference.objects.filter(pk=reference.pk).update(claims=claims)
        version = ends(hosts.freeze()).version
        train(hosts, version)
        report(hosts, version, *N_GRAMS)
        for host in HOSTS:
            assert holds(hosts.data[host], canary.encode()), host
        assert any(version.sha256 in name for name in s3.keys(bucket))
        hosts.tab("ada").post(
            f"/datasets/references/{reference.pk}/erase/", {"reason": "asked by its owner"}
        )
        boss, erasure = make_user("boss", is_superuser=True), Erasure.objects.get()
        hosts.tab(boss).post(f"/erasures/{erasure.pk}/agree/", {"is_aware": "on"})

        def is_gone() -> bool:
            erasure.refresh_from_db()
            hosts.tab("rita").get("/datasets/")
            return erasure.status == ErasureStatus.DONE and not any(
                holds(hosts.data[host], canary.encode()) for host in HOSTS
            )

        wait_until(is_gone, "an erasure on every host")
        assert not any(version.sha256 in name for name in s3.keys(bucket))
        assert DatasetVersion.objects.get().sha256 == version.sha256
