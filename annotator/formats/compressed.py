"""Files that came compressed with gzip, read as what is in them, up to a stated size."""

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Final, Protocol

from annotator.formats.records import ByteSource, FormatError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC: Final = b"\x1f\x8b"
MOST_BYTES: Final = 4 * 1024**3
# Claim texts shrink to a third or a tenth, short made-up ones to a thirtieth.
MOST_TIMES: Final = 100
# Below this many bytes nothing is said of the ratio: a small file may be one word many times.
UNSUSPECTED_BYTES: Final = 16 * 1024 * 1024
_BLOCK: Final = 256 * 1024


class SeekableSource(ByteSource, Protocol):
    """A ByteSource that can be read again from its beginning."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...

    def tell(self) -> int: ...


def unpacked(file: SeekableSource, *, most_bytes: int = MOST_BYTES) -> ByteSource:
    """Return what a file holds from its beginning on: itself, or what gzip packed in it.

    Input: a file open for bytes; its first two bytes decide, not its name. Output: a source that
    raises FormatError while it is read where the gzip stream is cut short or damaged, gives more
    than `most_bytes`, or more than MOST_TIMES the bytes that were read for it (once it has given
    UNSUSPECTED_BYTES): so that a small file cannot fill a server.
    """
    file.seek(0)
    head = file.read(len(MAGIC))
    file.seek(0)
    if head != MAGIC:
        return file
    return io.BufferedReader(_Unpacking(file, most_bytes), _BLOCK)


class _Unpacking(io.RawIOBase):
    """Reads through gzip and counts."""

    def __init__(self, file: SeekableSource, most_bytes: int) -> None:
        super().__init__()
        self._packed = file
        self._stream = gzip.GzipFile(fileobj=file, mode="rb")
        self._most_bytes = most_bytes
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        space = memoryview(buffer).cast("B")
        try:
            data = self._stream.read(min(len(space), _BLOCK))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(
                "The file is compressed with gzip, but cut short or damaged: "
                f"only {self._given:,} bytes could be unpacked."
            ) from error
        self._given += len(data)
        if self._given > self._most_bytes:
            raise FormatError(
                f"The file unpacks to more than the limit of {self._most_bytes:,} bytes."
            )
        if self._given > max(UNSUSPECTED_BYTES, MOST_TIMES * self._packed.tell()):
            raise FormatError(
                f"The file unpacks to more than {MOST_TIMES} times its size; stopped after "
                f"{self._given:,} bytes. Unpack it and look what it is."
            )
        space[: len(data)] = data
        return len(data)
