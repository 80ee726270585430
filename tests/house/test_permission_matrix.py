"""Every route stands in the permission matrix, and each principal gets what it says."""

import uuid
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from rest_framework.permissions import SAFE_METHODS

from annotator import permissions
from annotator.gate import API_PREFIX
from annotator.models import Role, TokenScope, User
from annotator.services.people import create_token

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
# A view may know them or not; whoever may use it is not refused them.
NEVER_REFUSED = ("HEAD", "OPTIONS")
ARGUMENTS = {"slug": "cups", "pk": uuid.UUID(int=7), "name": "cups", "number": 1, "place": 1}
SIGNED_IN = tuple(name for name in permissions.PRINCIPALS if name != permissions.ANONYMOUS)


def routes(
    patterns: list[URLPattern | URLResolver], spaces: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of every route with the names of its arguments."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = (*spaces, pattern.namespace) if pattern.namespace else spaces
            for name, arguments in routes(pattern.url_patterns, inner):
                yield name, (*pattern.pattern.converters, *arguments)
        else:
            yield ":".join((*spaces, str(pattern.name))), tuple(pattern.pattern.converters)


ROUTES = dict(routes(get_resolver().url_patterns))


def path(route: str) -> str:
    return reverse(route, kwargs={name: ARGUMENTS[name] for name in ROUTES[route]})


PAGES = {route for route in ROUTES if not path(route).startswith(API_PREFIX)}


@pytest.fixture
def people(cast) -> dict[str, User]:
    """Give one member per role, and a site admin who is a member of nothing."""
    boss = User.objects.create(username="boss", is_superuser=True)
    reader = User.objects.create(username="reader")
    reader.memberships.create(campaign=cast.campaign, role=Role.READER)
    by_role = (cast.alice, cast.carol, cast.rita, cast.ada, reader, boss)
    return dict(zip(SIGNED_IN, by_role, strict=True))


def test_every_route_stands_in_the_matrix_and_every_row_is_a_route() -> None:
    assert set(ROUTES) == set(permissions.matrix())


def test_the_map_of_routes_was_really_read() -> None:
    assert {"annotator:rate", "api:ratings", "scoring:runs"} <= set(ROUTES)


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_anonymous_gets_what_the_matrix_says(cast, route: str) -> None:
    rule = permissions.matrix()[route]
    for method in METHODS:
        answer = Client().generic(method, path(route))
        if not rule.is_public:
            is_api = path(route).startswith(API_PREFIX)
            assert answer.status_code == (401 if is_api else 302), (method, answer.status_code)
            assert is_api or answer["Location"].startswith("/login/?next=")
        else:
            assert_let_in(rule, method, answer.status_code)


def assert_let_in(rule: permissions.Rule, method: str, status: int) -> None:
    """Whoever may use a route is answered to its methods, and told so for the others."""
    if method in NEVER_REFUSED:
        assert status not in {401, 403} and status < 500, (method, status)
    elif method in rule.methods:
        assert status not in {401, 403, 405} and status < 500, (method, status)
    else:
        assert status == 405, (method, status)


@pytest.mark.parametrize("principal", SIGNED_IN)
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_each_principal_gets_what_the_matrix_says(people, route: str, principal: str) -> None:
    rule = permissions.matrix()[route]
    for method in METHODS:
        client = Client(raise_request_exception=False)
        client.force_login(people[principal])
        answer = client.generic(method, path(route), content_type=content_type(route))
        if principal not in rule.principals:
            # Who is no member is not told that the campaign exists.
            is_stranger = "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN
            assert answer.status_code == (404 if is_stranger else 403), (method, answer.status_code)
        elif "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN:
            assert answer.status_code in {404, 405}, (method, answer.status_code)
        else:
            assert_let_in(rule, method, answer.status_code)


def content_type(route: str) -> str:
    is_api = path(route).startswith(API_PREFIX)
    return "application/json" if is_api else "application/x-www-form-urlencoded"


@pytest.mark.parametrize("route", sorted(PAGES))
def test_no_page_looks_at_a_token(people, route: str) -> None:
    token = create_token(user=people[Role.ADMIN]).token
    client = Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)
    for method in METHODS:
        answer = client.generic(method, path(route), content_type=content_type(route))
        assert permissions.matrix()[route].is_public or answer.status_code == 302, method


@pytest.mark.parametrize("scope", TokenScope.values)
@pytest.mark.parametrize("route", sorted(set(ROUTES) - PAGES))
def test_a_token_gives_the_api_with_its_owners_roles_as_far_as_it_reaches(
    people, route: str, scope: str
) -> None:
    rule = permissions.matrix()[route]
    for principal in SIGNED_IN:
        token = create_token(user=people[principal], scope=scope).token
        client = Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)
        for method in METHODS:
            answer = client.generic(method, path(route), content_type=content_type(route))
            status, where = answer.status_code, (principal, method, answer.status_code)
            if scope == TokenScope.READ and method not in SAFE_METHODS:
                assert status == 403, where
            elif principal not in rule.principals:
                is_stranger = "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN
                assert status == (404 if is_stranger else 403), where
            elif "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN:
                assert status in {404, 405}, where
            else:
                assert_let_in(rule, method, status)


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_who_is_deactivated_is_nobody_by_session_and_by_token(people, route: str) -> None:
    rule = permissions.matrix()[route]
    session = Client(raise_request_exception=False)
    session.force_login(people[Role.ADMIN])
    token = create_token(user=people[Role.ADMIN]).token
    by_token = Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)
    clients = (session, by_token)
    User.objects.update(is_active=False)
    for client in clients:
        for method in METHODS:
            answer = client.generic(method, path(route), content_type=content_type(route))
            if not rule.is_public:
                is_api = path(route).startswith(API_PREFIX)
                assert answer.status_code == (401 if is_api else 302), (method, answer.status_code)
            else:
                assert_let_in(rule, method, answer.status_code)


def test_a_route_that_is_not_listed_is_for_nobody() -> None:
    everyone = frozenset(permissions.PRINCIPALS)
    assert not permissions.may("annotator:unlisted", everyone)
    assert not AnonymousUser().is_authenticated
