"""The command `import_claims` in a process that kills itself at a stated database statement.

    python -m tests.promises.claim_file_worker PATH SLUG STATEMENT [FAULT]

STATEMENT counts from 1; with 0 it lives, and prints how many there were, and how many references
and candidates are new. FAULT "commit-midway" plants what P12 forbids.
"""

import io
import json
import sys
from importlib import import_module
from typing import Any

from django import setup

from tests.promises.mortal import Moments


def main(path: str, slug: str, fatal: int, fault: str = "") -> None:
    """Run the command, and die before the fatal statement is carried out."""
    setup()
    from django.core.management import call_command
    from django.db import connection

    moments = Moments(fatal)
    if fault == "commit-midway":
        plant_commits()
    out = io.StringIO()
    with connection.execute_wrapper(moments.statement):
        call_command("import_claims", path, "--campaign", slug, "--json", stdout=out)
    document = json.loads(out.getvalue())
    sys.stdout.write(f"{moments.count} {document['references']} {document['candidates']}")


def plant_commits() -> None:
    """Have the rows committed past Django, which goes on as if its transaction were open."""
    from django.db import connection

    services: Any = import_module("annotator.imports.claims.services")
    store_context = services.store_context

    def commit_and_store(contexts: Any) -> int:
        if connection.vendor == "sqlite":
            connection.connection.execute("COMMIT")
            connection.connection.execute("BEGIN IMMEDIATE")
        else:
            connection.connection.commit()
        return store_context(contexts)

    services.store_context = commit_and_store


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
