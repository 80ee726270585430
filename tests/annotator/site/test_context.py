"""The navigation."""

import pytest
from django.test import Client


def names(client: Client) -> list[str]:
    return [place.name for place in client.get("/").context["places"]]


def test_an_annotator_is_led_to_queue_their_ratings_and_own_acts(cast, client: Client) -> None:
    client.force_login(cast.alice)
    assert names(client) == ["Home", "Rated", "Rubric", "Your acts"]


def test_a_researcher_is_led_to_scoring(cast, client: Client) -> None:
    client.force_login(cast.rita)
    assert names(client) == [
        "Home",
        "Datasets",
        "Training runs",
        "Model versions",
        "Score",
        "Reports",
        "Rubric",
    ]


@pytest.mark.parametrize(
    ("path", "here", "around"),
    [
        ("/", "Home", []),
        ("/datasets/", "Datasets", []),
        ("/datasets/freeze/", "", ["Datasets"]),
        ("/rubric/conceptual_clarity/", "", ["Rubric"]),
    ],
)
def test_the_place_of_a_page_is_marked(
    cast, client: Client, path: str, here: str, around: list[str]
) -> None:
    client.force_login(cast.rita)
    answer = client.get(path)
    places = answer.context["places"]
    assert "".join(place.name for place in places if place.is_here) == here
    assert [place.name for place in places if place.is_around] == around
    for name in around:
        assert f'aria-current="true">{name}</a>' in answer.content.decode()


@pytest.mark.django_db
def test_nobody_signed_in_is_led_nowhere(client: Client) -> None:
    assert list(client.get("/login/").context["places"]) == []
