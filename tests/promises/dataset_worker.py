"""A program that freezes a campaign or imports a file, and kills itself at a stated moment.

    python -m tests.promises.dataset_worker freeze SLUG NAME MOMENT
    python -m tests.promises.dataset_worker import PATH NAME MOMENT

A moment is a statement to the database, a piece written to a file, its way to disk, its renaming,
or a step of a freeze, counted from 1; with 0 it lives, and prints how many moments there were.
"""

import sys
from pathlib import Path
from typing import Any

from django import setup

from tests.promises.mortal import Moments

FILE_CALLS = ("write", "fsync", "replace", "rename", "unlink")


def main(kind: str, source: str, name: str, fatal: int) -> None:
    """Carry it out, and die before the fatal moment is over."""
    setup()
    from django.db import connection

    from annotator.models import Campaign
    from scoring.datasets.freezing.imports import import_files
    from scoring.datasets.freezing.services import freeze_dataset
    from scoring.quadruplets import SplitPlan

    moments = Moments(fatal)

    def call(_frame: Any, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ in FILE_CALLS:
            moments()

    sys.setprofile(call)
    with connection.execute_wrapper(moments.statement):
        if kind == "freeze":
            campaign = Campaign.objects.get(slug=source)
            freeze_dataset(campaign=campaign, name=name, progress=moments)
        else:
            import_files(name=name, paths=[Path(source)], plan=SplitPlan())
    sys.setprofile(None)
    sys.stdout.write(str(moments.count))


if __name__ == "__main__":
    _, given_kind, given_source, given_name, moment = sys.argv
    main(given_kind, given_source, given_name, int(moment))
