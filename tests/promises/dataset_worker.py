"""A program that freezes a campaign or imports a file, and kills itself at a stated moment.

    python -m tests.promises.dataset_worker freeze SLUG NAME MOMENT
    python -m tests.promises.dataset_worker import PATH NAME MOMENT

A moment is a statement to the database, a piece written to a file, its way to disk, its renaming,
or a percent of the work, counted from 1; with 0 it lives, and prints how many moments there were.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from django import setup

FILE_CALLS = ("write", "fsync", "replace", "rename", "unlink")


def main(kind: str, source: str, name: str, fatal: int) -> None:
    """Carry it out, and die before the fatal moment is over."""
    setup()
    from django.db import connection

    from annotator.models import Campaign
    from scoring.datasets.freezing.imports import import_files
    from scoring.datasets.freezing.services import freeze_dataset
    from scoring.quadruplets import SplitPlan

    count = 0

    def pass_by(*_: object) -> None:
        nonlocal count
        count += 1
        if count == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        pass_by()
        return run(sql, params, many, context)

    def call(_frame: Any, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ in FILE_CALLS:
            pass_by()

    sys.setprofile(call)
    with connection.execute_wrapper(execute):
        if kind == "freeze":
            campaign = Campaign.objects.get(slug=source)
            freeze_dataset(campaign=campaign, name=name, progress=pass_by)
        else:
            import_files(name=name, paths=[Path(source)], plan=SplitPlan(), progress=pass_by)
    sys.setprofile(None)
    sys.stdout.write(str(count))


if __name__ == "__main__":
    _, given_kind, given_source, given_name, moment = sys.argv
    main(given_kind, given_source, given_name, int(moment))
