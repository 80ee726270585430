"""The OpenAPI document says what the calls answer and take."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from annotator.accounts.sessions import create_token
from scoring.formats.export_formats import EXPORT_FORMATS, GZIP_TYPE
from scoring.reports.files import TYPES
from tests.conftest import signed_in


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]


def operation(document: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    return document["paths"][f"/api/v1/{path}"][method]


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for path in document["paths"].values() for one in path.values()]


def parameter(document: dict[str, Any], path: str, name: str) -> dict[str, Any]:
    found = operation(document, "get", path)["parameters"]
    return next(one["schema"] for one in found if one["name"] == name)


def media_types(document: dict[str, Any], path: str) -> set[str]:
    return set(operation(document, "get", path)["responses"]["200"]["content"])


def test_no_two_calls_had_one_name(document) -> None:
    names = [one["operationId"] for one in operations(document)]
    assert len(names) == len(set(names))
    # What would be doubled gets a number.
    assert [name for name in names if re.search(r"_\d+$", name)] == []


def test_a_freeze_that_was_made_before_is_described(document) -> None:
    answers = operation(document, "post", "datasets/")["responses"]
    assert answers["200"]["content"] == answers["201"]["content"]


def test_a_group_that_is_removed_answers_with_counts(document) -> None:
    answers = operation(document, "delete", "group-roles/{id}/")["responses"]
    assert "200" in answers and "204" not in answers


def test_the_address_of_an_import_is_a_path(document) -> None:
    assert document["components"]["schemas"]["Import"]["properties"]["url"].get("format") is None


def test_conflicts_are_a_list(document) -> None:
    answer = operation(document, "get", "conflicts/")["responses"]["200"]
    assert answer["content"]["application/json"]["schema"]["type"] == "array"


def test_all_five_criteria_are_a_list_of_runs(document) -> None:
    answer = operation(document, "post", "training-runs/")["responses"]["202"]
    schema = answer["content"]["application/json"]["schema"]
    one_of = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]["oneOf"]
    assert {one.get("type") for one in one_of} == {None, "array"}


def test_each_format_has_its_media_type(document) -> None:
    version = "datasets/{name}/versions/{number}/"
    plain = {kind.media_type.partition(";")[0] for kind in EXPORT_FORMATS.values()}
    assert media_types(document, f"{version}export/") == plain | {GZIP_TYPE}
    # JSON is described as values, not as one text.
    for path in (f"{version}export/", f"{version}card/"):
        answer = operation(document, "get", path)["responses"]["200"]["content"]
        assert "type" not in answer["application/json"]["schema"]
    cards = {"application/json", "text/markdown", "text/plain"}
    assert media_types(document, f"{version}card/") == cards
    reports = {kind.partition(";")[0] for kind in TYPES.values()}
    assert media_types(document, "reports/{id}/") == reports


def test_numbers_and_texts_are_described_with_their_bounds(document) -> None:
    for path in ("campaigns/", "conflicts/", "datasets/", "models/", "reports/", "training-runs/"):
        assert parameter(document, path, "page")["minimum"] == 1
        assert parameter(document, path, "page_size") == {
            "type": "integer",
            "minimum": 1,
            "maximum": 200,
        }
    schemas = document["components"]["schemas"]
    overlap = schemas["PatchedRulesRequest"]["properties"]["overlap"]
    assert (overlap["minimum"], overlap["maximum"]) == (1, 20)
    assert schemas["ReasonRequest"]["properties"]["reason"]["minLength"] == 1


def test_a_text_that_may_be_empty_is_not_described_as_longer(document) -> None:
    schemas = document["components"]["schemas"]
    for name, field in (
        ("PatchedDescribedRequest", "note"),
        ("NewImportRequest", "reference_id"),
        ("NewAdjudicationRequest", "signed_as"),
        ("NewPlanRequest", "digest"),
    ):
        assert "minLength" not in schemas[name]["properties"][field], (name, field)


def test_what_is_not_described_is_not_taken(cast, db) -> None:
    headers = {"Authorization": f"Token {create_token(user=cast.rita).token}"}
    for query in ("criterion=", "status=", "sort=", "order=", "tag=", "dataset="):
        answer = Client(headers=headers).get(f"/api/v1/training-runs/?{query}")
        assert answer.status_code == 400, query
        assert list(answer.json()) == [query[:-1]]
    assert Client(headers=headers).get("/api/v1/training-runs/").status_code == 200


@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize(
    "path", ["/api/v1/nothing/", "/api/v1/ratings/no-id/", "/api/", "/api/v2/x"]
)
def test_an_address_below_api_that_leads_nowhere_answers_json(cast, method, path) -> None:
    answer = getattr(signed_in(cast.ada), method)(path)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/json"
    assert set(json.loads(answer.content)) == {"detail"}
    page = signed_in(cast.ada).get("/nothing/")
    assert page.status_code == 404 and page["Content-Type"].startswith("text/html")
