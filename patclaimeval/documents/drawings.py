"""Drawings of a reference: images that anybody may have made, decoded and written anew as PNG.

Every sheet that is stored was drawn from pixels: nothing of the file that was sent, no metadata and
no profile, is in it. What was written here once is written again with the same bytes.
"""

import io
import re
from collections.abc import Iterator
from math import isfinite, sqrt
from typing import Final

from PIL import Image, ImageOps, UnidentifiedImageError

from patclaimeval.documents.bounds import LONGEST_NAME, MOST_FILE_BYTES, MOST_SHEETS
from patclaimeval.documents.context import Sheet
from patclaimeval.documents.zip_files import ZipSource, shown
from patclaimeval.text_io.streams import FormatError

# A sheet of A4 at 600 dots an inch has 35 million.
MOST_PIXELS: Final = 40_000_000
LONGEST_SIDE: Final = 4_000
# In base64 it fits into a line of claims-jsonl.
MOST_SHEET_BYTES: Final = 3_000_000
_SMALLER: Final = 0.9
_KINDS: Final = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
)
_SVG: Final = re.compile(rb"<svg[\s>]", re.IGNORECASE)
_WHITE: Final = (255, 255, 255, 255)
_DEEP: Final = ("I", "I;16", "I;16B", "I;16L", "I;16N", "F")
# What Pillow and the libraries in it raise for bytes that are no image, or not all of one.
_BROKEN: Final = (
    *(OSError, SyntaxError, ValueError, TypeError, KeyError, IndexError, EOFError),
    *(OverflowError, ZeroDivisionError, UnidentifiedImageError, Image.DecompressionBombError),
)


def sheets_of(data: bytes, name: str) -> Iterator[Sheet]:
    """Yield the sheets of an image: one, or each page of a TIFF.

    Inputs: the bytes, and what the file is called. Raises FormatError for SVG, for what is neither
    PNG nor JPEG nor TIFF, for too many bytes or pixels, and for a damaged image.
    """
    called = shown(name)
    kind = _kind_of(data, called)
    # The pixels are counted here before any is unpacked.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(data), formats=[kind]) as image:
            pages = getattr(image, "n_frames", 1) if kind == "TIFF" else 1
            if pages > MOST_SHEETS:
                raise FormatError(f"{called} has {pages:,} pages; at most {MOST_SHEETS} are read.")
            for page in range(pages):
                image.seek(page)
                _refuse_large(image, called)
                label = _label(name) + (f", page {page + 1}" if pages > 1 else "")
                yield _sheet(image, label)
    except FormatError:
        raise
    except _BROKEN:
        raise FormatError(f"{called} is damaged or incomplete; save it again.") from None


def sheets_of_archive(data: bytes) -> tuple[Sheet, ...]:
    """Return the sheets of a ZIP of images, in the order of their names."""
    archive = ZipSource(data, "The archive")
    found = [
        sheet
        for name in sorted(archive.names)
        for sheet in sheets_of(archive.read(name, MOST_FILE_BYTES), name)
    ]
    return tuple(found)


def _kind_of(data: bytes, called: str) -> str:
    if len(data) > MOST_FILE_BYTES:
        raise FormatError(
            f"{called} has {len(data):,} bytes; of a drawing at most {MOST_FILE_BYTES:,} are read."
        )
    for magic, kind in _KINDS:
        if data.startswith(magic):
            return kind
    if _SVG.search(data[:4096]):
        raise FormatError(
            f"{called} is SVG, which can hold programs and addresses; save it as PNG."
        )
    raise FormatError(f"{called} is no PNG, JPEG or TIFF; save it as one of them.")


def _refuse_large(image: Image.Image, called: str) -> None:
    pixels = image.width * image.height
    if pixels > MOST_PIXELS:
        raise FormatError(
            f"{called} has {image.width:,} x {image.height:,} pixels; at most {MOST_PIXELS:,} are "
            "read. Save it with a lower resolution."
        )


def _label(name: str) -> str:
    base = name.rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    plain = "".join(sign for sign in stem if sign.isprintable()).strip()
    return plain[:LONGEST_NAME] or "sheet"


def _sheet(image: Image.Image, label: str) -> Sheet:
    plain = _plain(image)
    if max(plain.size) > LONGEST_SIDE:
        plain = _resized(plain, LONGEST_SIDE / max(plain.size))
    png = _as_png(plain)
    while len(png) > MOST_SHEET_BYTES:
        # Bytes go with the pixels, not quite: a little less than would do.
        plain = _resized(plain, _SMALLER * sqrt(MOST_SHEET_BYTES / len(png)))
        png = _as_png(plain)
    return Sheet(label, png, plain.width, plain.height)


def _plain(image: Image.Image) -> Image.Image:
    """Return the pixels upright and on white: black and white, grey, or in colour."""
    image.load()
    upright = ImageOps.exif_transpose(image)
    if upright.has_transparency_data:
        ground = Image.new("RGBA", upright.size, _WHITE)
        return Image.alpha_composite(ground, upright.convert("RGBA")).convert("RGB")
    if upright.mode in _DEEP:
        return _as_grey(upright.convert("F"))
    return upright if upright.mode in ("1", "L", "RGB") else upright.convert("RGB")


def _as_grey(image: Image.Image) -> Image.Image:
    """Return values of any range as grey, the lowest black and the highest white."""
    low, high = image.getextrema()
    assert isinstance(low, float) and isinstance(high, float)
    by = 255 / (high - low) if high > low else 1.0
    if not (isfinite(low) and isfinite(high)):
        raise ValueError("no grey")
    return image.point(lambda value: value * by + -low * by).convert("L")


def _resized(image: Image.Image, by: float) -> Image.Image:
    size = tuple(max(1, int(side * by)) for side in image.size)
    grey = image.convert("L") if image.mode == "1" else image
    return grey.resize((size[0], size[1]), Image.Resampling.LANCZOS)


def _as_png(image: Image.Image) -> bytes:
    bare = image.copy()
    bare.info = {}
    target = io.BytesIO()
    bare.save(target, "PNG", compress_level=6)
    return target.getvalue()
