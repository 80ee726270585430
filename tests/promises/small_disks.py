"""Disks that are soon full: of a size of one's own, in memory."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """Give a disk that every user may reach; skip where none can be mounted, as only root may."""
    place = Path(tempfile.mkdtemp(prefix="disk."))
    size = f"size={megabytes}m,mode=0711"
    command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        place.rmdir()
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()


def fill(place: Path) -> Path:
    """Write until nothing fits any more; return the file, which gives the space back."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return filler
