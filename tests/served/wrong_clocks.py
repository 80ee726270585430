"""Programs whose clock is wrong, by libfaketime."""

from pathlib import Path
from typing import Final

_FOLDERS: Final = ("usr/lib/*/faketime", "usr/local/lib/faketime", "usr/lib/faketime")


def library() -> Path | None:
    """Return libfaketime for programs of several threads, where it is installed."""
    places = [place for folder in _FOLDERS for place in Path("/").glob(folder)]
    found = [path for place in places for path in place.glob("libfaketimeMT.so*")]
    return min(found, default=None)


def wrong_by(offset: str) -> dict[str, str]:
    """Return what gives a program a clock that is wrong by "+1d" or "-1h", from its start on."""
    # Waiting and time-outs go by a clock that nobody sets.
    monotonic = {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return {"LD_PRELOAD": str(library()), "FAKETIME": offset} | monotonic
