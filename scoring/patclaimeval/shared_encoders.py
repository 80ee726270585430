"""Keeps the frozen encoders that this process loaded, so that several models share one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from scoring.patclaimeval.config import DEFAULT_ENCODER
from scoring.patclaimeval.encoder import Encoder, load_encoder
from scoring.patclaimeval.encoder_places import embedded_directory, what_is_missing
from scoring.patclaimeval.errors import EncoderUnavailable

MOST_KEPT: Final = 2
"""Encoders held in memory at a time; the embedded one takes about 100 MB."""

Files = tuple[tuple[str, int, int, int], ...]
"""Name, inode, size and time of change of each file of a directory."""


def shared_encoder(
    name: str, *, max_tokens: int, global_tokens: str = "cls", allow_download: bool = False
) -> Encoder:
    """Return the encoder that ``load_encoder`` gives, loaded once while its files are untouched.

    It is for reading only: who trains it, moves it to a device or changes its precision loads
    one of their own. What is in memory was checked when it was loaded, and its ``digest`` says
    what it is. A name that is no directory is loaded anew each time. Raises what
    ``load_encoder`` raises.
    """
    directory = embedded_directory() if name == DEFAULT_ENCODER else Path(name)
    try:
        files = _files(directory) if directory.is_dir() else None
    except OSError as error:
        raise EncoderUnavailable(what_is_missing(name, True, error)) from error
    if files is not None:
        return _loaded(name, files, max_tokens, global_tokens)
    return load_encoder(
        name, max_tokens=max_tokens, global_tokens=global_tokens, allow_download=allow_download
    )


@lru_cache(maxsize=MOST_KEPT)
def _loaded(name: str, files: Files, max_tokens: int, global_tokens: str) -> Encoder:
    return load_encoder(name, max_tokens=max_tokens, global_tokens=global_tokens)


def _files(directory: Path) -> Files:
    found = ((path.name, path.stat()) for path in sorted(directory.iterdir()))
    return tuple((name, at.st_ino, at.st_size, at.st_mtime_ns) for name, at in found)
