"""A campaign of three annotators, an admin and a researcher, rated and frozen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from annotator.models import Campaign, CampaignStatus, User
from annotator.rubric import ALL_CRITERIA
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import DatasetVersion
from tests.conftest import grant, make_user

SETTINGS: dict[str, Any] = {
    "policy": "settled",
    "tie_band": 0.0,
    "criteria": list(ALL_CRITERIA),
    "split_by": "reference",
    "test_share": 0.3,
    "validation_share": 0.0,
    "seed": 7,
}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@dataclass
class FrozenRoom:
    """The campaign `room` of three references with three candidates each, and its people."""

    house: Any
    ada: User
    rita: User

    @property
    def campaign(self) -> Campaign:
        found: Campaign = self.house.campaign
        found.refresh_from_db()
        return found

    @property
    def people(self) -> dict[str, User]:
        found: dict[str, User] = self.house.people
        return found

    def add_carl(self) -> None:
        """Make carl the third annotator; he agrees with the others."""
        carl = make_user("room-carl")
        self.people["carl"] = grant(carl, self.campaign, "annotator")

    def close(self) -> None:
        row = self.campaign
        row.status = CampaignStatus.CLOSED
        row.save()

    def freeze(self, **changes: Any) -> DatasetVersion:
        return freeze_dataset(campaign=self.campaign, **SETTINGS | changes).version


@pytest.fixture
def unrated(rated: Callable[..., Any]) -> FrozenRoom:
    """Three references and their annotators alice, bob and carl, who have rated nothing yet."""
    house = rated(3)
    campaign = house.campaign
    found = FrozenRoom(
        house,
        grant(make_user("room-ada"), campaign, "admin"),
        grant(make_user("room-rita"), campaign, "researcher"),
    )
    found.add_carl()
    return found


@pytest.fixture
def room(unrated: FrozenRoom) -> FrozenRoom:
    """The same; all three have rated every candidate long ago, alike."""
    unrated.house.rate_all(range(3))
    return unrated


@pytest.fixture
def of_campaign(cast: Any, version: DatasetVersion) -> DatasetVersion:
    """A version that belongs to the cast's campaign."""
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


@pytest.fixture
def rita(cast: Any) -> Client:
    """The browser of the researcher."""
    return signed_in(cast.rita)


@pytest.fixture
def reader(cast: Any) -> Client:
    """The browser of somebody who only reads reports of the campaign."""
    return signed_in(grant(make_user("reader"), cast.campaign, "reader"))
