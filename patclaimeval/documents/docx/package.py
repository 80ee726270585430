"""The parts of a Word document, and what about them is refused before any text is read."""

import posixpath
import re
from dataclasses import dataclass, field
from typing import Any, Final

from patclaimeval.documents.records import Notes, Severity
from patclaimeval.documents.xml_trees import MOST_BYTES, local_name, parse_xml
from patclaimeval.documents.zip_files import ZipSource, shown
from patclaimeval.text_io.streams import FormatError

# Transitional, and strict (ISO/IEC 29500-1 without what is there for older files).
WORD: Final = frozenset(
    {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    }
)
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_TYPES: Final = "[Content_Types].xml"
_REMOTE: Final = re.compile(r"\s*(?:https?|ftp):", re.IGNORECASE)
_MAIN_TYPES: Final = re.compile(r"wordprocessingml\.(?:document|template)\.main\+xml$")


def refuse_ole(data: bytes, what: str) -> None:
    """Raise FormatError for what is packed as Word did before 2007: old, or with a password."""
    if not data.startswith(_OLE):
        return
    if _ENCRYPTED in data:
        raise FormatError(f"{what} is encrypted; save it without a password and send it again.")
    raise FormatError(f"{what} is an old Office document (.doc); save it as .docx.")


@dataclass(slots=True)
class Package:
    """The parts of a Word document that are read; None where it has no such part."""

    body: Any
    styles: Any = None
    numbering: Any = None
    counts: dict[str, int] = field(default_factory=dict)
    # Pictures of the body, by the ids that the body names.
    pictures: dict[str, str] = field(default_factory=dict)
    archive: ZipSource | None = None


def word(element: Any, name: str) -> str | None:
    """Return an attribute of the element's own namespace."""
    space = element.tag.partition("}")[0] + "}"
    value: str | None = element.get(space + name)
    return value


def child(element: Any, *names: str) -> Any:
    """Return the descendant at a path of local names, None where it ends."""
    for name in names:
        if element is None:
            return None
        element = next((found for found in element if local_name(found) == name), None)
    return element


def value_of(element: Any, name: str) -> str:
    """Return the value of a property below an element, "" where it has none."""
    found = child(element, name)
    return (word(found, "val") if found is not None else "") or ""


def is_on(element: Any) -> bool:
    """Return whether a property that can be switched off is there and on."""
    return element is not None and word(element, "val") not in ("0", "false", "off", "none")


def open_package(data: bytes, notes: Notes, what: str = "The file") -> Package:
    """Return the parts of a Word document.

    Raises FormatError for what is encrypted, truncated, no Word document, holds macros, or has
    content that lies outside of the file; nothing outside is ever opened.
    """
    refuse_ole(data, what)
    archive = ZipSource(data, what)
    _refuse_macros(archive, what)
    relations = {name: _relations(archive, name) for name in archive.names if _is_rels(name)}
    _look_at_outside(relations, notes, what)
    main = _main_part(archive, relations, what)
    document = _part(archive, main)
    namespace = document.tag.partition("}")[0].removeprefix("{")
    body = child(document, "body")
    if namespace not in WORD or body is None:
        raise FormatError(f"{what} has no text of a Word document in {shown(main)}.")
    package = Package(body, archive=archive)
    folder, base = posixpath.split(main)
    for relation in relations.get(f"{folder}/_rels/{base}.rels".lstrip("/"), ()):
        _add_part(package, archive, folder, relation)
    return package


def _is_rels(name: str) -> bool:
    return name.endswith(".rels")


def _part(archive: ZipSource, name: str) -> Any:
    return parse_xml(archive.read(name, MOST_BYTES), f"The part {shown(name)}")


def _refuse_macros(archive: ZipSource, what: str) -> None:
    if _TYPES not in archive.names:
        raise FormatError(f"{what} is a ZIP archive, but no Word document.")
    for entry in _part(archive, _TYPES):
        kind = (entry.get("ContentType") or "").lower()
        if "macroenabled" in kind or "vbaproject" in kind:
            raise FormatError(f"{what} holds macros; save it as .docx, without them.")


@dataclass(frozen=True, slots=True)
class _Relation:
    kind: str
    target: str
    is_outside: bool
    name: str


def _relations(archive: ZipSource, name: str) -> list[_Relation]:
    return [
        _Relation(
            (entry.get("Type") or "").rpartition("/")[2],
            entry.get("Target") or "",
            (entry.get("TargetMode") or "").lower() == "external",
            entry.get("Id") or "",
        )
        for entry in _part(archive, name)
        if local_name(entry) == "Relationship"
    ]


def _look_at_outside(relations: dict[str, list[_Relation]], notes: Notes, what: str) -> None:
    """Refuse content that lies elsewhere; a link is text, and a firm's template holds none."""
    for part, found in relations.items():
        for relation in found:
            if not relation.is_outside:
                continue
            is_remote = _REMOTE.match(relation.target) is not None
            if relation.kind == "hyperlink":
                notes.leave_out("address of a link", "its shown text was taken, it was not opened")
            elif relation.kind == "attachedTemplate" and not is_remote:
                sentence = "The file names a template on a disk, which was not opened."
                notes.add(Severity.NOTE, "template", sentence)
            else:
                raise FormatError(
                    f"{what} refers in {shown(part)} to a part outside of it "
                    f"({shown(relation.kind)[:40]}). Nothing outside is opened: embed or remove it."
                )


def _main_part(archive: ZipSource, relations: dict[str, list[_Relation]], what: str) -> str:
    target = next(
        (item.target for item in relations.get("_rels/.rels", ()) if item.kind == "officeDocument"),
        "",
    )
    main = target.lstrip("/")
    types = {
        entry.get("PartName", "").lstrip("/"): entry.get("ContentType", "")
        for entry in _part(archive, _TYPES)
    }
    if main not in archive.names or not _MAIN_TYPES.search(types.get(main, "")):
        raise FormatError(f"{what} is no Word document.")
    return main


def _add_part(package: Package, archive: ZipSource, folder: str, relation: _Relation) -> None:
    if relation.is_outside:
        return
    name = posixpath.normpath(posixpath.join("/" + folder, relation.target)).lstrip("/")
    if name not in archive.names:
        return
    if relation.kind == "styles":
        package.styles = _part(archive, name)
    elif relation.kind == "numbering":
        package.numbering = _part(archive, name)
    elif relation.kind == "image":
        package.pictures[relation.name] = name
    elif relation.kind in ("header", "footer") and _has_text(_part(archive, name)):
        package.counts[relation.kind] = package.counts.get(relation.kind, 0) + 1


def _has_text(root: Any) -> bool:
    return any((item.text or "").strip() for item in root.iter() if local_name(item) == "t")
