"""The cast of every test: five people of one campaign, one outsider of another."""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

import pytest
from django.test import Client, override_settings

from annotator import rate_limits
from annotator.assignments.services import assign_candidates, spread_places, take_next
from annotator.models import Assignment, Campaign, Candidate, Membership, Rating, Reference, User
from annotator.rating.services import submit_rating
from core.clock import database_now
from patclaimeval.rubric import CRITERIA
from tests.amounts import choose_examples
from tests.emptied import flush_past_the_guards

choose_examples()

# Texts that no annotator may ever read; blindness tests look for them.
SYSTEM_CANARY = "systemcanary"
CANDIDATE_CANARY = "candidateidcanary"
CLAIMS = "1. A cup comprising a body and a handle.\n2. The cup of claim 1, wherein it is blue."


def pytest_collection_finish() -> None:
    """Stop the garbage collector from looking, again and again, through what all tests share."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Leave what there is to the system: Python would look through all of it, for seconds."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def flush_past_the_guards_of_the_trail() -> None:
    """Let Django empty the database between transactional tests."""
    flush_past_the_guards()


@pytest.fixture(autouse=True, scope="session")
def static_files_found_when_asked_for() -> Iterator[None]:
    """Spare each client a list of all static files, which takes longer than most requests."""
    with override_settings(WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture
def rate_limits_stand_still(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no more in than a limit does at once: a slow machine takes long enough for another."""
    now = database_now()
    monkeypatch.setattr(rate_limits, "database_now", lambda: now)


@pytest.fixture
def quick_passwords(settings: Any) -> None:
    """A hash made to be slow would cost a second of every sign-in and ruling; it is tried apart."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def make_user(name: str, **more: Any) -> User:
    """Return an account that signs in by `force_login` only."""
    return User.objects.create(username=name, **more)


def grant(user: User, campaign: Campaign, *roles: str) -> User:
    """Give the user the roles in the campaign."""
    for role in roles:
        Membership.objects.create(user=user, campaign=campaign, role=role)
    return user


def signed_in(user: User, **more: Any) -> Client:
    """Return a client of the user, who is signed in."""
    client = Client(**more)
    client.force_login(user)
    return client


def spread(campaign: Campaign, overlap: int) -> None:
    """Give the campaign, and every candidate in it, another overlap."""
    campaign.overlap = overlap
    campaign.save()
    spread_places(campaign)


def make_reference(
    campaign: Campaign, reference_id: str, candidates: int = 3, keys: Sequence[UUID] = ()
) -> Reference:
    """Return a reference with candidates whose system and id are canaries.

    `keys` are for who needs the same order of candidates each time.
    """
    reference = Reference.objects.create(
        campaign=campaign,
        reference_id=reference_id,
        title=f"Title of {reference_id}",
        ipc="A47G 19/22",
        office="EPO",
        claims=CLAIMS,
        claims_sha256=reference_id,
        position=campaign.references.count(),
    )
    for number in range(candidates):
        Candidate.objects.create(
            reference=reference,
            campaign=reference.campaign,
            queue_position=reference.position,
            places=reference.campaign.overlap,
            candidate_id=f"{CANDIDATE_CANARY}-{number}",
            system=f"{SYSTEM_CANARY}-{number}",
            claims=f"1. A mug {number} with a handle.",
            claims_sha256=f"{reference_id}-{number}",
            **({"pk": keys[number]} if keys else {}),
        )
    return reference


@dataclass(frozen=True)
class Cast:
    """The people, their campaign `cups`, and mallory's campaign `elsewhere`."""

    system_canary: ClassVar[str] = SYSTEM_CANARY
    candidate_canary: ClassVar[str] = CANDIDATE_CANARY

    campaign: Campaign
    elsewhere: Campaign
    alice: User
    bob: User
    carol: User
    rita: User
    ada: User
    mallory: User

    def reference(
        self, reference_id: str = "r1", candidates: int = 3, campaign: Campaign | None = None
    ) -> Reference:
        return make_reference(campaign or self.campaign, reference_id, candidates)

    def assign(self, user: User, reference: Reference) -> list[Assignment]:
        """Assign all candidates of the reference by name; return them in the user's order."""
        return assign_candidates(
            campaign=reference.campaign, annotator=user, candidates=list(reference.candidates.all())
        )

    def take(self, user: User) -> Assignment:
        """Lease the user the next candidate of the campaign."""
        row = take_next(slug=self.campaign.slug, annotator=user)
        assert row is not None
        return row

    def submit(
        self, assignment: Assignment, scores: Sequence[int] = (5, 5, 5, 5), **more: Any
    ) -> Rating:
        return submit_rating(
            assignment_id=assignment.pk,
            annotator=assignment.annotator,
            scores=dict(zip(CRITERIA, scores, strict=True)),
            **more,
        )


@pytest.fixture
def cast(db: None) -> Cast:
    campaign = Campaign.objects.create(slug="cups", name="Cups")
    elsewhere = Campaign.objects.create(slug="elsewhere", name="Elsewhere")
    return Cast(
        campaign=campaign,
        elsewhere=elsewhere,
        alice=grant(make_user("alice"), campaign, "annotator"),
        bob=grant(make_user("bob"), campaign, "annotator"),
        carol=grant(make_user("carol"), campaign, "adjudicator"),
        rita=grant(make_user("rita"), campaign, "researcher"),
        ada=grant(make_user("ada"), campaign, "admin"),
        mallory=grant(make_user("mallory"), elsewhere, "annotator"),
    )
