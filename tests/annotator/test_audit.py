"""One door writes the audit trail, for one act and for many."""

import ast
from pathlib import Path
from uuid import uuid4

import pytest

from annotator import audit_log
from annotator.models import AuditEvent

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "annotator/audit_log.py"
SOURCES = sorted(
    path
    for package in ("core", "annotator", "scoring")
    for path in (ROOT / package).rglob("*.py")
    if path != DOOR and "migrations" not in path.parts
)
READS = {"filter", "exclude", "order_by", "all", "get", "count", "none", "values", "values_list"}


def test_record_writes_who_did_what_where(cast):
    row = audit_log.record(
        action="cup.washed",
        actor=cast.ada,
        campaign=cast.campaign,
        object_type="cup",
        object_id=7,
        details={"from": "grey", "to": "white"},
    )
    row.refresh_from_db()
    assert (row.actor, row.campaign) == (cast.ada, cast.campaign)
    assert (row.action, row.object_type, row.object_id) == ("cup.washed", "cup", "7")
    assert row.details == {"from": "grey", "to": "white"}


def test_record_takes_keys_as_well_as_rows(cast):
    row = audit_log.record(
        action="cup.washed",
        actor=cast.ada.pk,
        campaign=cast.campaign.pk,
        object_type="cup",
        object_id=uuid4(),
    )
    row.refresh_from_db()
    assert (row.actor, row.campaign, row.details) == (cast.ada, cast.campaign, {})


def test_record_each_writes_a_row_per_object(cast):
    audit_log.record_each(
        action="cup.washed",
        campaign=cast.campaign,
        object_type="cup",
        details_by_id=((number, {"number": number}) for number in range(3)),
    )
    rows = AuditEvent.objects.filter(action="cup.washed", campaign=cast.campaign, actor=None)
    assert [row.object_id for row in rows] == ["0", "1", "2"]
    assert [row.details for row in rows] == [{"number": number} for number in range(3)]


def test_nothing_but_record_writes_to_the_trail():
    writes = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _writes(node)
    ]
    assert not writes, f"use annotator.audit_log.record at {writes}"


def _writes(node: ast.AST) -> bool:
    """Return whether a node makes an event, or calls what is no read on the events."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "AuditEvent"
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and (node.value.value.id, node.value.attr) == ("AuditEvent", "objects")
        and node.attr not in READS
    )
