"""Every address of the site: routes come from the resolver, ids from the campaigns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.converters import IntConverter, SlugConverter, UUIDConverter

from annotator.access import matrix
from annotator.models import (
    Adjudication,
    ApiToken,
    Assignment,
    BrowserSession,
    Comparison,
    Conflict,
    Flag,
    Identity,
    Passkey,
    Rating,
)
from patclaimeval.rubric import CRITERIA
from tests.guards.blindness.states import Scenario

# What the id of an address names, by the part before it; after any other part every id is tried.
KINDS: Final = {
    "rate": ("assignment",),
    "calibration": ("calibration",),
    "calibrate": ("calibration",),
    "flags": ("flagged",),
    "compare": ("comparison",),
    "ratings": ("rating",),
    "assignments": ("assignment",),
    "adjudication": ("conflict",),
    "conflicts": ("conflict",),
    "rulings": ("adjudication",),
    "settled": ("candidate",),
    "runs": ("run",),
    "training-runs": ("run",),
    "models": ("model",),
    "reports": ("report",),
    "freezes": ("freeze",),
    "texts": ("permission",),
    "score": ("scores",),
    "imports": ("import",),
    "webhooks": ("webhook",),
    "references": ("reference",),
    "sessions": ("session",),
    "tokens": ("token",),
    "providers": ("identity",),
    "passkeys": ("passkey",),
    # A role is answered or gone: any id is told the same.
    "pending": ("user",),
}
OTHER_TEXT: Final = (CRITERIA[0], "no-such-name")
# What the text of an address may be, where any other is not found.
TEXTS: Final = {"annotator:answer_pending_role": ("agree",)}


@dataclass(frozen=True, slots=True)
class Route:
    """A route with the converters of its arguments, and the part before each of them."""

    name: str
    arguments: Mapping[str, tuple[object, str]]


@dataclass(frozen=True, slots=True)
class Address:
    """One address of a route."""

    route: str
    path: str


@cache
def routes() -> tuple[Route, ...]:
    """Return the routes that the matrix lists; `test_routes.py` reports the others."""
    return tuple(route for route in every_route() if route.name in matrix.matrix())


def every_route() -> Iterator[Route]:
    """Yield every route of the resolver."""
    return _walk(get_resolver().url_patterns, (), "", {})


def _walk(
    patterns: Sequence[URLPattern | URLResolver],
    spaces: tuple[str, ...],
    before: str,
    arguments: Mapping[str, tuple[object, str]],
) -> Iterator[Route]:
    for entry in patterns:
        text = before + str(entry.pattern)
        known = {
            name: (converter, _part_before(text, name))
            for name, converter in entry.pattern.converters.items()
        }
        if isinstance(entry, URLResolver):
            inner = (*spaces, entry.namespace) if entry.namespace else spaces
            yield from _walk(entry.url_patterns, inner, text, {**arguments, **known})
        else:
            yield Route(":".join((*spaces, str(entry.name))), {**arguments, **known})


def _part_before(pattern: str, name: str) -> str:
    """Return the last plain part of a pattern before an argument."""
    head = pattern.split(f":{name}>", maxsplit=1)[0].rpartition("<")[0]
    return next((part for part in reversed(head.split("/")) if part and "<" not in part), "")


def ids(scenario: Scenario) -> dict[str, list[UUID]]:
    """Return the ids of a campaign by kind, the item's own first."""
    campaign, rows = scenario.campaign, scenario.measured
    mine = Assignment.objects.filter(campaign=campaign)
    found: dict[str, list[UUID]] = {"assignment": [], "comparison": []}
    for who in ("one", "peer"):
        own = mine.filter(annotator=scenario.people[who]).order_by("position")
        chosen = [*own.filter(candidate=scenario.item), *own.exclude(candidate=scenario.item)[:1]]
        found["assignment"] += [row.pk for row in chosen]
        pairs = Comparison.objects.filter(annotator=scenario.people[who]).order_by("position")
        found["comparison"] += [row.pk for row in pairs[:1]]
    return found | {
        "rating": list(Rating.objects.filter(candidate=scenario.item).values_list("pk", flat=True)),
        "conflict": _conflicts(scenario),
        "adjudication": list(
            Adjudication.objects.filter(conflict__campaign=campaign).values_list("pk", flat=True)
        ),
        "run": [rows.waiting.pk, rows.run.pk],
        "model": [rows.model.pk],
        "report": [rows.report.pk],
        "freeze": [rows.freeze.pk],
        "permission": [rows.permission.pk],
        "scores": [rows.scores.pk],
        "calibration": [row.pk for row in scenario.calibration],
        "flagged": list(
            Flag.objects.filter(assignment__campaign=campaign).values_list("assignment", flat=True)
        ),
        "import": [
            *(scenario.imports.waiting.pk, scenario.imports.refused.pk),
            scenario.imports.document.pk,
        ],
        "webhook": [scenario.webhook.pk],
        "candidate": [scenario.item.pk],
        "reference": [scenario.item.reference_id],
        "session": _first_id(BrowserSession.objects.filter(user=scenario.people["one"])),
        "token": _first_id(ApiToken.objects.filter(user=scenario.people["one"])),
        "passkey": _first_id(Passkey.objects.filter(user=scenario.people["one"])),
        "identity": _first_id(Identity.objects.filter(user=scenario.people["one"])),
        "user": [scenario.people["peer"].pk],
        "campaign": [campaign.pk],
    }


def _first_id(rows: QuerySet[Any]) -> list[UUID]:
    return list(rows.order_by("pk").values_list("id", flat=True)[:1])


def _conflicts(scenario: Scenario) -> list[UUID]:
    """Return one conflict of the item and one of a pair, where there are any."""
    rows = Conflict.objects.filter(campaign=scenario.campaign)
    item = rows.filter(candidate=scenario.item, kind="overall_gap")
    pairs = rows.filter(other_candidate__isnull=False).order_by("pk")
    return [row.pk for row in (*item, *pairs[:1])]


def addresses(
    scenario: Scenario, known: Mapping[str, list[UUID]] | None = None
) -> Iterator[Address]:
    """Yield every address that a campaign gives each route."""
    known = known or ids(scenario)
    for route in routes():
        values = [
            _values(route.name, converter, word, scenario, known)
            for converter, word in route.arguments.values()
        ]
        for chosen in product(*values):
            arguments = dict(zip(route.arguments, chosen, strict=True))
            yield Address(route.name, reverse(route.name, kwargs=arguments))


def _values(
    route: str, converter: object, word: str, scenario: Scenario, known: Mapping[str, list[UUID]]
) -> Sequence[Any]:
    if isinstance(converter, UUIDConverter):
        return [pk for kind in KINDS.get(word, tuple(known)) for pk in known[kind]]
    if isinstance(converter, IntConverter):
        return [1]
    if isinstance(converter, SlugConverter):
        return [
            scenario.measured.version.dataset.name if word == "datasets" else scenario.campaign.slug
        ]
    return TEXTS.get(route, OTHER_TEXT)
