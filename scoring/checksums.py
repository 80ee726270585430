"""The file SHA256SUMS as `sha256sum` writes and checks it. Standard library only."""

import re
from collections.abc import Mapping
from typing import Final

SUMS_NAME: Final = "SHA256SUMS"
_LINE = re.compile(rb"\\?([0-9a-f]{64}) [ *](.+)")


def sums(digests: Mapping[str, str], earlier: bytes = b"") -> bytes:
    """Write the lines of files, ordered by name, over what the file said before.

    Input: sha256 in hexadecimal digits by file name; the bytes of an earlier SHA256SUMS. Output:
    its bytes anew: lines of other names stay, those of these names are replaced.
    """
    lines = {_shown(name): _line(name, digest) for name, digest in digests.items()}
    for line in earlier.split(b"\n"):
        found = _LINE.fullmatch(line)
        if found:
            lines.setdefault(found[2], line)
    return b"".join(lines[name] + b"\n" for name in sorted(lines))


def digest_of(name: str, content: bytes) -> str:
    """Return the digest that a SHA256SUMS gives a name; "" where it does not hold the name."""
    for line in content.split(b"\n"):
        found = _LINE.fullmatch(line)
        if found and found[2] == _shown(name):
            return found[1].decode()
    return ""


def _shown(name: str) -> bytes:
    """Return a name on one line; `sha256sum` marks lines of escaped names by a backslash."""
    raw = name.encode(errors="surrogateescape").replace(b"\\", b"\\\\")
    return raw.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def _line(name: str, digest: str) -> bytes:
    shown = _shown(name)
    escaped = b"\\" if b"\\" in shown else b""
    return escaped + digest.encode() + b"  " + shown
