"""How an import is shown: its state in words, and its counts, the new beside the known."""

from datetime import timedelta
from typing import Any

import pytest

from annotator.imports.queries import Counted, ImportPage, imports_of, recent_imports
from annotator.models import ClaimImport, ImportStage
from core.jobs.rows import JobStatus

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def made(cast: Any, **more: Any) -> ClaimImport:
    return ClaimImport.objects.create(
        campaign=cast.campaign, file_name="a", file_sha256="0" * 64, file_bytes=1, **more
    )


@pytest.mark.parametrize("stage", ImportStage.values)
@pytest.mark.parametrize("status", JobStatus.values)
def test_every_state_has_a_label(cast, stage: str, status: str) -> None:
    page = ImportPage(made(cast, stage=stage, status=status))
    assert page.state
    assert page.is_waiting == (stage == "check" and status == "succeeded")


def test_counts_are_those_of_the_check_until_something_is_stored(cast) -> None:
    found = {"references": 2, "known_references": 1, "candidates": 4, "known_candidates": 0}
    row = made(cast, result={"counts": found})
    lines = [Counted("References", 2, 1), Counted("Candidates", 4, 0)]
    assert (ImportPage(row).counts, ImportPage(row).stored) == (lines, {})
    row.result["stored"] = found | {"references": 0, "known_references": 3}
    assert ImportPage(row).counts[0] == Counted("References", 0, 3)
    assert ImportPage(made(cast)).counts == []


def test_what_nobody_counts_as_known_has_no_number(cast) -> None:
    row = made(cast, result={"stored": {"annotators": 2}})
    assert ImportPage(row).counts == [Counted("Annotators", 2, None)]


def test_imports_are_those_of_the_campaign_the_newest_first(cast) -> None:
    second = made(cast)
    # Said, as the clock of SQLite may tell the same millisecond for both.
    first = made(cast, created_at=second.created_at - timedelta(seconds=1))
    ClaimImport.objects.create(
        campaign=cast.elsewhere, file_name="b", file_sha256="0" * 64, file_bytes=1
    )
    assert list(imports_of(cast.campaign)) == [second, first]
    assert [page.row for page in recent_imports(cast.campaign)] == [second, first]
