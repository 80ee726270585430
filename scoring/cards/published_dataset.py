"""What a paper printed about its own Patent-CE, to stand beside the figures of a version."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

DATA_FILE: Final = Path(__file__).with_name("published_dataset.toml")
_LABELS: Final = ("1", "0", "-1")


@cache
def _table() -> dict[str, Any]:
    with DATA_FILE.open("rb") as file:
        return tomllib.load(file)


def published_dataset() -> dict[str, Any]:
    """Return the published figures in the shape of a card.

    Output: `source`; `sizes` and `tokens` by name with `where` they stand in the paper; `labels`
    by criterion as {"1": B better, "0": equal, "-1": C better}, and `labels_where`.
    """
    table = _table()
    labels = dict(table["labels"])
    where = labels.pop("where")
    return {
        "source": table["source"],
        "sizes": dict(table["sizes"]),
        "labels": {key: dict(zip(_LABELS, row, strict=True)) for key, row in labels.items()},
        "labels_where": where,
        "tokens": dict(table["tokens"]),
    }
