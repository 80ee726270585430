"""Items of a PatentEval export, made by hand."""

import json
from typing import Any

ABSENT = object()
_COUNTER = iter(range(1, 10**6))


def item(**changes: Any) -> dict[str, Any]:
    """Return a well formed annotation; `ABSENT` leaves a field out."""
    number = next(_COUNTER)
    fields = {
        "domain": "A",
        "length1": 3,
        "output1": "2. The cup of claim 1, wherein it is blue.",
        "output2": "2. A mug.",
        "dependency": "dependent",
        "input_claim": "1. A cup with a handle.",
        "id": number,
        "comparison": [{"selected": "left"}],
        "annotator": 7,
        "annotation_id": number,
        "created_at": "2024-03-22T16:32:50.119106Z",
        "updated_at": "2024-03-31T23:38:22.337204Z",
        "lead_time": 12.5,
        "agreement": None,
    } | changes
    return {name: value for name, value in fields.items() if value is not ABSENT}


def mark(start: int, end: int, text: str, *labels: str) -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, "labels": list(labels)}


def as_bytes(*items: dict[str, Any]) -> bytes:
    return json.dumps(items).encode()
