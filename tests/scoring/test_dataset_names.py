from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotator.models import Campaign
from scoring.access.scopes import NoSuchVersion, SeveralDatasets, find_version, versions_for
from scoring.datasets.versions.forms import ComparisonForm
from scoring.models import Dataset, DatasetVersion
from scoring.training.runs.forms import TrainingForm
from tests.conftest import grant, make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

CARD: dict[str, Any] = {"labels": {}, "splits": {}}


@pytest.fixture(autouse=True)
def datasets(cast) -> None:
    """Give each campaign a dataset of its short name, `mugs` and the other's short name."""
    for campaign in (cast.campaign, cast.elsewhere):
        for name in ("cups", "elsewhere", "mugs"):
            add_version(name, campaign)
    add_version("only", cast.campaign)
    add_version("published", None)


def add_version(name: str, campaign: Campaign | None) -> None:
    dataset = Dataset.objects.create(name=name, campaign=campaign)
    DatasetVersion.objects.create(dataset=dataset, number=1, sha256="0" * 64, items=3, card=CARD)


@pytest.mark.parametrize(
    ("name", "alone", "both"),
    [
        ("cups", "cups", "cups"),
        ("elsewhere", "cups.elsewhere", "elsewhere"),
        ("mugs", "cups.mugs", "several"),
        ("mugs@1", "cups.mugs", "several"),
        ("cups.mugs", "cups.mugs", "cups.mugs"),
        ("elsewhere.mugs@1", "none", "elsewhere.mugs"),
        ("elsewhere.elsewhere", "none", "elsewhere"),
        ("only", "only@1", "only@1"),
        ("published", "published", "published"),
        ("published@2", "none", "none"),
        ("elsewhere.none", "none", "none"),
        ("cups.", "none", "none"),
        ("a.b.c", "none", "none"),
        ("mugs@1\n", "none", "none"),
    ],
)
def test_a_name_means_a_dataset_that_the_person_may_see(cast, name, alone, both) -> None:
    seer = grant(make_user("seer"), cast.campaign, "researcher")
    assert resolved(name, seer) == alone.replace("only@1", "cups.only")
    grant(seer, cast.elsewhere, "researcher")
    assert resolved(name, seer) == both.replace("only@1", "cups.only")


def resolved(name: str, user: Any) -> str:
    try:
        return find_version(name, versions_for(user)).dataset.full_name
    except SeveralDatasets:
        return "several"
    except NoSuchVersion:
        return "none"


def test_rest_answers_to_each_full_name_and_to_no_other_campaigns(cast) -> None:
    client = Client()
    client.force_login(cast.rita)
    page = "/api/v1/datasets/{}/versions/1/"
    found = [row["full_name"] for row in client.get("/api/v1/datasets/").json()]
    own = [f"{name}@1" for name in ("cups.elsewhere", "cups.mugs", "cups.only", "cups")]
    assert sorted(found) == [*own, "published@1"]
    for name in found:
        assert client.get(page.format(name.removesuffix("@1"))).json()["full_name"] == name
    for name in ("elsewhere.mugs", "none.mugs"):
        answer = client.get(page.format(name))
        assert (answer.status_code, answer.json()) == (404, client.get(page.format("x.y")).json())
    grant(cast.rita, cast.elsewhere, "researcher")
    assert client.get(page.format("mugs")).status_code == 404
    sent = {"dataset": "mugs", "criterion": "conceptual_clarity"}
    refused = client.post("/api/v1/training-runs/", sent, content_type="application/json")
    assert refused.status_code == 400
    assert "cups.mugs, elsewhere.mugs" in refused.json()["dataset"][0]


def test_lists_say_the_full_name_where_two_have_one(cast) -> None:
    def choices() -> list[str]:
        field: Any = TrainingForm(cast.rita).fields["version"]
        return [str(label) for _, label in field.choices if "mugs" in label or "only" in label]

    assert choices() == ["mugs@1 (3 quadruplets)", "only@1 (3 quadruplets)"]
    grant(cast.rita, cast.elsewhere, "researcher")
    both = ["cups.mugs@1 (3 quadruplets)", "elsewhere.mugs@1 (3 quadruplets)"]
    assert sorted(choices()) == [*both, "only@1 (3 quadruplets)"]
    form = ComparisonForm(cast.rita, {"one": "mugs@1", "other": "cups.mugs@1"})
    assert not form.is_valid()
    assert form.errors == {
        "one": ["There are several datasets mugs; say which one: cups.mugs, elsewhere.mugs."]
    }


def test_a_command_lists_the_full_names(capsys) -> None:
    for name, words in (
        ("mugs", "which one: cups.mugs, elsewhere"),
        ("bowls", "cups.only, publis"),
    ):
        with pytest.raises(SystemExit):
            call_command("export_dataset", name)
        assert words in capsys.readouterr().err
