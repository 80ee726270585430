"""Parses XML that anybody may have written: no entity, no network, no tree beyond a limit."""

from html.entities import name2codepoint
from typing import Any, Final

from lxml import etree

from patclaimeval.text_io.streams import FormatError

# A tree takes some ten times the memory of its bytes.
MOST_BYTES: Final = 32 * 1024 * 1024
_DECLARES: Final = b"<!ENTITY"


def parse_xml(data: bytes, name: str, *, takes_doctype: bool = False) -> Any:
    """Return the root element of an XML text.

    Input: the bytes, and what they are called in a refusal. Raises FormatError where they are too
    many, not well-formed, or declare entities; with a document type declaration too, unless
    `takes_doctype` (the offices' XML names its DTD, which is not read).
    """
    if len(data) > MOST_BYTES:
        raise FormatError(
            f"{name} has {len(data):,} bytes of XML; at most {MOST_BYTES:,} are read."
        )
    # Before libxml2 sees them; without NULs also where the text is UTF-16.
    if _DECLARES in data.replace(b"\0", b""):
        raise FormatError(f"{name} declares XML entities; nothing that is declared there is read.")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = (error.position or (0, 0))[0]
        if "depth" in str(error):
            raise FormatError(f"{name} is nested too deeply at line {line:,}.") from None
        raise FormatError(
            f"{name} is no well-formed XML at line {line:,}; it may be incomplete."
        ) from None
    internal = root.getroottree().docinfo.internalDTD
    if internal is not None and not takes_doctype:
        raise FormatError(f"{name} has a document type declaration, which no such file needs.")
    if internal is not None and any(True for _ in internal.iterentities()):
        raise FormatError(f"{name} declares XML entities; nothing that is declared there is read.")
    return root


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace; "" for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def is_entity(element: Any) -> bool:
    """Return whether a node is a reference to an entity that was not resolved."""
    return element.tag is etree.Entity


def entity_text(element: Any, name: str) -> str:
    """Return the character of an entity that HTML knows, too; refuse others."""
    code = name2codepoint.get(element.name)
    if code is None:
        raise FormatError(f"{name}, line {element.sourceline:,}: an entity is used and not known.")
    return chr(code)
