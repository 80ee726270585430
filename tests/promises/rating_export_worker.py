"""A program that exports the ratings of a campaign, and kills itself at a stated moment.

    python -m tests.promises.rating_export_worker SLUG PATH MOMENT [straight]

A moment is a statement to the database, or a step by which a file gets its name, counted from 1;
with 0 it lives, and prints how many moments there were. `straight` is a planted fault: the file is
written under its own name.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django import setup

from tests.promises.mortal import Moments


def main(slug: str, path: str, fatal: int, fault: str = "") -> None:
    """Carry it out, and die before the fatal moment is over."""
    setup()
    from django.db import connection

    from annotator.exports import services as exports_services
    from annotator.models import Campaign

    moments = Moments(fatal)
    for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink")):
        setattr(owner, name, _counted(getattr(owner, name), moments))
    if fault:
        vars(exports_services)["open_atomic"] = _straight
    with connection.execute_wrapper(moments.statement):
        campaign = Campaign.objects.get(slug=slug)
        export = exports_services.request_export(campaign=campaign, format="jsonl")
        exports_services.write_export(export, Path(path))
    sys.stdout.write(str(moments.count))


def _counted(step: Callable[..., Any], moments: Moments) -> Callable[..., Any]:
    def counted(*arguments: Any, **named: Any) -> Any:
        moments()
        return step(*arguments, **named)

    return counted


@contextmanager
def _straight(target: Path) -> Iterator[IO[bytes]]:
    with target.open("wb", buffering=0) as file:
        yield file


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), "".join(sys.argv[4:]))
