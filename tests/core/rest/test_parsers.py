import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import Rating


@pytest.fixture
def post(cast):
    token = create_token(user=cast.alice).token

    def send(data: bytes, content_type: str = "application/json"):
        return Client().post(
            "/api/v1/ratings/",
            data,
            content_type=content_type,
            headers={"Authorization": f"Token {token}"},
        )

    return send


@pytest.mark.parametrize(
    "data",
    [
        *(b"{", b"[]", b'"x"', b"{} trailing", b"", b"null", b"\xff\xfe{}", b"[" * 100_000),
        *(b'{"scores": NaN}', b'{"scores": 1e999}', b'{"a": 1, "a": 2}'),
        *(b'{"comment": "\\u0000"}', b'{"comment": "\\ud800"}'),
    ],
)
def test_a_body_that_is_no_strict_json_object_is_400_by_field(post, data) -> None:
    answer = post(data)
    assert answer.status_code == 400
    assert all(isinstance(reasons, list) for reasons in answer.json().values())
    assert not Rating.objects.exists()


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/xml", "application/yaml", "application/x-www-form-urlencoded"],
)
def test_another_type_is_415(post, content_type) -> None:
    assert post(b"a=1", content_type).status_code == 415


def test_a_body_beyond_the_limit_is_413_json_with_the_limit(post) -> None:
    answer = post(b'{"comment": "' + b"x" * 3_000_000 + b'"}')
    assert answer.status_code == 413
    assert "2,097,152" in answer.json()["detail"]


def test_a_method_cannot_be_overridden_and_no_browsable_page_exists(post, cast) -> None:
    token = create_token(user=cast.alice).token
    headers = {"Authorization": f"Token {token}", "X-HTTP-Method-Override": "DELETE"}
    assert Client().get("/api/v1/campaigns/", headers=headers).status_code == 200
    answer = Client().get("/api/v1/campaigns/?format=api", headers=headers)
    assert answer.status_code == 404
