import io
from collections.abc import Callable
from itertools import product

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from patclaimeval.documents import drawings
from patclaimeval.documents.bounds import MOST_SHEETS
from patclaimeval.documents.confined import read_pictures
from patclaimeval.documents.drawings import sheets_of
from patclaimeval.text_io.streams import FormatError
from tests.counted_inputs import PROPERTY
from tests.patclaimeval.documents.pictures import SVG, bomb, drawn, pages, picture, saved

# Pillow says of damaged pictures what is wrong with them.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SECRET = "zqsecret"


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png), formats=["PNG"])


def test_a_picture_is_one_sheet_with_the_same_pixels() -> None:
    for kind, mode in product(("PNG", "TIFF"), ("1", "L", "RGB")):
        (sheet,) = sheets_of(picture(kind, mode), "P1/drawings/fig. 1.png")
        assert (sheet.name, sheet.width, sheet.height) == ("fig. 1", 60, 40)
        found = opened(sheet.png)
        assert (found.mode, found.size) == (mode, (60, 40))
        assert found.tobytes() == drawn(mode).tobytes()


def test_what_was_written_once_is_written_again_with_the_same_bytes() -> None:
    for kind, mode in (("JPEG", "RGB"), ("JPEG", "L"), ("JPEG", "CMYK"), ("PNG", "RGBA")):
        (sheet,) = sheets_of(picture(kind, mode), "a")
        assert [one.png for one in sheets_of(sheet.png, "a")] == [sheet.png]


def test_each_page_of_a_tiff_is_a_sheet() -> None:
    for compression in ("group4", "tiff_lzw", "raw"):
        found = list(sheets_of(pages(3, compression), "D0.tif"))
        assert [one.name for one in found] == ["D0, page 1", "D0, page 2", "D0, page 3"]
        assert [one.width for one in found] == [60, 61, 62]


def test_nothing_but_pixels_is_stored() -> None:
    info = PngInfo()
    info.add_text("Comment", SECRET)
    exif = Image.Exif()
    exif[0x010E] = SECRET
    for data in (
        saved(drawn(), "PNG", pnginfo=info, exif=exif, icc_profile=SECRET.encode(), dpi=(9, 9)),
        saved(drawn(), "JPEG", exif=exif, comment=SECRET, icc_profile=SECRET.encode()),
        picture() + SECRET.encode(),
    ):
        assert SECRET.encode() in data or b"iCCP" in data
        (sheet,) = sheets_of(data, "a")
        chunks = {name for name in (b"IHDR", b"IDAT", b"IEND") if name in sheet.png}
        assert len(chunks) == 3
        assert not [
            n for n in (SECRET.encode(), b"iCCP", b"eXIf", b"tEXt", b"pHYs") if n in sheet.png
        ]


def test_a_picture_lies_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    (sheet,) = sheets_of(saved(drawn(), "JPEG", exif=exif), "a")
    assert (sheet.width, sheet.height) == (40, 60)


def test_what_is_transparent_is_white() -> None:
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    palette = Image.new("P", (4, 4), 0)
    for data in (saved(clear), saved(palette, transparency=0)):
        (sheet,) = sheets_of(data, "a")
        assert opened(sheet.png).convert("RGB").getpixel((1, 1)) == (255, 255, 255)


def test_deep_grey_keeps_its_range() -> None:
    deep = Image.new("I;16", (2, 1))
    deep.putpixel((0, 0), 100)
    deep.putpixel((1, 0), 40_000)
    (sheet,) = sheets_of(saved(deep, "PNG"), "a")
    found = opened(sheet.png)
    assert [found.getpixel((x, 0)) for x in (0, 1)] == [0, 255]


def test_a_large_sheet_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    (sheet,) = sheets_of(picture("PNG", "1", (9000, 100)), "a")
    assert (sheet.width, sheet.height) == (drawings.LONGEST_SIDE, 44)
    noise = Image.effect_noise((300, 200), 90)
    monkeypatch.setattr(drawings, "MOST_SHEET_BYTES", 20_000)
    (small,) = sheets_of(saved(noise), "a")
    assert len(small.png) <= 20_000 and 100 < small.width < 300


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (SVG, "P1/a.svg is SVG, which can hold programs and addresses; save it as PNG."),
        (b"GIF89a", "P1/a.svg is no PNG, JPEG or TIFF; save it as one of them."),
        (b"", "no PNG, JPEG or TIFF"),
        (bomb(), "has 30,000 x 30,000 pixels; at most 40,000,000 are read."),
        (pages(3)[:300], "is damaged or incomplete"),
        (picture()[:-30], "is damaged or incomplete"),
        (picture("JPEG")[:200], "is damaged or incomplete"),
        (b"II*\0" + b"\xff" * 400, "is damaged or incomplete"),
        (b"MM\0*\0\0\0\x08", "is damaged or incomplete"),
        (pages(MOST_SHEETS + 1), "has 101 pages; at most 100 are read."),
    ],
)
def test_what_is_no_whole_picture_is_refused_by_its_name(
    data: bytes, why: str, record_property: Callable[[str, object], None]
) -> None:
    record_property(PROPERTY, ["drawings", 1])
    with pytest.raises(FormatError) as caught:
        list(sheets_of(data, "P1/a.svg"))
    assert why in caught.value.sentence


def test_bytes_that_are_changed_anywhere_end_in_a_sentence_or_a_sheet() -> None:
    for whole in (pages(2), picture(), picture("JPEG")):
        for place in range(0, len(whole), 7):
            changed = bytearray(whole)
            changed[place] ^= 0xFF
            try:
                list(sheets_of(bytes(changed), "a"))
            except FormatError:
                continue


def test_pictures_are_drawn_by_another_process() -> None:
    images = [("b/..\\1", picture()), ("a", pages(2))]
    found = read_pictures(images)
    assert [one.png for one in found] == [
        sheet.png for _, data in images for sheet in sheets_of(data, "a")
    ]
    with pytest.raises(FormatError, match="is SVG"):
        read_pictures([("a", SVG)])
