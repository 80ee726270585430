"""What a freeze would store, without storing it."""

from typing import Any

from annotator.models import Campaign
from scoring.datasets.freeze_settings import FreezeSettings
from scoring.queries.freeze_drafts import draft_freeze


def preview_freeze(*, campaign: Campaign, **settings: Any) -> dict[str, Any]:
    """Return the card that a freeze with these settings would write; nothing is stored.

    `settings` are those of FreezeSettings. What is left out stands under `left_out` by reason.
    Raises Refused where the freeze would.
    """
    return draft_freeze(campaign, FreezeSettings(**settings), lambda share, words: None).card
