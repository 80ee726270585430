"""Every route stands in each table that must know it, or one sentence names what to add where."""

from typing import Final

import pytest
from rest_framework.permissions import SAFE_METHODS

from annotator.access import matrix
from annotator.audit_log import listed_actions
from tests.guards.acts_on_record import CASES, NAMED, NO_ACT
from tests.guards.blindness.addresses import every_route
from tests.guards.blindness.allowed_keys import ALLOWED_KEYS, NO_SERIALIZER

RULES: Final = matrix.matrix()
CALLS: Final = {
    f"{method} {name}"
    for name, rule in RULES.items()
    if ":api:" in f":{name}" and name not in NO_SERIALIZER
    for method in rule.methods - {"HEAD", "OPTIONS"}
}
LABELS: Final = "annotator/audit_log.py, or scoring/audit_labels.py,"
ACTS: Final = {case.action for case in CASES.values()} | set(NAMED.values())
# By table: what must be in it, what is, and what to write there.
TABLES: Final = {
    "annotator/access/permission_matrix.csv": (
        {route.name for route in every_route()},
        set(RULES),
        "a row on who may use it",
    ),
    "tests/guards/acts_on_record.py": (
        {name for name, rule in RULES.items() if rule.methods - set(SAFE_METHODS)},
        {*CASES, *NAMED, *NO_ACT},
        "the act that it leaves in the audit trail, or why it leaves none",
    ),
    "tests/guards/blindness/allowed_keys.py": (
        CALLS,
        set(ALLOWED_KEYS),
        'the keys of its answer, "" if it answers with nothing',
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_every_route_stands_in_the_tables_that_must_know_it(table) -> None:
    wanted, listed, remedy = TABLES[table]
    missing, gone = (", ".join(sorted(names)) for names in (wanted - listed, listed - wanted))
    assert not missing, f"{table} lacks {missing}: add {remedy}"
    assert not gone, f"{table} names {gone}, which is no route or call of the site: take it out"


def test_every_act_of_a_route_has_a_label() -> None:
    missing = ", ".join(sorted(ACTS - {action for action, _ in listed_actions()}))
    assert not missing, f"{LABELS} lacks {missing}: add how the trail names it"
