"""What a campaign without ratings still needs before its annotators begin, step by step."""

from dataclasses import dataclass

from django.shortcuts import resolve_url

from annotator.access.scopes import annotators_of
from annotator.campaigns.queries import CampaignProgress
from annotator.models import HOLDING, Assignment, CalibrationItem, Campaign, Membership, Role
from patclaimeval.plurals import counted


@dataclass(frozen=True, slots=True)
class Step:
    """One step with the page on which it is done, and how far it is in a sentence."""

    name: str
    url: str
    state: str
    is_done: bool
    is_optional: bool = False


def first_steps(campaign: Campaign, progress: CampaignProgress) -> tuple[Step, ...]:
    """Return the steps of an open campaign without ratings; none of any other."""
    given = progress.ratings + progress.repeat_ratings + progress.sentinel_ratings
    if given or not campaign.is_open:
        return ()
    claims, people = _claims(campaign, progress), _people(campaign)
    return (
        claims,
        people,
        _plan(campaign),
        _calibration(campaign),
        _start(campaign, is_ready=claims.is_done and people.is_done),
    )


def _claims(campaign: Campaign, progress: CampaignProgress) -> Step:
    state = "No claims yet: import references with their candidates."
    if progress.references:
        references = counted(progress.references, "reference")
        state = f"{references} with {counted(progress.candidates, 'candidate')}."
    url = resolve_url("annotator:import_claims", campaign.slug)
    return Step("Claims", url, state, progress.candidates > 0)


def _people(campaign: Campaign) -> Step:
    here, needed = annotators_of(campaign).count(), campaign.overlap
    state = f"{counted(here, 'annotator')}; each candidate is for {needed}."
    if not Membership.objects.filter(campaign=campaign, role=Role.ADJUDICATOR).exists():
        state += " No adjudicator yet: conflicts would wait for one."
    url = resolve_url("annotator:members", campaign.slug)
    return Step("People", url, state, here >= needed)


def _plan(campaign: Campaign) -> Step:
    given = Assignment.objects.filter(campaign=campaign, status__in=HOLDING).count()
    state = "Nothing is given out by name: annotators take the next free candidate themselves."
    if given:
        state = f"{counted(given, 'place')} given out."
    url = resolve_url("annotator:plan", campaign.slug)
    return Step("Plan", url, state, given > 0, is_optional=True)


def _calibration(campaign: Campaign) -> Step:
    items = CalibrationItem.objects.filter(campaign=campaign).count()
    state = (
        f"{counted(items, 'item')}, {'rated' if campaign.has_calibration else 'not rated'} first."
    )
    if not items:
        state = "No items: annotators begin with the candidates themselves."
    url = resolve_url("annotator:calibration", campaign.slug)
    is_done = campaign.has_calibration and items > 0
    return Step("Calibration", url, state, is_done, is_optional=True)


def _start(campaign: Campaign, *, is_ready: bool) -> Step:
    state = "Waits for claims and people."
    if is_ready:
        state = (
            "Ready: look at the rules once more. Annotators find candidates in their queue; no "
            "mail is sent. This list goes with the first rating."
        )
    return Step("Start", resolve_url("annotator:campaign_rules", campaign.slug), state, False)
