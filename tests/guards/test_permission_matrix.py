"""Every route stands in the permission matrix, and each principal gets what it grants.

The checks are called as functions for all cells: principals, methods, session and tokens. Requests
are made where the matrix lets somebody in, and one a route where it does not; `make test-all` makes
them all. A test asks for all routes with one cast, and names each answer that is wrong.
"""

import uuid
from collections.abc import Collection, Iterator
from functools import cache
from itertools import product
from types import FunctionType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from annotator.access import matrix
from annotator.access.api import MatrixPermission
from annotator.access.gate import API_PREFIX, METRICS_ROUTE, Gate
from annotator.accounts.sessions import create_token
from annotator.models import Campaign, CampaignStatus, Role, TokenScope, User

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ARGUMENTS = {
    "slug": "cups",
    "pk": uuid.UUID(int=7),
    "name": "cups",
    "number": 1,
    "place": 1,
    "token": "no-such-token",
}
# The name in its address is a criterion of the rubric.
OF_NO_CAMPAIGN = {
    *("annotator:rubric_criterion", "annotator:change_user", "annotator:invitation"),
    *("annotator:reset_password", "annotator:account_mail_confirm"),
    # In theirs is a provider of the settings.
    *("annotator:provider_sign_in", "annotator:provider_back", "annotator:provider_ended"),
    "annotator:link_provider",
}
SIGNED_IN = tuple(name for name in matrix.PRINCIPALS if name != matrix.ANONYMOUS)
# How many of the requests that are to be refused are made; the checks are called for all of them.
REFUSALS = pytest.mark.parametrize(
    "refusals", ["one", pytest.param("all", marks=pytest.mark.exhaustive)]
)
# A cell that is not as in the matrix: who asked for which route by which method, and the answer.
Wrong = list[tuple[Any, ...]]


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


# What the matrix does not list is reported by `test_routes.py`, once.
WALKED = tuple(one for one in routes(get_resolver().url_patterns) if one[0] in matrix.matrix())
ROUTES = {name: arguments for name, arguments, _ in WALKED}
VIEWS = {name: view for name, _, view in WALKED}


def methods_of(view: Any) -> set[str]:
    """Return the methods that a view would answer, whatever the matrix holds."""
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


@cache
def path(route: str) -> str:
    return reverse(route, kwargs={name: ARGUMENTS[name] for name in ROUTES[route]})


CALLS = {route for route in ROUTES if path(route).startswith(API_PREFIX)}
PAGES = ROUTES.keys() - CALLS


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


def methods_tried(allowed: Collection[str], refusals: str, *, is_short: bool = False) -> list[str]:
    """Return the methods that are let in, with the first that is not, or with all of those.

    In short, those whose answers are views of their own: HEAD comes with GET.
    """
    refused = [method for method in METHODS if method not in allowed]
    if refusals == "all":
        return [*allowed, *refused]
    own = [method for method in METHODS if method in allowed and method not in {"HEAD", "OPTIONS"}]
    return own if is_short else [*allowed, *refused[:1]]


def status_at_the_gate(route: str, method: str, principal: str) -> int:
    """Return the status with which the gate answers a page's request, 200 where it lets it by."""
    request: Any = RequestFactory().generic(method, path(route))
    request.resolver_match = resolve(path(route))
    request.user = SimpleNamespace(is_authenticated=principal != matrix.ANONYMOUS)
    request._principals = frozenset({principal})
    try:
        answer = Gate(lambda _: HttpResponse()).process_view(request, None, (), {})
    except PermissionDenied:
        return 403
    return answer.status_code if answer else 200


def status_of_the_api(route: str, method: str, principal: str, scope: str | None) -> int:
    """Return the status with which a call is answered by session or token, 200 if it is let by."""
    plain = RequestFactory().generic(method, path(route))
    plain.resolver_match = resolve(path(route))
    request: Any = Request(plain)
    is_admin = principal == matrix.SITE_ADMIN
    request.user = SimpleNamespace(is_authenticated=True, is_superuser=is_admin)
    request.auth = scope
    # The site admin, a member of nothing, is taken as somebody without a role in the campaign.
    roles = frozenset() if is_admin else frozenset({principal})
    held = {ARGUMENTS["slug"]: roles}
    view: Any = SimpleNamespace(kwargs=plain.resolver_match.kwargs)
    try:
        with patch("annotator.access.api.roles_by_campaign", return_value=held):
            return 200 if MatrixPermission().has_permission(request, view) else 403
    except MethodNotAllowed:
        return 405


def test_the_gate_opens_each_cell_of_a_page_and_no_other() -> None:
    wrong: Wrong = []
    for route, principal, method in product(sorted(PAGES), matrix.PRINCIPALS, METHODS):
        rule = matrix.matrix()[route]
        closed = 302 if principal == matrix.ANONYMOUS else 403
        opened = 200 if method in rule.methods else 405
        expected = opened if rule.is_public or principal in rule.principals else closed
        status = status_at_the_gate(route, method, principal)
        wrong += [(principal, method, route, status)] if status != expected else []
    assert not wrong, listed(wrong)


def test_the_api_opens_each_cell_of_a_call_and_no_other() -> None:
    wrong: Wrong = []
    scopes = [None, *TokenScope.values]
    for route, principal, method, scope in product(sorted(CALLS), SIGNED_IN, METHODS, scopes):
        rule = matrix.matrix()[route]
        opens = principal in rule.principals and (scope is None or scope in rule.tokens)
        expected = (200 if method in rule.methods else 405) if opens else 403
        status = status_of_the_api(route, method, principal, scope)
        wrong += [(principal, scope, method, route, status)] if status != expected else []
    assert not wrong, listed(wrong)


def listed(wrong: Wrong) -> str:
    """Return every cell that is wrong, a line each."""
    return "\n".join(" / ".join(map(str, one)) for one in wrong)


class Asking:
    """Somebody who asks for one route after the other, each as if nothing had been asked before."""

    def __init__(self, client: Client) -> None:
        client.raise_request_exception = False
        self.client = client
        self.signed_in_by = {name: one.value for name, one in client.cookies.items()}

    def __call__(self, route: str, method: str) -> HttpResponse:
        """Return the answer to a request, and undo what it did: one of the routes signs out."""
        self.client.cookies.load(self.signed_in_by)
        with transaction.atomic():
            answer: Any = self.client.generic(method, path(route), content_type=content_type(route))
            transaction.set_rollback(True)
        return answer


def by_session(user: User) -> Asking:
    client = Client()
    client.force_login(user)
    return Asking(client)


def by_token(user: User, scope: str = TokenScope.WRITE) -> Asking:
    token = create_token(user=user, scope=scope).token
    return Asking(Client(headers={"Authorization": f"Token {token}"}))


def content_type(route: str) -> str:
    return "application/json" if route in CALLS else "application/x-www-form-urlencoded"


def is_let_in(rule: matrix.Rule, method: str, status: int) -> bool:
    """Whoever may use a route is answered to its methods, and refused the others."""
    if method in rule.methods:
        return status not in {401, 403, 405} and status < 500
    return status == 405


def is_sent_away(route: str, answer: HttpResponse) -> bool:
    """Whoever is nobody is led to the sign-in, and a program answered that it has not signed in."""
    if route in CALLS:
        return answer.status_code == 401
    return answer.status_code == 302 and answer["Location"].startswith("/login/?next=")


def wrong_for_nobody(
    who: str, ask: Asking, refusals: str, opened: Collection[str] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield what is answered wrongly to one who is nobody, but for these routes."""
    for route in sorted(ROUTES):
        rule = matrix.matrix()[route]
        is_open = rule.is_public or route in opened
        for method in methods_tried(rule.methods if is_open else (), refusals):
            answer = ask(route, method)
            status = answer.status_code
            if not (is_let_in(rule, method, status) if is_open else is_sent_away(route, answer)):
                yield who, method, route, status


@REFUSALS
def test_anonymous_gets_what_the_matrix_says(cast, refusals) -> None:
    wrong = [*wrong_for_nobody("anonymous", Asking(Client()), refusals)]
    assert not wrong, listed(wrong)


def test_no_view_takes_a_method_that_the_matrix_does_not_list() -> None:
    wrong: Wrong = []
    for route in sorted(ROUTES):
        answered = methods_of(VIEWS[route])
        # The gate answers for every page; no program asks one for its options.
        methods = answered - {"OPTIONS"} if route in PAGES else answered
        if methods != matrix.matrix()[route].methods:
            wrong.append((route, sorted(methods)))
    assert not wrong, listed(wrong)


def is_as_listed(route: str, principal: str, method: str, status: int, *, opens: bool) -> bool:
    """Return whether one who is signed in got what the matrix grants."""
    rule = matrix.matrix()[route]
    # Who is no member does not learn that the campaign exists.
    is_stranger = "slug" in ROUTES[route] and principal == matrix.SITE_ADMIN
    if not opens:
        return status == (404 if is_stranger else 403)
    if is_stranger:
        return status in {404, 405}
    return is_let_in(rule, method, status)


@REFUSALS
def test_each_principal_gets_what_the_matrix_says(people, refusals) -> None:
    wrong: Wrong = []
    asking = {name: by_session(people[name]) for name in SIGNED_IN}
    for route in sorted(ROUTES):
        rule = matrix.matrix()[route]
        tried = principals_tried(rule.principals, refusals)
        for principal in tried:
            opens = principal in rule.principals
            is_short = opens and principal != tried[0]
            for method in methods_tried(rule.methods if opens else (), refusals, is_short=is_short):
                status = asking[principal](route, method).status_code
                if not is_as_listed(route, principal, method, status, opens=opens):
                    wrong.append((principal, method, route, status))
    assert not wrong, listed(wrong)


def principals_tried(allowed: Collection[str], refusals: str) -> list[str]:
    """Return who is let in, and the first who is not, or all of those."""
    shut_out = [name for name in SIGNED_IN if name not in allowed]
    let_in = [name for name in SIGNED_IN if name in allowed]
    return [*let_in, *(shut_out if refusals == "all" else shut_out[:1])]


@REFUSALS
def test_no_page_looks_at_a_token(people, refusals) -> None:
    ask, wrong = by_token(people[Role.ADMIN]), []
    for route in sorted(PAGES):
        for method in methods_tried((), refusals):
            status = ask(route, method).status_code
            if not matrix.matrix()[route].is_public and status != 302:
                wrong.append((method, route, status))
    assert not wrong, listed(wrong)


@REFUSALS
def test_a_scraper_gets_the_figures_and_is_nobody_elsewhere(cast, settings, refusals) -> None:
    settings.METRICS_TOKEN = "a-scrapers-token-of-a-test"
    scraper = Asking(Client(headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"}))
    wrong = [*wrong_for_nobody("scraper", scraper, refusals, opened={METRICS_ROUTE})]
    assert not wrong, listed(wrong)


@REFUSALS
@pytest.mark.parametrize("scope", TokenScope.values)
def test_a_token_gives_the_api_with_its_owners_roles_as_far_as_it_reaches(
    people, scope, refusals
) -> None:
    wrong: Wrong = []
    asking = {name: by_token(people[name], scope) for name in SIGNED_IN}
    for route in sorted(CALLS):
        rule = matrix.matrix()[route]
        allowed = rule.principals if scope in rule.tokens else frozenset()
        reached = rule.methods & {*SAFE_METHODS} if scope == TokenScope.READ else rule.methods
        tried = principals_tried(allowed, refusals)
        for principal in tried:
            opens = principal in allowed
            is_short = opens and principal != tried[0]
            for method in methods_tried(reached if opens else (), refusals, is_short=is_short):
                status = asking[principal](route, method).status_code
                if scope == TokenScope.READ and method not in SAFE_METHODS:
                    is_right = status == 403
                else:
                    is_right = is_as_listed(route, principal, method, status, opens=opens)
                wrong += [] if is_right else [(principal, method, route, status)]
    assert not wrong, listed(wrong)


def test_no_token_opens_a_page_and_what_only_reads_is_open_to_one_that_only_reads() -> None:
    for route, rule in matrix.matrix().items():
        assert bool(rule.tokens) == (route not in PAGES), route
        assert ("read" in rule.tokens) == (route not in PAGES and "GET" in rule.methods), route


@REFUSALS
def test_who_belongs_to_another_campaign_only_meets_nothing_that_is_named(cast, refusals) -> None:
    """With every role elsewhere, so that no gate but the scope of the rows keeps them out."""
    # Closed, so that nothing of their own is withheld from them as one who rates there.
    Campaign.objects.filter(pk=cast.elsewhere.pk).update(status=CampaignStatus.CLOSED)
    outsider = User.objects.create(username="outsider")
    for role in Role.values:
        outsider.memberships.create(campaign=cast.elsewhere, role=role)
    ask, mallory, wrong = by_session(outsider), by_session(cast.mallory), []
    for route in sorted(ROUTES):
        rule = matrix.matrix()[route]
        for method in methods_tried(rule.methods, refusals, is_short=rule.outsider == "404"):
            status = ask(route, method).status_code
            if not is_right_for_an_outsider(rule, method, status):
                wrong.append(("outsider", method, route, status))
        # Who has a role there that does not open the route does not learn of the campaign either.
        if "slug" in ROUTES[route]:
            method = min(rule.methods)
            status = mallory(route, method).status_code
            wrong += [("mallory", method, route, status)] if status != 404 else []
    assert not wrong, listed(wrong)


def is_right_for_an_outsider(rule: matrix.Rule, method: str, status: int) -> bool:
    if rule.outsider == "403":
        return status == 403
    if rule.outsider != "404":
        return is_let_in(rule, method, status)
    if method not in rule.methods:
        return status in {404, 405}
    # What a call can do in general is answered without looking for any row.
    return status == 404 or (method, status) == ("OPTIONS", 200)


def test_what_names_an_object_is_not_found_by_who_belongs_to_another_campaign_only() -> None:
    named = {route for route, arguments in ROUTES.items() if arguments} - OF_NO_CAMPAIGN
    outsiders = {name: rule.outsider for name, rule in matrix.matrix().items()}
    assert {name for name in named if outsiders[name] != "403"} == {
        name for name, outsider in outsiders.items() if outsider == "404"
    }
    # Those are the site admins' alone: no row of a campaign is asked for before they are refused.
    for name, outsider in outsiders.items():
        if outsider == "403":
            assert matrix.matrix()[name].principals == {matrix.SITE_ADMIN}, name


@pytest.mark.parametrize("column", [*matrix.PRINCIPALS, "outsider", "read_token"])
@pytest.mark.parametrize("cell", [None, "", "y", "Yes"])
def test_a_row_with_a_cell_that_is_missing_or_unknown_is_refused(column, cell) -> None:
    row = dict.fromkeys([*matrix.PRINCIPALS, "read_token", "write_token"], "-")
    row |= {"route": "annotator:home", "methods": "GET", "outsider": "own"}
    assert matrix.read_rule(row).principals == frozenset()
    with pytest.raises(ValueError, match=column):
        matrix.read_rule(row | {column: cell})


@REFUSALS
def test_who_is_deactivated_is_nobody_by_session_and_by_token(people, refusals) -> None:
    asking = {"session": by_session(people[Role.ADMIN]), "token": by_token(people[Role.ADMIN])}
    User.objects.update(is_active=False)
    wrong = [one for who, ask in asking.items() for one in wrong_for_nobody(who, ask, refusals)]
    assert not wrong, listed(wrong)


def test_a_route_that_is_not_listed_is_for_nobody() -> None:
    everyone = frozenset(matrix.PRINCIPALS)
    assert not matrix.may("annotator:unlisted", everyone)
    assert not AnonymousUser().is_authenticated
