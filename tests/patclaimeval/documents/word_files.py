"""Small Word documents, written by hand: just the parts that a test needs."""

import io
import zipfile
from collections.abc import Iterable, Mapping

TRANSITIONAL = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = {
    TRANSITIONAL: "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    STRICT: "http://purl.oclc.org/ooxml/officeDocument/relationships",
}
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_NUMBERING_TYPE = MAIN_TYPE.replace("document.main", "numbering")


def zipped(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return target.getvalue()


def relations(entries: Iterable[tuple[str, str, str]], space: str = TRANSITIONAL) -> str:
    """Return a part of relationships: kind, target, and "External" or nothing."""
    rows = "".join(
        f'<Relationship Id="r{place}" Type="{_OFFICE[space]}/{kind}" Target="{target}"'
        + (f' TargetMode="{mode}"' if mode else "")
        + "/>"
        for place, (kind, target, mode) in enumerate(entries)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


def word_parts(
    body: str,
    *,
    numbering: str = "",
    styles: str = "",
    space: str = TRANSITIONAL,
    outside: Iterable[tuple[str, str, str]] = (),
    more: Mapping[str, str] | None = None,
    main_type: str = MAIN_TYPE,
) -> dict[str, str | bytes]:
    """Return the parts of a document around the inner XML of its body."""
    office = _OFFICE[space]
    names = (
        f'xmlns:w="{space}" xmlns:r="{office}" xmlns:m="m" xmlns:mc="mc" xmlns:wp="wp" xmlns:v="v"'
    )
    entries = [("numbering", "numbering.xml", ""), ("styles", "styles.xml", ""), *outside]
    entries += [(name.rstrip("0123456789"), f"{name}.xml", "") for name in more or {}]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/>'
        f'<Override PartName="/word/numbering.xml" ContentType="{_NUMBERING_TYPE}"/></Types>',
        "_rels/.rels": relations([("officeDocument", "word/document.xml", "")], space),
        "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(entries, space),
        "word/numbering.xml": f"<w:numbering {names}>{numbering}</w:numbering>",
        "word/styles.xml": f"<w:styles {names}>{styles}</w:styles>",
    }
    for name, inner in (more or {}).items():
        parts[f"word/{name}.xml"] = f"<w:part {names}>{inner}</w:part>"
    return parts


def word_file(body: str, **parts: object) -> bytes:
    """Return a document as bytes; arguments as of `word_parts`."""
    return zipped(word_parts(body, **parts))


def text(words: str) -> str:
    """Return a run of text."""
    return f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>'


def paragraph(
    *inner: str, number: tuple[int, int] | None = None, style: str = "", more: str = ""
) -> str:
    """Return a paragraph of texts and XML; `number` is its list and level."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number is not None:
        properties += (
            f'<w:numPr><w:ilvl w:val="{number[1]}"/><w:numId w:val="{number[0]}"/></w:numPr>'
        )
    body = "".join(item if item.startswith("<") else text(item) for item in inner)
    return f"<w:p><w:pPr>{properties}{more}</w:pPr>{body}</w:p>"


def added(inner: str, kind: str = "ins") -> str:
    """Return what a tracked change has put in."""
    return f'<w:{kind} w:id="1" w:author="A">{inner}</w:{kind}>'


def removed(words: str, kind: str = "del") -> str:
    """Return what a tracked change has taken out."""
    run = f'<w:r><w:delText xml:space="preserve">{words}</w:delText></w:r>'
    return f'<w:{kind} w:id="2" w:author="A">{run}</w:{kind}>'


def abstract_list(key: int, *levels: str, more: str = "") -> str:
    """Return a list by its levels."""
    return f'<w:abstractNum w:abstractNumId="{key}">{more}{"".join(levels)}</w:abstractNum>'


def level(place: int, shown: str, kind: str = "decimal", start: int = 1, more: str = "") -> str:
    """Return a level of a list: "%1." shows its number with a full stop."""
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>{more}'
        f'<w:lvlText w:val="{shown}"/></w:lvl>'
    )


def listed(key: int, abstract: int, start: int | None = None) -> str:
    """Return a list in use; `start` restates where its first level begins."""
    override = (
        f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{start}"/></w:lvlOverride>'
        if start is not None
        else ""
    )
    return f'<w:num w:numId="{key}"><w:abstractNumId w:val="{abstract}"/>{override}</w:num>'


CLAIMS = abstract_list(0, level(0, "%1."), level(1, "%2)", "lowerLetter")) + listed(1, 0)
