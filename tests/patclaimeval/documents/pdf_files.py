"""Small PDF files, written by hand: texts in Helvetica at their places."""

from collections.abc import Mapping, Sequence

# Text at a place: left, height above the lower edge, size, text.
Placed = tuple[float, float, float, str]
WIDTH, HEIGHT = 600, 800


def pdf_file(
    pages: Sequence[Sequence[Placed]],
    *,
    encrypt: bool = False,
    meanings: Mapping[str, str] | None = None,
) -> bytes:
    """Return a PDF of these pages; `meanings` are what letters of the font stand for."""
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    if meanings:
        pairs = "".join(
            f"<{ord(sign):02x}> <{ord(means):04x}>\n" for sign, means in meanings.items()
        )
        table = f"1 begincodespacerange <00> <ff> endcodespacerange {len(meanings)} beginbfchar\n"
        table += f"{pairs}endbfchar"
        objects.append(f"<</Length {len(table)}>>\nstream\n{table}\nendstream")
        objects[2] = objects[2].replace(">>", f"/ToUnicode {len(objects)} 0 R>>")
    kids = []
    for page in pages:
        shown = "".join(
            f"BT /F {size} Tf 1 0 0 1 {left} {height} Tm ({_escaped(text)}) Tj ET\n"
            for left, height, size, text in page
        )
        stream = f"<</Length {len(shown.encode('cp1252'))}>>\nstream\n{shown}endstream"
        objects.append(stream)
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Contents {len(objects)} 0 R"
            "/Resources<</Font<</F 3 0 R>>>>>>"
        )
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>"
    more = ""
    if encrypt:
        objects.append(
            f"<</Filter/Standard/V 2/R 3/Length 128/P -4/O<{'00' * 32}>/U<{'00' * 32}>>>"
        )
        more = f"/Encrypt {len(objects)} 0 R/ID[<00><00>]"
    data = b"%PDF-1.4\n"
    places = []
    for number, inner in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{inner}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += (
        f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R{more}>>\nstartxref\n{len(data)}\n%%EOF\n"
    )
    return data + end.encode()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def column(
    lines: Sequence[str], left: float = 72, top: float = 720, step: float = 14
) -> list[Placed]:
    """Return lines under each other; an empty one leaves its space."""
    return [(left, top - step * place, 11, text) for place, text in enumerate(lines) if text]
