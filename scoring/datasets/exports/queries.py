"""Reads of what leaves with a version beside its rows: card, Markdown, SHA256SUMS."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from scoring.datasets.cards import card_json, data_card
from scoring.datasets.markdown import card_markdown
from scoring.files import SUMS_NAME, sums
from scoring.formats.export_formats import CANONICAL, data_file_name
from scoring.models import DatasetVersion

CARD_FORMATS: Final = ("card-json", "card-md", "sha256sums")


def card_of(
    version: DatasetVersion,
    *,
    shows_files: bool = True,
    context: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the data card of a version as it leaves, with keys in a fixed order.

    `shows_files` False leaves out what the imported files were called; `context` is what to state
    of the file of context beside the rows, where there is one.
    """
    card = version.card
    return data_card(
        card if shows_files else {key: card[key] for key in card if key != "files"},
        dataset=version.dataset.name,
        version=version.number,
        sha256=version.sha256,
        items=version.items,
        created_at=version.created_at.isoformat(timespec="seconds"),
        licence=version.licence,
        **({"context": context} if context else {}),
    )


def card_files(
    version: DatasetVersion,
    *,
    shows_files: bool = True,
    context: Mapping[str, Any] | None = None,
) -> dict[str, bytes]:
    """Return the two card files by name; the keywords are those of card_of."""
    document = card_of(version, shows_files=shows_files, context=context)
    base = base_of(version)
    return {f"{base}.card.json": card_json(document), f"{base}.card.md": card_markdown(document)}


def sums_of(version: DatasetVersion, cards: Mapping[str, bytes]) -> bytes:
    """Return the SHA256SUMS of the whole canonical file and of card files."""
    digests = {name: sha256(content).hexdigest() for name, content in cards.items()}
    digests[data_file_name(base_of(version), CANONICAL, is_gzipped=False)] = version.sha256
    return sums(digests)


def card_file(version: DatasetVersion, wanted: str, *, shows_files: bool) -> tuple[str, str, bytes]:
    """Return name, type and content of one of CARD_FORMATS."""
    cards = card_files(version, shows_files=shows_files)
    if wanted == "sha256sums":
        return SUMS_NAME, "text/plain; charset=utf-8", sums_of(version, cards)
    of_json, of_markdown = cards
    if wanted == "card-json":
        return of_json, "application/json", cards[of_json]
    return of_markdown, "text/markdown; charset=utf-8", cards[of_markdown]


def base_of(version: DatasetVersion) -> str:
    """Return what the names of all files of one version begin with: NAME-NUMBER."""
    return f"{version.dataset.name}-{version.number}"
