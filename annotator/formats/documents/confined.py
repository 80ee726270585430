"""Has a document read in a process of its own, with so much time and memory and no more.

What is read comes from anywhere, and a library that reads it may have a fault: the process of the
web or of the worker never opens it.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, Final

from annotator.formats.documents.matters import ReadMatters
from annotator.formats.documents.process import MOST_ANSWERED, NO_MEMORY
from annotator.formats.documents.reading import AUTO
from annotator.formats.documents.records import ReadDocument, ReadOptions
from annotator.formats.documents.wire import document_from, matters_from
from core.text_io.streams import BadRecord, FormatError
from core.text_io.strict_json import StrictJsonError, loads

MEMORY_BYTES: Final = 1024 * 1024 * 1024
SECONDS: Final = 120
_ROOT: Final = Path(__file__).resolve().parents[3]
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
    options = options or ReadOptions()
    # The place of the file itself, which the other process shares; what is buffered here stays.
    descriptor = file.fileno()
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, 0, os.SEEK_SET)
    command = [
        *(sys.executable, "-m", "annotator.formats.documents", str(seconds), str(memory_bytes)),
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
        return _read(answer.read())


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
    return "The file cannot be read. Save it anew, or paste the claims as text."


def _read(answered: bytes) -> ReadDocument | ReadMatters:
    try:
        values: dict[str, Any] = loads(answered, max_bytes=MOST_ANSWERED)
    except StrictJsonError:
        raise FormatError("The file holds text that cannot be stored, such as NUL.") from None
    if "refused" in values:
        bad = (BadRecord(line, name, why, file=file) for line, name, why, file in values["bad"])
        raise FormatError(values["refused"], bad)
    if "matters" in values:
        return matters_from(values["matters"])
    return document_from(values["document"])
