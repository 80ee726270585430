"""Opens ZIP archives that anybody may have made; what is wrong with one is said before reading."""

import io
import re
import stat
import struct
import zipfile
import zlib
from typing import Final

from patclaimeval.text_io.streams import FormatError

MOST_ENTRIES: Final = 5_000
# What an archive may hold unpacked; only parts of it are ever read, one at a time.
MOST_UNPACKED: Final = 1024 * 1024 * 1024
# XML of Word packs to a twentieth, at most to a fiftieth.
MOST_TIMES: Final = 200
UNSUSPECTED_BYTES: Final = 1024 * 1024
_METHODS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# What zipfile raises for bytes that are no archive, or not all of one.
_BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError, OverflowError, IndexError),
)
_LONGEST_SHOWN: Final = 120
_ENCRYPTED: Final = 0x1
_LEAVES: Final = re.compile(r"(?:^|/)\.\.(?:/|$)|^/|\\|^[A-Za-z]:|[\x00-\x1f]")


def shown(name: str) -> str:
    """Return the name of a file for a message: not too long, nothing in it invisible."""
    plain = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in name)
    return plain if len(plain) <= _LONGEST_SHOWN else plain[:_LONGEST_SHOWN] + "\u2026"


class ZipSource:
    """An archive whose directory was looked at; entries are read one by one, each to a limit."""

    def __init__(self, data: bytes, what: str) -> None:
        self.what = what
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._entries = self._looked_at(self._zip.infolist())
        except _BROKEN:
            raise FormatError(
                f"{what} is no complete ZIP archive; it may be truncated. Send it again."
            ) from None

    @property
    def names(self) -> list[str]:
        """The names of the files in the archive, folders left out."""
        return [name for name in self._entries if not name.endswith("/")]

    def size(self, name: str) -> int:
        """Return how many bytes a file has unpacked, as the directory says."""
        return self._entries[name].file_size

    def read(self, name: str, most: int) -> bytes:
        """Return a file; raise FormatError where it is longer than `most` bytes or damaged."""
        entry = self._entries[name]
        if entry.file_size > most:
            raise FormatError(
                f"{shown(name)} in {self.what} has {entry.file_size:,} bytes; at most {most:,} are "
                "read."
            )
        try:
            with self._zip.open(entry) as file:
                data = file.read(most + 1)
        except _BROKEN:
            raise FormatError(f"{shown(name)} in {self.what} is damaged or incomplete.") from None
        return data

    def _looked_at(self, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        what = self.what
        if len(entries) > MOST_ENTRIES:
            raise FormatError(
                f"{what} has {len(entries):,} entries; at most {MOST_ENTRIES:,} are read."
            )
        if (total := sum(entry.file_size for entry in entries)) > MOST_UNPACKED:
            raise FormatError(
                f"{what} would unpack to {total:,} bytes; at most {MOST_UNPACKED:,} are accepted."
            )
        found: dict[str, zipfile.ZipInfo] = {}
        for place, entry in enumerate(entries, start=1):
            why = _wrong_with(entry)
            if not why and entry.filename in found:
                why = "has the name of another one"
            if why:
                raise FormatError(f"{what}, entry {place:,} {why}; nothing of it was read.")
            found[entry.filename] = entry
        return found


def _wrong_with(entry: zipfile.ZipInfo) -> str:
    # The name as the archive has it: zipfile cuts it at a NUL and turns backslashes round.
    if _LEAVES.search(entry.orig_filename):
        return "has a name that leaves the archive's folder"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted; save the archive without a password"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a link"
    if entry.compress_type not in _METHODS:
        return "is packed by a method other than deflate"
    if entry.file_size > UNSUSPECTED_BYTES and entry.file_size > MOST_TIMES * max(
        1, entry.compress_size
    ):
        return f"unpacks to more than {MOST_TIMES} times its size, as archives made to harm do"
    return ""
