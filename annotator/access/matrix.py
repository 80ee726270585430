"""Who may use which route: the matrix in permission_matrix.csv, read once and held as data.

The gate asks whether any of a person's roles opens a route; which rows they then see is decided
by the campaign scope in queries, so that another campaign's objects are simply not found.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from annotator.models import Role, TokenScope

MATRIX_FILE = Path(__file__).with_name("permission_matrix.csv")
ANONYMOUS = "anonymous"
SITE_ADMIN = "site_admin"
OWN_ACCOUNT = ("annotator:account", "api:join")
PRINCIPALS = (ANONYMOUS, *Role.values, SITE_ADMIN)
# What somebody of another campaign meets: nothing there, their own rows, what is everybody's, or a
# route that no role in a campaign opens.
OUTSIDER: Final = ("404", "own", "Y", "403")
TOKENS: Final = {scope: f"{scope}_token" for scope in TokenScope.values}
API_SPACE: Final = "api:"


@dataclass(frozen=True, slots=True)
class Rule:
    """One route: its methods, the principals that may use it, and the tokens that open it."""

    route: str
    methods: frozenset[str]
    principals: frozenset[str]
    tokens: frozenset[str]
    outsider: str

    @property
    def is_own_account(self) -> bool:
        """Whether the route is for everybody who is signed in, with or without a role."""
        return self.route.startswith(OWN_ACCOUNT)

    @property
    def is_public(self) -> bool:
        return ANONYMOUS in self.principals


@cache
def matrix() -> dict[str, Rule]:
    """Return the rules by route name."""
    with MATRIX_FILE.open(newline="", encoding="utf-8") as file:
        return {row["route"]: read_rule(row) for row in csv.DictReader(file, strict=True)}


def read_rule(row: dict[str, str]) -> Rule:
    """Return a row of the file as a rule; ValueError for a cell that is missing or unknown."""
    for column in (*PRINCIPALS, *TOKENS.values()):
        if row[column] not in {"Y", "-"}:
            raise ValueError(f"{row['route']}: {column} is Y or -, not {row[column]!r}")
    if row["outsider"] not in OUTSIDER:
        raise ValueError(f"{row['route']}: outsider is one of {', '.join(OUTSIDER)}")
    methods = frozenset(row["methods"].split())
    if "GET" in methods:
        methods |= {"HEAD"}
    if API_SPACE in row["route"]:
        # Browsers ask no page for its options; a program may ask a call for them.
        methods |= {"OPTIONS"}
    return Rule(
        row["route"],
        methods,
        frozenset(name for name in PRINCIPALS if row[name] == "Y"),
        frozenset(scope for scope, column in TOKENS.items() if row[column] == "Y"),
        row["outsider"],
    )


def may(route: str, principals: frozenset[str]) -> bool:
    """Return whether one of the principals may use the route; an unlisted route is for nobody."""
    rule = matrix().get(route)
    return rule is not None and bool(rule.principals & principals)
