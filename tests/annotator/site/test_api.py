import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.throttling import UserRateThrottle

from annotator.accounts.sessions import create_token
from annotator.models import ApiToken, Campaign, Membership
from tests.amounts import tries

FROM = re.compile(r'\bFROM "?(\w+)')
LISTS = ("campaigns", "conflicts", "datasets", "training-runs", "models", "reports")
# What reads a hidden column where the words of a request are handed to the database.
PATHS = (
    *("password", "annotator__password", "memberships__user__password", "created_by__password"),
    *("requested_by__api_tokens__token_sha256", "candidate__system", "ratings__scores"),
    *("campaign__memberships__user__email", "dataset__campaign__slug", "card__labels", "result"),
)
LOOKUPS = ("", "__startswith", "__regex", "__gt", "__in", "__isnull", "__contains", "__iexact")
ORDERS = ("password", "-annotator__password", "annotator.password", "?", "card__labels", "1;--")
OTHERS = (
    *("_connector=OR", "_negated=1", "pk__in=1", "id__in=1", "search=%27", "fields=password"),
    *("format_suffix=json", "expand=annotator", "include=ratings", "limit=5", "offset=1", "q=x"),
    *("cursor=cD0y", "%00=1", "page%00=1", "pk=1%00", "Page=1", "page[]=1", "page__gt=1"),
)
FORBIDDEN = (
    *(f"{path}{lookup}=p" for path in PATHS for lookup in LOOKUPS),
    *(f"{name}={order}" for name in ("ordering", "order_by", "sort") for order in ORDERS),
    *OTHERS,
)
# A list that is searched and sorted by names of its own has tests of its own.
STATED = {"training-runs": ("sort=", "q=")}
BAD_PAGES = (
    *("page=0", "page=-1", "page=1e9", "page=", "page=%D9%A3", "page=1.0", "page=99999999999"),
    *("page_size=0", "page_size=201", "page_size=1000000000", "page_size=-5", "page_size=all"),
    *("page=1&page=2", "page_size=1&page_size=200"),
)


@pytest.fixture
def everybody(cast):
    Membership.objects.bulk_create(
        Membership(user=cast.rita, campaign=cast.campaign, role=role)
        for role in ("annotator", "adjudicator", "admin")
    )
    return cast.rita


@pytest.mark.parametrize("name", LISTS)
def test_no_lookup_order_or_unknown_word_is_heeded(call, everybody, name) -> None:
    assert len(FORBIDDEN) * len(LISTS) > 300
    # Each list refuses its share of them each time, and all of them in `make test-all`.
    step = len(FORBIDDEN) // tries(len(FORBIDDEN), len(LISTS))
    assert call(everybody, "get", f"{name}/").status_code == 200
    with CaptureQueriesContext(connection) as asked:
        for words in FORBIDDEN[LISTS.index(name) % step :: step]:
            if words.startswith(STATED.get(name, ("never",))):
                continue
            answer = call(everybody, "get", f"{name}/?{words}")
            assert (answer.status_code, words) == (400, words)
            assert list(answer.json().values()) == [["This parameter is not known here."]]
    # Nothing beyond whose token it is, and their roles, was looked up.
    first_tables = {table for query in asked for table in FROM.findall(query["sql"])[:1]}
    assert first_tables == {ApiToken._meta.db_table, Membership._meta.db_table}


@pytest.mark.parametrize("name", LISTS)
def test_a_page_that_is_no_number_or_too_wide_is_refused(call, everybody, name) -> None:
    for words in BAD_PAGES:
        answer = call(everybody, "get", f"{name}/?{words}")
        assert (answer.status_code, words) == (400, words)
        assert set(answer.json()) <= {"page", "page_size"}, words
    # Behind the last page there is nothing.
    assert call(everybody, "get", f"{name}/?page=1&page_size=200").status_code == 200
    assert call(everybody, "get", f"{name}/?page=9999999&page_size=200").status_code == 404


def test_the_pages_of_a_list_join_up_and_tell_their_neighbours(call, cast) -> None:
    known = Campaign.objects.bulk_create(
        Campaign(slug=f"c{number:03}", name=f"C {number}") for number in range(204)
    )
    Membership.objects.bulk_create(
        Membership(user=cast.mallory, campaign=row, role="annotator") for row in known
    )
    first = call(cast.mallory, "get", "campaigns/")
    assert len(first.json()) == 200
    assert first["Link"].endswith('/api/v1/campaigns/?page=2>; rel="next"')
    rest = call(cast.mallory, "get", "campaigns/?page=2")
    assert 'rel="prev"' in rest["Link"] and "next" not in rest["Link"]
    slugs = [row["slug"] for row in (*first.json(), *rest.json())]
    assert slugs == [*(row.slug for row in known), "elsewhere"]
    small = [
        row["slug"]
        for page in (1, 2, 3)
        for row in call(cast.mallory, "get", f"campaigns/?page={page}&page_size=2").json()
    ]
    assert small == slugs[:6]


def test_a_call_with_words_that_it_does_not_know_is_refused_before_it_acts(call, cast) -> None:
    reference = cast.reference("r1", 1)
    answer = call(cast.alice, "post", "campaigns/cups/assignments/next/?user=bob", {})
    assert answer.status_code == 400 and not reference.candidates.get().assignments.exists()
    # Who may not at all reads that, and nothing about the values.
    assert call(cast.mallory, "get", "campaigns/cups/?x=1").status_code == 404
    assert call(cast.alice, "get", "datasets/?x=1").status_code == 403
    assert call(None, "get", "campaigns/?x=1").status_code == 401


def test_a_body_with_a_byte_order_mark_is_refused_with_its_name(call, cast) -> None:
    body = b'\xef\xbb\xbf{"slug": "mugs", "name": "Mugs"}'
    answer = call(cast.ada, "post", "campaigns/", body)
    assert answer.status_code == 400
    assert "byte order mark" in answer.text and "without BOM" in answer.text


def test_the_schema_names_every_call_and_needs_a_sign_in(cast, client: Client) -> None:
    assert client.get("/api/v1/schema/").status_code == 401
    client.force_login(cast.rita)
    answer = client.get("/api/v1/schema/?format=json")
    assert answer.status_code == 200
    text = answer.content.decode()
    for path in ("{slug}/progress/", "{slug}/agreement/", "assignments/next/", "ratings/{id}/"):
        assert path in text


def test_above_the_limit_the_answer_names_when_to_call_again(cast, monkeypatch) -> None:
    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "5/min"})
    tokens = [create_token(user=cast.alice).token for _ in range(2)]
    callers = [Client(headers={"Authorization": f"Token {token}"}) for token in tokens]
    codes = [callers[n % 2].get("/api/v1/campaigns/").status_code for n in range(7)]
    assert codes == [200] * 5 + [429] * 2
    answer = callers[0].post("/api/v1/ratings/", {}, content_type="application/json")
    assert answer.status_code == 429 and answer["Content-Type"] == "application/json"
    assert 0 < int(answer["Retry-After"]) <= 60 and answer.json()["detail"]
    bob = Client(headers={"Authorization": f"Token {create_token(user=cast.bob).token}"})
    assert bob.get("/api/v1/campaigns/").status_code == 200
    assert Client().get("/api/v1/campaigns/").status_code == 401
