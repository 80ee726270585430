"""Who may use which door: the matrix in permission_matrix.csv, read once and kept as data.

The gate asks whether any of a person's roles opens a route; which rows they then see is decided
by the campaign scope in queries, so that another campaign's objects are simply not found.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotator.models import Role

MATRIX_FILE = Path(__file__).with_name("permission_matrix.csv")
ANONYMOUS = "anonymous"
SITE_ADMIN = "site_admin"
PRINCIPALS = (ANONYMOUS, *Role.values, SITE_ADMIN)


@dataclass(frozen=True, slots=True)
class Rule:
    """One route: its methods and the principals that may use it."""

    route: str
    methods: frozenset[str]
    principals: frozenset[str]

    @property
    def is_public(self) -> bool:
        return ANONYMOUS in self.principals


@cache
def matrix() -> dict[str, Rule]:
    """Return the rules by route name."""
    with MATRIX_FILE.open(newline="", encoding="utf-8") as file:
        return {row["route"]: _rule(row) for row in csv.DictReader(file, strict=True)}


def _rule(row: dict[str, str]) -> Rule:
    methods = frozenset(row["methods"].split())
    if "GET" in methods:
        methods |= {"HEAD"}
    allowed = frozenset(name for name in PRINCIPALS if row[name] == "Y")
    return Rule(row["route"], methods | {"OPTIONS"}, allowed)


def may(route: str, principals: frozenset[str]) -> bool:
    """Say whether one of the principals may use the route; an unlisted route is for nobody."""
    rule = matrix().get(route)
    return rule is not None and bool(rule.principals & principals)
