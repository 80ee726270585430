"""A site of one machine gets two more, as the install guide says it (Several machines)."""

import json
from pathlib import Path

import pytest

from tests.hosts.acts import N_GRAMS, promote, report, scores, train
from tests.hosts.conftest import Install
from tests.hosts.installation import HOSTS, ends
from tests.s3_servers import serving, store_settings

pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.exhaustive,
    pytest.mark.django_db(transaction=True),
]

PARTS = ("artefact store", "model files", "dataset files", "worker of queue gpu", "sweeper")


def test_a_site_of_one_machine_goes_on_as_one_of_three(install: Install, tmp_path: Path) -> None:
    hosts = install(is_alone=True)
    version = ends(hosts.freeze()).version
    model = train(hosts, version)
    promote(hosts, model)
    before = scores(hosts)
    hosts.end()
    with serving("rclone", tmp_path / "s3") as s3:
        bucket = s3.make_bucket()
        hosts.share(store_settings(bucket, s3.url))
        hosts.start()
        said = json.loads(hosts.run("web", "share_files", "--json"))
        assert said["files"] == len(s3.keys(bucket)) > 3
        assert report(hosts, version, *N_GRAMS, f"model:{model.pk}").result is not None
        # Scores of the model on the machine that did not train it, and of texts not scored there.
        assert scores(hosts) == before
        assert train(hosts, version) == model
        for host in HOSTS:
            hosts.run(host, "collectstatic", "--noinput", "--verbosity", "0")
            # It ends well, so nothing is missing.
            found = json.loads(hosts.run(host, "doctor", "--json"))["findings"]
            levels = {one["part"]: one["level"] for one in found}
            assert [levels[part] for part in PARTS] == ["ok"] * len(PARTS), host
