"""Small pictures of every kind that is read, and some that must not be."""

import io
import struct
import zlib
from typing import Any

from PIL import Image, ImageDraw

SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>'


def drawn(mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> Image.Image:
    """Return a picture with a line across it."""
    image = Image.new(mode, size, "white")
    ImageDraw.Draw(image).line((0, 0, size[0] - 1, size[1] - 1), fill="black", width=2)
    return image


def picture(kind: str = "PNG", mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> bytes:
    """Return a picture as a file."""
    return saved(drawn(mode, size), kind)


def saved(image: Image.Image, kind: str = "PNG", **how: Any) -> bytes:
    """Return an image as a file."""
    target = io.BytesIO()
    image.save(target, kind, **how)
    return target.getvalue()


def pages(count: int, compression: str = "group4") -> bytes:
    """Return a TIFF with so many pages, as scanners of patent offices write them."""
    first, *rest = (drawn("1", (60 + page, 40)) for page in range(count))
    return saved(first, "TIFF", save_all=True, append_images=rest, compression=compression)


def bomb(width: int = 30_000, height: int = 30_000) -> bytes:
    """Return a PNG of a few bytes that states very many pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * (height * (width // 8 + 1)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
