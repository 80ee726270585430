"""Each limit of docs/limits.md at its edge: what is as large is taken, one more is refused."""

import io
from pathlib import Path

import pytest

from annotator.accounts.services import create_user
from annotator.campaigns.members.deactivations import reactivate
from annotator.campaigns.services import close_campaign, create_campaign, reopen_campaign
from annotator.imports.checks import check_claims
from annotator.imports.claims.services import import_claims
from annotator.models import Campaign, Candidate, Purpose, Reference, User
from core.errors import Refused
from patclaimeval import limits
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.streams import FormatError
from tests.conftest import make_reference

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(cast) -> Campaign:
    return create_campaign(slug="mugs")


def record(name: str = "r1", candidates: int = 1, claims: str = "1. A mug.") -> ReferenceRecord:
    made = tuple(CandidateRecord(f"c{n}", claims) for n in range(candidates))
    return ReferenceRecord(name, "1. A cup.", made)


def beyond(campaign: Campaign, *records: ReferenceRecord) -> str:
    """Return why an import of these is refused, by its check and by itself; "" if it is not."""
    before = Reference.objects.count(), Candidate.objects.count()
    try:
        check_claims(campaign=campaign, file=io.BytesIO(), format="claims-jsonl", records=records)
    except FormatError as error:
        with pytest.raises(FormatError) as refusal:
            import_claims(campaign=campaign, records=records)
        assert (Reference.objects.count(), Candidate.objects.count()) == before
        reason = error.bad_records[0].reason
        assert reason in str(refusal.value)
        return reason
    import_claims(campaign=campaign, records=records)
    return ""


def numbered(count: int) -> str:
    return "\n".join(f"{n}. A cup." for n in range(1, count + 1))


@pytest.mark.parametrize(
    ("largest", "larger", "said"),
    [
        (numbered(limits.CLAIMS), numbered(limits.CLAIMS + 1), "201 claims; a claim set has"),
        ("cup " * limits.WORDS, "cup " * limits.WORDS + "mug", "30,001 words; a claim set has"),
        ("a" * limits.CHARACTERS, "a" * (limits.CHARACTERS + 1), "200,001 characters; a claim"),
    ],
)
def test_a_claim_set(campaign: Campaign, largest: str, larger: str, said: str) -> None:
    assert said in beyond(campaign, record(claims=larger))
    reference = ReferenceRecord("r1", larger, record().candidates)
    assert said in beyond(campaign, reference)
    assert said in beyond(campaign, ReferenceRecord("r1", "1. A.", (), draft_claims=larger))
    assert not beyond(campaign, record(claims=largest))


def test_many_numbers_are_not_many_claims(campaign: Campaign) -> None:
    parts = ", ".join(f"a part {n}" for n in range(300))
    assert not beyond(campaign, record(claims=f"1. A cup comprising {parts}."))


def test_candidates_of_a_reference(campaign: Campaign) -> None:
    said = beyond(campaign, record(candidates=limits.CANDIDATES + 1))
    assert said == "'r1' would have 51 candidates; a reference has at most 50"
    assert not beyond(campaign, record(candidates=limits.CANDIDATES - 1))
    # With those that are there already, whatever the application has added of its own.
    first = Candidate.objects.first()
    assert first is not None
    first.pk, first.candidate_id, first.purpose = None, "hidden", Purpose.SENTINEL
    first.save(force_insert=True)
    assert not beyond(campaign, record(candidates=limits.CANDIDATES))
    more = ReferenceRecord("r1", "1. A cup.", (CandidateRecord("one more", "1. A mug."),))
    assert "51 candidates" in beyond(campaign, more)


def test_references_of_a_campaign(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    make_reference(campaign, "there", candidates=0)
    monkeypatch.setattr(limits, "REFERENCES", 3)
    said = beyond(campaign, *(record(f"r{n}") for n in range(3)))
    assert said == "a campaign has at most 3 references; create another one"
    assert not beyond(campaign, *(record(f"r{n}") for n in range(2)))


def test_claim_sets_of_an_import(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLAIM_SETS", 6)
    said = beyond(campaign, record("r1", 2), record("r2", 3))
    assert said == "one import has at most 6 claim sets; divide the file"
    assert not beyond(campaign, record("r1", 2), record("r2", 2))


def test_ratings_on_a_site(cast, monkeypatch: pytest.MonkeyPatch) -> None:
    for assignment in cast.assign(cast.alice, cast.reference()):
        cast.submit(assignment)
    monkeypatch.setattr(limits, "RATINGS", 3)
    said = beyond(cast.campaign, record("new"))
    assert said.startswith("this site has 3 ratings, as many as one site may have")
    monkeypatch.setattr(limits, "RATINGS", 4)
    assert not beyond(cast.campaign, record("new"))


def test_open_campaigns(campaign: Campaign, cast, monkeypatch: pytest.MonkeyPatch) -> None:
    is_open = Campaign.objects.filter(status="open").count()
    create_campaign(slug="last")
    assert is_open < limits.CAMPAIGNS
    monkeypatch.setattr("annotator.campaigns.services.CAMPAIGNS", is_open + 1)
    with pytest.raises(Refused, match="campaigns are open, as many as one site may have"):
        create_campaign(slug="more")
    close_campaign(campaign=campaign, reason="Enough.", closed_by=cast.ada)
    create_campaign(slug="more")
    with pytest.raises(Refused, match="Close one first"):
        reopen_campaign(campaign=campaign, reason="Again.", reopened_by=cast.ada)


def test_accounts(cast) -> None:
    missing = limits.ACCOUNTS - User.objects.filter(is_active=True).count()
    User.objects.bulk_create(
        User(username=f"u{n}", name_skeleton=f"u{n}") for n in range(missing - 1)
    )
    gone = User.objects.create(username="gone", name_skeleton="gone", is_active=False)
    create_user(username="three-hundredth", password=None)
    with pytest.raises(Refused, match="300 accounts are active, as many as one site may have"):
        create_user(username="one-more", password=None)
    with pytest.raises(Refused, match="300 accounts are active"):
        reactivate(user=gone, by=cast.ada)
    User.objects.filter(username="u0").update(is_active=False)
    reactivate(user=gone, by=cast.ada)


def test_the_page_of_limits_names_every_number() -> None:
    page = (Path(__file__).parents[2] / "docs/limits.md").read_text()
    numbers = {
        name: value
        for name, value in vars(limits).items()
        if name.isupper() and isinstance(value, int)
    }
    assert len(numbers) == 11
    for name, value in numbers.items():
        shown = f"{value // 1024**2} MB" if name == "UPLOAD_BYTES" else f"{value:,}"
        assert f" {shown} " in page, name
