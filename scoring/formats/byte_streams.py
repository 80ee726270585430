"""Streams of bytes: gathered into blocks, and compressed with the same bytes each time."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

BLOCK_BYTES: Final = 256 * 1024
# 16 more than the window asks zlib for a gzip header: no file name, no time of writing.
_GZIP_WINDOW: Final = zlib.MAX_WBITS + 16


def in_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Gather small pieces, so that a stream costs one step a block and not one a row.

    Input: pieces of any length. Output: the same bytes in blocks of at least BLOCK_BYTES, the
    last one excepted; nothing for no bytes.
    """
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)


def gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compress a stream as one gzip member (RFC 1952) without name or time.

    Input: pieces. Output: pieces of a gzip file; the same input gives the same bytes.
    """
    compressor = zlib.compressobj(wbits=_GZIP_WINDOW)
    for piece in pieces:
        if packed := compressor.compress(piece):
            yield packed
    yield compressor.flush()
