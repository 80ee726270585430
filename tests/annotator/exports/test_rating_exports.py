import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from annotator.exports import services as exports_services
from annotator.exports.queries import FORMATS, RatingExport
from annotator.exports.services import MANIFEST, request_export, write_export
from annotator.models import AuditEvent
from core.errors import OutOfDate, Refused
from tests.annotator.rating_rows import prefer, rate
from tests.faults import raising

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def rated(cast):
    rate(cast.alice, cast.reference("r1", 1).candidates.get(), (9, 8, 7, 6))
    return cast


def export(cast) -> RatingExport:
    return request_export(campaign=cast.campaign, format="jsonl")


def halfway(self: RatingExport) -> Iterator[bytes]:
    yield b"half"
    raise OSError(28, "No space left on device")


def test_a_failure_leaves_the_older_file_with_its_manifest(rated, tmp_path, monkeypatch) -> None:
    target = tmp_path / "ratings.jsonl"
    write_export(export(rated), target)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(RatingExport, "pieces", halfway)
    with pytest.raises(OSError, match="No space left"):
        write_export(export(rated), target)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_file_stands_beside_a_manifest_that_could_not_be_written(rated, tmp_path, monkeypatch):
    target = tmp_path / "ratings.jsonl"
    write_export(export(rated), target)
    monkeypatch.setattr(exports_services, "atomic_write", raising(OSError(28, "No space left")))
    with pytest.raises(OSError, match="No space left"):
        write_export(export(rated), target)
    assert [path.name for path in tmp_path.iterdir()] == [target.name + MANIFEST]


def test_the_manifest_tells_no_name_and_says_that_it_is_confidential(rated, tmp_path) -> None:
    found = write_export(export(rated), tmp_path / "ratings.jsonl")
    assert json.loads((tmp_path / f"ratings.jsonl{MANIFEST}").read_text()) == found
    assert found["notice"].startswith("Confidential")
    assert "alice" not in str(found)


def test_what_may_not_be_exported_is_refused_without_a_record(rated) -> None:
    with pytest.raises(Refused, match="Choose csv"):
        request_export(campaign=rated.campaign, format="xml")
    for reason in ("x" * 2_001, "a\0b", " "):
        with pytest.raises(Refused) as caught:
            request_export(campaign=rated.campaign, format="csv", is_identified=True, reason=reason)
        assert "reason" in caught.value.fields
    named = {"campaign": rated.campaign, "format": "csv", "is_identified": True, "reason": "why"}
    with pytest.raises(OutOfDate, match="campaign is open"):
        request_export(**named, asked_by=rated.ada)
    assert not AuditEvent.objects.filter(action="ratings.exported").exists()


@pytest.mark.parametrize("format_name", FORMATS)
def test_the_same_ratings_are_the_same_bytes_but_for_pseudonyms_that_are_new(cast, format_name):
    first, second, *_ = cast.reference("r1", 3).candidates.order_by("candidate_id")
    for person, scores, choice in ((cast.alice, (9, 8, 7, 6), 1), (cast.bob, (1, 2, 3, 4), -1)):
        for candidate in (first, second):
            rate(person, candidate, scores)
        prefer(person, first, second, overall_quality=choice)

    def content(**asked: Any) -> bytes:
        made = request_export(campaign=cast.campaign, format=format_name, **asked)
        return b"".join(made.pieces())

    for asked in (
        {"key": "k"},
        {"is_identified": True, "reason": "a test"},
        {"is_anonymous": True},
    ):
        assert content(**asked) == content(**asked)
    # Many, as an order that follows from the names is the same one by chance for two of them.
    others = [content() for _ in range(10)]
    assert len(set(others)) == len(others)
    # What differs is how people are called; with each name by its place nothing is left.
    assert len({_by_place(one) for one in others}) == 1


def _by_place(data: bytes) -> bytes:
    places: dict[bytes, bytes] = {}
    pattern = rb'annotator-[0-9a-f]{10}|(?<="annotator": )[0-9]+'
    return re.sub(pattern, lambda m: places.setdefault(m[0], b"%d" % len(places)), data)
