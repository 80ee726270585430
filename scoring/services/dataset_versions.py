"""Stores versions of datasets: the file first, then the rows that name it, in one transaction."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from annotator.models import Campaign, User
from annotator.queries.reliability_access import withheld_campaigns
from annotator.refusals import Forbidden, Refused
from annotator.services import audit
from scoring import storage
from scoring.datasets.drafts import Draft
from scoring.datasets.progress import Progress
from scoring.models import Dataset, DatasetVersion, UsedRating

WRITING: Final = "Writing the file."
ROWS_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version, and whether it is new: the same content in one dataset is the same version."""

    version: DatasetVersion
    is_new: bool


def store_version(
    *,
    name: str,
    campaign: Campaign | None,
    draft: Draft,
    card: dict[str, Any],
    used_ratings: Collection[str] = (),
    created_by: User | None = None,
    progress: Progress,
    progress_from: float,
) -> Frozen:
    """Write a draft with its splits and make it the next version, or return the one it is."""
    # The file is whole on disk before any row names it; a file without a row harms nobody.
    digest = storage.store_dataset(_telling(draft, progress, progress_from))
    with transaction.atomic():
        dataset = _dataset(name, campaign)
        known = DatasetVersion.objects.filter(dataset=dataset, sha256=digest).first()
        if known:
            return Frozen(known, is_new=False)
        last = dataset.versions.order_by("-number").first()
        version = DatasetVersion.objects.create(
            dataset=dataset,
            number=last.number + 1 if last else 1,
            sha256=digest,
            items=len(draft),
            card=card,
            created_by=created_by,
        )
        for some in _batches(used_ratings):
            UsedRating.objects.bulk_create(
                [UsedRating(version=version, rating_id=pk) for pk in some]
            )
        audit.record(
            actor=created_by,
            campaign=campaign,
            action=f"dataset.{card['source']}",
            object_type="dataset_version",
            object_id=version.pk,
            details={"dataset": str(version), "sha256": digest, "items": len(draft)},
        )
    return Frozen(version, is_new=True)


FREEZE_WITHHELD: Final = (
    "You rate in this open campaign, and a freeze would tell you what the others gave. Freeze it "
    "once it is closed, or have somebody freeze it who does not rate."
)


def refuse_who_rates(campaign: Campaign, user: User | None) -> None:
    """Refuse a freeze by who rates in the open campaign: whether and what it gives tells."""
    if user is not None and campaign.pk in withheld_campaigns(user):
        raise Forbidden(FREEZE_WITHHELD, {"campaign": [FREEZE_WITHHELD]})


def refuse_name(name: str, campaign: Campaign | None) -> None:
    """Raise Refused for a name that no dataset of the campaign may have."""
    try:
        Dataset._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise Refused(
            f"{name[:100]!r} cannot be a dataset's name: use up to 80 letters, digits, - and _."
        ) from error
    # Everybody who may freeze sees the datasets of no campaign; only a command makes them, and who
    # gives commands sees all.
    others = Dataset.objects.filter(name=name)
    if campaign is not None and others.filter(campaign=None).exists():
        raise Refused(f"The dataset {name!r} is one of no campaign; choose another name.")
    if campaign is None and others.exclude(campaign=None).exists():
        raise Refused(f"The dataset {name!r} is one of a campaign; choose another name.")


def _dataset(name: str, campaign: Campaign | None) -> Dataset:
    """Return the dataset, locked so that two freezes cannot take one number."""
    refuse_name(name, campaign)
    dataset, _ = Dataset.objects.get_or_create(name=name, campaign=campaign)
    return Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)


def _batches(keys: Iterable[str]) -> Iterator[list[str]]:
    """Cut many keys into lists of ROWS_AT_ONCE; bulk_create would hold a row for each key."""
    rest = iter(keys)
    while some := list(islice(rest, ROWS_AT_ONCE)):
        yield some


def _telling(draft: Draft, progress: Progress, begin: float) -> Iterator[bytes]:
    """Pass the lines on and say how many went by."""
    for number, line in enumerate(draft.lines()):
        progress(begin + (1 - begin) * number / len(draft), WRITING)
        yield line
