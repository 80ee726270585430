"""A program that carries out one import and kills itself at a stated database statement.

    python -m tests.promises.import_worker IMPORT STATEMENT

STATEMENT counts from 1; with 0 it lives, and prints at which one the check ended, at which one the
import was closed, and how many there were.
"""

import sys
from typing import Any

from django import setup

from tests.promises.mortal import Moments


def main(pk: str, fatal: int) -> None:
    """Carry the import out, and die before the fatal statement is carried out."""
    setup()
    from django.db import connection

    from annotator.imports.services import carry_out_import

    moments = Moments(fatal)
    checked = closed = 0

    def execute(run: Any, sql: str, *asked: Any) -> Any:
        nonlocal checked, closed
        moments()
        if sql.startswith("UPDATE") and '"stage" =' in sql.partition(" WHERE ")[0]:
            checked = moments.count
        if sql.startswith("UPDATE") and '"finished_at" =' in sql:
            closed = moments.count
        return run(sql, *asked)

    with connection.execute_wrapper(execute):
        carry_out_import(pk)
    sys.stdout.write(f"{checked} {closed} {moments.count}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
