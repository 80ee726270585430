"""Owns reading the demo fixtures: campaign.toml and the claim texts beside it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.claims.lexicon import WordPairs
from annotator.demo.records import ReferenceSource


@dataclass(frozen=True, slots=True)
class DemoSource:
    """The demo campaign as the fixture files give it."""

    slug: str
    title: str
    references: tuple[ReferenceSource, ...]


def read_sources(directory: Path) -> DemoSource:
    """Read `directory`/campaign.toml and the reference texts that it names, in its order."""
    with (directory / "campaign.toml").open("rb") as stream:
        campaign = tomllib.load(stream)
    references = tuple(
        _read_reference(directory, entry, campaign["language"]) for entry in campaign["references"]
    )
    return DemoSource(campaign["slug"], campaign["title"], references)


def _read_reference(directory: Path, entry: dict[str, Any], language: str) -> ReferenceSource:
    text = (directory / "references" / entry["file"]).read_text(encoding="utf-8")
    return ReferenceSource(
        reference_id=entry["reference_id"],
        title=entry["title"],
        office=entry["office"],
        ipc=entry["ipc"],
        language=language,
        text=text.rstrip("\n"),
        renamings=_as_pairs(entry["renamings"]),
        narrowings=_as_pairs(entry["narrowings"]),
        rewordings=_as_pairs(entry["rewordings"]),
    )


def _as_pairs(rows: list[list[str]]) -> WordPairs:
    return tuple((old, new) for old, new in rows)
