"""Which claim sets a campaign holds already."""

import pytest

from annotator.campaigns.services import create_campaign
from annotator.formats.references import CandidateRecord, ReferenceRecord
from annotator.imports.claims import queries as claims_queries
from annotator.imports.claims.queries import known_candidates, known_references, stored_texts
from annotator.imports.claims.services import import_claims
from annotator.models import Campaign
from core.text_io.text import text_sha256

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def filled(slug: str, *names: str) -> Campaign:
    campaign = create_campaign(slug=slug)
    candidates = (CandidateRecord("b", "1. B."), CandidateRecord("a", "1. A."))
    records = [ReferenceRecord(name, f"1. Cup {name}.", candidates) for name in names]
    import_claims(campaign=campaign, records=records)
    return campaign


def test_names_are_looked_up_in_their_own_campaign() -> None:
    scene = filled("room", "r1", "r2")
    filled("other", "r3")
    known = known_references(scene, ["r2", "r3", "r4"])
    assert list(known) == ["r2"]
    assert known["r2"][1:] == (2, text_sha256("1. Cup r2."))
    texts = known_candidates(known.values())
    assert texts == {
        (known["r2"].pk, "a"): text_sha256("1. A."),
        (known["r2"].pk, "b"): text_sha256("1. B."),
    }
    assert known_candidates([]) == {}


def test_all_texts_come_batch_by_batch_each_reference_before_its_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claims_queries, "BATCH", 2)
    scene = filled("room", "r1", "r2", "r3")
    assert [(reference, candidate) for reference, candidate, _ in stored_texts(scene)] == [
        (name, candidate) for name in ("r1", "r2", "r3") for candidate in ("", "a", "b")
    ]
