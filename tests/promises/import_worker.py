"""A program that carries out one import and kills itself at a stated database statement.

    python -m tests.promises.import_worker IMPORT STATEMENT

STATEMENT counts from 1; with 0 it lives, and prints at which one the check ended, at which one the
import was closed, and how many there were.
"""

import os
import signal
import sys
from typing import Any

from django import setup


def main(pk: str, fatal: int) -> None:
    """Carry the import out, and die before the fatal statement is carried out."""
    setup()
    from django.db import connection

    from annotator.imports.services import carry_out_import

    count = checked = closed = 0

    def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count, checked, closed
        count += 1
        if count == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        if 'SET "stage"' in sql:
            checked = count
        if sql.startswith("UPDATE") and '"finished_at" =' in sql:
            closed = count
        return run(sql, params, many, context)

    with connection.execute_wrapper(execute):
        carry_out_import(pk)
    sys.stdout.write(f"{checked} {closed} {count}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
