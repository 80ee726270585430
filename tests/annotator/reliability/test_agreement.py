import json
from typing import Any

import pytest

from annotator.models import ReliabilityReport
from annotator.reliability.grids import (
    CHANGE,
    COEFFICIENT,
    MOST_PAIRS,
    POINTS,
    SHARE,
    Cell,
    Grid,
    by_criterion,
    drift_grid,
    pair_grid,
)
from annotator.reliability.services import carry_out_reliability
from core.jobs.rows import JobStatus
from patclaimeval.rubric import ALL_CRITERIA
from tests.annotator.rating_rows import random_ratings, rate
from tests.conftest import grant, make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PATH = "campaigns/cups/agreement/"


@pytest.fixture
def rated(cast) -> Any:
    dave = grant(make_user("dave"), cast.campaign, "annotator")
    random_ratings(cast, [cast.alice, cast.bob, dave])
    return cast


def worked_out(call: Any, user: Any) -> dict[str, Any]:
    call(user, "post", PATH)
    carry_out_reliability(ReliabilityReport.objects.get().pk)
    answer: dict[str, Any] = call(user, "get", PATH).json()
    return answer


def test_a_get_writes_nothing_and_says_how_to_ask(cast, call) -> None:
    answer = call(cast.rita, "get", PATH)
    assert answer.status_code == 200
    assert answer.json()["status"] == "none" and "POST" in answer.json()["message"]
    assert answer.json()["result"] is None
    assert not ReliabilityReport.objects.exists()


def test_a_post_queues_one_job_and_then_gives_what_there_is(rated, call, enqueued) -> None:
    first = call(rated.rita, "post", PATH)
    assert (first.status_code, first.json()["status"]) == (202, JobStatus.QUEUED)
    assert call(rated.ada, "post", PATH).status_code == 202
    assert len({row.pk for row in enqueued}) == 1
    carry_out_reliability(enqueued[0].pk)
    again = call(rated.rita, "post", PATH)
    assert (again.status_code, again.json()["status"]) == (200, JobStatus.SUCCEEDED)
    assert len(enqueued) == 2


def test_the_last_result_comes_with_its_age_and_what_changed_since(rated, call) -> None:
    fresh = worked_out(call, rated.rita)
    assert fresh["is_current"] and fresh["since"] == {}
    assert fresh["input_sha256"] == fresh["result_sha256"]
    assert fresh["age_seconds"] >= 0
    rate(rated.alice, rated.reference("new").candidates.first(), (5, 5, 5, 5))
    later = call(rated.rita, "get", PATH).json()
    assert not later["is_current"] and later["since"] == {"ratings": 1}
    assert later["result"] == fresh["result"]


@pytest.mark.parametrize("name", ["ada", "rita"])
def test_no_answer_holds_a_name_or_an_id_of_an_annotator(rated, call, name: str) -> None:
    answer = worked_out(call, getattr(rated, name))
    text = json.dumps(answer)
    assert answer["result"]["annotators"] == ["Annotator 1", "Annotator 2", "Annotator 3"]
    for user in (rated.alice, rated.bob):
        assert user.username not in text and str(user.pk) not in text
    people = answer["result"]["criteria"][-1]["severity"]["people"]
    assert {one["annotator"] for one in people} == set(answer["result"]["annotators"])


def test_researchers_read_nothing_of_each_of_two(cast, call) -> None:
    random_ratings(cast, [cast.alice, cast.bob])
    result = worked_out(call, cast.rita)["result"]
    assert result["annotators"] == []
    for entry in result["criteria"]:
        assert entry["pairs"] == entry["drift"] == entry["others"] == []
        assert entry["severity"]["people"] == []
        assert entry["figures"][0]["value"] is not None
    of_admin = call(cast.ada, "get", PATH).json()["result"]
    assert len(of_admin["criteria"][0]["severity"]["people"]) == 2


def test_who_rates_in_the_open_campaign_is_refused_and_an_admin_elsewhere_too(cast, call) -> None:
    grant(cast.alice, cast.elsewhere, "admin")
    assert call(cast.alice, "get", PATH).status_code == 403
    grant(cast.alice, cast.campaign, "researcher")
    answer = call(cast.alice, "get", PATH)
    assert answer.status_code == 403 and "closed" in answer.json()["detail"]


def stored(value: float | None, reason: str = "", **more: object) -> dict[str, object]:
    ends = {"low": None, "high": None, "n": 9, "clusters": 3, "interval": ""}
    return {"key": "x", "value": value, "reason": reason} | ends | more


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (COEFFICIENT, -0.0361, "\N{MINUS SIGN}0.036"),
        (COEFFICIENT, -0.0001, "0.000"),
        (CHANGE, 0.5, "+0.50"),
        (CHANGE, -0.001, "0.00"),
        (POINTS, 2, "2.00"),
        (SHARE, 0.285, "28 %"),
    ],
    ids=["minus", "minus zero", "plus", "no change", "points", "share"],
)
def test_numbers_are_written_with_a_true_minus_and_no_minus_zero(form, value, text) -> None:
    assert form.text(value) == text


def test_an_undefined_figure_says_so_and_one_reason_has_one_note() -> None:
    grid = Grid("", ())
    first = grid.cell(stored(None, "Nobody rated."), COEFFICIENT)
    again = grid.cell(stored(None, "Nobody rated."), COEFFICIENT)
    other = grid.cell(stored(0.5, "One reference only."), COEFFICIENT)
    assert first == again == Cell("undefined", "", 1)
    assert other == Cell("0.500", "", 2)
    assert grid.notes == ["Nobody rated.", "One reference only."]


def test_an_interval_is_written_beside_its_value() -> None:
    found = Grid("", ()).cell(stored(0.5, low=-0.25, high=1.0), COEFFICIENT)
    assert found.interval == "\N{MINUS SIGN}0.250 to 1.000"


@pytest.mark.parametrize(
    ("key", "n", "clusters", "words"),
    [
        ("kappa", 1, 1, "n = 1 pair of annotators, 1 reference; jackknife t"),
        ("kappa", 3, 14, "n = 3 pairs of annotators, 14 references; jackknife t"),
        ("icc", 1, 0, "n = 1 repeat; jackknife t"),
        ("icc", 1_200, 2, "n = 1,200 repeats, 2 references; jackknife t"),
    ],
)
def test_a_line_says_what_its_figure_rests_on(key: str, n: int, clusters: int, words: str) -> None:
    figure = stored(0.5) | {"key": key, "n": n, "clusters": clusters, "interval": "jackknife-t"}
    entries = [{"figures": [figure]}] * len(ALL_CRITERIA)
    (row,) = by_criterion("Caption", entries, [(key, "Name", COEFFICIENT)], "repeat{s}").rows
    assert row.hint == words


def test_the_lowest_pairs_come_first_and_people_in_the_order_of_their_numbers() -> None:
    values = [0.9, None, -0.2, *(0.95 for _ in range(MOST_PAIRS))]
    pairs = [
        stored(value, "" if value else "Too few.") | {"first": "A", "second": f"B{number}"}
        for number, value in enumerate(values)
    ]
    grid = pair_grid({"criteria": [{"key": key, "pairs": pairs} for key in ALL_CRITERIA]})
    assert grid is not None
    heads = [row.head for row in grid.rows]
    assert heads[:2] == ["A and B2", "A and B0"]
    assert "A and B1" not in heads and len(heads) == MOST_PAIRS
    assert f"{MOST_PAIRS} of {len(values)} pairs" in grid.caption
    people = [
        {"annotator": f"Annotator {number}", "per_100": 0.1, "n": 5, "reason": ""}
        for number in (10, 2, 1)
    ]
    grid = drift_grid({"criteria": [{"key": key, "drift": people} for key in ALL_CRITERIA]})
    assert [row.head for row in grid.rows] == ["Annotator 1", "Annotator 2", "Annotator 10"]
