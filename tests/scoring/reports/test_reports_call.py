"""Reports over REST: asked once, followed, read, saved, cancelled, each by who may."""

import json
from typing import Any

import pytest
from django.test import Client

from annotator.models import Campaign, Role, User
from scoring.models import AgreementReport, DatasetVersion
from scoring.reports import services as reports_services
from scoring.reports.files import canonical_json, csv_table
from scoring.reports.queries import ordered_result
from scoring.reports.work import carry_out_report

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"
BODY = {"dataset": "tiny", "criterion": CRITERION, "scorers": ["length"], "split": "all"}
REPORTS = "/api/v1/reports/"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, body: object) -> tuple[int, Any]:
    answer = client.post(path, json.dumps(body), content_type="application/json")
    return answer.status_code, answer.json()


@pytest.fixture
def own(cast: Any, version: DatasetVersion) -> DatasetVersion:
    """Give the dataset to the campaign of the cast."""
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


def done(cast: Any) -> str:
    """Have rita ask for a report, carry it out, and return its address."""
    _, report = post(signed_in(cast.rita), REPORTS, BODY)
    carry_out_report(report["id"])
    return f"{REPORTS}{report['id']}/"


def test_a_report_is_queued_followed_and_read(cast: Any, version: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    status, report = post(rita, REPORTS, BODY)
    assert (status, report["status"]) == (202, "queued")
    assert (report["stage"], report["done"], report["total"]) == ("", 0, 0)
    carry_out_report(report["id"])
    read = rita.get(f"{REPORTS}{report['id']}/").json()
    assert (read["status"], read["progress"]) == ("succeeded", 1.0)
    assert (read["done"], read["total"]) == (72, 72)
    assert set(read["scorers"]) == {"length"}
    assert read["scorers"]["length"]["tau_b"].keys() >= {"value", "low", "high"}


def test_the_same_question_is_answered_by_the_same_report(
    cast: Any, version: DatasetVersion
) -> None:
    rita = signed_in(cast.rita)
    _, first = post(rita, REPORTS, BODY)
    status, again = post(rita, REPORTS, BODY | {"tie_threshold": 0.0001, "seed": 0})
    assert (status, again["id"]) == (200, first["id"])
    carry_out_report(first["id"])
    assert post(rita, REPORTS, BODY)[0] == 200
    assert post(rita, REPORTS, BODY | {"seed": 1})[0] == 202
    assert [row["seed"] for row in rita.get(REPORTS).json()] == [1, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"scorers": []},
        {"scorers": "length"},
        {"scorers": ["bleu-9"]},
        {"scorers": ["model:1"]},
        {"scorers": [1]},
        {"split": "half"},
        {"tie_threshold": -1},
        {"tie_threshold": "0"},
        {"tie_threshold": True},
        {"criterion": 7},
        {"criterion": "overall_quality", "split": "test"},
        {"resamples": 1},
        {"resamples": 200.0},
        {"seed": -1},
        {"seed": "1"},
        {"dataset": "nothing"},
        {"systems_shown": True},
    ],
)
def test_a_bad_request_is_a_400_by_field(
    cast: Any, version: DatasetVersion, wrong: dict[str, Any]
) -> None:
    status, answer = post(signed_in(cast.rita), REPORTS, BODY | wrong)
    assert status == 400, answer
    assert set(answer) <= set(wrong)
    assert answer
    assert not AgreementReport.objects.exists()


def test_a_tie_threshold_that_is_no_number_is_refused(cast: Any, version: DatasetVersion) -> None:
    body = json.dumps(BODY | {"tie_threshold": float("nan")})
    answer = signed_in(cast.rita).post(REPORTS, body, content_type="application/json")
    assert answer.status_code == 400
    assert not AgreementReport.objects.exists()


def test_too_many_waiting_reports_are_a_429(
    cast: Any, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports_services, "MOST_UNFINISHED", 1)
    rita = signed_in(cast.rita)
    assert post(rita, REPORTS, BODY)[0] == 202
    assert post(rita, REPORTS, BODY | {"seed": 1})[0] == 429


def test_a_report_is_saved_in_each_format(cast: Any, own: DatasetVersion) -> None:
    rita, address = signed_in(cast.rita), done(cast)
    found = {name: rita.get(address, {"format": name}) for name in ("json", "csv", "latex", "html")}
    assert {answer.status_code for answer in found.values()} == {200}
    assert "attachment" in found["csv"]["Content-Disposition"]
    assert found["json"].content == rita.get(address, {"format": "json"}).content
    document = json.loads(found["json"].content)
    assert list(document) == sorted(document)
    ordered = ordered_result(AgreementReport.objects.get())
    assert ordered is not None
    assert canonical_json(ordered) == found["json"].content
    assert found["csv"].content.decode() == csv_table(ordered)
    assert b"tabular" in found["latex"].content
    assert b"<script" not in found["html"].content


@pytest.mark.parametrize("name", ["xml", "api", "", "CSV"])
def test_an_unknown_format_is_a_400_with_a_message(
    cast: Any, own: DatasetVersion, name: str
) -> None:
    answer = signed_in(cast.rita).get(done(cast), {"format": name})
    assert answer.status_code == 400
    assert "json" in answer.json()["format"][0]


def test_a_report_without_figures_has_no_file(cast: Any, version: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    _, report = post(rita, REPORTS, BODY)
    assert rita.get(f"{REPORTS}{report['id']}/?format=csv").status_code == 409


def test_a_report_is_cancelled_once(cast: Any, version: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    _, report = post(rita, REPORTS, BODY)
    status, cancelled = post(rita, f"{REPORTS}{report['id']}/cancel/", {})
    assert (status, cancelled["status"]) == (202, "cancelled")
    assert post(rita, f"{REPORTS}{report['id']}/cancel/", {})[0] == 409


def test_readers_read_what_is_finished_and_start_nothing(cast: Any, own: DatasetVersion) -> None:
    reader = User.objects.create(username="reader")
    reader.memberships.create(campaign=cast.campaign, role=Role.READER)
    client = signed_in(reader)
    _, waiting = post(signed_in(cast.rita), REPORTS, BODY | {"seed": 9})
    address = done(cast)
    assert client.get(address).json()["scorers"]["length"]
    assert client.get(address, {"format": "csv"}).status_code == 200
    assert [row["seed"] for row in client.get(REPORTS).json()] == [0]
    assert client.get(f"{REPORTS}{waiting['id']}/").status_code == 404
    assert post(client, f"{address}cancel/", {})[0] == 403
    assert post(client, REPORTS, BODY)[0] in {400, 403}
    assert AgreementReport.objects.count() == 2


def test_a_reader_of_another_campaign_finds_nothing(cast: Any, own: DatasetVersion) -> None:
    stranger = User.objects.create(username="stranger")
    stranger.memberships.create(campaign=cast.elsewhere, role=Role.READER)
    assert signed_in(stranger).get(done(cast)).status_code == 404
    assert signed_in(stranger).get(REPORTS).json() == []


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN, Role.READER])
def test_who_rates_in_the_open_campaign_reads_no_report_on_it(
    cast: Any, own: DatasetVersion, role: Role
) -> None:
    address = done(cast)
    both = User.objects.create(username="both")
    for one in (role, Role.ANNOTATOR):
        both.memberships.create(campaign=cast.campaign, role=one)
    client = signed_in(both)
    assert client.get(address).status_code == 404
    assert client.get(REPORTS).json() == []
    if role == Role.RESEARCHER:
        assert post(client, REPORTS, BODY)[0] == 403
    Campaign.objects.update(status="closed")
    assert client.get(address).status_code == 200


def test_admins_read_reports_and_ask_for_none(cast: Any, own: DatasetVersion) -> None:
    ada = signed_in(cast.ada)
    assert ada.get(done(cast)).status_code == 200
    assert post(ada, REPORTS, BODY | {"seed": 4})[0] == 403
