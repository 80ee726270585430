"""A program that exports a dataset by the command, and kills itself at a stated moment.

    python -m tests.promises.export_worker DIRECTORY MOMENT ARGUMENT ...

A moment is a row read, or a file of the directory that is about to be opened, locked, renamed or
removed, counted from 1; with 0 it lives, and prints how many moments there were.
"""

import os
import sys
from pathlib import Path
from unittest.mock import patch

from django import setup

from tests.promises.mortal import Moments

# Which audit events Python raises before a process touches files.
EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "fcntl.flock", "os.link")


def main(directory: str, fatal: int, arguments: list[str]) -> None:
    """Carry it out, and die before the fatal moment is over."""
    setup()
    from django.core.management import call_command

    from scoring.management.commands import export_dataset

    moments = Moments(fatal)

    def watch(event: str, details: tuple[object, ...]) -> None:
        touches = event in EVENTS and str(details[0]).startswith(directory)
        if touches or event == "fcntl.flock":
            moments()

    sys.addaudithook(watch)
    bar = patch.object(export_dataset, "progress_bar", lambda log, label: moments)
    with bar, Path(os.devnull).open("w") as nowhere:
        call_command("export_dataset", *arguments, stdout=nowhere, stderr=nowhere)
    print(moments.count)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
