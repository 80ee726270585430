"""What annotators told the admin: flags, skips, recusals. No scores, no claim text."""

from dataclasses import dataclass
from datetime import datetime

from annotator.models import Campaign, Departure, Flag

MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Notice:
    """One word from an annotator about one candidate."""

    kind: str
    reference_id: str
    candidate_id: str
    username: str
    reason: str
    words: str
    made_at: datetime
    outcome: str


def campaign_notices(campaign: Campaign) -> tuple[Notice, ...]:
    """Return the latest flags, skips and recusals of a campaign, the newest first."""
    rows = [*_flags(campaign), *_departures(campaign)]
    return tuple(sorted(rows, key=lambda row: row.made_at, reverse=True)[:MOST_SHOWN])


_NAMES = (
    "assignment__candidate__reference__reference_id",
    "assignment__candidate__candidate_id",
    "assignment__annotator__username",
)


def _flags(campaign: Campaign) -> list[Notice]:
    rows = Flag.objects.filter(assignment__campaign=campaign).order_by("-made_at")[:MOST_SHOWN]
    values = rows.values_list(*_NAMES, "reason_code", "reason", "made_at")
    return [
        Notice("flag", reference, candidate, who, _label(Flag, code), words, at, "")
        for reference, candidate, who, code, words, at in values
    ]


def _departures(campaign: Campaign) -> list[Notice]:
    rows = Departure.objects.filter(assignment__campaign=campaign).order_by("-made_at")
    values = rows[:MOST_SHOWN].values_list(
        *_NAMES,
        "kind",
        "reason_code",
        "reason",
        "made_at",
        "rerouted_to__annotator__username",
        "assignment__lease_expires_at",
    )
    return [
        Notice(kind, reference, candidate, who, _label(Departure, code), words, at, _outcome(*rest))
        for reference, candidate, who, kind, code, words, at, *rest in values
    ]


def _label(model: type[Flag] | type[Departure], code: str) -> str:
    choices = model._meta.get_field("reason_code").choices or ()
    return str(dict(choices).get(code, code))


def _outcome(successor: str | None, lease: datetime | None) -> str:
    """Say what became of the place: a leased one is free for whoever asks next."""
    if successor:
        return f"now with {successor}"
    return "free for the next" if lease else "nobody has it now"
