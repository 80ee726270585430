"""Freezes a campaign's ratings into an immutable dataset version."""

from typing import Any

from annotator.models import Campaign, User
from scoring import storage
from scoring.datasets.freeze_settings import FreezeSettings
from scoring.datasets.progress import Progress, by_percent
from scoring.queries.freeze_drafts import WRITING_FROM, draft_freeze
from scoring.services.dataset_versions import Frozen, refuse_name, refuse_who_rates, store_version


def freeze_dataset(
    *,
    campaign: Campaign,
    name: str | None = None,
    created_by: User | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Frozen:
    """Freeze what may be frozen of a campaign into a dataset version.

    `settings` are those of FreezeSettings. `progress` hears of each percent, outside of any
    transaction, and may raise to stop: nothing is stored then. Raises Refused when nothing is
    left, or when the references cannot be split as asked, Forbidden for who rates meanwhile.
    """
    tell = by_percent(progress)
    chosen = FreezeSettings(**settings)
    named = name or campaign.slug
    refuse_who_rates(campaign, created_by)
    refuse_name(named, campaign)
    with storage.spool() as spool:
        made = draft_freeze(campaign, chosen, tell, spool)
        return store_version(
            name=named,
            campaign=campaign,
            draft=made.draft,
            card=made.card,
            used_ratings=made.used_ratings,
            created_by=created_by,
            progress=tell,
            progress_from=WRITING_FROM,
        )
