"""Every route stands in the permission matrix, and each principal gets what it says.

The doors are asked as functions for all cells: principals, methods, session and tokens. Requests
are made where the matrix lets somebody in, and one a test where it does not; `make test-all` makes
them all.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator
from itertools import product
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from annotator import permissions
from annotator.api.permissions import MatrixPermission
from annotator.gate import API_PREFIX, METRICS_ROUTE, Gate
from annotator.models import Campaign, CampaignStatus, Role, TokenScope, User
from annotator.services.people import create_token

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ARGUMENTS = {
    "slug": "cups",
    "pk": uuid.UUID(int=7),
    "name": "cups",
    "number": 1,
    "place": 1,
    "token": "no-such-token",
}
# The name in its address is a word of the rubric.
OF_NO_CAMPAIGN = {
    "annotator:rubric_criterion",
    "annotator:change_user",
    "annotator:invitation",
}
SIGNED_IN = tuple(name for name in permissions.PRINCIPALS if name != permissions.ANONYMOUS)
# How many of the requests that are to be refused are made; the doors are asked for all of them.
REFUSALS = pytest.mark.parametrize(
    "refusals", ["one", pytest.param("all", marks=pytest.mark.exhaustive)]
)


def routes(
    patterns: list[URLPattern | URLResolver], spaces: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Yield the name of every route with the names of its arguments and its view."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = (*spaces, pattern.namespace) if pattern.namespace else spaces
            for name, arguments, view in routes(pattern.url_patterns, inner):
                yield name, (*pattern.pattern.converters, *arguments), view
        else:
            name = ":".join((*spaces, str(pattern.name)))
            yield name, tuple(pattern.pattern.converters), pattern.callback


# What the matrix does not list is told by `test_routes.py`, once.
WALKED = tuple(one for one in routes(get_resolver().url_patterns) if one[0] in permissions.matrix())
ROUTES = {name: arguments for name, arguments, _ in WALKED}
VIEWS = {name: view for name, _, view in WALKED}


def methods_of(view: Any) -> set[str]:
    """Return the methods that a view would answer, whatever the matrix says."""
    of_class = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if of_class is None:
        return required(view) or set(METHODS)
    named = {name.upper() for name in of_class.http_method_names if hasattr(of_class, name)}
    named |= {"HEAD"} if "GET" in named else set()
    return named & (required(of_class.dispatch) or named)


def required(function: Any) -> set[str]:
    """Return what `require_http_methods` around a function lets through; nothing if it is bare."""
    held = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if "request_method_list" in held:
        return set(held["request_method_list"].cell_contents)
    for cell in held.values():
        entry = cell.cell_contents
        for one in entry if isinstance(entry, tuple | list) else [entry]:
            if isinstance(one, FunctionType) and (methods := required(one)):
                return methods
    return set()


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


def test_the_map_of_routes_was_really_read() -> None:
    assert {"annotator:rate", "api:ratings", "scoring:runs"} <= set(ROUTES)


def methods_tried(allowed: Collection[str], refusals: str) -> list[str]:
    """Return the methods that are let in, with the first that is not, or with all of those."""
    refused = [method for method in METHODS if method not in allowed]
    return [*allowed, *(refused if refusals == "all" else refused[:1])]


def told_at_the_gate(route: str, method: str, principal: str) -> int:
    """Return the status with which the gate answers a page's request, 200 where it lets it by."""
    request: Any = RequestFactory().generic(method, path(route))
    request.resolver_match = resolve(path(route))
    request.user = SimpleNamespace(is_authenticated=principal != permissions.ANONYMOUS)
    request._principals = frozenset({principal})
    try:
        answer = Gate(lambda _: HttpResponse()).process_view(request, None, (), {})
    except PermissionDenied:
        return 403
    return answer.status_code if answer else 200


def told_at_the_api(route: str, method: str, principal: str, scope: str | None) -> int:
    """Return the status with which a call is answered by session or token, 200 if it is let by."""
    plain = RequestFactory().generic(method, path(route))
    plain.resolver_match = resolve(path(route))
    request: Any = Request(plain)
    is_admin = principal == permissions.SITE_ADMIN
    request.user = SimpleNamespace(is_authenticated=True, is_superuser=is_admin)
    request.auth = scope
    # The site admin, a member of nothing, is taken as somebody without a role in the campaign.
    roles = frozenset() if is_admin else frozenset({principal})
    request.roles_by_campaign = {ARGUMENTS["slug"]: roles}
    view: Any = SimpleNamespace(kwargs=plain.resolver_match.kwargs)
    try:
        return 200 if MatrixPermission().has_permission(request, view) else 403
    except MethodNotAllowed:
        return 405


@pytest.mark.parametrize("route", sorted(PAGES))
def test_the_gate_opens_each_cell_of_a_page_and_no_other(route: str) -> None:
    rule = permissions.matrix()[route]
    for principal, method in product(permissions.PRINCIPALS, METHODS):
        closed = 302 if principal == permissions.ANONYMOUS else 403
        opened = 200 if method in rule.methods else 405
        expected = opened if rule.is_public or principal in rule.principals else closed
        assert told_at_the_gate(route, method, principal) == expected, (principal, method)


@pytest.mark.parametrize("route", sorted(set(ROUTES) - PAGES))
def test_the_api_opens_each_cell_of_a_call_and_no_other(route: str) -> None:
    rule = permissions.matrix()[route]
    for principal, method, scope in product(SIGNED_IN, METHODS, [None, *TokenScope.values]):
        opens = principal in rule.principals and (scope is None or scope in rule.tokens)
        expected = (200 if method in rule.methods else 405) if opens else 403
        where = (principal, method, scope)
        assert told_at_the_api(route, method, principal, scope) == expected, where


@REFUSALS
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_anonymous_gets_what_the_matrix_says(cast, route: str, refusals: str) -> None:
    rule = permissions.matrix()[route]
    for method in methods_tried(rule.methods if rule.is_public else (), refusals):
        answer = Client().generic(method, path(route))
        if not rule.is_public:
            is_api = path(route).startswith(API_PREFIX)
            assert answer.status_code == (401 if is_api else 302), (method, answer.status_code)
            assert is_api or answer["Location"].startswith("/login/?next=")
        else:
            assert_let_in(rule, method, answer.status_code)


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_no_view_takes_a_method_that_the_matrix_does_not_list(route: str) -> None:
    answered = methods_of(VIEWS[route])
    # The gate answers for every page; no program asks one for its options.
    told = answered - {"OPTIONS"} if route in PAGES else answered
    assert told == permissions.matrix()[route].methods


def assert_let_in(rule: permissions.Rule, method: str, status: int) -> None:
    """Whoever may use a route is answered to its methods, and told so for the others."""
    if method in rule.methods:
        assert status not in {401, 403, 405} and status < 500, (method, status)
    else:
        assert status == 405, (method, status)


@REFUSALS
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_each_principal_gets_what_the_matrix_says(people, route: str, refusals: str) -> None:
    rule = permissions.matrix()[route]
    shut_out = [name for name in SIGNED_IN if name not in rule.principals]
    asking = SIGNED_IN if refusals == "all" else [*rule.principals & {*SIGNED_IN}, *shut_out[:1]]
    for principal in asking:
        tried = methods_tried(() if principal in shut_out else rule.methods, refusals)
        for method, status in answers_to(people[principal], route, tried):
            where = (principal, method, status)
            if principal in shut_out:
                # Who is no member is not told that the campaign exists.
                is_stranger = "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN
                assert status == (404 if is_stranger else 403), where
            elif "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN:
                assert status in {404, 405}, where
            else:
                assert_let_in(rule, method, status)


def answers_to(user: User, route: str, methods: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each method with its status; what the calls change is undone before the next user."""
    with transaction.atomic():
        client = Client(raise_request_exception=False)
        for method in methods:
            # Again only where the call before ended the session: signing in is the dear part.
            if SESSION_KEY not in client.session:
                client.force_login(user)
            answer = client.generic(method, path(route), content_type=content_type(route))
            yield method, answer.status_code
        transaction.set_rollback(True)


def content_type(route: str) -> str:
    is_api = path(route).startswith(API_PREFIX)
    return "application/json" if is_api else "application/x-www-form-urlencoded"


@REFUSALS
@pytest.mark.parametrize("route", sorted(PAGES))
def test_no_page_looks_at_a_token(people, route: str, refusals: str) -> None:
    token = create_token(user=people[Role.ADMIN]).token
    client = Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)
    for method in methods_tried((), refusals):
        answer = client.generic(method, path(route), content_type=content_type(route))
        assert permissions.matrix()[route].is_public or answer.status_code == 302, method


@REFUSALS
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_a_scraper_gets_the_figures_and_is_nobody_elsewhere(
    cast, settings, route: str, refusals: str
) -> None:
    settings.METRICS_TOKEN = "a-scrapers-token-of-a-test"
    rule = permissions.matrix()[route]
    is_opened = route == METRICS_ROUTE or rule.is_public
    for method in methods_tried(rule.methods if is_opened else (), refusals):
        scraper = Client(headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"})
        status = scraper.generic(method, path(route)).status_code
        if is_opened:
            assert_let_in(rule, method, status)
        else:
            assert status == (302 if route in PAGES else 401), (method, status)


@REFUSALS
@pytest.mark.parametrize("scope", TokenScope.values)
@pytest.mark.parametrize("route", sorted(set(ROUTES) - PAGES))
def test_a_token_gives_the_api_with_its_owners_roles_as_far_as_it_reaches(
    people, route: str, scope: str, refusals: str
) -> None:
    rule = permissions.matrix()[route]
    opens = rule.principals & {*SIGNED_IN} if scope in rule.tokens else frozenset()
    shut_out = [name for name in SIGNED_IN if name not in opens]
    reached = rule.methods & {*SAFE_METHODS} if scope == TokenScope.READ else rule.methods
    for principal in SIGNED_IN if refusals == "all" else [*opens, *shut_out[:1]]:
        token = create_token(user=people[principal], scope=scope).token
        client = Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)
        for method in methods_tried(reached if principal in opens else (), refusals):
            answer = client.generic(method, path(route), content_type=content_type(route))
            status, where = answer.status_code, (principal, method, answer.status_code)
            if scope == TokenScope.READ and method not in SAFE_METHODS:
                assert status == 403, where
            elif principal in shut_out:
                is_stranger = "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN
                assert status == (404 if is_stranger else 403), where
            elif "slug" in ROUTES[route] and principal == permissions.SITE_ADMIN:
                assert status in {404, 405}, where
            else:
                assert_let_in(rule, method, status)


def test_no_token_opens_a_page_and_what_only_reads_is_open_to_one_that_only_reads() -> None:
    for route, rule in permissions.matrix().items():
        assert bool(rule.tokens) == (route not in PAGES), route
        assert ("read" in rule.tokens) == (route not in PAGES and "GET" in rule.methods), route


@REFUSALS
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_who_belongs_to_another_campaign_only_meets_nothing_that_is_named(
    cast, route: str, refusals: str
) -> None:
    """With every role elsewhere, so that no gate but the scope of the rows keeps them out."""
    rule = permissions.matrix()[route]
    # Closed, so that nothing of their own is withheld from them as one who rates there.
    Campaign.objects.filter(pk=cast.elsewhere.pk).update(status=CampaignStatus.CLOSED)
    outsider = User.objects.create(username="outsider")
    for role in Role.values:
        outsider.memberships.create(campaign=cast.elsewhere, role=role)
    client = Client(raise_request_exception=False)
    client.force_login(outsider)
    for method in methods_tried(rule.methods, refusals):
        status = client.generic(method, path(route), content_type=content_type(route)).status_code
        if rule.outsider == "403":
            assert status == 403, (method, status)
        elif rule.outsider != "404":
            assert_let_in(rule, method, status)
        elif method not in rule.methods:
            assert status in {404, 405}, (method, status)
        else:
            # What a call can do in general is told without looking for any row.
            assert status == 404 or (method, status) == ("OPTIONS", 200), (method, status)
    # Who has a role there that does not open the route is not told of the campaign either.
    if "slug" in ROUTES[route]:
        mallory = Client(raise_request_exception=False)
        mallory.force_login(cast.mallory)
        status = mallory.generic(sorted(rule.methods)[0], path(route)).status_code
        assert status == 404


def test_what_names_an_object_is_not_found_by_who_belongs_to_another_campaign_only() -> None:
    named = {route for route, arguments in ROUTES.items() if arguments} - OF_NO_CAMPAIGN
    told = {name: rule.outsider for name, rule in permissions.matrix().items()}
    assert {name for name in named if told[name] != "403"} == {
        name for name, outsider in told.items() if outsider == "404"
    }
    # Those are the site admins' alone: no row of a campaign is asked for before the door shuts.
    for name, outsider in told.items():
        if outsider == "403":
            assert permissions.matrix()[name].principals == {permissions.SITE_ADMIN}, name


@pytest.mark.parametrize("column", [*permissions.PRINCIPALS, "outsider", "read_token"])
@pytest.mark.parametrize("cell", [None, "", "y", "Yes"])
def test_a_row_with_a_cell_that_is_missing_or_unknown_is_refused(column, cell) -> None:
    row = dict.fromkeys([*permissions.PRINCIPALS, "read_token", "write_token"], "-")
    row |= {"route": "annotator:home", "methods": "GET", "outsider": "own"}
    assert permissions.read_rule(row).principals == frozenset()
    with pytest.raises(ValueError, match=column):
        permissions.read_rule(row | {column: cell})


@REFUSALS
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_who_is_deactivated_is_nobody_by_session_and_by_token(
    people, route: str, refusals: str
) -> None:
    rule = permissions.matrix()[route]
    session = Client(raise_request_exception=False)
    session.force_login(people[Role.ADMIN])
    token = create_token(user=people[Role.ADMIN]).token
    by_token = Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)
    clients = (session, by_token)
    User.objects.update(is_active=False)
    for client in clients:
        for method in methods_tried(rule.methods if rule.is_public else (), refusals):
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
