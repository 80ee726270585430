"""The OpenAPI document."""

from django.test import Client


def test_the_schema_names_every_call_and_needs_a_sign_in(cast, client: Client) -> None:
    assert client.get("/api/v1/schema/").status_code == 401
    client.force_login(cast.rita)
    answer = client.get("/api/v1/schema/?format=json")
    assert answer.status_code == 200
    text = answer.content.decode()
    for path in ("campaigns/{slug}/progress/", "assignments/next/", "ratings/{id}/"):
        assert path in text
