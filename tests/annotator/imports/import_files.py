"""Files of claim sets as they are uploaded in tests, and what becomes of them."""

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from django.conf import settings

from annotator.imports import services as imports_services
from annotator.imports.files import drop_upload, stored_uploads
from annotator.imports.services import carry_out_import, request_import
from annotator.models import ClaimImport


def reference(number: int, candidates: int = 2, **more: Any) -> dict[str, Any]:
    return {
        "reference_id": f"ref-{number}",
        "reference_claims": f"1. A cup number {number} comprising a body and a handle.",
        "candidates": [
            {"candidate_id": f"c{n}", "system": f"s{n}", "claims": f"1. A mug {number}.{n}."}
            for n in range(candidates)
        ],
    } | more


def lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def good(count: int = 3, candidates: int = 2) -> bytes:
    return lines(reference(number, candidates) for number in range(count))


def bad() -> bytes:
    """Return a file with a record that is right, one without claims, and one with a wrong field."""
    broken = reference(2) | {"reference_claims": ""}
    return lines([reference(1), broken, reference(3, scroe=1)])


def file(content: bytes) -> io.BytesIO:
    return io.BytesIO(content)


def drop_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete files of imports at their end: the transaction of a test is never committed.

    Nor does the connection of a heartbeat see what it has made: no lease may need one.
    """
    monkeypatch.setattr(settings, "JOB_LEASE_SECONDS", 3600)
    monkeypatch.setattr(imports_services, "drop_upload_once_committed", drop_upload)


def asked(cast: Any, content: bytes, **more: Any) -> ClaimImport:
    return request_import(
        campaign=cast.campaign,
        file=file(content),
        file_name="claims.jsonl",
        asked_by=cast.ada,
        **more,
    )


def carried_out(row: ClaimImport) -> ClaimImport:
    carry_out_import(row.pk)
    row.refresh_from_db()
    return row


def stored(cast: Any, content: bytes, **more: Any) -> ClaimImport:
    return carried_out(asked(cast, content, is_confirmed=True, **more))


def stored_files() -> list[str]:
    return sorted(str(pk) for pk, _ in stored_uploads())
