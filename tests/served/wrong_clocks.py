"""Programs whose clock is wrong, by libfaketime: those of one machine, or one that steps back."""

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
    return _environment() | {"FAKETIME": offset}


def offset_from(path: Path) -> dict[str, str]:
    """Return what has a program read its offset from a file, again and again."""
    return _environment() | {"FAKETIME_TIMESTAMP_FILE": str(path), "FAKETIME_CACHE_DURATION": "1"}


def _environment() -> dict[str, str]:
    # Waiting and time-outs go by a clock that nobody sets.
    return {"LD_PRELOAD": str(library()), "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
