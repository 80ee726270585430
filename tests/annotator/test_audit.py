import ast
from pathlib import Path
from uuid import UUID

import pytest

from annotator import audit_log
from annotator.models import AuditEvent

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).resolve().parents[2]
WRITER = ROOT / "annotator/audit_log.py"
SOURCES = sorted(
    path
    for package in ("core", "annotator", "scoring")
    for path in (ROOT / package).rglob("*.py")
    if path != WRITER and "migrations" not in path.parts
)
READS = {"filter", "exclude", "order_by", "all", "get", "count", "none", "values", "values_list"}


@pytest.mark.parametrize("is_key", [False, True], ids=["rows", "keys"])
def test_record_writes_who_did_what_where(cast, is_key):
    audit_log.record(
        action="cup.washed",
        actor=cast.ada.pk if is_key else cast.ada,
        campaign=cast.campaign.pk if is_key else cast.campaign,
        object_type="cup",
        object_id=UUID(int=7) if is_key else 7,
        details={"from": "grey", "to": "white"},
    )
    row = AuditEvent.objects.get(action="cup.washed")
    assert (row.actor, row.campaign) == (cast.ada, cast.campaign)
    assert (row.action, row.object_type) == ("cup.washed", "cup")
    assert row.object_id == (str(UUID(int=7)) if is_key else "7")
    assert row.details == {"from": "grey", "to": "white"}


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


def test_nothing_but_the_audit_log_writes_to_the_trail():
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
