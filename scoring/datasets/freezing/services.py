"""Freezes: asked for, carried out, cancelled; a version is its file first, then its rows."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from annotator import audit_log
from annotator.access.visibility import withheld_campaigns
from annotator.models import Campaign, Rating, User
from core.database import alone
from core.errors import Forbidden, OutOfDate, Refused
from core.jobs import leases
from core.jobs.rows import FINAL_STATUSES, JobStatus
from core.jobs.running import run_job
from patclaimeval.limits import QUADRUPLETS
from scoring import files as scoring_files
from scoring.datasets.drafts import Draft
from scoring.datasets.freezing.queries import WRITING_FROM, draft_freeze
from scoring.datasets.freezing.rules import FreezeSettings, Progress
from scoring.datasets.versions.queries import prepare_pages
from scoring.models import Dataset, DatasetVersion, Freeze, UsedRating

WRITING: Final = "Writing the file."
RATINGS_AT_ONCE: Final = 10_000
ERASED: Final = "A reference was erased while this ran; freeze again."


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
    erased: Callable[[], str],
    progress: Callable[[float], None] = lambda share: None,
) -> Frozen:
    """Write a draft with its splits and make it the next version, or return the one it is.

    `erased` returns why it must not be stored where something in it was erased meanwhile; Refused
    with that sentence then. `progress` gets the share that is written.
    """
    if len(draft) > QUADRUPLETS:
        raise Refused(
            f"{len(draft):,} quadruplets; a dataset version has at most {QUADRUPLETS:,}. Freeze "
            "fewer campaigns at once, or fewer pairs of each reference."
        )
    # The file is whole on disk before any row names it; a file without a row harms nobody.
    digest = scoring_files.store_dataset(_counting(draft, progress))
    with alone(scoring_files.SWEEPING):
        if campaign is not None:
            # An erasure locks it, too, and then looks for versions: each sees what the other wrote.
            Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if sentence := erased():
            _drop_file(digest)
            raise Refused(sentence)
        scoring_files.refuse_swept(digest)
        refuse_name(name, campaign)
        dataset, _ = Dataset.objects.get_or_create(name=name, campaign=campaign)
        # Locked, so that two freezes cannot take one number.
        dataset = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
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
        used = [UsedRating(version=version, rating_id=pk) for pk in used_ratings]
        UsedRating.objects.bulk_create(used, batch_size=RATINGS_AT_ONCE)
        audit_log.record(
            actor=created_by,
            campaign=campaign,
            action=f"dataset.{card['source']}",
            object_type="dataset_version",
            object_id=version.pk,
            details={"dataset": str(version), "sha256": digest, "items": len(draft)},
        )
    return Frozen(version, is_new=True)


def _drop_file(digest: str) -> None:
    """Delete a file that no version needs, or that an erasure has deleted before."""
    if (
        scoring_files.tombstone_path(digest).is_file()
        or not DatasetVersion.objects.filter(sha256=digest).exists()
    ):
        scoring_files.drop_dataset(digest)


FREEZE_WITHHELD: Final = (
    "You rate in this open campaign, and a freeze would tell you what the others gave. Freeze it "
    "once it is closed, or have somebody freeze it who does not rate."
)


def refuse_who_rates(campaign: Campaign, user: User | None) -> None:
    """Refuse a freeze by who rates in the open campaign: its outcome would reveal something."""
    if user is not None and campaign.pk in withheld_campaigns(user):
        raise Forbidden.at("campaign", FREEZE_WITHHELD)


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


def _counting(draft: Draft, progress: Callable[[float], None]) -> Iterator[bytes]:
    """Pass the lines on and report how many went by."""
    for number, line in enumerate(draft.lines()):
        progress(number / len(draft))
        yield line


def freeze_dataset(
    *,
    campaign: Campaign,
    name: str | None = None,
    created_by: User | None = None,
    progress: Progress = lambda share, stage: None,
    **settings: Any,
) -> Frozen:
    """Freeze what may be frozen of a campaign into a dataset version.

    `settings` are those of FreezeSettings. `progress` is called with each row, outside of any
    transaction, and may raise to stop: nothing is stored then. Raises Refused when nothing is
    left, when the references cannot be split as asked, or when one of them was erased before the
    version was stored; Forbidden for who rates meanwhile.
    """
    chosen = FreezeSettings(**settings)
    named = name or campaign.slug
    refuse_who_rates(campaign, created_by)
    refuse_name(named, campaign)
    draft, card, used_ratings = draft_freeze(campaign, chosen, progress)
    return store_version(
        name=named,
        campaign=campaign,
        draft=draft,
        card=card,
        used_ratings=used_ratings,
        created_by=created_by,
        erased=lambda: ERASED if _rates_erased(campaign, used_ratings) else "",
        progress=lambda share: progress(WRITING_FROM + (1 - WRITING_FROM) * share, WRITING),
    )


def _rates_erased(campaign: Campaign, used_ratings: Collection[str]) -> bool:
    """Return whether one of these ratings is of a reference that is erased by now."""
    gone = Rating.objects.filter(
        candidate__campaign=campaign, candidate__reference__erased_at__isnull=False
    )
    used = set(used_ratings)
    return any(str(pk) in used for pk in gone.values_list("pk", flat=True))


WAITING: Final = "Waiting for a worker."
UNFINISHED: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
# Each heartbeat is a write; what comes in between only looks whether the lease is still ours.
RENEW_EVERY_SECONDS: Final = 0.5


def request_freeze(
    *, campaign: Campaign, settings: dict[str, Any], asked_by: User | None = None
) -> Freeze:
    """Return the freeze of the campaign with these settings, queued when none is under way.

    `settings` are the keywords of `freeze_dataset` as JSON values; the same ones give the row
    that waits or runs already. Raises Refused for a name that the dataset cannot have, Forbidden
    for who rates in the open campaign.
    """
    refuse_who_rates(campaign, asked_by)
    try:
        refuse_name(settings["name"] or campaign.slug, campaign)
    except Refused as refusal:
        raise Refused.at("name", refusal.sentence) from refusal
    with transaction.atomic():
        # Two requests at once make one row: the second waits here, and finds it.
        list(Campaign.objects.select_for_update(no_key=True).filter(pk=campaign.pk))
        rows = Freeze.objects.filter(
            campaign=campaign, status__in=UNFINISHED, cancel_requested=False
        )
        under_way = next((row for row in rows if row.settings == settings), None)
        if under_way is not None:
            return under_way
        freeze = Freeze.objects.create(
            campaign=campaign, settings=settings, asked_by=asked_by, message=WAITING
        )
        _record("freeze.requested", freeze, asked_by)
    return freeze


def carry_out_freeze(pk: UUID | str) -> None:
    """Claim a freeze, make the version, and end in one final state.

    A worker that dies after the version was stored leaves nothing doubled: the next one finds
    that the dataset has this content already.
    """
    run_job(
        Freeze,
        pk,
        _freeze,
        noun="The freeze",
        on_failure=lambda freeze: _record("freeze.failed", freeze, None),
    )


def cancel_freeze(*, freeze: Freeze, cancelled_by: User | None = None) -> None:
    """Ask a freeze to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if freeze.status in FINAL_STATUSES or not leases.request_cancel(freeze):
            raise OutOfDate("This freeze has ended already.")
        _record("freeze.cancelled", freeze, cancelled_by)


def _freeze(freeze: Freeze, check: Callable[[], None]) -> None:
    leases.renew_lease(freeze, progress=0.0, message="Reading the ratings.")
    renewed_at = time.monotonic()

    def progress(share: float, stage: str) -> None:
        nonlocal renewed_at
        check()
        if time.monotonic() - renewed_at >= RENEW_EVERY_SECONDS:
            leases.renew_lease(freeze, progress=share, message=stage)
            renewed_at = time.monotonic()

    frozen = freeze_dataset(
        campaign=freeze.campaign, created_by=freeze.asked_by, progress=progress, **freeze.settings
    )
    # Also one that an attempt made which died afterwards.
    by_an_attempt = freeze.attempt > 1 and frozen.version.created_at > freeze.created_at
    with transaction.atomic():
        leases.close(
            freeze,
            JobStatus.SUCCEEDED,
            version=frozen.version,
            is_new=frozen.is_new or by_an_attempt,
            progress=1.0,
            message="",
        )
        _record("freeze.finished", freeze, freeze.asked_by)
    # Only now: an index that cannot be made is no failure of the freeze.
    prepare_pages(frozen.version)


def _record(action: str, freeze: Freeze, actor: User | None) -> None:
    audit_log.record(
        actor=actor,
        campaign=freeze.campaign_id,
        action=action,
        object_type="freeze",
        object_id=freeze.pk,
    )
