"""What lies in a test's data directory, and what the database says of it."""

import json
from collections.abc import Callable
from pathlib import Path

from annotator.models import AuditEvent
from scoring.files import dataset_path
from scoring.models import Dataset, DatasetVersion


def stored_files(data_directory: Path) -> list[str]:
    directory = data_directory / "datasets"
    return sorted(p.name for p in directory.iterdir()) if directory.exists() else []


def stored_bytes(digest: str) -> bytes:
    return dataset_path(digest).read_bytes()


def quality_file(
    path: Path, criterion: str = "Quality", references: int = 4, label: int | None = 1
) -> Path:
    """Write a published file of three items a reference; without a label they have all three."""
    items = [
        {
            "gold_claim": f"1. A cup {n}.",
            "A": f"1. A mug {n} {c}.",
            "B": f"1. A bowl {n} {c}.",
            "human_eval": {criterion: c - 1 if label is None else label},
        }
        for n in range(references)
        for c in range(3)
    ]
    path.write_text(json.dumps(items))
    return path


def stopping_at(words: str) -> Callable[[float, str], None]:
    """Return a listener to progress who stops the work at these words."""

    def on_step(share: float, now: str) -> None:
        if now == words:
            raise KeyboardInterrupt

    return on_step


def nothing_is_stored(data_directory: Path) -> bool:
    return (
        not Dataset.objects.exists()
        and not DatasetVersion.objects.exists()
        and not AuditEvent.objects.filter(action__startswith="dataset.").exists()
        and stored_files(data_directory) == []
    )
