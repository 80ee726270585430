"""Builders of one campaign's claim sets: every field that could betray something is a mark."""

from dataclasses import dataclass

from annotator.context.services import store_context
from annotator.models import Campaign, Candidate, Purpose, Reference
from patclaimeval.documents.context import Context, Paragraph
from patclaimeval.documents.drawings import sheets_of
from tests.patclaimeval.documents.pictures import picture


@dataclass(frozen=True, slots=True)
class ClaimRows:
    """The references of a campaign: `first` is read first, `second` holds the odd candidates."""

    first: Reference
    second: Reference

    def candidates(self, reference: Reference) -> list[Candidate]:
        return list(reference.candidates.order_by("candidate_id"))


def claim_rows(mark: str, campaign: Campaign) -> ClaimRows:
    """Return three rated candidates, and beside them one of every other purpose."""
    first, second = _reference(mark, campaign, 0), _reference(mark, campaign, 1)
    for number in range(3):
        _candidate(mark, first, number)
    plain = _candidate(mark, second, 3)
    _candidate(mark, second, 4, purpose=Purpose.QUALIFICATION)
    _candidate(mark, second, 5, purpose=Purpose.REPEAT, original=plain)
    damage = {"criterion": "logical_linkage", "kind": f"{mark}damage", "places": [1]}
    _candidate(mark, second, 6, purpose=Purpose.SENTINEL, damage=damage)
    store_context((reference.pk, _context(mark)) for reference in (first, second))
    return ClaimRows(first, second)


def _reference(mark: str, campaign: Campaign, number: int) -> Reference:
    return Reference.objects.create(
        campaign=campaign,
        reference_id=f"{mark}referenceid{number}",
        title=f"{mark}title{number}",
        ipc="A47G 19/22",
        office="EPO",
        family=f"{mark}kin{number}",
        claims=f"1. A cup with a {mark}referenceclaim and a handle.\n2. The cup of claim 1, blue.",
        claims_sha256=f"{mark}-{number}",
        draft_claims=f"1. A {mark}draftclaim.",
        position=number,
    )


def _context(mark: str) -> Context:
    text = f"A {mark}context tells of a cup with a handle."
    sheets = sheets_of(picture(), f"{mark}context.png")
    return Context((Paragraph("description", text, "0001"),), tuple(sheets))


def _candidate(mark: str, reference: Reference, number: int, **more: object) -> Candidate:
    return Candidate.objects.create(
        reference=reference,
        campaign=reference.campaign,
        queue_position=reference.position,
        places=reference.campaign.overlap,
        candidate_id=f"{mark}candidateid{number}",
        system=f"{mark}system{number}",
        claims=f"1. A mug with a {mark}candidateclaim and {number} handles.",
        claims_sha256=f"{mark}-c{number}",
        **more,
    )
