"""`migrate`, which every start comes by, warns of a database that forgets."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

pytestmark = pytest.mark.django_db(transaction=True)
FORGETTING = {"sqlite": "PRAGMA synchronous=OFF", "postgresql": "SET synchronous_commit=off"}
KEEPING = {"sqlite": "PRAGMA synchronous=FULL", "postgresql": "SET synchronous_commit=on"}


@pytest.mark.parametrize("statements", [FORGETTING, KEEPING], ids=["forgets", "keeps"])
def test_a_start_warns_where_a_power_cut_takes_back_what_was_acknowledged(
    statements: dict[str, str],
) -> None:
    said = StringIO()
    with connection.cursor() as cursor:
        cursor.execute(statements[connection.vendor])
    try:
        call_command("migrate", stdout=StringIO(), stderr=said, no_color=True)
    finally:
        connection.close()
    # The server of `make test` runs without fsync, for speed, and is told so each time.
    names = said.getvalue()
    assert ("synchronous" in names) == (statements is FORGETTING)
