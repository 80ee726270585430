"""Has a document read in a process of its own, with so much time and memory and no more.

What is read comes from anywhere, and a library that reads it may have a fault: the process of the
web or of the worker never opens it.
"""

import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from patclaimeval.documents.context import Sheet
from patclaimeval.documents.matters import ReadMatters
from patclaimeval.documents.process import NO_MEMORY
from patclaimeval.documents.reading import AUTO, DRAWINGS
from patclaimeval.documents.records import ReadDocument, ReadOptions
from patclaimeval.documents.wire import Answer, decode_answer
from patclaimeval.text_io.streams import FormatError

logger = logging.getLogger(__name__)

MEMORY_BYTES: Final = 1024 * 1024 * 1024
SECONDS: Final = 120
# What ends a folder's name, on any system.
_PATHS: Final = r"[/\\:]"
_UNREADABLE: Final = "The file cannot be read. Save it again, or paste the claims as text."
# Of the places where a reader failed: the last ones say most.
_MOST_LOGGED: Final = 8_000
_ROOT: Final = Path(__file__).resolve().parents[2]
# Of the environment, what a Python needs to start, and no secret.
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "PYTHONPYCACHEPREFIX", "LD_LIBRARY_PATH")


def read_confined(
    file: BinaryIO,
    kind: str = AUTO,
    options: ReadOptions | None = None,
    *,
    seconds: int = SECONDS,
    memory_bytes: int = MEMORY_BYTES,
) -> ReadDocument | ReadMatters:
    """Return what another process has read of a file.

    Inputs: a file of the file system, open for bytes, its kind, and what the person chose. Raises
    FormatError as the readers do, and where reading took longer than `seconds`, needed more than
    `memory_bytes`, or ended the process.
    """
    found = _answered(file, kind, options or ReadOptions(), seconds, memory_bytes)
    read = found.matters or found.document
    if read is None:
        raise FormatError(_UNREADABLE)
    return read


def read_pictures(images: Sequence[tuple[str, bytes]]) -> tuple[Sheet, ...]:
    """Return the sheets of images, each given as its name and bytes, as another process drew them.

    Raises FormatError as `sheets_of` does, and as `read_confined` does.
    """
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w") as archive:
            for number, (name, data) in enumerate(images):
                # The name is shown in refusals, and the order is that of the numbers.
                archive.writestr(f"{number:04}/{re.sub(_PATHS, ' ', name)}", data)
        file.flush()
        return _answered(file, DRAWINGS, ReadOptions(), SECONDS, MEMORY_BYTES).sheets


def _answered(
    file: Any, kind: str, options: ReadOptions, seconds: int, memory_bytes: int
) -> Answer:
    """Return what the other process answers."""
    # The place of the file itself, which the other process shares; what is buffered here stays.
    descriptor = file.fileno()
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, 0, os.SEEK_SET)
    command = [
        *(sys.executable, "-m", "patclaimeval.documents", str(seconds), str(memory_bytes)),
        *(kind, options.tracked_changes, options.language),
        *("" if number is None else str(number) for number in (options.first, options.last)),
    ]
    # Without a name, so that nobody else can open what stands in it.
    with tempfile.TemporaryFile() as answer:
        try:
            done = subprocess.run(
                command,
                stdin=file,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                cwd=_ROOT,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise FormatError(_took_too_long(seconds)) from None
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)
        if done.returncode:
            raise FormatError(_ended(done.returncode, seconds, memory_bytes))
        answer.seek(0)
        return _checked(answer.read())


def _took_too_long(seconds: int) -> str:
    return (
        f"Reading the file took longer than {seconds} seconds. Save the part with the claims as a "
        "file of its own."
    )


def _ended(code: int, seconds: int, memory_bytes: int) -> str:
    """Return why a reader ended without an answer."""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return _took_too_long(seconds)
    if code == NO_MEMORY or code < 0:
        # Libraries in C end the process where they get no memory.
        return (
            f"Reading the file needs more than {memory_bytes // 2**20:,} MiB of memory, or it is "
            "made to do harm. Save the part with the claims as a file of its own."
        )
    return _UNREADABLE


def _checked(data: bytes) -> Answer:
    """Return an answer that is no refusal; log where a reader failed, with no text of the file."""
    try:
        found = decode_answer(data)
    except msgspec.DecodeError as error:
        logger.error("a reader of documents gave no answer: %s", type(error).__name__)
        raise FormatError(_UNREADABLE) from None
    if found.failed_at:
        logger.error("a reader of documents failed: %s", "\n".join(found.failed_at)[-_MOST_LOGGED:])
        raise FormatError(_UNREADABLE)
    if found.refused:
        raise FormatError(found.refused, found.bad)
    return found
