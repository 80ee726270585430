"""A private data directory, rated campaigns, small datasets and a tiny encoder."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

import pytest
from django.test import Client
from django.utils import timezone

from annotator import audit_log
from annotator.assignments.services import assign_candidates
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Candidate,
    Membership,
    Rating,
    RatingRevision,
    Reference,
    User,
)
from annotator.rating.services import submit_rating
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, overall_numerator
from scoring.datasets.freezing.imports import import_dataset
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import DatasetVersion
from scoring.quadruplets import DatasetRow, SplitPlan
from tests.conftest import grant, make_user

LONG_AGO = timedelta(days=3)
NO_SPLIT = {"test_share": 0.0, "validation_share": 0.0}
PARTS = ("pump", "valve", "spring", "sensor", "lever", "motor")


@pytest.fixture
def data_directory(settings: Any, tmp_path: Path) -> Path:
    """Give the test a data directory of its own."""
    settings.DATA_DIR = tmp_path / "data"
    # The heartbeat's own connection sees no row of a test's open transaction: let none be due.
    settings.JOB_LEASE_SECONDS = 3600
    return tmp_path / "data"


@dataclass
class RatedCampaign:
    """A campaign whose references have candidates c1, c2, c3, rated by alice and bob."""

    campaign: Campaign
    people: dict[str, User]

    def candidate(self, reference: int, number: int) -> Candidate:
        return Candidate.objects.get(
            reference__campaign=self.campaign,
            reference__reference_id=f"r{reference}",
            candidate_id=f"c{number}",
        )

    def rate(
        self, name: str, reference: int, number: int, *values: int, ago: timedelta = LONG_AGO
    ) -> Rating:
        candidate = self.candidate(reference, number)
        (assignment,) = assign_candidates(
            campaign=self.campaign, annotator=self.people[name], candidates=[candidate]
        )
        return submit_rating(
            assignment_id=assignment.pk,
            annotator=self.people[name],
            scores=dict(zip(CRITERIA, values, strict=True)),
            submitted_at=timezone.now() - ago,
        )

    def rate_all(self, references: Sequence[int] = range(99)) -> Self:
        """Both rate every candidate long ago: c1 above c2 above c3, alike."""
        names = [f"r{number}" for number in references]
        candidates = list(self.campaign.candidates.filter(reference__reference_id__in=names))
        for person in self.people.values():
            given = assign_candidates(
                campaign=self.campaign, annotator=person, candidates=candidates
            )
            self._submit_at_once(person, given)
        return self

    def freeze(self, **settings: Any) -> DatasetVersion:
        return freeze_dataset(campaign=self.campaign, **settings).version

    def _submit_at_once(self, person: User, given: Sequence[Assignment]) -> None:
        """Write the rows that `submit_rating` writes for ratings that open no conflict."""
        long_ago, of_candidate = timezone.now() - LONG_AGO, {"c1": 9, "c2": 6, "c3": 3}
        ids = dict(self.campaign.candidates.values_list("pk", "candidate_id"))
        ratings, revisions = [], []
        for assignment in given:
            scores = dict.fromkeys(CRITERIA, of_candidate[ids[assignment.candidate_id]])
            fields = scores | {"overall_numerator": overall_numerator(scores)}
            about: dict[str, Any] = {
                "assignment": assignment,
                "candidate_id": assignment.candidate_id,
            }
            about |= {"annotator": person, "rubric_version": self.campaign.rubric_version}
            rating = Rating(submitted_at=long_ago, revised_at=long_ago, **about, **fields)
            ratings.append(rating)
            revisions.append(RatingRevision(rating=rating, number=1, made_at=long_ago, **fields))
        Rating.objects.bulk_create(ratings)
        RatingRevision.objects.bulk_create(revisions)
        Assignment.objects.filter(pk__in=[one.pk for one in given]).update(
            status=AssignmentStatus.SUBMITTED
        )
        act = {"action": "rating.submitted", "object_type": "rating"}
        details = [(one.pk, {"version": 1, "scores": one.scores}) for one in ratings]
        audit_log.record_each(actor=person, campaign=self.campaign, **act, details_by_id=details)

    def name_systems(self) -> None:
        """c1 is by ash, c2 by birch, c3 by cedar; the last two of r2 the other way round."""
        for reference in self.campaign.references.all():
            is_turned = reference.reference_id == "r2"
            names = ("ash", "cedar", "birch") if is_turned else ("ash", "birch", "cedar")
            for number, system in enumerate(names, start=1):
                found = reference.candidates.filter(candidate_id=f"c{number}")
                found.update(system=system)


def make_campaign(references: int, slug: str = "trial") -> RatedCampaign:
    campaign = Campaign.objects.create(slug=slug, name=slug)
    for n in range(references):
        text = {"claims": f"1. A cup number {n}.", "claims_sha256": f"{n:064}"}
        facts: dict[str, Any] = {"office": "EPO", "may_train": True, "position": n}
        reference = Reference.objects.create(
            campaign=campaign, reference_id=f"r{n}", **text, **facts
        )
        for c in (1, 2, 3):
            text = {"claims": f"1. A mug {n} {c}.", "claims_sha256": f"{n}{c:0{64 - len(str(n))}}"}
            reference.candidates.create(
                campaign=campaign, candidate_id=f"c{c}", queue_position=n, **text
            )
    people = {}
    for name in ("alice", "bob"):
        people[name] = User.objects.create(username=f"{slug}-{name}")
        Membership.objects.create(campaign=campaign, user=people[name], role="annotator")
    return RatedCampaign(campaign, people)


@pytest.fixture
def rated(data_directory: Path, db: None) -> Callable[..., RatedCampaign]:
    """Give a function that makes a campaign of so many references; nothing is rated yet."""
    return make_campaign


def claim_set(subject: str, parts: Sequence[str]) -> str:
    listed = ", ".join(f"a {part} connected to the housing" for part in parts)
    return f"1. A {subject} device comprising a housing, {listed}."


def dataset_rows(references: int = 6) -> list[DatasetRow]:
    """Three comparisons a reference: fewer parts are worse, as many are equal.

    The first two thirds of the references train, then one part validates and one tests.
    """
    rows = []
    for n in range(references):
        subject = f"machine{n}"
        texts = [claim_set(subject, p) for p in (PARTS[:3], PARTS[:1], PARTS[1:4])]
        split = "test" if n == references - 1 else "validation" if n == references - 2 else "train"
        for b, c, y in ((0, 1, 1), (1, 2, -1), (0, 2, 0)):
            of_reference = f"r{n}", claim_set(subject, PARTS[:4])
            sides = texts[b], texts[c], f"c{b}", f"c{c}"
            label = {"feature_completeness": y}
            rows.append(DatasetRow(f"q{n}-{b}{c}", *of_reference, *sides, label, split))
    return rows


def listing_rows(rows: Iterable[DatasetRow]) -> list[DatasetRow]:
    """Return the rows with each part of a device a limitation of its claim."""

    def cut(text: str) -> str:
        return text.replace(", a", "; a")

    return [replace(row, reference=cut(row.reference), b=cut(row.b), c=cut(row.c)) for row in rows]


@pytest.fixture
def rows() -> Callable[..., list[DatasetRow]]:
    return dataset_rows


def labelled_alike(
    rows: Iterable[DatasetRow], criteria: Sequence[str] = ALL_CRITERIA
) -> list[DatasetRow]:
    """Return the rows with their label for each of the criteria."""
    return [replace(row, y=dict.fromkeys(criteria, row.y["feature_completeness"])) for row in rows]


def imported(
    name: str, rows: Iterable[DatasetRow], by: str = "file", *shares: float, **more: Any
) -> DatasetVersion:
    """Store the rows as a version of a dataset of that name."""
    return import_dataset(name=name, rows=rows, plan=SplitPlan(by, *shares), **more).version


@pytest.fixture
def version(data_directory: Path, db: None) -> DatasetVersion:
    """A stored dataset of six references: four train, one validates, one tests."""
    return imported("tiny", dataset_rows())


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random one-layer BERT that knows the words of the small dataset, as a local directory."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    split = pre_tokenizers.BertPreTokenizer()
    texts = [text for row in dataset_rows() for text in (row.reference, row.b, row.c)]
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    vocabulary = {w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = split
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    signs = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep")}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **signs)
    directory = tmp_path_factory.mktemp("tiny-encoder")
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "max_position_embeddings": 128}
    layers = {"num_hidden_layers": 1, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=len(vocabulary), **sizes, **layers)).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


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


def shown(client: Client, path: str, status: int = 200, **query: object) -> str:
    """Return what is answered at the path, which is a page of that status."""
    answer = client.get(path, query or None)
    assert answer.status_code == status, (path, answer.status_code)
    return answer.content.decode()


@dataclass
class FrozenScene:
    """The campaign `trial` of three references with three candidates each, and its people."""

    scenario: Any
    ada: User
    rita: User

    @property
    def campaign(self) -> Campaign:
        found: Campaign = self.scenario.campaign
        found.refresh_from_db()
        return found

    @property
    def people(self) -> dict[str, User]:
        found: dict[str, User] = self.scenario.people
        return found

    def add_carl(self) -> None:
        """Make carl the third annotator; he agrees with the others."""
        carl = make_user("trial-carl")
        self.people["carl"] = grant(carl, self.campaign, "annotator")

    def close(self) -> None:
        row = self.campaign
        row.status = CampaignStatus.CLOSED
        row.save()

    def freeze(self, **changes: Any) -> DatasetVersion:
        return freeze_dataset(campaign=self.campaign, **SETTINGS | changes).version


def staffed(scenario: RatedCampaign) -> FrozenScene:
    """Give the campaign an admin and a researcher."""
    people = [
        grant(make_user(f"trial-{name}"), scenario.campaign, role)
        for name, role in (("ada", "admin"), ("rita", "researcher"))
    ]
    return FrozenScene(scenario, *people)


@pytest.fixture
def scene_of_two(rated: Callable[..., Any]) -> FrozenScene:
    """Three references that alice and bob have rated long ago, alike."""
    return staffed(rated(3).rate_all())


@pytest.fixture
def unrated(rated: Callable[..., Any]) -> FrozenScene:
    """Three references and their annotators alice, bob and carl, who have rated nothing yet."""
    found = staffed(rated(3))
    found.add_carl()
    return found


@pytest.fixture
def scene(unrated: FrozenScene) -> FrozenScene:
    """The same; all three have rated every candidate long ago, alike."""
    unrated.scenario.rate_all(range(3))
    return unrated


@pytest.fixture
def of_campaign(cast: Any, version: DatasetVersion) -> DatasetVersion:
    """A version that belongs to the cast's campaign."""
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


@pytest.fixture
def cups(cast: Any, data_directory: Path) -> DatasetVersion:
    """A version of the cast's campaign: two references, one validates, one tests."""
    return imported("cups", dataset_rows(2), campaign=cast.campaign)


@pytest.fixture
def rita(cast: Any) -> Client:
    """The browser of the researcher."""
    return signed_in(cast.rita)


@pytest.fixture
def ada(cast: Any) -> Client:
    """The browser of the admin."""
    return signed_in(cast.ada)


@pytest.fixture
def reader(cast: Any) -> Client:
    """The browser of somebody who only reads reports of the campaign."""
    return signed_in(grant(make_user("reader"), cast.campaign, "reader"))
