"""Reports over REST: asked once, followed, read, saved, cancelled, each by who may."""

import json
from typing import Any

import pytest
from django.test import Client

from annotator.models import Campaign, Role
from scoring.models import AgreementReport
from scoring.reports.files import canonical_json, csv_table
from scoring.reports.queries import ordered_result
from scoring.reports.work import carry_out_report
from tests.conftest import grant, make_user
from tests.scoring.conftest import signed_in

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"
BODY = {"dataset": "tiny", "criterion": CRITERION, "scorers": ["length"], "split": "all"}
REPORTS = "/api/v1/reports/"


def post(client: Client, path: str = REPORTS, **more: object) -> tuple[int, Any]:
    """Return the status of what is answered to the usual question with these changes."""
    answer = client.post(path, json.dumps(BODY | more), content_type="application/json")
    return answer.status_code, answer.json()


def done(rita: Client) -> str:
    """Have rita ask for a report, carry it out, and return its address."""
    _, report = post(rita)
    carry_out_report(report["id"])
    return f"{REPORTS}{report['id']}/"


def test_a_report_is_queued_followed_and_read(rita, of_campaign) -> None:
    status, report = post(rita)
    assert (status, report["status"]) == (202, "queued")
    assert (report["stage"], report["done"], report["total"]) == ("", 0, 0)
    address = f"{REPORTS}{report['id']}/"
    assert rita.get(f"{address}?format=csv").status_code == 409
    carry_out_report(report["id"])
    read = rita.get(address).json()
    assert (read["status"], read["progress"]) == ("succeeded", 1.0)
    assert (read["done"], read["total"]) == (90, 90)
    assert set(read["scorers"]) == {"length"}
    assert read["scorers"]["length"]["tau_b"].keys() >= {"value", "low", "high"}


def test_the_same_question_is_answered_by_the_same_report(rita, of_campaign) -> None:
    _, first = post(rita)
    status, again = post(rita, tie_threshold=0.0001, seed=0)
    assert (status, again["id"]) == (200, first["id"])
    carry_out_report(first["id"])
    assert post(rita)[0] == 200
    assert post(rita, seed=1)[0] == 202
    assert [row["seed"] for row in rita.get(REPORTS).json()] == [1, 0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("scorers", value) for value in ([], "length", ["bleu-9"], [1])),
        *(("tie_threshold", value) for value in (-1, "0", True)),
        *(("criterion", 7), ("split", "half"), ("resamples", 1), ("resamples", 200.0)),
        *(("seed", -1), ("seed", "1"), ("dataset", "nothing"), ("systems_shown", True)),
    ],
)
def test_a_bad_request_is_a_400_by_field(rita, of_campaign, field, value) -> None:
    status, answer = post(rita, **{field: value})
    assert status == 400
    assert set(answer) == {field}
    assert not AgreementReport.objects.exists()


def test_a_report_is_saved_in_each_format(rita, of_campaign) -> None:
    address = done(rita)
    found = {name: rita.get(address, {"format": name}) for name in ("json", "csv", "latex", "html")}
    assert {answer.status_code for answer in found.values()} == {200}
    assert "attachment" in found["csv"]["Content-Disposition"]
    document = json.loads(found["json"].content)
    assert list(document) == sorted(document)
    ordered = ordered_result(AgreementReport.objects.get())
    assert ordered is not None
    assert canonical_json(ordered) == found["json"].content
    assert found["csv"].content.decode() == csv_table(ordered)
    assert b"tabular" in found["latex"].content
    assert b"<script" not in found["html"].content
    for name in ("xml", "api", "", "CSV"):
        answer = rita.get(address, {"format": name})
        assert answer.status_code == 400
        assert "json" in answer.json()["format"][0]


def test_a_report_is_cancelled_once(rita, of_campaign) -> None:
    _, report = post(rita)
    status, cancelled = post(rita, f"{REPORTS}{report['id']}/cancel/")
    assert (status, cancelled["status"]) == (202, "cancelled")
    assert post(rita, f"{REPORTS}{report['id']}/cancel/")[0] == 409


def test_readers_read_what_is_finished_and_start_nothing(rita, reader, of_campaign) -> None:
    _, waiting = post(rita, seed=9)
    address = done(rita)
    assert reader.get(address).json()["scorers"]["length"]
    assert reader.get(address, {"format": "csv"}).status_code == 200
    assert [row["seed"] for row in reader.get(REPORTS).json()] == [0]
    assert reader.get(f"{REPORTS}{waiting['id']}/").status_code == 404
    assert post(reader, f"{address}cancel/")[0] == 403
    assert post(reader)[0] in {400, 403}
    assert AgreementReport.objects.count() == 2


def test_a_reader_of_another_campaign_is_listed_nothing(cast, rita, of_campaign) -> None:
    done(rita)
    stranger = signed_in(grant(make_user("stranger"), cast.elsewhere, "reader"))
    assert stranger.get(REPORTS).json() == []


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN, Role.READER])
def test_who_rates_in_the_open_campaign_reads_no_report_on_it(
    cast, rita, of_campaign, role
) -> None:
    address = done(rita)
    both = signed_in(grant(make_user("both"), cast.campaign, role, Role.ANNOTATOR))
    assert both.get(address).status_code == 404
    assert both.get(REPORTS).json() == []
    if role == Role.RESEARCHER:
        assert post(both)[0] == 403
    Campaign.objects.update(status="closed")
    assert both.get(address).status_code == 200


def test_admins_read_reports_and_ask_for_none(rita, ada, of_campaign) -> None:
    assert ada.get(done(rita)).status_code == 200
    assert post(ada, seed=4)[0] == 403
